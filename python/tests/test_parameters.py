"""Lines with parameters, extents that no tensor has, and other extents by name."""

from __future__ import annotations

import re
import textwrap

import negzero
import numpy as np
import pytest

from checks import found
from workers import CHECK, module, needs_program, run

CONV = "conv: y[o] <- x[n], w[k] with o = (n + 2 * pad - k) / stride + 1, k <= n + 2 * pad"
TOP = "top: best[rows, k] <- x[rows, n] with k <= n"
LIMITS = {"k": (1, 9), "n": (0, 64)}


def conv(x, w, stride, pad):
    assert type(stride) is int and type(pad) is int
    padded = np.pad(x, pad)
    windows = np.lib.stride_tricks.sliding_window_view(padded, w.size)[::stride]
    return (windows * w).sum(-1, dtype=x.dtype)


def reference(x, w, stride, pad):
    assert type(stride) is int and type(pad) is int and x.dtype == np.float64
    o = (x.size + 2 * pad - w.size) // stride + 1
    padded = np.pad(x, pad)
    terms = [padded[i * stride : i * stride + w.size] * w for i in range(o)]
    return np.array([each.sum() for each in terms]), np.array([abs(each).sum() * (w.size + 4) for each in terms])


def options(**more):
    error = {"ulps": 1, "relative": 1.2e-7}
    return {"reference": reference, "error": error, "values": {"x": (-1e4, 1e4), "w": (-1e4, 1e4)}, **more}


def test_a_function_and_its_reference_get_parameters():
    seen = []

    def looks(x, w, stride, pad):
        seen.append((stride, pad))
        return conv(x, w, stride, pad)

    checked = negzero.check(looks, CONV, **options(limits=LIMITS))
    assert checked.passed > 200
    assert len(set(seen)) > 30 and min(stride for stride, _ in seen) == 1
    strided = negzero.check(conv, CONV, **options(limits={**LIMITS, "stride": 2, "pad": (0, 1)}))
    assert strided.passed > 200


def test_a_finding_shows_parameters_in_its_call():
    def wrong(x, w, stride, pad):
        return conv(x, w, stride, pad) + np.float32(1e6 if stride >= 3 and pad >= 2 else 0)

    example = found(wrong, CONV, **options(limits=LIMITS))
    extents = example.case.described["extents"]
    assert extents["pad"] == 2 and extents["stride"] in (3, 4)
    assert f"pad 2, stride {extents['stride']}" in str(example)
    assert f"y = wrong(x=x, w=w, pad=2, stride={extents['stride']})" in str(example)


def test_every_parameter_is_taken():
    with pytest.raises(TypeError, match=r"does not take stride, an extent that no tensor has; conv has .*, pad, stride"):
        negzero.check(lambda x, w, pad: x, CONV, **options())
    with pytest.raises(TypeError, match="reference: .* does not take pad, an extent that no tensor has"):
        negzero.check(conv, CONV, **options(reference=lambda x, w, stride: x))
    with pytest.raises(TypeError, match="takes width, which is nothing of conv"):
        negzero.check(lambda x, w, stride, pad, width: x, CONV, **options())


def test_other_extents_may_be_taken():
    def top(x, k):
        assert type(k) is int
        return -np.sort(-x, axis=1)[:, :k]

    checked = negzero.check(top, TOP, reference=top, error=0, values={"x": (-1e4, 1e4)})
    assert checked.passed > 250

    def writes(x, best, rows, n, k):
        assert x.shape == (rows, n) and best.shape == (rows, k)
        best[...] = top(x, k)

    assert negzero.check(writes, TOP, reference=top, error=0, values={"x": (-1e4, 1e4)}).passed > 250
    with pytest.raises(TypeError, match="takes m, which is nothing of gemm"):
        negzero.check(lambda a, b, m: a @ b, "gemm")


def test_prepare_may_take_parameters():
    def prepared(x, stride):
        assert type(stride) is int
        x[...] = stride

    def right(x, w, stride, pad):
        assert (x == stride).all()
        return reference(x, w, stride, pad)

    checked = negzero.check(conv, CONV, **options(reference=right, prepare=prepared, limits={**LIMITS, "n": (1, 64)}))
    assert checked.passed > 200
    with pytest.raises(TypeError, match="takes no input of conv"):
        negzero.check(conv, CONV, **options(prepare=lambda stride: None))


