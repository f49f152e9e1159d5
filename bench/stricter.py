"""Functions that docs/measured/findings.md lists though their contracts permit what they do, held to what NumPy gives.

    negzero check 'strict.*' --kernels bench/stricter.py --cases 1500

needs a GPU with PyTorch, Triton and CuPy; with `--executor host` those of a CPU run, which need PyTorch and JAX. Cases
that fail are those in which a function differs from NumPy: by subnormal numbers that it takes for zeros, by rounding
twice, or by what it makes of numbers beyond FP8's largest.
"""

from __future__ import annotations

import negzero
from negzero.vendor import of_cupy, of_jax, of_torch, of_triton

#: Subnormal numbers are kept, which is the default.
SUM = {"accumulate": "F32", "zero_sign": "any"}

negzero.kernel("reduce.sum", name="strict.cupy.sum", formats=("F32", "F32"), arrays="cupy", contract=SUM)(
    of_cupy.along_rows("sum")
)
negzero.kernel("reduce.sum", name="strict.jax.sum", formats=("F32", "F32"), arrays="jax", device="cpu",
               contract={**SUM, "compensated": True}, limits=of_jax.ROWS)(of_jax.along_rows("sum"))  # fmt: skip
negzero.kernel("scatter.add", name="strict.triton.atomic_add", formats=("F32",), arrays="torch", device="cuda",
               contract=SUM, limits={"configuration": of_triton.BLOCK})(of_triton.updates("add"))  # fmt: skip
negzero.kernel("convert", name="strict.triton.cast", formats=("F32", "F8_E4M3"), arrays="torch", device="cuda",
               contract={"overflow": "nan"}, limits={"configuration": of_triton.BLOCK})(of_triton.cast)  # fmt: skip
for device in ("cpu", "cuda"):
    negzero.kernel("convert", name=f"strict.torch.to.{device}", formats=("F64", "F16"), arrays="torch", device=device)(
        of_torch.converts("F16")
    )
