"""Does this product round its factors to TF32? On a GPU of what PyTorch gives now, elsewhere of what was recorded."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import negzero
import numpy as np
import pytest

from gpus import on_gpu
from recordings import recorded

RECORDED = pathlib.Path(__file__).parent / "recorded"
needs_gpu = on_gpu()


def operands(name: str) -> "tuple[np.ndarray, np.ndarray]":
    """Returns "normal", 64 x 96 x 80 of N(0, 1), or "one_product": every sum has one, of 1 and what TF32 lacks."""
    if name == "normal":
        random = np.random.default_rng(1360)
        return random.standard_normal((64, 80), np.float32), random.standard_normal((80, 96), np.float32)
    a, b = np.zeros((64, 64), np.float32), np.zeros((64, 64), np.float32)
    a[:, 0], b[0, :] = 1 + 2.0**-12, 1
    return a, b


def product(name: str, tf32: bool) -> tuple:
    import torch

    torch.backends.cuda.matmul.allow_tf32 = tf32
    a, b = (torch.from_numpy(each).cuda() for each in operands(name))
    return a, b, torch.mm(a, b)


@needs_gpu
@pytest.mark.parametrize("name", ["normal", "one_product"])
def test_without_tf32_the_product_is_one_of_f32(name):
    a, b, d = product(name, tf32=False)
    negzero.assert_permitted(d, "gemm", a=a, b=b, contract="f32")
    negzero.assert_permitted(d, "torch.mm", a, b)


@needs_gpu
@pytest.mark.parametrize("name", ["normal", "one_product"])
def test_with_tf32_it_is_not(name):
    a, b, d = product(name, tf32=True)
    with pytest.raises(negzero.NotPermitted, match="tf32"):
        negzero.assert_permitted(d, "gemm", a=a, b=b, contract="f32")


@needs_gpu
@pytest.mark.parametrize("name", ["normal", "one_product"])
def test_the_switch_is_read(name):
    a, b, d = product(name, tf32=True)
    judgement = negzero.assert_permitted(d, "torch.mm", a, b)
    assert judgement.contract["multiplicand"] == "tf32_or_exact"
    assert "allow_tf32 True" in judgement.function


@needs_gpu
@pytest.mark.parametrize("override, permitted", [("0", True), ("1", False)])
def test_the_override_of_the_environment_wins(override, permitted):
    program = (
        "import test_tf32, negzero, sys; a, b, d = test_tf32.product('normal', tf32=True);"
        "sys.exit(0 if negzero.judge(d, 'gemm', a=a, b=b, contract='f32').permitted else 7)"
    )
    here = pathlib.Path(__file__).parent
    path = os.pathsep.join([str(here.parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "NVIDIA_TF32_OVERRIDE": override, "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", program], cwd=here, env=environment, timeout=300, check=False)
    assert done.returncode == (0 if permitted else 7)


def test_recorded_products_without_tf32_are_permitted():
    for case, outputs in recorded(RECORDED, "f32"):
        negzero.assert_permitted(outputs, case, contract="f32")


def test_recorded_products_with_tf32_are_refused_by_name():
    for case, outputs in recorded(RECORDED, "tf32"):
        with pytest.raises(negzero.NotPermitted, match="tf32"):
            negzero.assert_permitted(outputs, case, contract="f32", elements="all", save_to=None)
        negzero.assert_permitted(outputs, case, contract={"multiplicand": "tf32_or_exact", "tensor_core": "may"})
