"""Finds the order in which a function adds, from its outputs alone."""

from __future__ import annotations

import inspect
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Callable

import numpy as np

from . import _library
from ._arrays import as_elements
from ._formats import FLOATS, dtype_of, format_named, format_of
from ._images import Images, images_of
from ._judge import whole
from ._parameters import name_of
from ._tracing import untraced

_LENGTHS = (96, 256, 1000)
_LENGTHS_OF_FP8 = {1: (12, 24, 60), 2: (96, 256, 500)}  #: by operands: more terms have no room beside M
_LONGER = 65_000  #: where most functions have come to all their paths
_LONGER_PRODUCTS = 16_000
_MOST_LENGTH = 1 << 20
_MOST_ROWS = 1 << 14


@dataclass(frozen=True)
class OrderAt:
    """What was found at one length."""

    length: int
    depth: "int | None"  #: the most roundings that a term meets; None where no tree was found
    tree: str  #: the additions, drawn; "" where no tree was found
    fused: int  #: the most terms that one addition takes: 2, and more where a tensor core adds several at once
    problem: str  #: why there is no tree
    #: The tree: each node is a term, or the places of the nodes that it adds, which lie before it; the last is the sum.
    nodes: "tuple[int | tuple[int, ...], ...]" = field(default=(), repr=False)

    def added(self, values: np.ndarray) -> np.generic:
        """Adds values, one a term, along the tree, each addition rounded in their dtype: a second look at the tree.

            order = negzero.order_of(np.sum, 1000)
            assert order.lengths[0].added(x) == np.sum(x)

        Raises ValueError where there is no tree, where an addition takes more than two terms, whose rounding is the
        hardware's own, and for another number of values.
        """
        if not self.nodes or self.fused > 2:
            raise ValueError(f"no tree of plain additions was found: {self.problem or f'{self.fused} terms at once'}")
        values = np.asarray(values)
        if values.shape != (self.length,):
            raise ValueError(f"values: shape {values.shape}; give one value for each of the {self.length} terms")
        partial: "list[Any]" = []
        for node in self.nodes:
            partial.append(values[node] if isinstance(node, int) else partial[node[0]] + partial[node[1]])
        total: np.generic = partial[-1]
        return total


@dataclass(frozen=True)
class FoundOrder:
    """The order in which a function adds: the tree of its additions at several lengths."""

    name: str
    lengths: "tuple[OrderAt, ...]"  #: shortest first
    formula: "str | None"  #: of the depth, as a contract takes it: "ceil_div(n, 256) + 8"; None where none fits
    is_exact: bool  #: the formula gives each depth; else it is nowhere below them
    deterministic: bool  #: the same sums came out the same in each run
    same_shape: "bool | None"  #: a shorter sum is added as the first terms of a longer one; None without a tree
    #: JSON for a contract: '{"depth": "..."}'; where no formula fits, what no order of sums exceeds; "" without a tree
    line: str
    sums: int  #: how many the function computed
    text: str  #: all of this for people

    @property
    def depth(self) -> "int | None":
        """The depth at the longest length."""
        return self.lengths[-1].depth

    @property
    def depths(self) -> "dict[int, int | None]":
        """The depth by length."""
        return {at.length: at.depth for at in self.lengths}

    @property
    def tree(self) -> str:
        """The additions at the longest length, drawn."""
        return self.lengths[-1].tree

    def __str__(self) -> str:
        return self.text


@untraced
def order_of(
    fn: "Callable[..., Any]",
    lengths: "int | Sequence[int] | None" = None,
    *,
    dtype: object = np.float32,
    operands: "int | None" = None,
    rows: "int | None" = None,
    columns: "int | None" = None,
    arrays: str = "numpy",
    device: "str | None" = None,
) -> FoundOrder:
    """Finds the order in which a function adds: its tree of additions, how deep it is, and a formula for the depth.

        print(negzero.order_of(np.sum))
        print(negzero.order_of(torch.sum, arrays="torch", device="cuda").tree)
        print(negzero.order_of(lambda a, b: a @ b, 4096, rows=64, columns=64, dtype=np.float16))

    fn        sums an array of one dimension; or, with two operands, their products (a dot product)
    lengths   of the sums, one or several; where it is missing 96, 256 and 1000, and some terms of a longer one
    dtype     of the operands
    operands  1 or 2; where it is missing, as many as fn requires
    rows      fn takes arrays of (rows, n), and gives a sum for each row: as many sums a call
    columns   with rows and two operands: fn is a matrix product of (rows, n) and (n, columns)
    arrays    "numpy", "torch", "jax" or "cupy": what fn takes; and the device, "cuda" where PyTorch has one

    +M and -M are placed among ones, M so large that it swallows them: the sum is the number of ones that are added
    behind the addition in which both meet (FPRev, arXiv:2411.00442). No term meets more roundings than the depth: one
    of its product, where there are two operands, and one for each addition.

    Raises TypeError and ValueError for what is no such function, and whatever fn raises. Where the sums differ from run
    to run, or are of no tree (exact sums, Neumaier's), depth is None and OrderAt.problem says why. Kahan's sum shows as
    the chain that it compensates.
    """
    if not callable(fn):
        raise TypeError(f"fn: a {type(fn).__name__} is no function; give one that sums an array")
    count = _operand_count(fn, operands)
    caller = _Sums(fn, count, format_named(dtype, "dtype", FLOATS), images_of(arrays, device))
    caller.rows = None if rows is None else whole(rows, "rows", 1, _MOST_ROWS)
    caller.columns = None if columns is None else whole(columns, "columns", 1, _MOST_ROWS)
    if columns is not None and (rows is None or count == 1):
        raise TypeError("columns: of a product of two matrices alone; give rows= and a function of two operands")
    usual = _LENGTHS_OF_FP8[count] if caller.dtype.itemsize == 1 else _LENGTHS
    wanted = _lengths(usual if lengths is None else lengths)
    options: "dict[str, Any]" = {
        "name": getattr(fn, "__name__", None) or name_of(fn),
        "lengths": wanted,
        "format": caller.format,
        "accumulator": "F64" if caller.format == "F64" else "F32",
        "output": caller.output_format(wanted[0]),
        "trees": True,
    }
    if count == 2:
        options["factor"] = caller.format
    if lengths is None:
        options["longer"] = _LONGER if count == 1 else _LONGER_PRODUCTS
    report = _library.order(options, caller.sums)
    if report is None:
        assert caller.error is not None
        raise caller.error
    formula = report["formula"]
    return FoundOrder(
        report["name"],
        tuple(_order_at(row) for row in report["lengths"]),
        None if formula is None else formula["text"],
        formula is not None and formula["is_exact"],
        report["is_deterministic"],
        report["same_shape"],
        "" if report["line"] is None else json.dumps(report["line"]),
        report["sums"],
        report["text"].rstrip("\n"),
    )


