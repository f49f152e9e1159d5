"""The gate of --negzero-assertions-fail, and the ledger of sites that may let a change pass, each for a reason."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ._rows import KEYS, Row


def changes_of(text: str) -> "list[str]":
    """Reads "zeros,lost_row". Raises ValueError, which lists what there is."""
    keys = [word.strip() for word in text.split(",") if word.strip()]
    for key in keys:
        if key not in KEYS:
            raise ValueError(f"{key!r} is no change; give some of {', '.join(KEYS)}")
    if not keys:
        raise ValueError(f"no change is named; give some of {', '.join(KEYS)}")
    return keys


@dataclass(frozen=True)
class Entry:
    """A site that may let changes pass."""

    file: str  #: a pattern of paths below the root: "tests/test_*.py"
    at: str  #: a part of the line's text, blanks ignored; "" for every line of the file
    changes: "tuple[str, ...]"
    reason: str

    def is_about(self, row: Row, key: str) -> bool:
        """Says whether a change at a site is accepted."""
        here = fnmatch.fnmatchcase(row.site.file, self.file) and _plain(self.at) in _plain(row.text)
        return here and key in self.changes


def read_ledger(path: str, data: bytes) -> "list[Entry]":
    """Reads {"version": 1, "accepted": [{"file", "at", "changes", "reason"}]}. Raises ValueError with the cure."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: no JSON ({error}); give a ledger of assertions") from error
    listed = content.get("accepted") if isinstance(content, dict) else None
    if not isinstance(content, dict) or content.get("version") != 1 or not isinstance(listed, list):
        raise ValueError(f'{path}: no ledger; give {{"version": 1, "accepted": [...]}}')
    return [_entry(path, number, each) for number, each in enumerate(listed, 1)]


def _entry(path: str, number: int, given: Any) -> Entry:
    where = f"{path}: entry {number}"
    if not isinstance(given, dict):
        raise ValueError(f"{where} is no object; give one with file, changes and reason, and at for one line")
    for name in given:
        if name not in ("file", "at", "changes", "reason"):
            raise ValueError(f"{where}: {name!r} is no field; give file, at, changes and reason")
    for name in ("file", "reason"):
        if not isinstance(given.get(name), str) or not given[name].strip():
            raise ValueError(f"{where}: {name} is missing; give a text")
    changes, at = given.get("changes"), given.get("at", "")
    if not isinstance(changes, list) or not changes or not isinstance(at, str):
        raise ValueError(f'{where}: changes is a list of words, ["zeros"] for one, and at is the text of a line')
    for key in changes:
        if key not in KEYS:
            raise ValueError(f"{where}: {key!r} is no change; give some of {', '.join(KEYS)}")
    return Entry(given["file"], at, tuple(changes), given["reason"])


def _plain(text: str) -> str:
    return "".join(text.split())


@dataclass(frozen=True)
class Decision:
    """What a gate says of a run."""

    failing: "list[str]"  #: a line for each site that lets a change pass and may not
    accepted: "list[str]"
    stale: "list[str]"  #: entries of the ledger that accept nothing

    @property
    def lines(self) -> "list[str]":
        """All of it for people."""
        return [*self.failing, *self.accepted, *self.stale]


def decide(rows: "Sequence[Row]", gate: "Sequence[str]", ledger: "Sequence[Entry]") -> Decision:
    """Holds a run to a gate: no site may let one of those changes pass that no entry accepts."""
    failing, accepted, used = [], [], set()
    for row in rows:
        for key in gate:
            entry = next((each for each in ledger if each.is_about(row, key)), None)
            if not row.passed[key]:
                if row.format and not row.tried[key] and key not in row.absent:
                    why = "; ".join(row.skipped) or "there was no call to repeat"
                    failing.append(f"{row.site.text}: {key} was not tried ({why})") if entry is None else used.add(
                        entry
                    )
                continue
            if entry is None:
                failing.append(f"{row.site.text}: {key} passes; {row.tolerance_text}")
            else:
                used.add(entry)
                accepted.append(f"{row.site.text}: {key} passes, accepted: {entry.reason}")
    if gate and not any(row.repeated for row in rows):
        seen = "could be repeated" if rows else "was seen"
        failing.append(f"no assertion {seen}, so that nothing is known")
    stale = [
        f"accepted {each.file} {each.at!r} lets none of {', '.join(each.changes)} pass; remove it"
        for each in ledger
        if gate and each not in used and any(fnmatch.fnmatchcase(row.site.file, each.file) for row in rows)
    ]
    return Decision(_once(failing), _once(accepted), stale)


def _once(lines: "list[str]") -> "list[str]":
    return list(dict.fromkeys(lines))
