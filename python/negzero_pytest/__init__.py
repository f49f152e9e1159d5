"""The pytest plugin of negzero: how many cases negzero.check() draws, and which failed before.

It imports nothing of negzero, so that a test suite without negzero.check() pays for this file alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from collections.abc import Iterator

import pytest


@dataclass
class Settings:
    """What the command line says, and the test that runs: negzero.check() reads it."""

    cases: "int | None" = None
    seed: "int | None" = None
    folder: "str | None" = None
    test: str = ""


settings = Settings()


def _whole(least: int) -> Any:
    def read(text: str) -> int:
        value = int(text) if text.isdecimal() else least - 1
        if value < least:
            import argparse

            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least} on")
        return value

    return read


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    group = parser.getgroup("negzero", "negzero.check()")
    group.addoption(
        "--negzero-cases", type=_whole(1), metavar="N", help="cases that each negzero.check() draws (default: 300)"
    )
    group.addoption("--negzero-seed", type=_whole(1), metavar="N", help="seed of the cases that are drawn (default: 1)")
    group.addoption(
        "--negzero-save",
        metavar="DIR",
        help="folder of failing cases, with which the next run of their test begins (default: .negzero)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Reads the options; a worker of pytest-xdist has those of its controller."""
    settings.cases = config.getoption("--negzero-cases")
    settings.seed = config.getoption("--negzero-seed")
    settings.folder = config.getoption("--negzero-save")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> "Iterator[None]":
    """Tells negzero.check() which test it runs in: failing cases are kept by test."""
    settings.test = item.nodeid
    yield
    settings.test = ""
