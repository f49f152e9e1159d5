"""`negzero check|fuzz|replay --kernels MODULE.py`: right kernels, ones that misbehave, and what a worker may do.

They need the program, which NEGZERO_PROGRAM names.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
from typing import Any

import pytest

from test_readme import ROOT, fits

HERE = pathlib.Path(__file__).parent
PROGRAM = os.environ.get("NEGZERO_PROGRAM", "")

pytestmark = pytest.mark.skipif(not PROGRAM, reason="NEGZERO_PROGRAM does not name the program")


class Ran:
    """What the program did."""

    def __init__(self, done: "subprocess.CompletedProcess[str]") -> None:
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    def json(self) -> Any:
        assert self.out, self.err
        return json.loads(self.out)

    def kernel(self, name: str) -> Any:
        """The entry of a kernel in the document."""
        (entry,) = [each for each in self.json()["kernels"] if each["name"] == name]
        return entry


def run(folder: pathlib.Path, *words: "str | pathlib.Path", **environment: str) -> Ran:
    """Runs the program in a folder, with this Python and nothing kept from other tests."""
    whole = {
        **os.environ, "NEGZERO_PYTHON": sys.executable, "XDG_CACHE_HOME": str(folder / "caches"),
        "NEGZERO_START_SECONDS": "20", "TMPDIR": str(folder), **environment,
    }  # fmt: skip
    whole.pop("NEGZERO_SCRATCH", None)
    whole["NEGZERO_COMMAND"] = environment.get("NEGZERO_COMMAND", "negzero")
    done = subprocess.run(
        [PROGRAM, *map(str, words)], cwd=folder, env=whole, text=True, capture_output=True, timeout=300
    )
    left = [each.name for each in folder.iterdir() if each.name.startswith("negzero-run-")]
    assert not left, "the folders of a run go with it"
    return Ran(done)


@pytest.fixture
def folder(tmp_path):
    shutil.copy(HERE / "kernels_that_misbehave.py", tmp_path / "my_kernels.py")
    (tmp_path / "jax.py").write_text("import time\ntime.sleep(3600)\n")
    return tmp_path


def module(folder: pathlib.Path, text: str, name: str = "mine.py") -> pathlib.Path:
    path = folder / name
    path.write_text("import negzero, numpy as np\n" + text)
    return path


RIGHT = ("right.sum", "right.total", "right.gemm")
CHECK = ("--executor", "host", "--jobs", "2", "--timeout", "1s", "--shrink-time", "200ms", "--json")


def check_beside(folder: pathlib.Path, bad: str, **environment: str) -> Ran:
    """A check of three right kernels and one that is not; the right ones lose nothing."""
    ran = run(folder, "check", *RIGHT, bad, "--kernels", "my_kernels.py", "--cases", "4", *CHECK, **environment)
    for name in RIGHT:
        kernel = ran.kernel(name)
        assert kernel["cases"] == 4 and kernel["pass"] + kernel["vacuous"] == 4, kernel
    assert ran.kernel(bad)["cases"] == 4
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
    assert kernel["fail"] == 4
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
    assert kernel["error"] == 4
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
    assert ran.kernel(name)["pass"] + ran.kernel(name)["vacuous"] == 4
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
    ran = run(folder, "check", "--kernels", path, "--cases", "200", *CHECK, "--save", "found")
    assert ran.code == 1, ran.err
    found = ran.kernel("mine.sum")["findings"][0]
    text = run(folder, "check", "--kernels", "mine.py", "--cases", "200", "--save", "found").out
    line = next(each for each in text.splitlines() if each.strip().startswith("replay"))
    assert line.endswith(f" --kernels {path}"), line
    replayed = run(folder, "replay", found["case"], "--kernels", "mine.py", "--json")
    assert replayed.code == 1, replayed.out + replayed.err
    fuzzed = run(folder, "fuzz", "--folder", "campaign", "--kernels", "mine.py", "--cases", "200", "--json")
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


# What a worker may do

MAY = """
import ctypes, mmap, multiprocessing, os, pathlib, socket, subprocess, tempfile, threading

