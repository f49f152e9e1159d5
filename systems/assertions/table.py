"""Makes the rows of docs/measured/assertions.md of what run.py wrote: table.py FOLDER."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from suites import SUITES

#: The changes that have a column, and what it is called.
COLUMNS = {
    "zeros": "zeros",
    "lost_row": "row lost",
    "last_unwritten": "last not written",
    "doubled": "one doubled",
    "exchanged_rows": "rows exchanged",
    "nan": "one NaN",
    "scaled": "scaled by 1 + 2^-7",
}
_WORST = 10


def place(row: "dict") -> "tuple[str, int]":
    """The line that a row is of."""
    return row["site"]["file"], row["site"]["line"]


def counts(name: str, report: "dict") -> str:
    """The row of one suite."""
    suite = SUITES[name]
    repeated = {place(row) for row in report["rows"] if row["repeated"]}
    cells = [f"[{suite.repository}](https://github.com/{suite.repository}) {suite.tag} `{suite.commit[:8]}`"]
    cells += [f"{report['sites']:,}", f"{len(repeated):,}", f"{report['calls']:,}"]
    for key in COLUMNS:
        change = report["changes"][key]
        cells.append(f"{change['passes']:,} of {change['tried']:,}")
    cells.append(f"{report['own_seconds']:.0f} + {report['spent_seconds']:.0f}")
    return f"| {' | '.join(cells)} |"


def worst(reports: "dict[str, dict]") -> "list[str]":
    """The rows of the worst sites of all suites, at most two of one file."""
    lines: "list[str]" = []
    files: "dict[tuple[str, str], set[int]]" = {}
    rows = [(name, row) for name, report in reports.items() for row in report["rows"] if row["passes"] and row["reach"]]
    rows.sort(key=lambda each: (-len(each[1]["passes"]), -(each[1]["reach"]["relative"] or 0)))
    for name, row in rows:
        file, line = place(row)
        seen = files.setdefault((name, file), set())
        if line in seen or len(seen) >= 2 or row["elements"] < 4:
            continue
        seen.add(line)
        reach = row["reach"]
        share = reach["relative"]
        by = "any distance" if reach["ulps"] is None else "-" if share is None else f"{100 * share:,.3g} %"
        text = row["text"].replace("|", "\\|")
        lines.append(
            f"| {name} `{file.removeprefix(f'{name}/')}:{line}` | `{text}` | {row['tolerance_text']} | {', '.join(row['passes'])} | {by} |"
        )
        if len(lines) == _WORST:
            break
    return lines


def main() -> None:
    """Prints both tables."""
    folder = Path(sys.argv[1])
    reports = {
        name: json.loads((folder / f"{name}.json").read_text())
        for name in SUITES
        if (folder / f"{name}.json").is_file()
    }
    heads = ["suite", "sites", "repeated", "calls", *COLUMNS.values(), "seconds"]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for name, report in reports.items():
        print(counts(name, report))
    print("\n| site | assertion | tolerance | passes | one element may move by |\n|---|---|---|---|---|")
    print("\n".join(worst(reports)))


if __name__ == "__main__":
    main()
