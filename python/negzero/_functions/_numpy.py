"""The functions of NumPy and CuPy, whose parameters are the same, and which JAX follows."""

from __future__ import annotations

import functools
import os
import sys
from dataclasses import replace
from typing import Any
from collections.abc import Callable

import numpy as np

from .._formats import dtype_of, format_named, format_of
from ._call import (
    UNDOCUMENTED,
    Call,
    Function,
    Promise,
    ToArray,
    along,
    converted,
    float_format,
    product,
    reduced,
    widened,
)

_NUMPY = "https://numpy.org/doc/stable/reference/generated/"
_CUPY = "https://docs.cupy.dev/en/stable/reference/"

_NAN_WINS = Promise({"nan": "propagate"}, "NaN values are propagated.", f"{_NUMPY}numpy.max.html")
_ANY_ZERO = Promise({"zero_sign": "any"}, "Which of two zeros is the larger one is not said.", UNDOCUMENTED)
NAN_IS_FOUND = Promise({"nan": "propagate"}, "The place of a NaN is given, where there is one.", UNDOCUMENTED)
_FIRST = "Of several extreme values, the first one's index is given."
_MEAN = Promise(
    {"mean": "any", "mean_may_overflow": True},
    "The sum inside a mean may overflow, although the mean would not.",
    UNDOCUMENTED,
)

_FLUSHES = Promise(
    {"subnormal_inputs": "either", "subnormal_results": "either"},
    "CuPy compiles its kernels with -ftz=true, which flushes subnormal numbers of F32.",
    UNDOCUMENTED,
)

#: Returns promises, switches, and why nothing is known, of products of an array's elements.
Products = Callable[[np.ndarray], "tuple[tuple[Promise, ...], dict[str, Any], str]"]


def own_format(x: np.ndarray, argument: str) -> Promise:
    """Sums held in the format of their elements, or wider: the weakest that anyone relies on."""
    found = float_format(x, argument)
    says = f"Sums are held in the elements' own format, {found}, or wider, in any order."
    return Promise({"accumulate": found}, says, UNDOCUMENTED)


def of_numpy(a: np.ndarray) -> "tuple[tuple[Promise, ...], dict[str, Any], str]":
    """Products of NumPy, by a BLAS or by loops of its own."""
    return (own_format(a, "a"),), {}, ""


def given_by_matmul(dtype: np.dtype) -> np.dtype:
    """Returns the dtype of numpy.matmul's result. It has no loop for some dtypes of ml_dtypes, and converts them."""
    try:
        return np.matmul(np.zeros((1, 1), dtype), np.zeros((1, 1), dtype)).dtype
    except TypeError:  # neither a loop nor a conversion
        return dtype


def of_numpy_matmul(a: np.ndarray) -> "tuple[tuple[Promise, ...], dict[str, Any], str]":
    """Products of numpy.matmul, which holds sums in the format of its result."""
    found, result = float_format(a, "a"), format_of(given_by_matmul(a.dtype), "a")
    if result == found:
        return of_numpy(a)
    says = f"Factors of {found} are converted to {result}, and sums are held in that or wider, in any order."
    return (Promise({"accumulate": result}, says, UNDOCUMENTED),), {}, ""


