"""check(): the lines to paste, and what the text of a finding says."""

from __future__ import annotations

import textwrap

import negzero
import numpy as np
import pytest

from checks import found, right


def pasted(text, first, **names):
    """Runs the lines to paste, and returns what they leave."""
    exec(textwrap.dedent(text[text.index(f"    {first}") :]), names)
    return names


def off_by_offset(a, b):
    return (a @ b) * np.float32(1 + (a.ctypes.data % 16 != 0))


def off_by_strides(a, b):
    return (a @ b) * np.float32(1 + (not a.flags.c_contiguous))


def off_by_broadcast(a, b):
    return (a @ b) * np.float32(1 + (0 in a.strides and a.size > 1))


@pytest.mark.parametrize("fn", [off_by_offset, off_by_strides, off_by_broadcast])
def test_lines_to_paste_lay_arrays_out_as_the_case_does(fn):
    example = found(fn)
    names = pasted(str(example), "import numpy as np", **{fn.__name__: fn})
    assert example.report["observed"].startswith(f"{names['d'][tuple(example.report['coordinates'][1:])]:g} ")


def test_lines_to_paste_lay_the_output_out_too():
    def off(a, b, d):
        d[...] = a @ b
        d[...] += not d.flags.c_contiguous

    example = found(off)
    names = pasted(str(example), "import numpy as np", off=off)
    assert example.report["observed"].startswith(f"{names['d'][tuple(example.report['coordinates'][1:])]:g} ")


@pytest.mark.parametrize("takes_d", [True, False])
def test_lines_to_paste_put_an_input_in_place_where_the_output_lies(takes_d):
    def updates(a, b, c, alpha, beta):
        """Clears C first, and then adds what it has cleared."""
        c[...] = np.float32(0)
        c[...] = np.float32(alpha) * (a @ b) + np.float32(beta) * c

    def writes(a, b, c, d, alpha, beta):
        d[...] = np.float32(0)
        d[...] = np.float32(alpha) * (a @ b) + np.float32(beta) * c

    fn = writes if takes_d else updates
    example = found(fn, limits={"in_place": "c"})
    names = pasted(str(example), "import numpy as np", **{fn.__name__: fn})
    assert names["d"] is names["c"]
    assert example.report["observed"].startswith(f"{names['d'][tuple(example.report['coordinates'][1:])]:g} ")
    assert "elements of d that are not written, as c lies there" in str(example)
    assert "writes beside the output" not in str(example)


def test_lines_to_paste_of_torch():
    torch = pytest.importorskip("torch")

    def off(a, b):
        return (a @ b) * (2 if 0 in a.stride() and a.numel() > 1 else 1)

    text = str(found(off, arrays="torch", device="cpu"))
    assert float(pasted(text, "import torch", off=off, torch=torch)["d"].sum()) != 1


def test_hints_name_what_would_permit_a_finding():
    largest = found(lambda x: x.max(1), "reduce.max", limits={"columns": (1, 64)}, finite=True)
    assert 'permitted under zero_sign "any"' in str(largest)
    mean = found(lambda x: x.mean(1), "reduce.mean", limits={"columns": (1, 64)}, finite=True)
    assert "mean_may_overflow true" in mean.report["hints"][0]


def test_places_may_be_integers_of_any_width():
    def first(x):
        return np.where(np.isnan(x), -np.inf, x).argmax(1)

    negzero.check(first, "reduce.argmax", limits={"columns": (1, 64)}, finite=True, contract={"zero_sign": "any"})


def test_an_exception_without_words_is_a_finding():
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError("no words")

    def mute(a, b):
        raise Mute

    def zeros(a, b):
        raise ValueError("a\0b")

    assert found(mute).report["message"].startswith("Mute: its text cannot be had (test_paste.py:")
    assert found(zeros).report["message"].startswith("ValueError: a\\0b (test_paste.py:")


@pytest.mark.parametrize(
    "error, says, options",
    [
        (TypeError, "finite: a str", {"finite": "yes"}),
        (TypeError, "shrink_seconds: a str", {"shrink_seconds": "a"}),
        (ValueError, "shrink_seconds = nan", {"shrink_seconds": float("nan")}),
        (ValueError, "limits: k is -1", {"limits": {"k": -1}}),
        (ValueError, "limits: k is (1, 2, 0)", {"limits": {"k": (1, 2, 0)}}),
    ],
)
def test_more_wrong_arguments(error, says, options):
    with pytest.raises(error) as caught:
        negzero.check(right, "gemm", **options)
    assert says in str(caught.value)
