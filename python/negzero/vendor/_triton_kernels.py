"""Kernels in Triton that are little more than a call of the function that is looked at."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def gemm_kernel(
    a, b, d, m, n, k, a_row, a_column, b_row, b_column, d_row, d_column,
    PRECISION: tl.constexpr, ACCUMULATOR: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):  # fmt: skip
    i = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    j = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=ACCUMULATOR)
    for first in range(0, k, BLOCK_K):
        at = first + tl.arange(0, BLOCK_K)
        left = tl.load(a + i[:, None] * a_row + at[None, :] * a_column, (i[:, None] < m) & (at[None, :] < k), 0.0)
        right = tl.load(b + at[:, None] * b_row + j[None, :] * b_column, (at[:, None] < k) & (j[None, :] < n), 0.0)
        sums = tl.dot(left, right, sums, input_precision=PRECISION, out_dtype=ACCUMULATOR)
    tl.store(d + i[:, None] * d_row + j[None, :] * d_column, sums.to(d.dtype.element_ty), (i[:, None] < m) & (j[None, :] < n))


def gemm(a, b, d, precision, block_m, block_n, block_k, warps, stages, in_f16=False):
    """Writes a @ b to d."""
    (m, k), n = a.shape, b.shape[1]
    grid = (triton.cdiv(m, block_m), triton.cdiv(n, block_n))
    if m and n:
        gemm_kernel[grid](
            a, b, d, m, n, k, *a.stride(), *b.stride(), *d.stride(), precision, tl.float16 if in_f16 else tl.float32,
            block_m, block_n, block_k, num_warps=warps, num_stages=stages,
        )  # fmt: skip


@triton.jit
def row_kernel(x, y, columns, x_row, x_column, y_row, KIND: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    start = x + row * x_row + at * x_column
    if KIND == 0:
        tl.store(y + row * y_row, tl.sum(tl.load(start, inside, 0.0), 0))
    elif KIND == 1:
        tl.store(y + row * y_row, tl.max(tl.load(start, inside, float("-inf")), 0))
    elif KIND == 2:
        tl.store(y + row * y_row, tl.min(tl.load(start, inside, float("inf")), 0))
    elif KIND == 3:
        tl.store(y + row * y_row, tl.argmax(tl.load(start, inside, float("-inf")), 0))
    else:
        tl.store(y + row * y_row, tl.argmin(tl.load(start, inside, float("inf")), 0))


@triton.jit
def cumsum_kernel(x, y, columns, x_row, x_column, y_row, y_column, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    sums = tl.cumsum(tl.load(x + row * x_row + at * x_column, inside, 0.0), 0)
    tl.store(y + row * y_row + at * y_column, sums, inside)


KINDS = {"sum": 0, "max": 1, "min": 2, "argmax": 3, "argmin": 4}


def along_rows(kind, x, y, warps):
    """Writes the reduction or scan of each row of x to y."""
    rows, columns = x.shape
    block = triton.next_power_of_2(max(columns, 1))
    if rows and kind == "cumsum":
        cumsum_kernel[(rows,)](x, y, columns, *x.stride(), *y.stride(), block, num_warps=warps)
    elif rows:
        row_kernel[(rows,)](x, y, columns, *x.stride(), *y.stride(), KINDS[kind], block, num_warps=warps)


@triton.jit
def update_kernel(x, index, out, count, x_step, index_step, out_step, KIND: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    place = out + tl.load(index + at * index_step, inside, 0) * out_step
    value = tl.load(x + at * x_step, inside, 0.0)
    if KIND == 0:
        tl.atomic_add(place, value, inside)
    elif KIND == 1:
        tl.atomic_max(place, value, inside)
    else:
        tl.atomic_min(place, value, inside)


def update(kind, x, index, out, block):
    """Updates out at index by x."""
    if x.numel():
        update_kernel[(triton.cdiv(x.numel(), block),)](
            x, index, out, x.numel(), x.stride(0), index.stride(0), out.stride(0), ("add", "max", "min").index(kind), block
        )


@triton.jit
def cast_kernel(x, y, count, x_step, y_step, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at * y_step, tl.load(x + at * x_step, at < count).to(y.dtype.element_ty), at < count)


def cast(x, y, block):
    """Writes the elements of x to y."""
    if x.numel():
        cast_kernel[(triton.cdiv(x.numel(), block),)](x, y, x.numel(), x.stride(0), y.stride(0), block)


__all__ = ["along_rows", "cast", "gemm", "update"]
