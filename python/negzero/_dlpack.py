"""Reads DLPack capsules of host memory as arrays, bit for bit: NumPy has no bfloat16 and no FP8 in DLPack."""

from __future__ import annotations

import ctypes
from typing import Any

import ml_dtypes
import numpy as np

from ._memory import check_room

# Layouts, type codes and devices: include/dlpack/dlpack.h of DLPack 1.1
# (https://github.com/dmlc/dlpack/blob/007cef0eb0b2b60a62bc10df6166a7684736d31e/include/dlpack/dlpack.h). The protocol:
# https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.array.__dlpack__.html

#: Devices whose memory the host may read without copying it: kDLCPU, kDLCUDAHost and kDLROCMHost.
HOST_DEVICES = frozenset({1, 3, 11})
_CPU = (1, 0)
_MAX_VERSION = (1, 1)
_MOST_DIMENSIONS = 64  # of NumPy 2; 1.26 refuses more than 32 by itself
_DEVICES = {2: "CUDA", 4: "OpenCL", 7: "Vulkan", 8: "Metal", 10: "ROCm", 13: "CUDA managed memory", 14: "oneAPI"}
#: By type code and bits: what NumPy can read, and the dtype of ml_dtypes where that is another one.
_TYPES: "dict[tuple[int, int], tuple[str, str]]" = {
    **{(0, bits): (f"i{bits // 8}", "") for bits in (8, 16, 32, 64)},
    **{(1, bits): (f"u{bits // 8}", "") for bits in (8, 16, 32, 64)},
    **{(2, bits): (f"f{bits // 8}", "") for bits in (16, 32, 64)},
    (4, 16): ("u2", "bfloat16"),
    **{(5, bits): (f"c{bits // 8}", "") for bits in (64, 128)},
    (6, 8): ("?", ""),
    (7, 8): ("u1", "float8_e3m4"),
    (8, 8): ("u1", "float8_e4m3"),
    (9, 8): ("u1", "float8_e4m3b11fnuz"),
    (10, 8): ("u1", "float8_e4m3fn"),
    (11, 8): ("u1", "float8_e4m3fnuz"),
    (12, 8): ("u1", "float8_e5m2"),
    (13, 8): ("u1", "float8_e5m2fnuz"),
    (14, 8): ("u1", "float8_e8m0fnu"),
}


class Refused(TypeError):
    """What an object is, and the cure, without the argument's name."""


class _Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Versioned(ctypes.Structure):
    """DLManagedTensorVersioned. Of the older DLManagedTensor, only the DLTensor that it begins with is read."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


class _Elements:
    """Memory as NumPy reads it, with the capsule that keeps it alive."""

    def __init__(self, interface: "dict[str, Any]", capsule: object) -> None:
        self.__array_interface__ = interface
        self._capsule = capsule


# A library object of our own: prototypes that are set on ctypes.pythonapi would change it for everyone.
_PYTHON = ctypes.PyDLL(None)
_PYTHON.PyCapsule_IsValid.restype = ctypes.c_int
_PYTHON.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]
_PYTHON.PyCapsule_GetPointer.restype = ctypes.c_void_p
_PYTHON.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


def exported(value: Any, argument: str) -> np.ndarray:
    """Returns a view of what `value` exports by DLPack.

    An exporter on another device is asked for a copy on the host (dl_device, DLPack 1.0): it must then have waited for
    its own work. Raises Refused, with a cure, where it cannot, or where NumPy has no such elements; TooLarge, which
    names `argument`; and whatever the exporter raises.
    """
    kind = type(value)
    device = int(kind.__dlpack_device__(value)[0])
    is_host = device in HOST_DEVICES
    words: "dict[str, Any]" = {} if is_host else {"dl_device": _CPU}
    try:
        capsule = kind.__dlpack__(value, max_version=_MAX_VERSION, **words)
    except TypeError as error:  # an exporter older than DLPack 1.0 does not know these words
        if not is_host:
            raise Refused(
                f"its memory is on {_DEVICES.get(device, f'a device of DLPack type {device}')} and {kind.__name__} "
                "copies nothing to the host by DLPack; copy it with its own library first, and give that array"
            ) from error
        capsule = kind.__dlpack__(value)
    return view(capsule, argument)


def view(capsule: object, argument: str) -> np.ndarray:
    """Returns a read-only array of a capsule's elements, which lives as long as the array does.

    The capsule is not consumed: it keeps its name, so that its own destructor frees the memory behind the last view.
    """
    tensor = _tensor_of(capsule)
    key = (tensor.code, tensor.bits)
    if key not in _TYPES or tensor.lanes != 1:
        raise Refused(
            f"DLPack type code {tensor.code} with {tensor.bits} bits and {tensor.lanes} lanes is no dtype here; "
            "convert it to float32 first"
        )
    letters, name = _TYPES[key]
    dtype = np.dtype(letters)
    if name and not hasattr(ml_dtypes, name):
        raise Refused(f"{name} is no dtype of this ml_dtypes {ml_dtypes.__version__}; convert it to float32 first")
    if tensor.device_type not in HOST_DEVICES:
        raise Refused("its capsule holds memory of a device; copy it to the host first, and give that array")
    if not 0 <= tensor.ndim <= _MOST_DIMENSIONS or tensor.ndim and not tensor.shape:
        raise Refused(f"its capsule claims {tensor.ndim} dimensions; give an array of at most {_MOST_DIMENSIONS}")
    shape = tuple(tensor.shape[: tensor.ndim]) if tensor.ndim else ()
    if any(extent < 0 for extent in shape):
        raise Refused(f"its capsule claims shape {shape}; give an array without negative extents")
    check_room(argument, shape, dtype.itemsize)
    if 0 in shape:
        array = np.empty(shape, dtype)
    else:
        if not tensor.data:
            raise Refused("its capsule has elements and no memory, as of a tensor that was freed; keep it alive")
        interface = {
            "version": 3,
            "shape": shape,
            "typestr": dtype.str,
            "data": (tensor.data + tensor.byte_offset, True),
            "strides": tuple(step * dtype.itemsize for step in tensor.strides[: tensor.ndim])
            if tensor.strides and tensor.ndim
            else None,
        }
        array = np.asarray(_Elements(interface, capsule))
    return array.view(getattr(ml_dtypes, name)) if name else array


def _tensor_of(capsule: object) -> _Tensor:
    if _PYTHON.PyCapsule_IsValid(capsule, b"dltensor_versioned"):
        pointer = _PYTHON.PyCapsule_GetPointer(capsule, b"dltensor_versioned")
        major = _Versioned.from_address(pointer).major
        if major != _MAX_VERSION[0]:
            raise Refused(f"its capsule is of DLPack {major}, and DLPack 1 is read here; give a NumPy array")
        tensor: _Tensor = _Versioned.from_address(pointer).tensor
        return tensor
    if _PYTHON.PyCapsule_IsValid(capsule, b"dltensor"):
        return _Tensor.from_address(_PYTHON.PyCapsule_GetPointer(capsule, b"dltensor"))
    raise Refused(f"its __dlpack__ gave a {type(capsule).__name__} that is no DLPack capsule; give a NumPy array")
