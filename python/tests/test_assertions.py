"""The hook on assertions: what it sees, what it leaves as it was, and what it says."""

from __future__ import annotations

import json
import pathlib
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from negzero._assertions._call import found, kept
from negzero._assertions._known import of_the_project
from negzero._assertions._recorder import Account
from negzero._assertions._repeat import repeat
from support import framework, run_pytest

CLOSE = "import numpy as np\nfrom numpy.testing import assert_allclose\nx = np.arange(1, 13.0).reshape(3, 4)\n"


def seen(folder: pathlib.Path, text: str, *options: str, code: int = 0) -> "dict[int, dict[str, Any]]":
    """Runs a test file of that text under the hook, and returns the rows by line."""
    (folder / "test_it.py").write_text(text)
    done = run_pytest(folder, "--negzero-assertions", "--negzero-assertions-report", "seen.json", *options)
    assert done.returncode == code, done.stdout + done.stderr
    return {row["site"]["line"]: row for row in json.loads((folder / "seen.json").read_text())["rows"]}


# What is seen


def test_how_far_one_element_may_move_is_the_tolerance(tmp_path: pathlib.Path) -> None:
    levels = (1e-6, 3e-3, 0.25, 40.0)
    text = CLOSE + "".join(
        f"def test_{i}(): assert_allclose(x, x, rtol=0, atol={level})\n" for i, level in enumerate(levels)
    )
    rows = seen(tmp_path, text)
    for line, level in zip(range(4, 8), levels):
        reach = rows[line]["reach"]
        assert level * 0.85 < reach["by"] <= level and reach["relative"] == reach["by"] / 12
        exponent = int(np.floor(np.log2(6)))
        assert reach["ulps"] >= reach["by"] / 2.0 ** (exponent - 52) * 0.2


def test_what_has_no_end_is_told(tmp_path: pathlib.Path) -> None:
    text = (
        CLOSE
        + "def test_a(): assert_allclose(x, x, atol=np.inf)\ndef test_b(): assert_allclose(x * 0, x * 0, atol=1)\n"
    )
    rows = seen(tmp_path, text)
    assert rows[4]["reach"] == {"ulps": None, "by": None, "relative": None} and rows[4]["tolerance"]["atol"] is None
    assert rows[5]["reach"] is None and rows[5]["passes"] == ["zero_sign"]
    for kind in ("md", "html"):
        done = run_pytest(tmp_path, "--negzero-assertions", f"--negzero-assertions-report=r.{kind}")
        assert done.returncode == 0 and "any distance" in (tmp_path / f"r.{kind}").read_text()


def test_an_assertion_is_where_the_test_calls_it(tmp_path: pathlib.Path) -> None:
    (tmp_path / "helper.py").write_text(
        "from numpy.testing import assert_allclose\ndef near(a, b): assert_allclose(a, b, atol=9)\n"
    )
    text = "import numpy as np\nfrom helper import near\ndef test_a():\n    near(np.ones(3), np.ones(3))\n"
    row = seen(tmp_path, text)[4]
    assert row["site"] == {"file": "test_it.py", "line": 4, "through": "helper.py:2"}
    assert row["text"] == "near(np.ones(3), np.ones(3))" and row["tests"] == ["test_it.py::test_a"]
    assert row["tolerance"] == {"atol": 9.0, "rtol": 1e-07} and row["format"] == "F64" and row["shapes"] == [[3]]
    also = ("--negzero-assertions-also", "helper:near")
    assert seen(tmp_path, text, *also)[4]["function"] == "helper.near"


def test_helpers_in_modules_that_pytest_rewrites(tmp_path: pathlib.Path) -> None:
    for name in ("test_util", "test_more"):
        (tmp_path / f"{name}.py").write_text(f"def near_{name}(got, want): assert (abs(got - want) < 9).all()\n")
    text = (
        "import numpy as np\nfrom test_util import near_test_util\nfrom test_more import near_test_more\n"
        "def test_a(): near_test_util(np.ones(3), np.ones(3))\ndef test_b(): near_test_more(np.ones(3), np.ones(3))\n"
    )
    also = [f"--negzero-assertions-also={name}:near_{name}" for name in ("test_util", "test_more")]
    assert set(seen(tmp_path, text, *also)) == {4, 5}


