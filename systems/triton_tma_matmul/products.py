"""The products that are recorded: more than one tile in each direction, with a tail of K, and numbers of N(0, 1)."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from configurations import SMALL, Configuration

M, N, K = SMALL[0] + 6, SMALL[1] + 4, SMALL[2] + 9
_DTYPES = {
    "F16": np.float16, "BF16": ml_dtypes.bfloat16, "F32": np.float32, "F8_E4M3": ml_dtypes.float8_e4m3fn,
    "F8_E5M2": ml_dtypes.float8_e5m2,
}  # fmt: skip
#: One configuration of each format, whose B no instruction takes as it lies where it is of 8 or 32 bits, and
#: specialized loops, of which one transposes B.
RECORDED = (
    *(Configuration(each, False, False, SMALL, 4, "plain") for each in _DTYPES),
    Configuration("F16", True, False, SMALL, 4, "specialized"),
    Configuration("F32", False, True, SMALL, 4, "specialized"),
)


def operands(format_name: str, n: int = N) -> "tuple[np.ndarray, np.ndarray]":
    """Returns A (M x K) and B (K x n) in that format."""
    random = np.random.default_rng(6292)
    dtype = _DTYPES[format_name]
    return random.standard_normal((M, K)).astype(dtype), random.standard_normal((K, n)).astype(dtype)
