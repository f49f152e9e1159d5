"""Right kernels over lines with relations are clean, and each planted fault is found."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent
#: How many right kernels a file has, and how many faults where that is another number.
FILES = {"windows": 6, "models": 5, "edges": 3, "integers": 3, "narrow": 5, "indices": 10}
FAULTS = {"narrow": 7}


def check(file, kernels, *words):
    program = os.environ["NEGZERO_PROGRAM"]
    ran = subprocess.run(
        [program, "check", HERE / f"{file}.cu", HERE / f"{file}.nz", kernels, "--executor", "host", "--json", *words],
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert ran.stdout, ran.stderr
    return ran.returncode, json.loads(ran.stdout)["kernels"]


needs_program = pytest.mark.skipif("NEGZERO_PROGRAM" not in os.environ, reason="NEGZERO_PROGRAM names no program")


@needs_program
@pytest.mark.parametrize("file", FILES)
def test_right_kernels_are_clean(file, tmp_path):
    code, kernels = check(file, "right.*", "--cases", "300", "--save", str(tmp_path))
    assert code == 0 and len(kernels) == FILES[file]
    # Where every token is dropped, nothing is written.
    least = 200 if file == "indices" else 250
    assert all(kernel["pass"] > least for kernel in kernels), kernels


@needs_program
@pytest.mark.parametrize("file", FILES)
def test_each_fault_is_found(file, tmp_path):
    code, kernels = check(file, "wrong.*", "--cases", "300", "--shrink-time", "0s", "--save", str(tmp_path))
    assert code == 1 and len(kernels) == FAULTS.get(file, FILES[file])
    assert all(kernel["fail"] > 0 for kernel in kernels), kernels


@needs_program
def test_a_race_on_halves_of_a_byte_names_both_elements(tmp_path):
    words = ("--cases", "300", "--shrink-time", "0s", "--save", str(tmp_path))
    program = os.environ["NEGZERO_PROGRAM"]
    ran = subprocess.run(
        [program, "check", HERE / "narrow.cu", HERE / "narrow.nz", "wrong.nvfp4.race", "--executor", "host", *words],
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert re.search(r"data race on codes\[\d+,\d+\] and codes\[\d+,\d+\], which share a byte", ran.stdout), ran.stdout
