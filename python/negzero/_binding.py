"""Finds an operation's extents and formats from the shapes and dtypes of its operands, written as people write them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any
from collections.abc import Mapping

import numpy as np

from . import _library
from ._arrays import as_array, as_scalar, as_whole
from ._formats import dtype_of, format_named, format_of
from ._memory import MAX_ELEMENTS, check_memory
from ._notes import Notes
from ._operations import Signature, TensorOf

Shape = tuple  # of int; what a caller sees of a tensor


@dataclass(frozen=True)
class Bound:
    """An operation with everything that its case file says, and the shapes in which the caller sees its outputs."""

    signature: Signature
    extents: Mapping[str, int]
    formats: Mapping[str, str]
    scalars: Mapping[str, np.generic]
    tensors: Mapping[str, np.ndarray]  #: in the operation's own shapes
    layouts: Mapping[str, "dict[str, Any]"]  #: of inputs that are broadcast: in memory they have stride 0
    outputs: Mapping[str, "tuple[Shape, np.dtype]"]  #: in the caller's shape


def rank_of(signature: Signature, tensor: TensorOf) -> "int | None":
    """The dimensions of a tensor of a line of one's own, whose last one may be the parts of complex numbers."""
    return len(tensor.shape) if signature.declared else None


def bind(
    signature: Signature,
    operands: Mapping[str, Any],
    observed: Mapping[str, np.ndarray] | None,
    out_dtype: object,
    notes: "Notes | None" = None,
) -> Bound:
    """Makes an operation of operands by name, of its outputs where they are there, and of the outputs' dtypes.

    Leading dimensions make up the signature's leading extent: a of shape (4, 2, m, k) is a batch of 8, and one of shape
    (m, k) is broadcast. An optional input that is None, or not there, is absent. Raises ValueError or TypeError, which
    name argument and cure. `notes` are told of the operands.
    """
    _check_names(signature, operands)
    given = {
        tensor.name: as_array(
            operands[tensor.name], tensor.name, signature.takes(tensor), notes, rank_of(signature, tensor)
        )
        for tensor in signature.inputs
        if operands.get(tensor.name) is not None
    }
    for tensor in signature.inputs:
        if tensor.name not in given and tensor.name not in signature.addends and not tensor.optional:
            raise ValueError(f"{tensor.name} is missing; {signature.name} needs {signature.words}")
    shapes = _Shapes(signature)
    for tensor in signature.inputs:
        if tensor.name in given and tensor.name not in signature.addends:
            shapes.take(tensor, given[tensor.name].shape)
    shapes.take_named(operands)
    shapes.close()
    shapes.infer()
    outputs = {tensor.name: shapes.of_output(tensor, observed) for tensor in signature.outputs}
    shapes.infer()
    formats = _formats(signature, given, observed, out_dtype, notes)
    scalars = _scalars(signature, operands, given, formats)
    arrays: dict[str, np.ndarray] = {}
    layouts: dict[str, dict[str, Any]] = {}
    absent = [tensor for tensor in signature.inputs if tensor.optional and tensor.name not in given]
    for extent in (each for tensor in absent for each in (*tensor.shape, tensor.below, tensor.at_most) if each):
        shapes.extents.setdefault(extent, 0)  # that no tensor has
    shapes.check()
    there = [tensor for tensor in signature.inputs if tensor not in absent]
    for tensor in there:
        array = given.get(tensor.name)
        if array is None:
            array = np.zeros((), dtype_of(formats[tensor.format]))
        arrays[tensor.name] = shapes.spread(tensor, array, tensor.name in signature.addends)
    check_memory({**arrays, **{f"observed {name}": array for name, array in (observed or {}).items()}})
    for tensor in there:
        array = arrays[tensor.name]
        _check_places(tensor, array, shapes.extents)
        own = tuple(shapes.extents[extent] for extent in tensor.shape)
        layout = _broadcast_layout(array, own) if tensor.name in given else None
        arrays[tensor.name] = array.reshape(own)
        if layout:
            layouts[tensor.name] = layout
    dtypes = {tensor.name: dtype_of(formats[tensor.format]) for tensor in signature.outputs}
    shown = {name: (shape, dtypes[name]) for name, shape in outputs.items()}
    return Bound(signature, shapes.extents, formats, scalars, arrays, layouts, shown)


