"""The kernels on the host, which flushes nothing: right where they say so, and found where they say that they flush."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
import write  # noqa: E402

# What F32 arithmetic takes or gives subnormal numbers of. Products find a subnormal alpha or beta, whatever a and b are.
TOUCHED = {"convert.f32_f64", "convert.f64_f32", "max.f32", "mean.bf16", "mean.f32", "scale.f32", "scan.bf16", "scan.f32",
           "sum.bf16", "sum.f32", "dot.bf16", "dot.f32"}
NEVER = {f"{name}.{form}" for name in ("sum", "scan", "mean") for form in ("f16", "f8_e5m2", "f8_e4m3")} | {
    "convert.f16_f32", "convert.f32_f16", "convert.f32_bf16", "convert.f64_f16", "max.f16", "scale.f16", "sign.f16"}


def found(declaration: str, tmp_path: pathlib.Path) -> "set[str]":
    """The kernels with a finding, without the first word of their names."""
    command = [os.environ["NEGZERO_PROGRAM"], "check", str(HERE / "kernels.cu"), str(HERE / declaration), "--cases", "150",
               "--save", str(tmp_path), "--shrink-time", "0s", "--json"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert run.returncode in (0, 1), run.stderr
    report = json.loads(run.stdout)
    assert len(report["kernels"]) == 44
    return {each["name"].removeprefix("flushing.") for each in report["kernels"] if each["fail"] > 0}


def test_declarations_are_those_that_are_written() -> None:
    for name, flags in (("flushed", write.FLAGS), ("kept", "")):
        text = (HERE / f"{name}.nz").read_text()
        assert text.split("\n", 1)[1] == "\n\n".join(write.kernels(flags)) + "\n"


@pytest.mark.skipif("NEGZERO_PROGRAM" not in os.environ, reason="NEGZERO_PROGRAM names the program")
def test_kernels_that_flush_nothing(tmp_path: pathlib.Path) -> None:
    assert found("kept.nz", tmp_path / "kept") == set()
    flushed = found("flushed.nz", tmp_path / "flushed")
    assert TOUCHED <= flushed
    assert not NEVER & flushed
