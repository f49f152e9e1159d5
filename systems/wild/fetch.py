"""Downloads the published projects that have declarations here, each at the commit that they were written for.

fetch.py FOLDER [PROJECT ...]

From https://codeload.github.com/OWNER/NAME/tar.gz/COMMIT into FOLDER/OWNER+NAME. A project that is there already, at its
commit, is left alone; anything else under its name is an error. A project is unpacked beside its place and then renamed,
so that a download that breaks off leaves none. Exit code 0: all are there; 1: one is not, and standard error says why.
"""

from __future__ import annotations

import argparse
import io
import shutil
import sys
import tarfile
import urllib.error
import urllib.request
from pathlib import Path

#: Every declaration cites lines of these.
COMMITS = {
    "AutoGPTQ/AutoGPTQ": "9f7d37072917ab3a7545835f23e808294a542153",
    "NVIDIA/cuda-samples": "c94ff366aed18c797b8a85dfaac7817b0228b420",
    "anneouyang/KernelBenchLeaderboard": "170ca7965f53bba599d1078b6fcaa5dd2658ec50",
    "flashinfer-ai/flashinfer": "fb28d7242b3506a2348265962041acc1fb56cca4",
    "karpathy/llm.c": "f1e2ace651495b74ae22d45d1723443fd00ecd3a",
    "leimao/CUDA-GEMM-Optimization": "747e49b418bca18557581969c78333443055fd43",
    "mit-han-lab/llm-awq": "d6e797a42b9ef7778de8ee2352116e0f48a78d61",
    "siboehm/SGEMM_CUDA": "60cba6f9b20a198116c76f18de8047f44df8c8b8",
    "xlite-dev/LeetCUDA": "cb6a0497e829741fc5e3ad5e43a5beed0d85edcd",
}
#: In a project's folder: the commit that it is of.
MARK = ".commit"


def fetch(project: str, folder: Path) -> str:
    """Downloads a project where it is missing; returns what was done."""
    commit = COMMITS[project]
    place = folder / project.replace("/", "+")
    if place.exists():
        mark = place / MARK
        if mark.is_file() and mark.read_text().strip() == commit:
            return "there already"
        raise FileExistsError(f"{place} exists and is not {commit}: move it away first")
    url = f"https://codeload.github.com/{project}/tar.gz/{commit}"
    with urllib.request.urlopen(url, timeout=60) as answer:  # noqa: S310 (the scheme is a constant)
        archive = answer.read()
    beside = folder / f".{place.name}.partial"
    shutil.rmtree(beside, ignore_errors=True)
    try:
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as tar:
            tar.extractall(beside, filter="data")
        inside = [each for each in beside.iterdir() if each.is_dir()]
        if len(inside) != 1:
            raise ValueError(f"{url}: {len(inside)} folders in the archive, one was expected")
        (inside[0] / MARK).write_text(commit + "\n")
        inside[0].rename(place)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return f"downloaded, {len(archive) >> 10} KiB"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("projects", nargs="*", metavar="PROJECT", help="OWNER/NAME [all]")
    options = parser.parse_args()
    unknown = [each for each in options.projects if each not in COMMITS]
    if unknown:
        parser.error(f"no project is called {unknown[0]}; there are {', '.join(COMMITS)}")
    options.folder.mkdir(parents=True, exist_ok=True)
    is_missing = False
    for project in options.projects or COMMITS:
        try:
            print(f"{project}  {fetch(project, options.folder)}", flush=True)
        except (OSError, ValueError, tarfile.TarError, urllib.error.URLError) as problem:
            print(f"fetch.py: {project}: {problem}", file=sys.stderr)
            is_missing = True
    return 1 if is_missing else 0


if __name__ == "__main__":
    sys.exit(main())
