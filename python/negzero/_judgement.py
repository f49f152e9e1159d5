"""What is known of recorded results: a verdict, the worst elements, and what was assumed and not seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from collections.abc import Mapping

import numpy as np

from . import _safetensors
from ._case import Case
from ._formats import number_of
from ._functions import Promise, Result
from ._notes import Notes
from ._prepare import Prepared


@dataclass(frozen=True)
class Rule:
    """A rule that permits or forbids, with where it comes from."""

    id: str
    claim: str
    source: str


@dataclass(frozen=True)
class Element:
    """One element that the contract does not permit."""

    output: str
    index: "tuple[int, ...]"  #: in the caller's own shape
    observed: np.generic  #: in the output's dtype, with the bits that were observed
    low: "np.generic | None"  #: the smallest permitted number; None where no number is permitted
    high: "np.generic | None"  #: the greatest
    ulps: "int | None"  #: steps of the format to the nearest permitted number; None where there is no distance
    permitted: str  #: the permitted set for people, with NaN, infinities and zeros
    failure: str  #: "wrong_value", "nan" ...: the class
    direction: str  #: "too_low", "too_high", or "" where it has none
    rule: Rule
    explained: str  #: why, in words
    observed_text: str  #: "1.5 (0x3fc00000)"

    @property
    def place(self) -> str:
        """The element as people write it: d[3, 5]."""
        return f"{self.output}[{', '.join(map(str, self.index))}]"

    def __str__(self) -> str:
        distance = ""
        if self.ulps is not None:
            distance = f", {self.ulps:,} ulp{'s' if self.ulps != 1 else ''} {self.direction.replace('_', ' ')}".rstrip()
        lines = [
            f"{self.place} = {self.observed_text}{distance}",
            f"    permitted: {self.permitted}",
            f"    rule:      {self.rule.id}: {self.rule.claim} ({self.rule.source})",
        ]
        # The library's explanation repeats the rule in a line of its own.
        because = [line for line in self.explained.splitlines() if line and not line.startswith(f"{self.rule.id}:")]
        lines += [f"    because:   {line}" for line in because]
        return "\n".join(lines)


@dataclass(frozen=True)
class Judgement:
    """The verdict on recorded outputs. It has no truth value: ask `.permitted`, or call negzero.assert_permitted()."""

    verdict: str  #: "pass", "fail", "vacuous" (nothing could have failed) or "undecided"
    reason: str  #: of vacuous and undecided: why
    judged: int  #: elements that were judged
    of: int  #: elements that the outputs have
    failing: int  #: elements, of those judged, that the contract does not permit
    blind: "float | None"  #: share of the terms of the judged elements whose loss would pass
    worst: "tuple[Element, ...]"
    hints: "tuple[str, ...]"  #: contracts that permit all that was observed
    contract: "Mapping[str, Any]"
    contract_text: str  #: the contract for people
    assumed: str  #: what was assumed because no contract was given; "" where one was
    report: "Mapping[str, Any]" = field(repr=False)  #: the library's own words, with indices in the operation's shapes
    case: Case = field(repr=False)
    recorded: bytes = field(repr=False)  #: the outputs that were judged, as a safetensors file
    function: str = ""  #: the function whose promises are the contract, with its framework and switches; "" without one
    promises: "tuple[Promise, ...]" = ()  #: the sentences about that function which make the contract
    notes: "tuple[str, ...]" = ()  #: what was done to the arrays on their way here, and what their framework does

    @property
    def permitted(self) -> bool:
        """True where every judged element is permitted and the verdict means something; never for vacuous."""
        return self.verdict == "pass"

    def __bool__(self) -> bool:
        raise TypeError(
            "a Judgement is neither true nor false, as it may be vacuous or undecided; ask "
            "judgement.permitted, or call negzero.assert_permitted(), which raises"
        )

    @property
    def text(self) -> str:
        """All of this for people, over several lines, without a newline at the end."""
        lines = [self._headline(), *map(str, self.worst)]
        if 0 < len(self.worst) < self.failing:
            lines.append(f"and {many(self.failing - len(self.worst))} more that the contract does not permit")
        lines.append(f"contract: {self.assumed or self.contract_text}")
        if self.function:
            lines.append(f"function: {self.function}")
        if self.verdict == "fail":
            lines += [f"promise:  {promise.says} ({promise.source})" for promise in self.promises]
        lines += [f"hint: {hint}" for hint in self.hints]
        lines += [f"note: {note}" for note in self.notes]
        return "\n".join(lines)

    def _headline(self) -> str:
        count = f"{self.judged:,} of {self.of:,} elements judged"
        what = self.function.partition(" ")[0] or self.case.operation
        if self.verdict == "pass":
            return f"{what}: permitted; {count}{self._unseen()}"
        if self.verdict == "fail":
            return f"{what}: not permitted: {many(self.failing)}; {count}{self._unseen()}"
        return f"{what}: {self.verdict}: {self.reason}; {count}; this is no pass"

    def _unseen(self) -> str:
        if not self.blind:
            return ""
        return f"; {share(self.blind)} of their terms could be dropped unnoticed"

    def __str__(self) -> str:
        return self.text


def many(count: int, word: str = "element") -> str:
    """Writes a number of things: "1 element", "2,048 elements"."""
    return f"{count:,} {word}{'s' if count != 1 else ''}"


def share(part: float) -> str:
    """Writes a share as "59 %", in the program's words: never 0 % of what is some, nor 100 % of what is not all."""
    if 0 < part < 0.01:
        return "less than 1 %"
    if 0.99 < part < 1:
        return "more than 99 %"
    return f"{round(100 * part)} %"


