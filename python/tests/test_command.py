"""The wheel's command prints and ignores what the program does."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

import negzero
from negzero import _safetensors
from negzero.__main__ import main
import numpy as np
import pytest
from support import gemm, spoiled

PROGRAM = os.environ.get("NEGZERO_PROGRAM", "")
A, B, D = gemm()


def recorded(
    tensors: "dict[str, np.ndarray]", contract: "str | None" = "f32", said: "dict[str, str] | None" = None
) -> None:
    negzero.case("gemm", a=A, b=B, out_dtype=np.float32, contract=contract).save("case")
    with open("outputs", "wb") as file:
        file.write(_safetensors.write(tensors, said or {}))


def both(capfd: pytest.CaptureFixture[str], *words: str) -> "tuple[int, Any]":
    """Exit code and document of the command, and of the program where there is one, which must agree in form."""
    code = main(["judge", "--json", *words])
    printed = capfd.readouterr()
    document = json.loads(printed.out)
    if "error" in document:
        assert set(document) == {"version", "error"} and set(document["error"]) == {"kind", "message"}
        assert printed.err == f"negzero: {document['error']['message']}\n"
    if PROGRAM:
        done = subprocess.run([PROGRAM, "judge", "--json", *words], capture_output=True, text=True, check=False)
        program = json.loads(done.stdout)
        assert done.returncode == code, done
        assert list(program) == list(document)
        assert program.get("verdict") == document.get("verdict")
        assert program.get("error", {}).get("kind") == document.get("error", {}).get("kind")
    return code, document


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("case",),
        ("case", "--observed"),
        ("case", "--observed", "outputs", "--bogus"),
        ("case", "--observed", "outputs", "--elements", "some"),
        ("case", "--observed", "nowhere"),
        ("nowhere", "--observed", "outputs"),
        ("outputs", "--observed", "outputs"),
        ("case", "--observed", "outputs", "--contract", "nope"),
        ("case", "--observed", "empty"),
    ],
)
def test_an_error_is_a_document_with_json(words: "tuple[str, ...]", capfd: pytest.CaptureFixture[str]) -> None:
    recorded({"d": D[None]})
    with open("empty", "wb") as file:
        file.write(_safetensors.write({}, {}))
    code, document = both(capfd, *words)
    assert code == 2 and document["error"]["kind"] == "usage" and document["error"]["message"]


def test_an_error_without_json_leaves_standard_output_empty(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", "nowhere", "--observed", "nowhere"]) == 2
    printed = capfd.readouterr()
    assert printed.out == "" and printed.err.startswith("negzero: nowhere: ")


def test_a_tensor_that_is_no_output_is_ignored(capfd: pytest.CaptureFixture[str]) -> None:
    recorded({"d": D[None], "a": A, "note": np.zeros(3, np.float64)})
    assert both(capfd, "case", "--observed", "outputs")[0] == 0
    recorded({"d": spoiled(D, (0, 0))[None], "a": A})
    code, document = both(capfd, "case", "--observed", "outputs")
    assert code == 1 and document["failing"] == 1
    recorded({"a": A})
    assert both(capfd, "case", "--observed", "outputs")[0] == 2


def test_the_contract_may_be_in_the_outputs(capfd: pytest.CaptureFixture[str]) -> None:
    recorded({"d": D[None]}, None)
    assert both(capfd, "case", "--observed", "outputs")[0] == 2
    recorded({"d": D[None]}, None, {"contract": "f32"})
    assert both(capfd, "case", "--observed", "outputs")[0] == 0
