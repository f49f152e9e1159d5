"""The kernel: D = A B in F32, of tiles that tensor descriptors (TMA) load. Needs Triton 3.4 or later, and no PyTorch.

A descriptor describes what lies in memory. Where that is the transposed matrix, the kernel transposes the tile that it
has loaded.
"""

from __future__ import annotations

import triton
import triton.language as tl

from configurations import STAGES, Configuration


@triton.jit(do_not_specialize=["m", "n", "k", "stride_a", "stride_b", "stride_d"])
def matmul_kernel(
    a,  # M x K in rows, or K x M
    b,  # K x N in rows, or N x K
    d,  # M x N in rows
    m,
    n,
    k,
    stride_a,
    stride_b,
    stride_d,
    A_IS_TRANSPOSED: tl.constexpr,
    B_IS_TRANSPOSED: tl.constexpr,
    TILE_M: tl.constexpr,
    TILE_N: tl.constexpr,
    TILE_K: tl.constexpr,
    STAGES: tl.constexpr,
    SPECIALIZED: tl.constexpr,
):
    if A_IS_TRANSPOSED:
        of_a = tl.make_tensor_descriptor(a, [k, m], [stride_a, 1], [TILE_K, TILE_M])
    else:
        of_a = tl.make_tensor_descriptor(a, [m, k], [stride_a, 1], [TILE_M, TILE_K])
    if B_IS_TRANSPOSED:
        of_b = tl.make_tensor_descriptor(b, [n, k], [stride_b, 1], [TILE_N, TILE_K])
    else:
        of_b = tl.make_tensor_descriptor(b, [k, n], [stride_b, 1], [TILE_K, TILE_N])
    of_d = tl.make_tensor_descriptor(d, [m, n], [stride_d, 1], [TILE_M, TILE_N])
    i = tl.program_id(0) * TILE_M
    j = tl.program_id(1) * TILE_N
    sums = tl.zeros((TILE_M, TILE_N), tl.float32)
    for step in tl.range(0, tl.cdiv(k, TILE_K), num_stages=STAGES, warp_specialize=SPECIALIZED):
        at = step * TILE_K
        if A_IS_TRANSPOSED:  # noqa: SIM108 (Triton compiles one of the two)
            left = of_a.load([at, i]).T
        else:
            left = of_a.load([i, at])
        if B_IS_TRANSPOSED:  # noqa: SIM108
            right = of_b.load([j, at]).T
        else:
            right = of_b.load([at, j])
        sums = tl.dot(left, right, sums)
    of_d.store([i, j], sums)


def constants(configuration: Configuration) -> "dict[str, int | bool]":
    """Returns the kernel's arguments that are known when it is compiled."""
    return {
        "A_IS_TRANSPOSED": configuration.a_is_transposed,
        "B_IS_TRANSPOSED": configuration.b_is_transposed,
        **dict(zip(("TILE_M", "TILE_N", "TILE_K"), configuration.tile)),
        "STAGES": STAGES,
        "SPECIALIZED": configuration.loop == "specialized",
    }
