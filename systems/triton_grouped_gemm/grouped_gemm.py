"""A grouped GEMM in Triton: D_i = A_i B_i for a list of FP16 matrices of any shapes, in one launch.

One program computes one tile of one product. A table of tiles says which; tables of addresses and sizes say where the
matrices of each group lie. `order` and `accumulator` make variants: all orders of K are right, an F16 accumulator is
not what the kernel promises.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
import triton
import triton.language as tl

BLOCK_M, BLOCK_N, BLOCK_K = 32, 32, 32


@triton.jit
def grouped_gemm_kernel(
    tiles,  # [tiles, 3]: group, row of tiles, column of tiles
    addresses,  # [groups, 3]: of A, B, D
    sizes,  # [groups, 3]: m, n, k
    DESCENDING: tl.constexpr,
    IN_F16: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    tile = tl.program_id(0)
    group = tl.load(tiles + 3 * tile)
    i = tl.load(tiles + 3 * tile + 1) * BLOCK_M + tl.arange(0, BLOCK_M)
    j = tl.load(tiles + 3 * tile + 2) * BLOCK_N + tl.arange(0, BLOCK_N)
    a = tl.load(addresses + 3 * group).to(tl.pointer_type(tl.float16))
    b = tl.load(addresses + 3 * group + 1).to(tl.pointer_type(tl.float16))
    d = tl.load(addresses + 3 * group + 2).to(tl.pointer_type(tl.float16))
    m = tl.load(sizes + 3 * group)
    n = tl.load(sizes + 3 * group + 1)
    k = tl.load(sizes + 3 * group + 2)
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float16 if IN_F16 else tl.float32)
    steps = tl.cdiv(k, BLOCK_K)
    for step in range(0, steps):
        first = (steps - 1 - step if DESCENDING else step) * BLOCK_K
        at = first + tl.arange(0, BLOCK_K)
        left = tl.load(a + i[:, None] * k + at[None, :], mask=(i[:, None] < m) & (at[None, :] < k), other=0.0)
        right = tl.load(b + at[:, None] * n + j[None, :], mask=(at[:, None] < k) & (j[None, :] < n), other=0.0)
        if IN_F16:  # noqa: SIM108 (Triton compiles one of the two)
            sums = tl.dot(left, right, sums, out_dtype=tl.float16)
        else:
            sums = tl.dot(left, right, sums)
    tl.store(d + i[:, None] * n + j[None, :], sums.to(tl.float16), mask=(i[:, None] < m) & (j[None, :] < n))


def grouped_gemm(
    a: Sequence[torch.Tensor], b: Sequence[torch.Tensor], order: str = "ascending", accumulator: str = "F32"
) -> "list[torch.Tensor]":
    """Returns A_i B_i in FP16 for matrices that lie on one GPU. `order` of K: "ascending" or "descending"."""
    a, b = [each.contiguous() for each in a], [each.contiguous() for each in b]
    d = [torch.empty(x.shape[0], y.shape[1], dtype=torch.float16, device=x.device) for x, y in zip(a, b)]
    table = [
        (group, row, column)
        for group, each in enumerate(d)
        for row in range(triton.cdiv(each.shape[0], BLOCK_M))
        for column in range(triton.cdiv(each.shape[1], BLOCK_N))
    ]
    if not table:
        return d
    device = d[0].device
    tiles = torch.tensor(table, dtype=torch.int32, device=device)
    addresses = torch.tensor(
        [[x.data_ptr(), y.data_ptr(), z.data_ptr()] for x, y, z in zip(a, b, d)], dtype=torch.int64, device=device
    )
    sizes = torch.tensor([[*z.shape, x.shape[1]] for x, z in zip(a, d)], dtype=torch.int32, device=device)
    grouped_gemm_kernel[(len(table),)](
        tiles, addresses, sizes, order == "descending", accumulator == "F16", BLOCK_M, BLOCK_N, BLOCK_K
    )
    return d