def of_cupy(a: np.ndarray) -> "tuple[tuple[Promise, ...], dict[str, Any], str]":
    """Products of CuPy, by cuBLAS."""
    found = float_format(a, "a")
    if found == "F64":
        return (Promise({"accumulate": "F64"}, "Products of F64 are summed in F64.", UNDOCUMENTED),), {}, ""
    if found.startswith("F8"):
        says = "Products of FP8 are summed in F32, perhaps by tensor cores."
        return (Promise({"accumulate": "F32", "tensor_core": "may"}, says, UNDOCUMENTED),), {}, ""
    held = Promise({"accumulate": "F32"}, "Products of F16 and F32 are summed in F32 or wider.", UNDOCUMENTED)
    if found != "F32":
        says = f"cuBLAS may round sums of slices of K to {found}, unless it is told not to, which CuPy does not."
        source = "https://docs.nvidia.com/cuda/cublas/#cublasmath-t"
        fields = {"tensor_core": "may", "slice_format": found}
        return (held, Promise(fields, says, source)), {}, ""
    tf32, override = os.environ.get("CUPY_TF32") or "0", os.environ.get("NVIDIA_TF32_OVERRIDE")
    if override:
        tf32 = override
    switches = {
        "CUPY_TF32": os.environ.get("CUPY_TF32", ""),
        **({"NVIDIA_TF32_OVERRIDE": override} if override else {}),
    }
    if tf32 == "0":
        says = "Without CUPY_TF32=1, products of F32 are computed in F32."
        return (Promise({"accumulate": "F32"}, says, f"{_CUPY}environment.html"),), switches, ""
    says = "With CUPY_TF32=1, products of F32 may be computed on tensor cores in TF32."
    fields = {"accumulate": "F32", "multiplicand": "tf32_or_exact", "tensor_core": "may"}
    return (Promise(fields, says, f"{_CUPY}environment.html"),), switches, ""


def _own_dtype(dtype: np.dtype) -> np.dtype:
    return dtype


def matmul(products: Products, gives: "Callable[[np.dtype], np.dtype]" = _own_dtype) -> "Callable[..., Call]":
    """Makes matmul(a, b), whose stacks of matrices broadcast. `gives` has the dtype of the factors."""

    def take(array: ToArray, a: object, b: object) -> Call:
        left, right = array(a, "a"), array(b, "b")
        promises, switches, undecided = products(left)
        left, right, result = product(left, right, ("a", "b"))
        said = {"a": "a", "b": "b"}
        dtypes = {"d": gives(left.dtype)}
        return Call("gemm", {"a": left, "b": right}, said, {"d": result}, dtypes, promises, switches, undecided)

    return take


def dot(products: Products) -> "Callable[..., Call]":
    """Makes dot(a, b), which is matmul() up to two dimensions, and another thing beyond."""
    inner = matmul(products)

    def take(array: ToArray, a: object, b: object) -> Call:
        for value, name in ((a, "a"), (b, "b")):
            dimensions = array(value, name).ndim
            if dimensions not in (1, 2):
                raise ValueError(f"{name} has {dimensions} dimensions, and negzero knows dot of 1 and 2; use matmul")
        return inner(array, a, b)

    return take


def _dtype(dtype: object) -> "np.dtype | None":
    return None if dtype is None else dtype_of(format_named(dtype, "dtype"))


def mean_of_numpy(x: np.ndarray, argument: str) -> Promise:
    """Means of F16 have F32 intermediates by NumPy's documentation."""
    if float_format(x, argument) != "F16":
        return own_format(x, argument)
    says = "Means of float16 are computed with float32 intermediates."
    return Promise({"accumulate": "F32"}, says, f"{_NUMPY}numpy.mean.html")


def total(operation: str, held: "Callable[[np.ndarray, str], Promise]") -> "Callable[..., Call]":
    """Makes sum() and mean()."""
    more = (_MEAN,) if operation == "reduce.mean" else ()

    def take(array: ToArray, a: object, axis: object = None, dtype: object = None, *, keepdims: bool = False) -> Call:
        x = widened(array(a, "a"), _dtype(dtype), "a")
        x, result = reduced(x, axis, keepdims, "axis")
        return Call(operation, {"x": x}, {"x": "a"}, {"y": result}, {"y": x.dtype}, (held(x, "a"), *more))

    return take


def extreme(operation: str) -> "Callable[..., Call]":
    """Makes max() and min()."""

    def take(array: ToArray, a: object, axis: object = None, *, keepdims: bool = False) -> Call:
        x, result = reduced(array(a, "a"), axis, keepdims, "axis")
        return Call(operation, {"x": x}, {"x": "a"}, {"y": result}, {"y": x.dtype}, (_NAN_WINS, _ANY_ZERO))

    return take