def test_what_a_helper_calls_is_its_own_affair(tmp_path: pathlib.Path) -> None:
    text = CLOSE + "def near(a, b): assert_allclose(a, b, atol=9)\ndef test_a(): near(x, x)\n"
    rows = seen(tmp_path, text, "--negzero-assertions-also", "test_it:near")
    assert set(rows) == {5} and rows[5]["function"] == "test_it.near" and rows[5]["calls"] == 1


def test_a_method_and_a_parameter_of_a_helper(tmp_path: pathlib.Path) -> None:
    text = (
        "import numpy as np\nclass Base:\n    def same(self, want, got, tol=0.5):\n"
        "        assert (abs(want - got) <= tol).all()\nclass TestIt(Base):\n    def test_a(self):\n"
        "        self.same(np.ones(3), np.full(3, 1.25), 2.0)\n"
    )
    row = seen(tmp_path, text, "--negzero-assertions-also", "test_it:Base.same:got")[7]
    assert "zeros" in row["passes"] and row["calls"] == 1


@pytest.mark.parametrize(("kind", "first"), [("staticmethod", ""), ("classmethod", "cls, ")])
def test_a_static_method_stays_one(tmp_path: pathlib.Path, kind: str, first: str) -> None:
    text = (
        f"import numpy as np\nclass Base:\n    @{kind}\n    def near({first}got, want): assert (got - want < 9).all()\n"
        "class TestIt(Base):\n    def test_a(self): self.near(np.ones(3), np.ones(3))\n"
        "    def test_b(self): Base.near(np.ones(3), np.ones(3))\n"
    )
    rows = seen(tmp_path, text, "--negzero-assertions-also", "test_it:Base.near")
    assert {line for line, row in rows.items() if "zeros" in row["passes"]} == {6, 7}


def test_a_container_and_a_failing_and_a_false_one(tmp_path: pathlib.Path) -> None:
    text = CLOSE + (
        "import pytest\ndef test_a():\n    with pytest.raises(AssertionError): assert_allclose(x, x + 1)\n"
        "    assert not np.allclose(x, x + 1)\n    assert_allclose([1.0, 2.0], [1.0, 2.0], atol=3)\n"
        "    assert_allclose(np.array(['a']) == 'a', True)\n"
    )
    rows = seen(tmp_path, text)
    assert set(rows) == {8, 9}
    assert "zeros" in rows[8]["passes"]
    assert not rows[9]["tried"] and "bool" in next(iter(rows[9]["skipped"]))


def test_what_a_library_asks_itself_is_no_assertion(tmp_path: pathlib.Path) -> None:
    library = tmp_path / "site-packages"
    library.mkdir()
    (library / "lib.py").write_text("import numpy as np\ndef solve(a):\n    return np.allclose(a, a)\n")
    text = f"import sys; sys.path.insert(0, {str(library)!r})\nimport lib, numpy as np\ndef test_a():\n    assert lib.solve(np.ones(3))\n"
    assert not seen(tmp_path, text)


def test_a_helper_that_answers_is_asked(tmp_path: pathlib.Path) -> None:
    (tmp_path / "helper.py").write_text(
        "import numpy as np\ndef near(a, b): return bool(abs(a - b).max() <= 1e-3)\n"
        "async def later(a, b): np.testing.assert_allclose(a, b, atol=9)\n"
    )
    text = (
        "import asyncio, helper, numpy as np\nx = np.arange(1, 13.0)\ndef test_a(): assert helper.near(x, x)\n"
        "def test_b(): assert not helper.near(x, x + 1)\ndef test_c(): asyncio.run(helper.later(x, x))\n"
    )
    also = ["--negzero-assertions-also=helper:near", "--negzero-assertions-also=helper:later"]
    rows = seen(tmp_path, text, *also)
    assert rows[3]["passes"] == [] and rows[3]["reach"]["by"] <= 1e-3 and 4 not in rows
    assert rows[5]["function"] == "numpy.testing.assert_allclose"


