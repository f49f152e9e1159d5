"""A failing case as a few lines of Python to paste."""

from __future__ import annotations

import json
import math
from typing import Any, Callable
from collections.abc import Mapping

import ml_dtypes
import numpy as np

from . import _safetensors
from ._calling import Caller
from ._case import Case
from ._formats import HALVES, dtype_of, memory_dtype_of, number_of, only_stores
from ._parameters import call_line, name_of

_MOST_ELEMENTS = 64  # of a tensor that is written out
#: By framework: what is imported for its arrays, and how one is made of NumPy's.
_WRAPPED = {"jax": ("import jax.numpy as jnp", "jnp.asarray({})"), "cupy": ("import cupy as cp", "cp.asarray({})")}


def snippet(case: Case, caller: Caller, finding: "Mapping[str, Any]", path: str) -> "list[str]":
    """Returns lines that make the case's arrays and call the function, each behind an indent."""
    lines = "\n".join(_Snippet(case, caller, path).lines(finding))
    return [f"    {line}" for line in lines.splitlines()]


class _Snippet:
    def __init__(self, case: Case, caller: Caller, path: str) -> None:
        self.caller, self.path = caller, path
        self.tensors, self.metadata = _safetensors.read(case.data, "the case")
        described = case.described
        self.configuration = case.configuration
        self.extents = described["extents"]
        self.formats = caller.signature.filled(described["formats"])
        self.layouts = json.loads(self.metadata.get("layout", "{}"))
        for tensor in caller.signature.inputs:
            name = self.formats[tensor.format]
            if tensor.name in self.tensors and only_stores(name):  # which the file may hold as bytes
                self.tensors[tensor.name] = self.tensors[tensor.name].view(memory_dtype_of(name))
        self.device = str(getattr(caller.images, "device", "cpu"))

    def lines(self, finding: "Mapping[str, Any]") -> "list[str]":
        signature, parameters = self.caller.signature, self.caller.parameters
        in_place, output = self.metadata.get("in_place", ""), signature.outputs[0].name
        lines = [*self._imports(), *(self._input(name) for name in parameters.inputs if name != in_place)]
        lines += [self._output(name) for name in parameters.outputs]
        if in_place and output in parameters.outputs:
            lines.append(f"{in_place} = {output}")  # one memory
        elif in_place:
            lines.append(self._input(in_place))
        scalars = json.loads(self.metadata.get("scalars", "{}"))
        values = {
            name: _scalar(entry["format"], entry["bits"], signature.kinds.get(name)) for name, entry in scalars.items()
        }
        values.update((name, str(self.extents[name])) for name in parameters.extents)
        for option, chosen in {**parameters.options, **self.configuration}.items():
            values[option] = str(chosen)
        name = name_of(self.caller.fn)
        name = name if name.replace(".", "").isidentifier() else "fn"
        if in_place and output not in parameters.outputs:
            # The function may return nothing: what it was given is the result.
            call = call_line(name, signature, parameters, values).partition(" = ")[2]
            lines += [call, f"{output} = {in_place}"]
        else:
            lines.append(call_line(name, signature, parameters, values))
        if finding["claim"]:
            # The case itself is right; what is wrong shows beside a changed one.
            return [*lines, f"# {finding['message']}"]
        if finding["observed"] and finding["output"]:
            place = list(finding["coordinates"])[1 if finding["output"] in self.caller.without_batch else 0 :]
            lines.append(f"# {finding['output']}{place} = {finding['observed']}")
        if finding["permitted"]:
            lines.append(f"# permitted: {finding['permitted']}")
        return lines

    def _imports(self) -> "list[str]":
        framework = self.caller.images.name
        if framework == "torch":
            return ["import torch"]
        extra = [_WRAPPED[framework][0]] if framework in _WRAPPED else []
        if any(not hasattr(np, array.dtype.name) for array in self.tensors.values()):
            extra.append("import ml_dtypes")
        return ["import numpy as np", *extra]

    def _input(self, name: str) -> str:
        if name not in self.tensors:
            return f"{name} = None"
        array = self._poisoned(name)
        array = array[0] if name in self.caller.without_batch else array
        if array.size > _MOST_ELEMENTS:
            where = f": negzero.load({self.path!r}) has it" if self.path else ""
            return f"{name} = ...  # {array.dtype.name}, shape {array.shape}{where}"
        return self._placed(name, array)

    def _poisoned(self, name: str) -> np.ndarray:
        """Returns an input as the function finds it: what counts leave out is poison, and the half byte behind an odd
        line, too."""
        array = self.tensors[name]
        if name in self._halves():
            tensor = next(each for each in self.caller.signature.inputs if each.name == name)
            if tensor.shape and self.extents[tensor.shape[-1]] % 2 and array.size:
                array = array.copy()
                array[..., -1] |= 0xE0 if self.metadata.get("poison", "nan") == "nan" else 0x60
            return array
        inputs = {tensor.name: tensor for tensor in self.caller.signature.inputs}
        shape = inputs[name].shape
        for counts in inputs.values():
            if counts.name not in self.tensors or counts.at_most not in shape or not set(counts.shape) <= set(shape):
                continue
            order = sorted(range(len(counts.shape)), key=lambda d: shape.index(counts.shape[d]))
            bound = self.tensors[counts.name].transpose(order)
            bound = bound.reshape([array.shape[d] if each in counts.shape else 1 for d, each in enumerate(shape)])
            place = shape.index(counts.at_most)
            along = np.arange(array.shape[place]).reshape([-1 if d == place else 1 for d in range(array.ndim)])
            is_padding = np.broadcast_to(along >= bound, array.shape)
            array = np.where(is_padding, _poison(self.metadata.get("poison", "nan"), array.dtype), array)
        return array

    def _placed(self, name: str, array: np.ndarray) -> str:
        """Makes an array that lies as in the case; around it lies NaN, as poison does."""
        layout = None if name in self._halves() else self.layouts.get(name)
        framework = self.caller.images.name
        if not layout or _is_packed(layout) or array.size == 0 or framework == "jax":
            return f"{name} = {self._written(array)}"
        strides = layout["strides"][-array.ndim :]
        size = (
            layout["offset"] + 1 + sum((extent - 1) * step for extent, step in zip(layout["shape"], layout["strides"]))
        )
        filled = self._written(np.full((), _nothing(array.dtype), array.dtype))
        shape = tuple(array.shape)
        if framework == "torch":
            view = f"{filled}.repeat({size}).as_strided({shape}, {tuple(strides)}, {layout['offset']})"
        else:
            module = {"cupy": "cp"}.get(framework, "np")
            steps = tuple(step * array.dtype.itemsize for step in strides)
            start = f"[{layout['offset']}:]" if layout["offset"] else ""
            view = f"{module}.lib.stride_tricks.as_strided({filled}.repeat({size}){start}, {shape}, {steps})"
        written = self._written(array)
        # PyTorch writes to no tensor whose elements share memory; there they are all alike.
        shares = framework == "torch" and any(step == 0 and extent > 1 for step, extent in zip(strides, shape))
        if shares:
            apart = tuple(slice(0, 1) if step == 0 else slice(None) for step in strides)
            index = ", ".join(":1" if step == 0 else ":" for step in strides)
            return f"{name} = {view}\n{name}[{index}] = {self._written(array[apart])}"
        return f"{name} = {view}\n{name}[...] = {written}"

    def _halves(self) -> "set[str]":
        """The tensors that are bytes of two elements each; they lie without gaps."""
        tensors = (*self.caller.signature.inputs, *self.caller.signature.outputs)
        return {tensor.name for tensor in tensors if self.formats[tensor.format] in HALVES}

    def _output(self, name: str) -> str:
        """Before the launch: initial values, or what shows where nothing is written."""
        signature = self.caller.signature
        tensor = next(each for each in signature.outputs if each.name == name)
        initial = next((t.name for t in signature.inputs if t.role == "initial"), self.metadata.get("in_place"))
        if initial and name == signature.outputs[0].name:
            array = self.tensors[initial]
            return self._placed(name, array[0] if name in self.caller.without_batch else array)
        names = tensor.shape[1:] if name in self.caller.without_batch else tensor.shape
        dtype = memory_dtype_of(self.formats[tensor.format])
        shape = [self.extents[extent] for extent in names]
        if name in self._halves() and shape:
            shape[-1] = (shape[-1] + 1) // 2
        if dtype.name.startswith("float6"):  # of which nothing written is no encoding
            return self._placed(name, np.full(shape, 0xFF, np.uint8).view(dtype))
        array = np.full(shape, _nothing(dtype), dtype)
        return self._placed(name, array)

    def _written(self, array: np.ndarray) -> str:
        framework = self.caller.images.name
        if framework == "torch":
            return torch_text(array, self.device)
        return _WRAPPED.get(framework, ("", "{}"))[1].format(numpy_text(array))


