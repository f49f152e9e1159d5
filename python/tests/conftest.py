"""Each test has a folder of its own as the working directory, so that .negzero/ is made there.

A test of workers has modules in it: `folder`.
"""

from __future__ import annotations

import pathlib
import shutil

import pytest

HERE = pathlib.Path(__file__).parent


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def folder(tmp_path):
    """A folder with kernels that misbehave, and a JAX that never ends its import."""
    shutil.copy(HERE / "kernels_that_misbehave.py", tmp_path / "my_kernels.py")
    (tmp_path / "jax.py").write_text("import time\ntime.sleep(3600)\n")
    return tmp_path
