"""Functions of frameworks by name: torch.sum is an operation, with the contract that its documentation promises."""

from __future__ import annotations

import sys
from typing import Any
from collections.abc import Mapping, Sequence

from .._operations import signature_of
from .._requests import formats_option
from . import _jax, _numpy, _torch
from ._call import Call, Function, Promise, Result
from ._named import NAMED
from ._promised import promised

__all__ = ["Call", "Function", "Promise", "Result", "contract_of", "function_of", "functions"]

_TABLE: Mapping[str, Function] = {
    function.name: function for function in (*_torch.FUNCTIONS, *_jax.FUNCTIONS, *_numpy.FUNCTIONS)
}


def functions() -> "dict[str, str]":
    """Returns the functions that negzero knows by name, each with the operation that it stands for.

    negzero.judge(), assert_permitted(), permitted() and case() take them as their operation, by name or as they are,
    with the function's own arguments: negzero.assert_permitted(d, torch.mm, a, b).
    """
    return {name: function.operation for name, function in _TABLE.items()}


def contract_of(function: str, formats: "Sequence[str]", *, device: str = "cuda", **words: Any) -> "dict[str, Any]":
    """Returns the contract that a function's documentation promises, for a kernel that is to be held to the same.

        @negzero.kernel("gemm", formats=("F16", "F16", "F16"), contract=negzero.contract_of("torch.mm", ("F16",) * 3))
        def my_mm(a, b): ...

    formats     of the operation that the function stands for, as negzero.kernel() takes one combination of them
    device      "cuda" or "cpu": where the function computes
    words       switches of torch.backends.cuda.matmul, as allow_tf32=True, which are the defaults otherwise; and keywords
                of the function, as reduce="amax"

    It knows all of functions(), and besides, with their full names, what only a kernel of Triton can call, such as
    triton.language.dot(input_precision=, out_dtype=), and CuPy's add.at, maximum.at and minimum.at.

    Nothing is called and no framework is imported. Raises TypeError or ValueError for what negzero does not know.
    """
    if device not in ("cuda", "cpu"):
        raise ValueError(f"device: {device!r}; give 'cuda' or 'cpu'")
    named = NAMED.get(function)
    found = named or function_of(function)
    if found is None:
        raise ValueError(f"function: {function!r} is no function that negzero knows; negzero.functions() lists them")
    signature = signature_of(found.operation)
    (combination,) = formats_option(signature, [formats], frozenset(), "")
    for slot, each in zip(signature.slots, combination):
        (takes, *_) = [signature.takes(of) for of in (*signature.inputs, *signature.outputs) if of.format == slot]
        if each not in takes:
            known = ", ".join(takes)
            raise ValueError(f"formats: of {function} with {slot} in {each} no contract is known; give {known}")
    if named is not None:
        return named.contract(function, combination, words)
    call = promised(found, combination, device, words)
    if call.undecided:
        raise ValueError(f"function: of {function} no contract is known: {call.undecided}")
    repeats = {"determinism": "run_to_run"} if found.name in _torch.REPEATING else {}
    return {**call.contract, **repeats}


def function_of(given: object) -> "Function | None":
    """Returns the function of a dotted name, or of a function of a framework that is imported; None for other text.

    Raises ValueError for a dotted name, and TypeError for something to call, that negzero does not know.
    """
    if isinstance(given, str):
        for function in _TABLE.values():
            if given in (function.name, *function.aliases):
                return function
        framework = given.partition(".")[0]
        known = [name for name in _TABLE if name.partition(".")[0] == framework]
        spelt = {"np": "numpy", "jnp": "jax.numpy", "cp": "cupy"}.get(framework)
        if spelt is not None:
            full = f"{spelt}.{given.partition('.')[2]}"
            raise ValueError(f"operation: {given} is no function by its full name; give {full!r}")
        if known:
            raise ValueError(f"operation: {given} is no function that negzero knows; known: {', '.join(known)}")
        return None
    if not callable(given):
        return None
    for function in _TABLE.values():
        if any(_is_same(given, _found(name)) for name in (function.name, *function.aliases)):
            return function
    shown = f"{getattr(given, '__module__', None) or ''}.{getattr(given, '__name__', type(given).__name__)}".strip(".")
    raise TypeError(
        f"operation: {shown} is no function that negzero knows (negzero.functions() lists them); give the name of an "
        "operation and its operands by name"
    )


def _found(name: str) -> Any:
    """What a dotted name means in the frameworks that are imported; None where it means nothing there."""
    parts = name.split(".")
    for count in range(len(parts) - 1, 0, -1):
        found: Any = sys.modules.get(".".join(parts[:count]))
        if found is None:
            continue
        for part in parts[count:]:
            found = getattr(found, part, None)
        return found
    return None


def _is_same(given: object, found: object) -> bool:
    if found is None:
        return False
    # A method of a class is another object each time it is asked for.
    return given is found or (
        type(given) is type(found)
        and getattr(given, "__func__", None) is not None
        and getattr(given, "__func__", None) is getattr(found, "__func__", None)
    )