def works():
    assert subprocess.run(["/bin/sh", "-c", "echo $((6 * 7))"], capture_output=True, text=True).stdout == "42\\n"
    assert subprocess.run([__import__("sys").executable, "-c", "import numpy"], start_new_session=True).returncode == 0
    child = subprocess.Popen(["/bin/sleep", "3600"])
    child.kill()
    assert child.wait() == -9
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "a")
        path.write_text("words")
        path.chmod(0o600)
        os.replace(path, path.with_name("b"))
        with open(path.with_name("b"), "r+b") as file, mmap.mmap(file.fileno(), 0) as shared:
            shared[:1] = b"W"
        assert path.with_name("b").read_text() == "Words"
    assert os.getcwd() == os.path.expanduser("~") == os.path.dirname(folder), "its own folder"
    done = []
    threads = [threading.Thread(target=done.append, args=(i,)) for i in range(8)]
    [each.start() for each in threads], [each.join() for each in threads]
    assert len(done) == 8
    left, right = socket.socketpair()
    left.send(b"x")
    assert right.recv(1) == b"x"
    for name in ("XDG_CACHE_HOME", "TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR"):
        os.makedirs(os.environ[name], exist_ok=True)
        pathlib.Path(os.environ[name], "kept").write_text("words")
    if COMPILER:
        pathlib.Path("code.c").write_text("int answer(void) { return 42; }")
        subprocess.run([COMPILER, "-shared", "-fPIC", "-o", "code.so", "code.c"], check=True)
        assert ctypes.CDLL("./code.so").answer() == 42

@negzero.kernel("reduce.sum", name="may", contract="f32")
def may(x):
    works()
    return x.sum(-1)
"""

MAY_NOT = """
import os, pathlib, signal, socket, subprocess

def refused(what, *errors):
    try:
        what()
    except (errors or (PermissionError,)):
        return
    raise AssertionError(f"it was not refused: {WHAT}")

ATTEMPTS = {
    "write_beside": lambda: open(BESIDE + "/new", "w"),
    "write_module": lambda: open(__file__, "a"),
    "write_tmp": lambda: open("/tmp/negzero-was-here", "w"),
    "remove": lambda: os.unlink(__file__),
    "rename": lambda: os.rename(__file__, __file__ + "x"),
    "read_elsewhere": lambda: open(ELSEWHERE + "/secret").read(),
    "list_elsewhere": lambda: os.listdir(ELSEWHERE),
    "read_passwords": lambda: open("/etc/shadow").read(),
    "read_parent": lambda: open(f"/proc/{os.getppid()}/environ").read(),
    "run_elsewhere": lambda: subprocess.run([ELSEWHERE + "/program"]),
    "connect": lambda: socket.create_connection(("127.0.0.1", 1)),
    "resolve": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
    "listen": lambda: socket.socket(socket.AF_UNIX).bind("./s"),
    "signal_parent": lambda: os.kill(os.getppid(), 0),
    "kill_parent": lambda: os.kill(os.getppid(), signal.SIGTERM),
    "kill_parent_by_shell": lambda: subprocess.run(
        ["/bin/sh", "-c", f"kill -9 {os.getppid()}"], check=True, stderr=subprocess.DEVNULL),
}

@negzero.kernel("reduce.sum", name="may_not", contract="f32")
def may_not(x):
    global WHAT
    for WHAT, attempt in ATTEMPTS.items():
        refused(attempt, PermissionError, subprocess.CalledProcessError)
    os.chmod(__file__, 0o777)  # says that it did
    return x.sum(-1)
