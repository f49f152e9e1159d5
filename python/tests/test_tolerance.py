"""Every two permitted results are within the tolerance, and some two are not within a smaller one."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import negzero
import numpy as np
import pytest
from support import FRAMEWORKS, framework, put, small

X = np.random.default_rng(3).standard_normal((6, 40)).astype(np.float32)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("operation", ["reduce.sum", "reduce.mean", "scan.inclusive"])
def test_the_ends_of_the_sets_are_close_by_it_and_by_no_less(operation: str, dtype: Any) -> None:
    x = X.astype(dtype)
    given = negzero.tolerance(operation, x=x)
    permitted = negzero.permitted(operation, x=x)["y"]
    low, high = permitted.low, permitted.high
    for a, b in ((low, high), (high, low)):
        np.testing.assert_allclose(a.astype(np.float64), b.astype(np.float64), rtol=0, atol=given.atol)
    if given.atol:
        less = np.nextafter(given.atol, 0)
        assert not np.allclose(low.astype(np.float64), high.astype(np.float64), rtol=0, atol=less)
    assert given.covered == low.size and given.mixed == given.vacuous == 0
    assert (given.distances["y"] >= high.astype(np.float64) - low.astype(np.float64)).all()


def test_it_is_of_each_element_in_the_callers_shape() -> None:
    given = negzero.tolerance(np.sum, X, axis=0)
    permitted = negzero.permitted(np.sum, X, axis=0)["y"]
    assert given.distances["y"].shape == (40,)
    exact = permitted.high.astype(np.float64) - permitted.low.astype(np.float64)  # F32 numbers of like size
    assert (given.distances["y"] == exact).all() and given.atol == exact.max() > 0


def test_what_float64_rounds_off_is_rounded_up() -> None:
    """1 - (-2^-60) is no float64: the tolerance is the next one above 1."""
    sets = negzero.PermittedSet(np.float64([-(2.0**-60)]), np.float64([1.0]), *[np.array([True])] * 8)
    from negzero._tolerance import _distance

    assert _distance(sets)[0] == np.nextafter(1.0, 2)
    assert _distance(negzero.PermittedSet(np.float64([2.0**-60]), np.float64([1.0]), *[np.array([True])] * 8))[0] == 1
    assert _distance(negzero.PermittedSet(np.float64([0.25]), np.float64([1.0]), *[np.array([True])] * 8))[0] == 0.75


def test_exact_sums_need_none() -> None:
    given = negzero.tolerance("gemm", a=small((3, 4)), b=small((4, 2)), out_dtype=np.float32)
    assert given.atol == 0 and given.covered == 6 and not given.zeros_pass
    assert given.line == "numpy.testing.assert_allclose(observed, expected, rtol=0, atol=0.0)"


def test_nan_and_infinity_alone_are_covered_and_beside_numbers_are_not() -> None:
    x = np.float16([[np.nan, 1], [np.inf, 1], [1, 2], [60000, 60000]])
    given = negzero.tolerance("reduce.sum", x=x, contract={"accumulate": "F16"})
    assert given.covered == 4 and given.mixed == given.vacuous == 0 and given.atol == 0
    wide = negzero.tolerance("reduce.sum", x=x, contract={"accumulate": "F16", "overflow": "either"})
    assert wide.mixed == 2 and wide.covered == 2 and list(np.isnan(wide.distances["y"])) == [False, True, False, True]
    assert "not covered: 2 elements, of which NaN or infinities are permitted beside numbers" in wide.text
    assert not wide.zeros_pass  # a NaN is not close to a zero


def test_vacuous_sets_are_told_and_not_counted() -> None:
    x = np.float16(np.random.default_rng(0).standard_normal((1, 200)))
    x = np.concatenate([x, np.zeros_like(x)])
    given = negzero.tolerance("reduce.sum", x=x, contract={"accumulate": "BF16", "wider": False})
    assert given.vacuous == 1 and given.covered == 1 and given.atol == 0
    assert "not covered: 1 element, whose sets are too wide to reject garbage" in given.text
    with pytest.raises(ValueError, match="^reduce.sum: no atol covers an element .*vacuous sets: 1 element"):
        negzero.tolerance("reduce.sum", x=x[:1], contract={"accumulate": "BF16", "wider": False})


def test_zeros_may_pass_a_wide_one() -> None:
    """The sums of terms that cancel are as small as the tolerance that the other element needs."""
    x = np.float32([[1e6] * 20 + [3, 7] * 100, [1e-3] * 220])
    x[0, 10:20] *= -1
    x[0, 20:] = 1e-3
    given = negzero.tolerance("reduce.sum", x=x)
    assert given.zeros_pass and given.atol > 0.22
    assert "an output of zeros may pass" in str(given)
    assert negzero.judge(np.zeros(2, np.float32), "reduce.sum", x=x).verdict == "fail"


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_arrays_of_every_framework(name: str) -> None:
    framework(name)
    assert negzero.tolerance("reduce.sum", x=put(name, X)).atol == negzero.tolerance("reduce.sum", x=X).atol


def test_a_case_is_as_good_as_its_operands() -> None:
    case = negzero.case("reduce.sum", x=X)
    assert negzero.tolerance(case).atol == negzero.tolerance("reduce.sum", x=X).atol
    assert negzero.tolerance("reduce.sum", x=X, contract={"accumulate": "F16", "wider": False}).atol > 0.01


def test_places_have_no_tolerance() -> None:
    with pytest.raises(ValueError, match="^reduce.argmax gives places"):
        negzero.tolerance("reduce.argmax", x=X)
    assert [*negzero.tolerance("reduce.max_index", x=X).distances] == ["y"]


@pytest.mark.parametrize("operands", [{"x": X[:0]}, {"x": np.ones((3, 0), np.float32), "contract": "f32"}])
def test_nothing_to_cover_is_an_error_or_exact(operands: "dict[str, Any]") -> None:
    if len(operands["x"]):
        assert negzero.tolerance("reduce.sum", **operands).atol == 0
    else:
        with pytest.raises(ValueError, match="no atol covers an element"):
            negzero.tolerance("reduce.sum", **operands)


def test_what_is_wrong_with_operands_is_said_as_elsewhere() -> None:
    with pytest.raises(ValueError, match="^operation: 'gem' is none"):
        negzero.tolerance("gem", x=X)
    with pytest.raises(ValueError, match="^b is missing"):
        negzero.tolerance("gemm", a=X)