X, W = np.arange(7, dtype=np.float32), np.ones(3, np.float32)


def test_a_case_has_parameters_and_the_extents_that_follow():
    case = negzero.case(CONV, x=X, w=W, stride=2, pad=1)
    assert case.described["extents"] == {"o": 4, "n": 7, "k": 3, "pad": 1, "stride": 2}
    assert case.outputs["y"][0] == (4,)
    assert negzero.case(TOP, x=X[None], k=np.int64(2)).outputs["best"][0] == (1, 2)
    edges = "hist: y[bins] <- x[n], edges[bins + 1]"
    assert negzero.case(edges, x=X, edges=W).described["extents"]["bins"] == 2


@pytest.mark.parametrize(
    "error, words, operands",
    [
        (ValueError, "pad is missing, which o needs; give pad=, an int", {"stride": 2}),
        (ValueError, "k = 3, n = 1, pad = 0: k <= n + 2 * pad does not hold; give operands that keep the relations of "
         "conv: y[o] <- x[n]", {"x": X[:1], "stride": 1, "pad": 0}),
        (ValueError, "o = (n + 2 * pad - k) / stride + 1 has no value", {"stride": 0, "pad": 0, "o": 1}),
        (ValueError, "o = 3, n = 7", {"stride": 2, "pad": 1, "o": 3}),
        (TypeError, "stride: a float; stride is an extent: give a whole number", {"stride": 2.0, "pad": 1}),
        (ValueError, "pad = -1: pad is an extent; give a number from 0", {"stride": 2, "pad": -1}),
        (ValueError, "n = 6 makes n 6, and x of shape (7,) makes it 7", {"stride": 2, "pad": 1, "n": 6}),
        (TypeError, "width is no operand of conv", {"stride": 2, "pad": 1, "width": 1}),
    ],
)  # fmt: skip
def test_a_case_says_what_is_wrong(error, words, operands):
    with pytest.raises(error, match=re.escape(words)):
        negzero.case(CONV, **{"x": X, "w": W, **operands})


def test_an_output_of_another_shape_is_named_with_the_line():
    with pytest.raises(ValueError, match=re.escape("y has shape (5,), and the operands make it (4,)") + ".*with o = "):
        negzero.judge(np.zeros(5, np.float32), CONV, x=X, w=W, stride=2, pad=1)


@needs_program
def test_kernels_of_a_module_get_parameters_and_whole_scalars(tmp_path):
    text = textwrap.dedent(
        """
        LINE = "conv: y[o] <- x[n], w[k], twice bool, off int with o = (n + 2 * pad - k) / stride + 1, k <= n + 2 * pad"

        def conv(x, w, twice, off, stride, pad):
            assert type(stride) is int and type(pad) is int and type(twice) is bool and type(off) is int
            windows = np.lib.stride_tricks.sliding_window_view(np.pad(x, pad), w.size)[::stride]
            return (windows * 0).sum(-1, dtype=x.dtype) + x.dtype.type(off + twice)

        def wrong(x, w, twice, off, stride, pad):
            return conv(x, w, twice, off, stride, pad) + x.dtype.type(stride > 2)

        common = {"limits": {"k": (1, 4), "off": (0, 9)}, "values": {"x": (-1, 1), "w": (-1, 1)}}
        negzero.kernel(LINE, name="right", reference="f64", error=0, **common)(conv)
        negzero.kernel(LINE, name="wrong", reference="f64", error=0, **common)(wrong)
        negzero.kernel(LINE.replace("conv:", "conv.f64:"), name="f64", formats=("F64", "F64", "F64"))(conv)
        """
    )
    there = module(tmp_path, text)
    words = ("--kernels", there, "--cases", "100", *CHECK[:-2], "2s", "--json", "--save", tmp_path / "found")
    assert run(tmp_path, "check", "right", *words).code == 0
    failed = run(tmp_path, "check", "wrong", *words)
    assert failed.code == 1
    case = negzero.load(failed.kernel("wrong")["findings"][0]["case"])
    assert case.described["extents"]["stride"] == 3
