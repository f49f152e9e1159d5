"""Every case of corpus/regressions as code, compiled and run without negzero: what a bug report would hold.

    python systems/exported/run.py                    # exports, compiles, runs on a GPU
    python systems/exported/run.py --compile-only     # needs nvcc and no GPU
    python systems/exported/run.py --twins --export-only --folder exported   # then, where a GPU is and no negzero:
    python systems/exported/run.py --twins --exported exported

A file says in its head how it is compiled and run, and these very lines are. A CUDA program shows its failure where it,
or the tool of compute-sanitizer that its head names, returns 1; a script where its assertion fails, or the call that it
makes again raises. Exit code 0: every case that a GPU can show was shown.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from cases import ON_THE_HOST_ALONE, arguments

ROOT = pathlib.Path(__file__).resolve().parents[2]
#: Seconds that one program may take. A launch that never ends stops itself after ten.
MOST_SECONDS = 240
#: The end of the name of a file for a twin.
TWIN = ".twin.cu"


@dataclasses.dataclass
class Row:
    """What became of one case."""

    case: str
    format: str = ""
    lines: int = 0
    compiled: str = ""
    shown: str = ""
    twin: str = ""  #: what the same case comes to on the twin, which is right
    said: str = ""

    @property
    def is_right(self) -> bool:
        """Whether nothing is wrong with it, as far as it was looked at."""
        is_host = self.case in ON_THE_HOST_ALONE
        is_shown = self.shown != "no" or is_host
        return self.format != "" and self.compiled != "no" and is_shown and self.twin not in ("fails", "no")


def export(negzero: pathlib.Path, case: pathlib.Path, folder: pathlib.Path, python: str) -> Row:
    """Writes a case as code."""
    environment = {**os.environ, "NEGZERO_PYTHON": python}
    row = Row(case.stem)
    words = [str(negzero), "export", str(case), *arguments(case.stem, ROOT)]
    named = [words[i + 1] for i, word in enumerate(words) if word == "--format"]
    for form in named or ["cu", "py"]:
        path = folder / f"{case.stem}.{form}"
        more = [] if named else ["--format", form]
        done = subprocess.run([*words, *more, "-o", str(path)], capture_output=True, text=True, cwd=ROOT, env=environment)
        row.said = done.stderr.strip()
        if done.returncode == 0:
            row.format, row.lines, row.said = form, len(path.read_text().splitlines()), ""
            return row
    return row


def twin_of(case: pathlib.Path) -> str:
    """Returns the name of the twin that passes a case; empty: it has none."""
    data = case.read_bytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    expected = json.loads(header["__metadata__"].get("expect", "[]"))
    return next((each["kernel"] for each in expected if each["kernel"].startswith("twin.")), "")


def export_twin(row: Row, negzero: pathlib.Path, folder: pathlib.Path) -> None:
    """Writes the case for its twin: what is permitted and how it is launched are the same."""
    case = ROOT / f"corpus/regressions/{row.case}.safetensors"
    twin, path = twin_of(case), folder / f"{row.case}{TWIN}"
    if twin and row.format == "cu":
        words = [str(negzero), "export", str(case), "--kernel", twin, "-o", str(path)]
        done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
        row.twin, row.said = ("", row.said) if done.returncode == 0 else ("no", done.stderr.strip())


def try_twin(row: Row, path: pathlib.Path, how: argparse.Namespace) -> None:
    """Compiles and runs what was written for the twin."""
    compiling, running = commands(path, how.nvcc, how.arch)[0]
    code, said = run(compiling, path.parent)
    row.twin = "compiled" if code == 0 else "no"
    if code == 0 and not how.compile_only:
        code, said = run(running, path.parent)
        row.twin = "passes" if code == 0 else "fails"
    row.said = row.said if row.twin in ("compiled", "passes") else said


def commands(path: pathlib.Path, nvcc: str, arch: str) -> "list[list[str]]":
    """Returns the lines of a CUDA file's head: how it is compiled, and how it is run."""
    name = path.stem
    result = []
    for line in path.read_text().splitlines():
        if not line.startswith("//"):
            break
        if not line.startswith("//   nvcc "):
            continue
        line = line.removeprefix("//   ").partition("    #")[0]
        line = re.sub(r"\b\w+_case\.cu\b", path.name, line)
        line = re.sub(r"(?<=-o )\w+_case\b", f"{name}.{len(result)}", line)
        line = re.sub(r"\./\w+_case\b", f"./{name}.{len(result)}", line)
        result.append([each.replace("nvcc ", f"{nvcc} -arch={arch} ", 1) for each in line.split(" && ")])
    return result


def run(command: str, folder: pathlib.Path) -> "tuple[int, str]":
    """Runs a line of a shell; returns its exit code, 124 where it took too long, and the end of what it printed."""
    try:
        done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        return 124, "took too long"
    return done.returncode, (done.stdout + done.stderr).strip()


