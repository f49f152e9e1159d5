"""Why one element is permitted or not."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any
from collections.abc import Mapping

import numpy as np

from . import _library
from ._case import Case, observed_bytes
from ._contract import Contract
from ._formats import number_of
from ._judge import contract_options
from ._notes import Notes
from ._prepare import prepare
from ._tracing import untraced


@dataclass(frozen=True)
class ExplainedPath:
    """What one path of a contract permits of an element: one way to take products, sum them, and end in the output."""

    member: str  #: the choice that it belongs to, where the contract leaves one open; else ""
    terms: str
    sum: str
    ending: str
    permitted: str  #: the set for people
    holds: "bool | None"  #: whether the observed bits are in it; None where nothing was observed
    steps: "int | None"  #: else how many numbers of the format they are away; None where there is no distance


@dataclass(frozen=True)
class PermittingWord:
    """A word of the contract that would permit what was observed, or words of one field that permit as much."""

    text: str  #: 'accumulate "F32"'
    meaning: str  #: of its field
    permits: float  #: how many encodings of the output's format are permitted then
    is_vacuous: bool  #: so many that garbage would pass too
    in_run: bool  #: only with poison in inputs that may not be read, as a run of negzero has them


@dataclass(frozen=True)
class Explanation:
    """Why one element is permitted or not. str() of it is all of this for people, over several lines."""

    element: str  #: "d[0,3,5]", in the operation's shape
    contract: "Mapping[str, Any]"
    observed: "np.generic | None"  #: in the output's dtype; None where nothing was observed
    permitted: "bool | None"  #: whether the contract permits it; None where nothing was observed
    facts: str  #: the exact result, the bound and the rule, in a few lines
    paths: "tuple[ExplainedPath, ...]"  #: none of selections, conversions and sums of integers
    words: "tuple[PermittingWord, ...]"  #: of an element that is not permitted, the likeliest first; none of large cases
    text: str
    report: "Mapping[str, Any]" = field(repr=False)  #: the library's own words
    case: Case = field(repr=False)

    def __bool__(self) -> bool:
        raise TypeError("an Explanation is neither true nor false; ask explanation.permitted")

    def __str__(self) -> str:
        return self.text


@untraced
def explain(
    case: Case,
    element: "str | None" = None,
    observed: object = None,
    contract: "str | Contract | None" = None,
) -> Explanation:
    """Says why an element of a case is permitted or not: what each path of the contract permits of it.

        judgement = negzero.judge(d, "gemm", a=a, b=b)
        print(negzero.explain(judgement.case, observed=d))

    case       of negzero.case(), load() or Judgement.case
    element    its name in the operation's shape, which has all leading dimensions in one: "d[0,3,5]"; where it is
               missing, the worst element that is not permitted, else the first
    observed   what was computed, as negzero.judge() takes it of a case: an array, a dict of arrays by name, or the
               pathlib.Path of a safetensors file; where it is missing, no more is said than what is permitted
    contract   as negzero.judge() takes it; where it is missing, the case's own, else the one that is assumed

    Returns an Explanation, whose str() is text. Where the observed element is not permitted, its `words` are those of a
    contract that would permit it, each alone.

    Raises TypeError or ValueError, which name argument and cure; OSError as open(); LibraryError where negzero itself
    fails.
    """
    if not isinstance(case, Case):
        raise TypeError(f"case: a {type(case).__name__}; give what negzero.case(), load() or Judgement.case is")
    if element is not None and not isinstance(element, str):
        raise TypeError(f"element: a {type(element).__name__}; give an element's name, 'd[0,3,5]' for one")
    data = b""
    if observed is not None:
        data = observed_bytes(case, prepare(observed, case, (), contract, {}, Notes()).observed)
    options = contract_options(case, contract)
    if element is not None:
        options["element"] = element
    return _explanation_of(_library.explain(case.data, data, options), case)


def _explanation_of(report: "Mapping[str, Any]", case: Case) -> Explanation:
    seen = report["observed"]
    return Explanation(
        element=report["element"],
        contract=report["contract"],
        observed=None if seen is None else number_of(seen[1], case.outputs[report["element"].partition("[")[0]][1]),
        permitted=report["is_permitted"],
        facts=report["facts"],
        paths=tuple(ExplainedPath(**_of(ExplainedPath, row)) for row in report["paths"]),
        words=tuple(PermittingWord(**_of(PermittingWord, row)) for row in report["words"]),
        text=report["text"].rstrip("\n"),
        report=report,
        case=case,
    )


def _of(kind: Any, row: "Mapping[str, Any]") -> "dict[str, Any]":
    return {each.name: row[each.name] for each in fields(kind)}