def test_one_element_that_is_far_off_excuses_no_others(tmp_path: pathlib.Path) -> None:
    text = (
        "import numpy as np\nwant = np.full((8, 8), 0.4); want[0, 0] = 1000\ngot = want.copy(); got[0, 0] = 1001\n"
        "noise = np.random.default_rng(1).uniform(-1e-9, 1e-9, (8, 8))\n"
        "def test_a(): np.testing.assert_allclose(got, want, rtol=1e-3, atol=1)\n"
        "def test_b(): np.testing.assert_allclose(want + noise, want, rtol=1e-3, atol=1e-6)\n"
        "def test_c(): np.testing.assert_allclose(noise, want * 0, rtol=0, atol=1e-6)\n"
    )
    rows = seen(tmp_path, text)
    assert {"lost_row", "doubled"} <= set(rows[5]["passes"])
    assert not {"repeated_row", "exchanged_rows"} & set(rows[6]["passes"])  # rows that differ by rounding
    assert rows[7]["passes"] == []  # what differs from 0 by rounding is as right as 0


def test_numbers_and_lists_stay_what_they_are(tmp_path: pathlib.Path) -> None:
    torch = framework("torch")
    assert torch
    text = (
        "import numpy as np, torch\nfrom torch.testing import assert_close\n"
        "def test_a(): assert_close(torch.ones(3).sum().item(), 3.0, rtol=0, atol=9)\n"
        "def test_b(): assert_close([1.0, 2.0], [1.0, 2.0], rtol=0, atol=9)\n"
        "def test_c():\n    with torch.inference_mode(): assert_close(torch.ones(3), torch.ones(3), rtol=0, atol=9)\n"
        "def test_d(): assert_close({'mask': torch.ones(9) > 0, 'o': torch.ones(3)},\n"
        "                           {'mask': torch.ones(9) > 0, 'o': torch.ones(3)}, rtol=0, atol=9)\n"
    )
    rows = seen(tmp_path, text)
    assert set(rows) == {3, 4, 6, 7} and all("zeros" in row["passes"] for row in rows.values()), rows
    assert rows[7]["text"].endswith("rtol=0, atol=9)")


def test_what_is_held_of_a_test_is_a_copy(tmp_path: pathlib.Path) -> None:
    text = (
        "import gc, weakref, numpy as np, pytest\ndef test_a():\n    x, y = np.ones(3), np.ones(3)\n"
        "    np.testing.assert_allclose(x, y, atol=9)\n    seen = weakref.ref(x), weakref.ref(y)\n"
        "    del x, y\n    gc.collect()\n    assert seen[0]() is None and seen[1]() is None\n"
        "def test_b():\n    x, y = np.ones(3), np.ones(3)\n    assert x == pytest.approx(y, abs=9)\n    y[:] = 77\n"
    )
    rows = seen(tmp_path, text)
    assert "zeros" in rows[4]["passes"] and "zeros" in rows[11]["passes"]


def test_a_report_that_cannot_be_written_is_an_error(tmp_path: pathlib.Path) -> None:
    (tmp_path / "r.json").mkdir()
    (tmp_path / "test_it.py").write_text(CLOSE + "def test_a(): assert_allclose(x, x, atol=99)\n")
    done = run_pytest(tmp_path, "--negzero-assertions", "--negzero-assertions-report=r.json")
    assert done.returncode == 4 and "the report is not written" in done.stdout and "zeros" in done.stdout


# What is left as it was

