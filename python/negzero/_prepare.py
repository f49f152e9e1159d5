"""What is to be judged: the case of an operation, of a call of a framework's function, or one that was made before."""

from __future__ import annotations

import functools
import math
import os
from dataclasses import dataclass, replace
from typing import Any
from collections.abc import Mapping, Sequence

import numpy as np

from . import _library, _safetensors
from ._arrays import AS_PLACES, as_array, as_places
from ._binding import bind, rank_of
from ._case import Case, case_of, contract_text, own_shapes, path_of
from ._contract import Contract
from ._functions import Call, Function, Result, function_of
from ._functions._call import observed_of
from ._notes import Notes
from ._operations import Signature, signature_of
from ._tracing import untraced


@dataclass(frozen=True)
class Prepared:
    """What is to be judged: a case, and outputs that were observed of it, by name."""

    case: Case
    observed: "Mapping[str, np.ndarray]"
    views: "Mapping[str, Result]"  #: how the caller sees each output
    function: "Function | None" = None
    call: "Call | None" = None  #: of that function
    is_promised: bool = False  #: whether the contract is what the function promises


@untraced
def case(
    operation: object,
    *arguments: Any,
    contract: "str | Contract | None" = None,
    out_dtype: object = None,
    **operands: Any,
) -> Case:
    """Makes a case of an operation's operands: negzero.case("gemm", a=a, b=b).save("case.safetensors").

    A function by name or as it is, with its own arguments, takes the place of the operation: case(torch.mm, a, b).

    `out_dtype` is the dtype of the first output, or a dict of them by the output's name; where it is missing, that of
    what is added (c, init), else the one that all inputs have; of places int32. Operands, contract and errors are those
    of negzero.judge().
    """
    made = unobserved(operation, arguments, contract, out_dtype, operands).case
    return replace(made, data=_library.canonical(made.data))


def prepare(
    observed: object,
    operation: object,
    arguments: "Sequence[Any]",
    contract: object,
    operands: Mapping[str, Any],
    notes: Notes,
) -> Prepared:
    """Makes the case of what was observed: of an operation, of a function's call, or the case as it is given."""
    if isinstance(operation, Case):
        for name in (*operands, *("a positional argument" for _ in arguments)):
            raise TypeError(f"{name}: a case brings its operands; leave them out, or name the operation")
        arrays = _observed_of_case(observed, operation, notes)
        views = operation.views or {name: Result(array.shape, array.shape) for name, array in arrays.items()}
        return Prepared(operation, arrays, views)
    function = function_of(operation)
    if function is not None:
        to_array = functools.partial(as_array, notes=notes)
        call = function.call(to_array, arguments, operands)
        return _prepared(function, call, contract, observed_of(call, observed, function.name, to_array))
    signature = _operation_alone(operation, arguments)
    arrays = _by_name(observed, signature, notes)
    bound = bind(signature, operands, arrays, None, notes)
    views = {name: Result(array.shape, array.shape) for name, array in arrays.items()}
    return Prepared(case_of(bound, contract_text(contract)), arrays, views)


def unobserved(
    operation: object, arguments: "Sequence[Any]", contract: object, out_dtype: object, operands: Mapping[str, Any]
) -> Prepared:
    """prepare() where nothing was observed."""
    function = function_of(operation)
    if function is not None:
        if out_dtype is not None:
            raise TypeError(f"out_dtype: {function.name} says in which dtype its result is; leave it out")
        return _prepared(function, function.call(as_array, arguments, operands), contract, None)
    bound = bind(_operation_alone(operation, arguments), operands, None, out_dtype)
    return Prepared(case_of(bound, contract_text(contract)), {}, {})


def _operation_alone(operation: object, arguments: "Sequence[Any]") -> Signature:
    signature = signature_of(operation)
    if arguments:
        raise TypeError(f"{signature.name} takes its operands by name; give {signature.words}")
    return signature


