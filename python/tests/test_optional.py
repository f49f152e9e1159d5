"""Lines with optional inputs: functions and references get None for what a case is without."""

from __future__ import annotations

import negzero
import numpy as np
import pytest

from checks import found, inputs_of
from negzero._operations import signature_of
from workers import module, needs_program, run

LINE = "linear: y[rows, n] <- x[rows, n], gain[n], bias?[n] each rows"
RAGGED = "ragged: y[b] <- x[b, n], lengths?[b] <= n"
VALUES = {"x": (1, 9), "gain": (1, 9), "bias": (1, 9)}


def linear(x, gain, bias):
    return x * gain if bias is None else x * gain + bias


def ragged(x, lengths):
    lengths = np.full(len(x), x.shape[1]) if lengths is None else lengths
    return np.array([row[:length].sum() for row, length in zip(x, lengths)], x.dtype).reshape(len(x))


def scaled(x, lengths):
    return ragged(x, lengths), ragged(abs(np.where(np.isnan(x), 0, x)), lengths) * (x.shape[1] + 16)


def test_a_line_says_what_is_optional():
    signature = signature_of(LINE)
    assert [tensor.name for tensor in signature.inputs if tensor.optional] == ["bias"]
    assert "bias?[n]" in signature.words
    described = negzero._library.describe(LINE)
    assert [each.get("optional") for each in described["inputs"]] == [None, None, True]


def test_a_right_function_passes_with_and_without():
    seen = set()

    def watched(x, gain, bias=None):
        seen.add(bias is None)
        return linear(x, gain, bias)

    checked = negzero.check(watched, LINE, reference=linear, error=4, values=VALUES)
    assert checked.passed > 250 and seen == {True, False}


def test_what_is_wrong_only_without_is_found_and_shrunk():
    def forgets(x, gain, bias):
        return x * gain + (1 if bias is None else bias)

    wrong = found(forgets, LINE, reference=linear, error=4, values=VALUES)
    assert wrong.report["rule"] == "reference.error"
    assert "rows 1, n 1, without bias" in str(wrong)
    assert "bias = None\n" in str(wrong) and "bias=bias" in str(wrong)
    assert "bias" not in inputs_of(wrong.case)
    assert "without" not in str(found(lambda x, gain, bias: x, LINE, reference=linear, error=4)).split("claim")[0]


def test_what_is_wrong_only_with_it_keeps_it():
    def ignores(x, gain, bias):
        return x * gain

    wrong = found(ignores, LINE, reference=linear, error=4, values=VALUES)
    assert "without" not in str(wrong) and "bias" in inputs_of(wrong.case)


def test_an_exception_without_it_is_a_finding():
    wrong = found(lambda x, gain, bias: x * gain + bias, LINE, reference=linear, error=4, values=VALUES)
    assert wrong.report["rule"] == "run.raised" and "without bias" in str(wrong)


def test_counts_may_be_absent():
    options = {"reference": scaled, "error": {"ulps": 4, "relative": 1e-6}, "values": {"x": (1, 9)}}
    assert negzero.check(ragged, RAGGED, **options).passed > 100

    def short(x, lengths):
        return ragged(x[:, :-1] if lengths is None else x, lengths)

    wrong = found(short, RAGGED, **options)
    assert "without lengths" in str(wrong)


def test_a_function_takes_every_optional_input():
    with pytest.raises(TypeError, match=r"does not take bias; linear has x\[rows, n\], gain\[n\], bias\?\[n\] -> y"):
        negzero.check(lambda x, gain: x, LINE, reference=linear, error=4)


def test_prepare_gets_none_and_may_return_it():
    def prepare(x, bias):
        return x, None if bias is None else np.maximum(bias, 2)

    def positive(x, gain, bias):
        assert bias is None or bias.size == 0 or bias.min() >= 2
        return linear(x, gain, bias)

    assert negzero.check(positive, LINE, reference=linear, error=4, values=VALUES, prepare=prepare).passed > 200


@pytest.mark.parametrize("bias", [{}, {"bias": None}])
def test_an_operand_that_is_none_or_not_given_is_absent(bias, tmp_path):
    x, gain = np.ones((2, 3), np.float32), np.ones(3, np.float32)
    case = negzero.case(LINE, x=x, gain=gain, **bias)
    assert set(inputs_of(case)) == {"x", "gain"}
    case.save(tmp_path / "a.safetensors")
    assert negzero.load(tmp_path / "a.safetensors").outputs == case.outputs
    full = negzero.case(LINE, x=x, gain=gain, bias=gain)
    assert set(inputs_of(full)) == {"x", "gain", "bias"}
    with pytest.raises(ValueError, match="gain is missing"):
        negzero.case(LINE, x=x)


def test_extents_of_an_absent_input_alone_are_there_in_its_case():
    line = "f: y[n] <- x[n], table?[deep, wide], at?[n] < deep"
    case = negzero.case(line, x=np.ones(3, np.float32))
    assert case.described["extents"] == {"n": 3, "deep": 0, "wide": 0}
    assert case.described["formats"]["table"] == "F32"
    assert negzero.check(lambda x, table, at: x, line, reference=lambda x, table, at: x, error=0).passed > 200


MODULE = f"""
LINE = {LINE!r}
@negzero.kernel(LINE, name="mine.reference", formats=("F64", "F64", "F64", "F64"))
def reference(x, gain, bias):
    return x * gain if bias is None else x * gain + bias
@negzero.kernel(LINE, name="mine.right", formats=("F32", "F32", "F32", "F32"), reference="mine.reference", error=4,
                values={VALUES!r})
def right(x, gain, bias):
    return x * gain if bias is None else x * gain + bias
@negzero.kernel(LINE, name="mine.wrong", formats=("F32", "F32", "F32", "F32"), reference="mine.reference", error=4,
                values={VALUES!r})
def wrong(x, gain, bias):
    return x * gain + (1 if bias is None else bias)
"""


@needs_program
def test_kernels_of_a_module_get_none(tmp_path):
    module(tmp_path, MODULE)
    ran = run(
        tmp_path, "check", "mine.right", "mine.wrong", "--kernels", "mine.py", "--cases", "100", "--executor", "host",
        "--json", "--shrink-time", "1s",
    )  # fmt: skip
    assert ran.code == 1, ran.err
    assert ran.kernel("mine.right")["pass"] > 80 and ran.kernel("mine.right")["fail"] == 0
    (finding,) = ran.kernel("mine.wrong")["findings"]
    assert finding["rule"] == "reference.error"
    assert "without bias" in run(tmp_path, "show", finding["case"]).out
