"""How long negzero.accept() takes beside the product that it judges: python bench/accept.py."""

from __future__ import annotations

import time

import numpy as np

import negzero

SHAPES = ((64, 64, 64), (128, 128, 128), (256, 256, 1024), (1024, 1024, 1024))


def main() -> None:
    """Prints the first call of the process, and then the least of ten calls of each shape."""
    first = True
    for m, n, k in SHAPES:
        random = np.random.default_rng(1)
        a, b = random.standard_normal((m, k), np.float32), random.standard_normal((k, n), np.float32)
        times = []
        for _ in range(10):
            start = time.perf_counter()
            d = a @ b
            product = time.perf_counter()
            done = negzero.accept(d, "gemm", a=a, b=b)
            end = time.perf_counter()
            if first:
                print(f"first call of the process, {m} x {n} x {k}: {1e3 * (end - product):.1f} ms")
                first = False
            times.append((end - product, product - start))
        accepted, multiplied = min(times), min(each[1] for each in times)
        print(f"{m} x {n} x {k}: {1e3 * accepted[0]:.1f} ms, {accepted[0] / multiplied:.1f} times a @ b; {done.reason}")


if __name__ == "__main__":
    main()
