"""Verdicts on results that are known to be right or wrong without negzero."""

from __future__ import annotations

import json
from typing import Any

import ml_dtypes
import negzero
import numpy as np
import pytest
from support import FLOATS, gemm, small, spoiled


@pytest.mark.parametrize("name", FLOATS)
def test_exact_products_pass_and_a_wrong_element_is_found(name: str) -> None:
    out = FLOATS[name] if np.dtype(FLOATS[name]).itemsize > 1 else np.float32
    a, b, d = gemm(5, 6, 3, FLOATS[name], out)
    assert negzero.judge(d, "gemm", a=a, b=b).permitted
    judgement = negzero.judge(spoiled(d, (4, 1)), "gemm", a=a, b=b)
    assert (judgement.verdict, judgement.failing, judgement.judged, judgement.of) == ("fail", 1, 30, 30)
    worst = judgement.worst[0]
    assert worst.place == "d[4, 1]" and worst.direction == "too_high" and worst.ulps and worst.ulps > 0
    assert worst.observed == spoiled(d, (4, 1))[4, 1] and worst.observed.dtype == out
    assert worst.low == worst.high == d[4, 1]
    assert worst.rule.id and worst.rule.claim and worst.rule.source


def test_indices_are_in_the_callers_shape() -> None:
    a, b = small((2, 5, 3, 4), seed=1), small((2, 5, 4, 6), seed=2)
    d = np.matmul(a.astype(np.float64), b.astype(np.float64)).astype(np.float32)
    judgement = negzero.judge(spoiled(d, (1, 3, 2, 5)), "gemm", a=a, b=b, elements="all")
    assert [element.index for element in judgement.worst] == [(1, 3, 2, 5)]
    assert "d[1, 3, 2, 5]" in judgement.text
    y = small((4, 3), np.float32).sum(1)
    judgement = negzero.judge(spoiled(y[0], ()), "reduce.sum", x=small((4, 3), np.float32)[0])
    assert judgement.worst[0].index == () and judgement.worst[0].place == "y[]"


def _right(operation: str, x: np.ndarray) -> Any:
    wide = x.astype(np.float64)
    axis = {"middle": -2, "batch": 0}.get(operation.rpartition("_")[2], -1)
    name = operation.partition(".")[2].removesuffix("_middle").removesuffix("_batch")
    if name == "max_index":
        return {"y": x.max(axis), "at": wide.argmax(axis).astype(np.int32)}
    if name.startswith("arg"):
        return getattr(wide, name)(axis).astype(np.int32)
    if operation.startswith("reduce"):
        return getattr(wide, name)(axis).astype(x.dtype)
    sums = wide.cumsum(-1)
    return (sums if operation == "scan.inclusive" else sums - wide).astype(x.dtype)


@pytest.mark.parametrize("operation", [name for name in negzero.operations() if name.startswith(("reduce", "scan"))])
def test_rows(operation: str) -> None:
    x = small((3, 5, 4), np.float32)
    right = _right(operation, x)
    assert negzero.judge(right, operation, x=x).permitted
    if isinstance(right, dict):
        judgement = negzero.judge({**right, "y": spoiled(right["y"], (2, 3))}, operation, x=x)
    else:
        judgement = negzero.judge(spoiled(right, (2, 3)), operation, x=x)
    assert judgement.verdict == "fail" and judgement.worst[0].index[:2] == (2, 3)


@pytest.mark.parametrize("kind, ufunc", [("add", np.add), ("max", np.maximum), ("min", np.minimum)])
def test_scatters(kind: str, ufunc: Any) -> None:
    x, index = small(20, np.float32), np.random.default_rng(3).integers(0, 5, 20).astype(np.int32)
    init = small(5, np.float32, 4)
    out = init.copy()
    ufunc.at(out, index, x)
    assert negzero.judge(out, f"scatter.{kind}", x=x, index=index, init=init).permitted
    assert negzero.judge(spoiled(out, 3), f"scatter.{kind}", x=x, index=index, init=init).worst[0].index == (3,)


def test_places_and_counts_of_64_bits() -> None:
    x, index, init = small(20, np.float32), np.random.default_rng(3).integers(0, 5, 20), small(5, np.float32, 4)
    out = init.copy()
    np.add.at(out, index, x)
    judgement = negzero.judge(out, "scatter.add", x=x, index=index, init=init)
    assert judgement.permitted and judgement.notes == ()
    assert negzero.judge(spoiled(out, 3), "scatter.add", x=x, index=index, init=init).worst[0].index == (3,)
    rows = x.reshape(4, 5)
    right = rows.argmax(-1)
    assert right.dtype == np.int64
    for wrong, places in ((0, right), (1, right + [0, 0, 5, 0]), (1, right + [0, 2**32, 0, 0])):
        judgement = negzero.judge(places, "reduce.argmax", x=rows, elements="all")
        assert judgement.failing == wrong and judgement.notes == (), judgement.text
        both = {"y": rows.max(-1), "at": places}
        assert negzero.judge(both, "reduce.max_index", x=rows, elements="all").failing == wrong
    a, b, counts = small((2, 3, 4), np.float32), small((2, 4, 5), np.float32), np.array([1, 3])
    d = a @ b
    assert negzero.judge(spoiled(d, (0, 1, 2)), "gemm.grouped", a=a, b=b, rows=counts, elements="all").permitted
    judgement = negzero.judge(spoiled(d, (1, 2, 3)), "gemm.grouped", a=a, b=b, rows=counts, elements="all")
    assert [element.index for element in judgement.worst] == [(1, 2, 3)]


