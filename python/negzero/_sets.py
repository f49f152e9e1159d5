"""A case in parts, what a contract permits of it, and outputs that it permits."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from . import _library, _safetensors
from ._formats import dtype_of, number_of
from ._functions import Result
from ._judge import PermittedSet, set_of
from ._operations import Signature, signature_of
from ._terms import chain, stored, terms_of

Outputs = "dict[str, np.ndarray]"


@dataclass(frozen=True)
class Contents:
    """A case as its file has it, in the operation's own shapes."""

    signature: Signature
    extents: "Mapping[str, int]"
    formats: "Mapping[str, str]"  #: of every slot
    scalars: "Mapping[str, Any]"  #: {"alpha": {"bits": "0x3f800000", "format": "F32"}}
    tensors: "Mapping[str, np.ndarray]"
    options: "Mapping[str, Any]"  #: of the library's calls: the contract
    metadata: "Mapping[str, str]"

    def shape(self, output: str) -> "tuple[int, ...]":
        """Returns the shape of an output."""
        tensor = next(each for each in self.signature.outputs if each.name == output)
        return tuple(self.extents[extent] for extent in tensor.shape)

    def dtype(self, output: str) -> np.dtype:
        """Returns the dtype of an output."""
        tensor = next(each for each in self.signature.outputs if each.name == output)
        return dtype_of(self.formats[tensor.format])

    @property
    def work(self) -> int:
        """The products or elements of the case: an extent of 0 counts as 1."""
        return math.prod(max(1, extent) for extent in self.extents.values())

    @property
    def values(self) -> "dict[str, float]":
        """The scalars as numbers."""
        numbers = {}
        for name, scalar in self.scalars.items():
            dtype = dtype_of(scalar["format"])
            numbers[name] = float(number_of(scalar["bits"], dtype))
        return numbers

    def data(self) -> bytes:
        """Returns the bytes of the case's file."""
        formats = self.signature.named(self.formats)
        operation = {"name": self.signature.name, "extents": dict(self.extents), "formats": formats}
        more = {"scalars": json.dumps(self.scalars)} if self.scalars else {}
        return _safetensors.write(self.tensors, {**self.metadata, "operation": json.dumps(operation), **more})

    def changed(self, tensors: "Mapping[str, np.ndarray]", **extents: int) -> Contents:
        """Returns the case with other tensors and extents, everything packed."""
        return replace(self, tensors={**self.tensors, **tensors}, extents={**self.extents, **extents})


def contents_of(data: bytes, options: "Mapping[str, Any]") -> Contents:
    """Reads a case's file."""
    tensors, metadata = _safetensors.read(data, "the case")
    operation = json.loads(metadata.pop("operation"))
    scalars = json.loads(metadata.pop("scalars", "{}"))
    metadata.pop("layout", None)  # where elements lie changes nothing that is permitted
    signature = signature_of(operation["name"])
    formats = signature.filled(operation["formats"])
    return Contents(signature, operation["extents"], formats, scalars, tensors, options, metadata)


def sets_of(contents: Contents) -> "dict[str, PermittedSet]":
    """Returns what the contract permits of each output."""
    tensors, _ = _safetensors.read(_library.permitted(contents.data(), dict(contents.options)), "the library's answer")
    shapes = {each.name: contents.shape(each.name) for each in contents.signature.outputs}
    return {name: set_of(tensors, name, shape, Result(shape, shape)) for name, shape in shapes.items()}


def part_of_the_operation(contents: Contents, output: str) -> np.ndarray:
    """Says of each element of an output whether the operation gives it: not what lies beyond a count."""
    shape = contents.shape(output)
    extents = next(each for each in contents.signature.outputs if each.name == output).shape
    inside = np.ones(shape, bool)
    for tensor in contents.signature.inputs:
        if tensor.at_most:
            axis, of = extents.index(tensor.at_most), extents.index(tensor.shape[0])
            place = np.arange(shape[axis]).reshape([-1 if i == axis else 1 for i in range(len(shape))])
            counts = contents.tensors[tensor.name].reshape([-1 if i == of else 1 for i in range(len(shape))])
            inside &= place < counts
    return inside


def plausible(contents: Contents, sets: "Mapping[str, PermittedSet]") -> "dict[str, np.ndarray]":
    """Returns outputs that the contract permits, and that a kernel may well give.

    A sum is the one from the left in float64, moved to the nearest end where it is not permitted; everything else is
    the least permitted number; where no number is permitted, NaN or else an infinity.
    """
    terms, outputs = terms_of(contents.signature.name), {}
    for name, permitted in sets.items():
        value = np.array(permitted.low)
        if value.dtype.kind not in "iu":
            if terms.is_sum and name == terms.output.name:
                sums = stored(chain(terms, contents.tensors, contents.values, value.shape), value.dtype)
                value = np.where(_is_inside(sums, permitted) & ~permitted.has_gaps, sums, value)
                is_above = _wide(sums) > _wide(permitted.high)
                value = np.where(is_above & ~permitted.has_gaps & permitted.any_finite, permitted.high, value)
            others = np.where(permitted.nan, np.nan, np.where(permitted.plus_infinity, np.inf, -np.inf))
            value = np.where(permitted.any_finite, value, others.astype(value.dtype))
            zeros = np.where(permitted.plus_zero, 0.0, -0.0).astype(value.dtype)
            value = np.where(_wide(value) == 0, zeros, value)
        if terms.initial:
            value = np.where(_untouched(contents), contents.tensors[terms.initial], value)
        outputs[name] = value
    return outputs


def _untouched(contents: Contents) -> np.ndarray:
    """Says of each destination whether no update goes there: it keeps its bits, those of a NaN too."""
    terms = terms_of(contents.signature.name)
    places = np.arange(contents.tensors[terms.initial].size)
    return np.isin(places, contents.tensors[terms.index], invert=True)


def _is_inside(values: np.ndarray, permitted: PermittedSet) -> np.ndarray:
    """Says of each number whether it lies between the least and the greatest one permitted."""
    wide = _wide(values)
    inside = (wide >= _wide(permitted.low)) & (wide <= _wide(permitted.high))
    return np.asarray(inside & permitted.any_finite)


def refused(contents: Contents, sets: "Mapping[str, PermittedSet]", outputs: "Mapping[str, np.ndarray]") -> int:
    """Counts the elements that the contract does not permit."""
    if any(permitted.has_gaps.any() for permitted in sets.values()):
        options = {**contents.options, "elements": "all", "worst": 0}
        return int(_library.judge(contents.data(), _safetensors.write(outputs, {}), options)["failing"])
    count, terms = 0, terms_of(contents.signature.name)
    for name, values in outputs.items():
        permitted, wide = sets[name], _wide(values)
        inside = _is_inside(values, permitted)
        if values.dtype.kind not in "iu":
            sign = np.where(np.signbit(values), permitted.minus_zero, permitted.plus_zero)
            inside = np.where(wide == 0, inside & sign, inside)
            inside = np.where(np.isnan(wide), permitted.nan, inside)
            inside = np.where(wide == np.inf, permitted.plus_infinity, inside)
            inside = np.where(wide == -np.inf, permitted.minus_infinity, inside)
        if terms.initial:
            inside = np.where(_untouched(contents), bits(values) == bits(contents.tensors[terms.initial]), inside)
        count += int((~inside).sum())
    return count


def bits(values: np.ndarray) -> np.ndarray:
    """Returns the encodings of an array's elements."""
    return np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")


def _wide(values: np.ndarray) -> np.ndarray:
    return values.astype(np.float64)
