"""Takes arrays and scalars as callers have them, and gives plain NumPy arrays or an error that names the argument."""

from __future__ import annotations

import math
import numbers
import struct

import numpy as np

from ._formats import ANY, INDICES, dtype_of, format_of
from ._dlpack import Refused
from ._frameworks import Export, export
from ._memory import MAX_ELEMENTS, TooLarge, check_elements, check_memory
from ._notes import Notes

#: Integers that places, indices and counts may have.
#: The end of a message about places that are too great.
AS_PLACES = f", as of an extent of at most {MAX_ELEMENTS:,}"
_WIDTHS = tuple(dtype_of(name) for name in INDICES)


def as_parts(array: np.ndarray, rank: "int | None") -> np.ndarray:
    """Returns complex numbers as their real and imaginary parts in a last dimension of 2, where that makes `rank`
    dimensions of them; every other array as it is."""
    if array.dtype.kind != "c" or rank != array.ndim + 1:
        return array
    real = np.dtype(f"f{array.dtype.itemsize // 2}")
    return packed(array.astype(array.dtype.newbyteorder("="))).view(real).reshape(*array.shape, 2)


def as_array(
    value: object,
    argument: str,
    takes: "tuple[str, ...]" = ANY,
    notes: "Notes | None" = None,
    rank: "int | None" = None,
) -> np.ndarray:
    """Returns `value` as a plain ndarray whose dtype is one of the formats `takes`, in any strides and byte order.

    Takes NumPy's arrays and scalars, the arrays of PyTorch, JAX and CuPy from any device, and whatever has __dlpack__,
    __cuda_array_interface__, __array_interface__ or __array__ (see _frameworks.py). What lies in the array is what
    counts: shapes and dtypes that an object claims are not asked for. Copies nothing that is an array on the host and
    has its dtype. Integers of other widths become int32 where int32 and int64 are taken.

    Complex numbers are taken in two parts where `rank` is one more than the array has (as_parts()).

    Raises TypeError, which names the argument and the cure, for everything else; ValueError for what is too large, and
    for integers beyond int32. `notes` are told where the array came from and what was done to it.
    """
    exported = _exported(value, argument)
    array = as_parts(exported.array, rank)
    has_other_width = takes == INDICES and array.dtype.kind in "iu" and array.dtype.newbyteorder("=") not in _WIDTHS
    if not has_other_width:
        format_of(array.dtype, argument, takes)
    if type(array) is not np.ndarray:
        array = array.view(np.ndarray)
    check_elements(argument, array.shape)
    if notes is not None:
        notes.arrived(argument, exported.origin, array.dtype)
        why = _why_packed(array, exported.strides)
        if why:
            notes.packed(argument, why)
        if has_other_width:
            notes.converted(argument, array.dtype, np.dtype(np.int32))
    return as_places(array, argument, np.dtype(np.int32), AS_PLACES) if has_other_width else array


def as_elements(value: object, argument: str) -> np.ndarray:
    """Returns `value` as as_array() does, and takes integers of every width and truth values too, as they are."""
    array = _exported(value, argument).array
    if array.dtype.kind not in "iub":
        format_of(array.dtype, argument)
    check_elements(argument, array.shape)
    return array.view(np.ndarray)


def _exported(value: object, argument: str) -> Export:
    kind = type(value)  # not __class__, nor isinstance(), which believes it
    if value is None:
        raise TypeError(f"{argument}: None is no array; give an array of the operation's elements")
    if issubclass(kind, np.ma.MaskedArray):
        raise TypeError(f"{argument}: a masked array has elements without a value; give array.filled(value)")
    try:
        if issubclass(kind, (np.ndarray, np.generic)):
            return Export(np.asarray(value), "numpy")
        exported = export(value, argument)
        if exported is None:
            raise Refused(
                f"a {kind.__name__} has no floating-point format; give an array: "
                "numpy.asarray(value, dtype=numpy.float32)"
            )
        return exported
    except Refused as error:
        raise TypeError(f"{argument}: {error}") from error.__cause__
    except TooLarge as error:
        raise ValueError(str(error)) from None
    except Exception as error:  # a stranger's code, which may raise whatever it likes
        said = " ".join(str(error).split())  # of several lines, and perhaps with a stack in it
        said = said if len(said) <= 300 else f"{said[:300]}..."
        cure = "give a NumPy array on the host"
        if "CUDA error" in said:
            cure = "work that was started before has failed: look for it with CUDA_LAUNCH_BLOCKING=1"
        raise TypeError(
            f"{argument}: this {kind.__name__} cannot be made an array ({type(error).__name__}: {said}); {cure}"
        ) from error


