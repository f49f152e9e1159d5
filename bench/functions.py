"""Judges functions of PyTorch, JAX, CuPy and NumPy by what their documentation promises, on adversarial cases.

    python bench/functions.py torch --device cuda --cases 10000 --jobs 12 --save refused

needs the package negzero and the framework. For each function and combination of formats it prints how many cases and
elements were judged, and how many were refused, undecided or vacuous. Refused cases are saved with what was observed.
Exits with 1 where an element is refused, and with 4 where nothing was decided.
"""

from __future__ import annotations

import argparse
import collections
import importlib
import json
import multiprocessing
import os
import re
import sys
import time
from typing import Any

import numpy as np

from function_rows import EXTENTS, SCAN, SHAPES, Frameworks, rows_of, shape_of


def set_switch(switch: str) -> str:
    """Sets "path=value", and returns the switch that undoes it."""
    path, _, value = switch.partition("=")
    *parts, last = path.split(".")
    target: Any = importlib.import_module(parts[0])
    for part in parts[1:]:
        target = getattr(target, part)
    before = getattr(target, last)
    if path.startswith("jax.config"):
        target.update(last, json.loads(value))
    else:
        setattr(target, last, value == "True")
    return f"{path}={json.dumps(before) if path.startswith('jax.config') else before}"


def run(job: "tuple[str, str, int, list[str], int, int, int, int, str]") -> "dict[str, Any]":
    """Judges every `jobs`th case of one row and combination of formats, for as long as `seconds` allow."""
    framework, device, number, formats = job[:4]
    row = rows_of(framework)[number]
    np.seterr(all="ignore")
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    tools = Frameworks(framework, device)
    if not tools.takes(formats):
        return {}
    undo = [set_switch(switch) for switch in row.switches]
    try:
        return judged(job, row, tools)
    finally:
        for switch in undo:
            set_switch(switch)


def judged(job: Any, row: Any, tools: Frameworks) -> "dict[str, Any]":
    """The part of run() with the row's switches set."""
    import negzero
    from negzero import _library, _safetensors

    framework, _, _, formats, cases, start, jobs, seconds, save = job
    raised = []
    function, counts = tools.function(row.name), collections.Counter()
    refused: "list[str]" = []
    end = time.monotonic() + seconds
    for index in range(start, cases, jobs):
        if time.monotonic() > end:
            break
        extents = {**EXTENTS, **row.extents}
        if row.operation.startswith("scan"):
            extents.update(SCAN)
        if framework == "jax":
            extents = shape_of(extents, index // jobs * SHAPES // max(1, cases // jobs))
        signature = next(each for each in _library.listing()["operations"] if each["name"] == row.operation)
        options = {"operation": row.operation, "formats": [formats], "packed": True, "seed": 7, "index": index,
                   "extents": {name: extents[name] for name in signature["extents"] if name in extents}}  # fmt: skip
        tensors, metadata = _safetensors.read(_library.draw(options), "a case")
        scalars = {}
        for name, value in json.loads(metadata.get("scalars", "{}")).items():
            dtype = np.dtype({"F32": np.float32, "F64": np.float64}[value["format"]])
            scalars[name] = float(np.frombuffer(int(value["bits"], 16).to_bytes(dtype.itemsize, "little"), dtype)[0])
        if row.operation == "convert":
            scalars["to"] = tools.dtype(formats[-1])
        # An input that the operation does not read for these scalars is not in the file: anything may stand there.
        if row.operation == "gemm" and "c" not in tensors:
            m, n = tensors["a"].shape[1], tensors["b"].shape[2]
            tensors["c"] = np.ones((tensors["a"].shape[0], m, n), tensors["a"].dtype)
        arguments, keywords = row.arguments({name: tools.tensor(array) for name, array in tensors.items()}, scalars)
        try:
            observed = function(*arguments, **keywords)
        except Exception as error:  # what a framework refuses is no result
            counts["raised"] += 1
            raised.append(f"{type(error).__name__}: {error}"[:200])
            continue
        judgement = negzero.judge(observed, row.name, *arguments, elements="all", threads=1, **keywords)
        counts[judgement.verdict] += 1
        counts["elements"] += judgement.judged
        counts["failing"] += judgement.failing
        if judgement.verdict == "fail":
            refused.append(judgement.text)
            if save:
                os.makedirs(save, exist_ok=True)
                path = os.path.join(save, f"{row.name}.{'_'.join(formats)}.{index}")
                judgement.case.save(f"{path}.safetensors")
                with open(f"{path}.observed.safetensors", "wb") as file:
                    file.write(judgement.recorded)
                with open(f"{path}.txt", "w", encoding="utf-8") as file:
                    file.write(judgement.text)
    return {"counts": dict(counts), "refused": refused[:3], "raised": raised[:2]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("framework", choices=("torch", "jax", "cupy", "numpy"))
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--cases", type=int, default=10_000, help="of each function, over its combinations of formats")
    parser.add_argument("--seconds", type=int, default=60, help="of each, at most")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", default="", help="a regular expression of names")
    parser.add_argument("--save", default="", metavar="FOLDER", help="where refused cases are saved")
    flags = parser.parse_args()
    refused = decided = 0
    tools = Frameworks(flags.framework, flags.device)
    with multiprocessing.get_context("spawn").Pool(flags.jobs, maxtasksperchild=None) as pool:
        for number, row in enumerate(rows_of(flags.framework)):
            if not re.search(flags.only, row.name):
                continue
            for formats in row.formats:
                started = time.monotonic()
                cases = -(-flags.cases // sum(map(tools.takes, row.formats)))
                jobs = [(flags.framework, flags.device, number, formats, cases, start, flags.jobs, flags.seconds,
                         flags.save) for start in range(flags.jobs)]  # fmt: skip
                parts = [part for part in pool.map(run, jobs, chunksize=1) if part]
                total: collections.Counter = collections.Counter()
                for part in parts:
                    total.update(part["counts"])
                if not parts:
                    continue
                refused += total["fail"]
                decided += total["pass"]
                switches = " ".join(row.switches)
                print(
                    f"{row.name:28} {' x '.join(formats):22} {total['pass'] + total['fail']:7} cases "
                    f"{total['elements']:10} elements {total['fail']:6} refused ({total['failing']} elements) "
                    f"{total['vacuous']:6} vacuous {total['undecided']:6} undecided {total['raised']:4} raised "
                    f"{time.monotonic() - started:5.1f} s {switches}",
                    flush=True,
                )
                for part in parts:
                    for text in (*part["refused"][:1], *part["raised"][:1]):
                        print("\n".join("    " + line[:200] for line in text.splitlines()[:5]), flush=True)
                        break
                    else:
                        continue
                    break
    return 1 if refused else 0 if decided else 4


if __name__ == "__main__":
    sys.exit(main())