def _poison(name: str, dtype: np.dtype) -> np.ndarray:
    """The element that poison is: what shows where nothing is written, or the largest number."""
    if name == "nan":
        return dtype.type(_nothing(dtype))
    return dtype.type(_largest(dtype) // 2 if dtype.kind == "u" else _largest(dtype))


def _nothing(dtype: np.dtype) -> float:
    """What shows where nothing is written."""
    if dtype.kind in "ub":
        return _largest(dtype)
    return -1 if dtype.kind == "i" else math.nan


def _largest(dtype: np.dtype) -> Any:
    if dtype.kind == "b":
        return True
    return np.iinfo(dtype).max if dtype.kind in "iu" else ml_dtypes.finfo(dtype).max


def _is_packed(layout: "Mapping[str, Any]") -> bool:
    step = 1
    strides: "list[int]" = []
    for extent in reversed(layout["shape"]):
        strides.insert(0, step)
        step *= extent
    return bool(layout["strides"] == strides and layout["offset"] == 0)


def numpy_text(array: np.ndarray) -> str:
    """Returns an array of NumPy as an expression that gives its bits back."""
    dtype = array.dtype
    known = "bool_" if dtype.kind == "b" else dtype.name
    name = f"np.{known}" if hasattr(np, known) else f"ml_dtypes.{known}"
    if array.size == 0:
        return f"np.zeros({array.shape}, {name})"
    if not _is_decimal(array):
        bits = f"uint{8 * dtype.itemsize}"
        return f"np.array({_nested(array.view(bits), hex)}, np.{bits}).view({name})"
    return f"np.array({_nested(array, lambda value: _number(value, 'np.nan', 'np.inf'))}, {name})"


def torch_text(array: np.ndarray, device: str) -> str:
    """Returns a tensor of PyTorch as an expression that gives the array's bits."""
    dtype = array.dtype.name
    where = "" if device == "cpu" else f", device={device!r}"
    if array.size == 0:
        return f"torch.zeros({array.shape}, dtype=torch.{dtype}{where})"
    if not _is_decimal(array):
        bits = f"int{8 * array.dtype.itemsize}" if array.dtype.itemsize > 1 else "uint8"
        return f"torch.tensor({_nested(array.view(bits), str)}, dtype=torch.{bits}{where}).view(torch.{dtype})"
    values = _nested(array, lambda value: _number(value, "float('nan')", "float('inf')"))
    return f"torch.tensor({values}, dtype=torch.{dtype}{where})"


def _is_decimal(array: np.ndarray) -> bool:
    """Says whether decimals give every element back: there is no NaN with bits of its own."""
    if array.dtype.kind in "iub":
        return True
    if array.dtype.name.startswith(("float6", "float8_e8m0")):  # whose encodings are what matters
        return False
    words = f"u{array.dtype.itemsize}"
    quiet = np.full((), np.nan, array.dtype).view(words)
    return bool((array[np.isnan(array)].view(words) == quiet).all())


def _nested(array: np.ndarray, write: "Callable[[Any], str]") -> str:
    if array.ndim == 0:
        return write(array[()])
    return f"[{', '.join(_nested(row, write) for row in array)}]"


def _number(value: Any, nan: str, infinity: str) -> str:
    if isinstance(value, (np.integer, np.bool_)):
        return str(value)
    number = float(value)
    if math.isnan(number):
        return nan
    if math.isinf(number):
        return infinity if number > 0 else f"-{infinity}"
    return repr(number)


def _scalar(format_name: str, bits: str, kind: "str | None") -> str:
    if kind == "bool":
        return str(bool(number_of(bits, dtype_of(format_name))))
    return _number(number_of(bits, dtype_of(format_name)), "float('nan')", "float('inf')")
