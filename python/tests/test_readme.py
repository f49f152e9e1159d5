"""The examples of documents print what the documents show. Started as a program, this writes what they print.

An example is a block of Python, with a block of what it prints behind it if it prints something. Blocks of one
document share their names. A block whose first line is a comment with the name of a file, `# test_mm.py`, is a file for
pytest, and prints the lines that begin with E and the last one; with options, `# test_mm.py: pytest --OPTION`, what
negzero says in the end. A block that imports a framework is run where that is
installed. In what is printed, `...` stands for any text within a line, and alone on a line for any lines.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = {
    "python/README.md": 1,
    "docs/reference/python.md": 15,
    "docs/how-to/assertions.md": 3,
    "docs/how-to/check_functions.md": 2,
    "docs/how-to/depth.md": 1,
    "docs/how-to/indices_and_pages.md": 1,
    "docs/how-to/more_of_a_line.md": 2,
    "docs/how-to/your_operation.md": 1,
    "docs/tutorial/python.md": 2,
    "README.md": 1,
}  #: with the fewest examples of each
_EXAMPLE = re.compile(r"```python\n((?:(?!```).)*)```\n(?:```\n((?:(?!```).)*)```\n)?", re.DOTALL)


def printed(code: str, names: "dict[str, object]") -> str:
    """Runs a block, and returns what it prints or the text of the error that it ends with."""
    file = re.match(r"# (test_\w+\.py)(?:: pytest (.*))?\n", code)
    if file:
        return _by_pytest(file[1], code, (file[2] or "").split())
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        try:
            exec(code, names)
        except (AssertionError, ValueError, TypeError) as error:
            print(f"{type(error).__name__}: {error}")
    return _for_documents(text.getvalue())


def _by_pytest(file: str, code: str, options: "list[str]") -> str:
    pathlib.Path(file).write_text(code)
    plugin = ["-p", "negzero_pytest"] if options else []
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugin, *options, file]
    # Without the options of the pytest that runs this test.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    lines = done.stdout.splitlines()
    if options:
        head = next(i for i, line in enumerate(lines) if "= negzero: " in line)
        section = "".join(f"{line}\n" for line in lines[head + 1 : -1])
        return _for_documents(re.sub(r"\d+\.\d s\b", "... s", section))
    shown = [line for line in lines if line.startswith("E  ")] + [re.sub(r"in [\d.]+s", "in ...s", lines[-1])]
    return _for_documents("".join(f"{line}\n" for line in shown))


def _for_documents(text: str) -> str:
    """The text without what differs between machines: the folder, and versions of frameworks."""
    text = text.replace(os.getcwd(), "/home/you/kernels")
    return re.sub(r"\b(PyTorch|JAX|NumPy|CuPy) \d[\w.+]*", r"\1 ...", text)


def _missing(code: str) -> str:
    """The framework that a block imports and that is not installed; "" where all are."""
    for name in re.findall(r"\b(torch|jax|cupy)\b", " ".join(re.findall(r"^import .*", code, re.MULTILINE))):
        try:
            importlib.import_module(name)
        except ImportError:
            return str(name)
    return ""


def fits(shown: str, text: str) -> bool:
    """Says whether a text is what a document shows, with its gaps."""
    pattern = "".join(
        "(?:.*\n)*?" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + "\n"
        for line in shown.splitlines()
    )
    return re.fullmatch(pattern, text) is not None


def examples(document: str) -> "tuple[str, int, list[str]]":
    """Returns a document with what its examples print, how many were run, and what each of the others lacks."""
    names: "dict[str, object]" = {}
    missing: "list[str]" = []
    count = 0

    def replaced(found: "re.Match[str]") -> str:
        nonlocal count
        lacks = _missing(found[1])
        if lacks:
            missing.append(lacks)
            return found[0]
        count += 1
        text = printed(found[1], names)
        if fits(found[2] or "", text):
            return found[0]
        return f"```python\n{found[1]}```\n" + (f"```\n{text}```\n" if text else "")

    return _EXAMPLE.sub(replaced, document), count, missing


@pytest.mark.parametrize("path", DOCUMENTS)
def test_a_document_shows_what_its_examples_print(path: str) -> None:
    document = (ROOT / path).read_text()
    shown, count, missing = examples(document)
    lacking = set(missing) & set(os.environ.get("NEGZERO_REQUIRE_FRAMEWORKS", "").split(","))
    assert not lacking, f"NEGZERO_REQUIRE_FRAMEWORKS has {', '.join(lacking)}, which cannot be imported"
    assert count + len(missing) >= DOCUMENTS[path] and count > len(missing)
    assert shown == document, f"python {pathlib.Path(__file__).name} writes what the examples print into the documents"


@pytest.mark.parametrize(
    ("shown", "text", "is_same"),
    [
        ("a\n", "a\n", True),
        ("a\n", "b\n", False),
        ("", "a\n", False),
        ("a\n", "", False),
        ("a ... c\n", "a b c\n", True),
        ("a ... c\n", "a b d\n", False),
        ("a\n...\nc\n", "a\nb\nb\nc\n", True),
        ("a\n...\nc\n", "a\nc\n", True),
        ("a\n...\nc\n", "a\nb\n", False),
        ("a...\n", "a\nb\n", False),
    ],
)
def test_gaps_stand_for_what_is_left_out(shown: str, text: str, is_same: bool) -> None:
    assert fits(shown, text) == is_same


if __name__ == "__main__":
    import tempfile

    for written in DOCUMENTS:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            (ROOT / written).write_text(examples((ROOT / written).read_text())[0])
