"""Changes drawn inputs before a function sees them, where values have relations that no range says."""

from __future__ import annotations

import inspect
import json
from typing import Any, Callable
from collections.abc import Mapping

import numpy as np

from ._calling import CalledBack, exception_line, numbers_of
from ._images import Images
from ._library import Launch
from ._operations import Signature
from ._parameters import Parameters, name_of


class Preparation(CalledBack):
    """The user's function, called on the packed inputs of each case."""

    called = "prepare"

    def __init__(self, fn: "Callable[..., Any]", signature: Signature, has_batch: bool) -> None:
        names = _taken(fn, signature)
        inputs = tuple(tensor.name for tensor in signature.inputs if tensor.name in names)
        scalars = tuple(name for name in signature.scalars if name in names)
        extents = tuple(name for name in signature.named_extents if name in names)
        self.inputs = tuple(name for name in names if name in inputs)
        super().__init__(fn, signature, Parameters(inputs, (), scalars, (), {}, extents), Images(), has_batch)

    @property
    def problem(self) -> str:
        """Says what the function raised."""
        return f"prepare: {name_of(self.fn)} failed on a case: {exception_line(self.raised, self.fn)}"

    def launch(self, launch: Launch) -> int:
        """Prepares one case. Raises nothing."""
        return self.answer(launch, lambda: self._prepare(json.loads(launch.plan)))

    def _prepare(self, plan: "dict[str, Any]") -> None:
        buffers = plan["buffers"]
        for name in self.without_batch:
            if name in buffers:
                del buffers[name]["shape"][0], buffers[name]["strides"][0]
        # None for an optional input that the case is without.
        values: dict[str, Any] = {
            name: self.images.on_host(buffers[name]) if name in buffers else None for name in self.parameters.inputs
        }
        values.update(numbers_of(plan, self.signature, self.parameters))
        with np.errstate(all="ignore"):
            for name, given in self._named(self.fn(**values)).items():
                if values[name] is None:
                    if given is not None:
                        raise ValueError(f"it returned {name}, which this case is without; return None in its place")
                    continue
                target, array = values[name], np.asarray(given)
                if array.shape != target.shape:
                    raise ValueError(f"it returned {name} of shape {array.shape}, and the case has {target.shape}")
                if target.dtype.kind in "iub" and array.dtype.kind not in "iub":
                    raise TypeError(f"it returned {name} in {array.dtype.name}, and the case has {target.dtype.name}")
                target[...] = array.astype(target.dtype)

    def _named(self, result: Any) -> "Mapping[str, Any]":
        """Returns the inputs that the function returned, by name."""
        if result is None:
            return {}
        if isinstance(result, Mapping):
            for name in result:
                if name not in self.inputs:
                    raise ValueError(f"it returned {name!r}; return some of {', '.join(self.inputs)}")
            return result
        results = result if isinstance(result, (tuple, list)) else (result,)
        if len(results) != len(self.inputs):
            raise TypeError(
                f"it returned {len(results)} array{'' if len(results) == 1 else 's'}; return {', '.join(self.inputs)}, "
                "a dict of some of them, or None where they are changed in place"
            )
        return dict(zip(self.inputs, results))


def _taken(fn: object, signature: Signature) -> "tuple[str, ...]":
    """Returns the names that the function takes. Raises TypeError for one that is no input, no scalar and
    no extent."""
    if not callable(fn):
        raise TypeError(f"prepare: a {type(fn).__name__} cannot be called; give a function of inputs")
    names = []
    inputs = [tensor.name for tensor in signature.inputs]
    known = [*inputs, *signature.scalars, *signature.named_extents]
    for parameter in inspect.signature(fn).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.name in known and parameter.kind is not parameter.POSITIONAL_ONLY:
            names.append(parameter.name)
        elif parameter.default is parameter.empty:
            raise TypeError(
                f"prepare: {name_of(fn)} takes {parameter.name}; name its parameters as {signature.name} does: "
                f"{', '.join(known)}"
            )
    if not any(name in inputs for name in names):
        raise TypeError(f"prepare: {name_of(fn)} takes no input of {signature.name}; it has {', '.join(known)}")
    return tuple(names)
