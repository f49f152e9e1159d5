"""Prints what `negzero check --json` found over the grid: totals, one mark a configuration, and the reasons.

    python systems/triton_tma_matmul/report.py check.json...    of several runs the gravest findings count
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any
from collections.abc import Iterable, Sequence

from configurations import FORMATS, LAUNCHES, Configuration, grid

#: Marks of the table, with what they mean, the gravest first.
MARKS = {
    "W": "a wrong result",
    "X": "the process died",
    "H": "a hang",
    "E": "an exception that is no refusal",
    "r": "refused in words",
    "!": "an error of the run, and no verdict",
    ".": "permitted",
    "?": "nothing was decided",
    " ": "not run",
}
_GRAVITY = list(MARKS)
#: What a compiler says before it gives up: assert() of C, and LLVM's report_fatal_error() and llvm_unreachable().
_LAST_WORDS = (
    re.compile(r"([\w.]+:\d+: ).*Assertion `(.*?)' failed"),
    re.compile(r"()LLVM ERROR: (.*)"),
    re.compile(r"()([^\n:]*)\s*UNREACHABLE executed at"),
)


@dataclass(frozen=True)
class Row:
    """What became of one configuration."""

    mark: str
    reason: str  #: "" where it is permitted


def row_of(kernel: "dict[str, Any]") -> Row:
    """Reads the entry of a kernel in the document of `negzero check --json`. The gravest finding counts."""
    rows = [_of_finding(each, kernel.get("printed", "")) for each in kernel["findings"]]
    if rows:
        return min(rows, key=_gravity)
    if kernel["error"] > 0:
        return Row("!", kernel.get("note", ""))
    if kernel["pass"] == 0:
        return Row("?", f"{kernel['cases']} cases, of which {kernel['vacuous']} are vacuous")
    return Row(".", "")


def _gravity(row: Row) -> int:
    return _GRAVITY.index(row.mark)


def _of_finding(finding: "dict[str, Any]", printed: str) -> Row:
    message = re.sub(r" \(\w+\.py:\d+\)$", "", finding["message"])
    found = [match for words in _LAST_WORDS for text in (printed, message) if (match := words.search(text))]
    said = f"{found[0][1]}{found[0][2].strip()}" if found else ""
    if finding["rule"] == "run.raised":
        return Row("E", f"{message}; {said}" if said else message)
    if finding["class"] == "crash":
        return Row("X", f"{message.partition(';')[0].partition(':')[0]}; {said}" if said else message)
    if finding["class"] == "refused_legal_request":
        # How much is required depends on the configuration.
        return Row("r", re.sub(r"Required: \d+", "Required: more", message))
    return Row("H" if finding["class"] == "hang" else "W", f"{finding['class']}: {message}")


def table(rows: "dict[str, Row]") -> str:
    """Returns the report of configurations by name. Those that are not in `rows` were not run."""
    of = {each: rows.get(each.name, Row(" ", "")) for each in grid()}
    counts = Counter(row.mark for row in of.values())
    order = sorted(counts, key=lambda mark: (mark != ".", MARKS[mark]))
    totals = ", ".join(f"{counts[mark]} {MARKS[mark]}" for mark in order)
    lines = [f"{len(of)} configurations: {totals}", "", *_head()]
    for name in FORMATS:
        layouts = dict.fromkeys(each.layout for each in of)
        for layout in layouts:
            marks = [row.mark for each, row in of.items() if (each.format, each.layout) == (name, layout)]
            lines.append(f"{name:8} {layout:12} " + " ".join(f"{mark:>2}" for mark in marks).rstrip())
    reasons: dict[Row, list[Configuration]] = defaultdict(list)
    for each, row in of.items():
        if row.reason:
            reasons[row].append(each)
    for row, of_reason in sorted(reasons.items(), key=lambda item: -len(item[1])):
        lines += ["", f"{row.mark}  {len(of_reason)} of them, such as {of_reason[0].name}", f"   {row.reason}"]
    return "\n".join(lines)


def _head() -> "Iterable[str]":
    """Returns the launches by number, and their line of numbers."""
    for number, (tile, warps, loop) in enumerate(LAUNCHES):
        yield f"{number:2}  {'x'.join(map(str, tile))}, {warps} warps, {loop}"
    yield ""
    yield " " * 22 + " ".join(f"{number:>2}" for number in range(len(LAUNCHES)))


def rows_of(kernels: "Iterable[dict[str, Any]]") -> "dict[str, Row]":
    """Returns what became of each configuration by its name, the gravest of all runs."""
    rows: dict[str, Row] = {}
    for kernel in kernels:
        row = row_of(kernel)
        rows[kernel["name"]] = min(rows.get(kernel["name"], row), row, key=_gravity)
    return rows


def main(words: "Sequence[str]") -> None:
    """Prints the report of the documents whose paths are given. Exits with a line for one that holds an error."""
    kernels: list[dict[str, Any]] = []
    for path in words:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        if "error" in document:
            raise SystemExit(f"{path}: {document['error']['message']}")
        kernels += document["kernels"]
    print(table(rows_of(kernels)))


if __name__ == "__main__":
    main(sys.argv[1:])
