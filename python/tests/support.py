"""Operands whose results are exact, so that right and wrong are known without negzero."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

FLOATS = {
    "F64": np.float64,
    "F32": np.float32,
    "F16": np.float16,
    "BF16": ml_dtypes.bfloat16,
    "F8_E4M3": ml_dtypes.float8_e4m3fn,
    "F8_E5M2": ml_dtypes.float8_e5m2,
}


def small(shape: Any, dtype: Any = np.float16, seed: int = 0, least: int = -2, most: int = 2) -> np.ndarray:
    """Small whole numbers: sums of a few of their products are exact in every format here."""
    return np.random.default_rng(seed).integers(least, most + 1, shape).astype(dtype)


def gemm(m: int = 3, n: int = 2, k: int = 4, dtype: Any = np.float16, out: Any = np.float32) -> "tuple[Any, Any, Any]":
    """Returns a, b and the right d."""
    a, b = small((m, k), dtype, 1), small((k, n), dtype, 2)
    return a, b, (a.astype(np.float64) @ b.astype(np.float64)).astype(out)


def spoiled(array: np.ndarray, index: Any) -> np.ndarray:
    """A copy with one element far from what is right."""
    copy = np.array(array)
    copy[index] = copy[index].astype(np.float64) + 17
    return copy
