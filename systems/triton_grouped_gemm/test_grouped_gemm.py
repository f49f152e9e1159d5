"""Is the grouped GEMM right? Its users' test: on a GPU of what the kernel gives now, elsewhere of what was recorded."""

from __future__ import annotations

import pathlib

import negzero
import pytest

from cases import CONTRACT, SIZES, VARIANTS, groups
from gpus import on_gpu
from recordings import recorded

RECORDED = pathlib.Path(__file__).parent / "recorded"
needs_gpu = on_gpu("triton")


def products(size: str, variant: str) -> list:
    """Returns A, B and what the kernel gives, of each group."""
    import torch
    from grouped_gemm import grouped_gemm

    a, b = zip(*([torch.from_numpy(each).cuda() for each in pair] for pair in groups(size).values()))
    return list(zip(a, b, grouped_gemm(a, b, **VARIANTS[variant])))


@needs_gpu
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("variant", ["f32", "descending"])
def test_every_order_of_k_is_permitted(variant, size):
    for a, b, d in products(size, variant):
        negzero.assert_permitted(d, "gemm", a=a, b=b, contract=CONTRACT)


@needs_gpu
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
