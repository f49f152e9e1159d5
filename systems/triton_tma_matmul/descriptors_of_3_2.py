"""The kernel in the words of Triton 3.2, whose descriptors are made on the host and passed as kernel arguments.

It is compiled and never launched: see compiling.py.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def matmul_kernel(
    of_a,
    of_b,
    of_d,
    k,
    A_IS_TRANSPOSED: tl.constexpr,
    B_IS_TRANSPOSED: tl.constexpr,
    TILE_M: tl.constexpr,
    TILE_N: tl.constexpr,
    TILE_K: tl.constexpr,
    TYPE: tl.constexpr,
):
    i = tl.program_id(0) * TILE_M
    j = tl.program_id(1) * TILE_N
    sums = tl.zeros((TILE_M, TILE_N), tl.float32)
    for step in range(0, tl.cdiv(k, TILE_K)):
        at = step * TILE_K
        if A_IS_TRANSPOSED:
            left = tl._experimental_descriptor_load(of_a, [at, i], [TILE_K, TILE_M], TYPE).T
        else:
            left = tl._experimental_descriptor_load(of_a, [i, at], [TILE_M, TILE_K], TYPE)
        if B_IS_TRANSPOSED:
            right = tl._experimental_descriptor_load(of_b, [j, at], [TILE_N, TILE_K], TYPE).T
        else:
            right = tl._experimental_descriptor_load(of_b, [at, j], [TILE_K, TILE_N], TYPE)
        sums = tl.dot(left, right, sums)
    tl._experimental_descriptor_store(of_d, sums, [i, j])
