"""`negzero check|fuzz|replay --kernels MODULE.py`: right kernels, and ones that misbehave."""

from __future__ import annotations

import contextlib
import pathlib

import pytest

from test_readme import ROOT
from workers import CHECK, Ran, module, needs_program, run

pytestmark = needs_program

RIGHT = ("right.sum", "right.total", "right.gemm")


def check_beside(folder: pathlib.Path, bad: str, **environment: str) -> Ran:
    """A check of three right kernels and one that is not; the right ones lose nothing."""
    ran = run(folder, "check", *RIGHT, bad, "--kernels", "my_kernels.py", "--cases", "2", *CHECK, **environment)
    for name in RIGHT:
        kernel = ran.kernel(name)
        assert kernel["cases"] == 2 and kernel["pass"] + kernel["vacuous"] == 2, kernel
    assert ran.kernel(bad)["cases"] == 2
    return ran


@pytest.mark.parametrize(
    "bad, kind, message",
    [
        ("kill9", "crash", "PermissionError: [Errno 1] Operation not permitted (my_kernels.py:"),
        ("kill_group", "crash", "PermissionError: [Errno 1] Operation not permitted (my_kernels.py:"),
        ("aborts", "crash", "killed by signal 6 (Aborted) in the kernel's function"),
        ("faults", "crash", "killed by signal 11 (Segmentation fault) in the kernel's function"),
        ("exits", "crash", "the process ended itself with exit status 3 in the kernel's function"),
        ("hangs", "hang", "no answer within 1 s in the kernel's function"),
        ("garbage", "crash", "what the process sent is no answer of the worker protocol"),
        ("version", "crash", "it speaks version 9 of the worker protocol, and this negzero version 1"),
        ("oversized", "crash", "what the process sent is no answer of the worker protocol"),
        ("too_many", "crash", "what the process sent is no answer of the worker protocol"),
        ("raises", "crash", "LookupError: no table for this shape (my_kernels.py:"),
        ("refuses", "refused_legal_request", "Refused: no table for this shape (my_kernels.py:"),
    ],
)
def test_what_one_does_is_a_finding_of_its_kernel(folder, bad, kind, message):
    ran = check_beside(folder, f"bad.{bad}")
    assert ran.code == 1, ran.err
    kernel = ran.kernel(f"bad.{bad}")
    assert kernel["fail"] == 2
    assert kernel["findings"][0]["class"] == kind
    assert message in kernel["findings"][0]["message"]


def test_a_framework_that_never_starts_is_a_hang_of_its_kernel(folder):
    ran = check_beside(folder, "bad.starts_slowly", NEGZERO_START_SECONDS="2")
    assert ran.code == 1, ran.err
    found = ran.kernel("bad.starts_slowly")["findings"][0]
    assert found["class"] == "hang"
    assert "no answer within 2 s before it was ready to run the kernel" in found["message"]


def test_a_framework_that_starts_longer_than_a_launch_may_take_is_none(folder):
    # It is imported before the first launch, whose time limit is a second.
    (folder / "jax.py").write_text("import time\ntime.sleep(2)\nraise ImportError('this one is broken')\n")
    ran = check_beside(folder, "bad.starts_slowly")
    assert ran.code == 3, ran.err
    kernel = ran.kernel("bad.starts_slowly")
    assert kernel["error"] == 2
    assert "jax cannot be used for bad.starts_slowly: ImportError: this one is broken (jax.py:3)" in kernel["note"]


def test_a_module_that_takes_long_to_import_is_no_hang_and_the_progress_says_starting(folder):
    path = module(
        folder,
        "__import__('time').sleep(3)\nnegzero.kernel('reduce.sum', name='late', contract='f32')(lambda x: x.sum(-1))\n",
    )
    ran = run(folder, "check", "--kernels", path, "--cases", "4", "--jobs", "1", *CHECK[4:])
    assert ran.code == 0, ran.out
    assert "0 of 4 cases, starting, 0 failing" in ran.err


@pytest.mark.parametrize("name", ["bad.prints", "bad.forks"])
def test_what_prints_a_lot_or_leaves_processes_is_right(folder, name):
    ran = check_beside(folder, name)
    assert ran.code == 0, ran.out
    assert ran.kernel(name)["pass"] + ran.kernel(name)["vacuous"] == 2
    assert not living(folder)


