"""Each test has a folder of its own as the working directory, so that .negzero/ is made there."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
