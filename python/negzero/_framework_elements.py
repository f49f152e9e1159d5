"""Arrays of NumPy, CuPy, PyTorch and JAX that changes are put into and taken out of again, where they lie.

No framework is imported here: an object of one that was never imported does not exist.
"""

from __future__ import annotations

import sys
from typing import Any

import ml_dtypes
import numpy as np

from ._elements import Elements, Index
from ._frameworks import is_instance

_TORCH = {"F32": "float32", "F16": "float16", "BF16": "bfloat16", "F8_E4M3": "float8_e4m3fn"}
_BYTES = (1, 2, 4, 8)


class _Cupy(Elements):
    def rounded(self, name: str) -> Any:
        if name in ("F16", "TF32", "F32"):
            return super().rounded(name)
        # CuPy has no such dtype.
        return self._module.asarray(Elements(self._data.get(), np, self.dtype).rounded(name))


class _Torch(Elements):
    def taken(self, array: np.ndarray) -> Any:
        wide = array.astype(self.dtype).astype(np.int64 if self.dtype.kind in "iu" else np.float64)
        return self._module.as_tensor(wide).to(self._data.device, self._data.dtype)

    def read(self, index: Index) -> np.ndarray:
        if index is not ...:
            index = tuple(self._module.as_tensor(i) if isinstance(i, np.ndarray) else i for i in index)
        part = self._data[index].detach().cpu()
        if self.dtype.kind in "iu" or hasattr(np, self.dtype.name):
            return np.asarray(part.numpy())
        return np.asarray(part.double().numpy()).astype(self.dtype)

    def number(self, value: np.generic) -> Any:
        return value.item() if self.dtype.kind in "iu" else float(value)

    def _computable(self, array: Any) -> Any:
        return array.float() if self.dtype.itemsize == 1 and self.is_float else array

    def _stored(self, array: Any) -> Any:
        return array.to(self._data.dtype)

    def _first(self, found: Any) -> int:
        return int(found.int().argmax())

    def _copied(self, array: Any) -> Any:
        # An inference tensor may not be changed outside of inference_mode(); its copy that is made outside may be.
        with self._module.inference_mode(False), self._module.no_grad():
            return array.clone()

    def turned(self, part: Any) -> Any:
        return self._module.flip(part, (0,))

    def _cast(self, array: Any, to: Any) -> Any:
        return array.to(getattr(self._module, _TORCH[to]) if isinstance(to, str) else to)

    def _bits(self, array: Any, name: str) -> Any:
        return array.view(getattr(self._module, name))


class _JaxOnHost(Elements):
    """Changed by NumPy: JAX compiles each of its functions for each shape."""

    def __init__(self, array: Any, jax: Any, dtype: np.dtype) -> None:
        super().__init__(np.asarray(array), np, dtype)
        self._jax = jax

    @property
    def array(self) -> Any:
        array = self._jax.numpy.array(self._data)
        if array.dtype != self.dtype:
            raise NoElements(f"{self.format}, which JAX has here no more (jax.enable_x64)")
        return array


class _Jax(Elements):
    def detach(self) -> None:
        """Arrays of JAX are never changed."""

    def read(self, index: Index) -> np.ndarray:
        return np.asarray(self._data[index])

    def put(self, index: Index, values: Any) -> Any:
        before = self._data if index is ... else self._data[index]
        self._data = (
            self._module.asarray(values, self._data.dtype) if index is ... else self._data.at[index].set(values)
        )
        if tuple(self._data.shape) != self.shape:  # one number for all elements
            self._data = self._module.full_like(before, values)
        return before


class _Number(Elements):
    """One number of Python or NumPy, or a list of them."""

    def __init__(self, value: Any, dtype: np.dtype) -> None:
        super().__init__(np.asarray(value), np, dtype)
        self._kind = type(value)

    @property
    def array(self) -> Any:
        if issubclass(self._kind, np.generic):
            return self._data[()]
        return self._data.tolist() if self._kind in (float, int, list) else self._kind(self._data.tolist())


class NoElements(Exception):
    """What is given has no elements that can be changed; the text says what it is."""


def copy_of(value: Any) -> Elements:
    """Copies an array of a framework, a number, or a list of numbers. Raises NoElements for everything else.

    Gradients are left behind.
    """
    elements = elements_of(value)
    elements.detach()
    return elements


def elements_of(value: Any) -> Elements:
    """Takes what copy_of() takes, to be read and not changed."""
    kind = type(value)
    modules: "list[Any]" = [sys.modules.get(name) for name in ("torch", "jax", "cupy")]
    torch, jax, cupy = modules
    if is_instance(kind, torch, "Tensor"):
        return _of_torch(torch, value)
    if is_instance(kind, getattr(jax, "core", None), "Tracer"):
        raise NoElements("a tracer")
    if is_instance(kind, jax, "Array"):
        dtype = _numbers(value.dtype, kind)
        on_host = value.is_fully_addressable and all(device.platform == "cpu" for device in value.devices())
        return _JaxOnHost(value, jax, dtype) if on_host else _Jax(value, jax.numpy, dtype)
    if is_instance(kind, cupy, "ndarray"):
        return _Cupy(value, cupy, _numbers(value.dtype, kind))
    if isinstance(value, (np.generic, float, int)) and not isinstance(value, (bool, np.bool_)):
        return _Number(value, _numbers(np.asarray(value).dtype, kind))
    if kind is np.ndarray:
        return Elements(np.asarray(value), np, _numbers(np.asarray(value).dtype, kind))
    if isinstance(value, (list, tuple)):
        try:
            array = np.array(value)
        except Exception:
            raise NoElements(f"a {kind.__name__} of {type(value[0]).__name__}") from None
        return _Number(value, _numbers(array.dtype, kind))
    raise NoElements(f"a {kind.__name__}")


def _numbers(of: Any, kind: type) -> np.dtype:
    dtype: np.dtype = np.dtype(of)
    is_small = dtype.kind == "V" and dtype.fields is None and hasattr(ml_dtypes, dtype.name) and dtype.itemsize <= 2
    if dtype.kind not in "iuf" and not is_small or dtype.itemsize not in _BYTES or not dtype.isnative:
        raise NoElements(f"a {kind.__name__} of {dtype}")
    return dtype


def _of_torch(torch: Any, value: Any) -> Elements:
    kind, name = type(value), str(value.dtype).rpartition(".")[2]
    if kind not in (torch.Tensor, torch.nn.Parameter):
        raise NoElements(f"a {kind.__name__}")
    if value.layout != torch.strided or value.is_quantized or value.is_meta or value.is_nested:
        raise NoElements(f"a {kind.__name__} of {value.layout}")
    with torch.inference_mode(False), torch.no_grad():
        plain = value.detach().resolve_neg()
    try:
        dtype = np.dtype(getattr(ml_dtypes, name, name))
    except TypeError:
        raise NoElements(f"a {kind.__name__} of {name}") from None
    return _Torch(plain, torch, _numbers(dtype, kind))
