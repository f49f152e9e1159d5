"""Asks whether a result is permitted, for programs that choose between kernels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ._contract import Contract
from ._judge import judge
from ._judgement import Judgement
from ._tracing import untraced


@dataclass(frozen=True)
class Acceptance:
    """A bool with its reason."""

    accepted: bool
    reason: str  #: one line: the verdict, with the worst element; why nothing was decided; the error
    judgement: "Judgement | None" = field(default=None, repr=False)
    error: "Exception | None" = field(default=None, repr=False)  #: what judging raised

    def __bool__(self) -> bool:
        return self.accepted

    def __str__(self) -> str:
        return self.reason


@untraced
def accept(
    observed: object,
    operation: object,
    *arguments: Any,
    contract: "str | Contract | None" = None,
    seconds: float = 0.03,
    **options: Any,
) -> Acceptance:
    """Says whether a result is permitted, and raises nothing: for autotuners, which leave out what is wrong.

        if not negzero.accept(kernel(a, b, BLOCK=64), "gemm", a=a, b=b): ...

    Takes what negzero.judge() takes; of a large result, elements are judged for about `seconds`. It is true where all
    of them are permitted. It is false where one is not, where nothing was decided, and where the result could not be
    judged, as of another shape: Acceptance.reason says which, and Acceptance.error is what was raised.
    """
    try:
        judgement = judge(observed, operation, *arguments, contract=contract, seconds=seconds, **options)
    except Exception as error:
        return Acceptance(False, f"not judged: {error}".splitlines()[0], None, error)
    reason = judgement.text.splitlines()[0]
    if judgement.worst and not judgement.permitted:
        reason += f"; {str(judgement.worst[0]).splitlines()[0]}"
    return Acceptance(judgement.permitted, reason, judgement)
