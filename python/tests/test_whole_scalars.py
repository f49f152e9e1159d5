"""Scalars that are whole numbers or truth values, in functions, cases and limits."""

from __future__ import annotations

import re

import negzero
import numpy as np
import pytest

from checks import found
from workers import needs_program, run

PICK = "pick: y[n] <- x[n], first int, largest bool"


def pick(x, first, largest):
    assert type(first) is int and type(largest) is bool
    return np.roll(x, first % max(1, x.size)) * np.float32(2 if largest else 1)


def test_a_function_and_its_reference_get_int_and_bool():
    seen = []

    def reference(x, first, largest):
        assert x.dtype == np.float64 and type(first) is int and type(largest) is bool
        seen.append((first, largest))
        return np.roll(x, first % max(1, x.size)) * (2 if largest else 1)

    checked = negzero.check(pick, PICK, reference=reference, error=0, values={"x": (-1e4, 1e4)})
    assert checked.passed > 250
    firsts = {first for first, _ in seen}
    assert {0, 1, -1, 2} <= firsts and len(firsts) > 30
    assert 100 < sum(largest for _, largest in seen) < 200


@pytest.mark.parametrize("said", ["limits", "values"])
def test_limits_of_whole_numbers_and_truth_values(said):
    seen = set()

    def looks(x, first, largest):
        seen.add((first, largest))
        return x

    negzero.check(looks, PICK, allow_not_judged=True, **{said: {"first": (0, 15), "largest": True}})
    assert {first for first, _ in seen} == set(range(16)) and {largest for _, largest in seen} == {True}


@pytest.mark.parametrize(
    "limits, words",
    [
        ({"first": (0.5, 3)}, "first is (0.5, 3), and first is a whole number; give whole ones"),
        ({"first": (3, 0)}, "give a number, or the least and the greatest"),
        ({"first": True}, "first is True; give a number"),
        ({"first": (3e9, 4e9)}, "none lies between 3000000000 and 4000000000; widen its range"),
        ({"largest": 2}, "largest is 2, and largest is a truth value; give True, False, or leave it out"),
        ({"largest": (1, 0)}, "give a number, or the least and the greatest"),
    ],
)
def test_limits_that_are_wrong_name_scalar_value_and_cure(limits, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        negzero.check(pick, PICK, allow_not_judged=True, limits=limits)


def test_a_finding_shows_them_and_is_shrunk_towards_0(tmp_path):
    def wrong(x, first, largest):
        return x + 1 if first >= 10 and largest else x

    example = found(wrong, PICK, reference=lambda x, first, largest: x, error=0, save_to=tmp_path)
    assert "first 10, largest 1" in str(example)
    assert "wrong(x=x, first=10, largest=True)" in str(example)
    with pytest.warns(UserWarning, match="its first is 10, outside of the limits now"):
        negzero.check(
            wrong, PICK, reference=lambda x, first, largest: x, error=0, limits={"first": (0, 9)}, save_to=tmp_path
        )


def test_prepare_may_take_them():
    def shifted(x, first):
        assert type(first) is int
        x[...] = first

    checked = negzero.check(
        lambda x, first, largest: x, PICK, reference=lambda x, first, largest: np.full(x.shape, float(first)), error=0,
        prepare=shifted, limits={"first": (0, 9)},
    )  # fmt: skip
    assert checked.passed > 250


def test_a_case_keeps_them():
    case = negzero.case(PICK, x=np.zeros(3, np.float32), first=-3, largest=True)
    assert b'\\"first\\":{\\"bits\\":\\"0xfffffffd\\",\\"format\\":\\"I32\\"}' in case.data
    assert b'\\"largest\\":{\\"bits\\":\\"0x00000001\\",\\"format\\":\\"I32\\"}' in case.data
    numpys = negzero.case(PICK, x=np.zeros(3, np.float32), first=np.int64(-3), largest=np.True_)
    assert numpys.data == case.data


@pytest.mark.parametrize(
    "error, words, operands",
    [
        (ValueError, "first is missing; give a whole number", {"largest": True}),
        (ValueError, "largest is missing; give a truth value", {"first": 1}),
        (TypeError, "first: a float; first is a whole number: give an int", {"first": 1.0, "largest": True}),
        (TypeError, "first: a bool; first is a whole number", {"first": True, "largest": True}),
        (TypeError, "largest = 2: largest is a truth value; give True or False", {"first": 1, "largest": 2}),
        (ValueError, "first = 2147483648 is beyond int32", {"first": 1 << 31, "largest": True}),
    ],
)
def test_a_case_says_what_is_wrong(error, words, operands):
    with pytest.raises(error, match=re.escape(words)):
        negzero.case(PICK, x=np.zeros(3, np.float32), **operands)


PICK_CU = """
template <bool kFault>
__global__ void pick(const float* x, float* y, int rows, int n, int first, bool largest) {
  int row = blockIdx.x * 32 + threadIdx.x;
  if (row >= rows) return;
  float best = largest ? -INFINITY : INFINITY;
  bool up = largest || (kFault && first == 3);
  for (int i = first; i < n; ++i) best = up ? fmaxf(best, x[row * n + i]) : fminf(best, x[row * n + i]);
  y[row] = best;
}
__global__ void right(const double* x, double* y, int rows, int n, int first, bool largest) {
  for (int row = 0; row < rows; ++row) {
    y[row] = largest ? -INFINITY : INFINITY;
    for (int i = first; i < n; ++i) y[row] = largest ? fmax(y[row], x[row * n + i]) : fmin(y[row], x[row * n + i]);
  }
}
"""
PICK_NZ = """
kernel    pick.right
operation pick.right: y[rows] <- x[rows, n], first int, largest bool
formats   x=F64 y=F64
launch    right<<<1, 1>>>(x, y, rows, n, first, largest);
"""
OF_PICK = """
kernel    {name}
operation pick: y[rows] <- x[rows, n], first int, largest bool
limits    rows >= 1, 0 <= first
values    x -1e4..1e4
reference pick.right
error     y ulps=0
launch    pick<{fault}><<<(rows + 31) / 32, 32>>>(x, y, rows, n, first, largest);
"""


@needs_program
def test_kernels_in_cuda_get_int_and_bool_and_their_cases_are_code(tmp_path):
    file = tmp_path / "pick.cu"
    file.write_text(PICK_CU)
    kernels = [OF_PICK.format(name=name, fault=fault) for name, fault in (("clean", "false"), ("faulty", "true"))]
    (tmp_path / "pick.nz").write_text(PICK_NZ + "".join(kernels))
    words = ("--executor", "host", "--cases", "600", "--json", "--save", tmp_path / "found")
    assert run(tmp_path, "check", file, "clean", *words).code == 0
    failed = run(tmp_path, "check", file, "faulty", *words)
    assert failed.code == 1
    case = failed.kernel("faulty")["findings"][0]["case"]
    assert run(tmp_path, "replay", case, "--kernels", file, "--executor", "host").code == 1
    code = run(tmp_path, "export", case, "--kernels", file, "--format", "cu", "--executor", "host").out
    assert "const int first = 3;" in code and "const bool largest = false;" in code
    script = run(tmp_path, "export", case, "--kernels", file, "--format", "py", "--executor", "host").out
    assert "\nfirst = 3\n" in script and "\nlargest = False\n" in script
