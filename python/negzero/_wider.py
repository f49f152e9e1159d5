"""Evaluates a reference again, in numpy.longdouble rounded downward or upward, which shows where its own roundings
decide what it gives.

A plan of the library says "rounding" where it asks for that. Arithmetic of longdouble is the compiler's and its functions
are the C library's, which keep to the rounding of the thread; NumPy's vectors of float64 functions are not made for it.
The thread rounds so within operations on whole arrays of longdouble alone. Rounding to integers, and all else that a
reference does, stays to nearest even: such a step is part of what it defines, and no error of it.
"""

from __future__ import annotations

import contextlib
import ctypes
import platform
from typing import Any
from collections.abc import Iterator, Mapping

import numpy as np

#: FE_DOWNWARD and FE_UPWARD of <fenv.h>, by machine.
_MODES = {
    "x86_64": {"downward": 0x400, "upward": 0x800},
    "aarch64": {"downward": 0x800000, "upward": 0x400000},
}.get(platform.machine(), {})
_LIBRARY = ctypes.CDLL(None)


def is_wanted(plan: "Mapping[str, Any]") -> bool:
    """Says whether the plan is of a reference that is called again."""
    return "rounding" in plan


@contextlib.contextmanager
def rounded(direction: str) -> "Iterator[None]":
    """Makes arithmetic of this thread round so. Does nothing on a machine whose constants are not known here."""
    if direction not in _MODES:
        yield
        return
    before = _LIBRARY.fegetround()
    _LIBRARY.fesetround(_MODES[direction])
    try:
        yield
    finally:
        _LIBRARY.fesetround(before)


class _Wide(np.ndarray):
    """An array of longdouble whose operations are rounded in a direction, all but rint() and what is made of that."""

    direction = ""  #: of all such arrays: one reference runs at a time

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        if out is not None:
            options["out"] = tuple(map(_plain, out))
        with rounded("" if ufunc is np.rint else _Wide.direction):
            result = getattr(ufunc, method)(*map(_plain, inputs), **options)
        return _wrapped(result) if out is None else out[0] if len(out) == 1 else out

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        return _wrapped(super().__array_function__(function, types, arguments, options))  # np.where() drops the class

    def astype(self, dtype: Any, *arguments: Any, **options: Any) -> Any:
        """Returns a copy. What a reference makes float64 stays wide; an array of another type rounds as ever."""
        if np.dtype(dtype) == np.float64:
            return super().astype(self.dtype, *arguments, **options)
        return _plain(self).astype(dtype, *arguments, **options)


@contextlib.contextmanager
def directed(direction: str) -> "Iterator[None]":
    """Makes operations on arrays of widened() round so."""
    _Wide.direction = direction
    try:
        yield
    finally:
        _Wide.direction = ""


def _plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, _Wide) else value


def _wrapped(result: Any) -> Any:
    if isinstance(result, tuple):
        return tuple(map(_wrapped, result))
    is_wide = isinstance(result, (np.ndarray, np.generic)) and result.dtype == np.longdouble
    return np.asarray(result).view(_Wide) if is_wide else result


def widened(values: "Mapping[str, Any]") -> "dict[str, Any]":
    """Returns arguments with NumPy's arrays of float64 as copies in longdouble, and numbers as longdouble. What is of
    another framework stays as it is: it gives the same again."""
    return {name: _wide(value) for name, value in values.items()}


def _wide(value: Any) -> Any:
    if type(value) is float:
        return np.longdouble(value)
    is_f64 = type(value) is np.ndarray and value.dtype == np.float64
    return value.astype(np.longdouble).view(_Wide) if is_f64 else value


def narrowed(result: Any) -> Any:
    """Returns what a function gave, alone or in a tuple, a list or a dict, with longdouble rounded to float64."""
    if isinstance(result, Mapping):
        return {name: _narrow(each) for name, each in result.items()}
    return tuple(map(_narrow, result)) if isinstance(result, (tuple, list)) else _narrow(result)


def _narrow(value: Any) -> Any:
    is_wide = isinstance(value, (np.ndarray, np.generic)) and value.dtype == np.longdouble
    return np.asarray(value, np.float64) if is_wide else _plain(value)