def test_what_is_added_may_have_another_dtype_than_the_result() -> None:
    """2049 is no number of F16: 2049 + 1 is 2050, and with C rounded to F16 first it would be 2048."""
    one, c = np.float16([[1]]), np.float32([[2049]])
    assert negzero.judge(np.float16([[2050]]), "gemm", a=one, b=one, c=c).permitted
    assert negzero.judge(np.float16([[2048]]), "gemm", a=one, b=one, c=c).verdict == "fail"
    with pytest.raises(TypeError, match="^init has F16, and x has F32; scatter.add keeps both in one format: "):
        negzero.judge(c[0], "scatter.add", x=c[0], index=np.array([0]), init=one[0])
    with pytest.raises(TypeError, match="^c: dtype int64 is none of float64, "):
        negzero.judge(one, "gemm", a=one, b=one, c=np.array([[2049]]))


def test_conversions_round_as_numpy_does() -> None:
    x = np.random.default_rng(2).standard_normal((20, 30)).astype(np.float32)
    for dtype in (np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fn):
        assert negzero.judge(x.astype(dtype), "convert", x=x).permitted
    wrong = x.astype(np.float16)
    wrong[7, 8] = np.nextafter(wrong[7, 8], np.float16(9))
    worst = negzero.judge(wrong, "convert", x=x).worst[0]
    assert worst.index == (7, 8) and worst.ulps == 1


def test_the_negative_zero_that_the_project_is_named_after() -> None:
    x, index, init = np.float32([-0.0]), np.int32([0]), np.float32([-np.inf])
    assert negzero.judge(np.float32([-0.0]), "scatter.max", x=x, index=index, init=init).permitted
    assert negzero.judge(np.float32([-np.inf]), "scatter.max", x=x, index=index, init=init).verdict == "fail"


def test_an_f16_accumulator_is_told_from_an_f32_one() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((8, 256), (256, 8)))
    d = np.zeros((8, 8), np.float16)
    for k in range(256):
        d = (d + a[:, k : k + 1] * b[k]).astype(np.float16)
    assert negzero.judge(d, "gemm", a=a, b=b, contract="f32").verdict == "fail"
    judgement = negzero.judge(d, "gemm", a=a, b=b)
    assert judgement.verdict == "fail" and judgement.assumed in judgement.text
    exact = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float16)
    assert negzero.judge(exact, "gemm", a=a, b=b, contract="f32").permitted


def test_a_judgement_has_no_truth_value_and_names_what_to_ask() -> None:
    a, b, d = gemm()
    judgement = negzero.judge(d, "gemm", a=a, b=b)
    with pytest.raises(TypeError, match="permitted"):
        bool(judgement)
    with pytest.raises(TypeError, match="assert_permitted"):
        assert judgement
    with pytest.raises(AttributeError):
        judgement.verdict = "pass"  # type: ignore[misc]


def test_the_contract_is_said() -> None:
    a, b, d = gemm()
    assumed = negzero.judge(d, "gemm", a=a, b=b)
    assert assumed.assumed and assumed.contract_text
    given = negzero.judge(d, "gemm", a=a, b=b, contract="f32")
    assert given.assumed == "" and "assumed" not in given.text and given.contract_text in given.text
    for form in (given.contract, json.dumps(given.contract), dict(given.contract)):
        assert negzero.judge(d, "gemm", a=a, b=b, contract=form).contract == given.contract
    case = negzero.case("gemm", a=a, b=b, out_dtype=np.float32, contract="f32")
    assert negzero.judge(d, case).contract == given.contract
    assert negzero.judge(d, case, contract=assumed.contract).contract == assumed.contract


def test_what_cannot_be_seen_is_said() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((16, 4096), (4096, 16)))
    d = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)
    judgement = negzero.judge(d, "gemm", a=a, b=b)
    assert judgement.permitted and judgement.blind is not None and 0.2 < judgement.blind <= 1
    assert "% of their terms could be dropped unnoticed" in judgement.text
    short_a, short_b, short_d = gemm()
    assert not negzero.judge(short_d, "gemm", a=short_a, b=short_b, contract="f32").blind


@pytest.mark.parametrize("elements", ["sample", "all"])
def test_how_many_of_how_many_is_said(elements: str) -> None:
    a, b, d = gemm(300, 400, 8)
    judgement = negzero.judge(d, "gemm", a=a, b=b, elements=elements, seconds=0.05)
    assert judgement.permitted and judgement.of == 120000
    assert judgement.judged == 120000 if elements == "all" else 0 < judgement.judged <= 120000
    assert f"{judgement.judged:,} of 120,000 elements judged" in judgement.text
    assert negzero.judge(spoiled(d, (0, 0)), "gemm", a=a, b=b, elements=elements, seconds=0.05).verdict == "fail"


def test_worst_bounds_what_is_described() -> None:
    a, b, d = gemm(9, 9)
    for worst in (0, 1, 5):
        judgement = negzero.judge(d + 20, "gemm", a=a, b=b, worst=worst)
        assert judgement.failing == 81 and len(judgement.worst) == worst
    assert "and 76 elements more" in judgement.text


def test_vacuous_is_no_pass() -> None:
    a = np.full((2, 3), np.nan, np.float32)
    judgement = negzero.judge(np.full((2, 2), np.nan, np.float32), "gemm", a=a, b=np.ones((3, 2), np.float32))
    assert judgement.verdict in ("vacuous", "pass")
    if judgement.verdict == "vacuous":
        assert not judgement.permitted and judgement.reason in judgement.text
