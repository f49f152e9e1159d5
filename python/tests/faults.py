"""Published faults of kernels/faulty/ as NumPy functions: the same mistakes, to be found and shrunk as there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable

import ml_dtypes
import numpy as np

np.seterr(all="ignore")

F32, F16_TO_F32 = ("F32", "F32", "F32"), ("F16", "F16", "F32")
#: One chain of additions an element, from +0, in the order of k; the kernels fuse, and these functions do not.
CHAIN = {
    "order": "ascending", "contraction": "separate", "start": "plus_zero", "alpha": "epilogue", "beta": "epilogue",
    "scalar_format": "F32", "zero_sign": "ieee", "wider": False,
}  # fmt: skip
SELECTION = {"zero_sign": "ieee"}


@dataclass(frozen=True)
class Fault:
    """A fault: its name in kernels/faulty/, the function, and what it is held to."""

    name: str
    operation: str
    fn: "Callable[..., Any]"
    formats: Any
    contract: "dict[str, Any]"
    limits: "dict[str, Any]" = field(default_factory=dict)


def chain(a, b, alpha, dtype=np.float32):
    """The sums over k in one chain, rounded to `dtype` after each addition."""
    total = np.zeros((*a.shape[:-1], b.shape[-1]), dtype)
    if alpha == 0:
        return total
    for k in range(a.shape[-1]):
        product = a[..., k : k + 1].astype(np.float32) * b[..., k : k + 1, :].astype(np.float32)
        total = (total.astype(np.float32) + product).astype(dtype)
    return total


def finish(a, total, c, alpha, beta):
    """alpha * total + beta * c; c counts only where beta is not zero, and a product that is not formed is no term."""
    has_product = alpha != 0 and a.shape[-1] > 0
    product = np.float32(alpha) * total.astype(np.float32) if has_product else np.zeros_like(total, np.float32)
    if beta == 0:
        return product
    return product + np.float32(beta) * c if has_product else np.float32(beta) * c


def empty_group_unwritten(a, b, c, alpha, beta, d):
    if a.shape[-1] > 0:
        d[...] = finish(a, chain(a, b, alpha), c, alpha, beta)


def reads_c_at_beta_zero(a, b, c, alpha, beta, d):
    has_product = alpha != 0 and a.shape[-1] > 0
    added = np.float32(beta) * c
    d[...] = np.float32(alpha) * chain(a, b, alpha) + added if has_product else added


def forgets_beta_at_k_zero(a, b, c, alpha, beta, d):
    forgotten = 1.0 if a.shape[-1] == 0 and beta != 0 else beta
    d[...] = finish(a, chain(a, b, alpha), c, alpha, forgotten)


def f16_accumulator(a, b, c, alpha, beta, d):
    d[...] = finish(a, chain(a, b, alpha, np.float16), c, alpha, beta)


def to_tf32(array):
    bits = np.ascontiguousarray(array).view(np.uint32)
    rounded = ((bits + np.uint32(0x1000)) & np.uint32(0xFFFFE000)).view(np.float32)
    return np.where(np.isfinite(array), rounded, array)


def tf32_multiplicands(a, b, c, alpha, beta, d):
    d[...] = finish(a, chain(to_tf32(a), to_tf32(b), alpha), c, alpha, beta)


def unrounded_fragment(a, b, c, alpha, beta, d):
    d[...] = finish(a, chain(a, b, alpha), c, alpha, beta)


def leading_dimension_ignored(a, b, c, alpha, beta, d):
    packed = np.lib.stride_tricks.as_strided(d, (d.size,), (d.itemsize,)) if d.size else d
    packed[...] = finish(a, chain(a, b, alpha), c, alpha, beta).reshape(packed.shape)


def padding_row_times_zero(a, b, rows, d):
    for g in range(a.shape[0]):
        capacity = a.shape[1]
        for i in range(capacity):
            last = min((i // 8 + 1) * 8, capacity) - 1
            mask = np.float32(i < rows[g])
            row = mask * a[g, i] + (np.float32(1) - mask) * a[g, last]
            if i < rows[g]:
                d[g, i] = chain(row[None], b[g], 1.0)[0]


def max_by_value_sign(x, index, out):
    signed, unsigned = out.view(np.int32), out.view(np.uint32)
    for value, place in zip(x, index):
        before = out[place]
        if np.isnan(value) or np.isnan(before):
            unsigned[place] = 0x7FFFFFFF
        elif value >= 0:
            signed[place] = max(signed[place], value.view(np.int32))
        else:
            unsigned[place] = min(unsigned[place], value.view(np.uint32))


def drops_low_bits(x):
    return (np.ascontiguousarray(x).view(np.uint32) >> 16).astype(np.uint16).view(ml_dtypes.bfloat16)


def select_max(best, x):
    """The maximum that propagates NaN and takes +0 for greater than -0."""
    greater = np.where((best == 0) & (x == 0), np.where(np.signbit(best), x, best), np.where(best > x, best, x))
    return np.where(np.isnan(best), best, np.where(np.isnan(x), x, greater))


def flt_max_identity(x):
    best = np.full(x.shape[0], -np.finfo(np.float32).max, np.float32)
    for column in x.T:
        best = select_max(best, column)
    return best


def nan_depends_on_order(x):
    best = np.full(x.shape[0], -np.inf, np.float32)
    for column in x.T:
        best = np.where(best > column, best, column)
    return best


def sentinel_wins(x, y, at):
    best = np.full(x.shape[0], -np.inf, np.float32)
    place = np.full(x.shape[0], 2**31 - 1, np.int32)
    for j, column in enumerate(x.T):
        wins = (column > best) | (np.isnan(column) & ~np.isnan(best))
        best, place = np.where(wins, column, best), np.where(wins, j, place)
    y[...], at[...] = best, place


def carry_stays_in_warp(x, y):
    for start in range(0, x.shape[1], 32):
        y[:, start : start + 32] = np.cumsum(x[:, start : start + 32], axis=1, dtype=np.float32)


FAULTS = (
    Fault("A1.max_by_value_sign", "scatter.max", max_by_value_sign, ("F32",), SELECTION, {"output": "packed"}),
    Fault("B2.empty_group_unwritten", "gemm", empty_group_unwritten, F32, CHAIN),
    Fault("B3.padding_row_times_zero", "gemm.grouped", padding_row_times_zero, F32, CHAIN),
    Fault("G1.reads_c_at_beta_zero", "gemm", reads_c_at_beta_zero, F32, CHAIN),
    Fault("G6.forgets_beta_at_k_zero", "gemm", forgets_beta_at_k_zero, F32, CHAIN),
    Fault("G14.f16_accumulator", "gemm", f16_accumulator, F16_TO_F32, CHAIN),
    Fault("G15.tf32_multiplicands", "gemm", tf32_multiplicands, F32, CHAIN),
    Fault(
        "G24.unrounded_fragment", "gemm", unrounded_fragment, F16_TO_F32,
        {**CHAIN, "intermediate": ["F16"], "intermediate_at": "sum"},
    ),
    Fault("I2.leading_dimension_ignored", "gemm", leading_dimension_ignored, F32, CHAIN),
    Fault("Q1.drops_low_bits", "convert", drops_low_bits, ("F32", "BF16"), SELECTION),
    Fault("R1.flt_max_identity", "reduce.max", flt_max_identity, ("F32", "F32"), SELECTION, {"columns": (1, 1 << 20)}),
    Fault("R3.sentinel_wins", "reduce.max_index", sentinel_wins, ("F32", "F32", "I32"), {"zero_sign": "any"}),
    Fault("R4.nan_depends_on_order", "reduce.max", nan_depends_on_order, ("F32", "F32"), {"zero_sign": "any"}),
    Fault("S4.carry_stays_in_warp", "scan.inclusive", carry_stays_in_warp, ("F32", "F32"), {"order": "any"},
          {"columns": (0, 128)}),
)  # fmt: skip
