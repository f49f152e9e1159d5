"""A function whose rows depend on each other's number or place is found; one whose rows do not passes."""

from __future__ import annotations

import pickle
from typing import Any, Callable

import negzero
import numpy as np
import pytest
from support import FLOATS, framework, put

FRAMEWORKS = pytest.mark.parametrize("name", ["numpy", "torch", "jax"])


def rows_of(count: int = 12, width: int = 37, dtype: Any = np.float32) -> np.ndarray:
    return np.random.default_rng(5).standard_normal((count, width)).astype(dtype)


def ascending(x: Any) -> Any:
    """Sums each row from the left, an addition of whole columns at a time: no row sees another."""
    total = x[:, 0]
    for k in range(1, x.shape[1]):
        total = total + x[:, k]
    return total


def by_rows(threshold: int) -> "Callable[[Any], Any]":
    """A sum that splits its columns in two where there are many rows, as a kernel for small batches does not."""

    def split(x: Any) -> Any:
        half = x.shape[1] // 2
        return ascending(x) if x.shape[0] < threshold else ascending(x[:, :half]) + ascending(x[:, half:])

    return split


def fails(fn: Any, rows: Any, **options: Any) -> negzero.NotInvariant:
    with pytest.raises(negzero.NotInvariant) as caught:
        negzero.assert_batch_invariant(fn, rows, **options)
    return caught.value


@FRAMEWORKS
@pytest.mark.parametrize("dtype", [np.float32, np.float16, FLOATS["BF16"]], ids=["F32", "F16", "BF16"])
def test_an_invariant_sum_passes(name: str, dtype: Any) -> None:
    done = negzero.assert_batch_invariant(ascending, put(name, rows_of(dtype=dtype)))
    assert done.counts == (1, 2, 17, 33, 128, 257, 1024) and len(done.rows) == 8 and done.of == 12
    assert done.differing == 0 and done.elements == 1 and done.compared > 7 * 8 * 3
    assert str(done).startswith("batch-invariant: every row kept its bits; "), str(done)


@FRAMEWORKS
def test_a_sum_that_splits_by_the_number_of_rows_is_found(name: str) -> None:
    framework(name)
    error = fails(by_rows(33), put(name, rows_of()))
    done = error.invariance
    assert done.differing_counts == (33, 128, 257, 1024) and set(done.differing_rows) <= set(done.rows)
    first = done.first.splitlines()
    row = int(first[0].split()[1])
    assert first[0].startswith(f"row {row} has other bits at place ") and row in done.differing_rows
    assert (
        first[0].endswith(" of M = 33 than alone (M = 1)") and first[2] == "    the same call again gave the same bits"
    )
    # The values of the text are those that the two ways give, with their bits.
    x = rows_of()[[row] * 33]
    for value in (by_rows(33)(x[:1])[0], by_rows(33)(x)[0]):
        assert f"{value!s} ({int(value.view(np.uint32)):#010x})" in first[1], (first[1], value)
    assert "at M = 33, 128, 257, 1024; " in str(error) and "of 8 of 12 rows compared" in str(error)


def test_a_single_other_number_of_rows_is_found() -> None:
    for count in (1, 2, 17, 33, 128, 257, 1024):
        error = fails(lambda x, count=count: ascending(x) * (3 if len(x) == count else 1), rows_of())
        # Where the first M differs from the others, all of those differ from it.
        assert error.invariance.differing_counts == ((count,) if count > 1 else (2, 17, 33, 128, 257, 1024))


@pytest.mark.parametrize("place", ["first", "last", "tail"])
def test_a_place_that_changes_bits_is_found(place: str) -> None:
    def fn(x: np.ndarray) -> np.ndarray:
        y, at = ascending(x), {"first": slice(0, 1), "last": slice(-1, None), "tail": slice(len(x) // 16 * 16, None)}
        if len(x) > 1:
            y[at[place]] += 1
        return y

    assert fails(fn, rows_of(), counts=(1, 17)).invariance.differing_counts == (17,)
    assert fails(fn, rows_of(), counts=(17,)).invariance.differing_counts == (17,)


def test_what_lies_in_other_rows_counts() -> None:
    error = fails(lambda x: ascending(x) + np.float32(1e-3) * x.max(), rows_of(40))
    assert error.invariance.of == 40 and len(error.invariance.rows) == 8


def test_the_first_element_that_differs_is_shown() -> None:
    def fn(x: np.ndarray) -> "tuple[np.ndarray, np.ndarray]":
        square = x[:, :6].reshape(-1, 2, 3) * 1
        square[:, 1, 2] += len(x) > 16
        return ascending(x), square

    error = fails(fn, rows_of())
    assert "    output 1 of it, element [1, 2]: " in str(error) and "; 1 of 7 elements differ" in str(error)


def test_zeros_have_signs_and_a_nan_is_any_nan() -> None:
    def payload(x: np.ndarray) -> np.ndarray:
        y = np.full(len(x), np.nan, np.float32)
        y.view(np.uint32)[:] |= len(x)
        return y

    assert negzero.assert_batch_invariant(payload, rows_of()).differing == 0
    error = fails(lambda x: np.full(len(x), -0.0 if len(x) > 16 else 0.0, np.float32), rows_of())
    assert "-0.0 (0x80000000) and 0.0 (0x00000000)" in str(error)
    error = fails(lambda x: np.full(len(x), np.nan if len(x) > 16 else 0.0, np.float32), rows_of())
    assert "nan (0x7fc00000) and " in str(error)


def test_memory_that_is_used_again_hides_nothing() -> None:
    buffer = np.zeros(1024, np.float32)

    def fn(x: np.ndarray) -> np.ndarray:
        buffer[: len(x)] = by_rows(33)(x)
        return buffer[: len(x)]

    assert fails(fn, rows_of()).invariance.differing_counts == (33, 128, 257, 1024)


def test_a_function_that_is_not_deterministic_is_told_apart() -> None:
    calls: "list[int]" = []

    def fn(x: np.ndarray) -> np.ndarray:
        calls.append(len(x))
        return ascending(x) + np.float32(len(calls))

    error = fails(fn, rows_of())
    assert "the same call again gave other bits: fn is not deterministic" in str(error)
    assert error.invariance.calls == len(calls)


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.bool_])
def test_rows_and_outputs_may_be_integers(dtype: Any) -> None:
    tokens = np.arange(36).reshape(12, 3).astype(dtype)
    assert negzero.assert_batch_invariant(lambda x: x * 1, tokens).elements == 3
    assert fails(lambda x: x if len(x) < 17 else x ^ np.ones((), dtype), tokens).invariance.differing


