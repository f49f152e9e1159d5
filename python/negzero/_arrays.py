"""Takes arrays and scalars as callers have them, and gives plain NumPy arrays or an error that names the argument."""

from __future__ import annotations

import math
import numbers
import sys
from typing import Any

import ml_dtypes
import numpy as np

from ._formats import ANY, format_of

#: Most elements of a tensor in a case file.
MAX_ELEMENTS = 2**31
#: Formats that PyTorch has and cannot hand to NumPy: the integers of their width there, and their dtype here.
_TORCH_VIEWS = {
    "torch.bfloat16": ("int16", ml_dtypes.bfloat16),
    "torch.float8_e4m3fn": ("uint8", ml_dtypes.float8_e4m3fn),
    "torch.float8_e5m2": ("uint8", ml_dtypes.float8_e5m2),
}


def _from_torch(torch: Any, tensor: Any) -> Any:
    tensor = tensor.detach().cpu().resolve_neg()
    integers, dtype = _TORCH_VIEWS.get(str(tensor.dtype), (None, None))
    if integers is None:
        return tensor.numpy()
    return tensor.view(getattr(torch, integers)).numpy().view(dtype)


def as_array(value: object, argument: str, takes: "tuple[str, ...]" = ANY) -> np.ndarray:
    """Returns `value` as a plain ndarray whose dtype is one of the formats `takes`, in any strides and byte order.

    Takes NumPy's arrays and scalars, PyTorch's tensors (from any device, BF16 and FP8 too) and whatever has __array__.
    What lies in the array is what counts: shapes and dtypes that an object claims are not asked for. Copies nothing
    that is an array. Raises TypeError, which names the argument and the cure, for everything else.
    """
    kind = type(value)  # not __class__, nor isinstance(), which believes it
    if value is None:
        raise TypeError(f"{argument}: None is no array; give an array of the operation's elements")
    if issubclass(kind, np.ma.MaskedArray):
        raise TypeError(f"{argument}: a masked array has elements without a value; give array.filled(value)")
    torch = sys.modules.get("torch")
    try:
        if issubclass(kind, (np.ndarray, np.generic)):
            array = np.asarray(value)
        elif torch is not None and issubclass(kind, torch.Tensor):
            array = np.asarray(_from_torch(torch, value))
        elif hasattr(kind, "__array__"):
            array = np.asarray(value)
        else:
            raise TypeError(
                f"{argument}: a {kind.__name__} has no floating-point format; give an array: "
                "numpy.asarray(value, dtype=numpy.float32)"
            )
    except Exception as error:  # __array__ is a stranger's code, which may raise whatever it likes
        if isinstance(error, TypeError) and str(error).startswith(f"{argument}:"):
            raise
        raise TypeError(
            f"{argument}: this {kind.__name__} cannot be made an array ({type(error).__name__}: {error}); "
            "give a NumPy array on the host"
        ) from error
    format_of(array.dtype, argument, takes)
    if type(array) is not np.ndarray:
        array = array.view(np.ndarray)
    if array.size > MAX_ELEMENTS:
        raise ValueError(
            f"{argument}: {array.size:,} elements (shape {array.shape}) are more than the {MAX_ELEMENTS:,} that a case "
            "may have; judge a slice"
        )
    return array


def packed(array: np.ndarray) -> np.ndarray:
    """Returns the elements in order, without strides and in the machine's byte order; bits stay as they are."""
    if not array.dtype.isnative:
        # Integers have no signalling NaN that a conversion could change.
        integers = np.dtype(f"u{array.dtype.itemsize}").newbyteorder(array.dtype.byteorder)
        native = array.dtype.newbyteorder("=")
        swapped = np.array(array, order="C").reshape(-1).view(integers).astype(integers.newbyteorder("="))
        return swapped.view(native).reshape(array.shape)
    return np.asarray(array, order="C")


def as_scalar(value: object, argument: str, dtype: np.dtype) -> np.generic:
    """Returns a number rounded to `dtype`, F32 or F64.

    Takes Python's int and float, NumPy's scalars and arrays of no dimension. NaN and infinities are numbers too; what
    is finite and too great for the format is a ValueError, because it would become another number than was meant.
    """
    kind = type(value)
    if issubclass(kind, np.ndarray):
        array = as_array(value, argument)
        if array.ndim != 0:
            raise TypeError(f"{argument}: an array of shape {array.shape}; {argument} is one number")
        value, kind = array[()], type(array[()])
    is_number = issubclass(kind, (int, float, np.integer, np.floating)) or kind.__module__ == "ml_dtypes"
    if not is_number or issubclass(kind, (bool, np.bool_)):
        cure = "its real part" if issubclass(kind, numbers.Complex) and not is_number else "a float"
        raise TypeError(f"{argument}: a {kind.__name__} where one real number is needed; give {cure}")
    if kind is dtype.type:
        return value  # type: ignore[return-value]  # as it is: a NaN keeps its payload
    try:
        number = float(value)  # type: ignore[arg-type]
    except OverflowError as error:
        raise ValueError(f"{argument}: {kind.__name__} too large for {dtype.name}; give a smaller number") from error
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        result = dtype.type(number)
    if math.isfinite(number) and not np.isfinite(result):
        raise ValueError(
            f"{argument} = {number!r} is beyond {dtype.name}, in which this operation's scalars are kept; give a "
            "smaller number, or write the infinity: float('inf')"
        )
    return result
