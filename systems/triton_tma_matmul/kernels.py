"""Registers every configuration as a kernel, for `negzero check --kernels`, on a GPU with PyTorch and Triton.

    negzero check --kernels systems/triton_tma_matmul/kernels.py --cases 6

What Triton refuses in words (CompilationError, OutOfResources) is a finding of class refused_legal_request. Whatever
else it raises, and what ends the process, is a crash.
"""

from __future__ import annotations

import negzero

from grid import Configuration, grid
from refusals import refused_in_words

#: Hopper's tensor cores sum the products, and nothing splits K. wgmma drops the low 13 bits of F32 (docs/numerics.md
#: section 6), and Triton converts nothing before it.
CORES = {"tensor_core": "only", "unit": "hopper", "slices": 1}
#: From one element to more than one tile of each extent, with tails of K.
LIMITS = {"m": (1, 160), "n": (1, 160), "k": (1, 200)}


def contract(configuration: Configuration) -> "dict[str, object]":
    """Returns what a configuration's results are held to."""
    return {**CORES, "multiplicand": "tf32_truncate"} if configuration.format == "F32" else CORES


def product(configuration: Configuration):
    """Returns the function of one configuration's kernel."""

    def run(a, b):
        from matmul import matmul

        with refused_in_words():
            return matmul(a, b, configuration)

    return run


for each in grid():
    negzero.kernel(
        "gemm", name=each.name, formats=(each.format, each.format, "F32"), arrays="torch", device="cuda",
        contract=contract(each), limits=LIMITS, about="tl.dot of tiles that tensor descriptors load",
    )(product(each))  # fmt: skip
