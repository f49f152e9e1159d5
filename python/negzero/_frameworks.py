"""Brings arrays of PyTorch, JAX and CuPy, and of whatever speaks an array protocol, to the host, bit for bit.

No framework is imported here: an object of one that was never imported does not exist. Each function takes an object,
and returns what it is or raises Refused; what a framework itself raises passes through.

The order of work on GPUs, and what is relied on:

* PyTorch: Tensor.cpu() copies on the current stream of the tensor's device and waits for that stream
  (aten/src/ATen/native/cuda/Copy.cu, copy_kernel_cuda: getCurrentCUDAStream and memcpy_and_sync).
* CuPy: ndarray.get() copies on the current stream and, as blocking is True, waits
  (https://docs.cupy.dev/en/latest/reference/generated/cupy.asnumpy.html).
* JAX: numpy.asarray() waits for the array's computation (https://docs.jax.dev/en/latest/async_dispatch.html).
* DLPack: an exporter that is asked for a copy on the host must synchronise
  (https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.array.__dlpack__.html, dl_device).
* __cuda_array_interface__: CuPy waits for the stream that the object names
  (https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html#synchronization).

What runs on another stream, which the current one was not made to wait for, is not waited for.
"""

from __future__ import annotations

import contextlib
import math
import sys
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from . import _dlpack
from ._dlpack import Refused
from ._memory import TooLarge, check_room


@dataclass(frozen=True)
class Export:
    """An array on the host, and what is known of the object that it was."""

    array: np.ndarray
    origin: str  #: "torch cuda", "jax cpu"; the package's name where nothing more is known
    strides: "tuple[int, ...] | None" = None  #: in bytes, where the way to the host has packed them


def export(value: Any, argument: str) -> "Export | None":
    """Returns what a framework or a protocol exports; nothing where `value` speaks none.

    Raises Refused for an object of a framework that has no elements to read, and TooLarge, which names `argument`,
    where its copy has no room in memory.
    """
    kind = type(value)  # not __class__, nor isinstance(), which believes it
    torch, jax, cupy = (sys.modules.get(name) for name in ("torch", "jax", "cupy"))
    if is_instance(kind, torch, "Tensor"):
        return _from_torch(torch, value, argument)
    if is_instance(kind, jax, "Array") or is_instance(kind, getattr(jax, "core", None), "Tracer"):
        return _from_jax(jax, value, argument)
    if is_instance(kind, cupy, "ndarray"):
        return _from_cupy(value, argument)
    return _from_protocol(value, kind, argument)


def is_array(value: Any) -> bool:
    """Says whether an object is an array of NumPy, PyTorch, JAX or CuPy."""
    kind = type(value)
    named = (("numpy", "ndarray"), ("torch", "Tensor"), ("jax", "Array"), ("cupy", "ndarray"))
    return any(is_instance(kind, sys.modules.get(module), name) for module, name in named)


def is_instance(kind: type, module: Any, name: str) -> bool:
    """Says whether a type is a class of a module that is imported, by the class's name."""
    # A module that is still being imported lacks its names.
    known = getattr(module, name, None)
    return isinstance(known, type) and issubclass(kind, known)


# PyTorch


def _from_torch(torch: Any, tensor: Any, argument: str) -> Export:
    # Without the functions of subclasses, which may do and say anything; their elements stay.
    plain = getattr(torch._C, "DisableTorchFunctionSubclass", contextlib.nullcontext)
    with plain():
        _check_torch(torch, tensor)
        shape, item_bytes = tuple(tensor.shape), tensor.element_size()
        strides = tuple(step * item_bytes for step in tensor.stride())
        is_packed = tensor.is_contiguous()
        device = tensor.device.type
        tensor = tensor.detach()
        if device != "cpu" or tensor.is_neg() or tensor._is_zerotensor():  # which are copied
            check_room(argument, shape, item_bytes)
        tensor = tensor.cpu().resolve_neg()
        if tensor._is_zerotensor():
            tensor = tensor.clone()
        # Only types that PyTorch makes itself: a mode may give something else, a FakeTensor for one.
        if type(tensor).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__:
            raise Refused(f"under this mode of PyTorch it becomes a {type(tensor).__name__}; judge outside the mode")
        name = str(tensor.dtype).rpartition(".")[2]
        # What NumPy lacks is carried as integers of the same width.
        dtype = getattr(ml_dtypes, name, None)
        if dtype is not None and np.dtype(dtype).itemsize == item_bytes:
            integers = {1: torch.uint8, 2: torch.int16}[item_bytes]
            array = tensor.view(integers).numpy().view(dtype)
        else:
            array = tensor.numpy()
    return Export(array, f"torch {device}", None if is_packed else strides)


