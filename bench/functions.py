"""Judges functions of PyTorch, JAX, CuPy and NumPy by what their documentation promises, on adversarial cases.

    python bench/functions.py torch --device cuda --cases 10000 --jobs 12 --save refused

needs the package negzero and the framework. For each function and combination of formats it prints how many cases and
elements were judged, and how many were refused, undecided or vacuous; each refused case is saved with what was observed.
Exits with 1 where an element is refused, and with 4 where nothing was decided.
"""

from __future__ import annotations

import argparse
import collections
import importlib
import json
import multiprocessing
import os
import re
import sys
import time
from dataclasses import dataclass
from typing import Any
from collections.abc import Callable

import ml_dtypes
import numpy as np

#: Combinations of formats of the operations, as negzero.operations() has them.
GEMM = [["F16"] * 3, ["BF16"] * 3, ["F32"] * 3, ["F64"] * 3]
SAME = [["F16", "F16"], ["BF16", "BF16"], ["F32", "F32"], ["F64", "F64"]]
PLACES = [["F16"], ["BF16"], ["F32"], ["F64"]]
MAX_INDEX = [["F16", "F16"], ["BF16", "BF16"], ["F32", "F32"], ["F64", "F64"]]
CONVERT = [["F64", "F32"], ["F32", "F16"], ["F32", "BF16"], ["F32", "F8_E4M3"], ["F32", "F8_E5M2"], ["F16", "F8_E4M3"],
           ["BF16", "F16"], ["F16", "F32"]]  # fmt: skip
EXTENTS = {"m": [0, 40], "n": [0, 40], "k": [0, 600], "rows": [0, 40], "columns": [1, 2000], "count": [0, 3000],
           "updates": [0, 2000], "destinations": [1, 300]}  # fmt: skip
#: JAX compiles for each shape: cases come in so many of them.
SHAPES = 12


@dataclass(frozen=True)
class Row:
    """How a function is called on the operands of a case."""

    name: str
    operation: str
    formats: "list[list[str]]"
    arguments: "Callable[[dict[str, Any], dict[str, Any]], tuple[tuple, dict]]"  # of tensors and scalars by name
    extents: "dict[str, list[int]]"
    switches: "tuple[str, ...]" = ()  # "torch.backends....allow_tf32=True"


def first(tensor: Any) -> Any:
    return tensor[0]


def pair(t: dict, s: dict) -> tuple:
    return (first(t["a"]), first(t["b"])), {}


def batch(t: dict, s: dict) -> tuple:
    return (t["a"], t["b"]), {}


def scaled(t: dict, s: dict) -> tuple:
    return (first(t["c"]), first(t["a"]), first(t["b"])), {"alpha": s["alpha"], "beta": s["beta"]}


def scaled_batch(t: dict, s: dict) -> tuple:
    return (t["c"], t["a"], t["b"]), {"alpha": s["alpha"], "beta": s["beta"]}


def last_axis(word: str) -> Callable:
    return lambda t, s: ((t["x"],), {word: 1})


def first_axis(word: str) -> Callable:
    return lambda t, s: ((t["x"].T,), {word: 0})


def updates(word: "str | None" = None) -> Callable:
    return lambda t, s: ((t["init"], 0, t["index"], t["x"], *([word] if word else [])), {})


ONE = {"batch": [1, 1]}
FEW = {"batch": [0, 5]}


