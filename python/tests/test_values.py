"""check(): ranges of values, and inputs that a function prepares."""

from __future__ import annotations

import math

import negzero
import numpy as np
import pytest

from checks import found, inputs_of

LINE = "norm: y[rows, n] <- x[rows, n], w[n] each rows"


def norm(x, w):
    """RMS norm in F32, epsilon inside of the root."""
    return (x / np.sqrt((x * x).mean(1, keepdims=True) + np.float32(1e-6)) * w).astype(np.float32)


def wrong_norm(x, w):
    """Epsilon outside of the root."""
    return (x / (np.sqrt((x * x).mean(1, keepdims=True)) + np.float32(1e-6)) * w).astype(np.float32)


def right_norm(x, w):
    y = x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-6) * w
    return y, abs(y) * (x.shape[1] + 8)


NORM = {
    "reference": right_norm,
    "error": {"ulps": 1, "relative": 2**-23},
    "limits": {"n": (1, 64), "rows": (1, 8)},
    "save_to": None,
}


def test_a_right_norm_passes_where_its_values_are_said():
    checked = negzero.check(norm, LINE, values={"x": (-1e4, 1e4), "w": (-1e4, 1e4)}, cases=1000, **NORM)
    assert checked.undecided < 50
    with pytest.raises(negzero.Counterexample):
        negzero.check(norm, LINE, finite=True, **NORM)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_wrong_norm_fails_there_too(seed):
    with pytest.raises(negzero.Counterexample) as raised:
        negzero.check(wrong_norm, LINE, values={"x": (-1e4, 1e4), "w": (-1e4, 1e4)}, seed=seed, **NORM)
    assert all(np.abs(array).max() <= 1e4 for array in inputs_of(raised.value.case).values())


def seen_by(operation, values, names, cases=200, **options):
    """Returns the words of inputs that a check of a function that does nothing draws."""
    seen = {name: [] for name in names}

    def fn(**inputs):
        for name in names:
            seen[name].append(np.array(inputs[name]).ravel())
        return np.zeros(inputs[names[0]].shape, np.float32)

    signature = ", ".join(names)
    function = eval(f"lambda {signature}: fn({', '.join(f'{name}={name}' for name in names)})", {"fn": fn})
    negzero.check(
        function, operation, values=values, cases=cases, allow_not_judged=True, save_to=None, limits={"n": (1, 50)},
        **options,
    )  # fmt: skip
    return {name: np.concatenate(arrays) for name, arrays in seen.items()}


def test_values_lie_in_their_ranges_and_reach_the_ends():
    values = {
        "x": (-3, 5),
        "p": (0, None),
        "q": {"least": -8, "greatest": 7},
        "z": {"greatest": 1, "inf": "negative", "nan": True},
    }
    seen = seen_by(
        "own: y[n] <- x[n], p[n], q[n], z[n]", values, ["x", "p", "q", "z"], formats=("F32", "F32", "I32", "F32", "F32")
    )
    assert seen["x"].min() == -3 and seen["x"].max() == 5
    assert seen["p"].min() == 0 and np.isfinite(seen["p"]).all() and seen["p"].max() == np.finfo(np.float32).max
    assert np.signbit(seen["p"][seen["p"] == 0]).any(), "-0 is a value where 0 is"
    assert set(seen["q"]) == set(range(-8, 8))
    assert np.isnan(seen["z"]).any() and (seen["z"] == -math.inf).any() and not (seen["z"] == math.inf).any()


def test_a_scalar_has_its_limit_so():
    seen = []

    def fn(x, t):
        seen.append(t)
        return x

    negzero.check(fn, "own: y[n] <- x[n], t", values={"t": (1, 2)}, cases=50, allow_not_judged=True, save_to=None)
    assert min(seen) >= 1 and max(seen) <= 2


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "values: a list; give a dict"),
        ({"y": (0, 1)}, "values: 'y' is no input of own; give some of x, t"),
        ({"x": 1}, "values: x is 1; give (least, greatest)"),
        ({"x": (1, 0)}, "values: x is (1, 0); give the least first"),
        ({"x": ("a", 1)}, "values: x has least='a'; give a number"),
        ({"x": (math.nan, 1)}, "values: x has least=nan; give a number"),
        ({"x": {"low": 1}}, "give (least, greatest), with None for no end"),
        ({"x": {"inf": "both"}}, "values: x has inf='both'; give True, False, 'positive' or 'negative'"),
        ({"x": {"nan": "yes"}}, "values: x has nan='yes'; give True or False"),
        ({"x": (1e39, None)}, "no F32 of x is at least 1e+39"),
        ({"x": (math.inf, None)}, "values: x is (inf, None), without a number"),
        ({"x": (10**400, None)}, "give a number that a float holds"),
        ({"t": (0.1, 0.2)}, "limits: t has a range in values already"),
    ],
)
def test_what_is_no_range_is_told(values, message):
    with pytest.raises((TypeError, ValueError)) as raised:
        negzero.check(lambda x, t: x, "own: y[n] <- x[n], t", values=values, limits={"t": (0, 1)}, save_to=None)
    assert message in str(raised.value)


