"""Reports as files, and what processes tell each other."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ._recorder import Recorder
from ._report import Report
from ._rows import Row, merge, read, written

_KINDS = (".json", ".md", ".html")


def check_path(path: str, folder: str) -> None:
    """Raises ValueError where a report's file has another ending, or lies in no folder."""
    if not path.endswith(_KINDS):
        raise ValueError(f"{path!r} ends in none of {', '.join(_KINDS)}; its ending says what is written")
    holder = os.path.dirname(os.path.join(folder, path))
    if not os.path.isdir(holder):
        raise ValueError(f"{path!r}: there is no folder {holder}; make it first")


def write(report: Report, path: str) -> str:
    """Writes a report as its ending says. Returns why it could not be written; "" where it was."""
    text = {".json": report.json, ".md": report.markdown, ".html": report.html}[os.path.splitext(path)[1]]()
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text if text.endswith("\n") else text + "\n")
    except OSError as error:
        return f"error: {path}: {error.strerror or error}; the report is not written"
    return ""


def seen(recorder: Recorder) -> "dict[str, Any]":
    """Returns what a process has seen, of numbers and texts alone."""
    return {
        "rows": [written(row) for row in recorder.rows.values()],
        "own": recorder.account.own,
        "spent": recorder.account.spent,
        "missing": recorder.missing(),
    }


def joined(parts: "Sequence[dict[str, Any]]") -> Report:
    """Makes one report of what processes have seen."""
    rows: "dict[tuple[Any, ...], Row]" = {}
    for part in parts:
        for row in part["rows"]:
            merge(rows, read(row))
    own, spent = (sum(part[name] for part in parts) for name in ("own", "spent"))
    return Report(list(rows.values()), own, spent)


def missing(parts: "Sequence[dict[str, Any]]") -> "list[str]":
    """Returns a line for each function that no process has found."""
    lines = set(parts[0]["missing"]) if parts else set()
    for part in parts[1:]:
        lines &= set(part["missing"])
    return [f"error: {line}; nothing of it was watched" for line in sorted(lines)]
