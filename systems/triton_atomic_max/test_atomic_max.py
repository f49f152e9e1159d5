"""Does an atomic max or min of floats know the sign of zero? On a GPU Triton's now, elsewhere what was recorded."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import negzero
import numpy as np
import pytest

from atomics import atomic_max, atomic_min, extreme_by_value, max_by_value
from gpus import on_gpu
from grid import pairs
from recordings import recorded

RECORDED = pathlib.Path(__file__).parent / "recorded"
ROOT = pathlib.Path(__file__).resolve().parents[2]
#: One of the elements is the result, by IEEE 754's order of zeros. What becomes of a NaN, Triton does not document.
CONTRACT = {"zero_sign": "ieee"}
FORMATS = ("F32",)
PACKED = {"inputs": "packed", "output": "packed"}
needs_gpu = on_gpu("triton")


def on_device(kernel, nans: bool) -> "tuple[np.ndarray, ...]":
    """Returns x, index, init and what the kernel made of them."""
    import torch

    x, index, init = pairs(nans)
    out = torch.from_numpy(init.copy()).cuda()
    kernel(torch.from_numpy(x).cuda(), torch.from_numpy(index).cuda(), out)
    return x, index, init, out.cpu().numpy()


@needs_gpu
@pytest.mark.parametrize("kernel, operation", [(atomic_max, "scatter.max"), (atomic_min, "scatter.min")])
def test_triton_orders_every_pair_of_numbers(kernel, operation):
    x, index, init, out = on_device(kernel, nans=False)
    negzero.assert_permitted(out, operation, x=x, index=index, init=init, contract=CONTRACT, elements="all")


@needs_gpu
@pytest.mark.parametrize("kernel, operation", [(atomic_max, "scatter.max"), (atomic_min, "scatter.min")])
def test_triton_on_adversarial_cases(kernel, operation):
    negzero.check(kernel, operation, formats=FORMATS, arrays="torch", device="cuda", contract=CONTRACT, limits=PACKED,
                  finite=True)  # fmt: skip


@needs_gpu
def test_the_algorithm_before_fails_on_a_gpu_with_one_update():
    with pytest.raises(negzero.Counterexample) as caught:
        negzero.check(max_by_value, "scatter.max", formats=FORMATS, arrays="torch", device="cuda", contract=CONTRACT,
                      limits=PACKED, finite=True)  # fmt: skip
    assert_one_update_of_minus_zero(caught.value)


def test_the_algorithm_before_fails_with_one_index_and_one_minus_zero():
    for seed in range(1, 11):
        with pytest.raises(negzero.Counterexample) as caught:
            negzero.check(extreme_by_value, "scatter.max", formats=FORMATS, contract=CONTRACT, limits=PACKED,
                          finite=True, seed=seed)  # fmt: skip
        assert_one_update_of_minus_zero(caught.value)


def assert_one_update_of_minus_zero(example: negzero.Counterexample) -> None:
    assert example.report["class"] in ("wrong_value", "wrong_special_value", "wrong_zero_sign")
    assert "updates 1, destinations 1 " in str(example)
    assert "x F32[1]\n               -0 (0x80000000)\n" in str(example)


def test_the_algorithm_before_on_every_pair():
    x, index, init = pairs(nans=False)
    for operation, least in (("scatter.max", False), ("scatter.min", True)):
        out = init.copy()
        extreme_by_value(x, index, out, least=least)
        judgement = negzero.judge(
            out, operation, x=x, index=index, init=init, contract=CONTRACT, elements="all", worst=300
        )
        assert not judgement.permitted
        wrong = [element.index[0] for element in judgement.worst]
        assert {x[place].view(np.uint32) for place in wrong} == {np.uint32(0x80000000)}


@pytest.mark.parametrize("name", ["max", "min"])
def test_recorded_pairs_of_numbers_are_ordered(name):
    for case, outputs in recorded(RECORDED, f"triton_{name}"):
        negzero.assert_permitted(outputs, case, elements="all")


def test_recorded_pairs_of_the_algorithm_before_are_refused():
    for case, outputs in recorded(RECORDED, "by_value"):
        with pytest.raises(negzero.NotPermitted, match="-0"):
            negzero.assert_permitted(outputs, case, elements="all", save_to=None)


@pytest.mark.skipif(not os.environ.get("NEGZERO_PROGRAM"), reason="NEGZERO_PROGRAM does not name the program")
def test_the_corpus_has_the_case_and_says_what_it_needs():
    case = ROOT / "corpus" / "regressions" / "triton_atomic_max_by_value.safetensors"
    kernels = RECORDED.parent / "kernels.py"
    for words, status, told in (
        ([], 4, "skip  CASE  NAME: no kernel of that name here; needs --kernels systems/"),
        (["--kernels", kernels], 0, "ok    CASE  NAME: fail (wrong_value, select.value)"),
    ):
        done = subprocess.run(
            [os.environ["NEGZERO_PROGRAM"], "replay", case, *words, "--executor", "host"], capture_output=True,
            text=True, timeout=100, env={**os.environ, "NEGZERO_PYTHON": sys.executable},
        )  # fmt: skip
        told = told.replace("CASE", str(case)).replace("NAME", "triton_atomic_max.by_value_in_numpy")
        assert (done.returncode, told in done.stdout) == (status, True), done
