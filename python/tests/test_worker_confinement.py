"""What a worker of a module may do, and what it may not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time

import pytest

from workers import CHECK, PROGRAM, module, needs_program, run

pytestmark = needs_program

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
