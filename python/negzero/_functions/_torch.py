"""PyTorch's functions: what its documentation promises, read for version 2.11, and its switches as they are."""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np

from .._formats import INTEGERS, dtype_of, format_named
from ._call import (
    UNDOCUMENTED,
    Call,
    Function,
    Promise,
    Result,
    ToArray,
    along,
    canonical_nans,
    float_format,
    product,
    reduced,
    widened,
)

_DOCS = "https://docs.pytorch.org/docs/stable/"
_CUDA_NOTES = f"{_DOCS}notes/cuda.html"

_IN_F32 = Promise(
    {"accumulate": "F32"}, "Sums of F16, BF16 and F32 are held in F32 or wider, in any order.", UNDOCUMENTED
)
_IN_F64 = Promise({"accumulate": "F64"}, "Sums of F64 are held in F64, in any order.", UNDOCUMENTED)
_TENSOR_CORES = Promise({"tensor_core": "may"}, "Tensor cores may sum products of F16 and BF16.", UNDOCUMENTED)
_BETA_ZERO = "If beta is 0, the content of input is ignored: its NaN and infinities do not reach the result."
_ANY_ZERO = Promise({"zero_sign": "any"}, "Which of two zeros is the larger one is not said.", UNDOCUMENTED)
_NAN_WINS = Promise({"nan": "propagate"}, "A NaN among the elements is the result.", UNDOCUMENTED)
#: What the switches are in a process that has not set them: notes/cuda.html.
_SWITCHES = {
    "allow_tf32": False,
    "allow_fp16_reduced_precision_reduction": True,
    "allow_bf16_reduced_precision_reduction": True,
    "allow_fp16_accumulation": False,
}
_SWITCH_NAMES = {name: f"torch.backends.cuda.matmul.{name}" for name in _SWITCHES}


def _version() -> str:
    torch = sys.modules.get("torch")
    return "PyTorch" if torch is None else f"PyTorch {torch.__version__}"


def _device(*tensors: object) -> str:
    """Returns "cpu", "cuda" ...; "" where no tensor says it."""
    for tensor in tensors:
        device = getattr(getattr(tensor, "device", None), "type", None)
        if isinstance(device, str):
            return device
    return ""


def _switches() -> "dict[str, Any]":
    """Returns the switches of matrix products as they are now; their defaults where PyTorch is not imported."""
    torch = sys.modules.get("torch")
    found: dict[str, Any] = {}
    for name, default in _SWITCHES.items():
        try:
            value = default if torch is None else getattr(torch.backends.cuda.matmul, name, default)
        except RuntimeError:  # allow_tf32 where the program has set fp32_precision instead
            value = torch.backends.cuda.matmul.fp32_precision == "tf32"  # type: ignore[union-attr]
        # The reduced-precision reductions may be a pair: (allowed, with split K).
        found[name] = bool(value[0] if isinstance(value, tuple) else value)
    override = os.environ.get("NVIDIA_TF32_OVERRIDE")
    if override is not None:
        found["NVIDIA_TF32_OVERRIDE"] = override
    return found


def _products(a: np.ndarray, device: str) -> "tuple[tuple[Promise, ...], dict[str, Any], str]":
    """Returns what is promised of products of elements such as a's, the switches, and what is not known."""
    found = float_format(a, "input")
    if device not in ("", "cpu", "cuda"):
        return (), {}, f"no contract is known for matrix products of PyTorch on {device}"
    if found.startswith("F8"):
        raise TypeError(
            f"input has {found}, which PyTorch multiplies by torch._scaled_mm() alone; judge that as a gemm"
        )
    if found == "F64":
        return (_IN_F64,), {}, ""
    if device == "cpu":
        return _products_on_host(found)
    switches = _switches()
    if found == "F32":
        return _products_of_f32(switches)
    if found == "F16" and switches["allow_fp16_accumulation"]:
        says = "With allow_fp16_accumulation, products of F16 may be summed in F16."
        return (Promise({"accumulate": "F16", "tensor_core": "may"}, says, _CUDA_NOTES),), switches, ""
    switch = "allow_fp16_reduced_precision_reduction" if found == "F16" else "allow_bf16_reduced_precision_reduction"
    if not switches[switch]:
        says = f"With {switch} off, no reduction is in {found}."
        return (Promise({"accumulate": "F32"}, says, _CUDA_NOTES), _TENSOR_CORES), switches, ""
    says = f"With {switch} on, some reductions may be in {found}: sums of slices of K, before they are added."
    return (_IN_F32, _TENSOR_CORES, Promise({"slice_format": found}, says, _CUDA_NOTES)), switches, ""


