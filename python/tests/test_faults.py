"""Planted faults as NumPy functions: found at the default budget, and shrunk to what the kernel's own fault is."""

from __future__ import annotations

import json
import os
import subprocess

import negzero
import numpy as np
import pytest

from faults import CHAIN, F16_TO_F32, F32, FAULTS, SELECTION, chain, finish, select_max
from negzero import _safetensors

PROGRAM = os.environ.get("NEGZERO_PROGRAM", "")
SEEDS = range(1, 11)


def form(kind, data):
    """The class of a failure, the extents in any order, and how many elements are not +0."""
    tensors, metadata = _safetensors.read(data, "the case")
    extents = json.loads(metadata["operation"])["extents"]
    nonzero = sum(int((array.view(f"u{array.dtype.itemsize}") != 0).sum()) for array in tensors.values())
    return (kind, tuple(sorted(extents.values()))), nonzero


def forms_of_the_kernel(name, folder):
    """What the fault in kernels/faulty/ shrinks to: the most elements that are not +0, by class and extents."""
    forms: dict = {}
    for seed in range(1, 4):
        for cases in ("20", "300"):  # a common fault has all its forms in a few cases; judging wrong ones takes long
            command = [PROGRAM, "check", f"faulty.{name}", "--cases", cases, "--seed", str(seed), "--watch", "never",
                       "--executor", "host", "--shrink-time", "20s", "--jobs", "1",
                       "--save", str(folder / str(seed)), "--json"]  # fmt: skip
            done = subprocess.run(command, capture_output=True, timeout=240, check=False)
            if done.returncode == 1:
                break
        assert done.returncode == 1, done.stderr[-2000:]
        for finding in json.loads(done.stdout)["kernels"][0]["findings"]:
            with open(finding["case"], "rb") as file:
                key, nonzero = form(finding["class"], file.read())
            forms[key] = max(forms.get(key, 0), nonzero)
    return forms


@pytest.mark.skipif(not PROGRAM, reason="NEGZERO_PROGRAM is not set: there are no kernels to compare with")
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_found_and_shrinks_as_the_kernel_does(fault, tmp_path):
    expected = forms_of_the_kernel(fault.name, tmp_path)
    found, same = 0, 0
    for seed in SEEDS:
        try:
            negzero.check(
                fault.fn, fault.operation, formats=fault.formats, contract=fault.contract, limits=fault.limits,
                cases=300, seed=seed, save_to=None, shrink_seconds=60.0,
            )  # fmt: skip
        except negzero.Counterexample as example:
            found += 1
            key, nonzero = form(example.report["class"], example.case.data)
            same += key in expected and nonzero <= max(expected[key], 2)
    assert found >= 9, f"found at {found} of {len(SEEDS)} seeds"
    assert same >= found - 1, f"{same} of {found} shrink to one of {expected}"


def right_gemm(a, b, c, alpha, beta, d):
    d[...] = finish(a, chain(a, b, alpha), c, alpha, beta)


def right_max(x):
    best = np.full(x.shape[0], -np.inf, np.float32)
    for column in x.T:
        best = select_max(best, column)
    return best


@pytest.mark.parametrize(
    "fn, operation, formats, contract",
    [
        (right_gemm, "gemm", F32, CHAIN),
        (right_gemm, "gemm", F16_TO_F32, CHAIN),
        (right_max, "reduce.max", ("F32", "F32"), SELECTION),
        (lambda x: np.cumsum(x, 1, dtype=np.float32), "scan.inclusive", ("F32", "F32"), {"order": "any"}),
    ],
)
def test_the_same_functions_without_their_fault_pass(fn, operation, formats, contract):
    for seed in SEEDS[:3]:
        negzero.check(fn, operation, formats=formats, contract=contract, cases=100, seed=seed, save_to=None)
