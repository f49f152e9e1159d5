"""Makes a call again with each change of the value, and finds the largest change of one element that passes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np

from .._changes import CHANGES, Change, ChangesNothing, NotHere
from .._elements import Elements
from ._call import Call


@dataclass(frozen=True)
class Reach:
    """How far one element may move away from 0 before the assertion fails."""

    ulps: "int | None"  #: steps of the element's format; None: there is no end to it but the largest number
    by: float  #: the distance
    relative: float  #: the distance over the largest magnitude of the value

    @property
    def text(self) -> str:
        """Returns "0.5 (4,096 ulps, 12 % of the largest)"."""
        if self.ulps is None:
            return "any distance"
        share = f", {100 * self.relative:,.3g} % of the largest" if math.isfinite(self.relative) else ""
        return f"{self.by:.3g} ({self.ulps:,} ulp{'' if self.ulps == 1 else 's'}{share})"


@dataclass
class Tried:
    """What became of a call's changes, by key."""

    passed: "list[str]" = field(default_factory=list)
    refused: "list[str]" = field(default_factory=list)
    absent: "dict[str, str]" = field(default_factory=dict)  #: changes that this value cannot have, and why
    reach: "Reach | None" = None
    why: str = ""  #: where the unchanged call does not pass again: nothing was tried
    is_whole: bool = True  #: whether all that was wanted was tried


def repeat(call: Call, wanted: "Callable[[str], bool]", needed: "Callable[[str], bool]", until: float) -> Tried:
    """Tries the changes that are wanted, in order of worth, until that time; those that are needed, whenever it is.

    Times are those of time.perf_counter(). The word "reach" asks for the largest change of one element.
    """
    tried, clock = Tried(), _Clock(until)
    extra = () if call.operation is None else call.operation.changes(call.elements)
    if not call.passes():
        tried.why = "the same call does not pass a second time"
        return tried
    call.elements.guide = call.expected
    clock.lap()
    for change in (*CHANGES[:BEFORE], *extra, *CHANGES[BEFORE:]):
        if not wanted(change.key):
            continue
        if not clock.has_time() and not needed(change.key):
            tried.is_whole = False
            continue
        _try(call, change, tried)
        clock.lap()
    if wanted("reach"):
        if clock.has_time(_BISECTED):
            tried.reach = _reach(call)
        else:
            tried.is_whole = False
    return tried


#: A value is wrong where it is further from what is expected than this many times the distance of the right one: what
#: differs from 0 by rounding alone is as right in another row, or as 0.
_WRONG = 2
#: How many changes of an array are worth more than one that needs an operation.
BEFORE = 2
#: How many tries finding the largest change takes, about.
_BISECTED = 30


class _Clock:
    """Says whether there is time for another try that takes as long as the last one did."""

    def __init__(self, until: float) -> None:
        self._until, self._took, self._last = until, 0.0, time.perf_counter()

    def lap(self) -> None:
        """Counts a try that is over."""
        now = time.perf_counter()
        self._took, self._last = now - self._last, now

    def has_time(self, tries: int = 1) -> bool:
        return time.perf_counter() + tries * self._took < self._until


def _try(call: Call, change: Change, tried: Tried) -> None:
    try:
        before = change.put(call.elements)
    except ChangesNothing:
        tried.absent[change.key] = "it changes nothing"
        return
    except NotHere as error:
        tried.absent[change.key] = str(error)
        return
    except Exception as error:  # what a framework does not have for this dtype
        tried.absent[change.key] = f"{type(error).__name__}: {error}"
        return
    try:
        passes = call.passes()
        changed = call.distances() if passes and change.key != "zero_sign" else None
    finally:
        call.elements.put(before.index, before.values)
    if not passes:
        tried.refused.append(change.key)
    elif changed is not None and call.wrong_by(changed) <= _WRONG:
        tried.absent[change.key] = "the value is then about as far from what is expected as it was"
    else:
        tried.passed.append(change.key)


class Steps:
    """Counts the numbers of a format from one of them away from 0."""

    def __init__(self, number: Any) -> None:
        self._number = number
        if number.dtype.kind in "iu":
            limits = np.iinfo(number.dtype)
            self.most = int(limits.max) - int(number) if number >= 0 else int(number) - int(limits.min)
            return
        self._bits = int(number.view(f"u{number.dtype.itemsize}"))
        sign = 1 << (8 * number.dtype.itemsize - 1)
        greatest = np.array(ml_dtypes.finfo(number.dtype).max, number.dtype)  # type: ignore[no-untyped-call]
        self.most = int(greatest.view(f"u{number.dtype.itemsize}")) - (self._bits & (sign - 1))

    def at(self, count: int) -> Any:
        """Returns the number that many steps further from 0."""
        number = self._number
        if number.dtype.kind in "iu":
            return number.dtype.type(int(number) + (count if number >= 0 else -count))
        return np.array(self._bits + count, f"u{number.dtype.itemsize}").view(number.dtype)[()]


def _reach(call: Call) -> "Reach | None":
    """Bisects the steps away from 0 of an element of middle magnitude."""
    elements = call.elements
    place = elements.middling
    if place is None:
        return None
    number = elements.read(place).reshape(())[()]
    steps = Steps(number)

    def passes(count: int) -> bool:
        before = elements.put(place, elements.number(steps.at(count)))
        try:
            return call.passes()
        finally:
            elements.put(place, before)

    return _found(steps, passes, elements)


def _found(steps: Steps, passes: "Callable[[int], bool]", elements: Elements) -> Reach:
    """Doubles the steps until a change is refused, then halves what is between, to a sixteenth of the distance."""

    def distance(count: int) -> float:
        return abs(float(steps.at(count)) - float(steps.at(0)))

    low, high = 0, 1
    while high <= steps.most and passes(high):
        low, high = high, high * 2
    if high > steps.most:
        if low == steps.most or passes(steps.most):
            return Reach(None, math.inf, math.inf)
        high = steps.most
    while high - low > 1 and distance(high) - distance(low) > distance(low) / 16:
        middle = (low + high) // 2
        low, high = (middle, high) if passes(middle) else (low, middle)
    by, largest = distance(low), (elements.guide or elements).largest()
    return Reach(low, by, by / largest if largest else math.inf)
