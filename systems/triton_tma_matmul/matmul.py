"""The product of two matrices of PyTorch by the kernel of descriptors.py.

Descriptors need a base and strides of whole 16 bytes: `in_rows` copies a matrix into such rows, with NaN behind each
row and below the last one, so that an element that is read there shows.
"""

from __future__ import annotations

import torch
import triton

from descriptors import constants, matmul_kernel
from configurations import SIZES, STAGES, Configuration


def in_rows(matrix: torch.Tensor) -> torch.Tensor:
    """Returns a copy of the matrix, bit for bit, whose rows begin at multiples of 16 bytes, with NaN around it."""
    rows, columns = matrix.shape
    size = matrix.element_size()
    pitch = -(-columns * size // 16) * 16
    memory = torch.full((rows + 1, pitch), 0xFF, dtype=torch.uint8, device=matrix.device)
    copy = memory.view(matrix.dtype)[:rows, :columns]
    bits = {1: torch.uint8, 2: torch.int16, 4: torch.int32}[size]
    copy.view(bits).copy_(matrix.view(bits))
    return copy


def matmul(a: torch.Tensor, b: torch.Tensor, configuration: Configuration) -> torch.Tensor:
    """Returns the M x N product in F32 of a (M x K) and b (K x N), which lie on one GPU in any strides; M, N, K >= 1.

    Raises what Triton raises where it does not compile or launch the kernel, and RuntimeError where the kernel has
    written beside D, as it does on an H100 where a row of D is not of whole 16 bytes (triton-lang/triton#11583).
    """
    (m, k), n = a.shape, b.shape[1]
    assert a.element_size() == b.element_size() == SIZES[configuration.format]
    left = in_rows(a.T if configuration.a_is_transposed else a)
    right = in_rows(b.T if configuration.b_is_transposed else b)
    # What nothing writes is a number here that no sum gives by chance, and no NaN.
    untouched = -0x5A5A5A5B
    memory = torch.full((m + 1, -(-n // 4) * 4), untouched, dtype=torch.int32, device=a.device)
    d = memory.view(torch.float32)[:m, :n]
    triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device=a.device))
    blocks = (triton.cdiv(m, configuration.tile[0]), triton.cdiv(n, configuration.tile[1]))
    matmul_kernel[blocks](
        left, right, d, m, n, k, left.stride(0), right.stride(0), d.stride(0), **constants(configuration),
        num_warps=configuration.warps, num_stages=STAGES,
    )  # fmt: skip
    behind, below = (int((each != untouched).sum()) for each in (memory[:m, n:], memory[m:]))
    if behind or below:
        raise RuntimeError(
            f"the kernel has written beside the {m} x {n} elements of D: {behind} elements behind its rows, {below} "
            "below the last one"
        )
    return d
