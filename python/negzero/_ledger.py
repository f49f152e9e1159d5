"""Known findings: what a ledger accepts of a function, decided by the same code as `negzero check --accept`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from collections.abc import Mapping, Sequence

from . import _library


@dataclass(frozen=True)
class Accepted:
    """An entry that is about a function."""

    entry: int  #: its number in the file, from 0
    kind: "Mapping[str, str]"  #: {"class": ...} or {"rule": ...}
    reason: str
    link: str

    def __str__(self) -> str:
        return f"{next(iter(self.kind.values()))}: {self.reason} ({self.link})"


class Ledger:
    """A ledger's file (docs/how-to/ci.md)."""

    def __init__(self, path: str, data: bytes) -> None:
        """Raises ValueError, which names the file, the entry, what is wrong and the cure."""
        self._data = data
        try:
            _library.ledger(data, [], [])
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
        self.entries: "list[dict[str, str]]" = json.loads(data)["accepted"]

    def of(self, names: "Sequence[str]", place: str) -> "list[Accepted]":
        """Returns the entries that are about a function or a test of one of those names, which runs at that place."""
        found = []
        for number, entry in enumerate(self.entries):
            kind: "dict[str, str]" = {key: value for key, value in entry.items() if key in ("class", "rule")}
            alone = json.dumps({"version": 1, "accepted": [entry]}).encode()
            asked = [{"kernel": name, "place": place, **kind} for name in names]
            if any(each is not None for each in _library.ledger(alone, asked, [])["accepted"]):
                found.append(Accepted(number, kind, entry["reason"], entry["link"]))
        return found

    def stale(self, findings: "list[dict[str, str]]", ran: "list[dict[str, Any]]") -> "list[int]":
        """Returns the numbers of entries that are about something that ran, and accept nothing that was found."""
        return list(_library.ledger(self._data, findings, ran)["stale"])


def is_quarantine(accepted: Accepted) -> bool:
    """Says whether what an entry is about is not to be run."""
    return accepted.kind.get("class") == "crash" or accepted.kind.get("rule") == "run.crash"
