"""Finds what a function takes of an operation, from the names of its parameters."""

from __future__ import annotations

import functools
import inspect
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Callable
from collections.abc import Mapping, Sequence

from ._operations import Signature


@dataclass(frozen=True)
class Parameters:
    """What a function takes."""

    inputs: "tuple[str, ...]"
    outputs: "tuple[str, ...]"  #: that it writes itself; without any its result is taken
    scalars: "tuple[str, ...]"
    positional: "tuple[str, ...]"  #: those of all that go by their place
    options: "Mapping[str, int]"  #: choices of a launch beside its operands, each with its default
    extents: "tuple[str, ...]" = ()  #: of a declared operation: its parameters, and other extents by name

    def call(self, function: "Callable[..., Any]", values: "dict[str, Any]") -> Any:
        """Calls the function with what it takes."""
        return function(*[values.pop(name) for name in self.positional], **values)


def parameters_of(
    function: object,
    signature: Signature,
    argument: str = "fn",
    configuration: "Mapping[str, Sequence[int]]" = MappingProxyType({}),
) -> Parameters:
    """Reads a function's parameters. `configuration` are the values of its options, the default first.

    Raises TypeError, which names parameter and cure, for what does not fit.
    """
    if not callable(function):
        raise TypeError(f"{argument}: a {type(function).__name__} cannot be called; give a function")
    name = name_of(function)
    takes = f"{signature.name} has {signature.words} -> {', '.join(map(str, signature.outputs))}"
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        factors = ", ".join(tensor.name for tensor in signature.inputs if tensor.name not in signature.addends)
        raise TypeError(
            f"{argument}: {name} does not say what it takes; wrap it: lambda {factors}: {name}({factors})"
        ) from error
    inputs = [tensor.name for tensor in signature.inputs]
    outputs = [tensor.name for tensor in signature.outputs]
    known = {*inputs, *outputs, *signature.scalars, *signature.named_extents, *configuration}
    taken: list[str] = []
    positional: list[str] = []
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.name not in known:
            if parameter.default is parameter.empty:
                raise TypeError(
                    f"{argument}: {name} takes {parameter.name}, which is nothing of {signature.name}; {takes}: "
                    "rename it, or wrap the function in one that takes those names"
                )
            continue
        taken.append(parameter.name)
        if parameter.kind is parameter.POSITIONAL_ONLY:
            positional.append(parameter.name)
    _check(f"{argument}: {name}", signature, taken, takes)
    for option in configuration:
        if option not in taken:
            raise TypeError(
                f"{argument}: {name} does not take {option}, an option of limits; give it a parameter of that name, or "
                "leave the option out"
            )
    return Parameters(
        tuple(each for each in inputs if each in taken),
        tuple(each for each in outputs if each in taken),
        tuple(each for each in signature.scalars if each in taken),
        tuple(positional),
        {option: values[0] for option, values in configuration.items()},
        tuple(each for each in signature.named_extents if each in taken),
    )


def _check(name: str, signature: Signature, taken: "list[str]", takes: str) -> None:
    outputs = [tensor.name for tensor in signature.outputs]
    written = [each for each in outputs if each in taken]
    if written and written != outputs:
        missing = next(each for each in outputs if each not in taken)
        raise TypeError(f"{name} takes {written[0]} and not {missing}; {takes}: give it all outputs to write, or none")
    for tensor in signature.inputs:
        if tensor.name in taken or tensor.name in signature.addends:
            continue
        if tensor.role == "initial" and written:
            continue  # the output holds them
        raise TypeError(f"{name} does not take {tensor.name}; {takes}")
    for scalar in signature.scalars if signature.declared else ():
        if scalar not in taken:
            raise TypeError(f"{name} does not take {scalar}; {takes}")
    for parameter in signature.parameters:
        if parameter not in taken:
            raise TypeError(
                f"{name} does not take {parameter}, an extent that no tensor has; {takes}: give it a parameter of that "
                "name, which gets an int"
            )
    for addend, scalar in signature.addends.items():
        if scalar in taken and addend not in taken:
            raise TypeError(f"{name} takes {scalar} and not {addend}; {takes}")


def scalar_limits(signature: Signature, parameters: Parameters) -> "dict[str, str]":
    """Returns what alpha and beta may be where a function does not take them: {"alpha": "one", "beta": "zero"}."""
    limits = {}
    for scalar in () if signature.declared else signature.scalars:
        if scalar in parameters.scalars:
            continue
        addends = [tensor for tensor, factor in signature.addends.items() if factor == scalar]
        is_left_out = addends and addends[0] not in parameters.inputs
        limits[scalar] = "zero" if is_left_out else "one"
    return limits


def name_of(function: object) -> str:
    """Returns a function's name as its own scope has it: "fn", "Model.forward"."""
    return full_name_of(function).rpartition("<locals>.")[2]


def full_name_of(function: object) -> str:
    """Returns a function's name with the functions inside which it is defined."""
    while isinstance(function, functools.partial):
        function = function.func
    return str(getattr(function, "__qualname__", None) or type(function).__qualname__)


def place_of(function: object) -> str:
    """Returns "path.py:12", where a function is defined; "" where that is not known."""
    while isinstance(function, functools.partial):
        function = function.func
    code = getattr(inspect.unwrap(function), "__code__", None) if callable(function) else None
    return f"{code.co_filename}:{code.co_firstlineno}" if code is not None else ""


def call_line(name: str, signature: Signature, parameters: Parameters, values: "Mapping[str, str]") -> str:
    """Returns the call as a person writes it: "d = my_gemm(a=a, b=b, alpha=2.0)"."""
    order = [
        *parameters.inputs, *parameters.scalars, *parameters.extents, *parameters.options, *parameters.outputs
    ]  # fmt: skip
    arguments = [
        values.get(each, each) if each in parameters.positional else f"{each}={values.get(each, each)}"
        for each in order
    ]
    call = f"{name}({', '.join(arguments)})"
    results = ", ".join(tensor.name for tensor in signature.outputs)
    return call if parameters.outputs else f"{results} = {call}"