def rows_of(framework: str) -> "list[Row]":
    """The functions of a framework with how each is called."""
    if framework == "torch":
        matmul = "torch.backends.cuda.matmul."
        tf32, in_f16 = (f"{matmul}allow_tf32=True",), (f"{matmul}allow_fp16_accumulation=True",)
        exact = tuple(f"{matmul}allow_{each}_reduced_precision_reduction=False" for each in ("fp16", "bf16"))
        dim, narrow = "dim", [["F16"] * 3, ["BF16"] * 3]
        return [
            Row("torch.mm", "gemm", GEMM, pair, ONE),
            Row("torch.mm", "gemm", narrow, pair, ONE, exact),
            Row("torch.mm", "gemm", [["F32"] * 3], pair, ONE, tf32),
            Row("torch.mm", "gemm", [["F16"] * 3], pair, ONE, in_f16),
            Row("torch.matmul", "gemm", GEMM, batch, FEW),
            Row("torch.bmm", "gemm", GEMM, batch, FEW),
            Row("torch.addmm", "gemm", GEMM, scaled, ONE),
            Row("torch.addmm", "gemm", [["F32"] * 3], scaled, ONE, tf32),
            Row("torch.baddbmm", "gemm", GEMM, scaled_batch, FEW),
            Row("torch.nn.functional.linear", "gemm", GEMM,
                lambda t, s: ((first(t["a"]), first(t["b"]).T, first(t["c"])[:1].reshape(-1)), {}), {**ONE, "m": [1, 40]}),
            Row("torch.sum", "reduce.sum", SAME, last_axis(dim), {}),
            Row("torch.sum", "reduce.sum", SAME, first_axis(dim), {}),
            Row("torch.mean", "reduce.mean", SAME, last_axis(dim), {}),
            Row("torch.amax", "reduce.max", SAME, last_axis(dim), {}),
            Row("torch.amin", "reduce.min", SAME, last_axis(dim), {}),
            Row("torch.max", "reduce.max_index", MAX_INDEX, last_axis(dim), {}),
            Row("torch.argmax", "reduce.argmax", PLACES, last_axis(dim), {}),
            Row("torch.argmin", "reduce.argmin", PLACES, last_axis(dim), {}),
            Row("torch.cumsum", "scan.inclusive", SAME, last_axis(dim), {}),
            Row("torch.cumsum", "scan.inclusive", SAME, first_axis(dim), {}),
            Row("torch.index_add", "scatter.add", PLACES, updates(), {}),
            Row("torch.scatter_add", "scatter.add", PLACES, updates(), {}),
            Row("torch.scatter_reduce", "scatter.max", PLACES, updates("amax"), {}),
            Row("torch.scatter_reduce", "scatter.min", PLACES, updates("amin"), {}),
            Row("torch.Tensor.to", "convert", CONVERT, lambda t, s: ((t["x"], s["to"]), {}), {}),
        ]  # fmt: skip
    module = {"jax": "jax.numpy", "numpy": "numpy", "cupy": "cupy"}[framework]
    common = [
        Row(f"{module}.matmul", "gemm", GEMM, batch, FEW),
        Row(f"{module}.dot", "gemm", GEMM, pair, ONE),
        Row(f"{module}.sum", "reduce.sum", SAME, last_axis("axis"), {}),
        Row(f"{module}.sum", "reduce.sum", SAME, first_axis("axis"), {}),
        Row(f"{module}.mean", "reduce.mean", SAME, last_axis("axis"), {}),
        Row(f"{module}.max", "reduce.max", SAME, last_axis("axis"), {}),
        Row(f"{module}.min", "reduce.min", SAME, last_axis("axis"), {}),
        Row(f"{module}.argmax", "reduce.argmax", PLACES, last_axis("axis"), {}),
        Row(f"{module}.argmin", "reduce.argmin", PLACES, last_axis("axis"), {}),
        Row(f"{module}.cumsum", "scan.inclusive", SAME, last_axis("axis"), {}),
        Row(f"{module}.cumsum", "scan.inclusive", SAME, first_axis("axis"), {}),
    ]
    if framework != "jax":
        return [*common, Row(f"{module}.ndarray.astype", "convert", CONVERT, lambda t, s: ((t["x"], s["to"]), {}), {})]

    def segments(t: dict, s: dict) -> tuple:
        return (t["x"], t["index"], int(t["init"].shape[0])), {}

    highest = ('jax.config.jax_default_matmul_precision="highest"',)
    return [
        *common,
        Row("jax.numpy.dot", "gemm", [["F32"] * 3], pair, ONE, highest),
        Row("jax.ops.segment_sum", "scatter.add", PLACES, segments, {}),
        Row("jax.ops.segment_max", "scatter.max", PLACES, segments, {}),
        Row("jax.ops.segment_min", "scatter.min", PLACES, segments, {}),
        Row("jax.Array.astype", "convert", CONVERT, lambda t, s: ((t["x"], s["to"]), {}), {}),
    ]


