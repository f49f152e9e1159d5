"""torch.mm of F32, held to F32, with TF32 off and on: `negzero check --kernels systems/tf32/kernels.py` on a GPU with
PyTorch. The second is wrong by what it declares."""

from __future__ import annotations

import negzero


def product(a, b, tf32: bool):
    import torch

    torch.backends.cuda.matmul.allow_tf32 = tf32
    return torch.mm(a, b)


ON_GPU = {"formats": ("F32", "F32", "F32"), "arrays": "torch", "device": "cuda", "contract": "f32"}


@negzero.kernel("gemm", name="tf32.off", about="torch.mm, allow_tf32 = False", **ON_GPU)
def without_tf32(a, b):
    """Returns a @ b."""
    return product(a, b, tf32=False)


@negzero.kernel("gemm", name="tf32.on", about="torch.mm, allow_tf32 = True, held to F32", **ON_GPU)
def with_tf32(a, b):
    """Returns a @ b of factors that were rounded to TF32."""
    return product(a, b, tf32=True)
