"""The process is the caller's: its threads, forks, floating-point environment, streams, and a library that is wrong."""

from __future__ import annotations

import concurrent.futures
import ctypes
import multiprocessing
import os
import pathlib
import platform
import resource
import subprocess
import sys
import threading

import negzero
from negzero import _library, _safetensors
import numpy as np
import pytest
from support import gemm, spoiled

A, B, D = gemm(40, 40, 16)


def verdicts(seed: int = 0) -> "list[tuple[str, int]]":
    wrong = spoiled(D, (seed % 40, 3))
    return [
        (judgement.verdict, judgement.failing)
        for judgement in (negzero.judge(observed, "gemm", a=A, b=B, elements="all") for observed in (D, wrong))
    ]


RIGHT = [("pass", 0), ("fail", 1)]


def test_threads_judge_at_once() -> None:
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(verdicts, range(64))) == [RIGHT] * 64


def test_others_run_while_a_call_computes() -> None:
    case = negzero.case("gemm", a=A, b=B, out_dtype=np.float32)
    outputs = _safetensors.write({"d": D[None]}, {})
    turns, during = [0], [0]
    done = threading.Event()

    def work() -> None:
        for _ in range(2000):  # on a busy machine the other thread may sleep through one call
            before = turns[0]
            _library.judge(case.data, outputs, {"contract": "f32", "threads": 1})
            during[0] = turns[0] - before
            if during[0]:
                break
        done.set()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)  # nobody is made to give up the GIL
    try:
        thread = threading.Thread(target=work)
        thread.start()
        while not done.wait(0.0005):  # releases it, and long enough for the other to take it
            turns[0] += 1
        thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert during[0] > 0


def test_no_thread_outlives_a_call(capfd: pytest.CaptureFixture[str]) -> None:
    before = set(os.listdir("/proc/self/task"))
    assert verdicts() == RIGHT
    negzero.permitted("gemm", a=A, b=B, threads=4)
    assert set(os.listdir("/proc/self/task")) <= before
    with pytest.raises(ValueError):
        negzero.judge(D, "gemm", a=A, b=B, contract="no_such_preset")
    assert capfd.readouterr() == ("", "")


def test_what_the_library_gives_is_freed() -> None:
    x = np.zeros((256, 256), np.float32)
    data = negzero.permitted("convert", x=x)["y"].low.nbytes * 3
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    for _ in range(200):
        negzero.permitted("convert", x=x, threads=1)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before < 60 * data


def _in_child(queue: "multiprocessing.Queue[object]") -> None:
    queue.put(verdicts())


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_children_judge(method: str) -> None:
    # In a process of its own: this one may have threads of JAX, which a fork would leave without their locks' owners.
    subprocess.run([sys.executable, __file__, method], timeout=120, check=True)


def judge_in_children(method: str) -> None:
    """Judges before, in and after a child that is started by that method."""
    assert verdicts() == RIGHT  # before, so that a fork inherits what was used
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    child = context.Process(target=_in_child, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == RIGHT
    child.join(60)
    assert child.exitcode == 0 and verdicts() == RIGHT


def test_pytest_xdist_workers_judge_and_save_at_once() -> None:
    pathlib.Path("test_inner.py").write_text(
        "import negzero, numpy as np, pytest\n"
        "ONE = np.ones((4, 4), np.float32)\n"
        "@pytest.mark.parametrize('i', range(24))\n"
        "def test_it(i):\n"
        "    assert negzero.assert_permitted(ONE * 4, 'gemm', a=ONE, b=ONE).permitted\n"
        "    with pytest.raises(negzero.NotPermitted):\n"
        "        negzero.assert_permitted(ONE * 5, 'gemm', a=ONE, b=ONE)\n"
        "def test_that_fails():\n"
        "    negzero.assert_permitted(ONE * 6, 'gemm', a=ONE, b=ONE)\n"
    )
    words = [sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", "test_inner.py"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert "1 failed, 24 passed" in done.stdout, done
    assert "REPRO: negzero judge" in done.stdout and "_assert.py" not in done.stdout, done.stdout
    assert not [name for name in os.listdir(".negzero") if not name.endswith((".safetensors", ".gitignore"))]


def _environment() -> "ctypes.Array[ctypes.c_uint8]":
    environment = (ctypes.c_uint8 * 64)()
    assert ctypes.CDLL("libm.so.6").fegetenv(environment) == 0
    return environment


@pytest.mark.parametrize("rounding", [0x0000, 0x2000, 0x4000, 0x6000])
@pytest.mark.skipif(platform.machine() != "x86_64", reason="the layout of fenv_t is that of x86-64")
def test_flush_to_zero_of_other_libraries_changes_no_verdict_and_stays(rounding: int) -> None:
    libm = ctypes.CDLL("libm.so.6")
    tiny = np.float32(1e-42)
    x = np.full((3, 5), tiny)
    right = np.full(3, np.float32(5) * tiny) if not rounding else negzero.permitted("reduce.sum", x=x)["y"].low
    before = _environment()
    flushing = (ctypes.c_uint8 * 64).from_buffer_copy(before)
    mxcsr = int.from_bytes(bytes(before[28:32]), "little")
    flushing[28:32] = list((mxcsr | 0x8040 | rounding).to_bytes(4, "little"))
    assert libm.fesetenv(flushing) == 0
    try:
        passed = negzero.judge(right, "reduce.sum", x=x, contract="f32").verdict
        zeros = negzero.judge(np.zeros(3, np.float32), "reduce.sum", x=x, contract="f32").verdict
        after = int.from_bytes(bytes(_environment()[28:32]), "little")
    finally:
        libm.fesetenv(before)
    assert (passed, zeros) == ("pass", "fail")
    assert after & 0xFFC0 == (mxcsr | 0x8040 | rounding) & 0xFFC0


FAKE = """
#include <stdint.h>
{}
"""


def imported(library: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", "import negzero"],
        env={**os.environ, "NEGZERO_LIBRARY": library},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    "source, says",
    [
        ("uint32_t negzero_abi(void) { return 999; }", "ABI 999"),
        ("int nothing;", "no libnegzero"),
        (None, "no libnegzero"),
    ],
    ids=["another ABI", "another library", "no library"],
)
def test_a_wrong_library_is_an_import_error_with_a_cure(source: "str | None", says: str) -> None:
    if source is None:
        pathlib.Path("fake.so").write_bytes(b"\x7fELF and then nothing")
    else:
        pathlib.Path("fake.c").write_text(FAKE.format(source))
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", "fake.so", "fake.c"], check=True)
    done = imported("./fake.so")
    assert done.returncode == 1 and "ImportError" in done.stderr, done
    assert says in done.stderr and "unset NEGZERO_LIBRARY" in done.stderr


def test_a_missing_library_is_an_import_error_with_a_cure() -> None:
    done = imported("/nowhere/libnegzero.so")
    assert "ImportError" in done.stderr and "/nowhere/libnegzero.so is missing; install" in done.stderr, done


if __name__ == "__main__":
    judge_in_children(sys.argv[1])
