"""The examples find what their first lines say, and shrink it to what a person can read."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

from support import framework, has_gpu

EXAMPLES = pathlib.Path(__file__).resolve().parents[1] / "examples"


def counterexample(name: str) -> str:
    """Runs an example, and returns the counterexample that it ends with."""
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name)], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stderr[done.stderr.index("negzero.Counterexample: ") :]


def test_a_wrong_gemm_in_numpy():
    text = counterexample("numpy_gemm.py")
    assert "FAIL  tiled_gemm  wrong_value" in text
    assert "m 1, n 1, k 1 " in text
    assert "tiled_gemm(a=a, b=b, d=d)" in text


def test_a_sum_in_pytorch():
    framework("torch")
    text = counterexample("torch_sum.py")
    assert "FAIL  row_sum  wrong_value" in text
    assert "rows 1, columns 3 " in text
    assert "torch.tensor(" in text and "row_sum(x=x)" in text


def test_a_kernel_in_triton():
    if not has_gpu("torch"):
        pytest.skip("Triton's kernels need a GPU")
    pytest.importorskip("triton")
    text = counterexample("triton_sum.py")
    assert "FAIL  row_sum  wrong_special_value" in text
    assert "rows 1, columns 1 " in text
