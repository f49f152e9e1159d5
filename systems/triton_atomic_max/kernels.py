"""Triton's atomic max, and the algorithm that it had before, as kernels:

    negzero check --kernels systems/triton_atomic_max/kernels.py --finite

Those of Triton need a GPU; the algorithm in NumPy runs anywhere, and is wrong.
"""

from __future__ import annotations

import negzero
from atomics import atomic_max, extreme_by_value, max_by_value

DECLARED = {
    "formats": ("F32",), "contract": {"zero_sign": "ieee"}, "limits": {"inputs": "packed", "output": "packed"}
}  # fmt: skip


@negzero.kernel("scatter.max", name="triton_atomic_max.by_value_in_numpy", **DECLARED)
def in_numpy(x, index, out):
    """Updates out as Triton did before."""
    extreme_by_value(x, index, out)


@negzero.kernel("scatter.max", name="triton_atomic_max.by_value", arrays="torch", device="cuda", **DECLARED)
def by_value(x, index, out):
    """Updates out as Triton did before, on a GPU."""
    max_by_value(x, index, out)


@negzero.kernel("scatter.max", name="triton_atomic_max.tl_atomic_max", arrays="torch", device="cuda", **DECLARED)
def of_triton(x, index, out):
    """Updates out by the installed Triton's tl.atomic_max."""
    atomic_max(x, index, out)
