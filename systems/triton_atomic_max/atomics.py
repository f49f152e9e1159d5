"""Atomic max and min of floats: those of the installed Triton, and the algorithm that Triton had before its PR 6431.

Each takes x, index and out, as `scatter.max` and `scatter.min` do, and updates out[index[i]] by x[i]. In NumPy,
`extreme_by_value` is that algorithm for machines without a GPU.
"""

from __future__ import annotations

import numpy as np

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

BLOCK = 256

if triton is not None:

    @triton.jit
    def extreme_kernel(x, index, out, count, LEAST: tl.constexpr, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        inside = at < count
        place = tl.load(index + at, inside)
        value = tl.load(x + at, inside)
        if LEAST:
            tl.atomic_min(out + place, value, inside)
        else:
            tl.atomic_max(out + place, value, inside)

    @triton.jit
    def max_by_value_kernel(x, index, out, count, BLOCK: tl.constexpr):
        # Bits of numbers that are not negative are ordered as signed integers, those of negative ones the other way
        # round as unsigned integers. What is wrong is the test: -0.0 >= 0, and its sign bit is set.
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        inside = at < count
        place = tl.load(index + at, inside)
        value = tl.load(x + at, inside)
        as_signed = (out + place).to(tl.pointer_type(tl.int32))
        as_unsigned = (out + place).to(tl.pointer_type(tl.uint32))
        tl.atomic_max(as_signed, value.to(tl.int32, bitcast=True), inside & (value >= 0))
        tl.atomic_min(as_unsigned, value.to(tl.uint32, bitcast=True), inside & (value < 0))


def launch(kernel, x, index, out, **options):
    """Launches one of the kernels. Tensors are packed."""
    if x.numel():
        kernel[(triton.cdiv(x.numel(), BLOCK),)](x, index, out, x.numel(), **options, BLOCK=BLOCK)


def atomic_max(x, index, out):
    """Triton's own tl.atomic_max."""
    launch(extreme_kernel, x, index, out, LEAST=False)


def atomic_min(x, index, out):
    """Triton's own tl.atomic_min."""
    launch(extreme_kernel, x, index, out, LEAST=True)


def max_by_value(x, index, out):
    """The algorithm before, on a GPU."""
    launch(max_by_value_kernel, x, index, out)


def extreme_by_value(x, index, out, *, least=False):
    """The algorithm before, one update after the other; `least`: of the minimum."""
    signed, unsigned = out.view(np.int32), out.view(np.uint32)
    as_signed, as_unsigned = (min, max) if least else (max, min)
    for value, place in zip(x, index):
        if value >= 0:
            signed[place] = as_signed(signed[place], value.view(np.int32))
        elif value < 0:
            unsigned[place] = as_unsigned(unsigned[place], value.view(np.uint32))
