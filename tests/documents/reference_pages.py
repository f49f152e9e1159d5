"""Pages of docs/reference that are made of what the program says of itself, and of the schema of its JSON.

reference_pages.py NEGZERO SOURCE             fails where a page is another one, or the exit codes of a document differ
reference_pages.py NEGZERO SOURCE --write     writes the pages
reference_pages.py NEGZERO SOURCE --self-test changes each page, each of which must be noticed
"""

from __future__ import annotations

import difflib
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Callable

from reference_commands import commands
from reference_json import json_page
from reference_lists import declaration, fields, operations, rules, strategies
from reference_text import Program

PAGES: "dict[str, Callable[[Program], str]]" = {
    "docs/reference/commands.md": commands,
    "docs/reference/operations.md": operations,
    "docs/reference/rules.md": rules,
    "docs/reference/strategies.md": strategies,
    "docs/reference/fields.md": fields,
    "docs/reference/nz.md": declaration,
    "docs/reference/json.md": json_page,
}


def wrong_codes(program: Program, source: Path) -> "list[str]":
    """Returns where the exit codes of documents are not those of the program."""
    header = (program.source / "src/negzero/cli/exit_code.hpp").read_text()
    known = re.findall(r"^  k[A-Za-z]+ = (\d+),", header, re.MULTILINE)
    order = re.search(r"picks ([\d, ]+) in that order", header).group(1)
    help_text = re.sub(r"\([^()]*\)", "", " ".join(program.text("--help").split()))
    help_text = help_text[help_text.index("Exit codes:") :]
    document = (source / "docs/reference/exit_codes.md").read_text()
    wrong = []
    for where, codes in (
        ("--help", re.findall(r"(?:: |, )(\d+) [a-z]", help_text)),
        ("docs/reference/exit_codes.md", re.findall(r"^\| (\d+) \|", document, re.MULTILINE)),
    ):
        if codes != known:
            wrong.append(f"{where} has the exit codes {', '.join(codes)}; exit_code.hpp has {', '.join(known)}")
    for where, text in (("--help", help_text), ("docs/reference/exit_codes.md", document)):
        if order not in text:
            wrong.append(f"{where} does not say that the first of {order} counts, as exit_code.hpp does")
    return wrong


def compare(program: Program, source: Path, made: "dict[str, str]") -> "list[str]":
    """Returns what is wrong with the pages of a source tree, a text each."""
    wrong = wrong_codes(program, source)
    for path, text in made.items():
        file = source / path
        found = file.read_text() if file.exists() else ""
        if found != text:
            lines = list(
                difflib.unified_diff(found.splitlines(), text.splitlines(), path, "what it should be", "", "", 0, "")
            )
            wrong.append("\n".join([f"{path} is not what the program says:", *lines[:12]]))
    return wrong


def self_test(program: Program, source: Path, made: "dict[str, str]") -> int:
    """Changes pages in several ways; returns how many changes were not noticed."""
    edits: "list[tuple[str, Callable[[str], str]]]" = []
    for path in made:
        edits.append((path, lambda text: text.replace("`", "'", 1)))
        edits.append((path, lambda text: re.sub(r"\n\| .*\n(?!\|)", "\n\n", text, count=1)))
        edits.append((path, lambda text: text + "More.\n"))
        edits.append((path, lambda text: ""))
    codes = "docs/reference/exit_codes.md"
    edits.append((codes, lambda text: text.replace("| 77 |", "| 78 |")))
    edits.append((codes, lambda text: re.sub(r"\n\| 130 \|.*", "", text)))
    edits.append((codes, lambda text: text.replace("2, 130, 1, 3, 4", "2, 1, 130, 3, 4")))
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        shutil.copytree(source / "docs/reference", copy / "docs/reference")
        for path, edit in edits:
            before = (copy / path).read_text()
            after = edit(before)
            (copy / path).write_text(after)
            if after == before or not compare(program, copy, made):
                print(f"FAILED: a change of {path} was not noticed")
                missed += 1
            (copy / path).write_text(before)
        if wrong := compare(program, copy, made):
            print("FAILED:", "\n".join(wrong))
            missed += 1
    print(f"{len(edits) - missed} changes were noticed")
    return missed


def main(words: "list[str]") -> int:
    source = Path(words[1]).resolve()
    program = Program(words[0], source)
    made = {path: make(program) for path, make in PAGES.items()}
    if "--write" in words:
        for path, text in made.items():
            (source / path).write_text(text)
        return 0
    if "--self-test" in words:
        return 1 if self_test(program, source, made) else 0
    wrong = compare(program, source, made)
    for each in wrong:
        print("FAILED:", each)
    if wrong:
        print(f"python3 tests/documents/reference_pages.py {words[0]} {words[1]} --write writes the pages anew")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
