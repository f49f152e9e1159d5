"""What a function leaves behind that ends its process, and what the next check of it says."""

from __future__ import annotations

import io
import pathlib
import signal
import subprocess
import sys

import negzero
import pytest

PROGRAM = """
import ctypes, os, sys
import negzero, numpy as np

def fn(a, b):
    if sys.argv[1] != "right" and a.shape[1] > 8:
        print("ends", flush=True)
        if sys.argv[1] == "abort": os.abort()
        if sys.argv[1] == "segmentation fault": ctypes.string_at(8)
        if sys.argv[1] == "exit": os._exit(0)
        while True: pass
    return a @ b

print(negzero.check(fn, "gemm"))
"""


def start(how: str) -> subprocess.Popen:
    """Starts the program, and waits until its function has come to its end where it has one."""
    pathlib.Path("program.py").write_text(PROGRAM)
    process = subprocess.Popen([sys.executable, "program.py", how], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if how != "right":
        assert process.stdout is not None
        assert process.stdout.readline() == b"ends\n"
    return process


@pytest.mark.parametrize("how", ["abort", "segmentation fault", "exit", "endless loop", "interrupt"])
def test_the_case_is_left_and_the_next_check_begins_with_it(how):
    process = start(how)
    if how == "endless loop":
        process.kill()
    if how == "interrupt":
        process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    if how == "interrupt":
        assert b"interrupted inside fn; its case is " in said
    case = negzero.last_case()
    assert case is not None and case.operation == "gemm"
    assert case.contract  # it can be judged as it is
    assert case.described["extents"]["k"] > 8
    out, said = start("right").communicate(timeout=60)
    assert b"cases permitted" in out, said


def test_the_next_check_says_what_happened_and_where_the_case_is():
    start("abort").communicate(timeout=60)
    _, said = start("right").communicate(timeout=60)
    assert b"an earlier run ended inside __main__.fn: aborted, killed, or stopped for taking too long" in said
    assert b"negzero.last_case() returns it" in said
    assert not list(pathlib.Path(".negzero/failing").glob("*/*"))  # it passes now
    assert b"an earlier run" not in start("right").communicate(timeout=60)[1]


def test_what_ends_the_process_does_so_at_once_the_next_time():
    start("abort").communicate(timeout=60)
    first = negzero.last_case()
    start("abort").communicate(timeout=60)
    second = negzero.last_case()
    assert first is not None and second is not None and first.data == second.data


INTERRUPTED = """
import os, signal, sys, threading
import negzero, numpy as np

def fn(a, b):
    return a @ b

threading.Timer(float(sys.argv[1]), os.kill, (os.getpid(), signal.SIGINT)).start()
print(negzero.check(fn, "gemm", cases=200_000, save_to=None))
"""


@pytest.mark.parametrize("seconds", [0.05, 0.11, 0.17, 0.23, 0.31, 0.43])
def test_an_interrupt_at_any_moment_ends_the_check(seconds):
    pathlib.Path("program.py").write_text(INTERRUPTED)
    done = subprocess.run(
        [sys.executable, "program.py", str(seconds)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode in (130, -signal.SIGINT) and done.stderr.rstrip().endswith("KeyboardInterrupt"), done
    assert "cases permitted" not in done.stdout


def test_progress_is_shown_to_people_alone(monkeypatch):
    from negzero import _progress

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    for stream, watched in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setattr(_progress, "_FIRST", 0.0)
        progress = _progress.Progress("fn", 300)
        progress.at("search", 16)
        progress._next = 0.0 if watched else progress._next
        progress.at("shrink", 16)
        progress.close()
        assert ("negzero: fn: case 17 of 300" in stream.getvalue()) == watched
        assert ("shrinking case 16, run 1" in stream.getvalue()) == watched
        assert stream.getvalue().endswith("\r") == watched
