"""JAX's functions: what its documentation promises, read for version 0.10, and its switches as they are."""

from __future__ import annotations

import functools
import os
import sys
from typing import Any
from collections.abc import Callable

import numpy as np

from .._formats import INDICES, dtype_of, format_named
from .._memory import MAX_ELEMENTS, check_memory
from ._call import UNDOCUMENTED, Call, Function, Promise, Result, ToArray, float_format, product
from ._numpy import astype, cumulative, extreme, one_nan, own_format, place, total, versioned

_DOCS = "https://docs.jax.dev/en/latest/_autosummary/"
_PRECISION = f"{_DOCS}jax.lax.Precision.html"

#: Words of a precision that on a GPU mean TF32 where it is available, and F32.
_TF32_WORDS = ("default", "fastest", "high", "bfloat16", "bfloat16_3x", "tensorfloat32", "tf32_tf32_f32")
_F32_WORDS = ("highest", "float32", "f32_f32_f32")
_FIRST = "Of several extreme values, the smallest index is given."
_FLUSHES = Promise(
    {"subnormal_inputs": "either", "subnormal_results": "either"},
    "XLA's CPU code may flush subnormal numbers.",
    UNDOCUMENTED,
)
_COMPENSATES = Promise({"compensated": True}, "XLA's CPU code may compensate sums, as Kahan does.", UNDOCUMENTED)
_version = versioned("jax", "JAX")


def _platform(*arrays: object) -> str:
    """Returns "cpu", "gpu" ...; "" where no array says it."""
    for each in arrays:
        devices = getattr(each, "devices", None)
        if callable(devices):
            return str(next(iter(devices())).platform)
    return ""


def _precision(given: object) -> str:
    """Returns the word of a precision, of the argument or of jax.config."""
    jax = sys.modules.get("jax")
    if given is None and jax is not None:
        given = jax.config.jax_default_matmul_precision
    if given is None:
        return "default"
    if isinstance(given, (tuple, list)):
        words = {_precision(each) for each in given}
        return words.pop() if len(words) == 1 else "/".join(sorted(words))
    return str(getattr(given, "name", given)).lower()


def _products(a: np.ndarray, platform: str, precision: object) -> "tuple[tuple[Promise, ...], dict[str, Any], str]":
    found, word = float_format(a, "a"), _precision(precision)
    switches = {"matmul_precision": word}
    if platform not in ("", "cpu", "gpu", "cuda"):
        return (), switches, f"no contract is known for products of JAX on {platform}"
    if word not in (*_TF32_WORDS, *_F32_WORDS):
        return (), switches, f"precision {word} has no contract yet"
    says = f"Sums of products of {found} are held in that format or wider; nothing narrower is said."
    if platform == "cpu":
        return (Promise({"accumulate": found}, says, UNDOCUMENTED), _FLUSHES), switches, ""
    if found == "F64":
        return (Promise({"accumulate": "F64"}, says, UNDOCUMENTED),), switches, ""
    if found.startswith("F8"):
        says = "Products of FP8 are summed in F32, perhaps by tensor cores."
        return (Promise({"accumulate": "F32", "tensor_core": "may"}, says, UNDOCUMENTED),), switches, ""
    if found != "F32":
        says = f"Products of {found} are summed in F32; sums of slices of K may be rounded to {found}."
        fields = {"accumulate": "F32", "tensor_core": "may", "slice_format": found}
        return (Promise(fields, says, UNDOCUMENTED),), switches, ""
    if word in _F32_WORDS:
        return (Promise({"accumulate": "F32"}, "HIGHEST: on a GPU, F32.", _PRECISION),), switches, ""
    override = os.environ.get("NVIDIA_TF32_OVERRIDE")
    if override == "0":
        says = "NVIDIA_TF32_OVERRIDE=0 turns TF32 off in cuBLAS."
        switches["NVIDIA_TF32_OVERRIDE"] = override
        return (Promise({"accumulate": "F32"}, says, "https://docs.nvidia.com/cuda/cublas/"),), switches, ""
    fields = {"accumulate": "F32", "multiplicand": "tf32_or_exact", "tensor_core": "may"}
    return (Promise(fields, "DEFAULT and HIGH: on a GPU, TF32 where it is available.", _PRECISION),), switches, ""


def _dtype_of(given: object) -> np.dtype:
    return dtype_of(format_named(given, "preferred_element_type"))


def _multiplies(limited: bool) -> "Callable[..., Call]":
    def take(
        array: ToArray, a: object, b: object, *, precision: object = None, preferred_element_type: object = None
    ) -> Call:
        platform = _platform(a, b)
        left, right = array(a, "a"), array(b, "b")
        if limited and max(left.ndim, right.ndim) > 2:
            raise ValueError("a or b has more than 2 dimensions, and negzero knows dot of 1 and 2; use matmul")
        promises, switches, undecided = _products(left, platform, precision)
        left, right, result = product(left, right, ("a", "b"))
        wanted = left.dtype if preferred_element_type is None else _dtype_of(preferred_element_type)
        said = {"a": "a", "b": "b"}
        return Call("gemm", {"a": left, "b": right}, said, {"d": result}, {"d": wanted}, promises, switches, undecided)

    return take


