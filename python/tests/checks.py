"""What the tests of check() share: a counterexample that must come, and right functions."""

from __future__ import annotations

import negzero
import numpy as np
import pytest

np.seterr(all="ignore")


def found(fn, operation="gemm", **options):
    """Returns the counterexample that a check raises."""
    with pytest.raises(negzero.Counterexample) as caught:
        negzero.check(fn, operation, **options)
    return caught.value


def inputs_of(case):
    from negzero import _safetensors

    return _safetensors.read(case.data, "the case")[0]


def right(a, b):
    return a @ b


def right_out(a, b, d):
    d[...] = a @ b


def in_order(a, b):
    """Adds the products in the order of k, whatever surrounds them."""
    total = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for k in range(a.shape[1]):
        total = total + a[:, k : k + 1] * b[k : k + 1]
    return total


def last_first(a, b):
    """The same in the other order."""
    return in_order(a[:, ::-1], b[::-1])
