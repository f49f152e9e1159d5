"""Registers every configuration as a kernel that compiles it for an H100, on any machine with Triton.

    negzero check --kernels systems/triton_tma_matmul/compiler_kernels.py --executor host --cases 1

What is under test is the compiler: an assertion that fails ends the process of that configuration alone, and is its
finding. Nothing that was compiled runs. The product that negzero judges is NumPy's, so that a pass says "it compiles".
"""

from __future__ import annotations

import negzero
import numpy as np

from configurations import Configuration, grid
from refusals import refused_in_words

#: Small, and inside the limits of kernels.py: a case of one module is one of the other.
LIMITS = {"m": (1, 8), "n": (4, 8, 4), "k": (1, 8)}


def product(configuration: Configuration):
    """Returns the function of one configuration's kernel. It compiles once a process."""
    done = []

    def run(a, b):
        if not done:
            from compiling import compile_for_h100

            with refused_in_words():
                compile_for_h100(configuration)
            done.append(True)
        return (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)

    return run


def registered(configurations: "list[Configuration]") -> None:
    """Registers those."""
    for each in configurations:
        negzero.kernel(
            "gemm", name=each.name, formats=(each.format, each.format, "F32"), limits=LIMITS,
            about="compiles the configuration for an H100; the product is NumPy's",
        )(product(each))  # fmt: skip


try:
    from compiling import has_specialized_loops
except ImportError as error:
    raise ImportError(f"{error}; install Triton: pip install triton==3.6.0") from error
registered([each for each in grid() if each.loop == "plain" or has_specialized_loops()])
