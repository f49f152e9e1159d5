"""Right functions pass within declared values, and each fault fails: of NumPy, of PyTorch where it is, and as CUDA."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess

import negzero
import numpy as np
import pytest

try:
    import torch
except ImportError:
    torch = None

HERE = pathlib.Path(__file__).parent
WITHIN = (-1e4, 1e4)
U = 2.0**-24


class Norms:
    """Normalizations of rows, with their lines, values and references."""

    layer_line = "layernorm: y[rows, n] <- x[rows, n], w[n], b[n] each rows"
    rms_line = "rmsnorm: y[rows, n] <- x[rows, n], w[n] each rows"
    limits = {"n": (1, 64), "rows": (1, 8)}

    @staticmethod
    def layer_right(x, w, b):
        n = x.shape[1]
        mean = x.mean(1, keepdims=True)
        off = (n + 4) * (np.abs(x).mean(1, keepdims=True) + np.abs(x).max(1, keepdims=True))
        variance = ((x - mean) ** 2).mean(1, keepdims=True) + 1e-5
        normal = (x - mean) / np.sqrt(variance)
        bent = (2 * off * np.sqrt(variance) + off * off * U) / variance
        scale = np.abs(w) * (off / np.sqrt(variance) + np.abs(normal) * (bent + n + 12))
        scale = np.where(bent * U > 0.25, np.inf, scale + np.abs(normal * w) + 2 * np.abs(b))
        return normal * w + b, scale

    @staticmethod
    def rms_right(x, w):
        y = x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-5) * w
        return y, np.abs(y) * (x.shape[1] + 8)


def layernorm(x, w, b):
    mean = x.mean(1, keepdims=True)
    variance = ((x - mean) ** 2).mean(1, keepdims=True)
    return ((x - mean) / np.sqrt(variance + np.float32(1e-5)) * w + b).astype(np.float32)


def layernorm_of_a_sample(x, w, b):
    """Divides by n - 1."""
    mean = x.mean(1, keepdims=True)
    variance = ((x - mean) ** 2).sum(1, keepdims=True) / np.float32(max(1, x.shape[1] - 1))
    return ((x - mean) / np.sqrt(variance + np.float32(1e-5)) * w + b).astype(np.float32)


def rmsnorm(x, w):
    wide = x.astype(np.float32)
    return (wide / np.sqrt((wide * wide).mean(1, keepdims=True) + np.float32(1e-5)) * w.astype(np.float32)).astype(x.dtype)


def rmsnorm_outside(x, w):
    wide = x.astype(np.float32)
    root = np.sqrt((wide * wide).mean(1, keepdims=True)) + np.float32(1e-5)
    return (wide / root * w.astype(np.float32)).astype(x.dtype)


EXPERTS = "experts: y[tokens, n] <- x[tokens, k], w[e, k, n], expert[tokens] < e"


def experts(x, w, expert):
    return np.einsum("tk,tkn->tn", x, w[expert]).astype(np.float32)


def experts_short(x, w, expert):
    even = x.shape[1] if x.shape[1] == 1 else x.shape[1] // 2 * 2
    return experts(x[:, :even], w[:, :even], expert)


def experts_right(x, w, expert):
    terms = x[:, :, None] * w[expert]
    return terms.sum(1), np.abs(terms).sum(1) * (x.shape[1] + 1)


ROTARY = "rotary: y[rows, two, half] <- x[rows, two, half], c[rows, half], s[rows, half] each rows"


def rotary(x, c, s):
    a, b = x[:, 0], x[:, 1]
    return np.stack([a * c - b * s, b * c + a * s], 1)


def rotary_backwards(x, c, s):
    return rotary(x, c, np.where(np.arange(c.shape[1]) % 2 == 1, -s, s).astype(np.float32))


def rotary_right(x, c, s):
    signed = c, s
    a, b, c, s = *np.abs(x.transpose(1, 0, 2)), np.abs(c), np.abs(s)
    return rotary(x, *signed), np.stack([a * c + b * s, b * c + a * s], 1)


SPMV = "spmv: y[rows] <- v[entries], column[entries] < columns, ends[rows] <= entries ascending, x[columns]"


def spmv(v, column, ends, x):
    starts = np.concatenate([[0], ends[:-1]]).astype(np.int64)
    return np.array([(v[i:j] * x[column[i:j]]).sum() for i, j in zip(starts, ends)], v.dtype)


def spmv_without_last(v, column, ends, x):
    starts = np.concatenate([[0], ends[:-1]]).astype(np.int64)
    stops = np.maximum(np.minimum(starts + 1, ends), ends - 1)
    return np.array([(v[i:j] * x[column[i:j]]).sum() for i, j in zip(starts, stops)], v.dtype)


def spmv_right(v, column, ends, x):
    counts = np.diff(np.concatenate([[0], ends]))
    return spmv(v, column, ends, x), spmv(np.abs(v), column, ends, np.abs(x)) * (counts + 1)


F32, BF16 = "F32", "BF16"
SUBJECTS = {
    "layernorm": (
        Norms.layer_line, layernorm, layernorm_of_a_sample, Norms.layer_right,
        {"formats": (F32,) * 4, "limits": Norms.limits, "values": {"x": WITHIN, "w": WITHIN, "b": WITHIN}},
    ),
    "rmsnorm": (
        Norms.rms_line, rmsnorm, rmsnorm_outside, Norms.rms_right,
        {"formats": (F32,) * 3, "limits": Norms.limits, "values": {"x": WITHIN, "w": WITHIN}},
    ),
    "rmsnorm.bf16": (
        Norms.rms_line, rmsnorm, rmsnorm_outside, Norms.rms_right,
        {"formats": (BF16,) * 3, "limits": Norms.limits, "values": {"x": WITHIN, "w": WITHIN}},
    ),
    "experts": (
        EXPERTS, experts, experts_short, experts_right,
        {"limits": {"tokens": (1, 16), "k": (1, 64), "n": (1, 16), "e": (1, 4)}, "values": {"x": WITHIN, "w": WITHIN}},
    ),
    "rotary": (
        ROTARY, rotary, rotary_backwards, rotary_right,
        {"limits": {"rows": (1, 8), "two": 2, "half": (1, 32)}, "values": {"x": WITHIN, "c": (-1, 1), "s": (-1, 1)}},
    ),
    "spmv": (
        SPMV, spmv, spmv_without_last, spmv_right,
        {"limits": {"rows": (1, 32), "entries": (1, 200), "columns": (1, 32)}, "values": {"v": WITHIN, "x": WITHIN}},
    ),
}  # fmt: skip


def check(function, name, **options):
    line, _, _, right, said = SUBJECTS[name]
    return negzero.check(
        function, line, reference=right, error={"ulps": 1, "relative": 2**-23}, save_to=None, shrink_seconds=1,
        **said, **options,
    )  # fmt: skip


@pytest.mark.parametrize("name", SUBJECTS)
def test_a_right_function_passes(name):
    checked = check(SUBJECTS[name][1], name, cases=1000)
    assert checked.undecided < 50


@pytest.mark.parametrize("name", SUBJECTS)
def test_a_wrong_function_fails_with_nine_of_ten_seeds(name):
    found = 0
    for seed in range(1, 11):
        try:
            check(SUBJECTS[name][2], name, cases=300, seed=seed)
        except negzero.Counterexample:
            found += 1
    assert found >= 9


@pytest.mark.skipif(torch is None, reason="PyTorch is not installed")
@pytest.mark.parametrize(("name", "dtype"), [("layernorm", "F32"), ("rmsnorm", "F32"), ("rmsnorm.bf16", "BF16")])
def test_norms_of_pytorch_pass(name, dtype):
    functional = torch.nn.functional

    def layer_norm(x, w, b):
        return functional.layer_norm(x, x.shape[1:], w, b, 1e-5)

    def rms_norm(x, w):
        return functional.rms_norm(x, x.shape[1:], w, 1e-5)

    checked = check(layer_norm if name == "layernorm" else rms_norm, name, cases=1000, arrays="torch", device="cpu")
    assert checked.undecided < 50


def run(*words):
    program = os.environ["NEGZERO_PROGRAM"]
    ran = subprocess.run(
        [program, "check", str(HERE / "kernels.cu"), str(HERE / "kernels.nz"), "--executor", "host", "--json", *words],
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    return ran.returncode, json.loads(ran.stdout)["kernels"]


@pytest.mark.skipif("NEGZERO_PROGRAM" not in os.environ, reason="NEGZERO_PROGRAM names no program")
def test_kernels_of_a_cuda_file(tmp_path):
    code, kernels = run("right.*", "--cases", "300", "--save", str(tmp_path / "right"))
    assert code == 0 and len(kernels) == 6
    assert all(kernel["vacuous"] < 15 for kernel in kernels), kernels
    code, kernels = run("wrong.*", "--cases", "300", "--shrink-time", "0s", "--save", str(tmp_path / "wrong"))
    assert code == 1 and all(kernel["fail"] > 0 for kernel in kernels), kernels