def test_values_of_an_operation_that_ships():
    def fn(a, b):
        assert np.abs(a).max(initial=0) <= 2 and np.isfinite(b).all()
        return a @ b

    negzero.check(fn, "gemm", values={"a": (-2, 2), "b": (None, None)}, cases=100, save_to=None)
    with pytest.raises(ValueError, match="values: 'd' is no input of gemm"):
        negzero.check(fn, "gemm", values={"d": (-2, 2)})


def test_a_case_from_before_is_dropped_where_its_values_are_none_now(tmp_path):
    def fn(x):
        return np.where(np.abs(x) > 1e20, 0, x).astype(np.float32)

    def check(**options):
        negzero.check(fn, "own: y[n] <- x[n]", reference=lambda x: x, error=0, finite=True, save_to=tmp_path, **options)

    with pytest.raises(negzero.Counterexample):
        check()
    with pytest.warns(UserWarning, match="is dropped: its x holds .*, outside of the values now"):
        check(values={"x": (-1e4, 1e4)})


# prepare=


def test_prepared_inputs_are_what_function_and_reference_see():
    def order(lo, hi):
        return np.minimum(lo, hi), np.maximum(lo, hi)

    def clamp(x, lo, hi):
        assert (lo <= hi).all()
        return np.minimum(np.maximum(x, lo), hi)

    def right(x, lo, hi):
        assert (lo <= hi).all()
        return np.minimum(np.maximum(x, lo), hi)

    line = "clamp: y[n] <- x[n], lo[n], hi[n]"
    everything = {name: (None, None) for name in ("x", "lo", "hi")}
    options = {"reference": right, "error": 0, "values": everything, "prepare": order}
    negzero.check(clamp, line, cases=200, **options)


def test_what_is_prepared_stays_so_where_inputs_share_memory():
    line = "pick: y[rows] <- x[rows, n], lengths[rows] <= n, at[rows] < n each rows"

    def within(lengths, at):
        return {"at": np.minimum(at, np.maximum(lengths - 1, 0))}

    def pick(x, lengths, at):
        assert (at <= np.maximum(lengths - 1, 0)).all(), "a place behind the end"
        return np.where(lengths > 0, x[np.arange(len(at)), at], 0).astype(np.float32)

    def right(x, lengths, at):
        return np.where(lengths > 0, x[np.arange(len(at)), at], 0)

    options = {"reference": right, "error": 0, "limits": {"n": (1, 20), "rows": (1, 20)}, "save_to": None}
    for seed in (1, 2, 3):
        negzero.check(pick, line, prepare=within, values={"x": (None, None)}, seed=seed, **options)


def test_smaller_cases_are_prepared_and_the_case_file_holds_what_came_of_it():
    calls = []

    def ascending(x):
        calls.append(1)
        x.sort()  # in place

    def fn(x):
        assert (np.diff(x) >= 0).all(), "not sorted"
        return (x + (x.size >= 3)).astype(np.float32)

    def check():
        return found(
            fn, operation="own: y[n] <- x[n]", prepare=ascending, reference=lambda x: x, error=0,
            values={"x": (-4, 4)}, contract={"determinism": "run_to_run", "position_invariant": True},
        )  # fmt: skip

    example = check()
    assert example.report["rule"] == "reference.error"
    (x,) = inputs_of(example.case).values()
    assert x.size == 3 and (np.diff(x) >= 0).all()
    calls.clear()
    again = check()
    assert not calls or again.path == example.path, "the case that failed is taken as it is"


@pytest.mark.parametrize(
    ("prepare", "error", "message"),
    [
        (3, TypeError, "prepare: a int cannot be called"),
        (lambda z: z, TypeError, "takes z; name its parameters as own does: x, i"),
        (lambda: 0, TypeError, "takes no input of own"),
        (lambda x: x[:-1], RuntimeError, "it returned x of shape"),
        (lambda x: (x, x), RuntimeError, "it returned 2 arrays; return x"),
        (lambda x: {"w": x}, RuntimeError, "it returned 'w'; return some of x"),
        (lambda i: i * 0.5, RuntimeError, "it returned i in float64, and the case has int32"),
        (lambda x: 1 / 0, RuntimeError, "ZeroDivisionError"),
        (lambda i: i + 1000, ValueError, "prepare: "),
        (lambda x: x * 0 + 9, ValueError, "x[0] = 9 is not from -1 to 1, as its values are declared"),
    ],
)
def test_what_prepares_no_case_is_told(prepare, error, message):
    with pytest.raises(error) as raised:
        negzero.check(
            lambda x, i: x, "own: y[n] <- x[n], i[n] < m, w[m]".replace(", w[m]", ""), prepare=prepare,
            values={"x": (-1, 1)}, limits={"n": (1, 9)}, allow_not_judged=True, save_to=None,
        )  # fmt: skip
    assert message in str(raised.value)
