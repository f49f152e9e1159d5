"""Triton's tl.dot, reductions, tl.cumsum, atomics and casts, in kernels that are little more than a call of each.

What a contract says is what the documentation of triton.language does (triton-lang.org, 3.6). Its blocks, warps and
stages are the configuration.
"""

from __future__ import annotations

from typing import Any

import negzero

#: tl.dot(): "the default precision of tf32"; "ieee" computes in F32. Of sums and their order nothing is said.
DOT = {"accumulate": "F32", "tensor_core": "may", "determinism": "run_to_run"}
TF32 = {**DOT, "multiplicand": "tf32_or_exact"}
#: Without a device whose tensor cores multiply them, FP8 is converted; Hopper's hold sums in fewer bits until
#: max_num_imprecise_acc values of k are added.
FP8 = {"preset": "f8_acc_f32"}
BLOCKS = {"block_m": [16, 32, 64, 128], "block_n": [16, 32, 64, 128], "block_k": [16, 32, 64], "warps": [4, 1, 2, 8],
          "stages": [1, 2, 3, 4]}  # fmt: skip
FP8_BLOCKS = {**BLOCKS, "block_k": [32, 64, 128]}
SMALL = {"m": (0, 160), "n": (0, 160), "k": (0, 520)}
ROWS = {"rows": (0, 64), "columns": (1, 4096)}
#: tl.sum(): "float dtypes are upcasted to at least tl.float32".
SUMS = {"F16": "F32", "BF16": "F32", "F32": "F32", "F64": "F64"}
#: tl.cumsum(): "bfloat16 inputs are automatically promoted"; others are summed as they are.
SCANS = {**SUMS, "F16": "F16"}
#: tl.maximum() and tl.minimum() do not propagate a NaN unless propagate_nan says so; tl.max() says nothing of its own.
EXTREME = {"nan": "ignore", "all_nan": "any", "zero_sign": "any", "determinism": "run_to_run"}
#: tl.argmax(): "in case of a tie, return the left-most index for values that aren't NaN".
PLACE = {"nan": "ignore", "all_nan": "any", "ties": "first", "determinism": "run_to_run"}
ADD = {"subnormal_inputs": "either", "subnormal_results": "either", "zero_sign": "any"}
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


def add(operation: str, name: str, call: Any, formats: Any, contract: Any, limits: Any, configuration: Any) -> None:
    negzero.kernel(
        operation, name=f"triton.{name}", formats=formats, arrays="torch", device="cuda", contract=contract,
        limits={**limits, "output": {"broadcast": False}, "configuration": configuration}, about=f"triton.language.{name}",
    )(call)  # fmt: skip


for one in ("F16", "BF16"):
    add("gemm", f"dot.{one.lower()}", product("tf32"), (one, one, one), DOT, SMALL, BLOCKS)
    add("gemm", f"dot.{one.lower()}_to_f32", product("tf32"), (one, one, "F32"), DOT, SMALL, BLOCKS)
add("gemm", "dot.f16_sums.f16", product("tf32", True), ("F16",) * 3, {**DOT, "accumulate": "F16"}, SMALL, BLOCKS)
add("gemm", "dot.tf32.f32", product("tf32"), ("F32",) * 3, TF32, SMALL, BLOCKS)
add("gemm", "dot.ieee.f32", product("ieee"), ("F32",) * 3, {"accumulate": "F32"}, SMALL, BLOCKS)
for one in ("F8_E4M3", "F8_E5M2"):
    add("gemm", f"dot.{one.lower()}", product("tf32"), (one, one, "F32"), FP8, SMALL, FP8_BLOCKS)
WARPS = {"warps": [4, 1, 2, 8]}
for one in SUMS:
    add("reduce.sum", f"sum.{one.lower()}", along_rows("sum"), (one, one),
        {"accumulate": SUMS[one], "determinism": "run_to_run"}, ROWS, WARPS)  # fmt: skip
    add("scan.inclusive", f"cumsum.{one.lower()}", along_rows("cumsum"), (one, one),
        {"accumulate": SCANS[one], "determinism": "run_to_run"}, {"rows": (0, 8), "columns": (1, 1024)}, WARPS)  # fmt: skip
    for kind in ("max", "min"):
        add(f"reduce.{kind}", f"{kind}.{one.lower()}", along_rows(kind), (one, one), EXTREME, ROWS, WARPS)
        add(f"reduce.arg{kind}", f"arg{kind}.{one.lower()}", along_rows(f"arg{kind}"), (one, "I32"), PLACE, ROWS, WARPS)
BLOCK = {"block": [32, 128, 1024]}
for one in SUMS:
    add("scatter.add", f"atomic_add.{one.lower()}", updates("add"), (one,), {"accumulate": one, **ADD}, {}, BLOCK)
for one in ("F32", "F64"):
    for kind in ("max", "min"):
        add(f"scatter.{kind}", f"atomic_{kind}.{one.lower()}", updates(kind), (one,), {"zero_sign": "ieee"}, {}, BLOCK)
for formats in CONVERSIONS:
    contract = {"overflow": "either", "determinism": "run_to_run"} if formats[1].startswith("F8") else {}
    add("convert", f"cast.{formats[0].lower()}_{formats[1].lower()}", cast, formats, contract, {}, BLOCK)
