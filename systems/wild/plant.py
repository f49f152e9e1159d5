"""Changes one line of each published file, and checks that negzero refuses the changed file.

plant.py --sources FOLDER [--cases N] [--seed N] [--json FILE] [GLOB ...]

planted.json has a change for each declaration: a kernel, a line, old text, new text and, where the file as it is has
findings that would hide the change, options of `negzero check` for both files. The change is refused where the changed
file has a finding of a class and rule that the file as it is has not, of the same cases, or where a tenth of the cases
more fail. Exit code 0: every change was refused; 1: one was not.
"""

from __future__ import annotations

import argparse
import dataclasses
import fnmatch
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from run import HEADERS, HERE, source_of


@dataclasses.dataclass(frozen=True)
class Plant:
    """A change of one line, as planted.json has it."""

    file: str
    kernel: str
    line: int
    old: str
    new: str
    options: str = ""

    def text(self) -> str:
        """The change in Markdown, as docs/measured/wild.md has it."""
        return f"line {self.line}: `{self.old}` to {f'`{self.new}`' if self.new else 'nothing'}"


def changed(plant: Plant, source: Path, scratch: Path) -> Path:
    """A copy of the source's folder with the line changed; returns the path of the changed file.

    The copy begins a folder higher where the file includes headers from there.
    """
    folder = scratch / "changed"
    shutil.rmtree(folder, ignore_errors=True)
    top = source.parent.parent if '#include "../' in source.read_text(encoding="utf-8") else source.parent
    shutil.copytree(top, folder)
    copy = folder / source.relative_to(top)
    lines = copy.read_text(encoding="utf-8").splitlines(keepends=True)
    if plant.old not in lines[plant.line - 1]:
        raise ValueError(f"{source}:{plant.line} has no `{plant.old}`")
    lines[plant.line - 1] = lines[plant.line - 1].replace(plant.old, plant.new, 1)
    copy.write_text("".join(lines), encoding="utf-8")
    return copy


def check(plant: Plant, source: Path, options: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    """What `negzero check` says of the plant's kernel in a source: cases, and how many fail with which findings."""
    words = [options.negzero, "check", str(source), str(HERE / f"{plant.file}.nz"), plant.kernel, "--json"]
    words += ["--executor", "host", "--cases", str(options.cases), "--seed", str(options.seed)]
    words += ["--jobs", str(options.jobs), "--shrink-time", "0s", "--save", str(scratch / "findings")]
    words += plant.options.split()
    project = options.sources / Path(plant.file).parts[0]
    words += ["--", *(f"-I{project / each}" for each in HEADERS if (project / each).is_dir()), f"-I{source.parent}"]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=600)
    try:
        kernel = next(each for each in json.loads(ran.stdout)["kernels"] if each["name"] == plant.kernel)
    except (json.JSONDecodeError, KeyError, StopIteration):
        raise ValueError(f"{source}: {ran.stderr.strip() or ran.stdout.strip()}") from None
    found = sorted({(each["class"], each["rule"]) for each in kernel["findings"]})
    return {"cases": kernel["cases"], "fail": kernel["fail"], "found": [list(each) for each in found]}


def said(result: dict[str, Any]) -> str:
    """As docs/measured/wild.md has it: how many fail, and the classes."""
    classes = sorted({each[0] for each in result["found"]})
    return f"{result['fail']} of {result['cases']} fail" + (f" ({', '.join(classes)})" if classes else "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("globs", nargs="*", help="only declarations whose path matches [all]")
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--negzero", default=os.environ.get("NEGZERO_PROGRAM", "negzero"))
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    plants = [Plant(**each) for each in json.loads((HERE / "planted.json").read_text(encoding="utf-8"))]
    declared = {str(path.relative_to(HERE).with_suffix("")) for path in HERE.rglob("*.nz")}
    for file in sorted(declared ^ {each.file for each in plants}):
        print(f"{file}  has no change in planted.json, or no declaration", file=sys.stderr)
    chosen = [
        each for each in plants if not options.globs or any(fnmatch.fnmatch(each.file, glob) for glob in options.globs)
    ]
    results = []
    for plant in chosen:
        source = source_of(HERE / f"{plant.file}.nz", options.sources)
        with tempfile.TemporaryDirectory() as name:
            try:
                before = check(plant, source, options, Path(name))
                after = check(plant, changed(plant, source, Path(name)), options, Path(name))
            except (ValueError, subprocess.TimeoutExpired) as problem:
                before = after = {"cases": 0, "fail": 0, "found": [], "error": str(problem)}
        more = after["fail"] - before["fail"]
        is_refused = any(each not in before["found"] for each in after["found"]) or more * 10 > after["cases"]
        results.append({**dataclasses.asdict(plant), "refused": is_refused, "before": before, "after": after})
        word = "refused" if is_refused else "NOT CHECKED" if "error" in after else "NOT REFUSED"
        told = after.get("error") or f"{said(after)}; before: {said(before)}"
        print(f"{plant.file}  {plant.kernel}  {plant.text()}  {word}: {told}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    refused = sum(each["refused"] for each in results)
    print(f"{refused} of {len(results)} changes refused")
    return 0 if chosen and refused == len(results) and declared == {each.file for each in plants} else 1


if __name__ == "__main__":
    sys.exit(main())
