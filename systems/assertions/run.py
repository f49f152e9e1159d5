"""Runs parts of public test suites as they stand, with `pytest --negzero-assertions` on them.

run.py FOLDER [SUITE ...] [--mirror DIR] [--plain] [--packages] [-- ARGUMENT OF PYTEST ...]

FOLDER gets SUITE/ (the files of `suites.py`, fetched from GitHub at their commit), SUITE.json (the report) and
SUITE.txt (what pytest printed). A suite that is there already, at its commit, is not fetched again; anything else under
its name is an error. --mirror: a folder of bare repositories called OWNER+NAME/repo, or OWNER+NAME, in place of GitHub.
--plain: without --negzero-assertions. --packages prints what `pip install` is to get, and runs nothing.

The Python that runs this runs the suites: it has their packages and negzero's. Tests of a suite that fail or are
skipped are counted and are no error. Exit code 0: every suite ran; 1: one did not, and standard error says why.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from suites import COMMON, SUITES, Suite

#: In a suite's folder: the commit that it is of.
MARK = ".commit"
#: Exit codes of pytest with which a run is one: all passed, some failed.
RAN = (0, 1)


def git(*words: str, **environment: str) -> None:
    """Runs git. Raises OSError with what it said."""
    ran = subprocess.run(["git", *words], capture_output=True, text=True, env={**os.environ, **environment})
    if ran.returncode:
        raise OSError(f"git: {ran.stderr.strip()}")


def mirror_of(suite: Suite, mirrors: Path) -> Path:
    """The bare repository of a suite."""
    place = mirrors / suite.repository.replace("/", "+")
    return place / "repo" if (place / "repo").is_dir() else place


def fetch(suite: Suite, place: Path, mirrors: "Path | None") -> None:
    """Lays out a suite's files where they are missing: beside their place, and then renamed, so that all are there."""
    if place.exists():
        mark = place / MARK
        if mark.is_file() and mark.read_text().strip() == suite.commit:
            return
        raise FileExistsError(f"{place} exists and is not {suite.commit}: move it away first")
    beside = place.parent / f".{place.name}.partial"
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    try:
        with tempfile.TemporaryDirectory() as scratch:
            if mirrors is not None:
                repository = str(mirror_of(suite, mirrors).resolve())
            else:
                repository = f"{scratch}/repo"
                git("init", "--quiet", "--bare", repository)
                url = f"https://github.com/{suite.repository}"
                git("--git-dir", repository, "fetch", "--quiet", "--depth", "1", url, suite.commit)
            if suite.paths:
                where = ("--git-dir", repository, "--work-tree", str(beside.resolve()))
                # An index of its own: a mirror is read and never written.
                git(*where, "checkout", "--quiet", suite.commit, "--", *suite.paths, GIT_INDEX_FILE=f"{scratch}/index")
        (beside / MARK).write_text(suite.commit + "\n")
        beside.rename(place)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def run(name: str, folder: Path, is_plain: bool, extra: "list[str]") -> str:
    """Runs a suite; returns its line: what became of its tests, and the time. Raises OSError where it did not run."""
    suite, place = SUITES[name], folder / name
    words = [sys.executable, "-m", "pytest", "-q", "--tb=line", "-p", "no:cacheprovider"]
    if not is_plain:
        words += ["-p", "negzero_pytest", "--negzero-assertions"]
        words += ["--negzero-assertions-report", str(folder.resolve() / f"{name}.json")]
        for helper in suite.also:
            words += ["--negzero-assertions-also", helper]
    imports = [str((place / each).resolve()) for each in suite.imports if suite.paths]
    imports += filter(None, [os.environ.get("PYTHONPATH")])
    environment = {**os.environ, **suite.environment, "PYTHONPATH": os.pathsep.join(imports)}
    environment |= {"HF_HUB_OFFLINE": "1"} | (
        {} if suite.on_gpu else {"JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": ""}
    )
    began = time.monotonic()
    with (folder / f"{name}.txt").open("w") as out:
        ran = subprocess.run(
            [*words, *suite.tests, *extra], cwd=place, env=environment, stdout=out, stderr=subprocess.STDOUT
        )
    seconds = time.monotonic() - began
    lines = (folder / f"{name}.txt").read_text(errors="replace").splitlines()
    if ran.returncode not in RAN:
        raise OSError(f"pytest ended with {ran.returncode}; {folder / f'{name}.txt'} says why")
    counts = next((line for line in reversed(lines) if re.search(r"\d+ (passed|failed)", line)), "")
    return f"{counts.strip(' =')}; {seconds:.0f} s in all"


def main() -> int:
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"{', '.join(SUITES)} [all that need no GPU]")
    parser.add_argument("--mirror", type=Path, metavar="DIR")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--packages", action="store_true")
    options = parser.parse_intermixed_args(sys.argv[1:split])
    for name in options.suites:
        if name not in SUITES:
            parser.error(f"no suite is called {name}; there are {', '.join(SUITES)}")
    names = options.suites or [name for name, suite in SUITES.items() if not suite.on_gpu]
    if options.packages:
        print("\n".join(dict.fromkeys([*COMMON, *(package for name in names for package in SUITES[name].packages)])))
        return 0
    options.folder.mkdir(parents=True, exist_ok=True)
    is_missing = False
    for name in names:
        try:
            fetch(SUITES[name], options.folder / name, options.mirror)
            print(f"{name}  {run(name, options.folder, options.plain, sys.argv[split + 1 :])}", flush=True)
        except OSError as problem:
            print(f"run.py: {name}: {problem}", file=sys.stderr)
            is_missing = True
    return 1 if is_missing else 0


if __name__ == "__main__":
    sys.exit(main())
