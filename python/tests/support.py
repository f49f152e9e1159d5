"""Operands whose results are exact, so that right and wrong are known without negzero."""

from __future__ import annotations

import importlib
import os
import pathlib
import subprocess
import sys
from typing import Any

import ml_dtypes
import numpy as np
import negzero
import pytest

FLOATS = {
    "F64": np.float64,
    "F32": np.float32,
    "F16": np.float16,
    "BF16": ml_dtypes.bfloat16,
    "F8_E4M3": ml_dtypes.float8_e4m3fn,
    "F8_E5M2": ml_dtypes.float8_e5m2,
}


def small(shape: Any, dtype: Any = np.float16, seed: int = 0, least: int = -2, most: int = 2) -> np.ndarray:
    """Small whole numbers: sums of a few of their products are exact in every format here."""
    return np.random.default_rng(seed).integers(least, most + 1, shape).astype(dtype)


def gemm(m: int = 3, n: int = 2, k: int = 4, dtype: Any = np.float16, out: Any = np.float32) -> "tuple[Any, Any, Any]":
    """Returns a, b and the right d."""
    a, b = small((m, k), dtype, 1), small((k, n), dtype, 2)
    return a, b, (a.astype(np.float64) @ b.astype(np.float64)).astype(out)


def spoiled(array: np.ndarray, index: Any) -> np.ndarray:
    """A copy with one element far from what is right."""
    copy = np.array(array)
    copy[index] = copy[index].astype(np.float64) + 17
    return copy


#: What the tests of frameworks run with: NumPy, and those of the others that are installed.
FRAMEWORKS = ("numpy", "jax", "torch", "cupy")
_REQUIRED = [name for name in os.environ.get("NEGZERO_REQUIRE_FRAMEWORKS", "").split(",") if name]


def framework(name: str) -> Any:
    """Returns a framework's module. Skips the test where it is missing; fails it where the environment requires it.

    NEGZERO_REQUIRE_FRAMEWORKS has names of FRAMEWORKS with commas between them.
    """
    unknown = set(_REQUIRED) - set(FRAMEWORKS)
    assert not unknown, f"NEGZERO_REQUIRE_FRAMEWORKS has {unknown}; give some of {FRAMEWORKS}"
    try:
        module = importlib.import_module(name)
        if name == "cupy":
            module.cuda.runtime.getDeviceCount()
    except Exception as error:  # a driver that is missing raises an error of CuPy's own
        if name in _REQUIRED:
            pytest.fail(f"NEGZERO_REQUIRE_FRAMEWORKS has {name}, which cannot be used: {error}")
        pytest.skip(f"{name} is not installed or has no device: {error}")
    if name == "jax":
        module.config.update("jax_enable_x64", True)  # for float64 and int64; tests without it turn it off
    return module


def has_gpu(name: str) -> bool:
    """Says whether arrays of a framework that is installed lie on a GPU."""
    module = framework(name)
    if name == "torch":
        return bool(module.cuda.is_available())
    return name == "cupy" or name == "jax" and module.default_backend() != "cpu"


def put(name: str, array: np.ndarray) -> Any:
    """Returns the same bits as an array of a framework, on its GPU where it has one."""
    module = framework(name)
    if name == "numpy":
        return array
    if name == "jax":
        return module.device_put(array)
    if name == "torch":
        dtype = getattr(module, array.dtype.name)
        integers = {1: np.uint8, 2: np.int16, 4: np.int32, 8: np.int64}[array.dtype.itemsize]
        tensor = module.from_numpy(np.array(array).view(integers)).view(dtype)
        return tensor.to("cuda" if module.cuda.is_available() else "cpu")
    try:
        return module.asarray(array)
    except (TypeError, ValueError) as error:  # CuPy has bfloat16 since 14, and no FP8
        pytest.skip(f"this CuPy has no {array.dtype.name}: {error}")


#: Calls in which any argument may be hostile: right ones, of which one argument is replaced.
_A, _B, _D = gemm()
_X, _INDEX = small(4, np.float32), np.array([0, 1, 1, 0], np.int64)
_CALLS: "dict[str, tuple[str, dict[str, Any]]]" = {
    **dict.fromkeys(("observed", "a", "b", "c"), ("gemm", {"observed": _D, "a": _A, "b": _B})),
    **dict.fromkeys(("x", "index", "init"), ("scatter.add", {"observed": _X, "x": _X, "index": _INDEX, "init": _X})),
}


def refused(kind: "type[Exception]", argument: str, hostile: Any, *says: str) -> str:
    """Judges with one hostile argument: the error is of exactly that class, names it, and says the words and a cure."""
    operation, operands = _CALLS[argument]
    operands = {**operands, argument: hostile}
    with pytest.raises((TypeError, ValueError)) as caught:
        negzero.judge(operands.pop("observed"), operation, **operands)
    text = str(caught.value)
    assert type(caught.value) is kind, repr(caught.value)
    # A shape that does not fit may be named by the operand that it does not fit to.
    assert text.startswith(argument) if kind is TypeError else argument in text, text
    assert "; " in text and len(text.rsplit("; ", 1)[1]) > 8, f"no cure: {text}"
    assert len(text) < 700 and "\n" not in text, text
    for words in says:
        assert words in text, text
    return text


def run_pytest(folder: pathlib.Path, *options: str, timeout: float = 240) -> "subprocess.CompletedProcess[str]":
    """Runs pytest with the plugin on a folder, as a user would."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "negzero_pytest", *options]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, timeout=timeout, cwd=folder
    )
