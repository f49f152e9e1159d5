"""python -m negzero assertions SCRIPT.py: the hook without pytest, for scripts and for unittest."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from collections.abc import Sequence

from ._accepted import changes_of, decide, read_ledger
from ._recorder import Recorder
from ._written import check_path, joined, missing, seen, write

_FINDINGS, _USAGE = 1, 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m negzero assertions",
        description="Runs a script, repeats each passing assertion on arrays with wrong values, and lists what passes.",
        epilog="example: python -m negzero assertions -m unittest tests.test_gemm. Exits as the script does; with 1 "
        "where --fail finds something, with 2 for what cannot be run. With pytest: pytest --negzero-assertions.",
    )
    parser.add_argument(
        "--also", action="append", default=[], metavar="MODULE:FUNCTION", help="an assertion of your own"
    )
    parser.add_argument(
        "--record", action="append", default=[], metavar="NAME", help="a function, torch.matmul for one"
    )
    parser.add_argument("--report", action="append", default=[], metavar="FILE", help="all rows as .json, .md or .html")
    parser.add_argument("--fail", metavar="CHANGES", help="exit with 1 where one of them passes: zeros,lost_row")
    parser.add_argument("--accept", metavar="FILE", help="ledger of sites that may let a change pass")
    parser.add_argument(
        "-m", dest="module", action="store_true", help="SCRIPT is the name of a module, as in python -m"
    )
    parser.add_argument("script", metavar="SCRIPT", help="a file, or with -m a module")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...", help="its arguments")
    return parser


def main(words: "Sequence[str]") -> int:
    """Runs a script under the hook, and returns the exit code."""
    parser = _parser()
    given = parser.parse_args(words)
    root = os.getcwd()
    try:
        gate = changes_of(given.fail) if given.fail is not None else []
        ledger = []
        if given.accept is not None:
            with open(given.accept, "rb") as file:
                ledger = read_ledger(given.accept, file.read())
        for path in given.report:
            check_path(path, root)
        if not given.module and not os.path.isfile(given.script):
            raise ValueError(f"{given.script}: there is no such file; -m runs a module by its name")
        recorder = Recorder(root, given.also, given.record, gate)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    code = _run(recorder, given, root)
    parts = [seen(recorder)]
    report = joined(parts)
    unwritten = [line for path in given.report if (line := write(report, os.path.join(root, path)))]
    decision = decide(report.rows, gate, ledger)
    lost = missing(parts)
    print("\n".join(["", report.text, *lost, *unwritten, *decision.lines]), file=sys.stderr)
    if code:
        return code
    if lost or unwritten:
        return _USAGE
    return _FINDINGS if decision.failing or decision.stale else 0


def _run(recorder: Recorder, given: argparse.Namespace, root: str) -> int:
    """Runs the script as Python does, and returns its exit code."""
    before = sys.argv, list(sys.path)
    sys.argv = [given.script, *given.arguments]
    sys.path[0] = root if given.module else os.path.dirname(os.path.abspath(given.script))
    try:
        if given.module:
            runpy.run_module(given.script, run_name="__main__", alter_sys=True)
        else:
            recorder.test_file = given.script
            runpy.run_path(recorder.test_file, run_name="__main__")
        return 0
    except SystemExit as stop:
        if stop.code is not None and not isinstance(stop.code, int):
            print(stop.code, file=sys.stderr)
        return stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    finally:
        sys.argv, sys.path[:] = before
        recorder.close()
