"""A failing case as a few lines of Python to paste."""

from __future__ import annotations

import json
import math
from typing import Any, Callable
from collections.abc import Mapping

import numpy as np

from . import _safetensors
from ._calling import Caller
from ._case import Case
from ._formats import dtype_of
from ._images import Images
from ._parameters import call_line, name_of

_MOST_ELEMENTS = 64  # of a tensor that is written out


def snippet(case: Case, caller: Caller, finding: "Mapping[str, Any]", path: str) -> "list[str]":
    """Returns lines that make the case's arrays and call the function, each behind an indent."""
    signature, parameters, images, function = caller.signature, caller.parameters, caller.images, caller.fn
    tensors, metadata = _safetensors.read(case.data, "the case")
    described = case.described
    write = _torch if images.name == "torch" else _numpy
    lines = ["import numpy as np"]
    if images.name == "torch":
        lines = ["import torch"]
    elif any(
        tensor.dtype.kind == "V" or tensor.dtype.name.startswith(("bfloat", "float8")) for tensor in tensors.values()
    ):
        lines.append("import ml_dtypes")
    if images.name in ("jax", "cupy"):
        lines.append(
            f"import {'jax.numpy' if images.name == 'jax' else 'cupy'} as {'jnp' if images.name == 'jax' else 'cp'}"
        )
    wrap = {"jax": "jnp.asarray({})", "cupy": "cp.asarray({})"}.get(images.name, "{}")
    layouts = json.loads(metadata.get("layout", "{}"))
    for name in parameters.inputs:
        array = tensors[name]
        if signature.name.startswith("gemm") and array.ndim == 3 and described["extents"].get("batch") == 1:
            array = array[0]
        if array.size > _MOST_ELEMENTS:
            lines.append(f"{name} = ...  # {array.dtype.name}, shape {array.shape}: negzero.load({path!r}) has it")
            continue
        strides = layouts.get(name, {}).get("strides")
        note = (
            f"  # in the case its strides are {strides} elements"
            if strides and array.size > 1 and not _is_packed(layouts[name])
            else ""
        )
        lines.append(f"{name} = {wrap.format(write(array, images))}{note}")
    values = {name: _scalar(entry) for name, entry in json.loads(metadata.get("scalars", "{}")).items()}
    for name in parameters.outputs:
        tensor = next(each for each in signature.outputs if each.name == name)
        format_name = {**described["formats"], "I32": "I32"}[tensor.format]
        initial = next((each.name for each in signature.inputs if each.role == "initial"), None)
        shape = [described["extents"][extent] for extent in tensor.shape]
        shape = shape[1:] if tensor.shape[:1] == ("batch",) and shape[0] == 1 else shape
        array = tensors[initial] if initial else np.full(shape, _poison(format_name), dtype_of(format_name))
        lines.append(f"{name} = {wrap.format(write(array, images))}")
    lines.append(call_line(_callable_name(function), signature, parameters, values))
    if finding["observed"] and finding["output"]:
        place = finding["coordinates"]
        tensor = next(each for each in signature.outputs if each.name == finding["output"])
        if tensor.shape[:1] == ("batch",) and described["extents"]["batch"] == 1:
            place = place[1:]
        lines.append(f"# {finding['output']}{place} = {finding['observed']}")
        if finding["permitted"]:
            lines.append(f"# permitted: {finding['permitted']}")
    return [f"    {line}" for line in lines]


def _callable_name(function: object) -> str:
    name = name_of(function)
    return name if name.replace(".", "").isidentifier() else "fn"


def _poison(format_name: str) -> float:
    return -1 if format_name == "I32" else math.nan


def _is_packed(layout: "Mapping[str, Any]") -> bool:
    step, packed = 1, []
    for extent in reversed(layout["shape"]):
        packed.insert(0, step)
        step *= extent
    return bool(layout["strides"] == packed and layout["offset"] == 0)


def _numpy(array: np.ndarray, images: Images) -> str:
    dtype = array.dtype
    name = f"np.{dtype.name}" if dtype.kind in "fi" and hasattr(np, dtype.name) else f"ml_dtypes.{dtype.name}"
    if array.size == 0:
        return f"np.zeros({array.shape}, {name})"
    if not _is_decimal(array):
        bits = f"uint{8 * dtype.itemsize}"
        return f"np.array({_nested(array.view(bits), hex)}, np.{bits}).view({name})"
    return f"np.array({_nested(array, _number('np.nan', 'np.inf'))}, {name})"


def _torch(array: np.ndarray, images: Images) -> str:
    dtype = array.dtype.name
    device = str(getattr(images, "device", "cpu"))
    where = "" if device == "cpu" else f", device={device!r}"
    if array.size == 0:
        return f"torch.zeros({array.shape}, dtype=torch.{dtype}{where})"
    if not _is_decimal(array):
        bits = f"int{8 * array.dtype.itemsize}" if array.dtype.itemsize > 1 else "uint8"
        return f"torch.tensor({_nested(array.view(bits), str)}, dtype=torch.{bits}{where}).view(torch.{dtype})"
    return f"torch.tensor({_nested(array, _number('math.nan', 'math.inf'))}, dtype=torch.{dtype}{where})".replace(
        "math.nan", "float('nan')"
    ).replace("math.inf", "float('inf')")


def _is_decimal(array: np.ndarray) -> bool:
    """Whether decimals give every element back: not a NaN with bits of its own."""
    if array.dtype.kind == "i":
        return True
    nan = np.isnan(array)
    quiet = np.array(np.nan, array.dtype)
    return not nan.any() or bool(
        (array[nan].view(f"u{array.dtype.itemsize}") == quiet.view(f"u{array.dtype.itemsize}")).all()
    )


def _nested(array: np.ndarray, write: "Callable[[Any], str]") -> str:
    if array.ndim == 0:
        return write(array[()])
    return f"[{', '.join(_nested(row, write) for row in array)}]"


def _number(nan: str, infinity: str) -> "Callable[[Any], str]":
    def write(value: Any) -> str:
        if isinstance(value, np.integer):
            return str(int(value))
        number = float(value)
        if math.isnan(number):
            return nan
        if math.isinf(number):
            return infinity if number > 0 else f"-{infinity}"
        return repr(number)

    return write


def _scalar(entry: "Mapping[str, str]") -> str:
    word = {"F64": np.uint64, "F32": np.uint32, "F16": np.uint16}[entry["format"]]
    value = float(word(int(entry["bits"], 16)).view(dtype_of(entry["format"])))
    return repr(value) if math.isfinite(value) else f"float({str(value)!r})"
