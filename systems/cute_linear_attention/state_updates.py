"""Where the four implementations of state_update.cu round, in NumPy: for machines without a GPU.

Each is a `gemm` of F16 factors with alpha = beta = 1: a is K^T, b is V, c is the F32 state before one chunk. A step
adds 16 products as a Hopper tensor core does (docs/explanation/numerics.md, 2e), so that what it gives is permitted.
"""

from __future__ import annotations

import numpy as np

#: Rows of the sequence that are one update of the state, and products that are one step of a tensor core.
CHUNK, STEP = 64, 16
#: The bits below the greatest exponent of a step that its terms keep, with an accumulator of F32 or F16.
KEPT = 25

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


def products(a: np.ndarray, b: np.ndarray) -> "list[tuple[np.ndarray, np.ndarray]]":
    """Returns of each step its products, in F64, where all of F16 are exact, and their exponents: those of the factors
    together, of a subnormal the least of a normal number."""
    wide_a, wide_b = a.astype(np.float64)[..., :, :, None], b.astype(np.float64)[..., None, :, :]
    every = wide_a * wide_b

    def exponent(x: np.ndarray) -> np.ndarray:
        return np.maximum(np.frexp(x)[1] - 1, -14)

    exponents = np.where(every == 0, -(10**6), exponent(wide_a) + exponent(wide_b))
    return [(every[..., k : k + STEP, :], exponents[..., k : k + STEP, :]) for k in range(0, a.shape[-1], STEP)]


def accumulated(steps: "list[tuple[np.ndarray, np.ndarray]]", start: np.ndarray) -> np.ndarray:
    """Adds the steps to `start`, in its format, the accumulator's: terms cut at KEPT bits below the greatest exponent,
    their exact sum cut to F32 or rounded to F16. A sum of zero is +0, as tensor cores give it."""
    for terms, exponents in steps:
        held = start.astype(np.float64)
        own = np.where(held == 0, -(10**6), np.frexp(held)[1] - 1)
        top = np.maximum(exponents.max(-2), own)
        unit = np.ldexp(1.0, np.where(np.isfinite(held) & (top > -(10**6)), top - KEPT, 0))
        with np.errstate(invalid="ignore"):
            total = (np.trunc(terms / unit[..., None, :]).sum(-2) + np.trunc(held / unit)) * unit
            rounded_sum = total.astype(start.dtype)
            if start.dtype == np.float32:
                beyond = np.abs(rounded_sum.astype(np.float64)) > np.abs(total)
                rounded_sum = np.where(beyond, np.nextafter(rounded_sum, np.float32(0)), rounded_sum)
        start = rounded_sum + start.dtype.type(0)
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