OUTCOMES = """
import random, numpy as np, pytest, unittest
from numpy.testing import assert_allclose

@pytest.fixture(params=[1, 2, 3])
def x(request): return np.arange(1.0, 1 + 4 * request.param).reshape(-1, 4)

def test_fixture(x):
    kept = x.copy()
    assert_allclose(x, x, atol=1)
    assert (x == kept).all()

@pytest.mark.parametrize("scale", [1, 2])
def test_scaled(x, scale): assert np.allclose(x * scale, x * scale)

@pytest.mark.xfail
def test_expected_to_fail(x):
    assert_allclose(x, x)
    assert_allclose(x, x + 1)

@pytest.mark.xfail(strict=True)
def test_strict(x): assert_allclose(x, x)

def test_fails(x): assert_allclose(x, x * 2)
def test_error(x): raise ValueError
@pytest.mark.skip
def test_skipped(): pass

seeded = []
def test_random():
    random.seed(5); np.random.seed(5); seeded.append(True)
    assert_allclose(np.random.rand(4), np.random.rand(4), atol=2)
    assert random.random() == 0.6229016948897019

def test_next_random():
    assert not seeded or random.random() == 0.7417869892607294

def test_prints(capsys):
    assert_allclose(np.ones(3), np.ones(3))
    print("out"); assert capsys.readouterr().out == "out\\n"

def test_large():
    x = np.ones(10_000_000, np.float32)
    assert_allclose(x, x)

class TestCase(unittest.TestCase):
    def test_a(self): assert_allclose(np.ones(3), np.ones(3))
    @unittest.expectedFailure
    def test_b(self): assert_allclose(np.ones(3), np.zeros(3))
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2", "-p", "xdist")])
def test_outcomes_are_those_without_the_hook(tmp_path: pathlib.Path, workers: "tuple[str, ...]") -> None:
    if workers:
        pytest.importorskip("xdist")
    (tmp_path / "test_it.py").write_text(OUTCOMES)

    def outcomes(*options: str) -> "tuple[int, list[str]]":
        done = run_pytest(tmp_path, "-rA", *workers, *options)
        words = ("PASSED", "FAILED", "ERROR", "XFAIL", "XPASS", "SKIPPED")
        lines = [line.split(" - ")[0] for line in done.stdout.splitlines() if line.startswith(words)]
        return done.returncode, sorted(lines)

    plain, watched = outcomes(), outcomes("--negzero-assertions", "--negzero-assertions-report", "seen.json")
    assert plain == watched and len(plain[1]) >= 25, (plain, watched)
    report = json.loads((tmp_path / "seen.json").read_text())
    assert report["sites"] >= 8
    assert sum(row["calls"] for row in report["rows"] if "atol=1)" in row["text"]) == 3


def test_repeating_waits_for_the_end_of_the_test_and_its_limits(tmp_path: pathlib.Path) -> None:
    text = (
        "import numpy as np, pytest\ncalls = []\ndef near(a, b):\n    calls.append(1)\n    assert (abs(a - b) < 9).all()\n"
        "@pytest.fixture\ndef once():\n    yield\n    assert len(calls) == 1\n"
        "def test_a(once): near(np.ones(3), np.ones(3))\ndef test_b(): assert len(calls) > 5\n"
    )
    assert seen(tmp_path, text, "--negzero-assertions-also", "test_it:near")[10]["repeated"] == 1


class Clock:
    """A time that passes by a second at each call of the assertion that it is given to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.calls = 100.0, 0
        monkeypatch.setattr("negzero._assertions._repeat.time.perf_counter", lambda: self.now)

    def close(self, got: Any, want: Any) -> None:
        self.now, self.calls = self.now + 1, self.calls + 1
        assert abs(got - want).max() < 9


def test_repeating_ends_with_its_time_but_for_what_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, x = Clock(monkeypatch), np.ones((3, 4))
    call = kept(found(of_the_project("m:close"), clock.close, [x, x], {}), clock.close, [x, x], {})
    tried = repeat(call, lambda key: True, lambda key: key == "constant", 105.5)
    # One call as it was, and each try as long as there is a second for it.
    assert clock.calls == 1 + 4 + 1 and not tried.is_whole and tried.reach is None
    assert {"zeros", "lost_row", "doubled"} <= set(tried.passed) | set(tried.refused)
    assert "constant" in tried.absent
    tried = repeat(call, lambda key: True, lambda key: False, 1000.0)
    assert tried.is_whole and tried.reach is not None


def test_a_suite_pays_with_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("negzero._assertions._recorder.time.perf_counter", lambda: now[0])
    monkeypatch.setattr("negzero._assertions._recorder._age", lambda: 0.0)
    account = Account()
    now[0] += 10
    assert (account.own, account.spent, account.share()) == (10, 0, 5)
    with account.work():
        now[0] += 4
        assert (account.own, account.spent, account.share()) == (10, 4, 3)
    assert (account.own, account.spent) == (10, 4)
    now[0] += 2
    with account.work():
        now[0] += 9
    assert (account.own, account.spent, account.share()) == (12, 13, 0)


