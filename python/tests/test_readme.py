"""The guide's examples print what the guide shows. Started as a program, this writes what they print into the guide."""

from __future__ import annotations

import contextlib
import io
import os
import pathlib
import re

GUIDE = pathlib.Path(__file__).resolve().parents[1] / "README.md"
_EXAMPLE = re.compile(r"```python\n((?:(?!```).)*)```\n```\n((?:(?!```).)*)```\n", re.DOTALL)


def printed(code: str, names: "dict[str, object]") -> str:
    """Runs a block, and returns what it prints or the text of the AssertionError that it ends with."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        try:
            exec(code, names)
        except AssertionError as error:
            print(f"{type(error).__name__}: {error}")
    return text.getvalue().replace(os.getcwd(), "/home/you/kernels")


def examples(guide: str) -> "tuple[str, int]":
    """Returns the guide with what its examples print, and how many there are."""
    names: "dict[str, object]" = {}
    count = 0

    def replaced(found: "re.Match[str]") -> str:
        nonlocal count
        count += 1
        return f"```python\n{found[1]}```\n```\n{printed(found[1], names)}```\n"

    return _EXAMPLE.sub(replaced, guide), count


def test_the_guide_shows_what_its_examples_print() -> None:
    guide = GUIDE.read_text()
    shown, count = examples(guide)
    assert count >= 2
    assert shown == guide, f"python {pathlib.Path(__file__).name} writes what the examples print into the guide"


if __name__ == "__main__":
    GUIDE.write_text(examples(GUIDE.read_text())[0])
