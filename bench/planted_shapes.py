#!/usr/bin/env python3
"""Counts the seeds at which `check` finds each planted kernel of tests/planted, and the case that shows it.

    planted_shapes.py --bin build/default/tests/planted/planted_shapes [--seeds 10] [--cases 1000] [GLOB ...]
    planted_shapes.py --bin ... --right [--seeds 1] [--cases 10000]

Every run is one kernel and one seed with the usual options of `check`, but that it ends at the first finding. A row of the
table: the kernel, how many seeds find it, the median number of the first failing case, and the seeds that miss it. With
--right the twins run, whose findings are mistakes, and a row has the seconds that a run takes. The exit code is 1 where a
planted kernel is missed at more than one seed of ten, or a twin fails.
"""

import argparse
import json
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def index_of(path):
    """The number of the case in its stream, which the header of its file has."""
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        metadata = json.loads(file.read(size))["__metadata__"]
    return int(metadata["index"])


def run(program, kernel, seed, cases):
    """The first failing case (None: all pass), what became of the run, and its seconds."""
    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        done = subprocess.run(
            [program, "check", kernel, "--seed", str(seed), "--cases", str(cases), "--fail-fast", "--shrink-time", "0s",
             "--jobs", "1", "--executor", "host", "--save", folder, "--json"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=3000)
        seconds = time.monotonic() - begin
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{kernel}, seed {seed}: exit code {done.returncode}: {done.stderr.strip()}")
        report = json.loads(done.stdout)["kernels"][0]
        numbers = [index_of(path) for path in Path(folder).glob("*.safetensors")]
    return (min(numbers) if numbers else None), report, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--right", action="store_true")
    parser.add_argument("--parallel", type=int, default=2)
    parser.add_argument("globs", nargs="*")
    options = parser.parse_args()
    prefix = "right." if options.right else "planted."
    program = options.bin.resolve()
    globs = [prefix + glob for glob in options.globs or ["*"]]
    listed = json.loads(subprocess.run([program, "list", "kernels", *globs, "--json"], capture_output=True, check=True,
                                       text=True).stdout)
    names = sorted({kernel["name"] for kernel in listed["kernels"]})
    seeds = range(options.first, options.first + options.seeds)
    with ThreadPoolExecutor(options.parallel) as pool:
        runs = {name: [pool.submit(run, program, name, seed, options.cases) for seed in seeds] for name in names}
        print("| kernel | seeds | median case | missed at | s |\n|---|---|---|---|---|")
        wrong = False
        for name in names:
            results = [each.result() for each in runs[name]]
            found = [index for index, report, _ in results if report["fail"] > 0]
            missed = [seed for seed, (_, report, _) in zip(seeds, results) if report["fail"] == 0]
            seconds = sum(each for _, _, each in results)
            wrong = wrong or (bool(found) if options.right else 10 * len(missed) > len(results))
            numbers = [index for index in found if index is not None]
            median = f"{statistics.median(numbers):g}" if numbers else "-"
            notes = {report["note"] for _, report, _ in results if report["note"]}
            print(f"| {name.removeprefix(prefix)} | {len(found)} | {median} | {' '.join(map(str, missed))} | "
                  f"{seconds:.1f} {' '.join(sorted(notes))} |", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
