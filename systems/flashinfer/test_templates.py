"""Each line of lines.txt is one that negzero takes, and cases of it are drawn, placed in memory and read back."""

from __future__ import annotations

import pathlib

import negzero
import pytest
from negzero._operations import signature_of

TEXT = (pathlib.Path(__file__).parent / "lines.txt").read_text()
#: How many templates the commit in README.md has, and how many of them have no line.
TEMPLATES, WITHOUT = 171, 3


def blocks() -> "list[tuple[str, list[str]]]":
    """Returns each template's name with the lines below it."""
    split = [block.splitlines() for block in TEXT.strip().split("\n\n")]
    return [(first.removeprefix("# "), rest) for first, *rest in split]


LINES = [(name, rest) for name, rest in blocks() if not rest[0].startswith("none: ")]


def test_every_template_has_a_line_or_a_reason():
    assert len({name for name, _ in blocks()}) == TEMPLATES
    assert all(rest[0].removeprefix("none: ") for _, rest in blocks())
    assert len(LINES) == TEMPLATES - WITHOUT


@pytest.mark.parametrize(("name", "rest"), LINES, ids=[name for name, _ in LINES])
def test_a_line_has_cases(name, rest, tmp_path):
    line = rest[0].removeprefix("operation ")
    formats = dict(each.split("=") for each in rest[1].removeprefix("formats ").split())
    signature = signature_of(line)
    outputs = [each.name for each in signature.outputs]
    names = [*(each.name for each in signature.inputs), *outputs, *signature.scalars, *signature.parameters]
    # It writes zeros, which nothing judges: there is no reference.
    fills = ", ".join(f"{each}.fill(0)" for each in outputs)
    fn = eval(f"lambda {', '.join(names)}: ({fills}, None)[-1]")  # noqa: S307 (names of this file)
    slots = [formats.get(slot, "I32") for slot in signature.slots]
    report = negzero.check(fn, line, formats=[slots], cases=4, save_to=tmp_path, allow_not_judged=True)
    assert report.not_judged + report.undecided == 4, str(report)
