"""Five lines with relations as functions of NumPy: each right one is clean, and each planted fault is found.

    python test_line_functions.py [CASES] [SEEDS]        the long run: right ones at one seed, wrong ones at each
"""

from __future__ import annotations

import sys

import negzero
import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

F32_SUM = {"ulps": 1, "relative": 1.2e-7}

# Convolution with stride and padding. The fault pads on the left alone.

CONV = "conv1d: y[rows, o] <- x[rows, n], w[k] with o = (n + 2 * pad - k) / stride + 1, k <= n + 2 * pad"


def _windows(x, size, stride, left, right):
    padded = np.pad(x, ((0, 0), (left, right)))
    return sliding_window_view(padded, size, axis=1)[:, ::stride]


def conv1d(x, w, stride, pad):
    return (_windows(x, w.size, stride, pad, pad) * w).sum(-1, dtype=x.dtype)


def conv1d_left(x, w, stride, pad):
    return (_windows(x, w.size, stride, 2 * pad, 0) * w).sum(-1, dtype=x.dtype)


def conv1d_right(x, w, stride, pad):
    rows, n = x.shape
    o = (n + 2 * pad - w.size) // stride + 1
    y, scale = np.zeros((rows, o)), np.zeros((rows, o))
    for i in range(o):
        for j in range(w.size):
            at = i * stride - pad + j
            if 0 <= at < n:
                y[:, i] += x[:, at] * w[j]
                scale[:, i] += np.abs(x[:, at] * w[j])
    return y, scale * (w.size + 4)


# Max pooling. What is padded is no part of a window; the fault takes it for zeros. NaN is no part of one either, as for
# fmaxf. (np.fmax.reduce does not do: where it meets a signalling NaN it forgets the numbers before it.)

POOL = (
    "max_pool: y[b, c, oh, ow] <- x[b, c, h, w] with oh = (h + 2 * pad - size) / stride + 1, "
    "ow = (w + 2 * pad - size) / stride + 1, size <= min(h, w) + 2 * pad, pad <= size / 2"
)


def _max_pool(x, size, stride, pad, padding):
    numbers = np.where(np.isnan(x), x.dtype.type(-np.inf), x)
    padded = np.pad(numbers, ((0, 0), (0, 0), (pad, pad), (pad, pad)), constant_values=padding)
    windows = sliding_window_view(padded, (size, size), axis=(2, 3))[:, :, ::stride, ::stride]
    return windows.max(axis=(-2, -1), initial=-np.inf)


def max_pool(x, size, stride, pad):
    return _max_pool(x, size, stride, pad, -np.inf)


def max_pool_of_zeros(x, size, stride, pad):
    return _max_pool(x, size, stride, pad, 0)


