"""What pytest prints of an error of negzero: the caller's lines, and none of this package's own."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import negzero
import pytest
from negzero import _parameters, _tracebacks

TESTS = """
import negzero, numpy as np
LINE = "softmax: y[rows, columns] <- x[rows, columns]"
def test_a_wrong_name():
    negzero.check(lambda x: x, "softmax")
def test_no_reference():
    negzero.check(lambda x: x, LINE, cases=20, save_to=None)
def test_a_wrong_argument():
    negzero.judge(np.ones(3), "gemm", a=np.ones(3), b=3)
def test_a_reference_without_its_scale():
    negzero.check(lambda x: x, LINE, reference=lambda x: x, error=1e-6, save_to=None)
def test_a_reference_that_raises():
    def raises(x):
        raise KeyError("no table")
    negzero.check(lambda x: x, LINE, reference=raises, error=1e-6, save_to=None)
"""


@pytest.fixture(name="printed")
def _printed(tmp_path: pathlib.Path) -> str:
    (tmp_path / "test_it.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"]
    return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout


def test_only_lines_of_the_caller_are_shown(printed: str) -> None:
    assert "5 failed" in printed
    package = str(pathlib.Path(negzero.__file__).parent)
    assert package not in printed and "negzero/_" not in printed, printed
    assert printed.count("The above exception was the direct cause") == 1, "of the function that raises alone"
    assert 'raise KeyError("no table")' in printed


def test_frames_of_a_fault_of_the_package_are_shown() -> None:
    with pytest.raises(AttributeError) as ours:
        _parameters.scalar_limits(None, None)  # type: ignore[arg-type]
    with pytest.raises(AttributeError) as theirs:
        _ = pathlib.Path().no_such_attribute  # type: ignore[attr-defined]
    with pytest.raises(negzero.LibraryError) as of_the_library:
        raise negzero.LibraryError("wrong")
    hidden = [_tracebacks.is_hidden(each) for each in (ours, theirs, of_the_library)]
    assert hidden == [False, True, False]
