"""Objects of JAX and CuPy that have no elements to read: each is an error with its class, its argument and a cure."""

from __future__ import annotations

import importlib
from typing import Any, Callable

import numpy as np
import pytest
from support import framework, put, refused

FLOATS = ("float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2")
INTEGERS = ("int8", "int16", "int64", "uint8", "uint16", "uint32", "uint64")


def jax() -> Any:
    return framework("jax")


def ones(dtype: str = "float32", *shape: int) -> Any:
    return jax().numpy.ones(shape or (3, 4), dtype)


def deleted(dtype: str = "float32") -> Any:
    array = ones(dtype) + ones(dtype)  # not a constant that JAX keeps
    array.delete()
    return array


def donated(dtype: str = "float32") -> Any:
    array = jax().device_put(np.ones((3, 4), np.float32)) + 1
    jax().jit(lambda x: x * 2, donate_argnums=0)(array)
    if not array.is_deleted():
        pytest.skip("this backend does not take donations")
    return array


def sparse(name: str) -> Any:
    dense = ones()
    return getattr(importlib.import_module("jax.experimental.sparse"), name).fromdense(dense)


def reference() -> Any:
    make = getattr(jax(), "new_ref", None)
    if make is None:
        pytest.skip("this JAX has no references")
    return make(ones())


def abstract() -> Any:
    typeof = getattr(jax(), "typeof", None)  # since JAX 0.6
    return typeof(ones()) if typeof is not None else jax().core.get_aval(ones())


def small_float(dtype: str) -> Any:
    if not hasattr(jax().numpy, dtype):
        pytest.skip(f"this JAX has no {dtype}")
    return ones().astype(dtype)


NO_ELEMENTS: "dict[str, tuple[Callable[[], Any], tuple[str, ...]]]" = {
    **{f"deleted {each}": (lambda each=each: deleted(each), ("deleted", "copy")) for each in (*FLOATS, "int32")},
    "donated": (donated, ("donate_argnums", "copy")),
    "key": (lambda: jax().random.key(0), ("holds keys", "jax.random.key_data")),
    "keys": (lambda: jax().random.split(jax().random.key(0), (3, 4)), ("holds keys", "jax.random.key_data")),
    "shape and dtype": (lambda: jax().ShapeDtypeStruct((3, 4), np.float32), ("ShapeDtypeStruct", "give an array")),
    "type": (abstract, ("Array has no", "give an array")),
    "BCOO": (lambda: sparse("BCOO"), ("sparse", ".todense()")),
    "BCSR": (lambda: sparse("BCSR"), ("sparse", ".todense()")),
    "reference": (reference, ("Ref", "give an array")),
    "gradient by an integer": (
        lambda: jax().grad(lambda x: (x * 1.0).sum(), allow_int=True)(ones("int32")),
        ("float0", "leave it out"),
    ),
    "function": (lambda: jax().jit(lambda x: x), ("give an array",)),
    "compiled": (lambda: jax().jit(lambda x: x).lower(ones()).compile(), ("give an array",)),
    "sharding": (lambda: ones().sharding, ("give an array",)),
    "device": (lambda: jax().devices()[0], ("give an array",)),
    "tree": (lambda: {"x": ones()}, ("; give ",)),
    "tuple": (lambda: (ones(), ones()), ("give an array",)),
    "list": (lambda: [ones()], ("give an array",)),
    "dtype": (lambda: jax().numpy.float32, ("give an array",)),
    "the class": (lambda: jax().Array, ("give an array",)),
    "bool": (lambda: ones("bool"), ("bool", ".astype(numpy.")),
    "complex64": (lambda: ones("complex64"), ("complex64", "")),
    "complex128": (lambda: ones("complex128"), ("complex128", "")),
    **{
        each: (lambda each=each: small_float(each), (each, "conver"))
        for each in ("float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e4m3b11fnuz", "float8_e3m4")
    },
    **{each: (lambda each=each: small_float(each), (each,)) for each in ("int4", "uint4", "int2", "uint2")},
    "float8_e4m3": (lambda: small_float("float8_e4m3"), ("float8_e4m3 ", ".astype(")),
    "float4_e2m1fn": (lambda: small_float("float4_e2m1fn"), ("float4_e2m1fn", "convert")),
    "float8_e8m0fnu": (lambda: small_float("float8_e8m0fnu"), ("float8_e8m0fnu", "conver")),
}


@pytest.mark.parametrize("argument", ["a", "c", "index", "observed"])
@pytest.mark.parametrize("what", NO_ELEMENTS)
def test_what_has_no_elements_is_refused(what: str, argument: str) -> None:
    make, says = NO_ELEMENTS[what]
    if what == "tree" and argument == "observed":  # a dict of outputs by name
        refused(ValueError, argument, make(), "d is missing")
        return
    refused(TypeError, argument, make(), *says)