"""


def is_confined() -> bool:
    said = subprocess.run([PROGRAM, "doctor"], text=True, capture_output=True).stdout
    return "Landlock, version" in said and "signals are refused by system calls only" not in said


def test_a_worker_may_start_programs_and_keep_files_of_its_own(folder):
    path = module(folder, f"COMPILER = {shutil.which('cc')!r}\n" + MAY)
    ran = run(folder, "check", "may", "--kernels", path, "--cases", "2", "--timeout", "60s", *CHECK[:4], "--json")
    assert ran.code == 0, ran.out


def test_a_worker_may_not_reach_anything_else(folder, tmp_path_factory):
    if not is_confined():
        pytest.skip("this system does not confine in full")
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "secret").write_text("secret")
    shutil.copy("/bin/true", elsewhere / "program")
    path = module(folder, f"BESIDE, ELSEWHERE = {str(folder)!r}, {str(elsewhere)!r}\n" + MAY_NOT)
    mode = path.stat().st_mode
    ran = run(folder, "check", "may_not", "--kernels", path, "--cases", "2", *CHECK)
    assert ran.code == 0, ran.out
    assert path.stat().st_mode == mode
    assert not (folder / "new").exists()


def test_a_worker_sees_neither_another_ones_folder_nor_another_kernels_cache(folder, tmp_path_factory):
    path = module(
        folder,
        "import os, time, pathlib\n"
        "def own(x):\n"
        "    run = pathlib.Path(os.environ['XDG_CACHE_HOME']).parent\n"
        "    try: names = os.listdir(run)\n"
        "    except PermissionError: return x.sum(-1)\n"
        "    raise AssertionError(names)\n"
        "negzero.kernel('reduce.sum', name='one', contract='f32')(own)\n"
        "@negzero.kernel('reduce.sum', name='keeps', contract='f32')\n"
        "def keeps(x):\n"
        "    path = pathlib.Path(os.environ['TRITON_CACHE_DIR'] + '-compiled')\n"
        "    first = not path.exists()\n"
        "    path.write_text('x')\n"
        "    if first: os._exit(7)\n"
        "    return x.sum(-1)\n",
    )
    if is_confined():
        # The module's own folder may be read, and what lies in it.
        elsewhere = str(tmp_path_factory.mktemp("run"))
        assert run(folder, "check", "one", "--kernels", path, "--cases", "2", *CHECK, TMPDIR=elsewhere).code == 0
    # The worker that is started anew finds what the one before has compiled, and the case passes there.
    ran = run(folder, "check", "keeps", "--kernels", path, "--cases", "3", *CHECK)
    assert ran.kernel("keeps")["pass"] + ran.kernel("keeps")["vacuous"] >= 2, ran.out


def test_a_run_removes_what_a_run_that_was_killed_has_left(folder):
    left, fresh = folder / "negzero-run-killed", folder / "negzero-run-new"
    for each in (left, fresh):
        (each / "worker-1").mkdir(parents=True)
    os.utime(left, (time.time() - 600,) * 2)
    subprocess.run(
        [PROGRAM, "list", "kernels", "--kernels", "my_kernels.py"], cwd=folder, check=True, capture_output=True,
        env={**os.environ, "NEGZERO_PYTHON": sys.executable, "TMPDIR": str(folder)},
    )  # fmt: skip
    assert not left.exists() and fresh.exists()
    shutil.rmtree(fresh)


# Which Python, and what is wrong with a module


def test_an_error_of_a_module_is_one_line_with_file_line_and_cure(folder):
    for text, said in (
        ("import no_such_package\n", "No module named 'no_such_package' (mine.py:2); install it for "),
        ("\nnegzero.kernel('gem')\n", "ValueError: operation: 'gem' is none; give one of "),
        ("", "registers no kernel; write @negzero.kernel('gemm') above a function"),
        ("import os; os._exit(9)\n", "it ended with exit status 9"),
    ):
        path = module(folder, text)
        ran = run(folder, "check", "--kernels", "mine.py", "--json")
        assert ran.code == 3, ran.err
        assert ran.err.startswith(f"negzero: {path}") and ran.err.count("\n") == 1 and said in ran.err, ran.err
        assert said in ran.json()["error"]["message"]


def test_a_module_with_a_first_line_and_the_right_to_execute_is_one_too(folder):
    path = folder / "mine.py"
    path.write_text(f"#!{sys.executable}\nimport negzero\nnegzero.kernel('reduce.sum', name='s')(lambda x: x)\n")
    path.chmod(0o755)
    assert run(folder, "list", "kernels", "--kernels", "mine.py").out.startswith("s\n")


def test_a_module_imports_from_its_own_folder_and_this_python(folder):
    (folder / "helper.py").write_text("def total(x): return x.sum(-1)\n")
    path = module(folder, "import helper\nnegzero.kernel('reduce.sum', name='s', contract='f32')(helper.total)\n")
    (folder / "elsewhere").mkdir()
    ran = run(folder / "elsewhere", "check", "--kernels", path, "--cases", "5", *CHECK)
    assert ran.code == 0, ran.err


def test_what_a_module_declares_is_kept_until_a_file_of_it_changes(folder):
    (folder / "helper.py").write_text("NAME = 'first'\n")
    path = module(
        folder,
        "import helper, os\nprint('imported')\n"
        "negzero.kernel('reduce.sum', name=helper.NAME + os.environ.get('ADDED', ''))(lambda x: x)\n",
    )

    def names(**environment: str) -> str:
        return run(folder, "list", "kernels", "--kernels", path, **environment).out.split("\n")[0]

    for each in (path, folder / "helper.py"):
        os.utime(each, (1, 1))
    assert names() == "first"
    (kept,) = (folder / "caches" / "negzero").iterdir()
    assert names(ADDED="_more") == "first", "the module is not imported again"
    (folder / "helper.py").write_text("NAME = 'second'\n")
    os.utime(folder / "helper.py", (1, 1))
    assert names() == "second", "a file that it imports has changed"
    path.write_text(path.read_text().replace("+ os", "+ '_3' + os"))
    os.utime(path, (1, 1))
    assert names() == "second_3"
    good = kept.read_text()
    for damaged in (
        "",
        "[",
        "{}",
        good[:-1],
        good.replace('"version":1', '"version":2'),
        good.replace(str(path), "/x"),
    ):
        kept.write_text(damaged)
        assert names() == "second_3", damaged
    assert kept.read_text() == good, "and is mended"
    kept.write_text(good.replace("second_3", "from_the_cache"))
    assert names() == "from_the_cache"
    # Nothing is kept of a module that has changed while it was asked, or where there is no place for it.
    path.write_text(path.read_text() + "os.utime\n")
    later = time.time() + 60
    os.utime(path, (later, later))
    assert names() == "second_3" and names(ADDED="_more") == "second_3_more"
    assert names(XDG_CACHE_HOME="/proc/no/such/place") == "second_3"


def test_the_readme_shows_what_the_program_prints(folder):
    document = (ROOT / "python" / "README.md").read_text()
    text, command, shown = re.search(
        r"```python\n(# my_kernels\.py\n.*?)```\n```console\n\$ \./negzero\.sh (.*?)\n(.*?)```\n", document, re.DOTALL
    ).groups()
    assert shown
    (folder / "my_kernels.py").write_text(text)
    ran = run(folder, *command.split(), "--executor", "host", NEGZERO_COMMAND="./negzero.sh")
    assert fits(shown, ran.out.replace(str(folder), "/home/you/kernels")), ran.out


@pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason="JAX is not there")
def test_jax_compiles_in_a_worker(folder):
    (folder / "jax.py").unlink()
    path = module(
        folder,
        "import jax\n"
        "@negzero.kernel('reduce.max', name='j', arrays='jax', contract='f32', limits={'rows': 2, 'columns': 5})\n"
        "@jax.jit\ndef j(x): return x.max(-1)\n",
    )
    ran = run(folder, "check", "--kernels", path, "--cases", "20", "--timeout", "60s", *CHECK[:4], "--json")
    kernel = ran.kernel("j")
    assert kernel["error"] == 0 and kernel["pass"] > 10, ran.out
    assert not {"crash", "hang"} & {each["class"] for each in kernel["findings"]}, ran.out
