"""The grouped GEMM of one group as kernels, one a variant: `negzero check --kernels
systems/triton_grouped_gemm/kernels.py` on a GPU with PyTorch and Triton. The F16 accumulator is wrong by what is
declared."""

from __future__ import annotations

import negzero
from cases import CONTRACT, VARIANTS


def product(variant: str):
    """Returns the function of a variant."""

    def run(a, b):
        from grouped_gemm import grouped_gemm

        return grouped_gemm([a], [b], **VARIANTS[variant])[0]

    return run


for each in VARIANTS:
    negzero.kernel(
        "gemm", name=f"triton_grouped_gemm.{each}", formats=("F16", "F16", "F16"), arrays="torch", device="cuda",
        contract=CONTRACT,
    )(product(each))  # fmt: skip