def living(folder: pathlib.Path) -> "list[str]":
    """The command lines of processes that name the folder."""
    lines = []
    for each in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            lines.append(each.read_text(errors="replace").replace("\0", " "))
    return [line for line in lines if str(folder) in line]


def test_what_a_worker_detached_ends_with_the_run(folder):
    path = module(
        folder,
        "import os, time\n"
        "@negzero.kernel('reduce.sum', name='detaches', contract='f32', limits={'rows': (1, 9)})\n"
        "def detaches(x):\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        "        if os.fork() == 0: time.sleep(3600)\n"
        "        os._exit(0)\n"
        "    os.wait()\n"
        "    return x.sum(-1)\n",
    )
    ran = run(folder, "check", "--kernels", path, "--cases", "4", *CHECK)
    assert ran.code == 0, ran.out
    assert not living(folder)


def test_a_module_that_is_none_does_not_keep_others_from_running(folder):
    broken = module(folder, "import nothing_of_this_name\n", "broken.py")
    good = module(folder, "negzero.kernel('reduce.sum', name='good', contract='f32')(lambda x: x.sum(-1))\n")
    ran = run(folder, "check", "--kernels", broken, "--kernels", good, "--cases", "4", *CHECK)
    assert ran.code == 3, ran.err
    assert ran.kernel("good")["cases"] == 4
    assert ran.err.count("No module named 'nothing_of_this_name'") >= 1
    alone = run(folder, "check", "--kernels", broken, "--cases", "4", *CHECK)
    assert alone.code == 3
    assert "cannot be imported" in alone.json()["error"]["message"]


def test_a_replay_of_a_module_knows_the_shipped_kernels_too(folder):
    good = module(folder, "negzero.kernel('reduce.sum', name='good', contract='f32')(lambda x: x.sum(-1))\n")
    case = ROOT / "corpus" / "regressions" / "R1_flt_max_identity.safetensors"
    ran = run(folder, "replay", case, "--kernels", good, "--executor", "host")
    assert ran.code == 0, ran.err
    assert "2 verdicts: 2 as expected" in ran.out


def test_a_worker_that_ended_is_started_anew(folder):
    path = module(
        folder,
        "@negzero.kernel('reduce.sum', name='sometimes', contract='f32', limits={'rows': (1, 9), 'columns': (1, 60)})\n"
        "def sometimes(x):\n"
        "    if x.shape[0] == 4: raise SystemExit(5)\n"
        "    if x.shape[1] in (7, 37): __import__('os')._exit(5)\n"
        "    return x.sum(-1)\n",
    )
    ran = run(folder, "check", "--kernels", path, "--cases", "60", *CHECK)
    kernel = ran.kernel("sometimes")
    assert kernel["cases"] == 60 and kernel["error"] == 0
    assert kernel["fail"] > 0 and kernel["pass"] > 0
    assert {each["class"] for each in kernel["findings"]} == {"crash"}


def test_findings_are_replayed_and_corpora_name_the_module(folder):
    path = module(
        folder,
        "@negzero.kernel('reduce.sum', name='mine.sum', contract='f32')\ndef mine(x): return x[:, :40].sum(-1)\n",
    )
    ran = run(folder, "check", "--kernels", path, "--cases", "60", *CHECK, "--save", "found")
    assert ran.code == 1, ran.err
    found = ran.kernel("mine.sum")["findings"][0]
    words = ("--kernels", "mine.py", "--cases", "60")
    text = run(folder, "check", *words, "--shrink-time", "200ms", "--save", "found").out
    line = next(each for each in text.splitlines() if each.strip().startswith("replay"))
    assert line.endswith(f" --kernels {path}"), line
    replayed = run(folder, "replay", found["case"], "--kernels", "mine.py", "--json")
    assert replayed.code == 1, replayed.out + replayed.err
    fuzzed = run(folder, "fuzz", "--folder", "campaign", *words, "--json")
    assert fuzzed.code == 1, fuzzed.out + fuzzed.err
    assert "mine.sum" in fuzzed.out
    # A module that no longer has the fault.
    module(folder, "@negzero.kernel('reduce.sum', name='mine.sum', contract='f32')\ndef mine(x): return x.sum(-1)\n")
    mended = run(folder, "replay", found["case"], "--kernels", "mine.py", "--json")
    assert '"fail"' not in mended.out, mended.out


