"""Names the formats that tensors may have: by NumPy's dtype, and as case files write them."""

from __future__ import annotations

import ml_dtypes
import numpy as np

_DTYPES: dict[str, np.dtype] = {
    "F64": np.dtype(np.float64),
    "F32": np.dtype(np.float32),
    "F16": np.dtype(np.float16),
    "BF16": np.dtype(ml_dtypes.bfloat16),
    "F8_E4M3": np.dtype(ml_dtypes.float8_e4m3fn),
    "F8_E5M2": np.dtype(ml_dtypes.float8_e5m2),
    "I32": np.dtype(np.int32),
}
_NAMES: dict[np.dtype, str] = {dtype: name for name, dtype in _DTYPES.items()}
_KNOWN = "float64, float32, float16, bfloat16, float8_e4m3fn, float8_e5m2 and int32"


def dtype_of(format_name: str) -> np.dtype:
    """Returns the dtype of a format that the library names, "F16" for one."""
    return _DTYPES[format_name]


def is_format(format_name: str) -> bool:
    """Says whether arrays of that format can be made here."""
    return format_name in _DTYPES


def _cure(dtype: np.dtype) -> str:
    name = dtype.name
    if dtype.kind in "iu":
        return "convert to int32: .astype(numpy.int32)"
    if dtype.kind == "b":
        return "convert to int32 or to a floating-point dtype with .astype()"
    if dtype.kind == "c":
        return "judge the real and the imaginary part by themselves"
    if dtype.kind == "O":
        return "Python objects have no floating-point format; convert with .astype(numpy.float32)"
    if dtype.kind in "SUT":
        return "text is no number; give an array of numbers"
    if dtype.fields:
        return "pick one field: array['name']"
    if name == "float8_e4m3":
        return "this is the IEEE format with infinities; GPUs have float8_e4m3fn: .astype(ml_dtypes.float8_e4m3fn)"
    if name.startswith("float8"):
        return "convert to float8_e4m3fn or float8_e5m2 of ml_dtypes, or to float16, which holds every value of it"
    if dtype.kind in "fV":
        return f"convert with .astype() to one of {_KNOWN}"
    return f"give one of {_KNOWN}"


def format_of(dtype: np.dtype, argument: str) -> str:
    """Returns the format's name of an array's dtype, whatever its byte order.

    Raises TypeError, which names the argument and the cure, where no format has that dtype.
    """
    name = _NAMES.get(dtype if dtype.isnative else dtype.newbyteorder("="))
    if name is None:
        raise TypeError(f"{argument}: dtype {dtype} is none of {_KNOWN}; {_cure(dtype)}")
    return name


def format_named(value: object, argument: str) -> str:
    """Returns the format of what a caller gives as a dtype: numpy.float16, ml_dtypes.bfloat16, "float32", "F8_E4M3"."""
    if isinstance(value, str) and value in _DTYPES:
        return value
    if isinstance(value, str):
        value = {"bfloat16": ml_dtypes.bfloat16, "float8_e4m3fn": ml_dtypes.float8_e4m3fn}.get(value, value)
    if value is None:  # numpy.dtype(None) is float64
        raise TypeError(f"{argument}: None is no dtype; give one of {_KNOWN}")
    try:
        dtype = np.dtype(value)  # type: ignore[call-overload]
    except Exception as error:  # what a stranger's object raises here is theirs to choose
        raise TypeError(f"{argument}: {_shown(value)} is no dtype; give one of {_KNOWN}") from error
    return format_of(dtype, argument)


def _shown(value: object) -> str:
    return repr(value) if isinstance(value, (str, int, float)) else f"a {type(value).__name__}"
