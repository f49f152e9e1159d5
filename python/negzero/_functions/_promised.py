"""The contract that a function's documentation promises of a combination of formats, without a call of it."""

from __future__ import annotations

import contextlib
from types import SimpleNamespace
from typing import Any
from collections.abc import Iterator, Sequence

import numpy as np

from .._formats import dtype_of
from . import _torch_products
from ._call import Call, Function


class On(np.ndarray):
    """An array that says where it lies, as arrays of PyTorch and JAX say it."""

    place = "cpu"

    @property
    def device(self) -> Any:
        return SimpleNamespace(type=self.place)

    def devices(self) -> Any:
        return [SimpleNamespace(platform=self.place)]


class OnGpu(On):
    place = "cuda"


def _element(format_name: str, dimensions: int, device: str) -> np.ndarray:
    place = OnGpu if device == "cuda" else On
    return np.ones((1,) * dimensions, dtype_of(format_name)).view(place)


def _example(function: Function, formats: "Sequence[str]", device: str) -> "list[Any]":
    """Returns arguments of one element each, without keywords."""
    name, operation = function.name.rpartition(".")[2], function.operation
    first = formats[0]
    if operation == "gemm":
        dimensions = 3 if name in ("bmm", "baddbmm") else 2
        factors = [_element(each, dimensions, device) for each in formats[:2]]
        return [_element(formats[2], dimensions, device), *factors] if name in ("addmm", "baddbmm") else factors
    if operation == "convert":
        return [_element(first, 1, device), dtype_of(formats[1])]
    if operation.startswith("scatter"):
        x, index = _element(first, 1, device), np.zeros(1, np.int32)
        return [x, index, 1] if name.startswith("segment") else [x, 0, index, x]
    return [_element(first, 2, device), 1]


@contextlib.contextmanager
def _assuming(switches: "dict[str, Any]") -> "Iterator[None]":
    before = dict(_torch_products.assumed)
    _torch_products.assumed.update(switches)
    try:
        yield
    finally:
        _torch_products.assumed.clear()
        _torch_products.assumed.update(before)


def promised(function: Function, formats: "Sequence[str]", device: str, words: "dict[str, Any]") -> Call:
    """Returns the call of a function on one element of each format, whose contract is what is promised.

    `words` are switches of PyTorch's products, and else keywords of the function.
    """
    switches = {name: words[name] for name in words if name in _torch_products.SWITCHES}
    for name, value in switches.items():
        if not isinstance(value, bool):
            raise TypeError(f"{name}: {value!r} is no switch; give True or False")
    keywords = {name: words[name] for name in words if name not in switches}
    with _assuming(switches):
        return function.call(lambda value, *_: np.asarray(value), _example(function, formats, device), keywords)
