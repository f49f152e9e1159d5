"""CuPy's products, reductions, scans, scatters and conversions."""

from __future__ import annotations

from typing import Any

from negzero.vendor._register import dtype_name, each, register

FORMATS = ("F16", "F32", "F64")
CONVERSIONS = [("F32", "F16"), ("F64", "F32"), ("F16", "F32")]
#: Of a row without elements there is no greatest: a ValueError says so.
SOME = {"columns": (1, 1 << 20)}


def _cupy() -> Any:
    import cupy

    return cupy


def matmul(a, b):
    return _cupy().matmul(a, b)


def along_rows(name: str) -> Any:
    """Returns a reduction or scan of the last dimension."""

    def function(x):
        return getattr(_cupy(), name)(x, axis=1)

    return function


def updates(name: str) -> Any:
    """Returns a ufunc's `at`, which updates its first argument."""

    def function(x, index, out):
        getattr(_cupy(), name).at(out, index, x)

    return function


def converts(target: str) -> Any:
    """Returns the conversion to a format."""

    def astype(x):
        return x.astype(dtype_name(target))

    return astype


register("cupy.matmul", "gemm", matmul, each(3, formats=FORMATS), arrays="cupy", device=None, limits={"batch": (0, 5)})
for name, operation, limits in (("sum", "reduce.sum", None), ("mean", "reduce.mean", None), ("max", "reduce.max", SOME),
                                ("min", "reduce.min", SOME)):  # fmt: skip
    register(f"cupy.{name}", operation, along_rows(name), each(2, formats=FORMATS), arrays="cupy", device=None,
             limits=limits)  # fmt: skip
for name in ("argmax", "argmin"):
    register(f"cupy.{name}", f"reduce.{name}", along_rows(name), each(1, "I64", formats=FORMATS), arrays="cupy",
             device=None, limits=SOME)  # fmt: skip
register("cupy.cumsum", "scan.inclusive", along_rows("cumsum"), each(2, formats=FORMATS), arrays="cupy", device=None)
for formats in CONVERSIONS:
    register("cupy.ndarray.astype", "convert", converts(formats[1]), [formats], arrays="cupy", device=None)
for one in FORMATS:
    for name, kind in (("add", "add"), ("maximum", "max"), ("minimum", "min")):
        if one == "F16" and name != "add":
            continue  # a TypeError says that there is none
        register(f"cupy.{name}.at", f"scatter.{kind}", updates(name), [(one,)], arrays="cupy", device=None,
                 about=f"cupy.{name}.at()")  # fmt: skip
