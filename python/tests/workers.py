"""The program with modules of Python, as tests of their workers run it, which NEGZERO_PROGRAM names."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from typing import Any

import pytest

PROGRAM = os.environ.get("NEGZERO_PROGRAM", "")
CHECK = ("--executor", "host", "--jobs", "2", "--timeout", "1s", "--shrink-time", "200ms", "--json")

needs_program = pytest.mark.skipif(not PROGRAM, reason="NEGZERO_PROGRAM does not name the program")


class Ran:
    """What the program did."""

    def __init__(self, done: "subprocess.CompletedProcess[str]") -> None:
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    def json(self) -> Any:
        assert self.out, self.err
        return json.loads(self.out)

    def kernel(self, name: str) -> Any:
        """The entry of a kernel in the document."""
        (entry,) = [each for each in self.json()["kernels"] if each["name"] == name]
        return entry


def run(folder: pathlib.Path, *words: "str | pathlib.Path", **environment: str) -> Ran:
    """Runs the program in a folder, with this Python and nothing kept from other tests."""
    whole = {
        **os.environ, "NEGZERO_PYTHON": sys.executable, "XDG_CACHE_HOME": str(folder / "caches"),
        "NEGZERO_START_SECONDS": "20", "TMPDIR": str(folder), **environment,
    }  # fmt: skip
    whole.pop("NEGZERO_SCRATCH", None)
    whole["NEGZERO_COMMAND"] = environment.get("NEGZERO_COMMAND", "negzero")
    done = subprocess.run(
        [PROGRAM, *map(str, words)], cwd=folder, env=whole, text=True, capture_output=True, timeout=300
    )
    left = [each.name for each in folder.iterdir() if each.name.startswith("negzero-run-")]
    assert not left, "the folders of a run go with it"
    return Ran(done)


def module(folder: pathlib.Path, text: str, name: str = "mine.py") -> pathlib.Path:
    path = folder / name
    path.write_text("import negzero, numpy as np\n" + text)
    return path
