"""Does every configuration return, or is it refused in words? On a GPU and by the installed Triton's compiler now,
elsewhere by what was recorded."""

from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import negzero
import pytest

from configurations import SMALL, Configuration, contract, grid, named
from gpus import on_gpu
from products import M, N, RECORDED, operands
from recordings import recorded
from report import row_of, rows_of, table

HERE = pathlib.Path(__file__).parent
FOLDER = HERE / "recorded"
PROGRAM = os.environ.get("NEGZERO_PROGRAM", "")
needs_gpu = on_gpu("triton")


def triton_version() -> str:
    if not importlib.util.find_spec("triton"):
        return ""
    import triton

    return str(triton.__version__)


VERSION = triton_version()
with_triton = pytest.mark.skipif(not VERSION, reason="needs Triton, and no GPU")
#: A B of F32 in rows, which wgmma does not take as it lies: the configuration of the issue, and in a specialized loop.
PLAIN = Configuration("F32", False, False, SMALL, 4, "plain")
SPECIALIZED = Configuration("F32", False, False, SMALL, 4, "specialized")


def variant(configuration: Configuration) -> str:
    """Returns the part of a recording's name that follows the format."""
    return f"{configuration.layout}.{configuration.launch}"


def outputs_recorded() -> "list[pathlib.Path]":
    return [path for path in FOLDER.glob("*.safetensors") if not path.name.endswith(".case.safetensors")]


def product(configuration: Configuration, n: int = N) -> tuple:
    """Returns A, B with n columns, and what the configuration makes of them on a GPU."""
    import torch
    from matmul import matmul

    def on_device(array):
        return torch.from_numpy(array.view("u1")).cuda().view(getattr(torch, array.dtype.name))

    a, b = (on_device(each) for each in operands(configuration.format, n))
    return a, b, matmul(a, b, configuration)


@needs_gpu
@pytest.mark.parametrize("configuration", RECORDED, ids=lambda each: each.name)
def test_products_are_permitted(configuration):
    a, b, d = product(configuration)
    negzero.assert_permitted(d, "gemm", a=a, b=b, contract=contract(configuration), elements="all")


@needs_gpu
@pytest.mark.parametrize("n", range(N + 1, N + 5))
def test_a_store_writes_whole_sixteen_bytes(n):
    # A row of 4 n bytes. What lies behind it, up to the next 16 bytes, is no element of D.
    behind = -n % 4 * M
    try:
        product(RECORDED[0], n)
        said = ""
    except RuntimeError as error:
        said = str(error)
    expected = f"the kernel has written beside the {M} x {n} elements of D: {behind} elements behind its rows, 0 below"
    assert said.startswith(expected) if behind else not said, said


def test_recorded_products_are_permitted():
    judged = [
        negzero.assert_permitted(outputs, case, elements="all")
        for each in sorted({path.name.partition(".")[2].removesuffix(".safetensors") for path in outputs_recorded()})
        for case, outputs in recorded(FOLDER, each)
    ]
    assert len(judged) == len(outputs_recorded()) >= 3


@pytest.mark.parametrize("format_name", ["F16", "F32", "F8_E4M3"])
def test_a_lost_tail_of_k_is_refused(format_name):
    configuration = next(each for each in RECORDED if each.format == format_name)
    a, b = operands(format_name)
    tile = configuration.tile[2]
    d = (a[:, :tile].astype("f8") @ b[:tile].astype("f8")).astype("f4")
    with pytest.raises(negzero.NotPermitted):
        negzero.assert_permitted(d, "gemm", a=a, b=b, contract=contract(configuration), elements="all", save_to=None)


def test_each_configuration_has_a_name_of_its_own():
    configurations = grid()
    assert len({each.name for each in configurations}) == len(configurations) == 200
    assert all(named(each.name) == each for each in configurations)
    with pytest.raises(ValueError, match="'triton_tma.F64' is none; give one such as triton_tma.F16"):
        named("triton_tma.F64")


