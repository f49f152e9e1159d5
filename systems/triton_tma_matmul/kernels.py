"""Registers every configuration as a kernel, for `negzero check --kernels`, on a GPU with PyTorch and Triton.

    negzero check --kernels systems/triton_tma_matmul/kernels.py --cases 6

What Triton refuses in words (CompilationError, OutOfResources) is a finding of class refused_legal_request. Whatever
else it raises, and what ends the process, is a crash.
"""

from __future__ import annotations

import negzero

from configurations import Configuration, contract, grid
from refusals import refused_in_words

#: From one element to more than one tile of each extent, with tails of K. A row of D is of whole 16 bytes: stores write
#: no less (triton-lang/triton#11583), which the kernel ANY_N shows.
LIMITS = {"m": (1, 160), "n": (4, 160, 4), "k": (1, 200)}
ANY_N = "triton_tma.any_n"


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
