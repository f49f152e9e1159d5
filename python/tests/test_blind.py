"""The shares of lost terms that the guide tells are those of its sentence's operands."""

from __future__ import annotations

import pathlib

import negzero
import numpy as np
import pytest

GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs/how-to/judge_recorded_results.md"


@pytest.mark.parametrize("contract", [None, "f32"])
def test_the_guide_tells_what_is_blind(contract: "str | None") -> None:
    rng = np.random.default_rng(0)
    a = rng.standard_normal((8, 4096)).astype(np.float16)
    b = rng.standard_normal((4096, 8)).astype(np.float16)
    d = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)
    percent = 100 * negzero.judge(d, "gemm", a=a, b=b, contract=contract).blind
    told = 40 if contract else 93
    assert f"{told} %" in GUIDE.read_text() and abs(percent - told) < 2, percent
