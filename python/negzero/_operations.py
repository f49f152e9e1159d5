"""Knows what each operation takes and gives, from the lines of index notation that the library lists."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field
from typing import Any
from collections.abc import Mapping, Sequence

from . import _library
from ._formats import ANY, EVERY, FACTORS, FLOATS, INDICES


@dataclass(frozen=True)
class TensorOf:
    """One tensor of an operation: a[batch, m, k] in the format "a"."""

    name: str
    role: str  #: "input", "index", "initial" or "output"
    shape: tuple[str, ...]  #: names of extents, outermost first
    format: str  #: the first tensor that has its format, which is the name of a slot
    usually: str | None  #: the format where nobody names it: "I32", or that of another tensor; None: it must be named
    below: str | None  #: of indices: the extent that they stay below
    at_most: str | None  #: of counts: the extent that they do not exceed
    optional: bool = False  #: of an input of a declared operation: a case may be without it
    has_none: bool = False  #: of indices: -1 says that there is no index

    def __str__(self) -> str:
        return f"{self.name}{'?' if self.optional else ''}[{', '.join(self.shape)}]"


@dataclass(frozen=True)
class Signature:
    """What an operation takes and gives. Shapes may have more leading dimensions where `leading` says so."""

    name: str
    definition: str
    extents: tuple[str, ...]
    scalars: tuple[str, ...]
    inputs: tuple[TensorOf, ...]
    outputs: tuple[TensorOf, ...]
    #: The extent that any number of leading dimensions, or none, may make up: "batch" of gemm, "rows" of reduce.sum.
    leading: str | None
    #: What is added to the result, by name, with its scalar: {"c": "beta"}. It may be missing, and is broadcast.
    addends: Mapping[str, str]
    #: The outputs that hold places rather than numbers.
    places: frozenset[str]
    declared: bool = False  #: without a definition, by a line of the caller's
    #: What scalars of a declared operation are that are no floating-point numbers: {"first": "int", "largest": "bool"}.
    kinds: Mapping[str, str] = field(default_factory=dict)
    parameters: tuple[str, ...] = ()  #: extents in relations alone, which no tensor has
    relations: tuple[str, ...] = ()  #: between extents: ("o = n - k + 1",)

    @property
    def identity(self) -> str:
        """What files and requests call it: the name, or the whole line of a declared operation."""
        return f"{self.name}: {self.definition}" if self.declared else self.name

    @property
    def words(self) -> str:
        """The operands for messages: a[batch, m, k], b[batch, k, n], c[batch, m, n], alpha, beta."""
        scalars = [f"{name} {self.kinds[name]}" if name in self.kinds else name for name in self.scalars]
        return ", ".join([*map(str, self.inputs), *scalars, *self.parameters])

    @property
    def named_extents(self) -> "tuple[str, ...]":
        """The extents that functions and callers may name beside operands: those of a declared operation."""
        taken = {tensor.name for tensor in (*self.inputs, *self.outputs)} | set(self.scalars)
        return tuple(each for each in self.extents if each not in taken) if self.declared else ()

    @property
    def slots(self) -> "tuple[str, ...]":
        """The tensors whose formats must be named, in the order of the line: a, b, d."""
        names = [tensor.format for tensor in (*self.inputs, *self.outputs) if tensor.usually is None]
        return tuple(dict.fromkeys(names))

    @property
    def usual(self) -> "Mapping[str, str]":
        """The tensors whose formats may be named behind those, with what they have where they are not: {"c": "d"}."""
        tensors = (*self.inputs, *self.outputs)
        return {tensor.format: tensor.usually for tensor in tensors if tensor.usually is not None}

    @property
    def slots_text(self) -> str:
        """The tensors whose formats may be chosen, for messages: a, b, d[, c]."""
        return ", ".join(self.slots) + "".join(f"[, {name}]" for name in self.usual)

    def formats_of(self, combination: "Sequence[str]") -> "dict[str, str]":
        """Returns the format of every slot, of formats in the order of the slots; the last of them may be missing."""
        return self.filled(dict(zip((*self.slots, *self.usual), combination)))

    def filled(self, formats: Mapping[str, str]) -> "dict[str, str]":
        """Returns the format of every slot, of formats by name, in which usual ones may be missing."""
        return {**formats, **{name: formats.get(name, formats.get(of, of)) for name, of in self.usual.items()}}

    def named(self, formats: Mapping[str, str]) -> "dict[str, str]":
        """Returns formats without those that filled() gives by itself."""
        usual = self.filled({name: formats[name] for name in self.slots})
        return {name: each for name, each in formats.items() if name in self.slots or each != usual[name]}

    def core(self, tensor: TensorOf) -> tuple[str, ...]:
        """Returns the extents of a tensor behind its leading dimensions."""
        return tensor.shape[1:] if self.has_leading(tensor) else tensor.shape

    def has_leading(self, tensor: TensorOf) -> bool:
        """Says whether leading dimensions of that tensor make up the leading extent."""
        return self.leading is not None and tensor.shape[:1] == (self.leading,)

    def takes(self, tensor: TensorOf) -> "tuple[str, ...]":
        """Returns the formats that the tensor may have: integers where it holds places, indices or counts, or in gemm."""
        if tensor.role == "index" or tensor.name in self.places:
            return INDICES
        if self.declared:
            return EVERY
        if self.addends:
            return ANY if tensor in self.outputs or tensor.name in self.addends else FACTORS
        is_copy = re.fullmatch(r"\w+\[[^]]*\]", self.definition.split("] = ", 1)[-1]) is not None
        return ANY if is_copy and tensor in self.outputs else FLOATS


def _leading(inputs: tuple[TensorOf, ...], outputs: tuple[TensorOf, ...]) -> str | None:
    """The first extent of every output, each of whose elements is computed by itself.

    Not where indices point into it: flattening would change what they mean. Nor where an input has it behind another
    extent, as rows of x[batch, rows, columns]: what flattens to it would not come first there.
    """
    firsts = {output.shape[0] for output in outputs if output.shape}
    if len(firsts) != 1:
        return None
    first = firsts.pop()
    return None if any(tensor.below == first or first in tensor.shape[1:] for tensor in inputs) else first


def _parse(row: Mapping[str, Any]) -> Signature:
    def tensors(rows: list[Mapping[str, Any]]) -> tuple[TensorOf, ...]:
        return tuple(
            TensorOf(
                each["name"],
                each["role"],
                tuple(each["shape"]),
                each["format"],
                each.get("usually"),
                each.get("below"),
                each.get("at_most"),
                bool(each.get("optional")),
                "none=-1" in each.get("words", "").split(),
            )
            for each in rows
        )

    inputs, outputs = tensors(row["inputs"]), tensors(row["outputs"])
    definition = row["definition"]
    addends = {
        tensor: scalar
        for scalar, tensor in re.findall(r"\+\s*(\w+)\s*\*\s*(\w+)\[", definition)
        if scalar in row["scalars"] and any(tensor == each.name for each in inputs)
    }
    # "max(j<columns: x[i,j]), argmax(j: x[i,j])": the outputs' expressions, in their order.
    heads = re.findall(r"(?:^|,)\s*(\w+)\(", definition.split("] = ", 1)[-1])
    places = {output.name for output, head in zip(outputs, heads) if head in ("argmax", "argmin")}
    declared = bool(row.get("declared"))
    if declared:
        addends, places = {}, {output.name for output in outputs if output.below is not None}
    return Signature(
        row["name"],
        definition,
        tuple(row["extents"]),
        tuple(row["scalars"]),
        inputs,
        outputs,
        None if declared else _leading(inputs, outputs),
        addends,
        frozenset(places),
        declared,
        dict(row.get("kinds", {})),
        tuple(row.get("parameters", ())),
        tuple(row.get("relations", ())),
    )


@functools.cache
def _signatures() -> Mapping[str, Signature]:
    return {row["name"]: _parse(row) for row in _library.listing()["operations"]}


def operations() -> dict[str, str]:
    """Returns every operation's name with the line of index notation that defines it."""
    return {name: signature.definition for name, signature in _signatures().items()}


@functools.cache
def _declared(line: str) -> Signature:
    return _parse(_library.describe(line))


def signature_of(operation: object) -> Signature:
    """Returns the signature of an operation's name, or of a line that declares one.

    Raises TypeError or ValueError, which list the names or say what is wrong with the line.
    """
    known = _signatures()
    if not isinstance(operation, str):
        raise TypeError(f"operation: a {type(operation).__name__}; give one of {', '.join(known)}")
    if operation in known:
        return known[operation]
    if ":" in operation:
        return _declared(operation)
    raise ValueError(
        f"operation: {operation!r} is none; give one of {', '.join(known)}, or a line that declares one: "
        "'softmax: y[rows, columns] <- x[rows, columns]'"
    )
