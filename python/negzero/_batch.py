"""Holds a function to batch invariance: a row keeps its bits, however many rows there are and wherever it lies.

No contract and no oracle is needed: the function is compared with itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Callable

import numpy as np

from ._arrays import as_elements, packed
from ._judge import whole
from ._judgement import many
from ._sets import bits

#: Numbers of rows at which libraries change their kernel, tile or split: one row is a product of a matrix and a vector,
#: 17, 33 and 257 are one row more than a tile (vllm-project/vllm#27433, NVIDIA/TransformerEngine#3556).
_COUNTS = (1, 2, 17, 33, 128, 257, 1024)
_MOST_COUNT = 1 << 20
_MOST_ROWS = 8  #: rows whose results are compared; the others that there are lie among them
_PLACES = 3  #: places at which each of them is seen, at the least, for each number of rows above 1


@dataclass(frozen=True)
class BatchInvariance:
    """What was compared, and where bits differed."""

    counts: "tuple[int, ...]"  #: numbers of rows M, in the order in which they were tried
    rows: "tuple[int, ...]"  #: the rows of the argument `rows` whose results were compared
    of: int  #: rows that there are
    calls: int  #: of the function
    compared: int  #: results of a row that were compared with its first one
    elements: int  #: of one row's result, over all outputs
    differing: int = 0  #: results, of those compared, with other bits
    differing_rows: "tuple[int, ...]" = ()  #: rows with such results
    differing_counts: "tuple[int, ...]" = ()  #: numbers of rows with such results
    first: str = ""  #: the first difference, over several lines; "" where there is none

    @property
    def text(self) -> str:
        """All of this for people, without a newline at the end."""
        some = f"{len(self.rows)} of {self.of:,} rows" if len(self.rows) < self.of else many(self.of, "row")
        compared = (
            f"{many(self.compared, 'result')} of {some} compared, {many(self.elements, 'element')} each, "
            f"M = {_listed(self.counts)}, in {many(self.calls, 'call')}"
        )
        if not self.differing:
            return f"batch-invariant: every row kept its bits; {compared}"
        rows = f"{len(self.differing_rows)} of {many(len(self.rows), 'row')}"
        return (
            f"not batch-invariant: {self.first}\n"
            f"other bits in {many(self.differing, 'result')}, of {rows}, at M = {_listed(self.differing_counts)}; "
            f"{compared}"
        )

    def __str__(self) -> str:
        return self.text


class NotInvariant(AssertionError):
    """A row's bits depend on how many rows there are, or on its place. `invariance` says what was compared."""

    __module__ = "negzero"  # the name that people import, in what pytest prints

    def __init__(self, invariance: BatchInvariance) -> None:
        super().__init__(invariance.text)
        self.invariance = invariance

    def __reduce__(self) -> Any:  # pytest-xdist and multiprocessing send exceptions to other processes
        return type(self), (self.invariance,)


def assert_batch_invariant(
    fn: "Callable[[Any], Any]", rows: Any, *, counts: "Sequence[int]" = _COUNTS, seed: int = 1
) -> BatchInvariance:
    """Raises NotInvariant, an AssertionError, where a row's result depends on how many rows there are or on its place.

        negzero.assert_batch_invariant(lambda x: x @ weights, rows)

    fn      takes an array of M rows and returns one result for each: an array whose first dimension is M, or a tuple
            of such arrays
    rows    an array of NumPy, PyTorch, JAX or CuPy, of shape (R, ...); fn is given rows[index], which has its
            framework, dtype and device
    counts  the numbers of rows M; the results at the first one are what the others are compared with
    seed    of the choice of rows and places

    Up to 8 rows are drawn. For each M they are placed among the others, each at 3 places or more, the first and the
    last one among them, and the bits of each one's result are compared with those of its first result. A NaN equals
    every NaN; -0 and +0 differ. The error's text names the row, both M and places, the first element that differs, and
    how many results, rows and M do; and whether the same call again gives other bits, which no number of rows explains.

    Returns what was compared. Raises ValueError where there is nothing to compare (no rows, results without elements, 1
    as the only M) and where an output has not M rows; TypeError for what is no array; and whatever fn raises.
    """
    if not callable(fn):
        raise TypeError(f"fn: a {type(fn).__name__} is no function; give one that takes an array of rows")
    numbers = _counts(counts)
    random = np.random.default_rng(whole(seed, "seed", 0, 2**64 - 1))
    total = _row_count(rows)
    tested = random.permutation(total)[:_MOST_ROWS]
    comparison, calls = _Comparison(), 0
    for count in numbers:
        for index, places in _plans(count, tested, total, random):
            results, calls = _results(fn, rows, index), calls + 1
            if comparison.take(results, index, places):
                again, calls = _results(fn, rows, index), calls + 1
                comparison.note_repetition(results, again)
    done = comparison.closed(numbers, sorted(map(int, tested)), total, calls)
    if done.differing:
        raise NotInvariant(done)
    return done


