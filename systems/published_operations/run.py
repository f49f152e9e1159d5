"""Checks published kernels on this machine's GPU, each in a process of its own, and prints what became of each.

python systems/published_operations/run.py            all of them, as a table; then what was found, in full
python systems/published_operations/run.py NAME ...   some

Exit code: 0 all are within their errors, 1 something was found, 2 a name that is none, 4 nothing was decided of some.
"""

from __future__ import annotations

import concurrent.futures
import json
import subprocess
import sys
import time

import kernels
import negzero

_SECONDS = 150  #: longest time for one


def checked(name: str) -> "dict[str, str]":
    """Checks one in this process."""
    each = next(published for published in kernels.PUBLISHED if published.name == name)
    begin = time.perf_counter()
    try:
        done = negzero.check(
            each.function(), each.operation, formats=each.formats, arrays="torch", device="cuda",
            reference=each.reference, error=each.error, limits=each.limits, claims=each.claims,
            shrink_seconds=40, save_to=None,
        )  # fmt: skip
        verdict, text = f"{done.passed} cases within its error", str(done)
    except negzero.Counterexample as found:
        verdict, text = f"{found.report['class']} by {found.report['rule']}", str(found)
    except negzero.NothingDecided as undecided:
        verdict, text = "nothing decided", str(undecided)
    return {"verdict": verdict, "text": text, "seconds": f"{time.perf_counter() - begin:.1f}"}


def apart(name: str) -> "dict[str, str]":
    """Checks one in a process of its own, which it may end."""
    command = [sys.executable, __file__, "--one", name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return {"verdict": f"no end within {_SECONDS} s", "text": "", "seconds": str(_SECONDS)}
    for line in reversed(done.stdout.splitlines()):
        if line.startswith("{"):
            return dict(json.loads(line))
    return {
        "verdict": f"its process ended with {done.returncode}",
        "text": (done.stdout + done.stderr)[-2000:],
        "seconds": "0",
    }


def main(names: "list[str]") -> int:
    """Checks them, and prints a table in Markdown, a row when a kernel is done, and then the counterexamples."""
    if names[:1] == ["--one"]:
        print(json.dumps(checked(names[1])))
        return 0
    known = [each.name for each in kernels.PUBLISHED]
    for name in names:
        if name not in known:
            print(f"run.py: {name} is none of {', '.join(known)}", file=sys.stderr)
            return 2
    chosen = [each for each in kernels.PUBLISHED if not names or each.name in names]
    for each in {each.path: each for each in chosen}.values():
        each.library()
    results = []
    print("| kernel | verdict | s |\n|---|---|---|")
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for each, result in zip(chosen, pool.map(apart, [each.name for each in chosen])):
            print(f"| {each.name} | {result['verdict']} | {result['seconds']} |", flush=True)
            results.append((each.name, result))
    open_ones = [(name, result) for name, result in results if not result["verdict"].endswith("within its error")]
    for name, result in open_ones:
        print(f"\n{name}\n{result['text']}")
    undecided = [name for name, result in open_ones if result["verdict"] == "nothing decided"]
    return 1 if len(open_ones) > len(undecided) else 4 if undecided else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
