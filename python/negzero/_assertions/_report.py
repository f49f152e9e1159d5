"""The table of assertions, worst first: as text, JSON, Markdown and HTML."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .._changes import CHANGES
from ._rows import KEYS, Row, written

#: Sites that are listed in a terminal.
_SCREEN = 8
_COLUMNS = 110
NAMES = {**{change.key: change.name for change in CHANGES}, "lost_term": "last term dropped"}


@dataclass(frozen=True)
class Report:
    """What came of a run."""

    rows: "Sequence[Row]"
    own_seconds: float  #: what the suite took by itself
    spent_seconds: float  #: what repeating took

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", sorted(self.rows, key=lambda row: row.worth, reverse=True))

    @property
    def sites(self) -> int:
        """How many sites there are."""
        return len({(row.site.file, row.site.line) for row in self.rows})

    def passing(self, key: str) -> int:
        """Returns at how many sites a change passed."""
        return len({(row.site.file, row.site.line) for row in self.rows if row.passed[key]})

    def trying(self, key: str) -> int:
        """Returns at how many sites a change was tried."""
        return len({(row.site.file, row.site.line) for row in self.rows if row.tried[key]})

    # For people

    @property
    def text(self) -> str:
        """At most a screen, without a newline at the end."""
        if not self.rows:
            return "no assertion was seen: no test that passed called one of the functions that are watched"
        lines = [self.summary, ""]
        repeated = [row for row in self.rows if row.repeated]
        if repeated:
            counts = [f"{key} {self.passing(key):,} of {self.trying(key):,}" for key in KEYS if self.trying(key)]
            lines += [
                *_wrapped("sites at which a wrong value passes, of those at which it was tried: ", counts, "  "),
                "",
            ]
        worst = [row for row in repeated if row.passes]
        lines += [line for row in worst[:_SCREEN] for line in _entry(row)]
        if len(worst) > _SCREEN:
            lines.append(f"... and {len(worst) - _SCREEN:,} more, which a report has")
        if repeated and not worst:
            lines.append("No wrong value passed.")
        return "\n".join([*lines, *self._left_out()])

    @property
    def summary(self) -> str:
        """One line."""
        calls, tries = sum(row.calls for row in self.rows), sum(sum(row.tried.values()) for row in self.rows)
        sites = f"{self.sites:,} assertion{'' if self.sites == 1 else 's'}"
        return (
            f"{sites}, {calls:,} passing call{'' if calls == 1 else 's'}, {tries:,} wrong values tried in "
            f"{self.spent_seconds:.1f} s; the suite itself took {self.own_seconds:.1f} s"
        )

    def _counts(self) -> "list[tuple[str, str, str]]":
        counts = [("wrong value", "passes at", "tried at")]
        for key in KEYS:
            if self.trying(key):
                counts.append((f"{NAMES[key]} ({key})", _sites(self.passing(key)), _sites(self.trying(key))))
        return counts

    def _left_out(self) -> "list[str]":
        reasons: "dict[str, int]" = {}
        for row in self.rows:
            for why, count in row.skipped.items():
                reasons[why] = reasons.get(why, 0) + count
        total = sum(reasons.values())
        if not total:
            return []
        most = sorted(reasons.items(), key=lambda each: -each[1])[:3]
        named = "; ".join(f"{count:,}: {why}" for why, count in most)
        return ["", f"not repeated, {total:,} call{'' if total == 1 else 's'}: {named}"]

    # For programs and pages

    def json(self) -> str:
        """All rows."""
        return json.dumps(
            {
                "version": 1,
                "sites": self.sites,
                "calls": sum(row.calls for row in self.rows),
                "own_seconds": round(self.own_seconds, 3),
                "spent_seconds": round(self.spent_seconds, 3),
                "changes": {key: {"passes": self.passing(key), "tried": self.trying(key)} for key in KEYS},
                "rows": [{**written(row), "passes": row.passes} for row in self.rows],
            },
            indent=1,
            allow_nan=False,
            default=str,
        )

    def markdown(self) -> str:
        """The counts and all rows as tables."""
        lines = [self.summary, ""]
        for table in (self._counts(), self._cells()):
            head, *rest = table
            lines += [_piped(head), _piped(["---"] * len(head)), *(_piped(cells) for cells in rest), ""]
        return "\n".join(lines)

    def html(self) -> str:
        """A page that needs nothing else."""
        tables = []
        for table in (self._counts(), self._cells()):
            head, *rest = table
            body = "".join(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in cells)}</tr>\n" for cells in rest)
            names = "".join(f"<th>{html.escape(cell)}</th>" for cell in head)
            tables.append(f"<table>\n<tr>{names}</tr>\n{body}</table>\n")
        return (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>What assertions let pass</title>\n'
            "<style>body{font:14px/1.4 system-ui,sans-serif;margin:2em}table{border-collapse:collapse;margin:1em 0}"
            "td,th{border:1px solid #8884;padding:.3em .6em;text-align:left;vertical-align:top}"
            "td:first-child{font-family:ui-monospace,monospace}</style></head>\n"
            f"<body><h1>What assertions let pass</h1>\n<p>{html.escape(self.summary)}</p>\n"
            f"{''.join(tables)}</body></html>\n"
        )

    def _cells(self) -> "list[Sequence[str]]":
        head = (
            "site",
            "assertion",
            "format",
            "largest",
            "tolerance",
            "calls",
            "passes",
            "one element may move by",
            "permitted",
        )
        cells: "list[Sequence[str]]" = [head]
        for row in self.rows:
            cells.append(
                (
                    row.site.text,
                    row.text,
                    row.format or "-",
                    f"{row.elements:,}" if row.format else "-",
                    row.tolerance_text,
                    f"{row.calls:,}",
                    _words(row) if row.repeated else f"not repeated: {'; '.join(row.skipped)}",
                    row.reach.text if row.reach else "-",
                    " ".join(_known(row)) or "-",
                )
            )
        return cells


def _entry(row: Row) -> "list[str]":
    """The lines of one row in a terminal."""
    shapes = " ".join(str(shape) for shape in row.shapes[:1]) + (" ..." if len(row.shapes) > 1 else "")
    reach = f"; one element may move by {row.reach.text}" if row.reach is not None else ""
    calls = f"{row.calls:,} call{'' if row.calls == 1 else 's'}"
    lines = [
        row.site.text,
        f"    {row.text[:106]}",
        f"    {row.tolerance_text}; {row.format} {shapes}; {calls}{reach}",
        *_wrapped("    passes: ", [*row.passes[:-1], f"{row.passes[-1]} ({_count(row)})"], "        "),
    ]
    return [*lines, *(f"    {line}" for line in _known(row))]


def _words(row: Row) -> str:
    """The changes that passed, and how many of those that were tried."""
    return f"{', '.join(NAMES[key] for key in row.passes) or 'none'} ({_count(row)})"


def _count(row: Row) -> str:
    return f"{len(row.passes)} of {len(row.tried)} tried"


def _known(row: Row) -> "list[str]":
    lines = []
    for each in row.known:
        if each["who"] == "tolerance":
            if "atol" in each:
                lines.append(f"every two permitted results are within atol {each['atol']:.3g}")
            continue
        lines.append(f"{each['who']}: {each['text'].partition(': ')[2] or each['text']}")
    if row.paste:
        lines.append(f"instead: {row.paste}")
    return lines


def _sites(count: int) -> str:
    return f"{count:,} site{'' if count == 1 else 's'}"


def _wrapped(head: str, words: "Sequence[str]", indent: str) -> "list[str]":
    """Lines of words with commas between them, broken between words alone."""
    lines = [head]
    for number, word in enumerate(words):
        text = word + ("," if number + 1 < len(words) else "")
        if len(lines[-1]) + len(text) + 1 > _COLUMNS and lines[-1].strip():
            lines.append(indent)
        lines[-1] += text if lines[-1].endswith(" ") else f" {text}"
    return lines


def _piped(cells: "Sequence[Any]") -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"
