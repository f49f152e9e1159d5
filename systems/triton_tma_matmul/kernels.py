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
#: From one element to more than one tile of each extent, with tails of K. A row of D is of whole 16 bytes: stores write
#: no less (triton-lang/triton#11583), which the kernel ANY_N shows.
LIMITS = {"m": (1, 160), "n": (4, 160, 4), "k": (1, 200)}
ANY_N = "triton_tma.any_n"


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


def register(name: str, configuration: Configuration, limits: "dict[str, object]", about: str) -> None:
    """Registers one configuration under a name."""
    negzero.kernel(
        "gemm", name=name, formats=(configuration.format, configuration.format, "F32"), arrays="torch", device="cuda",
        contract=contract(configuration), limits=limits, about=about,
    )(product(configuration))  # fmt: skip


for each in grid():
    register(each.name, each, LIMITS, "tl.dot of tiles that tensor descriptors load")
register(ANY_N, grid()[0], {**LIMITS, "n": (1, 160)}, f"{grid()[0].name} with rows of D of any number of bytes")