def shape_of(row: Row, number: int) -> "dict[str, list[int]]":
    """One of a few shapes, where a framework compiles for each."""
    random = np.random.default_rng(number)
    extents = {**EXTENTS, **row.extents}
    most = {name: int(least + (most - least) * random.random() ** 3) for name, (least, most) in extents.items()}
    return {name: [max(1, size), max(1, size)] for name, size in most.items()}


class Frameworks:
    """Makes tensors of a framework on a device, and calls its functions."""

    def __init__(self, framework: str, device: str) -> None:
        self.framework, self.device = framework, device
        self.module = importlib.import_module(framework)
        if framework == "jax":
            self.module.config.update("jax_enable_x64", True)
        if framework == "cupy" and device == "cpu":
            raise SystemExit("cupy has no tensors on the host; give --device cuda")

    def tensor(self, array: np.ndarray) -> Any:
        array = np.ascontiguousarray(array)
        if self.framework == "numpy":
            return array
        if self.framework == "jax":
            return self.module.device_put(array, self.module.devices("gpu" if self.device == "cuda" else "cpu")[0])
        if self.framework == "cupy":
            return self.module.asarray(array)
        dtype = str(array.dtype)
        if dtype in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
            made = self.module.from_numpy(array.view(f"i{array.dtype.itemsize}")).view(getattr(self.module, dtype))
        else:
            made = self.module.from_numpy(array)
        if array.dtype == np.int32:
            made = made.long()
        return made.to(self.device)

    def dtype(self, name: str) -> Any:
        numpy = {"F64": np.float64, "F32": np.float32, "F16": np.float16, "BF16": ml_dtypes.bfloat16,
                 "F8_E4M3": ml_dtypes.float8_e4m3fn, "F8_E5M2": ml_dtypes.float8_e5m2}[name]  # fmt: skip
        return getattr(self.module, np.dtype(numpy).name) if self.framework == "torch" else np.dtype(numpy)

    def function(self, name: str) -> Callable:
        if name == "jax.Array.astype":
            return lambda x, dtype: x.astype(dtype)
        found: Any = importlib.import_module(name.partition(".")[0])
        for part in name.split(".")[1:]:
            found = getattr(found, part)
        return found

    def takes(self, formats: "list[str]") -> bool:
        """CuPy and NumPy do not compute with formats of their own that they lack."""
        lacking = {"cupy": ("BF16", "F8_E4M3", "F8_E5M2"), "numpy": ()}
        return not set(formats) & set(lacking.get(self.framework, ()))


def set_switch(switch: str) -> None:
    path, _, value = switch.partition("=")
    *parts, last = path.split(".")
    target: Any = importlib.import_module(parts[0])
    for part in parts[1:]:
        target = getattr(target, part)
    if path.startswith("jax.config"):
        target.update(last, json.loads(value))
    else:
        setattr(target, last, value == "True")


