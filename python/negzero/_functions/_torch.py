"""PyTorch's functions: what its documentation promises, read for version 2.15."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from .._formats import INDICES, dtype_of, format_named
from . import _torch_products as products
from ._call import (
    UNDOCUMENTED,
    Call,
    Function,
    Promise,
    Result,
    ToArray,
    along,
    axis_of,
    canonical_nans,
    converted,
    float_format,
    reduced,
    widened,
)

_DOCS = "https://docs.pytorch.org/docs/stable/"

_ANY_ZERO = Promise({"zero_sign": "any"}, "Which of two zeros is the larger one is not said.", UNDOCUMENTED)
_NAN_WINS = Promise({"nan": "propagate"}, "A NaN among the elements is the result.", UNDOCUMENTED)


def _version() -> str:
    torch = sys.modules.get("torch")
    return "PyTorch" if torch is None else f"PyTorch {torch.__version__}"


def _dtype(dtype: object, argument: str = "dtype") -> "np.dtype | None":
    """Returns NumPy's dtype of PyTorch's, or of whatever NumPy takes."""
    if dtype is None:
        return None
    name = str(dtype)
    return dtype_of(format_named(name[6:] if name.startswith("torch.") else dtype, argument))


def _sum_promises(x: np.ndarray, device: str) -> "tuple[tuple[Promise, ...], str]":
    if device not in ("", "cpu", "cuda"):
        return (), f"no contract is known for sums of PyTorch on {device}"
    return (products.IN_F64 if float_format(x, "input") == "F64" else products.IN_F32,), ""


def _sum(array: ToArray, input: object, dim: object = None, keepdim: bool = False, *, dtype: object = None) -> Call:
    x = widened(array(input, "input"), _dtype(dtype), "input")
    promises, undecided = _sum_promises(x, products.device_of(input))
    x, result = reduced(x, dim, keepdim, "dim", True)
    return Call("reduce.sum", {"x": x}, {"x": "input"}, {"y": result}, {"y": x.dtype}, promises, {}, undecided)


def _mean(array: ToArray, input: object, dim: object = None, keepdim: bool = False, *, dtype: object = None) -> Call:
    x = widened(array(input, "input"), _dtype(dtype), "input")
    promises, undecided = _sum_promises(x, products.device_of(input))
    says = "The sum inside a mean may overflow, although the mean would not."
    promises = (*promises, Promise({"mean": "any", "mean_may_overflow": True}, says, UNDOCUMENTED))
    x, result = reduced(x, dim, keepdim, "dim", True)
    return Call("reduce.mean", {"x": x}, {"x": "input"}, {"y": result}, {"y": x.dtype}, promises, {}, undecided)


def _extreme(array: ToArray, operation: str, input: object, dim: object, keepdim: bool) -> Call:
    x, result = reduced(array(input, "input"), dim, keepdim, "dim", True)
    return Call(operation, {"x": x}, {"x": "input"}, {"y": result}, {"y": x.dtype}, (_NAN_WINS, _ANY_ZERO))


def _first(name: str) -> Promise:
    which = "maximal" if "max" in name else "minimal"
    says = f"Of several {which} values, the index of the first one is given."
    return Promise({"ties": "first"}, says, f"{_DOCS}generated/{name}.html")


def _amax(array: ToArray, input: object, dim: object = None, keepdim: bool = False) -> Call:
    return _extreme(array, "reduce.max", input, dim, keepdim)


def _amin(array: ToArray, input: object, dim: object = None, keepdim: bool = False) -> Call:
    return _extreme(array, "reduce.min", input, dim, keepdim)


def _max(array: ToArray, input: object, dim: object = None, keepdim: bool = False) -> Call:
    if dim is None:
        return _extreme(array, "reduce.max", input, None, keepdim)
    x, result = reduced(array(input, "input"), dim, keepdim, "dim", True)
    promises = (_NAN_WINS, _ANY_ZERO, _first("torch.max"))
    dtypes = {"y": x.dtype, "at": np.dtype(np.int64)}
    return Call("reduce.max_index", {"x": x}, {"x": "input"}, {"y": result, "at": result}, dtypes, promises)


def _place(array: ToArray, operation: str, name: str, input: object, dim: object, keepdim: bool) -> Call:
    x, result = reduced(array(input, "input"), dim, keepdim, "dim", True)
    promises = (_NAN_WINS, _ANY_ZERO, _first(name))
    return Call(operation, {"x": x}, {"x": "input"}, {"y": result}, {"y": np.dtype(np.int64)}, promises)


def _argmax(array: ToArray, input: object, dim: object = None, keepdim: bool = False) -> Call:
    return _place(array, "reduce.argmax", "torch.argmax", input, dim, keepdim)


def _argmin(array: ToArray, input: object, dim: object = None, keepdim: bool = False) -> Call:
    return _place(array, "reduce.argmin", "torch.argmin", input, dim, keepdim)


def _own_accumulator(x: np.ndarray, argument: str, source: str = UNDOCUMENTED) -> Promise:
    """Sums that are held in the format of their elements, or wider."""
    found = float_format(x, argument)
    return Promise({"accumulate": found}, f"Sums are held in the elements' own format, {found}, or wider.", source)


def _cumsum(array: ToArray, input: object, dim: object, *, dtype: object = None) -> Call:
    x = widened(array(input, "input"), _dtype(dtype), "input")
    x, result = along(x, dim, "dim")
    promises = (_own_accumulator(x, "input"),)
    return Call("scan.inclusive", {"x": x}, {"x": "input"}, {"y": result}, {"y": x.dtype}, promises)


def _scattered(
    array: ToArray, name: str, operation: str, input: object, dim: object, index: object, source: object, device: str
) -> Call:
    init, places, x = array(input, "input"), array(index, "index", INDICES), array(source, "source")
    if init.ndim == 1:
        axis_of(dim, 1, "dim")
    else:
        raise ValueError(f"input has {init.ndim} dimensions, and negzero knows {name} of one; give a row of it")
    promises = [_own_accumulator(init, "input")] if operation == "scatter.add" else [_NAN_WINS, _ANY_ZERO]
    if operation == "scatter.add" and device != "cpu":
        says = "Atomic additions of F32 in global memory flush subnormal numbers."
        fields = {"subnormal_inputs": "either", "subnormal_results": "either"}
        promises.append(Promise(fields, says, "PTX ISA, atom.add (docs/explanation/numerics.md section 6)"))
    says = "On a CUDA device the order of updates may differ from call to call."
    promises.append(Promise({"determinism": "not_guaranteed"}, says, f"{_DOCS}generated/torch.Tensor.{name[6:]}_.html"))
    says = "What no update changes keeps its value: a NaN perhaps not its payload, a zero perhaps not its sign."
    promises.append(Promise({"zero_sign": "any"}, says, UNDOCUMENTED))
    operands = {"x": x, "index": places, "init": canonical_nans(init)}
    said = {"x": "source", "index": "index", "init": "input"}
    result = {"out": Result(init.shape, init.shape)}
    return Call(operation, operands, said, result, {"out": init.dtype}, tuple(promises), initial="init")


def _index_add(array: ToArray, input: object, dim: object, index: object, source: object) -> Call:
    return _scattered(array, "torch.index_add", "scatter.add", input, dim, index, source, products.device_of(input))


def _scatter_add(array: ToArray, input: object, dim: object, index: object, src: object) -> Call:
    return _scattered(array, "torch.scatter_add", "scatter.add", input, dim, index, src, products.device_of(input))


def _scatter_reduce(array: ToArray, input: object, dim: object, index: object, src: object, reduce: str) -> Call:
    known = {"sum": "scatter.add", "amax": "scatter.max", "amin": "scatter.min"}
    if not isinstance(reduce, str) or reduce not in known:
        shown = repr(reduce) if isinstance(reduce, str) else f"a {type(reduce).__name__}"
        raise ValueError(f"reduce is {shown}; negzero knows {', '.join(known)}")
    return _scattered(array, "torch.scatter_reduce", known[reduce], input, dim, index, src, products.device_of(input))


def _to(array: ToArray, input: object, dtype: object) -> Call:
    return converted(array(input, "input"), _dtype(dtype), "input")


def _row(name: str, operation: str, take: Any, *aliases: str) -> Function:
    return Function(name, operation, take, _version, aliases)


FUNCTIONS = (
    _row("torch.mm", "gemm", products.mm, "torch.Tensor.mm"),
    _row("torch.bmm", "gemm", products.bmm, "torch.Tensor.bmm"),
    _row("torch.matmul", "gemm", products.matmul, "torch.Tensor.matmul", "torch.linalg.matmul"),
    _row("torch.addmm", "gemm", products.addmm, "torch.Tensor.addmm"),
    _row("torch.baddbmm", "gemm", products.baddbmm, "torch.Tensor.baddbmm"),
    _row("torch.nn.functional.linear", "gemm", products.linear),
    _row("torch._int_mm", "gemm", products.int_mm),
    _row("torch.sum", "reduce.sum", _sum, "torch.Tensor.sum"),
    _row("torch.mean", "reduce.mean", _mean, "torch.Tensor.mean"),
    _row("torch.amax", "reduce.max", _amax, "torch.Tensor.amax"),
    _row("torch.amin", "reduce.min", _amin, "torch.Tensor.amin"),
    _row("torch.max", "reduce.max_index", _max, "torch.Tensor.max"),
    _row("torch.argmax", "reduce.argmax", _argmax, "torch.Tensor.argmax"),
    _row("torch.argmin", "reduce.argmin", _argmin, "torch.Tensor.argmin"),
    _row("torch.cumsum", "scan.inclusive", _cumsum, "torch.Tensor.cumsum"),
    _row("torch.index_add", "scatter.add", _index_add, "torch.Tensor.index_add"),
    _row("torch.scatter_add", "scatter.add", _scatter_add, "torch.Tensor.scatter_add"),
    _row("torch.scatter_reduce", "scatter.add", _scatter_reduce, "torch.Tensor.scatter_reduce"),
    _row("torch.Tensor.to", "convert", _to),
)

#: Functions of which users rely on the same bits at each call: those that the documentation of
#: torch.use_deterministic_algorithms() does not list.
REPEATING = tuple(
    each.name
    for each in FUNCTIONS
    if each.name not in ("torch.cumsum", "torch.index_add", "torch.scatter_add", "torch.scatter_reduce")
)
