"""PyTorch's products of matrices, and the switches that say how they are computed."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import Any

import numpy as np

from .._formats import FACTORS
from ._call import UNDOCUMENTED, Call, Promise, ToArray, float_format, product

_DOCS = "https://docs.pytorch.org/docs/stable/"
_CUDA_NOTES = f"{_DOCS}notes/cuda.html"

IN_F32 = Promise(
    {"accumulate": "F32"}, "Sums of F16, BF16 and F32 are held in F32 or wider, in any order.", UNDOCUMENTED
)
IN_F64 = Promise({"accumulate": "F64"}, "Sums of F64 are held in F64, in any order.", UNDOCUMENTED)
_TENSOR_CORES = Promise({"tensor_core": "may"}, "Tensor cores may sum products of F16 and BF16.", UNDOCUMENTED)
_BETA_ZERO = "If beta is 0, the content of input is ignored: its NaN and infinities do not reach the result."
#: What the switches are in a process that has not set them: notes/cuda.html.
SWITCHES = {
    "allow_tf32": False,
    "allow_fp16_reduced_precision_reduction": True,
    "allow_bf16_reduced_precision_reduction": True,
    "allow_fp16_accumulation": False,
}
#: Switches that hold in the place of the process's own while a contract is asked for without a call.
assumed: "dict[str, Any]" = {}


def device_of(*tensors: object) -> str:
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
    for name, default in SWITCHES.items():
        try:
            value = default if torch is None else getattr(torch.backends.cuda.matmul, name, default)
        except RuntimeError:  # allow_tf32 where the program has set fp32_precision instead
            value = torch.backends.cuda.matmul.fp32_precision == "tf32"  # type: ignore[union-attr]
        # The reduced-precision reductions may be a pair: (allowed, with split K).
        found[name] = bool(value[0] if isinstance(value, tuple) else value)
    override = os.environ.get("NVIDIA_TF32_OVERRIDE")
    if override:
        found["NVIDIA_TF32_OVERRIDE"] = override
    return {**found, **assumed}


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
        return (IN_F64,), {}, ""
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
    return (IN_F32, _TENSOR_CORES, Promise({"slice_format": found}, says, _CUDA_NOTES)), switches, ""


def _products_of_f32(switches: "dict[str, Any]") -> "tuple[tuple[Promise, ...], dict[str, Any], str]":
    override = switches.get("NVIDIA_TF32_OVERRIDE")
    if override == "0" or (override is None and not switches["allow_tf32"]):
        says = "With allow_tf32 off, products of F32 are computed in F32."
        return (Promise({"accumulate": "F32"}, says, f"{_CUDA_NOTES}#tf32-on-ampere"),), switches, ""
    says = "With allow_tf32 on, the inputs of F32 products may be rounded to TF32; how is not said."
    fields = {"accumulate": "F32", "multiplicand": "tf32_or_exact", "tensor_core": "may"}
    return (Promise(fields, says, f"{_CUDA_NOTES}#tf32-on-ampere"),), switches, ""


def _precision_on_host() -> str:
    """Returns how products of F32 may be computed on the host; "ieee", "none" and "highest" are F32."""
    torch = sys.modules.get("torch")
    if torch is None:
        return "highest"
    own = getattr(getattr(getattr(torch.backends, "mkldnn", None), "matmul", None), "fp32_precision", "none")
    if own != "none":
        return str(own)
    try:
        return str(torch.get_float32_matmul_precision())
    except RuntimeError:  # where the program has set fp32_precision of one backend
        return str(getattr(torch.backends, "fp32_precision", "none"))


def _products_on_host(found: str) -> "tuple[tuple[Promise, ...], dict[str, Any], str]":
    precision = _precision_on_host()
    switches = {"fp32_precision": precision}
    if found == "F32" and precision not in ("ieee", "none", "highest"):
        return (), switches, f"a precision of {precision!r} lets the host compute products of F32 in BF16 or TF32"
    if found == "F32":
        return (IN_F32,), switches, ""
    says = (
        f"Products of {found} on the host are summed in {found} or wider; its instructions may flush subnormal numbers."
    )
    fields = {"accumulate": found, "subnormal_inputs": "either", "subnormal_results": "either"}
    return (Promise(fields, says, UNDOCUMENTED),), switches, ""


def _is_zero(scalar: object) -> bool:
    """Says whether a scalar is zero, by its text: a process that flushes subnormals takes those for zeros."""
    return isinstance(scalar, (int, float)) and float(scalar).hex() in ("0x0.0p+0", "-0x0.0p+0")


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
    device = device_of(a, b)
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
        operands["c"] = _addend(array, c, "input", left, names[0])
        promises = (*promises, Promise({}, _BETA_ZERO, f"{_DOCS}generated/{name}.html"))
        if _is_zero(scalars["alpha"]) and not all(np.isfinite(each).all() for each in (left, right)):
            undecided = (
                undecided or "whether NaN and infinities of the matrices count where alpha is 0 is not documented"
            )
        if left.shape[-1] == 0 and left.dtype.itemsize < 4:
            undecided = undecided or f"in which precision beta scales {left.dtype.name} where K is 0 is not documented"
    said = {"a": names[0], "b": names[1], "c": "input"}
    return Call("gemm", operands, said, {"d": result}, {"d": left.dtype}, promises, switches, undecided)


def _addend(array: ToArray, value: object, name: str, factor: np.ndarray, other: str) -> np.ndarray:
    """Returns what is added to a product. Raises TypeError for another dtype than the factors have, as PyTorch does."""
    addend = array(value, name)
    if addend.dtype != factor.dtype:
        raise TypeError(f"{name} has {addend.dtype.name} and {other} {factor.dtype.name}; give both in one dtype")
    return addend


def mm(array: ToArray, input: object, mat2: object) -> Call:
    return _gemm(array, "torch.mm", input, mat2, ("input", "mat2"), 2)


def bmm(array: ToArray, input: object, mat2: object) -> Call:
    return _gemm(array, "torch.bmm", input, mat2, ("input", "mat2"), 3)


def matmul(array: ToArray, input: object, other: object) -> Call:
    return _gemm(array, "torch.matmul", input, other, ("input", "other"), 0)


def addmm(array: ToArray, input: object, mat1: object, mat2: object, *, beta: object = 1, alpha: object = 1) -> Call:
    return _gemm(array, "torch.addmm", mat1, mat2, ("mat1", "mat2"), 2, input, alpha=alpha, beta=beta)


def baddbmm(
    array: ToArray, input: object, batch1: object, batch2: object, *, beta: object = 1, alpha: object = 1
) -> Call:
    return _gemm(array, "torch.baddbmm", batch1, batch2, ("batch1", "batch2"), 3, input, alpha=alpha, beta=beta)


def int_mm(array: ToArray, input: object, mat2: object) -> Call:
    """torch._int_mm: I8 by I8 into I32, exact; K is so short that no sum leaves I32, or the sum wraps."""
    left, right = array(input, "input", FACTORS), array(mat2, "mat2", FACTORS)
    for each, name in ((left, "input"), (right, "mat2")):
        if each.ndim != 2 or each.dtype != np.int8:
            raise TypeError(
                f"{name} is {each.dtype.name} of {each.ndim} dimensions, and torch._int_mm takes int8 of 2"
            )
    left, right, result = product(left, right, ("input", "mat2"))
    says = "Products of I8 are summed in I32."
    said = {"a": "input", "b": "mat2"}
    promise = Promise({"accumulate": "I32"}, says, UNDOCUMENTED)
    return Call("gemm", {"a": left, "b": right}, said, {"d": result}, {"d": np.dtype(np.int32)}, (promise,), {}, "")


def linear(array: ToArray, input: object, weight: object, bias: object = None) -> Call:
    matrix = array(weight, "weight")
    if matrix.ndim != 2:
        raise ValueError(f"weight has {matrix.ndim} dimensions, and torch.nn.functional.linear takes 2 here")
    call = _gemm(array, "torch.nn.functional.linear", input, matrix.T, ("input", "weight"), 0)
    if bias is None:
        return call
    operands = {**call.operands, "c": _addend(array, bias, "bias", call.operands["a"], "input")}
    said = {**call.said, "c": "bias"}
    return replace(call, operands=operands, said=said)