def test_one_row_is_enough_and_the_seed_decides() -> None:
    done = negzero.assert_batch_invariant(ascending, rows_of(1), counts=np.array([1, 5]))
    assert done.rows == (0,) and done.compared == 10 and done.calls == 3
    chosen = {
        negzero.assert_batch_invariant(ascending, rows_of(90), counts=(1, 2), seed=seed).rows for seed in (1, 1, 2)
    }
    assert len(chosen) == 2


def test_the_error_can_be_sent_to_another_process() -> None:
    error = fails(by_rows(2), rows_of())
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and again.invariance == error.invariance


class Shaped:
    """Has a shape, and names in the place of numbers, as tables have."""

    shape = (3, 4)

    def __getitem__(self, index: Any) -> Any:
        raise KeyError("no column of that name")


@pytest.mark.parametrize(
    ("kind", "says", "arguments"),
    [
        (ValueError, "rows: shape (0, 4) has no rows", {"rows": np.ones((0, 4))}),
        (ValueError, "rows: shape () has no rows", {"rows": np.float32(3)}),
        (TypeError, "rows: a list has no shape", {"rows": [[1.0]]}),
        (TypeError, "rows: a type has no shape", {"rows": np.ndarray}),
        (TypeError, "rows: this Shaped does not give rows for an array of integers (KeyError", {"rows": Shaped()}),
        (ValueError, "rows: shape (0,) has no rows", {"rows": np.ones(0)}),
        (TypeError, "fn: a NoneType is no function", {"fn": None}),
        (TypeError, "fn: its output: None is no array", {"fn": lambda x: None}),
        (TypeError, "fn: its output: dtype complex128", {"fn": lambda x: x[:, 0] * 1j}),
        (ValueError, "fn: it returned no output", {"fn": lambda x: ()}),
        (ValueError, "fn: its output has shape () for 1 row; return one result", {"fn": lambda x: x.sum()}),
        (ValueError, "fn: its output has shape (1, 1) for 2 rows", {"fn": lambda x: x[:1, :1]}),
        (ValueError, "fn: output 1 has shape (4, 1) for 1 row", {"fn": lambda x: (x, x.T)}),
        (ValueError, "fn: its outputs have no elements", {"fn": lambda x: x[:, :0]}),
        (ValueError, "fn: the outputs of one row were float64 (1,), and", {"fn": lambda x: np.ones((len(x), len(x)))}),
        (ValueError, "fn: the outputs of one row were float64 (4,), and", {"fn": lambda x: (x,) * len(x)}),
        (ValueError, "counts is empty", {"counts": ()}),
        (ValueError, "counts = (1,): each row has one result, and nothing was compared", {"counts": (1,)}),
        (ValueError, "counts = (2, 2) has a number twice", {"counts": (2, 2)}),
        (ValueError, "counts = 0 is out of range", {"counts": (1, 0)}),
        (TypeError, "counts: a float; give a whole number", {"counts": (1.0,)}),
        (TypeError, "counts: a int; give a sequence", {"counts": 17}),
        (ValueError, "seed = -1 is out of range", {"seed": -1}),
    ],
)
def test_what_cannot_be_compared_is_an_error(kind: Any, says: str, arguments: "dict[str, Any]") -> None:
    given = {"fn": lambda x: x, "rows": np.ones((3, 4)), **arguments}
    with pytest.raises(kind) as caught:
        negzero.assert_batch_invariant(given.pop("fn"), given.pop("rows"), **given)
    assert type(caught.value) is kind and str(caught.value).startswith(says) and "; " in str(caught.value)


def test_what_the_function_raises_passes_through() -> None:
    with pytest.raises(ZeroDivisionError):
        negzero.assert_batch_invariant(lambda x: 1 // 0, rows_of())
