"""The pytest plugin: its options, what is kept by test, and that nothing is imported where nothing is used."""

from __future__ import annotations

import json
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


# The ledger of known findings


def entry(kernel, kind, **more):
    """An entry of a ledger."""
    link = "https://example.org/issues/7"
    return {"kernel": kernel, **kind, "reason": "returns zeros", "link": link, **more}


def with_ledger(code, *entries, options=()):
    """Runs pytest with a ledger of those entries. Twenty cases fail in every way that the entries name."""
    pathlib.Path("known.json").write_text(json.dumps({"version": 1, "accepted": list(entries)}))
    return run(code, "--negzero-accept", "known.json", "--negzero-cases", "20", *options)


def test_an_accepted_finding_is_counted_and_listed_and_is_no_failure():
    kinds = ({"class": "wrong_value"}, {"class": "wrong_special_value"})
    done = with_ledger(FAILS, *(entry("*::test_one", kind) for kind in kinds))
    assert done.returncode == 1 and "1 failed, 1 passed" in done.stdout, done.stdout
    assert "test_it.py::test_one: wrong_value: returns zeros (https://example.org/issues/7): " in done.stdout


def test_both_are_accepted_by_the_name_of_the_function():
    kinds = ({"class": "wrong_value"}, {"class": "wrong_special_value"})
    done = with_ledger(FAILS, *(entry("wrong", kind) for kind in kinds))
    assert done.returncode == 0 and "2 passed" in done.stdout, done.stdout
    assert "negzero: known findings" in done.stdout


def test_an_entry_hides_nothing_else():
    done = with_ledger(FAILS, entry("wrong", {"class": "wrong_zero_sign"}))
    assert "2 failed" in done.stdout and "wrong_value" in done.stdout, done.stdout


def test_an_entry_that_no_longer_occurs_fails_the_run():
    done = with_ledger(COUNTS, entry("right", {"class": "wrong_value"}))
    assert done.returncode == 1, done.stdout
    assert "accepted finding #1 (right, wrong_value) did not occur: fixed? remove it from known.json" in done.stdout
    # Where tests were picked, it may occur in the others; and an entry about something that did not run says nothing.
    assert with_ledger(COUNTS, entry("right", {"class": "wrong_value"}), options=("-k", "it")).returncode == 0
    other = with_ledger(COUNTS, entry("other", {"class": "wrong_value"}))
    assert other.returncode == 0
    assert "accepted finding #1 (other) is about nothing that was checked" in other.stdout


def test_a_known_crash_is_not_run():
    aborts = FAILS.replace("    return np.zeros", "    import os; os.abort()\n    return np.zeros")
    done = with_ledger(aborts, entry("wrong", {"class": "crash"}))
    assert done.returncode in (0, 5) and "2 skipped" in done.stdout, done.stdout + done.stderr
    assert "not run, as its crash is known" in done.stdout


def test_places_are_told_apart():
    done = with_ledger(FAILS, entry("wrong", {"class": "wrong_value"}, place="cuda"))
    assert "2 failed" in done.stdout
    kinds = ({"class": "wrong_value"}, {"class": "wrong_special_value"})
    assert with_ledger(FAILS, *(entry("wrong", kind, place="host") for kind in kinds)).returncode == 0


@pytest.mark.parametrize(
    "text, says",
    [
        (None, "No such file"),
        ("{}", "known.json"),
        ('{"version": 1, "accepted": [{"kernel": "a", "class": "wrong_value", "reason": "b"}]}', "link"),
        ('{"version": 1, "accepted": [{"kernel": "a", "class": "wrong", "reason": "b", "link": "a/b#1"}]}', "wrong"),
    ],
)
def test_a_ledger_that_is_none_ends_the_run(text, says):
    if text is not None:
        pathlib.Path("known.json").write_text(text)
    done = run(COUNTS, "--negzero-accept", "known.json")
    assert done.returncode == 4, done.stdout + done.stderr
    assert "ERROR: --negzero-accept known.json: " in done.stderr and says in done.stderr


def test_workers_of_xdist_share_one_ledger():
    pytest.importorskip("xdist")
    kinds = ({"class": "wrong_value"}, {"class": "wrong_special_value"}, {"class": "data_race"})
    done = with_ledger(FAILS, *(entry("wrong", kind) for kind in kinds), options=("-p", "xdist", "-n", "2"))
    assert "2 passed" in done.stdout, done.stdout
    assert "accepted finding #3 (wrong, data_race) did not occur" in done.stdout
    assert done.returncode == 1
