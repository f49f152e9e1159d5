"""JAX's products, reductions, scans, segments and conversions on a GPU, and where the variant is `cpu` on the host.

The variant `highest` asks for products of F32 in F32 (jax.lax.Precision). JAX compiles for each shape: extents come in
few sizes.
"""

from __future__ import annotations

import os
from typing import Any

from negzero.vendor._register import CONVERSIONS, dtype_name, each, register

# Read by JAX when it is imported: arrays of 64 bits, and no GPU's whole memory for each process.
os.environ.setdefault("JAX_ENABLE_X64", "1")
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

SIZES = {"multiple": 24, "least": 0, "greatest": 48}
MATRICES = {"m": SIZES, "n": SIZES, "k": {"multiple": 120, "least": 0, "greatest": 360}}
#: From 4,096 elements on a reduction takes another way on the host.
ROWS = {"rows": {"multiple": 8, "least": 8, "greatest": 16}, "columns": {"multiple": 1025, "least": 1025, "greatest": 5125}}
LINES = {"rows": {"multiple": 4, "least": 4, "greatest": 8}, "columns": {"multiple": 257, "least": 257, "greatest": 1028}}
UPDATES = {"updates": {"multiple": 500, "least": 0, "greatest": 2000},
           "destinations": {"multiple": 64, "least": 64, "greatest": 256}}  # fmt: skip
COUNT = {"count": {"multiple": 1000, "least": 1000, "greatest": 4000}}


def _jax() -> Any:
    import jax

    return jax


def dot(a, b):
    return _jax().numpy.dot(a, b)


def dot_highest(a, b):
    return _jax().numpy.dot(a, b, precision="highest")


def along_rows(name: str) -> Any:
    """Returns a reduction or scan of the last dimension."""

    def function(x):
        return getattr(_jax().numpy, name)(x, axis=1)

    return function


def at(name: str) -> Any:
    """Returns an update of jax.numpy.ndarray.at."""

    def function(x, index, init):
        return getattr(init.at[index], name)(x)

    return function


def segments(name: str) -> Any:
    """Returns a reduction of segments, each of which begins with the value that it updates; one of that alone keeps it."""

    def function(x, index, init):
        numpy, count = _jax().numpy, init.shape[0]
        ids = numpy.concatenate([numpy.arange(count, dtype=index.dtype), index])
        reduced = getattr(_jax().ops, f"segment_{name}")(numpy.concatenate([init, x]), ids, num_segments=count)
        return numpy.where(numpy.zeros(count, bool).at[index].set(True), reduced, init)

    return function


def converts(target: str) -> Any:
    """Returns the conversion to a format."""
    def astype(x):
        return x.astype(dtype_name(target))

    return astype


for device, variant in (("cuda", ""), ("cpu", "cpu")):
    common: "dict[str, Any]" = {"arrays": "jax", "device": device}
    register("jax.numpy.dot", "gemm", dot, each(3), variant=variant, limits=MATRICES, **common)
    for name, operation in (("sum", "reduce.sum"), ("mean", "reduce.mean"), ("max", "reduce.max"), ("min", "reduce.min")):
        register(f"jax.numpy.{name}", operation, along_rows(name), each(2), variant=variant, limits=ROWS, **common)
    for name in ("argmax", "argmin"):
        register(f"jax.numpy.{name}", f"reduce.{name}", along_rows(name), each(1, "I64"), variant=variant, limits=ROWS,
                 **common)  # fmt: skip
    register("jax.numpy.cumsum", "scan.inclusive", along_rows("cumsum"), each(2), variant=variant, limits=LINES, **common)
    for formats in CONVERSIONS:
        register("jax.Array.astype", "convert", converts(formats[1]), [formats], variant=variant, limits=COUNT, **common)
    for name, kind in (("sum", "add"), ("max", "max"), ("min", "min")):
        function, place = f"jax.ops.segment_{name}", ".cpu" if variant else ""
        register(function, f"scatter.{kind}", segments(name), each(1), variant=variant, limits=UPDATES,
                 contract={"zero_sign": "any"}, **common)  # fmt: skip
        # What is promised of segments, users rely on where they begin with values of their own.
        register(function, f"scatter.{kind}", at(kind), each(1), variant=f"at_{kind}{place}", limits=UPDATES,
                 contract={"zero_sign": "any"}, about=f"x.at[index].{kind}()", **common)  # fmt: skip
register("jax.numpy.dot", "gemm", dot_highest, [("F32",) * 3], arrays="jax", device="cuda", variant="highest",
         limits=MATRICES, contract={"multiplicand": "exact", "tensor_core": "no"})  # fmt: skip