def place(operation: str, page: str, says: str, dtype: type = np.int64) -> "Callable[..., Call]":
    """Makes argmax() and argmin(), whose documentation on `page` says something of ties.

    `dtype` is what they usually give; what is observed may have another width.
    """
    first = Promise({"ties": "first"}, says, page)

    def take(array: ToArray, a: object, axis: object = None, *, keepdims: bool = False) -> Call:
        x, result = reduced(array(a, "a"), axis, keepdims, "axis")
        dtypes = {"y": np.dtype(dtype)}
        return Call(operation, {"x": x}, {"x": "a"}, {"y": result}, dtypes, (NAN_IS_FOUND, _ANY_ZERO, first))

    return take


def cumulative(held: "Callable[[np.ndarray, str], Promise]") -> "Callable[..., Call]":
    """Makes cumsum(), which flattens where no axis is given."""

    def take(array: ToArray, a: object, axis: object = None, dtype: object = None) -> Call:
        x = widened(array(a, "a"), _dtype(dtype), "a")
        x, result = along(x.reshape(-1) if axis is None else x, 0 if axis is None else axis, "axis", (1,))
        return Call("scan.inclusive", {"x": x}, {"x": "a"}, {"y": result}, {"y": x.dtype}, (held(x, "a"),))

    return take


def astype(array: ToArray, x: object, dtype: object) -> Call:
    """astype(x, dtype) of the array's own class."""
    return converted(array(x, "x"), _dtype(dtype), "x")


def versioned(module: str, title: str) -> "Callable[[], str]":
    """Returns what names a framework with the version that is imported."""

    def version() -> str:
        found = sys.modules.get(module)
        return title if found is None else f"{title} {found.__version__}"

    return version


def always(take: "Callable[..., Call]", *more: Promise) -> "Callable[..., Call]":
    """The same function with more promises."""

    @functools.wraps(take)
    def with_more(array: ToArray, *arguments: Any, **keywords: Any) -> Call:
        call = take(array, *arguments, **keywords)
        return replace(call, promises=(*call.promises, *more))

    return with_more


def one_nan(take: "Callable[..., Call]") -> "Callable[..., Call]":
    """The same selection of a place, where no contract is known of rows with several NaN."""

    @functools.wraps(take)
    def of_one(array: ToArray, *arguments: Any, **keywords: Any) -> Call:
        call = take(array, *arguments, **keywords)
        several = bool((np.isnan(call.operands["x"]).sum(axis=-1) > 1).any())
        return replace(call, undecided="which of several NaN in a row is given is not documented" if several else "")

    return of_one


def _rows(module: str, title: str, products: Products, multiplies: "Callable[..., Call]") -> "list[Function]":
    of = versioned(module, title)
    takes = {
        "matmul": ("gemm", multiplies),
        "dot": ("gemm", dot(products)),
        "sum": ("reduce.sum", total("reduce.sum", own_format)),
        "mean": ("reduce.mean", total("reduce.mean", mean_of_numpy if module == "numpy" else own_format)),
        "max": ("reduce.max", extreme("reduce.max")),
        "min": ("reduce.min", extreme("reduce.min")),
        "argmax": ("reduce.argmax", place("reduce.argmax", f"{_NUMPY}numpy.argmax.html", _FIRST)),
        "argmin": ("reduce.argmin", place("reduce.argmin", f"{_NUMPY}numpy.argmin.html", _FIRST)),
        "cumsum": ("scan.inclusive", cumulative(own_format)),
    }
    takes["ndarray.astype"] = ("convert", astype)
    if module == "cupy":
        takes = {name: (operation, always(take, _FLUSHES)) for name, (operation, take) in takes.items()}
        for name in ("argmax", "argmin"):
            takes[name] = (takes[name][0], one_nan(takes[name][1]))
    aliases = {"max": (f"{module}.amax",), "min": (f"{module}.amin",)}
    return [
        Function(f"{module}.{name}", operation, take, of, aliases.get(name, ()))
        for name, (operation, take) in takes.items()
    ]


FUNCTIONS = (
    *_rows("numpy", "NumPy", of_numpy, matmul(of_numpy_matmul, given_by_matmul)),
    *_rows("cupy", "CuPy", of_cupy, matmul(of_cupy)),
)