def run(job: "tuple[str, str, Row, list[str], int, int, int, int, str]") -> "dict[str, Any]":
    """Judges every `jobs`th case of one row and combination of formats, for as long as `seconds` allow."""
    framework, device, row, formats, cases, start, jobs, seconds, save = job
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import negzero
    from negzero import _library, _safetensors

    tools = Frameworks(framework, device)
    if not tools.takes(formats):
        return {}
    before = []
    for switch in row.switches:
        set_switch(switch)
    function, counts = tools.function(row.name), collections.Counter()
    refused: "list[str]" = []
    end = time.monotonic() + seconds
    for index in range(start, cases, jobs):
        if time.monotonic() > end:
            break
        extents = {**EXTENTS, **row.extents}
        if framework == "jax":
            extents = shape_of(row, index // jobs * SHAPES // max(1, cases // jobs))
        signature = next(each for each in _library.listing()["operations"] if each["name"] == row.operation)
        options = {"operation": row.operation, "formats": [formats], "packed": True, "seed": 7, "index": index,
                   "extents": {name: extents[name] for name in signature["extents"] if name in extents}}  # fmt: skip
        tensors, metadata = _safetensors.read(_library.draw(options), "a case")
        scalars = {}
        for name, value in json.loads(metadata.get("scalars", "{}")).items():
            dtype = np.dtype({"F32": np.float32, "F64": np.float64}[value["format"]])
            scalars[name] = float(np.frombuffer(int(value["bits"], 16).to_bytes(dtype.itemsize, "little"), dtype)[0])
        scalars["to"] = tools.dtype(formats[-1])
        # An input that the operation does not read for these scalars is not in the file: anything may stand there.
        if row.operation == "gemm" and "c" not in tensors:
            m, n = tensors["a"].shape[1], tensors["b"].shape[2]
            tensors["c"] = np.ones((tensors["a"].shape[0], m, n), tensors["a"].dtype)
        arguments, keywords = row.arguments({name: tools.tensor(array) for name, array in tensors.items()}, scalars)
        try:
            observed = function(*arguments, **keywords)
        except Exception as error:  # what a framework refuses is no result
            counts["raised"] += 1
            before.append(f"{type(error).__name__}: {error}"[:200])
            continue
        judgement = negzero.judge(observed, row.name, *arguments, elements="all", threads=1, **keywords)
        counts[judgement.verdict] += 1
        counts["elements"] += judgement.judged
        counts["failing"] += judgement.failing
        if judgement.verdict == "fail":
            refused.append(judgement.text)
            if save:
                os.makedirs(save, exist_ok=True)
                path = os.path.join(save, f"{row.name}.{'_'.join(formats)}.{index}")
                judgement.case.save(f"{path}.safetensors")
                with open(f"{path}.observed.safetensors", "wb") as file:
                    file.write(judgement.recorded)
                with open(f"{path}.txt", "w", encoding="utf-8") as file:
                    file.write(judgement.text)
    return {"counts": dict(counts), "refused": refused[:3], "raised": before[:2]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("framework", choices=("torch", "jax", "cupy", "numpy"))
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--cases", type=int, default=10_000, help="of each function and combination of formats")
    parser.add_argument("--seconds", type=int, default=60, help="of each, at most")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", default="", help="a regular expression of names")
    parser.add_argument("--save", default="", metavar="FOLDER", help="where refused cases are saved")
    flags = parser.parse_args()
    refused = decided = 0
    with multiprocessing.get_context("spawn").Pool(flags.jobs, maxtasksperchild=None) as pool:
        for row in rows_of(flags.framework):
            if not re.search(flags.only, row.name):
                continue
            for formats in row.formats:
                started = time.monotonic()
                jobs = [(flags.framework, flags.device, row, formats, flags.cases, start, flags.jobs, flags.seconds,
                         flags.save) for start in range(flags.jobs)]  # fmt: skip
                parts = [part for part in pool.map(run, jobs, chunksize=1) if part]
                total: collections.Counter = collections.Counter()
                for part in parts:
                    total.update(part["counts"])
                if not parts:
                    continue
                refused += total["fail"]
                decided += total["pass"]
                switches = " ".join(row.switches)
                print(
                    f"{row.name:28} {' x '.join(formats):22} {total['pass'] + total['fail']:7} cases "
                    f"{total['elements']:10} elements {total['fail']:6} refused ({total['failing']} elements) "
                    f"{total['vacuous']:6} vacuous {total['undecided']:6} undecided {total['raised']:4} raised "
                    f"{time.monotonic() - started:5.1f} s {switches}",
                    flush=True,
                )
                for part in parts:
                    for text in (*part["refused"][:1], *part["raised"][:1]):
                        print("    " + text.replace("\n", "\n    "), flush=True)
                        break
                    else:
                        continue
                    break
    return 1 if refused else 0 if decided else 4


if __name__ == "__main__":
    sys.exit(main())