def _check_names(signature: Signature, operands: Mapping[str, Any]) -> None:
    known = [*(tensor.name for tensor in signature.inputs), *signature.scalars, *signature.named_extents]
    for name in operands:
        if name not in known:
            outputs = [tensor.name for tensor in signature.outputs]
            cure = "give outputs as `observed`, which comes first" if name in outputs else "leave it out"
            raise TypeError(f"{name} is no operand of {signature.name}, which takes {signature.words}; {cure}")


class _Shapes:
    """What shapes say: each extent once, with the argument that said so, and the leading dimensions."""

    def __init__(self, signature: Signature) -> None:
        self.signature = signature
        self.extents: dict[str, int] = {}
        self._said_by: dict[str, str] = {}
        self._leads: dict[str, Shape] = {}
        self.lead: Shape = ()

    def take(self, tensor: TensorOf, shape: Shape) -> None:
        """Reads the extents of one tensor's shape."""
        core = self.signature.core(tensor)
        lead = len(shape) - len(core)
        if lead < 0 or (lead and not self.signature.has_leading(tensor)):
            few = lead < 0
            least = len(core)
            more = " or more" if self.signature.has_leading(tensor) else ""
            cure = "a vector is a matrix of one row, array[None, :]" if few else "reshape it, array.reshape(-1) for one"
            raise ValueError(
                f"{tensor.name} has {len(shape)} dimensions (shape {shape}), and {tensor} needs {least}{more}; {cure}"
            )
        if self.signature.has_leading(tensor):
            self._leads[tensor.name] = shape[:lead]
        for extent, size in zip(core, shape[lead:]):
            self._set(extent, size, f"{tensor.name} of shape {shape}")

    def _set(self, extent: str, size: int, who: str) -> None:
        if self.extents.setdefault(extent, size) != size:
            raise ValueError(
                f"{who} makes {extent} {size}, and {self._said_by[extent]} makes it {self.extents[extent]}; give "
                f"operands that agree: {self.signature.name} is {self.signature.definition}"
            )
        self._said_by.setdefault(extent, who)

    def take_named(self, operands: Mapping[str, Any]) -> None:
        """Reads the extents that the caller names: parameters, which no tensor has, and others."""
        for name in self.signature.named_extents:
            value = operands.get(name)
            if value is None:
                continue
            if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
                raise TypeError(f"{name}: a {type(value).__name__}; {name} is an extent: give a whole number")
            if not 0 <= value <= MAX_ELEMENTS:
                raise ValueError(f"{name} = {value}: {name} is an extent; give a number from 0 to {MAX_ELEMENTS:,}")
            self._set(name, int(value), f"{name} = {value}")

    def infer(self) -> None:
        """Computes extents that follow from others. Raises ValueError where a relation of the line does not hold."""
        if not self.signature.relations:
            return
        answer = _library.extents(self.signature.identity, self.extents)
        if answer["broken"] is not None:
            raise ValueError(
                f"{answer['broken']['text']}; give operands that keep the relations of {self.signature.name}: "
                f"{self.signature.definition}"
            )
        for extent, size in answer["extents"].items():
            self._set(extent, size, f"the line, with {answer_of(self.signature, extent)},")

    def check(self) -> None:
        """Raises ValueError where an extent is not known."""
        for extent in self.signature.extents:
            if extent not in self.extents:
                raise ValueError(f"{extent} is missing, and no operand says how large it is; give {extent}=")

    def close(self) -> None:
        """Makes the leading extent of all leading dimensions."""
        if self.signature.leading is None:
            return
        try:
            self.lead = np.broadcast_shapes(*self._leads.values())
        except ValueError as error:
            said = ", ".join(f"{name} has {lead}" for name, lead in self._leads.items())
            raise ValueError(
                f"the leading dimensions do not agree: {said}; give operands with the same leading dimensions, or none"
            ) from error
        self._set(self.signature.leading, math.prod(self.lead), f"the leading dimensions {self.lead}")

    def of_output(self, tensor: TensorOf, observed: Mapping[str, np.ndarray] | None) -> Shape:
        """Returns the caller's shape of an output; raises ValueError where what was observed has another one."""
        core = self.signature.core(tensor)
        lead = self.lead if self.signature.has_leading(tensor) else ()
        if observed is None:
            missing = [extent for extent in core if extent not in self.extents]
            if missing:
                for parameter in self.signature.parameters:
                    if parameter not in self.extents:
                        raise ValueError(f"{parameter} is missing, which {missing[0]} needs; give {parameter}=, an int")
                raise ValueError(f"no operand says how large {missing[0]} is; {tensor} needs it")
            shape = (*lead, *(self.extents[extent] for extent in core))
        else:
            found = observed[tensor.name].shape
            sizes = found[len(lead) :] if len(found) == len(lead) + len(core) else ()
            # Where the number of dimensions is wrong, the message names extents that only this output has.
            shape = (*lead, *(self.extents.get(extent, size) for extent, size in zip(core, sizes or core)))
            if found != shape:
                raise ValueError(
                    f"observed: {tensor.name} has shape {found}, and the operands make it {shape}; pass what "
                    f"{self.signature.name} gives for these operands: {self.signature.definition}"
                )
            for extent, size in zip(core, sizes):
                self._set(extent, size, f"{tensor.name} of shape {found}")
        if math.prod(shape) > MAX_ELEMENTS:
            raise ValueError(
                f"{tensor.name}: {math.prod(shape):,} elements (shape {shape}) are more than the {MAX_ELEMENTS:,} that "
                "a case may have; judge a slice"
            )
        return shape

    def spread(self, tensor: TensorOf, array: np.ndarray, is_addend: bool) -> np.ndarray:
        """Returns an input in the full shape of its leading dimensions; copies nothing."""
        core = tuple(self.extents[extent] for extent in self.signature.core(tensor))
        shape = (*self.lead, *core) if self.signature.has_leading(tensor) else core
        if math.prod(shape) > MAX_ELEMENTS:
            raise ValueError(
                f"{tensor.name}: {math.prod(shape):,} elements once it is broadcast to {shape} are more than the "
                f"{MAX_ELEMENTS:,} that a case may have; judge a slice"
            )
        try:
            return np.broadcast_to(array, shape)
        except ValueError as error:
            what = "added to" if is_addend else "used with"
            raise ValueError(
                f"{tensor.name} of shape {array.shape} cannot be {what} the others, which make it {shape}; give that "
                "shape, or one that broadcasts to it"
            ) from error