def max_pool_right(x, size, stride, pad):
    b, c, h, w = x.shape
    oh, ow = ((extent + 2 * pad - size) // stride + 1 for extent in (h, w))
    y = np.full((b, c, oh, ow), -np.inf)
    for i in range(oh):
        for j in range(ow):
            top, left = i * stride - pad, j * stride - pad
            window = x[:, :, max(top, 0) : max(top + size, 0), max(left, 0) : max(left + size, 0)]
            y[:, :, i, j] = np.fmax.reduce(window, axis=(2, 3), initial=-np.inf)
    return y


# Top-k of either end, of equal values the first. The fault sorts upwards and turns the order, so that the last comes.

TOPK = "topk: best[rows, k], at[rows, k] < n <- x[rows, n], largest bool with k <= n"


def _best(x, order, k):
    at = order[:, :k]
    return np.take_along_axis(x, at, axis=1), at.astype(np.int32)


def topk(x, k, largest):
    return _best(x, np.argsort(-x if largest else x, axis=1, kind="stable"), k)


def topk_turned(x, k, largest):
    order = np.argsort(x, axis=1, kind="stable")
    return _best(x, order[:, ::-1] if largest else order, k)


def topk_right(x, k, largest):
    sign = -1 if largest else 1
    rows = [sorted(range(x.shape[1]), key=lambda i: (sign * row[i], i)) for row in x]
    at = np.array(rows, np.int32).reshape(x.shape)[:, :k]
    return np.take_along_axis(x, at, axis=1), at


# Rotary embedding of halves. The fault rotates neighbours.

ROPE = (
    "rope: y[tokens, heads, dim] <- x[tokens, heads, dim], c[tokens, dim / 2], s[tokens, dim / 2] each tokens "
    "with dim % 2 = 0"
)


def rope(x, c, s):
    a, b = np.split(x, 2, axis=2)
    c, s = c[:, None], s[:, None]
    return np.concatenate([a * c - b * s, b * c + a * s], axis=2)


def rope_of_neighbours(x, c, s):
    a, b = x[:, :, 0::2], x[:, :, 1::2]
    c, s = c[:, None], s[:, None]
    return np.stack([a * c - b * s, b * c + a * s], axis=3).reshape(x.shape)


def rope_right(x, c, s):
    tokens, heads, dim = x.shape
    y, scale = np.zeros(x.shape), np.zeros(x.shape)
    for j in range(dim):
        half, sign = j % (dim // 2), -1 if j < dim // 2 else 1
        own = x[:, :, j] * c[:, half, None]
        other = x[:, :, (j + dim // 2) % dim] * s[:, half, None]
        y[:, :, j] = own + sign * other
        scale[:, :, j] = 4 * (np.abs(own) + np.abs(other))
    return y, scale


# A histogram over ascending edges; in the last bin lies its right edge, too. The fault leaves that out.

HISTOGRAM = "histogram: counts[bins] <- x[n], edges[bins + 1]"


def histogram(x, edges):
    return np.histogram(x, edges)[0].astype(np.int32)


def histogram_open(x, edges, bins):
    place = np.searchsorted(edges, x, side="right") - 1
    return np.bincount(place[(place >= 0) & (place < bins)], minlength=bins).astype(np.int32)


def histogram_right(x, edges):
    inside = (x[:, None] >= edges[:-1]) & (x[:, None] < edges[1:])
    if edges.size > 1:
        inside[:, -1] |= (x >= edges[-2]) & (x == edges[-1])
    return inside.sum(0).astype(np.int32)


LARGE = (-1e4, 1e4)
#: A line, its right function, one with a fault, the reference, and what check() is told.
LINES = {
    "conv1d": (CONV, conv1d, conv1d_left, conv1d_right, {"values": {"x": LARGE, "w": LARGE}, "error": F32_SUM}),
    "max_pool": (
        POOL, max_pool, max_pool_of_zeros, max_pool_right,
        {"limits": {name: {"least": 1} for name in ("h", "w", "size")}, "error": 0},
    ),
    "topk": (
        TOPK, topk, topk_turned, topk_right, {"limits": {"n": (0, 1024)}, "values": {"x": LARGE}, "error": 0}
    ),
    "rope": (
        ROPE, rope, rope_of_neighbours, rope_right,
        {"values": {"x": LARGE, "c": (-1, 1), "s": (-1, 1)}, "error": F32_SUM},
    ),
    "histogram": (
        HISTOGRAM, histogram, histogram_open, histogram_right,
        {
            "formats": ("F32", "F32", "I32"), "values": {"x": LARGE, "edges": LARGE}, "error": 0,
            "prepare": lambda edges: np.sort(edges),
        },
    ),
}  # fmt: skip


def check(name, function, cases=300, seed=1):
    line, _, _, reference, options = LINES[name]
    return negzero.check(
        function, line, reference=reference, cases=cases, seed=seed, save_to=None, shrink_seconds=0.0, **options
    )


@pytest.mark.parametrize("name", LINES)
def test_right_functions_are_clean(name):
    checked = check(name, LINES[name][1])
    assert checked.passed > 250, checked


@pytest.mark.parametrize("name", LINES)
def test_each_fault_is_found(name):
    with pytest.raises(negzero.Counterexample):
        check(name, LINES[name][2])


def main(cases=10_000, seeds=10):
    for name, (_, right, wrong, _, _) in LINES.items():
        print(name, check(name, right, cases), flush=True)
        found = 0
        for seed in range(1, seeds + 1):
            try:
                check(name, wrong, 300, seed)
            except negzero.Counterexample:
                found += 1
        print(f"{name}: {wrong.__name__} is found at {found} seeds of {seeds}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
