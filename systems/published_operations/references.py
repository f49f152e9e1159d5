"""What is right of each operation, in float64, with the scale that an error is relative to.

u = 2^-24 is the unit roundoff of F32. Errors are counted in u: a scale is what the error of a kernel is at most, over
u, to first order; the declared relative error is 2u, so that as much again is left for the second order. Of n terms in
any order a sum errs by (n - 1) u times the sum of their magnitudes (docs/explanation/numerics.md section 2c). expf and tanhf err
by 2 ulp at most, rsqrtf and division as well (CUDA C++ Programming Guide, mathematical functions), and 1 ulp is at
most 2u.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

_FAR = 2.0**60  #: squares of more may overflow in F32
_LEAST = 2.0**-125  #: over u: what a subnormal result may err by is half of 2^-149
EPSILON = np.float64(np.float32(1e-5))  #: of llm.c's layernorm


def softmax(x):
    """exp(x - m) / sum: |x - m| u of the difference, 4u of exp, n u of the sum of positive terms, each of which errs so
    too, but weighted by itself: |d| exp(d) is at most 1/e."""
    return _softmax(x, 1)


def online_softmax(x):
    """The same where the sum is scaled anew for each larger maximum: up to n factors, whose exponents add up to |d|."""
    return _softmax(x, 6)


def _softmax(x, factors):
    with np.errstate(all="ignore"):
        below = x - x.max(axis=1, keepdims=True)
        y = np.exp(below) / np.exp(below).sum(axis=1, keepdims=True)
        return y, np.where(y == 0, 0, y * (2 * np.abs(below) + factors * x.shape[1] + 16))


def _but(is_unsaid, value, scale):
    """Value and scale, where elements that may be anything are 0 with an infinite scale."""
    return np.where(is_unsaid, 0, value), np.where(is_unsaid, np.inf, scale)


def layernorm(x, weight, bias):
    """y = (x - mean) rstd weight + bias, with mean and rstd."""
    with np.errstate(all="ignore"):
        n = x.shape[1]
        mean = x.mean(axis=1)
        away = np.abs(x - mean[:, None])
        var = (away**2).mean(axis=1)
        rstd = 1 / np.sqrt(var + EPSILON)
        u = 2.0**-24
        off = (n + 2) * np.abs(x).mean(axis=1) + _LEAST  # of the mean
        # Of sums of squares of differences: their own roundings, and those of the mean, to first and second order.
        wide = (n + 8) * var + 2 * off * away.mean(axis=1) + off**2 * u
        root = 0.5 * wide / (var + EPSILON) + 6
        y = (x - mean[:, None]) * rstd[:, None] * weight + bias
        scaled = np.abs(weight) * rstd[:, None]
        scale = (
            scaled * (off[:, None] + away * (root[:, None] + 8)) + np.abs(weight) * _LEAST + np.abs(bias) + np.abs(y)
        )
        finite = np.isfinite(x)
        is_far = np.abs(np.where(finite, x, 0)).max(axis=1) >= _FAR
        unsaid = is_far | (finite.all(axis=1) & ~(root * u < 2.0**-3))
        # An infinite weight times a difference that may round to zero.
        y, scale = _but(np.isinf(weight) | unsaid[:, None], y, scale)
        (mean, off), (rstd, root) = _but(unsaid, mean, off), _but(unsaid, rstd, rstd * root)
        return y, mean, rstd, scale, off, root


def gelu(x):
    """x / 2 (1 + tanh(s (x + 0.044715 x^3))): the argument errs by 8u of itself, which tanh's slope makes less than 4u,
    tanh by 4u of 1, the sum with 1 by 2u, and x scales all of it."""
    with np.errstate(all="ignore"):
        s = np.float64(np.float32(np.sqrt(2 / np.pi)))
        y = 0.5 * x * (1 + np.tanh(s * (x + np.float64(np.float32(0.044715)) * x**3)))
        return y, 12 * np.abs(x) + np.abs(y)


def bfloat16(numbers):
    """What is left of numbers that are held in F32 and then in BF16."""
    return numbers.astype(np.float32).astype(ml_dtypes.bfloat16).astype(np.float64)


def residual(a, b):
    """The sum in F32, stored in BF16."""
    with np.errstate(all="ignore"):
        return bfloat16(a + b)


def fused_residual(a, b, weight, bias):
    """The sum in F32, stored in BF16, and layernorm() of what was stored."""
    with np.errstate(all="ignore"):
        total = bfloat16(a + b)
        y, mean, rstd, *scales = layernorm(total, weight, bias)
        return total, y, mean, rstd, *scales


def transpose(x):
    """Rows as columns."""
    return x.T


def histogram_256(at):
    """How often each of 256 numbers is there."""
    return np.bincount(at, minlength=256)


def histogram_64(at):
    """The same of 64."""
    return np.bincount(at, minlength=64)
