"""Gives functions the arrays of their framework over the memory in which a case is laid out.

The library lays a case out in an image: tensors with the case's strides, between guard zones, everything poisoned. It
compares the image after the launch. Arrays that are views of it show what a function writes beside them; a framework
whose arrays are never views gets copies.
"""

from __future__ import annotations

import mmap
import sys
from typing import Any
from collections.abc import Mapping

import numpy as np

from ._arrays import as_array, as_places, packed
from ._formats import EVERY, HALVES, INDICES, INTEGERS, dtype_of, memory_dtype_of, only_stores

_PAGE = 4096


class Images:
    """NumPy's arrays, in the memory itself."""

    name = "numpy"
    has_views = True  #: whether arrays lie in the image, so that all that is written beside elements is seen
    compiles = False  #: whether a function is usually compiled anew for each shape
    keeps_inputs = False  #: whether inputs of NumPy are read-only
    place = "host"  #: where functions run, in the words of a ledger
    lacks: "frozenset[str]" = frozenset()  #: formats of which it has no arrays

    def __init__(self) -> None:
        self.memory: Any = None  # of the image, kept alive by arrays that a function may have kept
        self.host = np.empty(0, np.uint8)

    def where(self) -> str:
        """Returns "numpy on the host"."""
        return f"{self.name} on the host"

    def allocate(self, size: int) -> int:
        """Makes page-aligned memory for images, and returns its address."""
        self.adopt(mmap.mmap(-1, size))
        return int(self.host.ctypes.data)

    def adopt(self, memory: Any) -> None:
        """Takes writable memory that begins on a page for images, instead of what was there before."""
        self.memory = memory
        self.host = np.frombuffer(memory, np.uint8)

    def load(self, begin: int, end: int) -> None:
        """Brings those bytes of the image to where the function runs."""

    def store(self, begin: int, end: int) -> None:
        """Waits for the function, and brings the bytes back."""

    def array(self, buffer: "Mapping[str, Any]") -> Any:
        """Returns a tensor of a plan as the function gets it."""
        return self.on_host(buffer)

    def input(self, buffer: "Mapping[str, Any]") -> Any:
        """Returns an input of a plan as the function gets it."""
        array = self.array(buffer)
        if self.keeps_inputs and type(array) is np.ndarray:
            array.flags.writeable = False
        return array

    def copy(self, array: np.ndarray) -> Any:
        """Returns an array of the framework's own with those elements, packed."""
        return array.copy()

    def on_host(self, buffer: "Mapping[str, Any]") -> np.ndarray:
        """Returns a tensor of a plan as a view of the image on the host."""
        dtype = memory_dtype_of(buffer["format"])
        size = dtype.itemsize
        strides = [step * size for step in buffer["strides"]]
        return np.ndarray(buffer["shape"], dtype, self.memory, buffer["at"], strides)


