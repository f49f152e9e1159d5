"""pytest --negzero-assertions: which wrong results the assertions of a suite let pass."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest


def add_options(group: Any) -> None:
    """Adds the options."""
    group.addoption(
        "--negzero-assertions",
        action="store_true",
        help="repeat each passing assertion on arrays with wrong values, which ought to fail, and list what passes; "
        "takes at most the suite's own time again and changes no outcome",
    )
    group.addoption(
        "--negzero-assertions-also",
        action="append",
        default=[],
        metavar="MODULE:FUNCTION",
        help="an assertion of the project's own, tests.utils:check_close for one; MODULE:CLASS.METHOD too. Its first "
        "array is the value under test, or the parameter of :FUNCTION:PARAMETER",
    )
    group.addoption(
        "--negzero-assertions-record",
        action="append",
        default=[],
        metavar="NAME",
        help="a function that negzero knows, torch.matmul for one: assertions about its results say what is permitted",
    )
    group.addoption(
        "--negzero-assertions-report",
        action="append",
        default=[],
        metavar="FILE",
        help="all rows as .json, .md or .html",
    )
    group.addoption(
        "--negzero-assertions-fail",
        metavar="CHANGES",
        help="fail the run where one of these changes passes at a site: zeros,lost_row",
    )
    group.addoption(
        "--negzero-assertions-accept",
        metavar="FILE",
        help="ledger of sites that may let a change pass, each with its reason",
    )


_DEPENDENT = ("also", "record", "report", "fail", "accept")


def configure(config: pytest.Config) -> None:
    """Starts where the option is given. Raises pytest.UsageError for what cannot be done."""
    given = {name: config.getoption(f"--negzero-assertions-{name}") for name in _DEPENDENT}
    if not config.getoption("--negzero-assertions"):
        for name, value in given.items():
            if value:
                raise pytest.UsageError(
                    f"--negzero-assertions-{name} says nothing without --negzero-assertions; add it"
                )
        return
    config.pluginmanager.register(Assertions(config, **given), "negzero_assertions")


class Assertions:
    """The hooks of a run whose assertions are repeated."""

    def __init__(self, config: pytest.Config, also: Any, record: Any, report: Any, fail: Any, accept: Any) -> None:
        from negzero._assertions._accepted import changes_of, read_ledger
        from negzero._assertions._recorder import Recorder
        from negzero._assertions._written import check_path

        self._paths = [os.path.join(config.invocation_params.dir, path) for path in report]
        name = "fail"
        try:
            self._gate = changes_of(fail) if fail is not None else []
            name = "accept"
            self._ledger = read_ledger(accept, (config.invocation_params.dir / accept).read_bytes()) if accept else []
            name = "report"
            for path in () if hasattr(config, "workerinput") else report:
                check_path(path, str(config.invocation_params.dir))
            name = "also or -record"
            self._recorder = Recorder(str(config.rootpath), also, record, self._gate)
        except OSError as error:
            raise pytest.UsageError(f"--negzero-assertions-{name} {error.filename}: {error.strerror}") from error
        except ValueError as error:
            raise pytest.UsageError(f"--negzero-assertions-{name}: {error}") from error
        self._recorder.waits = True
        self._others: "list[dict[str, Any]]" = []
        self._lines: "list[str]" = []

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> "Iterator[None]":
        """Repeats a test's assertions once it is over, outside of its time limits and what it captures."""
        self._recorder.test, self._recorder.test_file = item.nodeid, str(item.path)
        yield
        self._recorder.flush()
        self._recorder.test = self._recorder.test_file = ""

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Takes what a worker of pytest-xdist has seen."""
        seen = getattr(node, "workeroutput", {}).get("negzero_assertions")
        if seen is not None:
            self._others.append(seen)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Writes the reports and holds the run to the gate."""
        from negzero._assertions import _accepted, _written

        from . import is_part

        self._recorder.close()
        seen = _written.seen(self._recorder)
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["negzero_assertions"] = seen
            return
        parts = self._others or [seen]
        report = _written.joined(parts)
        if session.config.getoption("collectonly"):
            self._lines, self._paths = ["tests were collected and not run"], []
            return
        unwritten = [line for path in self._paths if (line := _written.write(report, path))]
        decision = _accepted.decide(report.rows, self._gate, self._ledger)
        missing = _written.missing(parts)
        self._lines = [*report.text.splitlines()]
        wrong = [*missing, *unwritten]
        if wrong or decision.lines:
            self._lines += ["", *wrong, *decision.lines]
        if wrong:
            session.exitstatus = pytest.ExitCode.USAGE_ERROR
        elif session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED) and (
            decision.failing or (decision.stale and not is_part(session.config))
        ):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Prints the table."""
        terminalreporter.section("negzero: wrong values that assertions let pass")
        for line in self._lines:
            terminalreporter.line(line)
        for path in self._paths:
            if not any(path in line for line in self._lines):
                terminalreporter.line(f"written: {path}")