def _order_at(row: "dict[str, Any]") -> OrderAt:
    nodes = tuple(node if isinstance(node, int) else tuple(node) for node in row["nodes"])
    return OrderAt(row["length"], row["depth"], row["tree"].rstrip("\n"), row["fused"], row["problem"], nodes)


class _Sums:
    """Calls the function with placements, and keeps what it raised."""

    def __init__(self, fn: "Callable[..., Any]", operands: int, format_name: str, images: Images) -> None:
        self.fn, self.operands, self.format, self.images = fn, operands, format_name, images
        self.dtype = dtype_of(format_name)
        if format_name in images.lacks:
            raise TypeError(f"dtype: {images.name} has no arrays of {self.dtype.name} here; give another dtype")
        self.rows: "int | None" = None
        self.columns: "int | None" = None
        self.error: "BaseException | None" = None

    def output_format(self, length: int) -> str:
        """Returns the format of what the function gives, after a call with zeros."""
        output = self._called(np.zeros((self._row_count(), length), self.dtype), np.zeros((length,), self.dtype))
        return format_of(output.dtype, "fn: its output", FLOATS)

    def sums(self, terms: _library.Terms) -> "list[float] | None":
        """Computes the sums of all placements; None where the function raised."""
        try:
            values: "list[float]" = []
            rows = self._row_count()
            for begin in range(0, terms.count, rows):
                values += self._batch(terms, begin, min(terms.count, begin + rows))
            return values
        except BaseException as error:  # it goes on in the caller, past C
            self.error = error
            return None

    def _batch(self, terms: _library.Terms, begin: int, end: int) -> "list[float]":
        a = np.zeros((self._row_count(), terms.length), self.dtype)
        one, large = (np.ldexp(1.0, power) for power in (terms.one_a, terms.large_a))
        needs_both = terms.large_b != terms.one_b
        columns = 1 if self.columns is None else self.columns
        b = np.full((terms.length,), np.ldexp(1.0, terms.one_b)).astype(self.dtype)
        if needs_both and end - begin > 1:  # the second operand is of one placement
            return [value for at in range(begin, end) for value in self._batch(terms, at, at + 1)]
        for row, at in enumerate(range(begin, end)):
            place = terms.placements[at]
            a[row, place.ones_begin : place.ones_end] = one
            a[row, place.plus], a[row, place.minus] = large, -large
            if needs_both:
                b[[place.plus, place.minus]] = np.ldexp(1.0, terms.large_b)
        output = self._called(a, b).reshape(self._row_count(), columns)
        return [float(value) for value in output[: end - begin, 0]]

    def _called(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        given = [a if self.rows is not None else a[0]]
        if self.operands == 2:
            given.append(b if self.columns is None else np.repeat(b[:, None], self.columns, axis=1))
        with np.errstate(all="ignore"):  # M may overflow on its way, and another one is tried then
            result = self.fn(*(self.images.copy(np.ascontiguousarray(each)) for each in given))
        output = np.asarray(as_elements(result, "fn: its output"))
        wanted = self._row_count() * (1 if self.columns is None else self.columns)
        if output.size != wanted:
            raise ValueError(
                f"fn: it gave {output.shape} for operands of {', '.join(str(each.shape) for each in given)}; return "
                f"{'one sum' if wanted == 1 else f'{wanted} sums'}"
            )
        return output

    def _row_count(self) -> int:
        return 1 if self.rows is None else self.rows


def _operand_count(fn: "Callable[..., Any]", operands: "int | None") -> int:
    if operands is not None:
        return whole(operands, "operands", 1, 2)
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):  # a function in C that does not say what it takes
        return 1
    required = [
        each
        for each in parameters
        if each.default is each.empty and each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]
    if len(required) in (1, 2):
        return len(required)
    if not required:
        return 1
    raise TypeError(f"fn: it requires {len(required)} operands; give a function of one array to sum, or of two factors")


def _lengths(lengths: "int | Sequence[int]") -> "list[int]":
    if isinstance(lengths, (int, np.integer)):
        lengths = [int(lengths)]
    if isinstance(lengths, str) or not isinstance(lengths, Sequence) or not lengths:
        raise TypeError("lengths: give a whole number or several, as (96, 256, 1000)")
    return sorted({whole(each, "lengths", 2, _MOST_LENGTH) for each in lengths})
