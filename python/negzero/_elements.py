"""A copy of an array that changes are put into and taken out of again, by the functions of NumPy."""

from __future__ import annotations

import functools
import math
from typing import Any

import ml_dtypes
import numpy as np

from ._formats import EVERY, format_of

#: Where to put something: an index of NumPy's basic kind, `...` for all elements.
Index = Any
#: Most elements that are looked at to find one of middling size.
_SAMPLE = 1024


_DTYPES = {"F32": np.float32, "F16": np.float16, "BF16": ml_dtypes.bfloat16, "F8_E4M3": ml_dtypes.float8_e4m3fn}


def _limits(name: str) -> Any:
    return ml_dtypes.finfo(_DTYPES[name])  # type: ignore[no-untyped-call]


def _place(flat: int, shape: "tuple[int, ...]") -> "tuple[int, ...]":
    return tuple(int(i) for i in np.unravel_index(flat, shape)) if shape else ()


class Elements:
    """A copy of an array of floating-point numbers or integers, in its own dtype, strides and memory."""

    def __init__(self, array: Any, module: Any, dtype: np.dtype) -> None:
        self._data = array
        self.dtype = dtype  #: NumPy's dtype of the elements
        self._module = module
        self.shape: "tuple[int, ...]" = tuple(array.shape)
        self.size = math.prod(self.shape)
        self.guide: "Elements | None" = None  #: whose magnitudes say which element is of middle magnitude

    @property
    def array(self) -> Any:
        """The elements as they are now, as an array of the framework."""
        return self._data

    @property
    def is_float(self) -> bool:
        """Says whether the elements are floating-point numbers."""
        return self.dtype.kind not in "iub"

    @property
    def step(self) -> float:
        """The distance from 1 to the next number of the format; 0 of integers."""
        return float(ml_dtypes.finfo(self.dtype).eps) if self.is_float else 0.0  # type: ignore[no-untyped-call]

    @property
    def format(self) -> str:
        """The format's name: "F32"; NumPy's name of a dtype that the library does not judge."""
        try:
            return format_of(self.dtype, "array", EVERY)
        except TypeError:
            return self.dtype.name

    # The two ways to look at elements: some of them on the host, or all of them by one function of the framework.

    def read(self, index: Index) -> np.ndarray:
        """Copies elements to the host, in their dtype."""
        part = self._data[index]
        return np.asarray(part.get() if hasattr(part, "get") else part, self.dtype)

    def first(self, word: str) -> "tuple[int, ...] | None":
        """Returns where the first element is of which "isnan" or "iszero" is true."""
        values = self._computable(self._data)
        found = (values == 0 if word == "iszero" else getattr(self._module, word)(values)).reshape(-1)
        if not self.size:
            return None
        place = self._first(found)
        if not bool(found[place]):
            return None
        return _place(place, self.shape)

    @functools.cached_property
    def middling(self) -> "tuple[int, ...] | None":
        """Where an element is of the middle magnitude of a sample, of what is finite and not 0; None if none is.

        It is that of the elements as they are when it is first asked for. The sample has at most 1,024 elements, evenly
        spaced.
        """
        if not self.size:
            return None
        places = np.unique(np.linspace(0, self.size - 1, min(self.size, _SAMPLE)).astype(np.int64))
        index = np.unravel_index(places, self.shape) if self.shape else ()
        guide = self.guide if self.guide is not None and self.guide.shape == self.shape else self
        magnitudes = np.abs(guide.read(tuple(index)).astype(np.float64)).reshape(-1)
        usable = np.flatnonzero(np.isfinite(magnitudes) & (magnitudes > 0))
        if not usable.size:
            return None
        order = usable[np.argsort(magnitudes[usable], kind="stable")]
        return _place(int(places[order[(order.size - 1) // 2]]), self.shape)

    def largest(self) -> float:
        """Returns the largest finite magnitude; 0 where there is none."""
        if not self.size:
            return 0.0
        values = self._computable(self._data)
        if self.is_float:
            values = self._module.where(self._module.isfinite(values), values, self._zeros(values))
        return max(abs(float(values.max())), abs(float(values.min())))

    def distances(self, other: Elements) -> np.ndarray:
        """Returns the distance of each element from that of another array of this shape, or of one element.

        It is infinite where one is NaN and the other is not.
        """
        mine, theirs = self.read(...).astype(np.float64), other.read(...).astype(np.float64)
        with np.errstate(all="ignore"):
            apart = np.abs(mine - theirs)
            apart = np.where((mine == theirs) | (np.isnan(mine) & np.isnan(theirs)), 0.0, apart)
        return np.where(np.isnan(apart), np.inf, apart)

    # What is put

    def detach(self) -> None:
        """Leaves the array that was given: what is put is put into a copy."""
        self._data = self._copied(self._data)

    def put(self, index: Index, values: Any) -> Any:
        """Puts numbers or arrays of the framework there, and returns what was there before."""
        before = self._copied(self._data[index])
        self._data[index] = values
        return before

    def part(self, index: Index) -> Any:
        """Returns a copy of elements, where they lie."""
        return self._copied(self._data[index])

    def is_same(self, index: Index, before: Any) -> bool:
        """Says whether elements have the values that they had before; a NaN is every NaN, and a zero has no sign."""
        now = self._data[index]
        same = now == before
        if self.is_float:
            same = same | ((now != now) & (before != before))
        return bool(same.all())

    def number(self, value: np.generic) -> Any:
        """Returns what put() takes for one number of the elements' dtype."""
        return value

    def taken(self, array: np.ndarray) -> Any:
        """Returns an array of the host where the elements lie, rounded to their dtype."""
        return self._module.asarray(array.astype(self.dtype))

    def turned(self, part: Any) -> Any:
        """Returns a part whose first dimension runs backwards."""
        return self._module.flip(part, 0)

    def scaled(self, factor: float) -> Any:
        """Returns all elements times a factor, each rounded to their dtype."""
        return self._stored(self._computable(self._data) * factor)

    def reversed(self) -> Any:
        """Returns all elements, the last one first."""
        return self.turned(self._data.reshape(-1)).reshape(self.shape)

    def rounded(self, name: str) -> Any:
        """Returns all elements rounded to nearest even in a narrower format; what is beyond it stays as it is."""
        if name == "TF32":
            return self._tf32()
        module, values = self._module, self._computable(self._data)
        narrow = self._cast(self._cast(values, name), values.dtype)
        beyond = ~module.isfinite(narrow) | (module.abs(values) > float(_limits(name).max))
        return self._stored(module.where(beyond, values, narrow))

    def replaced(self, word: str) -> Any:
        """Returns all elements, those with a property by another: "subnormal" by zeros, "infinite" by the greatest."""
        module, values = self._module, self._computable(self._data)
        limits = ml_dtypes.finfo(self.dtype)  # type: ignore[no-untyped-call]
        if word == "subnormal":
            is_tiny = module.abs(values) < float(limits.smallest_normal)
            zeros = module.where(is_tiny, values, self._zeros(values)) * 0  # of their sign
            return self._stored(module.where(is_tiny, zeros, values))
        zeros, most = self._zeros(values), float(limits.max)
        greatest = module.where(values > 0, zeros + most, zeros - most)
        return self._stored(module.where(module.isinf(values), greatest, values))

    # What frameworks do differently

    def _computable(self, array: Any) -> Any:
        """Returns an array in a dtype in which the framework computes and that holds each of its numbers."""
        return array

    def _stored(self, array: Any) -> Any:
        return array.astype(self.dtype)

    def _first(self, found: Any) -> int:
        return int(found.argmax())

    def _copied(self, array: Any) -> Any:
        return array.copy(order="K")

    def _zeros(self, array: Any) -> Any:
        return self._module.zeros_like(array)

    def _cast(self, array: Any, to: Any) -> Any:
        return array.astype(_DTYPES.get(to, to) if isinstance(to, str) else to)

    def _bits(self, array: Any, name: str) -> Any:
        return array.view(name)

    def _tf32(self) -> Any:
        """TF32 is F32 whose last 13 bits are 0 (NVIDIA A100 Tensor Core GPU Architecture, 2020, "TF32")."""
        bits = self._bits(self._data, "int32")
        bits = (bits + (0x0FFF + (bits >> 13 & 1))) & -0x2000
        narrow = self._bits(bits, "float32")
        return self._module.where(self._module.isfinite(narrow), narrow, self._data)