def _plans(
    count: int, tested: np.ndarray, total: int, random: np.random.Generator
) -> "Iterator[tuple[np.ndarray, np.ndarray]]":
    """Yields, for each call, the row that lies at each of `count` places, and the places that are compared."""
    if count == 1:
        yield from ((np.array([row]), np.array([0])) for row in tested)
        return
    others = np.setdiff1d(np.arange(total), tested)
    share = count if not others.size else (count + 1) // 2
    for _ in range(max(2, -(-_PLACES * tested.size // share))):
        between = random.permutation(np.arange(1, count - 1))
        order = np.concatenate([random.permutation([0, count - 1]), between])
        rounds = [random.permutation(tested) for _ in range(-(-share // tested.size))]
        index = np.empty(count, np.int64)
        index[order[:share]] = np.concatenate(rounds)[:share]
        if others.size:
            index[order[share:]] = random.choice(others, count - share)
        yield index, np.sort(order[:share])


class _Comparison:
    """The first result of each row, and what was found of the others."""

    def __init__(self) -> None:
        self._first: "dict[int, tuple[str, list[np.ndarray]]]" = {}  # by the row: where it lay, and its results
        self._shapes: "list[tuple[Any, ...]]" = []
        self._compared = self._differing = 0
        self._rows: "set[int]" = set()
        self._counts: "set[int]" = set()
        self._text = ""

    def take(self, results: "list[np.ndarray]", index: np.ndarray, places: np.ndarray) -> bool:
        """Compares one call's results, and says whether the first difference of all is among them."""
        shapes = [(array.dtype, array.shape[1:]) for array in results]
        if not self._shapes:
            self._shapes = shapes
        elif shapes != self._shapes:
            said = [", ".join(f"{dtype} {shape}" for dtype, shape in each) for each in (self._shapes, shapes)]
            raise ValueError(
                f"fn: the outputs of one row were {said[0]}, and with M = {index.size} they are {said[1]}; return "
                "outputs whose number, dtypes and shapes do not depend on M"
            )
        was_found = bool(self._text)
        for place in places:
            row, values = int(index[place]), [np.array(array[place : place + 1]) for array in results]
            where = "alone (M = 1)" if index.size == 1 else f"at place {place} of M = {index.size}"
            if row not in self._first:
                self._first[row] = (where, values)
                continue
            self._compared += 1
            before, expected = self._first[row]
            wrong = [~_same(a, b) for a, b in zip(expected, values)]
            if not any(each.any() for each in wrong):
                continue
            self._differing += 1
            self._rows.add(row)
            self._counts.add(index.size)
            if not self._text:
                self._text = f"row {row} has other bits {where} than {before}\n{_shown(expected, values, wrong)}"
        return bool(self._text) and not was_found

    def note_repetition(self, results: "list[np.ndarray]", again: "list[np.ndarray]") -> None:
        """Says in the text of the first difference whether the same call gave the same bits again."""
        is_same = len(again) == len(results) and all(
            a.shape == b.shape and a.dtype == b.dtype and _same(a, b).all() for a, b in zip(results, again)
        )
        said = "the same bits" if is_same else "other bits: fn is not deterministic, whatever the number of rows"
        self._text += f"\n    the same call again gave {said}"

    def closed(self, counts: "list[int]", tested: "list[int]", total: int, calls: int) -> BatchInvariance:
        """Returns all that was found. Raises ValueError where nothing was compared."""
        elements = sum(array.size for _, arrays in [*self._first.values()][:1] for array in arrays)
        if not elements:
            raise ValueError(
                "fn: its outputs have no elements, and nothing was compared; return what is to keep its bits"
            )
        if not self._compared:
            raise ValueError(
                f"counts = {tuple(counts)}: each row has one result, and nothing was compared; give (1, 17) for one"
            )
        return BatchInvariance(
            tuple(counts),
            tuple(tested),
            total,
            calls,
            self._compared,
            elements,
            self._differing,
            tuple(sorted(self._rows)),
            tuple(count for count in counts if count in self._counts),
            self._text,
        )


def _results(fn: "Callable[[Any], Any]", rows: Any, index: np.ndarray) -> "list[np.ndarray]":
    """Calls the function with those rows, and returns its outputs on the host. Raises ValueError for other than M rows.

    Nothing that the function may write to later is kept: it may give the same memory each time.
    """
    given = fn(_selected(rows, index))
    outputs = [*given] if isinstance(given, (tuple, list)) else [given]
    if not outputs:
        raise ValueError("fn: it returned no output; return an array of M rows, or a tuple of them")
    arrays = []
    for number, output in enumerate(outputs):
        name = f"fn: output {number}" if len(outputs) > 1 else "fn: its output"
        array = as_elements(output, name)
        if array.shape[:1] != (index.size,):
            raise ValueError(
                f"{name} has shape {array.shape} for {many(index.size, 'row')}; return one result for each row, "
                f"so that the first dimension is {index.size}"
            )
        arrays.append(np.array(packed(array)))
    return arrays


def _selected(rows: Any, index: np.ndarray) -> Any:
    try:
        chosen = rows[index]
        found = tuple(chosen.shape[:1])
    except Exception as error:  # a stranger's code, which may raise whatever it likes
        raise TypeError(
            f"rows: this {type(rows).__name__} does not give rows for an array of integers ({type(error).__name__}: "
            f"{error}); give an array of NumPy, PyTorch, JAX or CuPy"
        ) from error
    if found != (index.size,):
        raise TypeError(
            f"rows: this {type(rows).__name__} gives {found} for {many(index.size, 'row')}; give an array of NumPy, "
            "PyTorch, JAX or CuPy"
        )
    return chosen


def _row_count(rows: Any) -> int:
    try:
        shape = tuple(int(extent) for extent in rows.shape)
    except Exception as error:  # a stranger's code, which may raise whatever it likes
        raise TypeError(
            f"rows: a {type(rows).__name__} has no shape; give an array of NumPy, PyTorch, JAX or CuPy"
        ) from error
    if not shape or shape[0] == 0:
        raise ValueError(f"rows: shape {shape} has no rows, and nothing would be compared; give (R, ...) with R > 0")
    return shape[0]


def _counts(counts: "Sequence[int]") -> "list[int]":
    if not isinstance(counts, (Sequence, np.ndarray)) or isinstance(counts, str):
        raise TypeError(f"counts: a {type(counts).__name__}; give a sequence of whole numbers, (1, 17) for one")
    numbers = [whole(each, "counts", 1, _MOST_COUNT) for each in counts]
    if not numbers:
        raise ValueError("counts is empty, and nothing would be compared; give (1, 17) for one")
    if len(set(numbers)) < len(numbers):
        raise ValueError(f"counts = {tuple(numbers)} has a number twice; give each once")
    return numbers


def _same(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Compares the bits of two arrays of one dtype and shape; a NaN is every NaN."""
    equal = np.asarray(bits(a) == bits(b))
    return equal if a.dtype.kind in "iub" else equal | (np.isnan(a) & np.isnan(b))


def _shown(expected: "list[np.ndarray]", values: "list[np.ndarray]", wrong: "list[np.ndarray]") -> str:
    """The first element that differs, and how many do."""
    number = next(i for i, each in enumerate(wrong) if each.any())
    at = tuple(int(i) for i in np.argwhere(wrong[number])[0])
    name = f"output {number} of it" if len(values) > 1 else "its output"
    where = f"{name}, element {list(at[1:])}" if len(at) > 1 else name
    texts = [_withbits(arrays[number], at) for arrays in (expected, values)]
    differing, elements = sum(int(each.sum()) for each in wrong), sum(each.size for each in wrong)
    return f"    {where}: {texts[1]} and {texts[0]}; {differing:,} of {many(elements, 'element')} differ"


def _withbits(array: np.ndarray, at: "tuple[int, ...]") -> str:
    if array.dtype.kind in "iub":
        return str(array[at])
    return f"{array[at]!s} ({int(bits(array)[at]):#0{2 * array.dtype.itemsize + 2}x})"


def _listed(numbers: "tuple[int, ...]") -> str:
    return ", ".join(map(str, numbers))
