"""A case that memory cannot hold is an error before anything is copied. Limits are faked: nothing is exhausted."""

from __future__ import annotations

import pathlib

import negzero
from negzero import _memory
import numpy as np
import pytest


def huge(*shape: int) -> np.ndarray:
    return np.broadcast_to(np.float16(1), shape)


def test_two_operands_broadcast_to_two_gib_each_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("negzero._memory.available_bytes", lambda: 14 << 30)  # three times the operands would fit
    with pytest.raises(ValueError, match=r"^a, b, c: .*a 1,073,741,824.*; judge a slice"):
        negzero.case("gemm", a=huge(1, 1 << 30), b=huge(1 << 30, 1))
    with pytest.raises(ValueError, match=r"^a, b, c, observed d: .*; judge a slice"):
        negzero.judge(np.ones((1, 1), np.float16), "gemm", a=huge(1, 1 << 30), b=huge(1 << 30, 1))


@pytest.mark.parametrize("elements", [8 << 20, 64 << 20])
def test_the_estimate_covers_what_was_measured(elements: int, monkeypatch: pytest.MonkeyPatch) -> None:
    x = huge(elements)  # of F16: 255 MiB for 16 MiB, and 2,019 MiB for 128 MiB
    monkeypatch.setattr("negzero._memory.available_bytes", lambda: {8 << 20: 255, 64 << 20: 2019}[elements] << 20)
    with pytest.raises(ValueError, match="^x: "):
        _memory.check_memory({"x": x})


def test_a_case_that_fits_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("negzero._memory.available_bytes", lambda: 1 << 20)
    assert negzero.case("reduce.sum", x=huge(16, 64))
    with pytest.raises(ValueError, match="^x: "):
        negzero.case("reduce.sum", x=huge(16, 4096))


def machine(tmp_path: pathlib.Path, files: "dict[str, str]") -> str:
    """A folder with proc/ and sys/: 1,000,000 KiB are available, and what `files` say."""
    for name, text in {"proc/meminfo": "MemFree: 1 kB\nMemAvailable: 1000000 kB\n", **files}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(tmp_path)


GROUP = "sys/fs/cgroup"


@pytest.mark.parametrize(
    "files, available",
    [
        ({}, 1_024_000_000),
        ({f"{GROUP}/memory.max": "max\n", f"{GROUP}/memory.current": "5\n"}, 1_024_000_000),
        ({f"{GROUP}/memory.max": "1000\n", f"{GROUP}/memory.current": "400\n"}, 600),
        ({f"{GROUP}/memory.max": "1000\n", f"{GROUP}/memory.current": "1200\n"}, 0),
        (
            {
                f"{GROUP}/memory.max": "1000\n",
                f"{GROUP}/memory.current": "400\n",
                f"{GROUP}/memory.stat": "anon 100\nactive_file 100\ninactive_file 200\n",
            },
            900,
        ),
        (
            {
                "proc/self/cgroup": "0::/user/job\n",
                f"{GROUP}/user/memory.max": "700\n",
                f"{GROUP}/user/memory.current": "100\n",
                f"{GROUP}/user/job/memory.max": "max\n",
                f"{GROUP}/user/job/memory.current": "50\n",
            },
            600,
        ),
        (
            {
                "proc/self/cgroup": "5:cpu:/x\n4:memory:/job\n",
                f"{GROUP}/memory/memory.limit_in_bytes": "9223372036854771712\n",
                f"{GROUP}/memory/memory.usage_in_bytes": "100\n",
                f"{GROUP}/memory/job/memory.limit_in_bytes": "2000\n",
                f"{GROUP}/memory/job/memory.usage_in_bytes": "500\n",
                f"{GROUP}/memory/job/memory.stat": "active_file 1\ntotal_active_file 100\n",
            },
            1600,
        ),
        ({f"{GROUP}/memory.max": "strange\n", f"{GROUP}/memory.current": "\n"}, 1_024_000_000),
    ],
)
def test_the_limits_of_control_groups_count(tmp_path: pathlib.Path, files: "dict[str, str]", available: int) -> None:
    assert _memory.available_bytes(machine(tmp_path, files)) == available


def test_without_proc_the_machine_is_asked(tmp_path: pathlib.Path) -> None:
    assert _memory.available_bytes(str(tmp_path)) > 1 << 20