def function_text(prepared: Prepared) -> str:
    """Returns "torch.mm of PyTorch 2.11.0: allow_tf32 False, ..."; "" where no function was called."""
    if prepared.function is None or prepared.call is None:
        return ""
    switches = ", ".join(f"{name} {value}" for name, value in prepared.call.switches.items())
    return f"{prepared.function.name} of {prepared.function.framework()}{f': {switches}' if switches else ''}"


def undecided(prepared: Prepared, observed: bytes, notes: Notes) -> Judgement:
    """Makes the Judgement on a function's call for which no contract is known."""
    assert prepared.call is not None
    reason = f"{prepared.call.undecided}; give contract= to judge by"
    of = sum(array.size for array in prepared.observed.values())
    report = {
        "version": 1, "verdict": "undecided", "reason": reason, "judged": 0, "of": of, "failing": 0, "blind": None,
        "open": 0, "contract": {}, "contract_text": "none", "assumed": "", "worst": [], "hints": [], "text": reason,
    }  # fmt: skip
    return judgement_of(report, prepared, observed, notes)


def judgement_of(report: Mapping[str, Any], prepared: Prepared, observed: bytes, notes: Notes) -> Judgement:
    """Makes a Judgement of the library's report, with indices as the caller sees the outputs."""
    case = prepared.case
    worst = tuple(_element(each, case, prepared.views) for each in report["worst"])
    tensors, _ = _safetensors.read(case.data, "the case")
    ends = [(element.low, element.high) for element in worst]
    return Judgement(
        verdict=report["verdict"],
        reason=report["reason"],
        judged=report["judged"],
        of=report["of"],
        failing=report["failing"],
        blind=report["blind"],
        worst=worst,
        hints=tuple(report["hints"]),
        contract=report["contract"],
        contract_text=report["contract_text"],
        assumed=report["assumed"],
        report=report,
        case=case,
        recorded=observed,
        function=function_text(prepared),
        promises=prepared.call.promises if prepared.call is not None and prepared.is_promised else (),
        notes=notes.lines(report["failing"], ends, tensors),
    )


def _element(row: Mapping[str, Any], case: Case, views: Mapping[str, Result]) -> Element:
    output = row["output"]
    dtype = case.outputs[output][1]

    def number(bits: "str | None") -> "np.generic | None":
        if bits is None:
            return None
        return number_of(bits, dtype)

    seen = number(row["observed_bits"])
    assert seen is not None
    return Element(
        output=output,
        index=views[output].index(row["element"]),
        observed=seen,
        low=number(row["low_bits"]),
        high=number(row["high_bits"]),
        ulps=row["ulps"],
        permitted=row["permitted"],
        failure=row["class"],
        direction=row["direction"],
        rule=Rule(**{key: row["rule"][key] for key in ("id", "claim", "source")}),
        explained=row["explained"],
        observed_text=row["observed"],
    )