def _check_torch(torch: Any, tensor: Any) -> None:
    """Raises Refused for a tensor without elements of its own that can be read."""
    name, layout = type(tensor).__name__, tensor.layout
    if _functorch(torch, tensor):
        raise Refused("a tensor inside vmap, grad or another transform of torch.func; judge outside of it")
    if type(tensor).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__:
        raise Refused(f"a {name}, which {_WRAPPERS.get(name, _OTHER_WRAPPER)}")
    if tensor.is_meta:
        raise Refused("a tensor on the meta device, which has no elements; give one that was computed on a real device")
    if tensor.is_nested:
        raise Refused(f"a nested tensor, which {_WRAPPERS['NestedTensor']}")
    if layout != torch.strided:
        raise Refused(f"a tensor of layout {layout}; give tensor.to_dense()")
    if tensor.is_quantized:
        raise Refused(f"a quantised tensor ({tensor.dtype}); give tensor.dequantize(), or .int_repr() for its integers")
    if tensor.is_complex():
        raise Refused(f"dtype {tensor.dtype} is complex; judge the real and the imaginary part by themselves")
    if str(tensor.dtype) == "torch.float4_e2m1fn_x2":
        raise Refused("float4_e2m1fn_x2 has two numbers in each element; unpack them and give float16 or float32")
    if tensor.numel() == 0 or tensor._is_zerotensor():
        return
    last = tensor.storage_offset() + sum((extent - 1) * step for extent, step in zip(tensor.shape, tensor.stride()))
    held = tensor.untyped_storage().nbytes()
    if (last + 1) * tensor.element_size() > held:
        raise Refused(
            f"a tensor whose memory was freed or made smaller (its storage has {held} bytes, and its elements lie in "
            f"{(last + 1) * tensor.element_size()}); keep a copy: tensor.clone(), or gather its shards first"
        )


#: Wrappers of PyTorch by name: what they are, and the cure.
_WRAPPERS = {
    "FakeTensor": "has a shape and no elements; judge what the function gives, outside FakeTensorMode and torch.export",
    "FunctionalTensor": "is the inside of a function that is being compiled; judge outside of it",
    "DTensor": "is spread over a mesh of devices; give tensor.full_tensor(), or the shard: tensor.to_local()",
    "NestedTensor": "has rows of different lengths; judge each of tensor.unbind(), or tensor.to_padded_tensor(0.0)",
    "MaskedTensor": "has elements without a value; give tensor.to_tensor(value)",
}
_OTHER_WRAPPER = (
    "wraps other tensors and has no elements of its own; give the tensor inside: .dequantize(), .to_dense() or "
    ".full_tensor(), where it has one of them"
)


def _functorch(torch: Any, tensor: Any) -> bool:
    """Says whether a tensor is the inside of a transform: only PyTorch's own, private function knows."""
    asked = getattr(getattr(torch._C, "_functorch", None), "is_functorch_wrapped_tensor", None)
    return asked is not None and bool(asked(tensor))


# JAX