def _check_places(tensor: TensorOf, array: np.ndarray, extents: Mapping[str, int]) -> None:
    """Raises ValueError where an index or a count is out of range."""
    extent = tensor.below or tensor.at_most
    if extent is None or array.size == 0:
        return
    most = extents[extent] - (1 if tensor.below else 0)
    wrong = (array < 0) | (array > most)
    if tensor.has_none:
        wrong &= array != -1
    if not wrong.any():
        return
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    raise ValueError(
        f"{tensor.name}{list(place)} is {array[place]}, and {extent} is {extents[extent]}; give places and counts "
        f"from 0 to {most}{', or -1 where there is none' if tensor.has_none else ''}"
    )


def _broadcast_layout(array: np.ndarray, own: Shape) -> dict[str, Any] | None:
    """The layout with stride 0 of an input that was broadcast; nothing where every element has its own place."""
    lead = array.ndim - len(own) + 1  # leading dimensions become one
    repeated = []
    for dimensions in [range(lead), *([i] for i in range(lead, array.ndim))]:
        steps = {array.strides[i] == 0 for i in dimensions if array.shape[i] > 1}
        if len(steps) > 1:
            return None  # no single stride says it
        repeated.append(steps == {True})
    if array.size == 0 or not any(repeated):
        return None
    strides, step = [0] * len(own), 1
    for i in reversed(range(len(own))):
        if not repeated[i]:
            strides[i], step = step, step * own[i]
    return {"shape": list(own), "strides": strides, "offset": 0}


