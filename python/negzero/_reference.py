"""What the values of a declared operation are held to: another function, and how far from it they may be."""

from __future__ import annotations

import json
import math
from typing import Any, Callable
from collections.abc import Mapping

import numpy as np

from ._arrays import as_places
from ._calling import Call, CalledBack, exception_line, extents_of
from ._formats import HALVES, pack_halves, unpack_halves
from ._images import Images
from ._library import STOP, Launch
from ._operations import Signature, signature_of
from ._parameters import name_of, parameters_of
from ._wider import is_wanted

#: What an error may say, as docs/reference/worker_protocol.md has it, and what concerns functions alone.
_OF_ERRORS = ("ulps", "relative", "wraps")


def reference_option(
    signature: Signature, kernel: str, error: object, specials: object, wrapping: "set[str] | None" = None
) -> "dict[str, Any]":
    """Returns what a kernel declares of its reference, and puts outputs whose integers wrap into `wrapping`.

    Raises TypeError or ValueError, which say what there may be.
    """
    if not signature.declared:
        raise ValueError(f"reference: {signature.name} ships, and its contract says what is right; leave it out")
    if error is None:
        raise TypeError(
            "error: how far values may be from the reference's is missing; for sums and exponentials give "
            "{'ulps': 1, 'relative': 2**-23} and let the reference return a scale too, (y, y_scale); for one or two "
            "operations a whole number of ulps, such as 4 (docs/how-to/your_operation.md, The error)"
        )
    outputs = [tensor.name for tensor in signature.outputs]
    is_by_output = isinstance(error, Mapping) and not set(error) <= set(_OF_ERRORS)
    given = dict(error) if is_by_output else dict.fromkeys(outputs, error)  # type: ignore[call-overload]
    for name in given:
        if name not in outputs:
            raise ValueError(f"error: {name!r} is no output of {signature.name}; give some of {', '.join(outputs)}")
    errors = {name: _error(name, given.get(name, 0)) for name in outputs}
    if wrapping is not None:
        wrapping.update(name for name, each in errors.items() if each != "any" and each.get("wraps"))
    for name, each in errors.items():
        if each != "any" and each.pop("wraps", False) and wrapping is None:
            raise ValueError(f"error: {name} has wraps, and a reference that is a kernel wraps by itself; leave it out")
    return {"kernel": kernel, "errors": errors, **_specials(specials)}


def _error(name: str, error: Any) -> "str | dict[str, Any]":
    if error == "any":
        return "any"
    if isinstance(error, Mapping):
        for key in error:
            if key not in _OF_ERRORS:
                raise ValueError(f"error: {name} has {key!r}; give ulps, relative, or both, and wraps for an integer")
        said = dict(error)
    elif isinstance(error, float):
        said = {"relative": error}
    else:
        said = {"ulps": error}
    ulps, relative = said.get("ulps", 0), said.get("relative", 0.0)
    if isinstance(ulps, bool) or not isinstance(ulps, int) or ulps < 0:
        raise ValueError(
            f"error: {name} has {ulps!r} ulps; give a whole number from 0, or a float for a relative error"
        )
    if isinstance(relative, bool) or not isinstance(relative, (int, float)) or not 0 <= relative < math.inf:
        raise ValueError(f"error: {name} has a relative error of {relative!r}; give a number from 0")
    if not isinstance(said.get("wraps", False), bool):
        raise ValueError(f"error: {name} has wraps {said['wraps']!r}; give True or False")
    return said


def _specials(specials: Any) -> "dict[str, Any]":
    if specials is None:
        return {}
    known = {"nan": ("same", "any"), "zero_signs": (False, True)}
    if not isinstance(specials, Mapping):
        raise TypeError(f"specials: a {type(specials).__name__}; give a dict: {{'nan': 'any', 'zero_signs': True}}")
    for key, value in specials.items():
        if key not in known:
            raise ValueError(f"specials: {key!r} is none; give nan, zero_signs, or both")
        if value not in known[key]:
            raise ValueError(f"specials: {key} is {value!r}; give one of {', '.join(map(repr, known[key]))}")
    return dict(specials)