def _why_packed(array: np.ndarray, strides: "tuple[int, ...] | None") -> str:
    """Says how the elements lie in memory where that is not in order; `strides` where the array itself is a copy."""
    if strides is None and not array.flags.c_contiguous:
        strides = array.strides
    if strides is not None and array.size:
        return f"its shape {array.shape} has strides {strides} in bytes"
    return "" if array.dtype.isnative else "its bytes are in the other order"


def as_places(array: np.ndarray, argument: str, dtype: np.dtype, cure: str = "") -> np.ndarray:
    """Returns whole numbers in a dtype of integers. Raises ValueError, with the first element that is beyond it.

    `cure` ends the message.
    """
    if array.dtype == dtype:
        return array
    check_memory({argument: array})
    limits = np.iinfo(dtype)
    wrong = array > limits.max
    if array.dtype.kind == "i":
        wrong |= array < limits.min
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(
            f"{argument}{list(place)} is {array[place]}, beyond {dtype.name}, to which {array.dtype.name} is converted "
            f"here; give values from {limits.min} to {limits.max}{cure}"
        )
    return array.astype(dtype)


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
    if dtype == np.float32 and math.isfinite(number):
        result = _tiny(number, result)
    if math.isfinite(number) and not np.isfinite(result):
        raise ValueError(
            f"{argument} = {number!r} is beyond {dtype.name}, in which this operation's scalars are kept; give a "
            "smaller number, or write the infinity: float('inf')"
        )
    return result


def as_whole(value: object, argument: str, kind: str) -> np.generic:
    """Returns a scalar that a line has as an "int" or a "bool", in int32, in which cases keep both."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if value is None:
        raise ValueError(f"{argument} is missing; give a {'truth value' if kind == 'bool' else 'whole number'}")
    if kind == "bool":
        if not isinstance(value, (bool, np.bool_, int, np.integer)) or value not in (0, 1):
            raise TypeError(f"{argument} = {value!r}: {argument} is a truth value; give True or False")
        return np.int32(bool(value))
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{argument}: a {type(value).__name__}; {argument} is a whole number: give an int")
    if not -(1 << 31) <= value < 1 << 31:
        raise ValueError(f"{argument} = {value} is beyond int32, in which whole numbers are kept; give a smaller one")
    return np.int32(value)


def _tiny(number: float, rounded: np.generic) -> np.generic:
    """Returns `rounded`, or the subnormal float32 that a process which flushes them has taken for zero.

    Nothing but integers is computed with, which no floating-point environment changes.
    """
    bits = struct.unpack("<Q", struct.pack("<d", number))[0]
    exponent, fraction = bits >> 52 & 0x7FF, bits & (1 << 52) - 1
    # float64's exponents of numbers below 2**-126, down to half of float32's smallest subnormal, 2**-150.
    if not 1023 - 150 <= exponent < 1023 - 126:
        return rounded
    significand, drop = fraction | 1 << 52, 1023 - 126 - exponent + 29
    kept, rest, half = significand >> drop, significand & (1 << drop) - 1, 1 << (drop - 1)
    kept += rest > half or (rest == half and kept & 1)
    word = (bits >> 63) << 31 | kept
    return np.frombuffer(struct.pack("<I", word), np.float32)[0]  # type: ignore[no-any-return]