def compile_all(row: Row, folder: pathlib.Path, lines: "list[list[str]]") -> None:
    """Compiles a file as its head says, in each way."""
    for compiling, _ in lines:
        code, said = run(compiling, folder)
        row.compiled = "yes" if code == 0 else "no"
        if code != 0:
            row.said = said[-600:]
            return


def show(row: Row, folder: pathlib.Path, lines: "list[list[str]]", python: str, has_gpu: bool) -> None:
    """Runs a file until something shows its failure. A script that needs a GPU shows nothing without one."""
    if row.format == "py":
        code, said = run(f"{python} {folder / row.case}.py", ROOT)
        row.shown = "value" if code == 1 and "AssertionError" in said else "raised" if code != 0 else "no"
        row.said = said.splitlines()[-1] if said else ""
        is_here = "ModuleNotFoundError" not in said and "no NVIDIA driver" not in said
        row.shown = row.shown if is_here else "no" if has_gpu else "on a GPU"
        return
    for _, running in lines:
        code, said = run(running, folder)
        tool = re.search(r"--tool (\w+)", running)
        row.said = said.splitlines()[-1] if said else f"exit code {code}"
        row.shown = "no"
        if code == 1:
            row.shown = tool[1] if tool else "value"
            return


def table(rows: "list[Row]") -> str:
    """Returns the rows as text, and their counts."""
    width = max((len(row.case) for row in rows), default=0)
    text = f"{'case':{width}}  format  lines  compiled  shown      twin\n"
    for row in rows:
        remark = f"  {ON_THE_HOST_ALONE[row.case]}" if row.shown == "no" and row.case in ON_THE_HOST_ALONE else ""
        said = "" if row.is_right and row.shown != "value" else f"  {row.said.splitlines()[-1][:120] if row.said else ''}"
        text += f"{row.case:{width}}  {row.format:6}  {row.lines:5}  {row.compiled:8}  {row.shown:9}  {row.twin:8}{remark or said}\n"
    counts = [sum(getattr(row, key) not in ("", "no", "on a GPU") for row in rows) for key in ("format", "compiled", "shown")]
    twins = sum(row.twin == "passes" for row in rows)
    return text + f"{len(rows)} cases, {counts[0]} exported, {counts[1]} compiled by nvcc, {counts[2]} shown, {twins} twins pass"


def try_all(rows: "list[Row]", how: argparse.Namespace, folder: pathlib.Path, pool: "concurrent.futures.Executor") -> None:
    """Compiles all at once and runs one after the other: a launch that does not end has the GPU."""
    lines = {row.case: commands(folder / f"{row.case}.cu", how.nvcc, how.arch) if row.format == "cu" else []
             for row in rows}  # fmt: skip
    list(pool.map(lambda row: compile_all(row, folder, lines[row.case]), rows))
    for row in rows:
        if row.compiled != "no" and row.format and (row.format == "py" or not how.compile_only):
            show(row, folder, lines[row.case], how.python, not how.compile_only)
    twins = [row for row in rows if how.twins and (folder / f"{row.case}{TWIN}").exists()]
    list(pool.map(lambda row: try_twin(row, folder / f"{row.case}{TWIN}", how), twins))


def main() -> int:
    """Returns 0 where nothing is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--negzero", type=pathlib.Path, default=ROOT / "build/default/src/negzero/cli/negzero")
    parser.add_argument("--only", default="*", help="cases of these names, * allowed")
    parser.add_argument("--folder", type=pathlib.Path, help="where the files go [a folder that is removed]")
    parser.add_argument("--exported", type=pathlib.Path, help="a folder of files that were exported before")
    parser.add_argument("--export-only", action="store_true")
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("--twins", action="store_true", help="show that each twin, which is right, passes as code too")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--nvcc", default=shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    how = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(how.jobs) as pool:
        folder = (how.exported or how.folder or pathlib.Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        if how.exported:
            files = [path for path in sorted(folder.iterdir())
                     if path.suffix in (".cu", ".py") and not path.name.endswith(TWIN)]  # fmt: skip
            rows = [Row(path.stem, path.suffix[1:], len(path.read_text().splitlines())) for path in files
                    if fnmatch.fnmatch(path.stem, how.only)]  # fmt: skip
        else:
            cases = sorted((ROOT / "corpus/regressions").glob(f"{how.only}.safetensors"))
            rows = list(pool.map(lambda case: export(how.negzero, case, folder, how.python), cases))
            list(pool.map(lambda row: export_twin(row, how.negzero, folder), rows if how.twins else []))
        if not how.export_only:
            try_all(rows, how, folder, pool)
    print(table(rows))
    return 0 if rows and all(row.is_right for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