def test_everything_is_put_back(tmp_path: pathlib.Path) -> None:
    code = (
        "import numpy as np, numpy.testing as t\nbefore = t.assert_allclose, np.allclose\n"
        "from negzero._assertions._recorder import Recorder\nr = Recorder('.')\n"
        "assert t.assert_allclose is not before[0]\nr.close()\nassert (t.assert_allclose, np.allclose) == before\n"
        "import sys; assert not any(type(f).__name__ == 'Hook' for f in sys.meta_path)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


# What is said


def test_a_gate_fails_a_run_and_a_ledger_accepts_a_site(tmp_path: pathlib.Path) -> None:
    text = CLOSE + "def test_a(): assert_allclose(x, x, atol=99)\ndef test_b(): assert_allclose(x, x)\n"
    (tmp_path / "test_it.py").write_text(text)
    gate = ("--negzero-assertions", "--negzero-assertions-fail", "zeros,lost_row")
    assert run_pytest(tmp_path, "--negzero-assertions").returncode == 0
    done = run_pytest(tmp_path, *gate)
    assert done.returncode == 1 and "test_it.py:4: zeros passes; rtol 1e-07 atol 99" in done.stdout
    assert "test_it.py:5: " not in done.stdout
    entry = {
        "file": "test_*.py",
        "at": "assert_allclose(x,x, atol=99)",
        "changes": ["zeros", "lost_row"],
        "reason": "a smoke test",
    }
    ledger = tmp_path / "ledger.json"
    ledger.write_text(json.dumps({"version": 1, "accepted": [entry]}))
    accept = ("--negzero-assertions-accept", "ledger.json")
    done = run_pytest(tmp_path, *gate, *accept)
    assert done.returncode == 0 and "zeros passes, accepted: a smoke test" in done.stdout
    ledger.write_text(json.dumps({"version": 1, "accepted": [entry, {**entry, "at": "atol=100"}]}))
    done = run_pytest(tmp_path, *gate, *accept)
    assert done.returncode == 1 and "'atol=100' lets none of zeros, lost_row pass; remove it" in done.stdout
    assert run_pytest(tmp_path, *gate, *accept, "-k", "test_").returncode == 0  # a part may lack what it accepts


def test_a_gate_that_saw_nothing_does_not_pass(tmp_path: pathlib.Path) -> None:
    (tmp_path / "test_it.py").write_text("def test_a(): pass\n")
    done = run_pytest(tmp_path, "--negzero-assertions", "--negzero-assertions-fail", "zeros")
    assert done.returncode == 1 and "no assertion was seen, so that nothing is known" in done.stdout
    (tmp_path / "test_it.py").write_text(CLOSE + "def test_a(): assert_allclose(x + 1j, x + 1j, atol=5)\n")
    done = run_pytest(tmp_path, "--negzero-assertions", "--negzero-assertions-fail", "zeros")
    assert done.returncode == 1 and "no assertion could be repeated" in done.stdout
    assert run_pytest(tmp_path, "--negzero-assertions", "--negzero-assertions-fail=zeros", "--co").returncode == 0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--negzero-assertions-fail", "zeros"), "--negzero-assertions-fail says nothing without --negzero-assertions"),
        (
            ("--negzero-assertions", "--negzero-assertions-fail", "zero"),
            "'zero' is no change; give some of zeros, lost_row",
        ),
        (("--negzero-assertions", "--negzero-assertions-fail", ","), "no change is named"),
        (
            ("--negzero-assertions", "--negzero-assertions-also", "near"),
            "'near' names no function; give MODULE:FUNCTION",
        ),
        (
            ("--negzero-assertions", "--negzero-assertions-record", "torch.nope"),
            "torch.nope is no function that negzero",
        ),
        (("--negzero-assertions", "--negzero-assertions-report", "x.txt"), "'x.txt' ends in none of .json, .md, .html"),
        (("--negzero-assertions", "--negzero-assertions-report", "no/x.md"), "there is no folder"),
        (("--negzero-assertions", "--negzero-assertions-accept", "no.json"), "No such file or directory"),
        (("--negzero-assertions", "--negzero-assertions-accept", "test_it.py"), "test_it.py: no JSON"),
    ],
)
def test_what_cannot_be_done_is_an_error(tmp_path: pathlib.Path, options: "tuple[str, ...]", says: str) -> None:
    (tmp_path / "test_it.py").write_text("def test_a(): pass\n")
    done = run_pytest(tmp_path, *options)
    assert done.returncode == 4 and says in done.stderr, done.stdout + done.stderr


def test_a_helper_that_is_not_there_is_an_error(tmp_path: pathlib.Path) -> None:
    (tmp_path / "test_it.py").write_text(CLOSE + "def test_a(): assert_allclose(x, x)\n")
    for name, says in (("nowhere:near", "no test imported the module"), ("test_it:near", "has no such function")):
        done = run_pytest(tmp_path, "--negzero-assertions", "--negzero-assertions-also", name)
        assert done.returncode == 4 and f"error: {name}: " in done.stdout and says in done.stdout


