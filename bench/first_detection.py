#!/usr/bin/env python3
"""Measures the seconds until each planted fault is first detected, by several ways of making cases.

    first_detection.py --bin FOLDER --parallel 8 --out times.json

FOLDER holds negzero, negzero-worker, and gemm_fuzz, reduce_fuzz and scatter_fuzz of the preset `fuzz`. One run is one
kernel of `faulty.*`, one way and one seed: a process that starts from nothing on one core. Its time goes from the start
of the process to the line that tells of a failure; after --limit seconds without one it is ended. The ways:

    search           negzero fuzz: every strategy, and changes of the cases that showed something new
    mix              negzero check: the usual mix of strategies, nothing learned
    bits             negzero check --weight bits=1: elements of random bits
    coverage         the libFuzzer target: changes of the cases that covered new code or showed something new
    coverage, bytes  the same, but libFuzzer changes bytes. It starts from one valid case, because from nothing it
                     would first have to write a safetensors header

The libFuzzer targets are built with sanitizers and watch no loads and stores, so that they cannot see a race whose
values come out right; `search`, `mix` and `bits` watch some of their cases.

--out is written after every run, and runs that it holds already are not made again: the same command goes on where it
was. Standard output gets the table, in Markdown.
"""

import argparse
import json
import os
import queue
import re
import selectors
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

WAYS = ("search", "mix", "bits", "coverage", "coverage, bytes")
# "found" is negzero's line, "FAIL" that of the libFuzzer targets; a sanitizer's report is a failure as well.
# libFuzzer's own complaints (out of memory, timeout) are none.
TELLS = re.compile(rb"^found  |^FAIL  |ERROR: AddressSanitizer: |: runtime error: ")


class Programs:
    """Where the programs are, and how they are called."""

    def __init__(self, folder):
        self.folder = folder.resolve()
        self.negzero = self.folder / "negzero"
        self.environment = dict(os.environ)
        libraries = self.folder / "lib"
        if libraries.is_dir():
            self.environment["LD_LIBRARY_PATH"] = str(libraries)

    def call(self, *arguments):
        return subprocess.run([self.negzero, *arguments], env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=300)

    def kernels(self, globs):
        """Operation of each kernel, by name."""
        listed = json.loads(self.call("list", "kernels", *globs, "--json").stdout)
        return {kernel["name"]: kernel["operation"] for kernel in listed["kernels"]}

    def command(self, way, kernel, operation, seed, limit, start):
        """The command line of a run, which may write to the current folder. `start` holds a case to begin with."""
        seconds = f"{int(limit) + 30}s"
        host = ["--jobs", "1", "--seed", str(seed), "--executor", "host", "--time", seconds]
        check = [self.negzero, "check", kernel, *host, "--cases", "1000000000", "--save", "findings"]
        target = [self.folder / f"{operation.split('.')[0]}_fuzz", f"--kernel={kernel}", f"-seed={seed}"]
        return {
            "search": [self.negzero, "fuzz", kernel, *host, "--folder", "campaign"],
            "mix": check,
            "bits": [*check, "--weight", "bits=1"],
            "coverage": [*target, "corpus"],
            "coverage, bytes": [*target, "--mutator=bytes", "corpus", start],
        }[way]


def elements_of_largest(path):
    """The most elements that a tensor of a safetensors file has."""
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
    counts = [0]
    for name, tensor in header.items():
        if name == "__metadata__":
            continue
        count = 1
        for extent in tensor["shape"]:
            count *= extent
        counts.append(count)
    return max(counts)


def write_start(programs, kernel, folder):
    """Puts one small case that the kernel passes into `folder`, where there is one among the first cases made."""
    folder.mkdir()
    with tempfile.TemporaryDirectory() as scratch:
        programs.call("fuzz", kernel, "--folder", scratch, "--cases", "100", "--seed", "1", "--jobs", "1",
                      "--executor", "host", "--watch", "never", "--shrink-time", "0s")
        made = sorted(Path(scratch).glob("corpus/*/*.safetensors"), key=lambda path: (path.stat().st_size, path.name))
        # A case without elements would be smaller yet, and hardly a fair start.
        for path in (path for path in made if elements_of_largest(path) >= 16):
            replay = programs.call("replay", str(path), "--kernel", kernel, "--executor", "host", "--watch", "never")
            if replay.returncode == 0:
                (folder / "start.safetensors").write_bytes(path.read_bytes())
                return
    print(f"{kernel}: no passing case to start from", file=sys.stderr)


