"""What the value of an assertion is the result of, where the test says so or a function's call was seen."""

from __future__ import annotations

import operator
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import CodeType, TracebackType
from typing import Any

import numpy as np

from .._changes import Change, Edit, NotHere
from .._contract import Contract
from .._elements import Elements
from .._framework_elements import NoElements, elements_of
from .._frameworks import is_array
from .._functions import function_of
from .._judge import contract_options, judge
from .._mutants import without_last_term
from .._operations import signature_of
from .._prepare import unobserved
from .._sets import contents_of, plausible, sets_of
from .._tolerance import tolerance
from ._call import Call, copied
from ._hook import Watched
from ._site import arguments_of, call_at

#: Most products or elements of a case whose term is dropped.
_MOST_WORK = 1 << 22
#: Seconds that a judgement samples elements for.
_SECONDS = 0.2
#: Most results of recorded functions that are remembered of a test.
_MOST_SEEN = 64
_MOST_COMPARED = 1 << 20


@dataclass
class Operation:
    """An operation or a function with its operands, as they were then."""

    name: str
    arguments: "Sequence[Any]"
    operands: "Mapping[str, Any]"
    contract: "str | Contract | None" = None
    written: "tuple[list[str], dict[str, str]]" = field(default_factory=lambda: ([], {}))
    observed: str = ""  #: how the value under test is written

    def changes(self, elements: Elements) -> "tuple[Change, ...]":
        """Returns the changes that need an operation."""
        what = "the last term of each sum is left out, of what the contract permits"
        return (Change("lost_term", "last term dropped", what, self._without_last_term),)

    def _without_last_term(self, elements: Elements) -> Edit:
        try:
            dtype = None if function_of(self.name) is not None else elements.dtype
            prepared = unobserved(self.name, self.arguments, self.contract, dtype, self.operands)
            contents = contents_of(prepared.case.data, contract_options(prepared.case, self.contract))
        except (TypeError, ValueError) as error:
            raise NotHere(str(error)) from error
        if contents.work > _MOST_WORK:
            raise NotHere(f"{contents.work:,} products are more than {_MOST_WORK:,}")
        output = contents.signature.outputs[0].name
        sets = sets_of(contents)
        wrong = without_last_term(contents, plausible(contents, sets))[output]
        view = prepared.views.get(output)
        wrong = view.to_caller(wrong) if view is not None else wrong
        if wrong.size != elements.size:
            raise NotHere(f"the value has {elements.size:,} elements, and the operation gives {wrong.size:,}")
        return Edit(..., elements.taken(wrong.reshape(elements.shape)))

    def judged(self, call: Call) -> "tuple[list[dict[str, Any]], str]":
        """Says of the value and of what it is compared with whether they are permitted; and the line to paste."""
        expected = call.expected
        known = [self._judgement("observed", call.elements.array)]
        if expected is not None and expected.shape == call.elements.shape:
            known.append(self._judgement("expected", call.elements.taken(expected.read(...))))
        try:
            dtype = {} if function_of(self.name) is not None else {"out_dtype": call.elements.dtype}
            least = tolerance(self.name, *self.arguments, contract=self.contract, **dtype, **self.operands)
            known.append({"who": "tolerance", "atol": least.atol, "zeros_pass": least.zeros_pass})
        except Exception as error:
            known.append({"who": "tolerance", "why": str(error)})
        is_judged = any(each.get("verdict") not in (None, "not judged") for each in known)
        return known, self.paste if is_judged else ""

    def _judgement(self, who: str, value: Any) -> "dict[str, Any]":
        try:
            done = judge(value, self.name, *self.arguments, contract=self.contract, seconds=_SECONDS, **self.operands)
        except Exception as error:
            return {"who": who, "verdict": "not judged", "text": str(error).splitlines()[0]}
        return {"who": who, "verdict": done.verdict, "text": done.text.splitlines()[0]}

    @property
    def paste(self) -> str:
        """The line of assert_permitted() that takes the place of the assertion."""
        arguments, keywords = self.written
        if not self.observed or not (arguments or keywords):
            return ""
        words = [self.observed, repr(self.name), *arguments]
        words += [f"{name}={text}" for name, text in keywords.items() if name != "operation"]
        return f"negzero.assert_permitted({', '.join(words)})"


