"""Cases: an operation with its operands, as bytes that the program `negzero` reads too."""

from __future__ import annotations

import contextlib
import functools
import json
import math
import os
import secrets
from dataclasses import dataclass, field, replace
from typing import Any
from collections.abc import Mapping, Sequence

import numpy as np

from . import _library, _safetensors
from ._arrays import as_array
from ._binding import Bound, bind
from ._contract import Contract
from ._formats import dtype_of, format_of
from ._functions import Call, Function, Result, function_of
from ._functions._call import observed_of
from ._notes import Notes
from ._operations import Signature, signature_of
from ._tracing import untraced


@dataclass(frozen=True)
class Case:
    """One input of an operation. `data` are the bytes of its file, which is a safetensors file."""

    operation: str
    data: bytes = field(repr=False)
    #: The shape, as the caller sees it, and the dtype of each output.
    outputs: Mapping[str, "tuple[tuple[int, ...], np.dtype]"]
    #: The contract in the file; "" where it has none.
    contract: str = ""
    #: How a framework's function, of whose call this is the case, shows each output. The file does not have it.
    views: Mapping[str, Result] = field(default_factory=dict, repr=False)

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes the file at once or not at all, in the canonical form: equal cases are equal bytes."""
        write_file(path_of(path, "path"), _library.canonical(self.data))


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

    `out_dtype` is the dtype of the output, or a dict of them by the output's name; where it is missing, that of what is
    added (c, init), else the one that all inputs have. Operands, contract and errors are those of negzero.judge().
    """
    made = unobserved(operation, arguments, contract, out_dtype, operands).case
    return replace(made, data=_library.canonical(made.data))


@untraced
def load(path: "str | os.PathLike[str]") -> Case:
    """Reads a case file, of negzero.case() or of the program. Raises ValueError for what is none, OSError as open().

    The file has all leading dimensions in one. What is judged by the case may have any that make up that one: outputs
    of shape (2, 3, m, n) or (6, m, n) for a batch of 6, and (m, n) for a batch of 1.
    """
    where = path_of(path, "path")
    with open(where, "rb") as file:
        data = file.read()
    try:
        data = _library.canonical(data)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    _, metadata = _safetensors.read(data, where)
    described = json.loads(metadata["operation"])
    signature = signature_of(described["name"])
    formats = {**described["formats"], "I32": "I32"}
    outputs = {
        tensor.name: (
            tuple(described["extents"][extent] for extent in tensor.shape),
            dtype_of(formats[tensor.format]),
        )
        for tensor in signature.outputs
    }
    return Case(signature.name, data, outputs, metadata.get("contract", ""))


@dataclass(frozen=True)
class Prepared:
    """What is to be judged: a case, and outputs that were observed of it, by name."""

    case: Case
    observed: "Mapping[str, np.ndarray]"
    views: "Mapping[str, Result]"  #: how the caller sees each output
    function: "Function | None" = None
    call: "Call | None" = None  #: of that function
    is_promised: bool = False  #: whether the contract is what the function promises


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


def contract_text(contract: object) -> str:
    """Returns a contract as case files have it: a preset's name or JSON; "" for None."""
    if contract is None:
        return ""
    if isinstance(contract, str):
        if not contract.strip():
            raise ValueError("contract: an empty text; give a preset's name, JSON or a dict, or leave it out")
        if any("\ud800" <= letter <= "\udfff" for letter in contract):
            raise ValueError("contract: no text that UTF-8 can hold; give a preset's name, JSON or a dict")
        return contract
    if isinstance(contract, Mapping):
        try:
            return json.dumps(contract, allow_nan=False)
        except Exception as error:  # a stranger's Mapping may raise whatever it likes
            raise TypeError(f"contract: this dict is no JSON ({error}); give text, numbers, lists and dicts") from error
    raise TypeError(f"contract: a {type(contract).__name__}; give a preset's name, JSON or a dict")


def observed_bytes(case: Case, observed: Mapping[str, np.ndarray]) -> bytes:
    """Returns the safetensors file of recorded outputs, in the operation's own shapes."""
    own = own_shapes(case)
    return _safetensors.write({name: array.reshape(own[name]) for name, array in observed.items()}, {})


def own_shapes(case: Case) -> "dict[str, tuple[int, ...]]":
    """Returns the shape of each output as the operation has it: all leading dimensions in one."""
    signature = signature_of(case.operation)
    shapes = {}
    for tensor in signature.outputs:
        shape = case.outputs[tensor.name][0]
        lead = len(shape) - len(signature.core(tensor))
        product = [int(np.prod(shape[:lead], dtype=np.int64))] if signature.has_leading(tensor) else []
        shapes[tensor.name] = (*product, *shape[lead:])
    return shapes


def path_of(value: object, argument: str) -> str:
    """Returns a path as text. Raises TypeError, which names the argument, for what is none: open(3) would be a file."""
    try:
        return os.fsdecode(value)  # type: ignore[arg-type]
    except Exception as error:  # __fspath__ is a stranger's code
        raise TypeError(f"{argument}: a {type(value).__name__} is no path; give a str or a pathlib.Path") from error


def write_file(path: str, data: bytes) -> None:
    """Writes beside the place and renames, so that no reader and no crash sees half a file."""
    temporary = f"{path}.{os.getpid()}-{secrets.token_hex(4)}"
    try:
        with open(temporary, "xb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def case_of(bound: Bound, contract: str, function: "Mapping[str, Any] | None" = None) -> Case:
    """Makes a case; `function` is the call of a framework's function that it comes from."""
    signature = bound.signature
    slots = {tensor.format for tensor in (*signature.inputs, *signature.outputs)} - {"I32"}
    metadata = {
        "negzero": "1",
        "operation": json.dumps(
            {
                "name": signature.name,
                "extents": {name: bound.extents[name] for name in signature.extents},
                "formats": {slot: bound.formats[slot] for slot in sorted(slots)},
            }
        ),
    }
    if bound.scalars:
        metadata["scalars"] = json.dumps({name: _scalar(value) for name, value in bound.scalars.items()})
    if bound.layouts:
        metadata["layout"] = json.dumps(bound.layouts)
    if contract:
        metadata["contract"] = contract
    if function is not None:
        metadata["function"] = json.dumps(function)
    return Case(signature.name, _safetensors.write(bound.tensors, metadata), bound.outputs, contract)


def _scalar(value: np.generic) -> dict[str, str]:
    data = value.tobytes()
    bits = int.from_bytes(data, "little")
    return {"bits": f"{bits:#0{2 * len(data) + 2}x}", "format": format_of(value.dtype, "scalar")}


def _by_name(observed: object, signature: Signature, notes: Notes) -> dict[str, np.ndarray]:
    takes = {tensor.name: signature.takes(tensor) for tensor in signature.outputs}
    names = list(takes)
    if issubclass(type(observed), os.PathLike):
        observed = _outputs_in(path_of(observed, "observed"), names)
    if not issubclass(type(observed), Mapping):
        if len(names) > 1:
            raise TypeError(
                f"observed: {signature.name} has the outputs {', '.join(names)}; give a dict of arrays by those names"
            )
        return {names[0]: as_array(observed, "observed", takes[names[0]], notes)}
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
    return {name: as_array(given[name], f"observed {name}", takes[name], notes) for name in names}


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
        if format_of(array.dtype, f"observed {name}") != format_of(dtype, name):
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