def test_what_an_interpreter_gives_never_passes_the_gpus_contract(folder):
    # As _kernels.py declares PyTorch's kernels under TRITON_INTERPRET; PyTorch is too large to be there everywhere.
    path = module(
        folder,
        "from negzero import _kernels\n"
        "for name, more in {'gpus': {}, 'own': {'contract_of': 'interpreter'}}.items():\n"
        "    negzero.kernel('reduce.sum', name=name, contract='f32')(lambda x: x.sum(-1))\n"
        "    _kernels.registered[name].declared.update(interpreter='Triton', **more)\n",
    )
    ran = run(folder, "check", "--kernels", path, "--cases", "20", *CHECK)
    assert ran.kernel("gpus")["pass"] == 0 and ran.kernel("gpus")["vacuous"] == 20
    assert ran.kernel("own")["pass"] > 10
    for name in ("gpus", "own"):
        assert ran.kernel(name)["interpreter"].startswith("Triton interpreter: not the GPU's numerics; ")
    alone = run(folder, "check", "gpus", "--kernels", path, "--cases", "20")
    assert alone.code == 4 and "Triton interpreter: not the GPU's numerics; " in alone.out
    # What fails is found all the same.
    module(folder, path.read_text().split("\n", 1)[1].replace("x.sum(-1)", "x[:, 1:].sum(-1)"))
    assert run(folder, "check", "gpus", "--kernels", path, "--cases", "20", *CHECK).code == 1


def test_formats_of_eight_and_sixteen_bits_are_judged_bit_for_bit(folder):
    path = module(
        folder,
        "import ml_dtypes\n"
        "@negzero.kernel('convert', name='widens', formats=[('BF16', 'F32'), ('F8_E4M3', 'F32'), ('F8_E5M2', 'F16')])\n"
        "def widens(x, y):\n"
        "    y[...] = x\n",
    )
    ran = run(folder, "check", "--kernels", path, "--cases", "150", *CHECK)
    assert ran.code == 0, ran.out
    assert ran.kernel("widens")["pass"] > 100


def test_kernels_get_c_and_indices_in_the_formats_that_they_declare(folder):
    path = module(
        folder,
        "@negzero.kernel('scatter.add', name='adds', formats=('F32', 'I64'))\n"
        "def adds(x, index, out):\n"
        "    assert index.dtype == np.int64\n"
        "    np.add.at(out, index, x)\n"
        "@negzero.kernel('reduce.argmax', name='place', formats=('F32', 'I64'), contract={'zero_sign': 'any'},\n"
        "                limits={'columns': (1, 40)})\n"
        "def place(x, y):\n"
        "    assert y.dtype == np.int64\n"
        "    nan = np.isnan(x)\n"
        "    y[...] = np.where(nan.any(-1, keepdims=True), nan, x == x.max(-1, keepdims=True)).argmax(-1)\n"
        "for of in (np.float32, np.float16):\n"
        "    @negzero.kernel('gemm', name=f'c.{of.__name__}', formats=('F16', 'F16', 'F16', 'F32'))\n"
        "    def narrow(a, b, c, of=of):\n"
        "        assert c.dtype == np.float32\n"
        "        total = np.zeros((a.shape[0], b.shape[1]), np.float32)\n"
        "        for k in range(a.shape[1]):\n"
        "            total = total + a[:, k : k + 1].astype(np.float32) * b[k : k + 1]\n"
        "        return (total + c.astype(of)).astype(np.float16)\n",
    )
    ran = run(folder, "check", "--kernels", path, "--cases", "100", *CHECK)
    passed = {name: ran.kernel(name)["pass"] for name in ("adds", "place", "c.float32", "c.float16")}
    assert ran.code == 1 and passed.pop("c.float16") < 100 and min(passed.values()) > 80, passed


def test_a_second_run_that_differs_is_not_told_as_code(folder):
    module(
        folder,
        "calls = []\n"
        "@negzero.kernel('reduce.sum', contract={'determinism': 'run_to_run'}, limits={'columns': (9, 99)})\n"
        "def varies(x):\n"
        "    calls.append(1)\n"
        "    return x[:, :: 1 if len(calls) % 2 else -1].cumsum(axis=1)[:, -1]\n",
    )
    ran = run(folder, "check", "--kernels", "mine.py", "--cases", "60", *CHECK)
    (found,) = ran.kernel("varies")["findings"]
    assert found["class"] == "not_deterministic" and found["case"] and not found["as_code"]