class operation:
    """Says what the assertions inside are about, for `pytest --negzero-assertions`; without it, it does nothing.

        with negzero.operation("gemm", a=a, b=b):
            torch.testing.assert_close(out, expected, rtol=1e-2, atol=1e-2)

    The report then says whether `out` and `expected` are permitted, the least atol that permitted results keep, whether
    a lost term would pass, and the line of assert_permitted() to have in place of the assertion. Takes the operation,
    or a function by name, with what negzero.judge() takes with it.
    """

    def __init__(
        self, operation: object, *arguments: Any, contract: "str | Contract | None" = None, **operands: Any
    ) -> None:
        """Raises what negzero.judge() raises for a name that it does not know."""
        function = function_of(operation)
        name = function.name if function is not None else signature_of(operation).name
        self._about = Operation(name, arguments, operands, contract)
        frame = sys._getframe(1)
        self._place = frame.f_code.co_filename, frame.f_lineno

    def __enter__(self) -> operation:
        _stack().append(self)
        return self

    def __exit__(
        self, kind: "type[BaseException] | None", error: "BaseException | None", trace: "TracebackType | None"
    ) -> None:
        _stack().remove(self)

    def kept(self) -> Operation:
        """Returns what the assertions are about, with the operands as they are now."""
        arguments, keywords = arguments_of(call_at(*self._place, "operation"))
        about = self._about
        arguments = arguments if "operation" in keywords else arguments[1:]
        return replace(
            about,
            arguments=copied(tuple(about.arguments)),
            operands=copied(dict(about.operands)),
            written=(arguments, keywords),
        )


_local = threading.local()


def _stack() -> "list[operation]":
    if not hasattr(_local, "stack"):
        _local.stack = []
    stack: "list[operation]" = _local.stack
    return stack


def current_operation() -> "Operation | None":
    """Returns what the innermost `with negzero.operation(...)` of this thread says."""
    return _stack()[-1].kept() if _stack() else None


class Seen:
    """Results of functions by name, for as long as a test runs."""

    def __init__(self, names: "Sequence[str]") -> None:
        """Raises ValueError for what is no function that negzero knows."""
        self.watched: "list[Watched]" = []
        self._results: "list[tuple[Any, Operation, tuple[CodeType, int]]]" = []
        for name in names:
            function = function_of(name)
            if function is None:
                raise ValueError(f"{name!r} is no function by its full name; negzero.functions() lists them")
            for each in (function.name, *function.aliases):
                module, _, last = each.rpartition(".")
                owner = module.rpartition(".")[2]
                if owner[:1].isupper():  # a class of the module
                    module, last = module.rpartition(".")[0], f"{owner}.{last}"
                self.watched.append(Watched(module, last, self._teller(function.name)))

    def _teller(self, name: str) -> Any:
        def told(function: Any, result: Any, arguments: Any, keywords: Any, frame: Any) -> None:
            if not is_array(result) or len(self._results) >= _MOST_SEEN:
                return
            about = Operation(name, copied(tuple(arguments)), copied(dict(keywords)))
            self._results.append((result, about, (frame.f_code, frame.f_lineno)))

        return told

    def forget(self) -> None:
        """Forgets results, whose test is over."""
        self._results.clear()

    def operation_of(
        self, arguments: "Sequence[Any]", keywords: "Mapping[str, Any]", code: CodeType
    ) -> "Operation | None":
        """Returns the call whose result an assertion was given, as it is or converted to another dtype.

        How its arguments are written is known where the call stands in the same function, whose code that is.
        """
        values = [each for each in (*arguments, *keywords.values()) if is_array(each)]
        for is_same in (operator.is_, _is_equal):
            for result, about, (there, line) in reversed(self._results):
                if any(is_same(result, value) for value in values):
                    call = call_at(there.co_filename, line, about.name) if there is code else None
                    known: Operation = replace(about, written=arguments_of(call))
                    return known
        return None


def _is_equal(result: Any, value: Any) -> bool:
    if tuple(result.shape) != tuple(value.shape):
        return False
    try:
        a, b = elements_of(result), elements_of(value)
        if a.size > _MOST_COMPARED:
            return False
        with np.errstate(all="ignore"):
            return bool(np.array_equal(a.read(...).astype(b.dtype), b.read(...), equal_nan=a.is_float and b.is_float))
    except NoElements:
        return False
