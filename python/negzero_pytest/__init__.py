"""The pytest plugin of negzero: cases, seeds and folders of negzero.check(), the ledger of known findings, and the hook
on the assertions of a suite (_assertions).

It imports nothing of negzero but for --negzero-accept and --negzero-assertions, so that a test suite without
negzero.check() pays for this folder alone.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from typing import Any
from collections.abc import Iterator, Sequence

import pytest

from . import _assertions


def cases_text(count: int) -> str:
    """Returns "1 case", "1,200 cases"."""
    return f"{count:,} case{'' if count == 1 else 's'}"


@dataclass
class Settings:
    """What the command line says, the test that runs, and what became of the checks: negzero.check() uses it."""

    cases: "int | None" = None
    seed: "int | None" = None
    folder: "str | None" = None
    test: str = ""
    ledger: Any = None  #: negzero._ledger.Ledger
    #: Rows for Ledger.stale(), and what is listed in the end.
    findings: "list[dict[str, str]]" = field(default_factory=list)
    ran: "list[dict[str, Any]]" = field(default_factory=list)
    about: "list[int]" = field(default_factory=list)  #: entries that are about something that was checked
    lines: "list[str]" = field(default_factory=list)

    def note(
        self, what: str, function: str, place: str, accepted: "Sequence[Any]", counts: "Sequence[int]", is_whole: bool
    ) -> None:
        """Keeps what became of one check: for each entry of the ledger about it how many cases failed so."""
        if self.ledger is None:
            return
        self.about += [each.entry for each in accepted]
        for name in {what, function, function.rpartition(".")[2]}:
            self.ran.append({"kernel": name, "place": place, "whole": is_whole})
            self.findings += [
                {"kernel": name, "place": place, **each.kind} for each, count in zip(accepted, counts) if count
            ]
        self.lines += [f"{what}: {each}: {cases_text(count)}" for each, count in zip(accepted, counts) if count]

    def skip(self, why: str) -> None:
        """Skips the test, whose crash is known."""
        self.lines.append(f"{self.test}: {why}")
        pytest.skip(why)


settings = Settings()


def _whole(text: str) -> int:
    value = int(text) if text.isdecimal() else 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1 on")
    return value


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    group = parser.getgroup("negzero", "negzero.check()")
    group.addoption(
        "--negzero-cases", type=_whole, metavar="N", help="cases that each negzero.check() draws (default: 300)"
    )
    group.addoption("--negzero-seed", type=_whole, metavar="N", help="seed of the cases that are drawn (default: 1)")
    group.addoption(
        "--negzero-save",
        metavar="DIR",
        help="folder of failing cases, with which the next run of their test begins (default: .negzero)",
    )
    group.addoption(
        "--negzero-accept",
        metavar="FILE",
        help="ledger of known findings, as of `negzero check --accept`: what it names is counted and listed, and is no "
        "failure; what no longer occurs is one",
    )
    _assertions.add_options(group)


def pytest_configure(config: pytest.Config) -> None:
    """Reads the options; a worker of pytest-xdist has those of its controller."""
    settings.cases = config.getoption("--negzero-cases")
    settings.seed = config.getoption("--negzero-seed")
    settings.folder = config.getoption("--negzero-save")
    _assertions.configure(config)
    path = config.getoption("--negzero-accept")
    if path is None:
        return
    from negzero._ledger import Ledger

    try:
        settings.ledger = Ledger(path, (config.invocation_params.dir / path).read_bytes())
    except OSError as error:
        raise pytest.UsageError(f"--negzero-accept {path}: {error.strerror or error}; give a ledger's file") from error
    except ValueError as error:
        raise pytest.UsageError(f"--negzero-accept {error}") from error


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> "Iterator[None]":
    """Tells negzero.check() which test it runs in: failing cases are kept by test."""
    settings.test = item.nodeid
    yield
    settings.test = ""


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Takes what a worker of pytest-xdist has noted."""
    noted = getattr(node, "workeroutput", {}).get("negzero", {})
    for name, rows in noted.items():
        getattr(settings, name).extend(rows)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Fails a run in which an accepted finding no longer occurs."""
    if settings.ledger is None:
        return
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        names = ("findings", "ran", "about", "lines")
        output["negzero"] = {name: getattr(settings, name) for name in names}
        return
    if is_part(session.config) or exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        return
    for number, entry in enumerate(settings.ledger.entries):
        if number not in settings.about:
            settings.lines.append(
                f"accepted finding #{number + 1} ({entry['kernel']}) is about nothing that was checked"
            )
    for number in settings.ledger.stale(settings.findings, settings.ran):
        entry = settings.ledger.entries[number]
        kind = entry.get("class") or entry.get("rule")
        settings.lines.append(
            f"accepted finding #{number + 1} ({entry['kernel']}, {kind}) did not occur: fixed? remove it from "
            f"{session.config.getoption('--negzero-accept')}"
        )
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def is_part(config: pytest.Config) -> bool:
    """Whether tests were picked: what did not occur in a part of them may occur in the others."""
    picked = [config.getoption(name, None) for name in ("keyword", "markexpr", "lf", "deselect", "maxfail")]
    return any(picked) or any("::" in str(each) for each in config.invocation_params.args)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Lists what was accepted, and what no longer occurs."""
    if settings.lines:
        terminalreporter.section("negzero: known findings")
        for line in settings.lines:
            terminalreporter.line(line)
