"""Finds the least absolute tolerance that lets every two permitted results pass for each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ._case import Case
from ._contract import Contract
from ._functions import function_of
from ._judge import PermittedSet, permitted
from ._judgement import many
from ._operations import signature_of
from ._tracing import untraced


@dataclass(frozen=True)
class Tolerance:
    """How far two permitted results are apart. `atol` is of the covered elements alone."""

    atol: float  #: the largest of the distances below
    #: By the output's name, in float64 and the caller's shape: the distance of the least permitted number from the
    #: greatest, rounded up; 0 where one NaN or infinity is all that is permitted; NaN where an element is not covered.
    distances: "dict[str, np.ndarray]" = field(repr=False)
    covered: int  #: elements whose permitted results are numbers, or a NaN or an infinity alone
    mixed: (
        int  #: elements of which numbers and NaN or infinities are permitted, or several of these: no atol covers them
    )
    vacuous: int  #: elements whose set is too wide to reject garbage; they are in none of the other numbers
    largest: float  #: the largest magnitude of a number that is permitted of a covered element
    zeros_pass: bool  #: whether zeros in every covered element are within `atol` of an output that is permitted

    @property
    def line(self) -> str:
        """The line to paste into a test."""
        return f"numpy.testing.assert_allclose(observed, expected, rtol=0, atol={self.atol!r})"

    @property
    def text(self) -> str:
        """All of this for people, without a newline at the end."""
        every = np.concatenate([each.reshape(-1) for each in self.distances.values()])
        half = float(np.nanmedian(every))
        lines = [
            f"atol {self.atol:.3g} covers every two permitted results of {many(self.covered)}; for half of them "
            f"{half:.3g} would do",
            f"the largest permitted magnitude is {self.largest:.3g}: "
            + ("an output of zeros may pass" if self.zeros_pass else "an output of zeros would not pass"),
        ]
        if self.mixed:
            lines.append(f"not covered: {many(self.mixed)}, of which NaN or infinities are permitted beside numbers")
        if self.vacuous:
            lines.append(f"not covered: {many(self.vacuous)}, whose sets are too wide to reject garbage")
        return "\n".join([*lines, self.line])

    def __str__(self) -> str:
        return self.text


@untraced
def tolerance(
    operation: object,
    *arguments: Any,
    contract: "str | Contract | None" = None,
    out_dtype: object = None,
    **operands: Any,
) -> Tolerance:
    """Returns the least absolute tolerance that every two permitted results keep, for tests that stay with allclose.

        print(negzero.tolerance("gemm", a=a, b=b).line)

    Takes what negzero.permitted() takes. The tolerance is of these inputs: the greatest distance between two permitted
    numbers of one element, exact in float64 but for the last rounding, which is up. With rtol=0, numpy.allclose lets
    every two permitted outputs pass that have no element in `mixed` or `vacuous`, whichever dtype it computes in.

    It is a bound, and weaker than the sets. One number for all elements is what the widest one needs: an error below it
    in an element of a narrow set passes, as do a -0 for a +0, numbers between two permitted ones that are not permitted
    themselves, and a lost term that is smaller than it. negzero.sensitivity(..., atol=that.atol, rtol=0) says what else
    passes; negzero.assert_permitted() has none of these gaps.

    Raises what negzero.permitted() raises; ValueError where no element is covered, and for outputs that are places.
    """
    if isinstance(operation, Case):
        name = operation.operation
    else:
        function = function_of(operation)
        name = function.operation if function is not None else signature_of(operation).name
    places = signature_of(name).places
    sets = permitted(operation, *arguments, contract=contract, out_dtype=out_dtype, **operands)
    sets = {output: each for output, each in sets.items() if output not in places}
    if not sets:
        raise ValueError(
            f"{name} gives places, which are right or wrong; compare them with ==, or negzero.judge() them"
        )
    distances, covered, mixed, vacuous, largest, nearest = {}, 0, 0, 0, 0.0, 0.0
    for output, each in sets.items():
        kinds = sum(part.astype(int) for part in (each.any_finite, each.nan, each.plus_infinity, each.minus_infinity))
        distance = np.where(each.any_finite, _distance(each), 0.0)
        is_covered = (kinds == 1) & ~each.vacuous & np.isfinite(distance)
        distances[output] = np.where(is_covered, distance, np.nan)
        covered += int(is_covered.sum())
        vacuous += int(each.vacuous.sum())
        mixed += int((~is_covered & ~each.vacuous).sum())
        low, high = each.low.astype(np.float64), each.high.astype(np.float64)
        sizes, has_zero = np.abs([low, high]), (low <= 0) & (high >= 0)
        # A NaN or an infinity alone is as far from 0 as a number can be.
        least = np.where(each.any_finite, np.where(has_zero, 0.0, sizes.min(0)), np.inf)
        largest = max(largest, float(np.max(sizes.max(0), where=is_covered & each.any_finite, initial=0.0)))
        nearest = max(nearest, float(np.max(least, where=is_covered, initial=0.0)))
    if not covered:
        raise ValueError(
            f"{name}: no atol covers an element (NaN or infinities beside numbers: {many(mixed)}; vacuous sets: "
            f"{many(vacuous)}); give other operands, or a contract that permits less"
        )
    atol = max(float(np.nanmax(each, initial=0.0)) for each in distances.values())
    return Tolerance(atol, distances, covered, mixed, vacuous, largest, nearest <= atol)


def _distance(permitted: PermittedSet) -> np.ndarray:
    """Returns high - low rounded up. What float64 rounds off is exact too (Knuth, TAOCP 2, 4.2.2, theorem B)."""
    low, high = permitted.low.astype(np.float64), permitted.high.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        distance = high - low
        back = distance - high
        rest = (high - (distance - back)) + (-low - back)
        return np.asarray(np.where(rest > 0, np.nextafter(distance, np.inf), distance))
