"""Integers below 32 bits and truth values in functions over lines of one's own."""

from __future__ import annotations

import numpy as np
import pytest

import negzero

WIDEN = "widen: y[rows, columns] <- codes[rows, columns], zero[rows], mask[rows, columns]"
ABOVE = "above: y[rows, columns], n[rows] <- x[rows, columns], least"


def widened(codes, zero, mask):
    assert codes.dtype == np.uint8 and mask.dtype == np.bool_
    return np.where(mask, codes.astype(np.float64) - zero[:, None].astype(np.float64), 0)


def counted(x, least):
    return x > least, (x > least).sum(axis=1)


def check(fn, line, reference, formats, **given):
    return negzero.check(fn, line, reference=reference, error={"ulps": 0}, formats=formats, cases=200, **given)


def test_inputs_keep_their_types():
    formats = ("U8", "U8", "BOOL", "F32")
    check(lambda codes, zero, mask: widened(codes, zero, mask).astype(np.float32), WIDEN, widened, formats)
    # Bytes wrap where the difference is taken in their own type.
    wraps = lambda codes, zero, mask: np.where(mask, codes - zero[:, None], 0).astype(np.float32)  # noqa: E731
    with pytest.raises(negzero.Counterexample) as found:
        check(wraps, WIDEN, widened, formats)
    text = str(found.value)
    assert "mask = np.array([[True]], np.bool_)" in text and "np.uint8)" in text


@pytest.mark.parametrize("name", ["I8", "I16", "U8", "U16", "U32", "I32", "I64"])
def test_every_width_goes_through(name):
    check(lambda x: x.copy(), "copy: y[n] <- x[n]", lambda x: x, (name, name))
    dtype = np.dtype({"I": "int", "U": "uint"}[name[0]] + name[1:])
    seen = []
    with pytest.raises(negzero.Counterexample):
        check(lambda x: seen.append(x) or np.minimum(x, np.iinfo(dtype).max - 1), "copy: y[n] <- x[n]", lambda x: x,
              (name, name))  # fmt: skip
    assert all(each.dtype == dtype for each in seen)


def test_a_reference_wraps_by_a_word():
    line, formats, save = "triple: y[n] <- x[n]", ("I32", "I32"), {"save_to": None, "cases": 100}
    three = lambda x: x * np.int32(3)  # noqa: E731
    right = lambda x: x.astype(np.int64) * 3  # noqa: E731
    negzero.check(three, line, reference=right, error={"wraps": True}, formats=formats, **save)
    with pytest.raises(RuntimeError, match=r"beyond int32.*error=\{'y': \{'wraps': True\}\} takes them modulo 2\^32"):
        negzero.check(three, line, reference=right, error=0, formats=formats, **save)
    clamps = lambda x: np.clip(right(x), -(2**31), 2**31 - 1).astype(np.int32)  # noqa: E731
    with pytest.raises(negzero.Counterexample, match="y gave 2147483647"):
        negzero.check(clamps, line, reference=right, error={"y": {"wraps": True}}, formats=formats, **save)
    with pytest.raises(ValueError, match="y has wraps 1; give True or False"):
        negzero.check(three, line, reference=right, error={"y": {"wraps": 1}}, formats=formats, **save)


def test_products_are_exact_and_wrap():
    rng = np.random.default_rng(1)
    a, b = rng.integers(-128, 128, (3, 5)).astype(np.int8), rng.integers(-128, 128, (5, 4)).astype(np.int8)
    d = a.astype(np.int32) @ b.astype(np.int32)
    negzero.assert_permitted(d, "torch._int_mm", a, b)
    assert negzero.judge(2 * d - d, "gemm", a=a, b=b, alpha=2, beta=-1, c=d).permitted
    unsigned = a.view(np.uint8)
    assert negzero.judge(unsigned.astype(np.int32) @ b.astype(np.int32), "gemm", a=unsigned, b=b).permitted
    with pytest.raises(negzero.NotPermitted, match=r"(?s)1 ulp too high.*exact modulo 2\^32"):
        negzero.assert_permitted(d + np.eye(3, 4, dtype=np.int32), "torch._int_mm", a, b)
    with pytest.raises(TypeError, match="alpha: a float; alpha is a whole number"):
        negzero.judge(d, "gemm", a=a, b=b, alpha=0.5)
    with pytest.raises(TypeError, match="input is int32 of 2 dimensions, and torch._int_mm takes int8 of 2"):
        negzero.judge(d, "torch._int_mm", d, d)
    negzero.check(lambda a, b: a.astype(np.int32) @ b.astype(np.int32), "gemm", formats=("U8", "I8", "I32"), cases=100)
    with pytest.raises(negzero.Counterexample):  # Sums of 16 bits.
        negzero.check(lambda a, b: (a.astype(np.int16) @ b.astype(np.int16)).astype(np.int32), "gemm",
                      formats=("U8", "I8", "I32"), cases=100)  # fmt: skip


def test_outputs_of_truth_values_and_counts():
    formats = ("F32", "BOOL", "U16")
    check(lambda x, least: counted(x, least), ABOVE, counted, formats)
    with pytest.raises(negzero.Counterexample, match="y gave 1 .0x01., the reference counted 0"):
        check(lambda x, least: (x >= least, counted(x, least)[1]), ABOVE, counted, formats)
    with pytest.raises(negzero.Counterexample, match="returned y in int8, and the formats make it bool"):
        check(lambda x, least: (counted(x, least)[0].astype(np.int8), counted(x, least)[1]), ABOVE, counted, formats)


def test_a_byte_that_is_no_truth_value_is_a_finding():
    def fn(x, y):
        y.view(np.uint8)[...] = np.where(x, 2, 0)

    with pytest.raises(negzero.Counterexample, match="y holds bytes of BOOL, 0 to 0x01; it gave 0x02"):
        check(fn, "same: y[n] <- x[n]", lambda x: x, ("BOOL", "BOOL"))


def test_shipped_operations_have_none_of_them():
    with pytest.raises((TypeError, ValueError), match="U8"):
        negzero.check(lambda x: x.sum(axis=1), "reduce.sum", formats=("U8", "U8"))