class _Torch(Images):
    """PyTorch's tensors, in the memory itself or in a copy of it on a device."""

    name = "torch"

    def __init__(self, torch: Any, device: "str | None") -> None:
        super().__init__()
        self.torch = torch
        if device is not None and torch.device(device).type == "cuda" and not torch.cuda.is_available():
            raise RuntimeError("PyTorch sees no GPU")
        self.device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        self.is_here = self.device.type == "cpu"
        self.place = "cuda" if self.device.type == "cuda" else "host"
        if self.place == "cuda":  # Takes seconds where a machine is busy, and is no time of a function's.
            torch.zeros(1, device=self.device).item()
        self.typed: dict[str, Any] = {}  # the image as a tensor of each format

    def where(self) -> str:
        return f"torch on {self.device}"

    def allocate(self, size: int) -> int:
        torch = self.torch
        if self.is_here:
            return super().allocate(size)
        # Pinned memory, so that copies are one transfer each. Rounded up: it may begin inside a page.
        whole = torch.empty(size + _PAGE, dtype=torch.uint8, pin_memory=self.device.type == "cuda")
        start = -whole.data_ptr() % _PAGE
        self.source = whole[start : start + size]
        self.target = torch.empty(size, dtype=torch.uint8, device=self.device)
        self.host = self.source.numpy()
        self.memory = self.host.data
        self.typed = {}
        return int(self.source.data_ptr())

    def adopt(self, memory: Any) -> None:
        super().adopt(memory)
        self.source = self.target = self.torch.frombuffer(memory, dtype=self.torch.uint8)
        if not self.is_here:
            self.target = self.torch.empty(len(self.host), dtype=self.torch.uint8, device=self.device)
        self.typed = {}

    def load(self, begin: int, end: int) -> None:
        if not self.is_here:
            self.target[begin:end].copy_(self.source[begin:end])  # waits: a function may use streams of its own

    def store(self, begin: int, end: int) -> None:
        if self.is_here:
            return
        if self.device.type == "cuda":
            self.torch.cuda.synchronize(self.device)  # a function may use streams of its own
        self.source[begin:end].copy_(self.target[begin:end])

    def array(self, buffer: "Mapping[str, Any]") -> Any:
        format_name = buffer["format"]
        typed = self.typed.get(format_name)
        if typed is None:
            typed = self.typed[format_name] = self.target.view(_torch_dtype(self.torch, format_name))
        return typed.as_strided(buffer["shape"], buffer["strides"], buffer["at"] // typed.element_size())

    def copy(self, array: np.ndarray) -> Any:
        dtype = getattr(self.torch, array.dtype.name)
        if array.size == 0:  # whose bytes PyTorch views as no other type
            return self.torch.empty(array.shape, dtype=dtype, device=self.device)
        bits = self.torch.from_numpy(packed(array).reshape(-1).view(np.uint8).copy())
        return bits.view(dtype).reshape(array.shape).to(self.device)


class _CuPy(Images):
    """CuPy's arrays, in a copy of the memory on the current device."""

    name = "cupy"
    place = "cuda"
    lacks = frozenset({"BF16", "F8_E4M3", "F8_E5M2"})

    def __init__(self, cupy: Any) -> None:
        super().__init__()
        self.cupy = cupy
        cupy.zeros(1).get()  # as _Torch does

    def where(self) -> str:
        return f"cupy on cuda:{self.cupy.cuda.Device().id}"

    def adopt(self, memory: Any) -> None:
        super().adopt(memory)
        self.target = self.cupy.empty(len(self.host), self.cupy.uint8)

    def load(self, begin: int, end: int) -> None:
        self.target[begin:end].set(self.host[begin:end])

    def store(self, begin: int, end: int) -> None:
        self.cupy.cuda.Device().synchronize()
        self.target[begin:end].get(out=self.host[begin:end])

    def array(self, buffer: "Mapping[str, Any]") -> Any:
        # CuPy has none of the formats that only store numbers: it gets their bytes.
        dtype = np.dtype(np.uint8) if only_stores(buffer["format"]) else dtype_of(buffer["format"])
        strides = tuple(step * dtype.itemsize for step in buffer["strides"])
        return self.cupy.ndarray(tuple(buffer["shape"]), dtype, self.target.data + buffer["at"], strides)

    def copy(self, array: np.ndarray) -> Any:
        return self.cupy.asarray(array)


class _Jax(Images):
    """JAX's arrays, which are copies and cannot be written."""

    name = "jax"
    has_views = False
    compiles = True

    def __init__(self, jax: Any, device: "str | None") -> None:
        super().__init__()
        self.jax = jax
        self.device = jax.devices(device)[0] if isinstance(device, str) else device
        platform = (self.device or jax.devices()[0]).platform
        self.place = "host" if platform == "cpu" else "cuda"
        if self.place == "cuda":  # as _Torch does
            jax.device_put(np.zeros(1, np.float32), self.device).block_until_ready()
        self.lacks = frozenset() if jax.config.jax_enable_x64 else frozenset({"F64", "I64"})

    def where(self) -> str:
        return f"jax on {self.device or self.jax.devices()[0].platform}"

    def array(self, buffer: "Mapping[str, Any]") -> Any:
        array = self.on_host(buffer)
        return self.copy(array.view(np.uint8) if buffer["format"].startswith("F6") else array)  # of which JAX has none

    def copy(self, array: np.ndarray) -> Any:
        # A copy first: on the host JAX would share the memory, which the next case overwrites.
        return self.jax.device_put(np.array(array, order="C"), self.device)


def _torch_dtype(torch: Any, format_name: str) -> Any:
    if format_name in HALVES:
        return torch.uint8
    name = dtype_of(format_name).name  # PyTorch's names are NumPy's
    return getattr(torch, name, torch.uint8) if only_stores(format_name) else getattr(torch, name)


def named(arrays: object, device: object) -> "frozenset[str]":
    """Returns the formats that a framework certainly has no arrays of, and imports none.

    Raises TypeError or ValueError for names and devices that are none.
    """
    names = ("numpy", "torch", "jax", "cupy")
    if not isinstance(arrays, str) or arrays not in names:
        raise ValueError(f"arrays: {arrays!r} is none; give one of {', '.join(names)}")
    if device is not None and (arrays in ("numpy", "cupy") or not isinstance(device, str)):
        cure = (
            "a name such as 'cuda' or 'cpu'" if arrays in ("torch", "jax") else "None; cupy runs on its current device"
        )
        raise ValueError(f"device: {device!r} is none of {arrays}; give {cure}")
    return _CuPy.lacks if arrays == "cupy" else frozenset()


def images_of(arrays: object, device: object) -> Images:
    """Makes the images of a framework by name. Raises TypeError or ValueError for names and devices that are none.

    The framework is imported if it is not yet: who names it has it. A missing one is an ImportError of Python's own.
    """
    named(arrays, device)
    assert isinstance(arrays, str)
    if arrays == "numpy":
        return Images()
    __import__(arrays)
    module = sys.modules[arrays]
    if arrays == "cupy":
        return _CuPy(module)
    assert device is None or isinstance(device, str)
    try:
        return _Torch(module, device) if arrays == "torch" else _Jax(module, device)
    except RuntimeError as error:
        raise ValueError(f"device: {device!r} is none of {arrays} here ({error}); give another") from error


def result_on_host(result: object, argument: str, places: "np.dtype | None" = None) -> np.ndarray:
    """Returns what a function gave as an array on the host. `places` is the dtype in which places are wanted, which may
    be integers of any width.

    Raises TypeError or ValueError, which name the argument.
    """
    if places is not None:
        has_index_format = places.name in ("int32", "int64")
        return as_places(as_array(result, argument, INDICES if has_index_format else INTEGERS), argument, places)
    if type(result) is np.ndarray and result.dtype.isnative:
        return result
    return as_array(result, argument, EVERY)
