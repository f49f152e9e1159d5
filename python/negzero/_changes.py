"""The one list of changes that make a right array a wrong one; sensitivity() and the hook on assertions share it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

import numpy as np

from ._elements import Elements, Index


@dataclass(frozen=True)
class Edit:
    """What is put where; elsewhere the array stays as it is."""

    index: Index
    values: Any


class NotHere(Exception):
    """A change that this array cannot have; the text says why."""


class ChangesNothing(Exception):
    """A change that leaves every element of this array as it is."""


@dataclass(frozen=True)
class Change:
    """A defect that a kernel may have, as it shows in what the kernel gives."""

    key: str  #: "lost_row", the word of options and JSON
    name: str  #: "row lost", for people
    what: str  #: precisely what is done
    edit: "Callable[[Elements], Edit]"  #: may raise NotHere

    def put(self, elements: Elements) -> Edit:
        """Makes the change, and returns what undoes it. Raises NotHere or ChangesNothing; then nothing is changed."""
        with np.errstate(all="ignore"):
            edit = self.edit(elements)
            before = Edit(edit.index, elements.put(edit.index, edit.values))
        if self.key != "zero_sign" and elements.is_same(before.index, before.values):
            raise ChangesNothing
        return before

    def applied(self, values: np.ndarray) -> np.ndarray:
        """Returns a changed copy of an array of NumPy. Raises NotHere or ChangesNothing."""
        elements = Elements(np.array(values), np, values.dtype)
        self.put(elements)
        return np.asarray(elements.array)


def _zeros(elements: Elements) -> Edit:
    _has_elements(elements)
    return Edit(..., elements.number(elements.dtype.type(0)))


def _constant(elements: Elements) -> Edit:
    if elements.size < 2:
        raise NotHere("there is one element" if elements.size else "there are no elements")
    return Edit(..., elements.number(_one(elements, _chosen(elements))))


def _rows(elements: Elements) -> "tuple[Index, Index]":
    """Returns the row of the chosen element, and the one behind it, or before it where it is the last one.

    A row is of the last dimension, of one matrix of a batch; of an array with one dimension it is an element.
    """
    place, axis = _chosen(elements), max(len(elements.shape) - 2, 0)
    if not elements.shape or elements.shape[axis] < 2:
        raise NotHere("there is one row")
    row = place[axis]
    other = row + 1 if row + 1 < elements.shape[axis] else row - 1
    return (*place[:axis], row), (*place[:axis], other)


def _lost_row(elements: Elements) -> Edit:
    row, _ = _rows(elements)
    return Edit(row, elements.number(elements.dtype.type(0)))


def _repeated_row(elements: Elements) -> Edit:
    row, other = _rows(elements)
    return Edit(row, elements.part(other))


def _exchanged_rows(elements: Elements) -> Edit:
    (*lead, row), (*_, other) = _rows(elements)
    first = min(row, other)
    both: Index = (*lead, slice(first, first + 2))
    return Edit(both, elements.turned(elements.part(both)))


def _last(elements: Elements) -> Edit:
    _has_elements(elements)
    place = tuple(extent - 1 for extent in elements.shape)
    return Edit(place, elements.number(elements.dtype.type(0)))


def _doubled(elements: Elements) -> Edit:
    place = elements.middling
    if place is None:
        raise NotHere("no element is finite and not 0")
    return Edit(place, elements.number((_one(elements, place) * 2).astype(elements.dtype)))


def _nan(elements: Elements) -> Edit:
    _needs_floats(elements)
    return Edit(_chosen(elements), elements.number(elements.dtype.type(np.nan)))


def _lost_nan(elements: Elements) -> Edit:
    _needs_floats(elements)
    place = elements.first("isnan")
    if place is None:
        raise ChangesNothing
    return Edit(place, elements.number(elements.dtype.type(0)))


def _zero_sign(elements: Elements) -> Edit:
    _needs_floats(elements)
    place = elements.first("iszero")
    if place is None:
        raise ChangesNothing
    return Edit(place, elements.number(-_one(elements, place)))


def _scaled(elements: Elements) -> Edit:
    _needs_floats(elements)
    return Edit(..., elements.scaled(1 + 2.0**-7))


def _rounded(name: str) -> "Callable[[Elements], Edit]":
    def edit(elements: Elements) -> Edit:
        _needs_floats(elements)
        if name not in _NARROWER.get(elements.format, ()):
            raise NotHere(f"not of {elements.format}")
        return Edit(..., elements.rounded(name))

    return edit


#: The formats that a kernel may have rounded to on its way to a result in a format.
_NARROWER = {"F64": ("F32",), "F32": ("TF32", "BF16", "F16"), "F16": ("F8_E4M3",), "BF16": ("F8_E4M3",)}


def _whole(word: str) -> "Callable[[Elements], Edit]":
    def edit(elements: Elements) -> Edit:
        _needs_floats(elements)
        return Edit(..., elements.replaced(word) if word else elements.reversed())

    return edit


def _chosen(elements: Elements) -> "tuple[int, ...]":
    """The element of middle magnitude; the one in the middle where none is finite and not 0."""
    _has_elements(elements)
    place = elements.middling
    return place if place is not None else tuple(extent // 2 for extent in elements.shape)


def _one(elements: Elements, place: "tuple[int, ...]") -> Any:
    return elements.read(place).reshape(())[()]


def _has_elements(elements: Elements) -> None:
    if not elements.size:
        raise NotHere("there are no elements")


def _needs_floats(elements: Elements) -> None:
    _has_elements(elements)
    if not elements.is_float:
        raise NotHere("the elements are integers")


_ROW = "the row of an element of middle magnitude"
#: In order of worth: what a reader wants to know first comes first.
CHANGES: "tuple[Change, ...]" = (
    Change("zeros", "all zeros", "every element is +0", _zeros),
    Change("lost_row", "row lost", f"{_ROW} is +0", _lost_row),
    Change("nan", "element turned into NaN", "an element of middle magnitude is NaN", _nan),
    Change("doubled", "element doubled", "an element of middle magnitude is twice as large", _doubled),
    Change("repeated_row", "row of its neighbour", f"{_ROW} has the values of the one behind it", _repeated_row),
    Change("exchanged_rows", "rows exchanged", f"{_ROW} and the one behind it have changed places", _exchanged_rows),
    Change("last_unwritten", "last element not written", "the last element is +0", _last),
    Change("constant", "a constant", "every element has the value of one of middle magnitude", _constant),
    Change("scaled", "scaled by 1 + 2^-7", "every element is multiplied by 1.0078125", _scaled),
    *(
        Change(
            f"rounded_{name.lower()}",
            f"rounded to {name}",
            f"every element is rounded to nearest even in {name}; what is beyond its numbers stays",
            _rounded(name),
        )
        for name in ("F8_E4M3", "BF16", "F16", "TF32", "F32")
    ),
    Change("reversed", "elements reversed", "each element has the value of the one as far from the end", _whole("")),
    Change("lost_nan", "NaN turned into 0", "the first NaN is +0", _lost_nan),
    Change("finite", "infinity turned finite", "infinite elements are the greatest finite number", _whole("infinite")),
    Change("flushed", "subnormal results flushed", "subnormal elements are zeros of their sign", _whole("subnormal")),
    Change("zero_sign", "sign of a zero", "the first zero has the other sign", _zero_sign),
)