def _prepared(
    function: Function, call: Call, contract: object, observed: "Mapping[str, np.ndarray] | None"
) -> Prepared:
    """Binds the call of a function, whose own words for its operands errors have."""
    signature = signature_of(call.operation)
    dtypes = {} if observed is not None else call.dtypes
    try:
        bound = bind(signature, call.operands, observed, dtypes)
    except (TypeError, ValueError) as error:
        said = ", ".join(
            f"{name} is {word}" for name, word in call.said.items() if name in call.operands and name != word
        )
        raise type(error)(f"{function.name}: {error}{f' ({said})' if said else ''}") from error
    text = contract_text(contract if contract is not None else call.contract)
    made = case_of(bound, text, {"name": function.name, "of": function.framework(), "switches": dict(call.switches)})
    return Prepared(replace(made, views=call.results), observed or {}, call.results, function, call, contract is None)


def _by_name(observed: object, signature: Signature, notes: Notes) -> dict[str, np.ndarray]:
    takes = {tensor.name: signature.takes(tensor) for tensor in signature.outputs}
    ranks = {tensor.name: rank_of(signature, tensor) for tensor in signature.outputs}
    names = list(takes)
    if issubclass(type(observed), os.PathLike):
        observed = _outputs_in(path_of(observed, "observed"), names)
    if not issubclass(type(observed), Mapping):
        if len(names) > 1:
            raise TypeError(
                f"observed: {signature.name} has the outputs {', '.join(names)}; give a dict of arrays by those names"
            )
        return {names[0]: as_array(observed, "observed", takes[names[0]], notes, ranks[names[0]])}
    try:
        given = dict(observed)  # type: ignore[call-overload]
    except Exception as error:  # a stranger's code, which may raise whatever it likes
        raise TypeError(
            f"observed: this {type(observed).__name__} cannot be read ({type(error).__name__}: {error}); give a dict "
            f"of arrays by the names {', '.join(names)}"
        ) from error
    for name in names:
        if name not in given:
            raise ValueError(
                f"observed: {name} is missing; {signature.name} has the outputs {', '.join(names)}: give all of them"
            )
    for name in given:
        if name not in names:
            shown = repr(name) if type(name) in (str, int) else f"a {type(name).__name__}"
            raise ValueError(f"observed: {shown} is no output of {signature.name}; give {', '.join(names)}")
    return {name: as_array(given[name], f"observed {name}", takes[name], notes, ranks[name]) for name in names}


def _outputs_in(path: str, names: "list[str]") -> "dict[str, np.ndarray]":
    """Reads the outputs of those names from a safetensors file, which may hold more: the operands, for one."""
    with open(path, "rb") as file:
        tensors, _ = _safetensors.read(file.read(), path)
    return {name: tensors[name] for name in names if name in tensors}


def _observed_of_case(observed: object, case: Case, notes: Notes) -> dict[str, np.ndarray]:
    signature = signature_of(case.operation)
    arrays = _by_name(observed, signature, notes)
    own = own_shapes(case)
    for name, (shape, dtype) in case.outputs.items():
        array = arrays[name]
        if name in signature.places and array.dtype.newbyteorder("=") != dtype:
            who = "observed" if len(arrays) == 1 else f"observed {name}"
            notes.converted(who, array.dtype, dtype)
            arrays[name] = array = as_places(array, who, dtype, AS_PLACES)
        if array.dtype.newbyteorder("=") != dtype:
            raise TypeError(
                f"observed: {name} has dtype {array.dtype.name}, and the case says {dtype.name}; give what was "
                "computed in that dtype"
            )
        if name in case.views:
            arrays[name] = case.views[name].taken(array, f"observed: {name}", "the case")
            continue
        # A case file has flattened the leading dimensions, and does not say which they were.
        has_leading = any(tensor.name == name and signature.has_leading(tensor) for tensor in signature.outputs)
        lead = array.ndim - len(own[name]) + 1
        flat = (math.prod(array.shape[:lead]), *array.shape[lead:]) if has_leading and lead >= 0 else array.shape
        known = len(shape) != len(own[name])  # these are the dimensions of who made the case
        if array.shape not in (shape, own[name]) and (known or flat != own[name]):
            more = f", or leading dimensions that make {own[name][0]}" if has_leading and not known else ""
            raise ValueError(
                f"observed: {name} has shape {array.shape}, and the case says {shape}; give that shape{more}"
            )
    return arrays
