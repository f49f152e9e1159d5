"""What is known of each assertion: by site, and there by format and tolerance."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from .._changes import CHANGES
from ._repeat import BEFORE, Reach, Tried
from ._site import Site

#: Changes in order of worth; "lost_term" is of assertions whose operation is known.
KEYS = (*(each.key for each in CHANGES[:BEFORE]), "lost_term", *(each.key for each in CHANGES[BEFORE:]))
#: Most shapes and tests that are kept of a row.
_KEPT = 4


@dataclass
class Row:
    """The calls at one site of one function, of one format and tolerance."""

    site: Site
    text: str  #: the line
    function: str  #: "torch.testing.assert_close"
    format: str  #: "F32"
    tolerance: "dict[str, float | None]"
    tolerance_text: str
    calls: int = 0
    repeated: int = 0  #: calls that were made again
    skipped: "Counter[str]" = field(default_factory=Counter)  #: calls of which nothing was tried, by the reason
    passed: "Counter[str]" = field(default_factory=Counter)  #: tries of a change that pass
    tried: "Counter[str]" = field(default_factory=Counter)
    absent: "dict[str, str]" = field(default_factory=dict)
    shapes: "list[list[int]]" = field(default_factory=list)
    elements: int = 0  #: of the largest value
    tests: "list[str]" = field(default_factory=list)
    reach: "Reach | None" = None  #: the farthest of its calls
    known: "list[dict[str, Any]]" = field(default_factory=list)  #: what the operation of a value permits
    paste: str = ""  #: the line to have in place of the assertion

    @property
    def key(self) -> "tuple[Any, ...]":
        """What rows are told apart by."""
        return (self.site, self.function, self.format, self.tolerance_text)

    def take(self, tried: Tried) -> None:
        """Adds what became of one call."""
        if tried.why:
            self.skipped[tried.why] += 1
            return
        self.repeated += 1
        for key in tried.passed:
            self.passed[key] += 1
        for key in (*tried.passed, *tried.refused):
            self.tried[key] += 1
            self.absent.pop(key, None)
        for key, why in tried.absent.items():
            if key not in self.tried:
                self.absent[key] = why
        if tried.reach is not None:
            self.reach = max(self.reach or tried.reach, tried.reach, key=lambda each: each.relative)

    def saw(self, shape: "Sequence[int]", test: str) -> None:
        """Counts a call."""
        self.calls += 1
        if list(shape) not in self.shapes and len(self.shapes) < _KEPT:
            self.shapes.append(list(shape))
        size = 1
        for extent in shape:
            size *= extent
        self.elements = max(self.elements, size)
        if test and test not in self.tests and len(self.tests) < _KEPT:
            self.tests.append(test)

    @property
    def passes(self) -> "list[str]":
        """The changes that passed at least once, in order of worth."""
        return [key for key in KEYS if self.passed[key]]

    @property
    def worth(self) -> "tuple[Any, ...]":
        """What rows are sorted by: the worst is the greatest."""
        marks = tuple(bool(self.passed[key]) for key in KEYS)
        return (marks[0], sum(marks[:9]), marks, self.reach.relative if self.reach else 0.0, self.calls)


def _finite(value: Any) -> Any:
    """Returns what JSON can say: None stands for what is not finite."""
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def written(row: Row) -> "dict[str, Any]":
    """Returns a row for JSON and for other processes."""
    data: "dict[str, Any]" = _finite(asdict(row))
    return {**data, "skipped": dict(row.skipped), "passed": dict(row.passed), "tried": dict(row.tried)}


def read(data: "Mapping[str, Any]") -> Row:
    """Reads what written() has written."""
    reach, given = None, data["reach"]
    if given is not None:
        by, relative = (math.inf if given[name] is None else given[name] for name in ("by", "relative"))
        reach = Reach(given["ulps"], by, relative)
    counters = {name: Counter(data[name]) for name in ("skipped", "passed", "tried")}
    return Row(**{**data, "site": Site(**data["site"]), "reach": reach, **counters})


def merge(rows: "dict[tuple[Any, ...], Row]", other: Row) -> None:
    """Adds a row of another process."""
    row = rows.setdefault(other.key, other)
    if row is other:
        return
    row.calls, row.repeated = row.calls + other.calls, row.repeated + other.repeated
    for mine, theirs in ((row.skipped, other.skipped), (row.passed, other.passed), (row.tried, other.tried)):
        mine.update(theirs)
    row.absent = {k: why for k, why in {**other.absent, **row.absent}.items() if not row.tried[k]}
    row.shapes = (row.shapes + [each for each in other.shapes if each not in row.shapes])[:_KEPT]
    row.tests = (row.tests + [each for each in other.tests if each not in row.tests])[:_KEPT]
    row.elements = max(row.elements, other.elements)
    if other.reach is not None:
        row.reach = max(row.reach or other.reach, other.reach, key=lambda each: each.relative)
    row.known, row.paste = row.known or other.known, row.paste or other.paste