def end(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def first_failure(command, folder, environment, limit):
    """Seconds until the process tells of a failure, and the line; None and why where it does not."""
    begin = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
    last = b""
    unfinished = b""
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(process.stderr, selectors.EVENT_READ)
            while (left := begin + limit - time.monotonic()) > 0:
                if not selector.select(left):
                    break
                text = os.read(process.stderr.fileno(), 1 << 16)
                now = time.monotonic() - begin
                if not text:
                    code = process.wait()
                    return None, f"ended with {code}: {last.decode(errors='replace')[:300]}"
                *lines, unfinished = (unfinished + text).split(b"\n")
                for line in lines:
                    if TELLS.search(line):
                        return now, line.decode(errors="replace")[:300]
                    last = line or last
        return None, "limit"
    finally:
        end(process)
        process.stderr.close()


class Record:
    """The runs made, in a file that is whole at any time."""

    def __init__(self, path, limit):
        self.path = path
        self.limit = limit
        self.lock = threading.Lock()
        self.runs = []
        if path.exists():
            known = json.loads(path.read_text())
            if known["limit"] != limit:
                sys.exit(f"{path}: has runs with --limit {known['limit']}: give the same, or another --out")
            self.runs = known["runs"]

    def has(self, kernel, way, seed):
        return any((run["kernel"], run["way"], run["seed"]) == (kernel, way, seed) for run in self.runs)

    def add(self, run):
        with self.lock:
            self.runs.append(run)
            unfinished = self.path.with_name(self.path.name + ".unfinished")
            unfinished.write_text(json.dumps({"limit": self.limit, "runs": self.runs}, indent=1) + "\n")
            unfinished.replace(self.path)


def seconds_text(seconds):
    return f"{seconds:.2f}" if seconds < 1 else f"{seconds:.1f}" if seconds < 10 else f"{seconds:.0f}"


def cell(runs, limit):
    """The median, a run that found nothing counting as longer than all others; how many found it, where not all."""
    if not runs:
        return ""
    found = [run["seconds"] for run in runs if run["seconds"] is not None]
    if not found:
        return "-" if len(runs) > 1 else "- (1 run)"
    median = statistics.median_high(found + [float("inf")] * (len(runs) - len(found)))
    text = f"> {limit:g}" if median == float("inf") else seconds_text(median)
    return text if len(found) == len(runs) else f"{text} ({len(found)} of {len(runs)})"


def table(runs, kernels, ways, limit):
    by_place = {}
    for run in runs:
        by_place.setdefault((run["kernel"], run["way"]), []).append(run)
    lines = ["| kernel | " + " | ".join(ways) + " |", "|---|" + "---:|" * len(ways)]
    for kernel in kernels:
        cells = [cell(by_place.get((kernel, way), []), limit) for way in ways]
        lines.append(f"| `{kernel}` | " + " | ".join(cells) + " |")
    for label, how in (("every", all), ("any", any)):
        counts = [sum(how(run["seconds"] is not None for run in by_place[kernel, way])
                      for kernel in kernels if (kernel, way) in by_place) for way in ways]
        lines.append(f"| found with {label} seed | " + " | ".join(map(str, counts)) + " |")
    return "\n".join(lines)


def work(jobs, core, programs, kernels, starts, limit, budget, begin, record):
    """Makes runs until there are no more, or until one might end after the budget."""
    os.sched_setaffinity(0, {core})  # Of this thread alone; the processes that it starts inherit it.
    while budget is None or time.monotonic() - begin + limit < budget:
        try:
            kernel, way, seed = jobs.get_nowait()
        except queue.Empty:
            return
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            Path(folder, "corpus").mkdir()
            command = programs.command(way, kernel, kernels[kernel], seed, limit, starts / kernel)
            seconds, line = first_failure(command, folder, programs.environment, limit)
        record.add({"kernel": kernel, "way": way, "seed": seed, "seconds": seconds, "line": line})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, required=True, help="folder of the programs; libraries may be in its lib/")
    parser.add_argument("--kernels", nargs="+", default=["faulty.*"], help="globs of the kernels [%(default)s]")
    parser.add_argument("--ways", default=";".join(WAYS), help="some of the ways, with ; between [%(default)s]")
    parser.add_argument("--seeds", type=int, default=5, help="seeds of each, from 1 [%(default)s]")
    parser.add_argument("--limit", type=float, default=60, help="longest time of a run in seconds [%(default)s]")
    parser.add_argument("--parallel", type=int, default=1, help="runs at a time, a core each [%(default)s]")
    parser.add_argument("--first-core", type=int, default=0, help="number of the first of these cores [%(default)s]")
    parser.add_argument("--budget", type=float, help="start no run that could end later than so many seconds from now")
    parser.add_argument("--out", type=Path, required=True, help="JSON of all times")
    flags = parser.parse_args()
    begin = time.monotonic()

    ways = flags.ways.split(";")
    if unknown := set(ways) - set(WAYS):
        sys.exit(f"--ways: no way is called {', '.join(sorted(unknown))}")
    cores = range(flags.first_core, flags.first_core + flags.parallel)
    if missing := set(cores) - os.sched_getaffinity(0):
        sys.exit(f"--parallel {flags.parallel} from core {flags.first_core}: no core {min(missing)} here")
    programs = Programs(flags.bin)
    kernels = programs.kernels(flags.kernels)
    record = Record(flags.out, flags.limit)

    jobs = queue.Queue()
    # Seeds last: what a budget cuts off is the later seeds, of every kernel and way alike.
    for seed in range(1, flags.seeds + 1):
        for kernel in kernels:
            for way in ways:
                if not record.has(kernel, way, seed):
                    jobs.put((kernel, way, seed))
    with tempfile.TemporaryDirectory() as scratch:
        starts = Path(scratch)
        if "coverage, bytes" in ways:
            waiting = queue.Queue()
            for kernel in kernels:
                waiting.put(kernel)

            def write_starts():
                while True:
                    try:
                        kernel = waiting.get_nowait()
                    except queue.Empty:
                        return
                    write_start(programs, kernel, starts / kernel)

            in_threads(write_starts, [()] * flags.parallel)
        print(f"{jobs.qsize()} runs", file=sys.stderr)
        in_threads(work, [(jobs, core, programs, kernels, starts, flags.limit, flags.budget, begin, record)
                          for core in cores])
    if jobs.qsize() > 0:
        print(f"{jobs.qsize()} runs are left for another time: the same command goes on", file=sys.stderr)
    for run in record.runs:
        if run["seconds"] is None and run["line"] != "limit":
            print(f"{run['kernel']}, {run['way']}, seed {run['seed']}: {run['line']}", file=sys.stderr)
    print(table(record.runs, kernels, ways, flags.limit))


def in_threads(function, arguments):
    threads = [threading.Thread(target=function, args=some) for some in arguments]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
