"""Tensors of PyTorch, where it is installed; else of a model of it with the words that are used here."""

from __future__ import annotations

import importlib.util
import sys
import types
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support import gemm, spoiled

import negzero


HAS_TORCH = importlib.util.find_spec("torch") is not None


class ModelTensor:
    """A tensor as PyTorch has it: its own dtypes, and no array of those that NumPy lacks."""

    def __init__(self, array: np.ndarray, dtype: str, on_host: bool = False, needs_grad: bool = True) -> None:
        self.array, self.dtype, self.on_host, self.needs_grad = array, f"torch.{dtype}", on_host, needs_grad

    def detach(self) -> ModelTensor:
        return ModelTensor(self.array, self.dtype[6:], self.on_host, False)

    def cpu(self) -> ModelTensor:
        return ModelTensor(self.array, self.dtype[6:], True, self.needs_grad)

    def resolve_neg(self) -> ModelTensor:
        return self

    def view(self, dtype: str) -> ModelTensor:
        return ModelTensor(self.array.view(dtype), dtype, self.on_host, self.needs_grad)

    def numpy(self) -> np.ndarray:
        if self.needs_grad or not self.on_host:
            raise TypeError("call .detach().cpu() first")
        if self.dtype in ("torch.bfloat16", "torch.float8_e4m3fn", "torch.float8_e5m2", "torch.float8_e4m3fnuz"):
            raise TypeError(f"Got unsupported ScalarType {self.dtype}")
        return self.array

    __array__ = numpy


def tensor(array: np.ndarray) -> Any:
    """The same elements as a tensor."""
    if not HAS_TORCH:
        return ModelTensor(array, array.dtype.name)
    torch = importlib.import_module("torch")
    if array.dtype.kind == "V":  # ml_dtypes'
        integers = {1: np.uint8, 2: np.int16}[array.dtype.itemsize]
        return torch.from_numpy(array.view(integers)).view(getattr(torch, array.dtype.name))
    made = torch.from_numpy(array)
    return made.requires_grad_() if made.dtype.is_floating_point else made


@pytest.fixture(autouse=True)
def _torch(monkeypatch: pytest.MonkeyPatch) -> None:
    if not HAS_TORCH:
        model = types.ModuleType("torch")
        vars(model).update(Tensor=ModelTensor, int16="int16", uint8="uint8")
        monkeypatch.setitem(sys.modules, "torch", model)


@pytest.mark.parametrize(
    "dtype", [np.float64, np.float32, np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2]
)
def test_tensors_of_every_dtype_are_judged(dtype: Any) -> None:
    torch = importlib.import_module("torch")
    if np.dtype(dtype).itemsize == 1 and HAS_TORCH and not hasattr(torch, "float8_e5m2"):
        pytest.skip("this PyTorch has no FP8")
    a, b, d = gemm(dtype=dtype)
    assert negzero.judge(tensor(d), "gemm", a=tensor(a), b=tensor(b)).permitted
    judgement = negzero.judge(tensor(spoiled(d, (1, 1))), "gemm", a=tensor(a), b=tensor(b))
    assert [element.index for element in judgement.worst] == [(1, 1)]


def test_tensors_that_are_no_array_name_the_argument() -> None:
    a, b, d = gemm()
    broken = ModelTensor(a, "float8_e4m3fnuz")
    if HAS_TORCH:
        pytest.skip("of the model")
    with pytest.raises(TypeError, match="a: this ModelTensor cannot be made an array .*; give"):
        negzero.judge(d, "gemm", a=broken, b=b)
