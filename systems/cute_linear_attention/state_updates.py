"""Where the four implementations of state_update.cu round, in NumPy: for machines without a GPU.

Each is a `gemm` of F16 factors with alpha = beta = 1: a is K^T, b is V, c is the F32 state before one chunk. A step
of a tensor core is modelled as 16 exact products whose sum is rounded once. What state_update.cu gives on a GPU has
other last bits where a sum is inexact. The contracts permit both.
"""

from __future__ import annotations

import numpy as np

#: Rows of the sequence that are one update of the state, and products that are one step of a tensor core.
CHUNK, STEP = 64, 16

#: The straight contract: tensor cores sum a chunk in F32, and one addition in F32 joins the sum to the state.
STRAIGHT = {
    "wider": False, "tensor_core": "only", "slices": 1, "alpha": "epilogue", "beta": "epilogue", "scalar_format": "F32",
    "zero_sign": "ieee", "determinism": "run_to_run",
}  # fmt: skip
#: The rounded contract: one more rounding, of the chunk's sum to F16, before it meets the state.
ROUNDED = {**STRAIGHT, "intermediate": ["F16"], "intermediate_at": "sum"}
CONTRACTS = {"rounded": ROUNDED, "straight": STRAIGHT}

#: Of many chunks: the state is where their sums meet, each of which may be stored in F16 before.
STRAIGHT_SEQUENCE = {**STRAIGHT, "slices": 0, "beta": "leaf"}
ROUNDED_SEQUENCE = {**STRAIGHT_SEQUENCE, "slice_format": "F16"}
SEQUENCES = {"rounded_sequence": ROUNDED_SEQUENCE, "straight_sequence": STRAIGHT_SEQUENCE}

FORMATS = ("F16", "F16", "F32")
LIMITS = {"k": (0, CHUNK)}


def products(a: np.ndarray, b: np.ndarray) -> "list[np.ndarray]":
    """Returns the sum of each step, in F64: all products of F16 are exact there."""
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    return [wide_a[..., k : k + STEP] @ wide_b[..., k : k + STEP, :] for k in range(0, a.shape[-1], STEP)]


def accumulated(steps: "list[np.ndarray]", start: np.ndarray) -> np.ndarray:
    """Adds the steps to `start`, in its format, the accumulator's. A sum of zero is +0, as tensor cores give it."""
    for step in steps:
        start = (start.astype(np.float64) + step).astype(start.dtype) + start.dtype.type(0)
    return start


def zeros(c: np.ndarray, dtype: type) -> np.ndarray:
    return np.zeros(c.shape, dtype)


def rounded(a, b, c, d):
    """The F32 sum of the chunk, rounded to F16, added to the F32 state."""
    fragment = accumulated(products(a, b), zeros(c, np.float32))
    d[...] = c + fragment.astype(np.float16).astype(np.float32) if a.shape[-1] else c


def straight(a, b, c, d):
    """The F32 sum of the chunk, added to the F32 state."""
    d[...] = c + accumulated(products(a, b), zeros(c, np.float32)) if a.shape[-1] else c


def f16_fragment(a, b, c, d):
    """The F16 sum of the chunk, added to the F32 state."""
    fragment = accumulated(products(a, b), zeros(c, np.float16))
    d[...] = c + fragment.astype(np.float32) if a.shape[-1] else c


def f16_state(a, b, c, d):
    """The state itself in an F16 accumulator."""
    d[...] = accumulated(products(a, b), c.astype(np.float16)).astype(np.float32)
