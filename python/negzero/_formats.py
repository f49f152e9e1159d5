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
    "I64": np.dtype(np.int64),
    "I16": np.dtype(np.int16),
    "I8": np.dtype(np.int8),
    "U32": np.dtype(np.uint32),
    "U16": np.dtype(np.uint16),
    "U8": np.dtype(np.uint8),
    "BOOL": np.dtype(np.bool_),
}
#: Formats that only store numbers, two a byte or one, by their names in ml_dtypes, of which older versions lack some.
_STORED = {
    "I4": "int4",
    "U4": "uint4",
    "F4": "float4_e2m1fn",
    "F6_E2M3": "float6_e2m3fn",
    "F6_E3M2": "float6_e3m2fn",
    "F8_E8M0": "float8_e8m0fnu",
}
#: Two elements a byte, the first in the low half: arrays of uint8 hold them in memory, (d + 1) // 2 a line.
HALVES = ("I4", "U4", "F4")
_NAMES: dict[np.dtype, str] = {dtype: name for name, dtype in _DTYPES.items()}
for _name, _type in _STORED.items():
    _DTYPES[_name] = np.dtype(getattr(ml_dtypes, _type, np.uint8))
    if hasattr(ml_dtypes, _type):
        _NAMES[_DTYPES[_name]] = _name
#: What indices, counts and places have.
INDICES = ("I32", "I64")
#: What only tensors of declared operations have, beside the others.
NARROW = ("I16", "I8", "U32", "U16", "U8", "BOOL", *_STORED)
#: Whole numbers of every width.
INTEGERS = (*INDICES, "I16", "I8", "U32", "U16", "U8")
FLOATS = tuple(name for name in _DTYPES if name not in (*INDICES, *NARROW))
#: What a number that is computed with or converted to may have.
ANY = (*FLOATS, "I32")
#: What factors of products may have: floats, and the integers that are summed in I32.
FACTORS = (*ANY, "I8", "U8")
EVERY = tuple(_DTYPES)


def _words(takes: "tuple[str, ...]") -> str:
    *most, last = (_DTYPES[name].name for name in takes)
    return f"{', '.join(most)} and {last}"


def dtype_of(format_name: str) -> np.dtype:
    """Returns the dtype of a format that the library names, "F16" for one."""
    return _DTYPES[format_name]


def memory_dtype_of(format_name: str) -> np.dtype:
    """Returns the dtype of an array over memory that holds a format: uint8 where two elements share a byte."""
    return np.dtype(np.uint8) if format_name in HALVES else _DTYPES[format_name]


def only_stores(format_name: str) -> bool:
    """Says whether a format only stores numbers, so that frameworks may lack it and take its bytes."""
    return format_name in _STORED


def pack_halves(elements: np.ndarray) -> np.ndarray:
    """Returns elements of 4 bits, the low ones of integers of any width or of a dtype of ml_dtypes, two a byte."""
    values = elements.view(np.uint8) if elements.dtype.itemsize == 1 else elements.astype(np.uint8)
    values = values.reshape(elements.shape or (1,)) & 15
    if values.shape[-1] % 2:
        values = np.concatenate([values, np.zeros((*values.shape[:-1], 1), np.uint8)], -1)
    packed: np.ndarray = values[..., ::2] | values[..., 1::2] << 4
    return packed if elements.shape else packed[0]


def unpack_halves(held: np.ndarray, format_name: str, line: int) -> np.ndarray:
    """Returns the numbers that bytes hold, `line` in the last dimension: of I4 int8, of U4 and F4's codes uint8."""
    halves = np.stack([held & 15, held >> 4], -1).reshape(*held.shape[:-1], 2 * held.shape[-1])
    halves = halves[..., :line].astype(np.uint8)
    return (halves ^ 8).astype(np.int8) - np.int8(8) if format_name == "I4" else halves


def number_of(bits: str, dtype: np.dtype) -> np.generic:
    """Returns the number of that dtype whose bits the library writes as "0x3f800000"."""
    number: np.generic = np.frombuffer(int(bits, 16).to_bytes(dtype.itemsize, "little"), dtype)[0]
    return number


def is_format(format_name: str) -> bool:
    """Says whether arrays of that format can be made here."""
    return format_name in _DTYPES


def _cure(dtype: np.dtype, takes: "tuple[str, ...]") -> str:
    name = dtype.name
    target = "numpy.int32" if takes == INDICES else "numpy.float32"
    if dtype.kind in "iub" or takes == INDICES and dtype.kind in "fV" and not dtype.fields:
        return f"convert it: .astype({target})"
    if dtype.kind == "c":
        return "judge the real and the imaginary part by themselves"
    if dtype.kind == "O":
        return f"Python objects have no format of numbers; convert with .astype({target})"
    if dtype.kind in "SUT":
        return "text is no number; give an array of numbers"
    if dtype.names == ("float0",):
        return "JAX gives it as the derivative by an integer, which has no value; leave it out"
    if dtype.fields:
        return "pick one field: array['name']"
    if name == "float8_e4m3":
        return "this is the IEEE format with infinities; GPUs have float8_e4m3fn: .astype(ml_dtypes.float8_e4m3fn)"
    if name == "float8_e8m0fnu":
        return "convert to float32 or float64, which hold every value of it"
    if name.startswith("float8"):
        return "convert to float8_e4m3fn or float8_e5m2 of ml_dtypes, or to float16, which holds every value of it"
    if dtype.kind in "fV":
        return "convert with .astype() to one of them"
    return "give one of them"


def format_of(dtype: np.dtype, argument: str, takes: "tuple[str, ...]" = ANY) -> str:
    """Returns the format's name of an array's dtype, whatever its byte order.

    Raises TypeError, which names the argument, the formats that it takes and the cure, where the dtype is none of them.
    """
    name = _NAMES.get(dtype if dtype.isnative else dtype.newbyteorder("="))
    if name is None or name not in takes:
        raise TypeError(f"{argument}: dtype {dtype} is none of {_words(takes)}; {_cure(dtype, takes)}")
    return name


def format_named(value: object, argument: str, takes: "tuple[str, ...]" = ANY) -> str:
    """Returns the format of what a caller gives as a dtype: numpy.float16, ml_dtypes.bfloat16, "float32", "F8_E4M3".

    Raises TypeError as format_of() does, and for what is no dtype.
    """
    if isinstance(value, str) and value in takes:
        return value
    if isinstance(value, str):
        value = {"bfloat16": ml_dtypes.bfloat16, "float8_e4m3fn": ml_dtypes.float8_e4m3fn}.get(value, value)
    if value is None:  # numpy.dtype(None) is float64
        raise TypeError(f"{argument}: None is no dtype; give one of {_words(takes)}")
    try:
        dtype = np.dtype(value)  # type: ignore[call-overload]
    except Exception as error:  # what a stranger's object raises here is theirs to choose
        raise TypeError(f"{argument}: {_shown(value)} is no dtype; give one of {_words(takes)}") from error
    return format_of(dtype, argument, takes)


def _shown(value: object) -> str:
    return repr(value) if isinstance(value, (str, int, float)) else f"a {type(value).__name__}"
