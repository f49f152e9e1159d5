"""Measures how many cases of python/examples/gpu_kernels.py are looked at in a second: in processes of their own, by
`negzero check --kernels`, and in this one, by negzero.check().

    NEGZERO_PROGRAM=build/cuda/negzero python bench/python_workers.py

needs a GPU, PyTorch and Triton. Both guard what lies around tensors. What is paid once is left out of the rates: the
seconds of a shorter run are taken from those of a longer one, and both are printed.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import subprocess
import sys
import time

import negzero

EXAMPLES = pathlib.Path(__file__).resolve().parents[1] / "python" / "examples"
sys.path.insert(0, str(EXAMPLES))


def by_program(kernel: str, cases: int, jobs: int, seed: int) -> float:
    """Returns the seconds of `negzero check` of one kernel."""
    begin = time.perf_counter()
    done = subprocess.run(
        [os.environ["NEGZERO_PROGRAM"], "check", kernel, "--kernels", str(EXAMPLES / "gpu_kernels.py"), "--cases",
         str(cases), "--jobs", str(jobs), "--seed", str(seed), "--json"],
        env={**os.environ, "NEGZERO_PYTHON": sys.executable}, stdout=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise SystemExit(f"negzero check {kernel} ended with exit code {done.returncode}")
    return time.perf_counter() - begin


def by_package(kernel: str, cases: int, seed: int) -> float:
    """Returns the seconds of negzero.check() of the same function under the same declaration."""
    import gpu_kernels

    own = {
        "torch_mm": (gpu_kernels.product, "gemm", ("F16", "F16", "F16"), {"tensor_core": "may", "slice_format": "F16"},
                     None),
        "triton_sum": (gpu_kernels.row_sum, "reduce.sum", ("F32", "F32"), "f32",
                       {"inputs": "packed", "output": "packed"}),
    }  # fmt: skip
    function, operation, formats, contract, limits = own[kernel]
    begin = time.perf_counter()
    negzero.check(function, operation, formats=formats, arrays="torch", device="cuda", contract=contract,
                  limits=limits, cases=cases, seed=seed)  # fmt: skip
    return time.perf_counter() - begin


def main() -> None:
    """Prints a row for each kernel and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=8000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    few = asked.cases // 4
    for kernel in ("torch_mm", "triton_sum"):
        by_package(kernel, few, 1)
        for run in range(asked.runs):
            seed = run + 2
            ways = {
                f"program, {asked.jobs} jobs": lambda cases: by_program(kernel, cases, asked.jobs, seed),
                "package": lambda cases: by_package(kernel, cases, seed),
            }
            shown = []
            for way, seconds in ways.items():
                fewer, all_of = seconds(few), seconds(asked.cases)
                shown.append(f"{way}: {(asked.cases - few) / (all_of - fewer):,.0f} cases/s ({fewer:.1f}, {all_of:.1f} s)")
            print(f"{kernel:10}  " + "; ".join(shown), flush=True)


if __name__ == "__main__":
    main()