def test_an_operation_says_what_is_permitted_and_what_to_write(tmp_path: pathlib.Path) -> None:
    text = (
        "import numpy as np, negzero\nfrom numpy.testing import assert_allclose\n"
        "a, b = np.full((2, 8), 3, np.float16), np.full((8, 2), 5, np.float16)\nout = (a @ b).astype(np.float32)\n"
        "def test_a():\n    with negzero.operation('gemm', a=a, b=b, contract='f32'):\n"
        "        assert_allclose(out, out + 1, atol=20)\n"
    )
    row = seen(tmp_path, text)[7]
    by = {each["who"]: each for each in row["known"]}
    assert by["observed"]["verdict"] == "pass" and by["expected"]["verdict"] == "fail"
    assert by["tolerance"]["atol"] == 0 and "lost_term" in row["passes"] and 17 < row["reach"]["by"] < 21.1
    assert row["paste"] == "negzero.assert_permitted(out, 'gemm', a=a, b=b, contract='f32')"


def test_a_function_that_is_recorded_is_an_operation(tmp_path: pathlib.Path) -> None:
    text = (
        "import numpy as np\nx = np.arange(8, dtype=np.float32).reshape(2, 4)\ndef test_a():\n"
        "    expected = np.sum(x, axis=1)\n    y = x.sum(1)\n"
        "    np.testing.assert_allclose(y, expected.astype(np.float64))\n"
    )
    row = seen(tmp_path, text, "--negzero-assertions-record", "numpy.sum")[6]
    assert row["paste"] == "negzero.assert_permitted(y, 'numpy.sum', x, axis=1)" and row["known"]


def test_the_three_reports_have_every_row(tmp_path: pathlib.Path) -> None:
    text = CLOSE + "".join(f"def test_{i}(): assert_allclose(x, x, atol=1e{i})\n" for i in range(20))
    paths = [f"--negzero-assertions-report=r.{kind}" for kind in ("md", "html")]
    assert len(seen(tmp_path, text, *paths)) == 20
    for kind in ("md", "html"):
        text = (tmp_path / f"r.{kind}").read_text()
        assert all(f"test_it.py:{line}" in text for line in range(4, 24)) and "all zeros (zeros)" in text
    done = run_pytest(tmp_path, "--negzero-assertions")
    table = done.stdout.partition("wrong values that assertions let pass")[2]
    assert table.count("one element may move by") == 8 and re.search(r"\.\.\. and \d+ more", table)
    assert len(table.splitlines()) < 50 and max(map(len, table.splitlines())) <= 140


# Without pytest


def script(
    folder: pathlib.Path, text: str, *options: str, after: "tuple[str, ...]" = ()
) -> "subprocess.CompletedProcess[str]":
    (folder / "it.py").write_text(text)
    command = [sys.executable, "-m", "negzero", "assertions", *options, *(after or ("it.py",))]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, timeout=120)


def test_a_script_and_unittest(tmp_path: pathlib.Path) -> None:
    done = script(
        tmp_path, CLOSE + "import sys; assert_allclose(x, x, atol=99); sys.exit(len(sys.argv))\n", after=("it.py", "-m")
    )
    assert done.returncode == 2 and "it.py:4" in done.stderr and "passes: zeros, " in done.stderr
    gate = ("--fail", "zeros", "--report", "r.json")
    assert script(tmp_path, CLOSE + "assert_allclose(x, x, atol=99)\n", *gate).returncode == 1
    assert script(tmp_path, CLOSE + "assert_allclose(x, x)\n", *gate).returncode == 0
    text = (
        CLOSE + "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): assert_allclose(x, x, atol=99)\n"
    )
    done = script(tmp_path, text, *gate, after=("-m", "unittest", "it"))
    assert done.returncode == 1 and "it.py:6: zeros passes" in done.stderr and "OK" in done.stderr
    assert script(tmp_path, "raise ValueError('own')\n").returncode == 1
    for options in (("--fail", "zero"), ("--report", "x.txt"), ("--accept", "no.json"), ("--also", "x")):
        assert script(tmp_path, "", *options).returncode == 2
    assert script(tmp_path, "", after=("none.py",)).returncode == 2
