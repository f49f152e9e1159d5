"""Checks published CUDA files as they are, each by the declaration that lies here under its path.

run.py --sources FOLDER [--executor host|cuda] [--cases N] [--json FILE] [GLOB ...]

FOLDER holds the projects as `fetch.py` leaves them. Prints a line a kernel: verdicts, and the rule of each finding.
Exit code 0: every kernel was checked, whatever was found; 1: one was not.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import fnmatch
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
#: Where projects have headers that their files name without a folder.
HEADERS = ("include", "Common")


def source_of(declaration: Path, sources: Path) -> Path:
    """The file that a declaration is of: of the same path, and called as a file of CUDA or a module of Python is."""
    path = sources / declaration.relative_to(HERE)
    for suffix in (".cu", ".cuh", ".py"):
        if path.with_suffix(suffix).exists():
            return path.with_suffix(suffix)
    raise FileNotFoundError(f"{path.with_suffix('.cu')}: no such file; `fetch.py {sources}` downloads it")


def check(declaration: Path, options: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    """What `negzero check` says of one file, and how long it took."""
    name = str(declaration.relative_to(HERE).with_suffix(""))
    words = [options.negzero, "check", str(source_of(declaration, options.sources)), str(declaration)]
    words += ["--executor", options.executor, "--cases", str(options.cases), "--seed", str(options.seed), "--json"]
    words += ["--save", str(scratch / name.replace("/", "_")), "--jobs", "2", "--shrink-time", options.shrink_time]
    # Flags of a .nz are relative to it, and the project is elsewhere.
    project = options.sources / declaration.relative_to(HERE).parts[0]
    words += ["--", *(f"-I{project / each}" for each in HEADERS if (project / each).is_dir())]
    words += [f"-I{source_of(declaration, options.sources).parent}"]
    began = time.monotonic()
    ran = subprocess.run(words, capture_output=True, text=True, timeout=1200)
    result: dict[str, Any] = {"file": name, "exit_code": ran.returncode, "seconds": round(time.monotonic() - began, 1)}
    try:
        document = json.loads(ran.stdout)
    except json.JSONDecodeError:
        document = {"error": ran.stderr}
    if "kernels" not in document:
        result["error"] = document.get("error", ran.stderr)
        result["kernels"] = []
        return result
    keys = ("name", "cases", "pass", "fail", "vacuous", "not_judged", "error")
    result["kernels"] = [
        {
            **{key: kernel[key] for key in keys},
            "findings": [
                {key: finding.get(key) for key in ("class", "rule", "message", "lines")}
                for finding in kernel["findings"]
            ],
        }
        for kernel in document["kernels"]
    ]
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("globs", nargs="*", help="only declarations whose path matches [all]")
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--negzero", default=os.environ.get("NEGZERO_PROGRAM", "negzero"))
    parser.add_argument("--executor", choices=["host", "cuda"], default="host")
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shrink-time", default="10s")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2))
    parser.add_argument("--save", type=Path, default=Path("findings"))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    declarations = [
        path
        for path in sorted(HERE.rglob("*.nz"))
        if not options.globs or any(fnmatch.fnmatch(str(path.relative_to(HERE)), glob) for glob in options.globs)
    ]
    if not declarations:
        print("no declaration matches", file=sys.stderr)
        return 1
    results = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(lambda path: check(path, options, options.save), declarations):
            results.append(result)
            for kernel in result["kernels"]:
                found = ", ".join(f"{each['class']} ({each['rule']})" for each in kernel["findings"])
                print(
                    f"{result['file']}  {kernel['name']}  {kernel['pass']} of {kernel['cases']} pass  {found}",
                    flush=True,
                )
            if "error" in result:
                print(f"{result['file']}  NOT CHECKED: {result['error']}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    return 0 if all(result["kernels"] and "error" not in result for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
