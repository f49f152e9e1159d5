"""What is made of the library's list and of the functions' promises: the type Contract, and the tables of a document.

`python python/tests/generated.py` writes them; test_generated.py fails where they are not what it would write.
"""

from __future__ import annotations

import json
import pathlib
import re
import subprocess
import sys
import textwrap
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
#: What a field takes that is no list of words, as a type.
_KINDS = {
    "truth": "bool",
    "whole number": "int",
    "text": "str",
    "formula": "Union[int, str, None]",
    "bits": "Optional[str]",
    "promotion": "Optional[Promotion]",
    "roundings": "list[Union[Format, Rounding]]",
}
_PRESET = "The name of a contract to start from; the other fields replace its own."
_MODULE = '''"""The fields of a contract as types, for editors and type checkers.

python/tests/generated.py writes this module from what the library lists.
"""

# Python 3.9 has no | of types, and typing.get_type_hints() reads these.
# ruff: noqa: UP007, UP045

from __future__ import annotations

from typing import Literal, Optional, TypedDict, Union

Preset = {presets}
Format = {formats}


class Promotion(TypedDict):
    """Partial sums move to an accumulator of `format` every `every` values of k."""

    every: int
    format: Format


class Rounding(TypedDict):
    """One rounding on the way to the output."""

    format: Format
    rounding: {roundings}


class Contract(TypedDict, total=False):
    """The numerics that results are held to: {{"accumulate": "F16", "order": "ascending"}}.

    Every field may be missing; in brackets is what it is then.

{fields}
    """

{types}
'''


def listing() -> "dict[str, Any]":
    """Returns what the library lists."""
    from negzero import _library

    return _library.listing()


def _literal(words: "list[str | None]", indent: int = 0, before: int = 0) -> str:
    """A Literal of words, over several lines where one of 120 columns is too short."""
    shown = [json.dumps(word) if word is not None else "None" for word in words]
    line = f"Literal[{', '.join(shown)}]"
    if indent + before + len(line) <= 120:
        return line
    inner = " " * (indent + 4)
    return "Literal[\n" + "".join(f"{inner}{word},\n" for word in shown) + " " * indent + "]"


def contract_module() -> str:
    """Returns the text of python/negzero/_contract.py."""
    listed = listing()
    fields = {row["name"]: row for row in listed["fields"]}
    formats = fields["accumulate"]["takes"]
    lines, types = [f"preset: {_PRESET}"], ["    preset: Preset"]
    for name, row in fields.items():
        takes = row["takes"]
        default = json.dumps(row["default"]).replace("null", "None").replace("true", "True").replace("false", "False")
        lines.append(f"{name}: {row['meaning'].replace('null', 'None')} ({default})")
        if isinstance(takes, str):
            shown = _KINDS[takes]
        elif takes == formats:
            shown = "Format"
        elif takes == [*formats, None]:
            shown = "Optional[Format]"
        else:
            shown = _literal(takes, 4, len(name) + 2)
        types.append(f"    {name}: {shown}")
    fold = textwrap.TextWrapper(120, initial_indent="    ", subsequent_indent="        ")
    described = "\n".join(map(fold.fill, lines))
    return _MODULE.format(
        presets=_literal([row["name"] for row in listed["contracts"]], 0, 9),
        formats=_literal(formats, 0, 9),
        roundings=_literal(fields["output_rounding"]["takes"], 4, 10),
        fields=described,
        types="\n".join(types),
    )


def function_tables() -> str:
    """Returns the tables of docs/reference/functions.md, made in a process of its own, without any framework."""
    script = pathlib.Path(__file__).with_name("promises.py")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip("\n")


def between(text: str, marker: str, made: str) -> str:
    """Returns a document with what is made between the lines <!-- marker --> and <!-- end of marker -->."""
    begin, end = f"<!-- {marker} -->\n", f"\n<!-- end of {marker} -->"
    assert text.count(begin) == 1 and text.count(end) == 1, f"the document has no place for {marker}"
    return re.sub(re.escape(begin) + ".*?" + re.escape(end), lambda _: f"{begin}{made}{end}", text, flags=re.DOTALL)


def texts() -> "dict[pathlib.Path, str]":
    """Returns each file with the text that it should have."""
    functions = ROOT / "docs/reference/functions.md"
    return {
        ROOT / "python/negzero/_contract.py": contract_module(),
        functions: between(functions.read_text(), "functions and their promises", function_tables()),
    }


if __name__ == "__main__":
    for path, text in texts().items():
        path.write_text(text)