def _from_jax(jax: Any, value: Any, argument: str) -> Export:
    if is_instance(type(value), getattr(jax, "core", None), "Tracer"):
        raise Refused(
            "a tracer, which has no elements while JAX traces a function (jit, grad, vmap, scan); judge what the "
            "function returns, outside of it"
        )
    if jax.dtypes.issubdtype(value.dtype, jax.dtypes.extended):
        raise Refused(f"dtype {value.dtype} holds keys of random numbers; give jax.random.key_data(key)")
    if value.is_deleted():
        raise Refused(
            "an array of JAX that was deleted or donated to a jit function (donate_argnums); judge before, or give a "
            "copy: jax.numpy.copy(array)"
        )
    if not value.is_fully_addressable:
        raise Refused(
            "an array of JAX that is spread over other processes; give "
            "jax.experimental.multihost_utils.process_allgather(array, tiled=True), or one of array.addressable_shards"
        )
    platform = min(device.platform for device in value.devices())
    if platform != "cpu":
        check_room(argument, tuple(value.shape), value.dtype.itemsize)
    return Export(np.asarray(value), f"jax {platform}")


# CuPy


def _from_cupy(value: Any, argument: str) -> Export:
    check_room(argument, tuple(value.shape), value.dtype.itemsize)
    strides = None if value.flags.c_contiguous else tuple(value.strides)
    with value.device:  # whose current stream it is
        return Export(value.get(), "cupy cuda", strides)


# Protocols


def _from_protocol(value: Any, kind: type, argument: str) -> "Export | None":
    """Takes what says __dlpack__, __cuda_array_interface__, __array_interface__ or __array__, in that order."""
    if issubclass(kind, type):  # whose attributes are those of its instances
        return None
    package = kind.__module__.partition(".")[0]
    is_device_array = _says(value, kind, "__cuda_array_interface__")
    if hasattr(kind, "__dlpack__") and hasattr(kind, "__dlpack_device__"):
        try:
            return Export(_dlpack.exported(value, argument), package)
        except TooLarge:
            raise
        except Exception:  # a stranger's code, which may raise whatever it likes; perhaps it says more words
            if not hasattr(kind, "__array__") and not is_device_array:
                raise
    if is_device_array:
        return Export(_from_cuda(value, kind, argument), package)
    if _says(value, kind, "__array_interface__") or hasattr(kind, "__array__"):
        return Export(np.asarray(value), package)
    if hasattr(kind, "todense") or hasattr(kind, "toarray"):
        word = "toarray" if hasattr(kind, "toarray") else "todense"
        raise Refused(f"a sparse {kind.__name__}; give array.{word}()")
    return None


def _says(value: Any, kind: type, name: str) -> bool:
    """Says whether an object has an attribute of its class, or of its own; not one that __getattr__ makes up."""
    try:
        return hasattr(kind, name) or name in object.__getattribute__(value, "__dict__")
    except AttributeError:
        return False


def _from_cuda(value: Any, kind: type, argument: str) -> np.ndarray:
    interface = value.__cuda_array_interface__
    shape, dtype = tuple(interface["shape"]), np.dtype(interface["typestr"])
    if any(extent < 0 for extent in shape):
        raise Refused(f"this {kind.__name__} claims shape {shape}; give an array without negative extents")
    if math.prod(shape) and not interface["data"][0]:
        raise Refused(f"this {kind.__name__} has elements and no memory, as what was freed has; keep it alive")
    check_room(argument, shape, dtype.itemsize)
    cupy, torch = sys.modules.get("cupy"), sys.modules.get("torch")
    if cupy is not None:
        return np.asarray(cupy.asarray(value).get())
    if hasattr(kind, "copy_to_host"):  # Numba, whose copy runs on the array's own stream and waits
        return np.asarray(kind.copy_to_host(value))
    if torch is not None and torch.cuda.is_available():
        torch.cuda.synchronize()  # PyTorch does not ask which stream the object is made on
        return np.asarray(torch.as_tensor(value, device="cuda").cpu().numpy())
    raise Refused(
        f"a {kind.__name__} in the memory of a GPU, and neither CuPy nor PyTorch is imported to copy it; copy it to "
        "the host with its own library, or import cupy before"
    )