def test_the_report_shows_the_gravest_finding_with_its_assertion():
    def kernel(printed: str, *findings: "tuple[str, str, str]", passed: int = 0, error: int = 0) -> dict:
        found = [dict(zip(("class", "rule", "message"), each)) for each in findings]
        counts = {"cases": 1, "pass": passed, "vacuous": 0, "error": error}
        return {**counts, "name": grid()[0].name, "printed": printed, "findings": found, "note": "no device"}

    failed = "python: /a/b/NVGPUToLLVMPass.cpp:461: std::string f(): Assertion `is_supported' failed.\n"
    refused = ("refused_legal_request", "run.refused", "Refused: OutOfResources: Required: 7 (kernels.py:3)")
    rows = {
        "right": row_of(kernel("", passed=1)),
        "refused": row_of(kernel("", refused)),
        "raised": row_of(kernel(failed, ("crash", "run.raised", "RuntimeError: failed (kernels.py:3)"))),
        "died": row_of(kernel(failed, refused, ("crash", "run.crash", "killed by signal 6 (Aborted); " + failed))),
        "wrong": row_of(kernel("", refused, ("wrong_value", "sum.stepped", "Observed 1"))),
    }
    assert [row.mark for row in rows.values()] == [".", "r", "E", "X", "W"]
    assert rows["refused"].reason == "Refused: OutOfResources: Required: more"
    assert rows["raised"].reason == "RuntimeError: failed; NVGPUToLLVMPass.cpp:461: is_supported"
    assert rows["died"].reason == "killed by signal 6 (Aborted); NVGPUToLLVMPass.cpp:461: is_supported"
    text = table({grid()[0].name: rows["right"], grid()[1].name: rows["raised"]})
    assert text.startswith("200 configurations: 1 permitted, 1 an exception that is no refusal, 198 not run\n")
    assert "\nF16      a_row.b_row   .  E\n" in text
    runs = [kernel(""), kernel("", passed=1), kernel("", error=1, passed=1), kernel("", refused), kernel("", passed=1)]
    assert [rows_of(runs[:count])[grid()[0].name].mark for count in range(1, 6)] == ["?", ".", "!", "r", "r"]


# The compiler, which needs no GPU


def compiled(configuration: Configuration, folder: pathlib.Path) -> "subprocess.CompletedProcess[str]":
    """Compiles in a process of its own, which may die."""
    environment = {**os.environ, "TRITON_CACHE_DIR": str(folder)}
    return subprocess.run(
        [sys.executable, str(HERE / "compiling.py"), configuration.name], env=environment, text=True,
        capture_output=True, timeout=300, check=False,
    )  # fmt: skip


#: What the compiler of that version does not survive.
FATAL = {"3.2.0": PLAIN, "3.6.0": SPECIALIZED}


@with_triton
@pytest.mark.skipif(VERSION in ("", "3.2.0"), reason="needs Triton later than 3.2, which does not survive them")
@pytest.mark.parametrize("format_name", ["F16", "F32", "F8_E4M3"])
def test_plain_loops_compile_with_both_operands_transposed_or_not(format_name, tmp_path):
    for is_transposed in (False, True):
        done = compiled(Configuration(format_name, is_transposed, not is_transposed, SMALL, 4, "plain"), tmp_path)
        assert done.returncode == 0 and f"compiled by Triton {VERSION}" in done.stdout, done.stderr


@pytest.mark.skipif(VERSION not in FATAL, reason="needs Triton 3.2.0 or 3.6.0, and no GPU")
def test_the_assertion_of_the_issue_fails(tmp_path):
    done = compiled(FATAL[VERSION], tmp_path)
    assert done.returncode == (-6 if VERSION == "3.2.0" else 1)
    assert "WGMMA type or shape is not supported" in done.stderr


def check(folder: pathlib.Path, *words: "str | pathlib.Path") -> "subprocess.CompletedProcess[str]":
    """Runs `negzero check` on kernels that are compiled alone."""
    more = ["--cases", "2", "--executor", "host", "--timeout", "60s", "--shrink-time", "0s"]
    command = [PROGRAM, "check", "--kernels", HERE / "compiler_kernels.py", *more, *words]
    environment = {**os.environ, "NEGZERO_PYTHON": sys.executable}
    return subprocess.run(
        [str(word) for word in command], cwd=folder, env=environment, text=True, capture_output=True, timeout=300,
        check=False,
    )  # fmt: skip


with_program = pytest.mark.skipif(not PROGRAM or VERSION not in FATAL, reason="needs NEGZERO_PROGRAM and that Triton")


@with_program
def test_it_is_a_finding_of_its_configuration_and_the_run_goes_on(tmp_path):
    others = [Configuration(each, False, True, SMALL, 4, "plain") for each in ("F16", "F32")]
    names = [each.name for each in (*others, FATAL[VERSION])]
    done = check(tmp_path, "--json", *names)
    assert done.returncode == 1, done.stderr
    rows = {kernel["name"]: row_of(kernel) for kernel in json.loads(done.stdout)["kernels"]}
    assert [rows[name].mark for name in names] == [".", ".", "X" if VERSION == "3.2.0" else "E"]
    assert "WGMMA type or shape is not supported" in rows[names[-1]].reason


@with_program
@pytest.mark.skipif(VERSION == "3.2.0", reason="needs Triton later than 3.2, which dies of what is refused")
def test_the_ledger_accepts_what_is_refused_and_nothing_else(tmp_path):
    refused = Configuration("F8_E4M3", False, True, (64, 64, 16), 4, "plain").name
    done = check(tmp_path, "--accept", HERE / "known.json", refused, PLAIN.name)
    assert done.returncode == 0 and "no finding, 1 accepted finding" in done.stdout, done.stdout + done.stderr
    done = check(tmp_path, "--accept", HERE / "known.json", refused, SPECIALIZED.name)
    assert done.returncode == 1 and "1 finding, 1 accepted finding" in done.stdout, done.stdout + done.stderr
