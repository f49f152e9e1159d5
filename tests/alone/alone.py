"""alone.py BUILD SOURCE: whether each source of SOURCE/src compiles by itself, with its own includes alone.

A build joins the sources of a module to one unit, where one has what those before it include; a build without a preset does
not. Each but the first of its unit is only parsed, with the flags of that unit in BUILD. A few headers that take long are
read ahead, and only for sources that include them by themselves before any header of negzero, so that nothing is there that
the source does not ask for.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

#: Headers that are read ahead together; a source takes the first line all of which it includes. One header that a later
#: line has too is worth a line where many sources have it: fmt/format.h takes 0.5 s of 0.9 s that a source takes.
AHEAD = (
    ("algorithm", "fmt/format.h", "nlohmann/json.hpp"),
    ("fmt/format.h", "nlohmann/json.hpp"),
    ("nlohmann/json.hpp",),
    ("algorithm", "filesystem", "fmt/format.h"),
    ("filesystem", "fmt/format.h"),
    ("algorithm", "fmt/format.h"),
    ("fmt/format.h",),
    ("filesystem",),
    ("algorithm",),
)


def included_first(text: str) -> "set[str]":
    """Returns the headers in <> that a source includes before the first of negzero's, and outside of any #if."""
    headers = set()
    for line in text.splitlines():
        if re.match(r"\s*#\s*(if|define|undef)", line) or re.match(r'\s*#\s*include\s*("|<negzero/)', line):
            break
        if found := re.match(r"\s*#\s*include\s*<([^>]+)>", line):
            headers.add(found[1])
    return headers


def commands(build: Path, source: Path) -> "tuple[dict[Path, tuple[list[str], str]], set[Path]]":
    """Returns the words that compile each source below a folder, without its name, and where; and what BUILD parses alone."""
    found: "dict[Path, tuple[list[str], str]]" = {}
    alone = set()
    for entry in json.loads((build / "compile_commands.json").read_text()):
        unit = Path(entry["file"])
        paths = [unit]
        if unit.name.startswith("unity_"):
            paths = [Path(path) for path in re.findall(r'^#include "([^"]+)"', unit.read_text(), re.MULTILINE)]
        words = shlex.split(entry["command"])
        words = [word for word in words if not word.startswith("-O") and word != "-Winvalid-pch"]
        # In front of the compiler may be ccache, which has no results of this kind.
        words = words[next(i for i, word in enumerate(words) if re.search(r"(c\+\+|g\+\+|clang)[^/=]*$", word)) :]
        del words[words.index("-o") : words.index("-o") + 2]
        words = words[: words.index("-c")]
        alone.add(paths[0])
        for path in paths:
            if path.suffix == ".cpp" and source in path.parents:
                found.setdefault(path, (words, entry["directory"]))
    return found, alone


def read_ahead(words: "list[str]", directory: str, folder: Path) -> "dict[tuple[str, ...], Path]":
    """Compiles the headers of each line of AHEAD; g++ finds them beside a file that includes them."""
    files = {}
    for number, headers in enumerate(AHEAD):
        file = folder / f"ahead_{number}.hpp"
        file.write_text("".join(f"#include <{header}>\n" for header in headers))
        subprocess.run([*words, "-O0", "-w", "-x", "c++-header", file, "-o", f"{file}.gch"], cwd=directory, check=True)
        files[headers] = file
    return files


def main(build: Path, source: Path) -> int:
    """Prints what does not compile; returns the exit code."""
    known, alone = commands(build, source / "src")
    # Sources that a build leaves out, such as those for a GPU, are none of any unit.
    absent = sorted(path for path in (source / "src").rglob("*.cpp") if path not in known)
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        words, directory = next(iter(known.values()))
        ahead = {} if "clang" in words[0] else read_ahead(words, directory, Path(folder))

        def compile_alone(path: Path) -> None:
            words, directory = known[path]
            first = included_first(path.read_text())
            file = next((file for headers, file in ahead.items() if first.issuperset(headers)), None)
            before = [] if file is None else ["-include", file]
            done = subprocess.run(
                [*words, "-O0", "-w", "-fsyntax-only", *before, path], cwd=directory, capture_output=True, text=True
            )
            if done.returncode != 0:
                wrong.append(f"{path.relative_to(source)} does not compile by itself:\n{done.stderr}")

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(compile_alone, sorted(known.keys() - alone)))
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{len(known.keys() - alone)} of {len(known)} sources, {spent.ru_utime + spent.ru_stime:.0f} s of CPU; in no unit of this build: "
          f"{', '.join(str(path.relative_to(source)) for path in absent) or 'none'}")  # fmt: skip
    print("\n".join(sorted(wrong)))
    if len(known) < 10 * max(len(absent), 10):
        print(f"FAILED: {build} has few sources of {source}")
        return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()))