@pytest.mark.parametrize("argument", ["observed", "a", "x"])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_where_numbers_are_taken_are_refused(dtype: str, argument: str) -> None:
    if argument == "a" and dtype in ("int8", "uint8", "int32"):
        refused(ValueError, argument, ones(dtype), "gemm of integers takes I8, U8 and I32")
        return
    refused(TypeError, argument, ones(dtype), dtype, ".astype(numpy.float32)")


@pytest.mark.parametrize("dtype", FLOATS)
def test_numbers_where_places_are_taken_are_refused(dtype: str) -> None:
    refused(TypeError, "index", ones(dtype, 4), dtype, ".astype(numpy.int32)")


TRANSFORMS = {
    "jit": lambda judged: jax().jit(judged)(ones()),
    "grad": lambda judged: jax().grad(judged)(ones()),
    "vmap": lambda judged: jax().vmap(judged)(ones()),
    "jvp": lambda judged: jax().jvp(judged, (ones(),), (ones(),)),
    "vjp": lambda judged: jax().vjp(judged, ones()),
    "linearize": lambda judged: jax().linearize(judged, ones()),
    "eval_shape": lambda judged: jax().eval_shape(judged, ones()),
    "make_jaxpr": lambda judged: jax().make_jaxpr(judged)(ones()),
    "checkpoint": lambda judged: jax().grad(jax().checkpoint(judged))(ones()),
    "scan": lambda judged: jax().lax.scan(lambda carry, x: (carry, judged(x)), 0.0, ones()),
    "while": lambda judged: jax().lax.while_loop(lambda x: judged(x) < 0, lambda x: x, ones()),
    "cond": lambda judged: jax().lax.cond(True, judged, judged, ones()),
    "map": lambda judged: jax().lax.map(judged, ones()),
}


@pytest.mark.parametrize("argument", ["observed", "a", "index"])
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_tracers_are_refused(transform: str, argument: str) -> None:
    seen = []

    def judged(x: Any) -> Any:
        seen.append(refused(TypeError, argument, x, "tracer", "outside"))
        return x.sum()

    TRANSFORMS[transform](judged)
    assert seen


@pytest.mark.parametrize("argument", ["observed", "a", "b", "x", "index"])
@pytest.mark.parametrize("shape", [(), (0,), (0, 4), (3, 0), (1, 1, 1, 1, 1)])
def test_empty_and_odd_shapes_are_refused(shape: "tuple[int, ...]", argument: str) -> None:
    dtype = {"index": "int64", "a": "float16", "b": "float16"}.get(argument, "float32")
    refused(ValueError, argument, jax().numpy.zeros(shape, dtype))


# CuPy


def cupy() -> Any:
    return framework("cupy")


def sparse_of_cupy(name: str) -> Any:
    eye = cupy().eye(3)
    return getattr(importlib.import_module("cupyx.scipy.sparse"), name)(eye)


CUPY: "dict[str, tuple[Callable[[], Any], tuple[str, ...]]]" = {
    **{
        each: (lambda each=each: sparse_of_cupy(each), ("sparse", ".toarray()"))
        for each in ("csr_matrix", "coo_matrix", "csc_matrix")
    },
    "memory": (lambda: cupy().cuda.alloc(64), ("give an array",)),
    "stream": (lambda: cupy().cuda.Stream.null, ("give an array",)),
    "list": (lambda: [put("cupy", np.ones(3, np.float32))], ("give an array",)),
    "the class": (lambda: cupy().ndarray, ("give an array",)),
    **{each: (lambda each=each: cupy().ones((3, 4), each), (each,)) for each in ("bool", "complex64", "complex128")},
}


@pytest.mark.parametrize("argument", ["a", "c", "index", "observed"])
@pytest.mark.parametrize("what", CUPY)
def test_what_of_cupy_has_no_elements_is_refused(what: str, argument: str) -> None:
    make, says = CUPY[what]
    refused(TypeError, argument, make(), *says)


@pytest.mark.parametrize("argument", ["observed", "a", "x"])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_of_cupy_where_numbers_are_taken_are_refused(dtype: str, argument: str) -> None:
    refused(TypeError, argument, cupy().ones((3, 4), dtype), dtype, ".astype(numpy.float32)")


@pytest.mark.parametrize("argument", ["observed", "a", "x", "index"])
@pytest.mark.parametrize("shape", [(1 << 40,), (1 << 20, 1 << 20)])
def test_arrays_of_cupy_without_room_are_refused(shape: "tuple[int, ...]", argument: str) -> None:
    one = cupy().ones(1, np.int64 if argument == "index" else np.float32)
    refused(ValueError, argument, cupy().broadcast_to(one, shape), "elements")


@pytest.mark.parametrize("argument", ["observed", "a", "b", "x", "index"])
@pytest.mark.parametrize("shape", [(), (0,), (0, 4), (3, 0)])
def test_empty_and_odd_shapes_of_cupy_are_refused(shape: "tuple[int, ...]", argument: str) -> None:
    dtype = {"index": "int64", "a": "float16", "b": "float16"}.get(argument, "float32")
    refused(ValueError, argument, cupy().zeros(shape, dtype))