def _products_of_f32(switches: "dict[str, Any]") -> "tuple[tuple[Promise, ...], dict[str, Any], str]":
    override = switches.get("NVIDIA_TF32_OVERRIDE")
    if override == "0" or (override is None and not switches["allow_tf32"]):
        says = "With allow_tf32 off, products of F32 are computed in F32."
        return (Promise({"accumulate": "F32"}, says, f"{_CUDA_NOTES}#tf32-on-ampere"),), switches, ""
    says = "With allow_tf32 on, the inputs of F32 products may be rounded to TF32; how is not said."
    fields = {"accumulate": "F32", "multiplicand": "tf32_or_exact", "tensor_core": "may"}
    return (Promise(fields, says, f"{_CUDA_NOTES}#tf32-on-ampere"),), switches, ""


def _products_on_host(found: str) -> "tuple[tuple[Promise, ...], dict[str, Any], str]":
    torch = sys.modules.get("torch")
    precision = "highest" if torch is None else torch.get_float32_matmul_precision()
    switches = {"float32_matmul_precision": precision}
    if found == "F32" and precision != "highest":
        return (), switches, f"torch.set_float32_matmul_precision({precision!r}) lets the host compute in BF16"
    if found == "F32":
        return (_IN_F32,), switches, ""
    says = (
        f"Products of {found} on the host are summed in {found} or wider; its instructions may flush subnormal numbers."
    )
    fields = {"accumulate": found, "subnormal_inputs": "either", "subnormal_results": "either"}
    return (Promise(fields, says, UNDOCUMENTED),), switches, ""


def _gemm(
    array: ToArray,
    name: str,
    a: object,
    b: object,
    names: "tuple[str, str]",
    matrices: int,
    c: object = None,
    **scalars: object,
) -> Call:
    """A product of matrices: 2 dimensions, 3 with a batch, or 0 for whatever matmul() takes."""
    device = _device(a, b)
    left, right = array(a, names[0]), array(b, names[1])
    for each, argument in ((left, names[0]), (right, names[1])):
        if matrices and each.ndim != matrices:
            raise ValueError(
                f"{argument} has {each.ndim} dimensions, and {name} takes {matrices}; torch.matmul takes any"
            )
    if matrices == 3 and left.shape[0] != right.shape[0]:
        raise ValueError(f"{names[0]} has {left.shape[0]} matrices, and {names[1]} has {right.shape[0]}")
    promises, switches, undecided = _products(left, device)
    left, right, result = product(left, right, names)
    operands: dict[str, Any] = {"a": left, "b": right, **scalars}
    if c is not None:
        operands["c"] = array(c, "input")
        promises = (*promises, Promise({}, _BETA_ZERO, f"{_DOCS}generated/{name}.html"))
        if scalars["alpha"] == 0 and not all(np.isfinite(each).all() for each in (left, right)):
            undecided = (
                undecided or "whether NaN and infinities of the matrices count where alpha is 0 is not documented"
            )
        if left.shape[-1] == 0 and left.dtype.itemsize < 4:
            undecided = undecided or f"in which precision beta scales {left.dtype.name} where K is 0 is not documented"
    said = {"a": names[0], "b": names[1], "c": "input"}
    return Call("gemm", operands, said, {"d": result}, {"d": left.dtype}, promises, switches, undecided)


