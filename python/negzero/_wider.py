"""Evaluates a reference again, in numpy.longdouble rounded downward or upward, which shows where its own roundings
decide what it gives.

A plan of the library says "rounding" where it asks for that. Arithmetic of longdouble is the compiler's and its functions
are the C library's, which keep to the rounding of the thread; NumPy's vectors of float64 functions are not made for it.
"""

from __future__ import annotations

import contextlib
import ctypes
import platform
from typing import Any
from collections.abc import Iterator, Mapping

import numpy as np


def is_wanted(plan: "Mapping[str, Any]") -> bool:
    """Says whether the plan is of a reference that is called again."""
    return "rounding" in plan


#: FE_DOWNWARD and FE_UPWARD of <fenv.h>, by machine.
_MODES = {
    "x86_64": {"downward": 0x400, "upward": 0x800},
    "aarch64": {"downward": 0x800000, "upward": 0x400000},
}


@contextlib.contextmanager
def rounded(direction: str) -> "Iterator[None]":
    """Makes arithmetic of this thread round so. Does nothing on a machine whose constants are not known here."""
    mode = _MODES.get(platform.machine(), {}).get(direction)
    if mode is None:
        yield
        return
    library = ctypes.CDLL(None)
    before = library.fegetround()
    library.fesetround(mode)
    try:
        yield
    finally:
        library.fesetround(before)


def widened(values: "Mapping[str, Any]") -> "dict[str, Any]":
    """Returns arguments with NumPy's arrays of float64 as copies in longdouble, and numbers as longdouble. What is of
    another framework stays as it is: it gives the same again."""
    return {name: _wide(value) for name, value in values.items()}


def _wide(value: Any) -> Any:
    if type(value) is float:
        return np.longdouble(value)
    return value.astype(np.longdouble) if type(value) is np.ndarray and value.dtype == np.float64 else value


def narrowed(result: Any) -> Any:
    """Returns what a function gave, alone or in a tuple, a list or a dict, with longdouble rounded to float64."""
    if isinstance(result, Mapping):
        return {name: _narrow(each) for name, each in result.items()}
    return tuple(map(_narrow, result)) if isinstance(result, (tuple, list)) else _narrow(result)


def _narrow(value: Any) -> Any:
    is_wide = isinstance(value, (np.ndarray, np.generic)) and value.dtype == np.longdouble
    return np.asarray(value, np.float64) if is_wide else value
