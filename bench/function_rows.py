"""How bench/functions.py calls each function of a framework, and makes its tensors."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any
from collections.abc import Callable

import ml_dtypes
import numpy as np

#: Combinations of formats of the operations, as negzero.operations() has them.
GEMM = [["F16"] * 3, ["BF16"] * 3, ["F32"] * 3, ["F64"] * 3]
SAME = [["F16", "F16"], ["BF16", "BF16"], ["F32", "F32"], ["F64", "F64"]]
PLACES = [["F16", "I32"], ["BF16", "I32"], ["F32", "I32"], ["F64", "I32"]]
MAX_INDEX = [["F16", "F16", "I32"], ["BF16", "BF16", "I32"], ["F32", "F32", "I32"], ["F64", "F64", "I32"]]
ONE_FORMAT = [["F16"], ["BF16"], ["F32"], ["F64"]]
CONVERT = [["F64", "F32"], ["F32", "F16"], ["F32", "BF16"], ["F32", "F8_E4M3"], ["F32", "F8_E5M2"], ["F16", "F8_E4M3"],
           ["BF16", "F16"], ["F16", "F32"]]  # fmt: skip
EXTENTS = {"m": [0, 40], "n": [0, 40], "k": [0, 600], "rows": [0, 40], "columns": [1, 2000], "count": [0, 3000],
           "updates": [0, 2000], "destinations": [1, 300]}  # fmt: skip
#: Of scans, which have as many sums as elements.
SCAN = {"rows": [0, 8], "columns": [1, 500]}
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
                lambda t, s: ((first(t["a"]), first(t["b"]).T, first(t["c"])[:1].reshape(-1)), {}),
                {**ONE, "m": [1, 40]}),
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
            Row("torch.index_add", "scatter.add", ONE_FORMAT, updates(), {}),
            Row("torch.scatter_add", "scatter.add", ONE_FORMAT, updates(), {}),
            Row("torch.scatter_reduce", "scatter.max", ONE_FORMAT, updates("amax"), {}),
            Row("torch.scatter_reduce", "scatter.min", ONE_FORMAT, updates("amin"), {}),
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
        Row("jax.ops.segment_sum", "scatter.add", ONE_FORMAT, segments, {}),
        Row("jax.ops.segment_max", "scatter.max", ONE_FORMAT, segments, {}),
        Row("jax.ops.segment_min", "scatter.min", ONE_FORMAT, segments, {}),
        Row("jax.Array.astype", "convert", CONVERT, lambda t, s: ((t["x"], s["to"]), {}), {}),
    ]


def shape_of(extents: "dict[str, list[int]]", number: int) -> "dict[str, list[int]]":
    """One of a few shapes, where a framework compiles for each."""
    random = np.random.default_rng(number)
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
        array = np.array(array)  # a copy that may be written
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
