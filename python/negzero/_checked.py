"""What became of a check: nothing, or a counterexample."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from collections.abc import Mapping

from ._case import Case


class Counterexample(AssertionError):
    """A case on which a function breaks its contract or a claim. The text has the case, and lines that show it."""

    __module__ = "negzero"

    def __init__(self, text: str, case: Case, report: "Mapping[str, Any]", path: str = "") -> None:
        super().__init__(text)
        self.case = case  #: the smallest case that fails
        self.report = (
            report  #: "class", "rule", "message", "output", "coordinates", ...: see negzero_check in negzero.h
        )
        self.path = path  #: where the case is saved; "" where it is not

    def __reduce__(self) -> Any:
        return type(self), (self.args[0], self.case, self.report, self.path)


@dataclass(frozen=True)
class Checked:
    """What a check without a finding has looked at."""

    function: str
    operation: str
    passed: int  #: cases whose outcome is permitted, or within the declared error of a reference
    not_judged: int  #: cases of a declared operation that ran clean, and whose values nothing was held to: no passes
    undecided: int  #: cases that count for nothing: without an element of output, or on which nothing could have failed
    held: int  #: cases that were held to one of the claims
    launches: int  #: calls of the function
    seconds: float
    seed: int
    contract_text: str = field(repr=False)
    is_declared: bool = field(repr=False)  #: whether a line of the caller's declares the operation
    unchecked: "tuple[str, ...]"  #: what could not be checked, and why
    accepted: "tuple[str, ...]" = ()  #: findings that a ledger accepts, each with how many cases failed so
    warning: str = ""  #: the first one, with how many cases have one

    @property
    def text(self) -> str:
        """All of this for people."""
        undecided = f" ({self.undecided:,} more decide nothing)" if self.undecided else ""
        outcome = f"{self.passed:,} cases {'within the declared error' if self.is_declared else 'permitted'}"
        if self.not_judged:
            clean = f"{self.not_judged:,} cases ran clean, their values not judged"
            outcome = f"{outcome}, {clean}" if self.passed else clean
        lines = [
            f"{self.function}: {self.operation}: {outcome}{undecided}; "
            f"{self.launches:,} calls in {self.seconds:.1f} s; seed {self.seed}",
            f"{'declared' if self.is_declared else 'contract'}: {self.contract_text}",
        ]
        lines += [f"accepted: {each}" for each in self.accepted]
        lines += [f"warning: {self.warning}"] if self.warning else []
        return "\n".join([*lines, *(f"not checked: {each}" for each in self.unchecked)])

    def __str__(self) -> str:
        return self.text
