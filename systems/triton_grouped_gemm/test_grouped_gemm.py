"""Is the grouped GEMM right? Its users' test: on a GPU of what the kernel gives now, elsewhere of what was recorded."""

from __future__ import annotations

import importlib.util
import os
import pathlib

import negzero
import pytest

from cases import CONTRACT, SIZES, VARIANTS, groups
from recordings import recorded

RECORDED = pathlib.Path(__file__).parent / "recorded"


def has_gpu() -> bool:
    if not all(importlib.util.find_spec(name) for name in ("torch", "triton")):
        return False
    import torch

    return bool(torch.cuda.is_available())


HAS_GPU = has_gpu()
assert HAS_GPU or not os.environ.get("NEGZERO_REQUIRE_GPU"), "NEGZERO_REQUIRE_GPU is set, and there is no GPU"
on_gpu = pytest.mark.skipif(not HAS_GPU, reason="needs a GPU, PyTorch and Triton")


def products(size: str, variant: str) -> list:
    """Returns A, B and what the kernel gives, of each group."""
    import torch
    from grouped_gemm import grouped_gemm

    a, b = zip(*([torch.from_numpy(each).cuda() for each in pair] for pair in groups(size).values()))
    return list(zip(a, b, grouped_gemm(a, b, **VARIANTS[variant])))


@on_gpu
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("variant", ["f32", "descending"])
def test_every_order_of_k_is_permitted(variant, size):
    for a, b, d in products(size, variant):
        negzero.assert_permitted(d, "gemm", a=a, b=b, contract=CONTRACT)


@on_gpu
@pytest.mark.parametrize("size", SIZES)
def test_an_f16_accumulator_is_refused(size):
    for a, b, d in products(size, "f16"):
        with pytest.raises(negzero.NotPermitted):
            negzero.assert_permitted(d, "gemm", a=a, b=b, contract=CONTRACT)


@pytest.mark.parametrize("variant", ["f32", "descending"])
def test_recorded_results_are_permitted(variant):
    for case, outputs in recorded(RECORDED, variant):
        negzero.assert_permitted(outputs, case)


def test_recorded_results_of_an_f16_accumulator_are_refused():
    for case, outputs in recorded(RECORDED, "f16"):
        with pytest.raises(negzero.NotPermitted):
            negzero.assert_permitted(outputs, case, save_to=None)
