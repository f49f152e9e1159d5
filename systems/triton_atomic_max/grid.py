"""Every pair of special values, each as what a location holds and as the update that meets it."""

from __future__ import annotations

import numpy as np

TINY, SMALLEST, LARGEST = np.finfo(np.float32).smallest_subnormal, np.finfo(np.float32).tiny, np.finfo(np.float32).max
NUMBERS = np.array(
    [0.0, TINY, SMALLEST, 1.0, np.nextafter(np.float32(1), np.float32(2)), 2.0, LARGEST, np.inf], np.float32
)
NANS = np.array([0x7FC00000, 0x7FFFFFFF, 0x7F800001, 0xFFC00000, 0xFFFFFFFF, 0xFF800001], np.uint32).view(np.float32)


def pairs(nans: bool) -> "tuple[np.ndarray, np.ndarray, np.ndarray]":
    """Returns x, index and init: one update for each location. `nans`: pairs of which one at least is a NaN."""
    numbers = np.concatenate([NUMBERS, -NUMBERS])
    values = np.concatenate([numbers, NANS])
    before, update = (each.reshape(-1) for each in np.meshgrid(values, values, indexing="ij"))
    kept = (np.isnan(before) | np.isnan(update)) == nans
    init, x = np.ascontiguousarray(before[kept]), np.ascontiguousarray(update[kept])
    return x, np.arange(len(x), dtype=np.int32), init
