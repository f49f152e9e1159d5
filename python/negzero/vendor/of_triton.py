"""Triton's tl.dot, reductions, tl.cumsum, atomics and casts, in kernels that are little more than a call of each.

Blocks, warps and stages are the configuration.
"""

from __future__ import annotations

from typing import Any

import negzero
from negzero.vendor._register import FLOATS

BLOCKS = {"block_m": [16, 32, 64, 128], "block_n": [16, 32, 64, 128], "block_k": [16, 32, 64], "warps": [4, 1, 2, 8],
          "stages": [1, 2, 3, 4]}  # fmt: skip
FP8_BLOCKS = {**BLOCKS, "block_k": [32, 64, 128]}
SMALL = {"m": (0, 160), "n": (0, 160), "k": (0, 520)}
ROWS = {"rows": (0, 64), "columns": (1, 4096)}
LINES = {"rows": (0, 8), "columns": (1, 1024)}
CONVERSIONS = [
    ("F32", "F16"), ("F32", "BF16"), ("F64", "F32"), ("F16", "F32"), ("BF16", "F16"), ("F32", "F8_E4M3"),
    ("F32", "F8_E5M2"), ("F16", "F8_E4M3"), ("F16", "F8_E5M2"), ("BF16", "F8_E4M3"), ("F8_E4M3", "F16"),
    ("F8_E5M2", "F16"),
]  # fmt: skip


def _kernels() -> Any:
    from negzero.vendor import _triton_kernels

    return _triton_kernels


def product(precision: str, in_f16: bool = False) -> Any:
    """Returns a GEMM by tl.dot."""

    def dot(a, b, d, block_m, block_n, block_k, warps, stages):
        _kernels().gemm(a, b, d, precision, block_m, block_n, block_k, warps, stages, in_f16)

    return dot


def along_rows(kind: str) -> Any:
    """Returns a reduction or scan of rows."""

    def function(x, y, warps):
        _kernels().along_rows(kind, x, y, warps)

    return function


def updates(kind: str) -> Any:
    """Returns a scatter by atomics."""

    def function(x, index, out, block):
        _kernels().update(kind, x, index, out, block)

    return function


def cast(x, y, block):
    _kernels().cast(x, y, block)


def add(operation: str, name: str, call: Any, formats: Any, limits: Any, configuration: Any, **words: Any) -> None:
    """Registers triton.NAME with the contract of the function that the name begins with."""
    function = f"triton.language.{name.partition('.')[0]}"
    negzero.kernel(
        operation, name=f"triton.{name}", formats=formats, arrays="torch", device="cuda",
        contract=negzero.contract_of(function, formats, **words),
        limits={**limits, "output": {"broadcast": False}, "configuration": configuration}, about=f"triton.language.{name}",
    )(call)  # fmt: skip


for one in ("F16", "BF16"):
    add("gemm", f"dot.{one.lower()}", product("tf32"), (one, one, one), SMALL, BLOCKS)
    add("gemm", f"dot.{one.lower()}_to_f32", product("tf32"), (one, one, "F32"), SMALL, BLOCKS)
add("gemm", "dot.f16_sums.f16", product("tf32", True), ("F16",) * 3, SMALL, BLOCKS, out_dtype="float16")
for precision in ("tf32", "ieee"):
    add("gemm", f"dot.{precision}.f32", product(precision), ("F32",) * 3, SMALL, BLOCKS, input_precision=precision)
for one in ("F8_E4M3", "F8_E5M2"):
    add("gemm", f"dot.{one.lower()}", product("tf32"), (one, one, "F32"), SMALL, FP8_BLOCKS)
WARPS = {"warps": [4, 1, 2, 8]}
for one in FLOATS:
    add("reduce.sum", f"sum.{one.lower()}", along_rows("sum"), (one, one), ROWS, WARPS)
    add("scan.inclusive", f"cumsum.{one.lower()}", along_rows("cumsum"), (one, one), LINES, WARPS)
    for kind in ("max", "min"):
        add(f"reduce.{kind}", f"{kind}.{one.lower()}", along_rows(kind), (one, one), ROWS, WARPS)
        add(f"reduce.arg{kind}", f"arg{kind}.{one.lower()}", along_rows(f"arg{kind}"), (one, "I32"), ROWS, WARPS)
BLOCK = {"block": [32, 128, 1024]}
for one in FLOATS:
    add("scatter.add", f"atomic_add.{one.lower()}", updates("add"), (one,), {}, BLOCK)
for one in ("F32", "F64"):
    for kind in ("max", "min"):
        add(f"scatter.{kind}", f"atomic_{kind}.{one.lower()}", updates(kind), (one,), {}, BLOCK)
for formats in CONVERSIONS:
    add("convert", f"cast.{formats[0].lower()}_{formats[1].lower()}", cast, formats, {}, BLOCK)
