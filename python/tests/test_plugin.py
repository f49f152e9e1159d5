"""The pytest plugin: its options, what is kept by test, and that nothing is imported where nothing is used."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

COUNTS = """
import negzero, numpy as np
np.seterr(all="ignore")

def right(a, b):
    return a @ b

def test_it():
    checked = negzero.check(right, "gemm")
    print("CHECKED", checked.passed + checked.undecided, "SEED", checked.seed)
"""

FAILS = """
import negzero, numpy as np

def wrong(a, b):
    return np.zeros((a.shape[0], b.shape[1]), np.float32)

def test_one():
    negzero.check(wrong, "gemm")

def test_two():
    negzero.check(wrong, "gemm")
"""


def run(code, *options):
    """Runs pytest on a file of its own with the plugin, and returns what became of it."""
    pathlib.Path("test_it.py").write_text(code)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "negzero_pytest", *options]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=120)


def test_cases_and_seed_are_those_of_the_command_line():
    assert "CHECKED 300 SEED 1" in run(COUNTS, "-s").stdout
    assert "CHECKED 7 SEED 5" in run(COUNTS, "-s", "--negzero-cases", "7", "--negzero-seed", "5").stdout
    own = COUNTS.replace('"gemm")', '"gemm", cases=9, seed=3)')
    assert "CHECKED 9 SEED 3" in run(own, "-s", "--negzero-cases", "7", "--negzero-seed", "5").stdout


@pytest.mark.parametrize("option", ["--negzero-cases", "--negzero-seed"])
@pytest.mark.parametrize("value", ["0", "-3", "x", ""])
def test_a_value_that_is_none_is_an_error(option, value):
    done = run(COUNTS, f"{option}={value}")
    assert done.returncode == 4
    assert f"{value!r} is no whole number from 1 on" in done.stderr


def test_failing_cases_are_kept_by_test_in_the_folder(tmp_path):
    done = run(FAILS, "--negzero-save", str(tmp_path / "kept"))
    assert done.returncode == 1
    folders = sorted(path.name.rpartition("-")[0] for path in (tmp_path / "kept" / "failing").iterdir())
    assert len(folders) == 2 and "test_one" in folders[0] and "test_two" in folders[1]
    assert not (tmp_path / ".negzero").exists()


def test_options_reach_the_workers_of_xdist(tmp_path):
    pytest.importorskip("xdist")
    done = run(FAILS, "-p", "xdist", "-n", "2", "--negzero-save", str(tmp_path / "kept"), "--negzero-cases", "5")
    assert done.returncode == 1, done.stdout
    assert "2 failed" in done.stdout and "Counterexample" in done.stdout
    assert len(list((tmp_path / "kept" / "failing").iterdir())) == 2


def test_the_plugin_imports_nothing_where_it_is_not_used():
    unused = "import sys\ndef test_it():\n    assert 'negzero' not in sys.modules\n"
    done = run(unused)
    assert done.returncode == 0, done.stdout


def test_a_process_that_aborts_leaves_its_case_and_its_test():
    aborts = FAILS.replace("    return np.zeros", "    import os; os.abort()\n    return np.zeros")
    assert run(aborts, "-k", "test_one").returncode < 0
    fixed = COUNTS.replace("right", "wrong").replace("test_it", "test_one")
    done = run(fixed, "-s")
    assert "an earlier run ended inside test_it.py::test_one" in done.stdout
    assert done.returncode == 0