def _of_platform(take: "Callable[..., Call]", *more: Promise) -> "Callable[..., Call]":
    """The same function, which may flush subnormal numbers, and keeps `more`, where its argument lies on the host."""

    @functools.wraps(take)
    def on_platform(array: ToArray, a: object, *arguments: Any, **keywords: Any) -> Call:
        call = take(array, a, *arguments, **keywords)
        if _platform(a) != "cpu":
            return call
        promises = (*call.promises, _FLUSHES, *more)
        return Call(call.operation, call.operands, call.said, call.results, call.dtypes, promises, call.switches)

    return on_platform


def _in_f32(x: np.ndarray, argument: str) -> Promise:
    found = "F64" if float_format(x, argument) == "F64" else "F32"
    says = f"Means of F16 and BF16 are computed in F32; users rely on the same of sums: {found} here."
    return Promise({"accumulate": found}, says, f"{_DOCS}jax.numpy.mean.html")


def _count_of(given: object, places: np.ndarray) -> int:
    """Returns how many segments there are. Raises TypeError or ValueError where that is no number, or no room."""
    if given is None:
        count = int(places.max(initial=-1)) + 1
    elif isinstance(given, (int, np.integer)) and not isinstance(given, bool):
        count = int(given)
    else:
        raise TypeError(f"num_segments: a {type(given).__name__}; give a whole number")
    if not 0 <= count <= MAX_ELEMENTS:
        raise ValueError(f"num_segments = {count} is out of range; give a number from 0 to {MAX_ELEMENTS}")
    check_memory({"num_segments": np.broadcast_to(np.zeros((), np.float64), count)})
    return count


def _segment(operation: str) -> "Callable[..., Call]":
    starts = {"scatter.add": 0.0, "scatter.max": -np.inf, "scatter.min": np.inf}

    def take(array: ToArray, data: object, segment_ids: object, num_segments: object = None) -> Call:
        x, places = array(data, "data"), array(segment_ids, "segment_ids", INDICES)
        if x.ndim != 1 or places.shape != x.shape:
            raise ValueError(
                f"data has shape {x.shape} and segment_ids {places.shape}; negzero knows segments of one dimension, "
                "with an id for each element: give a column"
            )
        count = _count_of(num_segments, places)
        kept = (places >= 0) & (places < count)  # others are dropped
        x, places = x[kept], places[kept]
        with np.errstate(over="ignore"):
            init = np.full(count, starts[operation]).astype(x.dtype)
        promises = [own_format(x, "data")]
        if operation == "scatter.add":
            says = "Atomic additions of F32 in global memory, and XLA's CPU code, flush subnormal numbers."
            fields = {"subnormal_inputs": "either", "subnormal_results": "either"}
            promises.append(Promise(fields, says, "PTX ISA, atom.add (docs/explanation/numerics.md section 6)"))
        else:
            promises = [
                Promise({"nan": "propagate"}, "A NaN among the elements is the result.", UNDOCUMENTED),
                Promise({"zero_sign": "any"}, "Which of two zeros is the larger one is not said.", UNDOCUMENTED),
            ]
        operands = {"x": x, "index": places, "init": init}
        said = {"x": "data", "index": "segment_ids", "init": "num_segments"}
        result = {"out": Result((count,), (count,))}
        return Call(operation, operands, said, result, {"out": x.dtype}, tuple(promises))

    return take


def _row(name: str, operation: str, take: Any, *aliases: str) -> Function:
    return Function(name, operation, take, _version, aliases)


FUNCTIONS = (
    _row("jax.numpy.matmul", "gemm", _multiplies(False)),
    _row("jax.numpy.dot", "gemm", _multiplies(True)),
    _row("jax.numpy.sum", "reduce.sum", _of_platform(total("reduce.sum", _in_f32), _COMPENSATES)),
    _row("jax.numpy.mean", "reduce.mean", _of_platform(total("reduce.mean", _in_f32), _COMPENSATES)),
    _row("jax.numpy.max", "reduce.max", _of_platform(extreme("reduce.max")), "jax.numpy.amax"),
    _row("jax.numpy.min", "reduce.min", _of_platform(extreme("reduce.min")), "jax.numpy.amin"),
    _row(
        "jax.numpy.argmax",
        "reduce.argmax",
        _of_platform(one_nan(place("reduce.argmax", f"{_DOCS}jax.numpy.argmax.html", _FIRST, np.int32))),
    ),
    _row(
        "jax.numpy.argmin",
        "reduce.argmin",
        _of_platform(one_nan(place("reduce.argmin", f"{_DOCS}jax.numpy.argmin.html", _FIRST, np.int32))),
    ),
    _row("jax.numpy.cumsum", "scan.inclusive", _of_platform(cumulative(own_format))),
    _row("jax.ops.segment_sum", "scatter.add", _of_platform(_segment("scatter.add"))),
    _row("jax.ops.segment_max", "scatter.max", _of_platform(_segment("scatter.max"))),
    _row("jax.ops.segment_min", "scatter.min", _of_platform(_segment("scatter.min"))),
    _row("jax.Array.astype", "convert", _of_platform(astype)),
)
