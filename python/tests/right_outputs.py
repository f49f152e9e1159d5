"""Operands and outputs of right implementations, simulated, by operation: what a contract has to permit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import right_results as right
from support import FLOATS

KINDS = ("normal", "whole", "wide", "subnormal", "large")
Arrays = Mapping[str, np.ndarray]
Ways = Callable[..., "Iterator[np.ndarray]"]


@dataclass(frozen=True)
class Task:
    """What is to be computed: about `results` outputs of `terms` terms each."""

    random: np.random.Generator
    formats: "tuple[str, ...]"
    contract: "Mapping[str, Any]"
    terms: int
    kind: str  #: of KINDS: what the numbers are like
    results: int

    def drawn(self, shape: "tuple[int, ...]", format_name: str = "", factors: int = 1) -> np.ndarray:
        """Returns numbers of a format, as float64. Products of so many large ones, and their sums, may overflow."""
        random, of = self.random, right.SHAPES[format_name or self.formats[0]]
        x = random.standard_normal(shape)
        if self.kind == "whole":
            x = random.integers(-3, 4, shape).astype(np.float64)
        elif self.kind == "wide":
            x = x * np.exp2(random.integers(-8, 3, shape))
        elif self.kind == "subnormal":
            tiny = random.standard_normal(shape) * np.exp2(random.integers(of.least - 2, of.least + 6, shape))
            x = np.where(random.random(shape) < 0.7, tiny, x)
        elif self.kind == "large":
            x = np.clip(x, -4, 4) * (of.greatest / 16) ** (1 / factors)
        return right.rounded(x, format_name or self.formats[0])

    def stored(self, ways: "Iterator[np.ndarray]", format_name: str) -> np.ndarray:
        """Returns an output whose elements are each computed in one of the ways."""
        computed = np.stack(list(ways))
        chosen = self.random.integers(0, len(computed), computed.shape[1:])
        found = np.take_along_axis(computed, chosen[None], 0)[0]
        return right.stored(self.random, found, format_name, self.contract)


def of_gemm(task: Task) -> "tuple[Arrays, Arrays]":
    a, b, d = task.formats
    rows = math.isqrt(task.results) + 1
    x, y = task.drawn((rows, task.terms), a, 2), task.drawn((task.terms, rows), b, 2)
    found = task.stored(right.products(task.random, x, y, (a, b), task.contract), d)
    return {"a": x.astype(FLOATS[a]), "b": y.astype(FLOATS[b])}, {"d": found}


def of_rows(ways: Ways, has_row: bool = False) -> "Callable[[Task], tuple[Arrays, Arrays]]":
    """Sums of rows; `has_row` where a row of outputs belongs to each."""

    def of(task: Task) -> "tuple[Arrays, Arrays]":
        x = task.drawn((task.results // task.terms + 1 if has_row else task.results, task.terms))
        found = task.stored(ways(task.random, x, task.formats[0], task.contract), task.formats[1])
        return {"x": x.astype(FLOATS[task.formats[0]])}, {"y": found}

    return of


def _updates(task: Task, terms: np.ndarray) -> Arrays:
    """Each row is a destination: its initial value and its updates, all in any order."""
    order, dtype = task.random.permutation(terms[:, 1:].size), FLOATS[task.formats[0]]
    index = np.repeat(np.arange(len(terms), dtype=np.int32), terms.shape[1] - 1)
    x = terms[:, 1:].reshape(-1)
    return {"x": x[order].astype(dtype), "index": index[order], "init": terms[:, 0].astype(dtype)}


def of_added_updates(task: Task) -> "tuple[Arrays, Arrays]":
    terms = task.drawn((task.results, task.terms))
    # What no update changes is not flushed.
    ways = right.sums(task.random, terms, task.formats[0], task.contract) if task.terms > 1 else iter([terms[:, 0]])
    return _updates(task, terms), {"out": task.stored(ways, task.formats[0])}


def _greatest(task: Task, x: np.ndarray) -> np.ndarray:
    """Returns the maximum of each row, with any sign of a zero where the contract leaves it open."""
    propagates = task.contract.get("nan", "propagate") == "propagate"
    found = (np.max if propagates else np.fmax.reduce)(x, axis=1)
    plus, minus = ((x == 0) & ~np.signbit(x)).any(1), ((x == 0) & np.signbit(x)).any(1)
    zeros = np.where(plus, 0.0, -0.0)
    if task.contract.get("zero_sign", "default") == "any":
        zeros = np.where(plus & minus, np.copysign(0.0, task.random.standard_normal(len(x))), zeros)
    return np.where(found == 0, zeros, found)


def of_extremes(sign: int, *outputs: str) -> "Callable[[Task], tuple[Arrays, Arrays]]":
    """Maxima, or minima where the sign is -1: of updates where the output is "out", places where it is "at"."""

    def of(task: Task) -> "tuple[Arrays, Arrays]":
        name, updates = task.formats[0], outputs == ("out",)
        x = task.drawn((task.results, task.terms))
        x = np.where(task.random.random(x.shape) < 0.1, np.copysign(0.0, task.random.standard_normal(x.shape)), x)
        # One NaN at most: which of several is given is not documented.
        rows = task.random.random(len(x)) < 0.1
        x[rows, task.random.integers(0, task.terms, len(x))[rows]] = np.nan
        # Numbers of 16 and 8 bits are compared in F32, and what no update changes is not compared.
        compared = "F64" if name == "F64" else task.contract.get("accumulate", "F32")
        flushes = right.may_flush(task.contract) and task.random.random() < 0.5 and not (updates and task.terms == 1)
        seen = sign * (right.flushed(x, name, compared) if flushes else x)
        propagates = task.contract.get("nan", "propagate") == "propagate"
        first = np.where(np.isnan(seen), np.inf if propagates else -np.inf, seen).argmax(1)
        values = (sign * _greatest(task, seen)).astype(FLOATS[name])
        found = {each: first.astype(np.int32) if each == "at" else values for each in outputs}
        return _updates(task, x) if updates else {"x": x.astype(FLOATS[name])}, found

    return of


def of_places(sign: int) -> "Callable[[Task], tuple[Arrays, Arrays]]":
    both = of_extremes(sign, "at")

    def of(task: Task) -> "tuple[Arrays, Arrays]":
        operands, found = both(task)
        return operands, {"y": found["at"]}

    return of


def of_conversion(task: Task) -> "tuple[Arrays, Arrays]":
    source, target = task.formats
    if target == "I32":
        x = right.rounded(task.random.standard_normal(task.results) * np.exp2(task.random.integers(-2, 7)), source)
        whole = np.trunc(x) if task.contract.get("output_rounding") == "toward_zero" else np.rint(x)
        return {"x": x.astype(FLOATS[source])}, {"y": whole.astype(np.int32)}
    if task.kind == "wide":  # any bits at all
        size = np.dtype(FLOATS[source]).itemsize
        x = task.random.integers(0, 256, (task.results, size), np.uint8).view(FLOATS[source])[:, 0].astype(np.float64)
    else:
        x = task.drawn((task.results,))
    # What F32 holds as a subnormal number is flushed by conversions.
    ways = [x] + [right.flushed(x, source)] * (right.may_flush(task.contract) and source in ("F32", "BF16"))
    return {"x": x.astype(FLOATS[source])}, {"y": task.stored(iter(ways), target)}


FAMILIES: "Mapping[str, Callable[[Task], tuple[Arrays, Arrays]]]" = {
    "gemm": of_gemm,
    "reduce.sum": of_rows(right.sums),
    "reduce.mean": of_rows(right.means),
    "scan.inclusive": of_rows(right.prefixes, has_row=True),
    "scatter.add": of_added_updates,
    "reduce.max": of_extremes(1, "y"),
    "reduce.min": of_extremes(-1, "y"),
    "reduce.argmax": of_places(1),
    "reduce.argmin": of_places(-1),
    "reduce.max_index": of_extremes(1, "y", "at"),
    "scatter.max": of_extremes(1, "out"),
    "scatter.min": of_extremes(-1, "out"),
    "convert": of_conversion,
}
