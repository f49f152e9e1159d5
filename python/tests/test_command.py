"""The package's command is the program, with the same words, documents and exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import negzero
from negzero import _safetensors
import numpy as np
import pytest
from support import gemm, spoiled

A, B, D = gemm()
CARRIED = os.path.join(os.path.dirname(negzero.__file__), "program", "negzero")
needs_program = pytest.mark.skipif(
    not os.environ.get("NEGZERO_PROGRAM") and not os.path.exists(CARRIED),
    reason="NEGZERO_PROGRAM names no program, and the package carries none: it was not installed",
)


def command(*words: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "negzero", *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


def recorded(
    tensors: "dict[str, np.ndarray]", contract: "str | None" = "f32", said: "dict[str, str] | None" = None
) -> None:
    negzero.case("gemm", a=A, b=B, out_dtype=np.float32, contract=contract).save("case")
    with open("outputs", "wb") as file:
        file.write(_safetensors.write(tensors, said or {}))


def judged() -> "tuple[int, Any]":
    done = command("judge", "--json", "case", "--observed", "outputs")
    return done.returncode, json.loads(done.stdout)


@needs_program
def test_words_and_documents_are_the_programs() -> None:
    assert command("--version").stdout.splitlines()[0] == f"negzero {negzero.__version__}"
    done = command("judge", "nowhere", "--observed", "nowhere")
    assert done.returncode == 2 and done.stdout == "" and done.stderr.startswith("negzero: nowhere: ")


@needs_program
def test_a_tensor_that_is_no_output_is_ignored() -> None:
    recorded({"d": D[None], "a": A, "note": np.zeros(3, np.float64)})
    assert judged()[0] == 0
    recorded({"d": spoiled(D, (0, 0))[None], "a": A})
    code, document = judged()
    assert code == 1 and document["failing"] == 1
    recorded({"a": A})
    assert judged()[0] == 2


@needs_program
def test_the_contract_may_be_in_the_outputs() -> None:
    recorded({"d": D[None]}, None)
    assert judged()[0] == 2
    recorded({"d": D[None]}, None, {"contract": "f32"})
    assert judged()[0] == 0


@needs_program
def test_a_cuda_file_is_compiled_and_checked() -> None:
    with open("largest.cu", "w") as file:
        file.write(
            "// negzero: kernel largest\n// negzero: operation reduce.max\n// negzero: limits rows >= 1\n"
            "// negzero: launch largest<<<rows, 1>>>(x, y, columns);\n"
            "__global__ void largest(const float* x, float* y, int columns) {\n"
            "  float best = 0;\n"
            "  for (int i = 0; i < columns; ++i) best = fmaxf(best, x[blockIdx.x * columns + i]);\n"
            "  y[blockIdx.x] = best;\n}\n"
        )
    done = command("check", "largest.cu", "--cases", "200", "--json")
    assert done.returncode == 1, done
    findings = json.loads(done.stdout)["kernels"][0]["findings"]
    assert any(finding["class"] == "wrong_value" for finding in findings), findings


def test_a_program_that_is_missing_is_said_with_the_cure() -> None:
    done = command("--version", NEGZERO_PROGRAM="/nowhere/negzero")
    assert done.returncode == 3 and "/nowhere/negzero: No such file or directory; install" in done.stderr
