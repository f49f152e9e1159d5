"""What assert_permitted() raises, says and leaves behind."""

from __future__ import annotations

import os
import pathlib
import pickle
import shlex
import subprocess
import sys

import negzero
import numpy as np
import pytest
from support import gemm, spoiled

A, B, D = gemm()


def failing(**options: object) -> negzero.NotPermitted:
    with pytest.raises(negzero.NotPermitted) as caught:
        negzero.assert_permitted(spoiled(D, (2, 1)), "gemm", a=A, b=B, **options)
    return caught.value


def repro(text: str) -> "list[str]":
    (line,) = [line for line in text.splitlines() if line.startswith("REPRO: ")]
    return shlex.split(line[len("REPRO: ") :])


def test_what_is_permitted_raises_nothing_and_leaves_nothing() -> None:
    assert negzero.assert_permitted(D, "gemm", a=A, b=B).permitted
    assert os.listdir() == []


def test_the_text_is_the_counterexample() -> None:
    error = failing()
    text, worst = str(error), error.judgement.worst[0]
    assert isinstance(error, AssertionError) and not isinstance(error, negzero.NothingDecided)
    for part in ("d[2, 1]", worst.observed_text, worst.permitted, worst.rule.id, worst.rule.source,
                 error.judgement.contract_text, error.judgement.assumed):  # fmt: skip
        assert part and part in text, part


@pytest.mark.parametrize("folder", [".negzero", "a folder; with $odd 'names'"])
def test_the_printed_line_repeats_the_failure(folder: str) -> None:
    words = repro(str(failing(save_to=folder)))
    assert words[:2] == ["negzero", "judge"] and words[3] == "--observed"
    program = os.environ.get("NEGZERO_PROGRAM")
    for start in [[sys.executable, "-m", "negzero"], *([[program]] if program else [])]:
        done = subprocess.run([*start, *words[1:]], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 1, done
        assert "17" in done.stdout or "d[" in done.stdout, done.stdout
    case, observed = negzero.load(words[2]), words[4]
    assert case.contract and os.path.exists(observed)


def test_the_same_failure_is_saved_once_and_another_by_itself() -> None:
    failing(), failing()
    names = sorted(os.listdir(".negzero"))
    assert len(names) == 3 and names[0] == ".gitignore", names
    with pytest.raises(negzero.NotPermitted):
        negzero.assert_permitted(spoiled(D, (0, 0)), "gemm", a=A, b=B)
    assert len(os.listdir(".negzero")) == 4


@pytest.mark.parametrize("blocker", ["file", "missing parent"])
def test_a_place_that_cannot_be_written_hides_nothing(blocker: str) -> None:
    pathlib.Path("taken").write_text("")
    error = failing(save_to="taken" if blocker == "file" else "taken/below")
    assert "d[2, 1]" in str(error) and "not saved: " in str(error) and "save_to=" in str(error)


def test_nothing_is_saved_where_nothing_is_to_be() -> None:
    assert "REPRO" not in str(failing(save_to=None)) and os.listdir() == []


def test_nothing_decided_is_no_pass_and_no_finding() -> None:
    empty = np.zeros((0, 4), np.float16)
    with pytest.raises(negzero.NothingDecided) as caught:
        negzero.assert_permitted(np.zeros((0, 2), np.float32), "gemm", a=empty, b=B)
    assert isinstance(caught.value, AssertionError) and not isinstance(caught.value, negzero.NotPermitted)
    assert not caught.value.judgement.permitted and caught.value.judgement.reason in str(caught.value)


def test_errors_travel_between_processes() -> None:
    error = failing()
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is negzero.NotPermitted and str(copy) == str(error)
    assert copy.judgement.worst == error.judgement.worst


@pytest.mark.parametrize("flag", ["-O", "-OO"])
def test_python_without_assertions_asserts_all_the_same(flag: str) -> None:
    script = (
        "import negzero, numpy as n; o = n.ones((1, 1), n.float32); negzero.assert_permitted(o * 9, 'gemm', a=o, b=o)"
    )
    done = subprocess.run([sys.executable, flag, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and "NotPermitted" in done.stderr, done


@pytest.mark.parametrize(
    "words, code",
    [
        (["judge", "missing", "--observed", "missing"], 2),
        (["judge"], 2),
        ([], 2),
        (["fuzz"], 2),
        (["judge", "case", "--observed", "case"], 2),
        (["judge", "case", "--observed", "d"], 0),
        (["judge", "case", "--observed", "d", "--json"], 0),
        (["judge", "case", "--observed", "d", "--contract", "no_such"], 2),
        (["judge", "bare", "--observed", "d"], 2),
        (["judge", "bare", "--observed", "d", "--contract", "default"], 0),
        (["judge", "empty", "--observed", "none"], 4),
    ],
)
def test_exit_codes(words: "list[str]", code: int) -> None:
    from negzero import _safetensors

    negzero.case("gemm", a=A, b=B, out_dtype=np.float32, contract="f32").save("case")
    negzero.case("gemm", a=A, b=B, out_dtype=np.float32).save("bare")
    negzero.case("gemm", a=A[:0], b=B, out_dtype=np.float32, contract="f32").save("empty")
    pathlib.Path("d").write_bytes(_safetensors.write({"d": D[None]}, {}))
    pathlib.Path("none").write_bytes(_safetensors.write({"d": D[None, :0]}, {}))
    done = subprocess.run(
        [sys.executable, "-m", "negzero", *words], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == code, done
    assert bool(done.stdout) == (code in (0, 1, 4)) and "Traceback" not in done.stderr
    if "missing" in words:
        assert "missing: No such file or directory; name" in done.stderr