def _formats(
    signature: Signature,
    given: Mapping[str, np.ndarray],
    observed: Mapping[str, np.ndarray] | None,
    out_dtype: object,
    notes: "Notes | None",
) -> dict[str, str]:
    """One format for each slot. Tensors that share one must agree."""
    formats: dict[str, str] = {}
    said_by: dict[str, str] = {}

    def put(tensor: TensorOf, format_name: str, who: str) -> None:
        if formats.setdefault(tensor.format, format_name) != format_name:
            why = notes.without_x64() if notes is not None else ""
            raise TypeError(
                f"{who} has {format_name}, and {said_by[tensor.format]} has {formats[tensor.format]}; {signature.name} "
                f"keeps both in one format: {why or 'convert one of them with .astype()'}"
            )
        said_by.setdefault(tensor.format, who)

    for tensor in signature.inputs:
        if tensor.name in given:
            put(tensor, format_of(given[tensor.name].dtype, tensor.name, signature.takes(tensor)), tensor.name)
    for tensor in signature.outputs:
        if observed is not None:
            found = format_of(observed[tensor.name].dtype, "observed", signature.takes(tensor))
            put(tensor, found, f"observed {tensor.name}")
        else:
            of_first = out_dtype if tensor == signature.outputs[0] else None
            wanted = out_dtype.get(tensor.name) if isinstance(out_dtype, dict) else of_first
            put(tensor, _output_format(signature, tensor, formats, wanted), "out_dtype")
    for tensor in signature.inputs:
        if tensor.optional and tensor.usually is None:
            formats.setdefault(tensor.format, formats[signature.outputs[0].format])  # of no tensor that is there
    return signature.filled(formats)


def _output_format(signature: Signature, tensor: TensorOf, formats: Mapping[str, str], wanted: object) -> str:
    if wanted is not None:
        return format_named(wanted, "out_dtype", signature.takes(tensor))
    if tensor.name in signature.places:
        return "I32"
    if tensor.format in formats:
        return formats[tensor.format]
    for name, of in signature.usual.items():
        if of == tensor.format and name in formats:
            return formats[name]
    inputs = {formats[each.format] for each in signature.inputs if each.role == "input" and each.format in formats}
    if len(inputs) == 1 and dtype_of(*inputs).itemsize > 1:
        return inputs.pop()
    raise ValueError(
        f"out_dtype is missing: the operands ({', '.join(sorted(inputs))}) do not say in which dtype {tensor.name} is; "
        "give out_dtype=numpy.float32 for one"
    )


def answer_of(signature: Signature, extent: str) -> str:
    """Returns the relation of a line that has an extent, for messages."""
    found = [each for each in signature.relations if re.search(rf"\b{extent}\b", each)]
    return found[0] if found else "its relations"


def _scalars(
    signature: Signature, operands: Mapping[str, Any], given: Mapping[str, np.ndarray], formats: Mapping[str, str]
) -> dict[str, np.generic]:
    """F64 where the output is F64, I32 of products in I32, else F32.

    1 where missing, but for the scalar of an addend that is missing: 0.
    """
    is_whole = bool(signature.addends) and all(formats[tensor.format] == "I32" for tensor in signature.outputs)
    wide = any(formats[tensor.format] == "F64" for tensor in signature.outputs)
    dtype = dtype_of("F64" if wide else "F32")
    addend_of = {scalar: tensor for tensor, scalar in signature.addends.items()}
    scalars: dict[str, np.generic] = {}
    for name in signature.scalars:
        if name in signature.kinds:
            scalars[name] = as_whole(operands.get(name), name, signature.kinds[name])
            continue
        addend = addend_of.get(name)
        is_missing = addend is not None and addend not in given
        value = operands.get(name)
        if value is None:
            value = 0 if is_missing else 1
        scalars[name] = as_whole(value, name, "int") if is_whole else as_scalar(value, name, dtype)
        if is_missing and scalars[name] != 0:
            raise ValueError(f"{addend} is missing, and {name} = {scalars[name]} reads it; give {addend}, or {name}=0")
    return scalars
