"""Measures how many cases negzero.check() looks at in a second, beside what the function alone takes.

    python bench/checked_functions.py numpy
    python bench/checked_functions.py torch --device cuda

needs the package negzero and the framework. Guard zones and the second run are on. Small cases have extents up to 16;
usual ones are those that are drawn by default. Prints the median of the runs.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import time
from typing import Any, Callable

import negzero

SMALL = {"gemm": {"m": (0, 16), "n": (0, 16), "k": (0, 16)}, "reduce.sum": {"rows": (0, 16), "columns": (0, 16)}}


class Timed:
    """Writes results through `out=`, and adds up what that takes."""

    def __init__(self, module: Any, wait: "Callable[[], None]") -> None:
        self.module, self.wait, self.seconds = module, wait, 0.0

    def gemm(self, a: Any, b: Any, d: Any) -> None:
        """Writes a @ b to d."""
        begin = time.perf_counter()
        self.module.matmul(a, b, out=d)
        self.wait()
        self.seconds += time.perf_counter() - begin

    def row_sum(self, x: Any, y: Any) -> None:
        """Writes the sums of the rows of x to y."""
        begin = time.perf_counter()
        self.module.sum(x, 1, out=y)
        self.wait()
        self.seconds += time.perf_counter() - begin


def main() -> None:
    """Prints a row for each operation and size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("arrays", choices=("numpy", "torch"))
    parser.add_argument("--device")
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=5)
    asked = parser.parse_args()
    module = importlib.import_module(asked.arrays)
    wait = module.cuda.synchronize if asked.arrays == "torch" and asked.device == "cuda" else lambda: None
    for operation, method in (("gemm", Timed.gemm), ("reduce.sum", Timed.row_sum)):
        for size, limits in (("small", SMALL[operation]), ("usual", {})):
            rates, shares = [], []
            for seed in range(asked.runs + 1):  # the first run is not counted: it loads what is loaded once
                timed = Timed(module, wait)
                checked = negzero.check(
                    method.__get__(timed), operation, arrays=asked.arrays, device=asked.device, claims="deterministic",
                    limits={**limits, "output": "packed"}, cases=asked.cases, seed=seed + 1, finite=True,
                )  # fmt: skip
                rates.append(asked.cases / checked.seconds)
                shares.append(timed.seconds / checked.seconds)
            rate, share = statistics.median(rates[1:]), statistics.median(shares[1:])
            print(f"{operation:12} {size:6} {rate:8,.0f} cases/s, {share:4.0%} of the time in the function", flush=True)


if __name__ == "__main__":
    main()