class Reference(CalledBack):
    """A function that gives what is right, called on NumPy's arrays in float64; integers are as they are."""

    called = "the reference"

    def __init__(
        self,
        fn: "Callable[..., Any]",
        signature: Signature,
        option: "Mapping[str, Any]",
        wrapping: "frozenset[str] | set[str]" = frozenset(),
    ) -> None:
        errors = option["errors"]
        relative = [
            tensor
            for tensor in signature.outputs
            if errors[tensor.name] != "any" and errors[tensor.name].get("relative")
        ]
        scales = [f"{tensor.name}_scale[{', '.join(tensor.shape)}]" for tensor in relative]
        outputs, operands = signature.definition.split(" <-", 1)
        own = signature_of(f"{signature.name}.reference: {', '.join([outputs, *scales])} <-{operands}")
        super().__init__(fn, own, parameters_of(fn, own, "reference"), Images(), True)
        self._wrapping = wrapping  #: outputs whose integers are taken modulo 2^bits
        self._scaled = [tensor.name for tensor in relative]
        self._shape = ""  #: of the last case, for messages: "rows 1, columns 0"
        self._empty = ""  #: its first extent that is 0

    def wanted(self) -> str:
        """Says what the reference must return, and why a scale is among it."""
        if not self._scaled:
            return super().wanted()
        name = self._scaled[0]
        return (
            f"and must return ({', '.join(self._outputs)}), as error= is relative to {name}_scale: an array shaped as "
            f"{name}, the size of the terms behind each element, such as abs({name}) * (how many are added + 16); an "
            "error in ulps, error=4, needs no scale"
        )

    @property
    def problem(self) -> str:
        """Says what the function raised, and on which case; empty where it raised nothing."""
        if self.raised is None:
            return ""
        line = exception_line(self.raised, self.fn)
        text = f"reference: {name_of(self.fn)} failed on a case ({self._shape}), so nothing is known: {line}"
        if self._empty and isinstance(self.raised, (ValueError, ArithmeticError, IndexError)):
            text += (
                f"; {self._empty} is 0 here: let the reference take empty arrays (NumPy's max and min need initial=), "
                f'or declare limits={{"{self._empty}": {{"least": 1}}}} if callers never give them'
            )
        return text

    def launch(self, launch: Launch) -> int:
        """Calls the function once. Raises nothing. What it raises where it is called again decides nothing."""
        if self.raised is not None:
            return STOP
        plan = json.loads(launch.plan)
        self._remember(plan)
        answer = self.answer(launch, lambda: self.call(self.prepare(plan)))
        if is_wanted(plan):
            self.raised = None
        return answer

    def prepare(self, plan: "dict[str, Any]") -> Call:
        """Makes the arguments of one call: codes of 4 bits are numbers, one an element."""
        prepared = super().prepare(plan)
        for tensor in self.signature.inputs:
            buffer = plan["buffers"].get(tensor.name)
            if buffer is not None and buffer["format"] in HALVES and tensor.name in prepared.values:
                line = plan["extents"][tensor.shape[-1]] if tensor.shape else 1
                prepared.values[tensor.name] = unpack_halves(prepared.values[tensor.name], buffer["format"], line)
        return prepared

    def as_stored(self, name: str, result: object, format_name: str, target: np.ndarray) -> object:
        """Returns codes of 4 bits, which a reference gives as integers, two a byte, and integers as they wrap."""
        if format_name in HALVES and type(result) is np.ndarray:
            return pack_halves(result)
        if type(result) is np.ndarray and result.dtype.kind in "iu" and target.dtype.kind in "iu":
            if name in self._wrapping:
                return result.astype(target.dtype)  # NumPy's conversions of integers are modulo 2^bits.
            cure = f"; error={{'{name}': {{'wraps': True}}}} takes them modulo 2^{8 * target.dtype.itemsize}"
            return as_places(result, f"{self.called}'s result {name}", target.dtype, cure)
        return super().as_stored(name, result, format_name, target)

    def _remember(self, plan: "Mapping[str, Any]") -> None:
        """Keeps the extents of a case for messages."""
        extents: "dict[str, int]" = {}
        for tensor in (*self.signature.inputs, *self.signature.outputs):
            if tensor.name in plan["buffers"]:
                extents.update(extents_of(tensor, plan["buffers"][tensor.name]))
        self._shape = ", ".join(f"{name} {extent}" for name, extent in extents.items())
        self._empty = next((name for name, extent in extents.items() if extent == 0), "")
