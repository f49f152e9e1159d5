"""A suite of assertions whose answers are known by construction, each read back from the report."""

from __future__ import annotations

import importlib.util
import json
import pathlib
import subprocess

from support import run_pytest

#: The elements are 1 + i/8 + j/64, exact in every format but FP8: rows are 1/8 apart, the smallest element is 1, the
#: largest 1.984, the one of middle magnitude 1.484 (row 3, its last element), so that each change is that far away:
#:
#:     scaled          at most 1.984 / 128 = 0.0155
#:     repeated_row, exchanged_rows    1 / 8
#:     constant        at most 1.984 - 1.484 = 0.5
#:     reversed        at most 0.984
#:     lost_row        at most 1.484;  doubled 1.484
#:     zeros           at most 1.984;  last_unwritten 1.984
ROWS = ["repeated_row", "exchanged_rows"]
LEVELS = [
    ("0.001", []),
    ("0.02", ["scaled"]),
    ("0.2", ["scaled", *ROWS]),
    ("0.7", ["scaled", *ROWS, "constant"]),
    ("1.2", ["scaled", *ROWS, "constant", "reversed"]),
    ("1.6", ["scaled", *ROWS, "constant", "reversed", "lost_row", "doubled"]),
    ("3.0", ["scaled", *ROWS, "constant", "reversed", "lost_row", "doubled", "zeros", "last_unwritten"]),
]
#: By the module that is needed: how an assertion with an absolute tolerance of T is written.
WORDS = {
    "numpy": [
        "np.testing.assert_allclose(x, y, rtol=0, atol=T)",
        "assert np.allclose(x, y, 0, T)",
        "assert x == pytest.approx(y, rel=0, abs=T)",
        "np.testing.assert_allclose(desired=y, actual=x, rtol=0, atol=T)",
        "close(x, y, T)",
    ],
    "torch": [
        "torch.testing.assert_close(torch.tensor(x), torch.tensor(y), rtol=0, atol=T)",
        "assert torch.allclose(torch.tensor(x), torch.tensor(y), rtol=0, atol=T)",
        "assert torch.tensor(x).allclose(torch.tensor(y), rtol=0, atol=T)",
    ],
    "jax": ["assert jnp.allclose(jnp.asarray(x), jnp.asarray(y), rtol=0, atol=T)"],
}
#: What no tolerance decides: NaN, zeros and their signs, integers, one element, nothing to change.
OTHERS = [
    (
        "np.testing.assert_allclose(nan, nan, rtol=0, atol=9)",
        {"lost_row", "doubled", "scaled", *ROWS, "last_unwritten"},
    ),
    ("np.testing.assert_allclose(zeros, zeros, rtol=0, atol=0)", {"zero_sign"}),
    (
        "np.testing.assert_array_almost_equal(x, y, decimal=0)",
        {"scaled", *ROWS, "constant", "reversed", "lost_row", "doubled"},
    ),
    ("np.testing.assert_array_almost_equal(x, y, decimal=1)", {"scaled", *ROWS}),
    ("np.testing.assert_allclose(whole, whole, rtol=0, atol=1.5)", {*ROWS}),
    ("np.testing.assert_allclose(1.5, 1.5, rtol=0, atol=0.1)", {"scaled"}),
]
HEAD = """
import numpy as np, pytest
{imports}
x = np.array([[1 + i / 8 + j / 64 for j in range(8)] for i in range(8)], np.float32)
y = x.copy()
nan = np.array([np.nan, 1, 1, 2], np.float32)
zeros = np.zeros((2, 3), np.float32)
whole = np.array([[1, 2], [2, 3], [3, 4]])
def close(got, want, tol):
    assert got.shape == want.shape and bool((abs(got - want) <= tol).all())
"""


def suite() -> "tuple[str, dict[int, set[str]]]":
    """The text of the test file, and what passes at each of its lines."""
    there = [name for name in WORDS if importlib.util.find_spec(name)]
    imports = {"numpy": "", "torch": "import torch", "jax": "import jax.numpy as jnp"}
    lines = HEAD.format(imports="\n".join(imports[name] for name in there)).splitlines()
    answers: "dict[int, set[str]]" = {}
    planted = [
        (words.replace("T)", f"{atol})"), set(passes))
        for name in there
        for words in WORDS[name]
        for atol, passes in LEVELS
    ]
    for number, (words, passes) in enumerate([*planted, *OTHERS]):
        lines += [f"def test_{number}():", f"    {words}"]
        answers[len(lines)] = passes
    return "\n".join(lines) + "\n", answers


def test_each_answer_is_the_one_that_was_planted(tmp_path: pathlib.Path) -> None:
    text, answers = suite()
    (tmp_path / "test_planted.py").write_text(text)
    done = run_pytest(
        tmp_path,
        *("--negzero-assertions", "--negzero-assertions-also", "test_planted:close"),
        *("--negzero-assertions-report", "seen.json"),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads((tmp_path / "seen.json").read_text())["rows"]
    found = {row["site"]["line"]: set(row["passes"]) for row in rows}
    for line, passes in answers.items():
        assert found.get(line) == passes, text.splitlines()[line - 1]
    assert len(found) == len(answers) >= 41


def test_nothing_of_the_run_is_different(tmp_path: pathlib.Path) -> None:
    text, answers = suite()
    (tmp_path / "test_planted.py").write_text(text)
    plain, watched = (run_pytest(tmp_path, "-rA", *options) for options in ([], ["--negzero-assertions"]))

    def outcomes(done: "subprocess.CompletedProcess[str]") -> "list[str]":
        return [line for line in done.stdout.splitlines() if line.startswith(("PASSED", "FAILED", "ERROR"))]

    assert outcomes(plain) == outcomes(watched) and len(outcomes(plain)) == len(answers)