def _mm(array: ToArray, input: object, mat2: object) -> Call:
    return _gemm(array, "torch.mm", input, mat2, ("input", "mat2"), 2)


def _bmm(array: ToArray, input: object, mat2: object) -> Call:
    return _gemm(array, "torch.bmm", input, mat2, ("input", "mat2"), 3)


def _matmul(array: ToArray, input: object, other: object) -> Call:
    return _gemm(array, "torch.matmul", input, other, ("input", "other"), 0)


def _addmm(array: ToArray, input: object, mat1: object, mat2: object, *, beta: object = 1, alpha: object = 1) -> Call:
    return _gemm(array, "torch.addmm", mat1, mat2, ("mat1", "mat2"), 2, input, alpha=alpha, beta=beta)


def _baddbmm(
    array: ToArray, input: object, batch1: object, batch2: object, *, beta: object = 1, alpha: object = 1
) -> Call:
    return _gemm(array, "torch.baddbmm", batch1, batch2, ("batch1", "batch2"), 3, input, alpha=alpha, beta=beta)


def _linear(array: ToArray, input: object, weight: object, bias: object = None) -> Call:
    matrix = array(weight, "weight")
    if matrix.ndim != 2:
        raise ValueError(f"weight has {matrix.ndim} dimensions, and torch.nn.functional.linear takes 2 here")
    call = _gemm(array, "torch.nn.functional.linear", input, matrix.T, ("input", "weight"), 0)
    if bias is None:
        return call
    operands = {**call.operands, "c": array(bias, "bias")}
    said = {**call.said, "c": "bias"}
    return Call("gemm", operands, said, call.results, call.dtypes, call.promises, call.switches, call.undecided)


def _dtype(dtype: object, argument: str = "dtype") -> "np.dtype | None":
    """Returns NumPy's dtype of PyTorch's, or of whatever NumPy takes."""
    if dtype is None:
        return None
    name = str(dtype)
    return dtype_of(format_named(name[6:] if name.startswith("torch.") else dtype, argument))


def _sum_promises(x: np.ndarray, device: str) -> "tuple[tuple[Promise, ...], str]":
    if device not in ("", "cpu", "cuda"):
        return (), f"no contract is known for sums of PyTorch on {device}"
    return (_IN_F64 if float_format(x, "input") == "F64" else _IN_F32,), ""


def _sum(array: ToArray, input: object, dim: object = None, keepdim: bool = False, *, dtype: object = None) -> Call:
    x = widened(array(input, "input"), _dtype(dtype), "input")
    promises, undecided = _sum_promises(x, _device(input))
    x, result = reduced(x, dim, keepdim, "dim")
    return Call("reduce.sum", {"x": x}, {"x": "input"}, {"y": result}, {"y": x.dtype}, promises, {}, undecided)


def _mean(array: ToArray, input: object, dim: object = None, keepdim: bool = False, *, dtype: object = None) -> Call:
    x = widened(array(input, "input"), _dtype(dtype), "input")
    promises, undecided = _sum_promises(x, _device(input))
    says = "The sum inside a mean may overflow, although the mean would not."
    promises = (*promises, Promise({"mean": "any", "mean_may_overflow": True}, says, UNDOCUMENTED))
    x, result = reduced(x, dim, keepdim, "dim")
    return Call("reduce.mean", {"x": x}, {"x": "input"}, {"y": result}, {"y": x.dtype}, promises, {}, undecided)


def _extreme(array: ToArray, operation: str, input: object, dim: object, keepdim: bool) -> Call:
    x, result = reduced(array(input, "input"), dim, keepdim, "dim")
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
    x, result = reduced(array(input, "input"), dim, keepdim, "dim")
    promises = (_NAN_WINS, _ANY_ZERO, _first("torch.max"))
    dtypes = {"y": x.dtype, "at": np.dtype(np.int32)}
    return Call("reduce.max_index", {"x": x}, {"x": "input"}, {"y": result, "at": result}, dtypes, promises)


