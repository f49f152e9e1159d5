"""Markdown of the pages of reference, and the program that is asked what it knows."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any
from collections.abc import Iterable

MADE = "`tests/documents/reference_pages.py` writes this page from {}; a test compares the two."


def code(text: str) -> str:
    """Returns a code span, for a table too."""
    return "`" + text.replace("|", "\\|") + "`"


def plain(text: str) -> str:
    """Returns text as GitHub shows it letter by letter, but for its code spans; for a table too."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:  # a backquote without a partner
        pieces = [text.replace("`", "\\`")]
    for i in range(0, len(pieces), 2):
        pieces[i] = re.sub(r"[\\*|~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])", r"\\\g<0>", pieces[i]).replace("<", "&lt;")
    for i in range(1, len(pieces), 2):
        pieces[i] = pieces[i].replace("|", "\\|")
    return "`".join(pieces)


def sentence(text: str, words: "Iterable[str]" = ()) -> str:
    """Returns a help text, which begins small and has no period, as a sentence. One of the words stays as it is."""
    first = re.match(r"\w*", text)[0]
    text = plain(text)
    return (text[0] if first in words else text[0].upper()) + text[1:] + ("" if text.endswith((".", "...")) else ".")


def table(titles: "Iterable[str]", rows: "Iterable[Iterable[str]]") -> str:
    """Returns a table of cells that are Markdown."""
    titles = list(titles)
    lines = [titles, ["---"] * len(titles), *map(list, rows)]
    return "\n".join("|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|" for cells in lines) + "\n"


def page(title: str, about: str, source: str, *parts: str) -> str:
    """Returns a page: one sentence on what it has, a line on how it is made, and its parts."""
    return "\n".join([f"# {title}\n", f"{about}\n", MADE.format(source) + "\n", *parts])


class Program:
    """The program, asked for what it knows."""

    def __init__(self, path: str, source: Path) -> None:
        self.path = str(Path(path).resolve())
        self.source = source

    def text(self, *words: str) -> str:
        """Returns what a command prints."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("NEGZERO_")}
        return subprocess.run(
            [self.path, *words], env=environment, stdout=subprocess.PIPE, check=True, encoding="utf-8"
        ).stdout

    def listed(self, what: str) -> "list[dict[str, Any]]":
        """Returns the rows of `negzero list`."""
        return json.loads(self.text("list", what, "--json"))[what]
