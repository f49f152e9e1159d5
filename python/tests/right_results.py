"""Right implementations, simulated: sums in chains, trees and slices, steps of tensor cores, selections, conversions.

All numbers are float64, which holds those of every other format. What is said of tensor cores is section 2e of
docs/explanation/numerics.md, written from that text and apart from the library.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from collections.abc import Iterator, Mapping

import numpy as np
from support import FLOATS

Array = np.ndarray
Contract = Mapping[str, Any]


class Shape(NamedTuple):
    """The numbers of a format."""

    bits: int  #: of the significand
    least: int  #: exponent of the smallest normal number
    greatest: float


SHAPES = {
    "F64": Shape(53, -1022, float(np.finfo(np.float64).max)),
    "F32": Shape(24, -126, float(np.finfo(np.float32).max)),
    "TF32": Shape(11, -126, (2 - 2.0**-10) * 2.0**127),
    "BF16": Shape(8, -126, (2 - 2.0**-7) * 2.0**127),
    "F16": Shape(11, -14, 65504.0),
    "F8_E4M3": Shape(4, -6, 448.0),
    "F8_E5M2": Shape(3, -14, 57344.0),
}


class Unit(NamedTuple):
    """How tensor cores add: F, bits between steps, and the products of the shortest step."""

    kept: int
    bits: int
    shortest: int


#: By the factors' kind, the rows of the table of 2e, each once.
UNITS = {
    "F16": (Unit(23, 24, 4), Unit(24, 24, 4), Unit(24, 24, 8), Unit(25, 24, 8)),
    "BF16": (Unit(24, 24, 8), Unit(25, 24, 8)),
    "TF32": (Unit(24, 24, 4), Unit(25, 24, 4)),
    "F8": (Unit(13, 14, 8), Unit(25, 24, 8)),
}
_ROUND = {"nearest_even": np.rint, "toward_zero": np.trunc, "nearest_away": lambda x: np.trunc(x + np.copysign(0.5, x))}


def rounded(x: Array, format_name: str, how: str = "nearest_even") -> Array:
    """Rounds once to a format; beyond its numbers lies an infinity."""
    if format_name == "F64":
        return x
    shape = SHAPES[format_name]
    step = np.maximum(np.frexp(x)[1], shape.least + 1) - shape.bits
    result = np.ldexp(_ROUND[how](np.ldexp(x, -step)), step)
    result = np.where(np.abs(result) > shape.greatest, np.copysign(np.inf, x), result)
    return np.copysign(np.where(np.isfinite(x), result, x), x)


def added(x: Array, y: Array, format_name: str) -> Array:
    """The sum, rounded once: float64 rounds to odd first, which leaves the second rounding right (Boldo, Melquiond)."""
    total = x + y
    if format_name == "F64":
        return total
    part = total - x
    with np.errstate(invalid="ignore"):
        lost = (x - (total - part)) + (y - part)
    is_even = (np.ascontiguousarray(total).view(np.int64) & 1) == 0
    moves = np.isfinite(total) & (lost != 0) & is_even
    return rounded(np.where(moves, np.nextafter(total, np.copysign(np.inf, lost)), total), format_name)


def flushed(x: Array, *format_names: str) -> Array:
    """Zeros in the place of numbers that are subnormal in all of these formats."""
    least = min(SHAPES[each].least for each in format_names)
    return np.where(np.abs(x) < np.ldexp(1.0, least), np.copysign(0.0, x), x)


class Adder:
    """Adds in a format, along the last axis."""

    def __init__(self, format_name: str, flushes: bool = False) -> None:
        self.format, self._flushes = format_name, flushes

    def add(self, x: Array, y: Array) -> Array:
        return self.kept(added(x, y, self.format))

    def kept(self, x: Array) -> Array:
        """What the format holds of a rounded number."""
        if self.format == "F8_E4M3":
            x = np.where(np.isinf(x), np.nan, x)
        return flushed(x, self.format) if self._flushes else x

    def chain(self, terms: Array) -> Array:
        total = self.kept(rounded(terms[..., 0], self.format))
        for k in range(1, terms.shape[-1]):
            total = self.add(total, terms[..., k])
        return total

    def tree(self, terms: Array) -> Array:
        terms = self.kept(rounded(terms, self.format))
        while terms.shape[-1] > 1:
            odd = terms[..., -1:] if terms.shape[-1] % 2 else terms[..., :0]
            terms = np.concatenate([self.add(terms[..., :-1:2], terms[..., 1::2]), odd], -1)
        return terms[..., 0]

    def compensated(self, terms: Array) -> Array:
        total, rest = np.zeros(terms.shape[:-1]), np.zeros(terms.shape[:-1])
        for k in range(terms.shape[-1]):
            term = self.add(terms[..., k], -rest)
            now = self.add(total, term)
            rest = self.add(self.add(now, -total), -term)
            total = now
        return total

    def prefixes(self, terms: Array) -> Array:
        """Each sum up to an element, in order."""
        sums = [self.kept(rounded(terms[..., 0], self.format))]
        for k in range(1, terms.shape[-1]):
            sums.append(self.add(sums[-1], terms[..., k]))
        return np.stack(sums, -1)

    def doubled_prefixes(self, terms: Array) -> Array:
        """The same by additions at distances of 1, 2, 4 (Hillis and Steele)."""
        sums, distance = self.kept(rounded(terms, self.format)), 1
        while distance < terms.shape[-1]:
            sums = np.concatenate([sums[..., :distance], self.add(sums[..., :-distance], sums[..., distance:])], -1)
            distance *= 2
        return sums


def _exponents(x: Array, format_name: str) -> Array:
    return np.maximum(np.frexp(x)[1] - 1, SHAPES[format_name].least)


def stepped(a: Array, b: Array, formats: "tuple[str, str]", unit: Unit, length: int, accumulate: str) -> Array:
    """A product of matrices on tensor cores, `length` products a step. Whole numbers below 2^53 are exact here."""
    zero, greatest = -(1 << 20), SHAPES[accumulate].greatest
    of_a, of_b = _exponents(a, formats[0]), _exponents(b, formats[1])
    least, bits = SHAPES[accumulate].least, 11 if accumulate == "F16" else unit.bits
    total = np.zeros((a.shape[0], b.shape[1]))
    for k in range(0, a.shape[1], length):
        some = slice(k, k + length)
        terms, before = a[:, some, None] * b[None, some, :], total
        total = np.where(np.isfinite(total), total, 0)
        exponents = np.where(terms == 0, zero, of_a[:, some, None] + of_b[None, some, :]).max(1)
        top = np.maximum(exponents, np.where(total == 0, zero, _exponents(total, accumulate)))
        last = np.where(top == zero, 0, top) - unit.kept
        whole = np.trunc(np.ldexp(terms, -last[:, None, :])).sum(1) + np.trunc(np.ldexp(total, -last))
        assert np.abs(whole).max(initial=0) < 2.0**53
        drop = np.maximum(np.maximum(np.frexp(whole)[1], least + 1 - last) - bits, 0)
        total = np.ldexp((np.rint if accumulate == "F16" else np.trunc)(np.ldexp(whole, -drop)), drop + last)
        total = np.where(np.abs(total) > greatest, np.copysign(np.inf, total), total)
        total = np.where(np.isfinite(before), total, before)
    return total


def may_flush(contract: Contract) -> bool:
    return all(contract.get(field) == "either" for field in ("subnormal_inputs", "subnormal_results"))


def products(
    random: np.random.Generator, a: Array, b: Array, formats: "tuple[str, str]", contract: Contract
) -> "Iterator[Array]":
    """Yields a product of matrices computed in each way that a contract permits, before it is stored."""
    accumulate, count = contract.get("accumulate", "F32"), a.shape[1]
    rounds = contract.get("multiplicand", "exact")
    parts = np.split(np.arange(count), np.sort(random.integers(0, count + 1, 2)))
    slices = [each for each in parts if each.size]

    def joined(sums: "list[Array]") -> Array:
        """Sums of slices, some of them stored, added in the accumulator."""
        if stored_in := contract.get("slice_format"):
            sums = [np.where(random.random(each.shape) < 0.5, rounded(each, stored_in), each) for each in sums]
        return Adder(accumulate).tree(np.stack(sums, -1))

    def terms(x: Array, y: Array) -> Array:
        return x[:, None, :] * y.T[None, :, :]

    if contract.get("tensor_core", "no") != "only":
        order = random.permutation(count)
        for flushes in (False, True)[: 1 + may_flush(contract)]:
            x, y = a, b
            if flushes:
                x, y = flushed(a, formats[0], accumulate), flushed(b, formats[1], accumulate)
            adder, each = Adder(accumulate, flushes), terms(x, y)
            yield adder.chain(each[..., order])
            yield adder.tree(each[..., order])
            yield joined([adder.chain(adder.kept(rounded(each[..., some], accumulate))) for some in slices])
        yield Adder("F64").tree(terms(a, b))
    if contract.get("tensor_core", "no") == "no":
        return
    for how in ("toward_zero", "nearest_away", "nearest_even") if rounds == "tf32_or_exact" else ("",):
        x, y = (rounded(a, "TF32", how), rounded(b, "TF32", how)) if how else (a, b)
        names = ("TF32", "TF32") if how else formats
        for unit in UNITS["F8" if names[0].startswith("F8") else names[0]]:
            length = unit.shortest * int(random.choice([1, 2, 4]))
            yield stepped(x, y, names, unit, length, accumulate)
            yield joined([stepped(x[:, some], y[some], names, unit, length, accumulate) for some in slices])


def sums(random: np.random.Generator, x: Array, format_name: str, contract: Contract) -> "Iterator[Array]":
    """Yields sums of rows computed in each way that a contract permits."""
    accumulate = contract.get("accumulate", "F32")
    x = x[..., random.permutation(x.shape[-1])]
    for flushes in (False, True)[: 1 + may_flush(contract)]:
        adder, terms = Adder(accumulate, flushes), flushed(x, format_name, accumulate) if flushes else x
        yield adder.chain(terms)
        yield adder.tree(terms)
        if contract.get("compensated"):
            yield adder.compensated(terms)
    yield Adder("F64").tree(x)


def means(random: np.random.Generator, x: Array, format_name: str, contract: Contract) -> "Iterator[Array]":
    """Yields means of rows, divided and multiplied by the reciprocal."""
    accumulate, count = contract.get("accumulate", "F32"), np.float64(x.shape[-1])
    for each in sums(random, x, format_name, contract):
        each = Adder(accumulate).kept(rounded(each, accumulate))
        yield rounded(each / count, accumulate)
        yield rounded(each * rounded(1 / count, accumulate), accumulate)


def prefixes(random: np.random.Generator, x: Array, format_name: str, contract: Contract) -> "Iterator[Array]":
    """Yields sums of rows up to each element."""
    accumulate = contract.get("accumulate", "F32")
    for flushes in (False, True)[: 1 + may_flush(contract)]:
        adder, terms = Adder(accumulate, flushes), flushed(x, format_name, accumulate) if flushes else x
        yield adder.prefixes(terms)
        yield adder.doubled_prefixes(terms)


def stored(random: np.random.Generator, x: Array, format_name: str, contract: Contract) -> Array:
    """Rounds to an output; what is too large for FP8 becomes what the contract says of it.

    An accumulator of the output's own format holds what it holds, and nothing is left to saturate.
    """
    result = rounded(x, format_name, contract.get("output_rounding", "nearest_even"))
    large = np.isinf(result)
    if format_name == "F8_E4M3":
        result = np.where(large, np.nan, result)
    converts = contract.get("accumulate", "F32") != format_name
    if contract.get("overflow") == "either" and format_name.startswith("F8") and converts:
        saturates = large & (random.random(x.shape) < 0.5)
        result = np.where(saturates, np.copysign(SHAPES[format_name].greatest, x), result)
    return result.astype(FLOATS[format_name])