def _place(array: ToArray, operation: str, name: str, input: object, dim: object, keepdim: bool) -> Call:
    x, result = reduced(array(input, "input"), dim, keepdim, "dim")
    promises = (_NAN_WINS, _ANY_ZERO, _first(name))
    return Call(operation, {"x": x}, {"x": "input"}, {"y": result}, {"y": np.dtype(np.int32)}, promises)


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
    init, places, x = array(input, "input"), array(index, "index", INTEGERS), array(source, "source")
    if init.ndim != 1 or dim not in (0, -1):
        raise ValueError(f"input has {init.ndim} dimensions, and negzero knows {name} of one; give a row of it")
    promises = [_own_accumulator(init, "input")] if operation == "scatter.add" else [_NAN_WINS, _ANY_ZERO]
    if operation == "scatter.add" and device != "cpu":
        says = "Atomic additions of F32 in global memory flush subnormal numbers."
        fields = {"subnormal_inputs": "either", "subnormal_results": "either"}
        promises.append(Promise(fields, says, "PTX ISA, atom.add (docs/numerics.md section 6)"))
    says = "On a CUDA device the order of updates may differ from call to call."
    promises.append(Promise({"determinism": "not_guaranteed"}, says, f"{_DOCS}generated/torch.Tensor.index_add_.html"))
    says = "What no update changes keeps its value: a NaN perhaps not its payload, a zero perhaps not its sign."
    promises.append(Promise({"zero_sign": "any"}, says, UNDOCUMENTED))
    operands = {"x": x, "index": places, "init": canonical_nans(init)}
    said = {"x": "source", "index": "index", "init": "input"}
    result = {"out": Result(init.shape, init.shape)}
    return Call(operation, operands, said, result, {"out": init.dtype}, tuple(promises), initial="init")


def _index_add(array: ToArray, input: object, dim: object, index: object, source: object) -> Call:
    return _scattered(array, "torch.index_add", "scatter.add", input, dim, index, source, _device(input))


def _scatter_add(array: ToArray, input: object, dim: object, index: object, src: object) -> Call:
    return _scattered(array, "torch.scatter_add", "scatter.add", input, dim, index, src, _device(input))


def _scatter_reduce(array: ToArray, input: object, dim: object, index: object, src: object, reduce: str) -> Call:
    known = {"sum": "scatter.add", "amax": "scatter.max", "amin": "scatter.min"}
    if reduce not in known:
        raise ValueError(f"reduce is {reduce!r}; negzero knows {', '.join(known)}")
    return _scattered(array, "torch.scatter_reduce", known[reduce], input, dim, index, src, _device(input))


def _to(array: ToArray, input: object, dtype: object) -> Call:
    x, target = array(input, "input"), _dtype(dtype)
    if target is None:
        raise TypeError("dtype is None; give a dtype")
    says = "A number is rounded to the nearest of the new dtype, ties to even."
    promises = [Promise({"output_rounding": "nearest_even"}, says, UNDOCUMENTED)]
    if target.itemsize == 1:
        says = "What is too large for FP8 becomes the largest number, NaN or infinity."
        promises.append(Promise({"overflow": "either"}, says, UNDOCUMENTED))
    return Call("convert", {"x": x}, {"x": "input"}, {"y": Result(x.shape, x.shape)}, {"y": target}, tuple(promises))


def _row(name: str, operation: str, take: Any, *aliases: str) -> Function:
    return Function(name, operation, take, _version, aliases)


FUNCTIONS = (
    _row("torch.mm", "gemm", _mm, "torch.Tensor.mm"),
    _row("torch.bmm", "gemm", _bmm, "torch.Tensor.bmm"),
    _row("torch.matmul", "gemm", _matmul, "torch.Tensor.matmul", "torch.linalg.matmul"),
    _row("torch.addmm", "gemm", _addmm, "torch.Tensor.addmm"),
    _row("torch.baddbmm", "gemm", _baddbmm, "torch.Tensor.baddbmm"),
    _row("torch.nn.functional.linear", "gemm", _linear),
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
