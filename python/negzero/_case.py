"""Cases: an operation with its operands, as bytes that the program `negzero` reads too."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from dataclasses import dataclass, field
from typing import Any
from collections.abc import Mapping

import numpy as np

from . import _library, _safetensors
from ._binding import Bound
from ._formats import dtype_of, format_of
from ._functions import Result
from ._operations import signature_of
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

    @property
    def described(self) -> "dict[str, Any]":
        """The operation in the file: {"name": "gemm", "extents": {"m": 2, ...}, "formats": {"a": "F16", ...}}.

        Signature.filled() adds formats that the file leaves out.
        """
        _, metadata = _safetensors.read(self.data, "the case")
        return json.loads(metadata["operation"])  # type: ignore[no-any-return]

    @property
    def configuration(self) -> "dict[str, int]":
        """The options of the launch that have not the default: {"algorithm": 2}."""
        _, metadata = _safetensors.read(self.data, "the case")
        return json.loads(metadata.get("configuration", "{}"))  # type: ignore[no-any-return]

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes the file at once or not at all, in the canonical form: equal cases are equal bytes."""
        write_file(path_of(path, "path"), _library.canonical(self.data))


@untraced
def load(path: "str | os.PathLike[str]") -> Case:
    """Reads a case file, of negzero.case() or of the program. Raises ValueError for what is none, OSError as open().

    The file has all leading dimensions in one. What is judged by the case may have any that make up that one: outputs
    of shape (2, 3, m, n) or (6, m, n) for a batch of 6, and (m, n) for a batch of 1.
    """
    where = path_of(path, "path")
    with open(where, "rb") as file:
        return case_named(file.read(), where)


def case_named(data: bytes, where: str) -> Case:
    """Returns the case of a file's bytes. Raises ValueError, which names the file, for what is none."""
    try:
        data = _library.canonical(data)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    _, metadata = _safetensors.read(data, where)
    described = json.loads(metadata["operation"])
    signature = signature_of(described["name"])
    formats = signature.filled(described["formats"])
    outputs = {
        tensor.name: (
            tuple(described["extents"][extent] for extent in tensor.shape),
            dtype_of(formats[tensor.format]),
        )
        for tensor in signature.outputs
    }
    return Case(signature.identity, data, outputs, metadata.get("contract", ""))


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


def contract_option(contract: object) -> "str | dict[str, Any] | None":
    """Returns a contract as the library's options have it: a preset's name, an object of fields, or None for None."""
    text = contract_text(contract)
    if not text.lstrip().startswith("{"):
        return text or None
    try:
        return dict(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"contract: no JSON ({error}); give a preset's name, a JSON object or a dict") from error


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
    formats = signature.named(bound.formats)
    metadata = {
        "negzero": "1",
        "operation": json.dumps(
            {
                "name": signature.identity,
                "extents": {name: bound.extents[name] for name in signature.extents},
                "formats": {slot: formats[slot] for slot in sorted(formats)},
            }
        ),
    }
    if bound.scalars:
        metadata["scalars"] = json.dumps({name: _scalar(value) for name, value in bound.scalars.items()})
    if bound.layouts:
        metadata["layout"] = json.dumps(bound.layouts)
    if contract:
        metadata |= {"contract": contract, "contract_version": _library.contract_version()}
    if function is not None:
        metadata["function"] = json.dumps(function)
    return Case(signature.identity, _safetensors.write(bound.tensors, metadata), bound.outputs, contract)


def _scalar(value: np.generic) -> dict[str, str]:
    data = value.tobytes()
    bits = int.from_bytes(data, "little")
    return {"bits": f"{bits:#0{2 * len(data) + 2}x}", "format": format_of(value.dtype, "scalar")}
