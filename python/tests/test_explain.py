"""Why one element is permitted or not."""

from __future__ import annotations

import pathlib

import negzero
import numpy as np
import pytest
from support import gemm, small, spoiled

F16 = {"accumulate": "F16", "wider": False}


def accumulated() -> "tuple[negzero.Case, np.ndarray]":
    """1 + 2^-11 in F32, which F16 has not, behind a right row."""
    x = np.float32([[1, 1], [1, 2**-11]])
    return negzero.case("reduce.sum", x=x, contract=F16), x.sum(1)


def test_it_names_the_words_that_would_permit_what_was_observed() -> None:
    case, y = accumulated()
    explanation = negzero.explain(case, observed=y)
    assert explanation.element == "y[1]" and explanation.permitted is False
    assert explanation.observed == y[1] and explanation.observed.dtype == np.float32
    assert explanation.contract["accumulate"] == "F16"
    assert explanation.paths and not any(path.holds for path in explanation.paths)
    assert {path.steps for path in explanation.paths} == {4096}
    assert any(word.text.startswith('accumulate "F') and word.meaning and word.permits for word in explanation.words)
    lines = str(explanation).splitlines()
    assert lines[0].startswith("y[1] of reduce.sum") and lines[-1].strip()
    assert any("1.0004883 (0x3f801000), not permitted" in line for line in lines)


def test_an_element_may_be_named() -> None:
    case, y = accumulated()
    explanation = negzero.explain(case, "y[0]", y)
    assert explanation.element == "y[0]" and explanation.permitted is True and explanation.words == ()
    assert any(path.holds and path.steps is None for path in explanation.paths)
    assert negzero.explain(case, element="[1]").element == "y[1]"


def test_without_results_it_says_what_is_permitted() -> None:
    case, _ = accumulated()
    explanation = negzero.explain(case)
    assert explanation.element == "y[0]" and explanation.observed is None and explanation.permitted is None
    assert explanation.words == () and {path.holds for path in explanation.paths} == {None}
    assert "observed" not in str(explanation)
    x = np.float32([[1, 3, 2]])
    assert negzero.explain(negzero.case("reduce.max", x=x)).paths == ()


def test_a_contract_may_be_given() -> None:
    case, y = accumulated()
    assert negzero.explain(case, "y[1]", y, contract="f32").permitted is True
    assert negzero.explain(case, "y[1]", y, contract={"accumulate": "F64"}).contract["accumulate"] == "F64"
    assert negzero.explain(negzero.case("reduce.sum", x=small((2, 3), np.float32))).paths, "the one that is assumed"


def test_cases_of_judgements_and_files(tmp_path: pathlib.Path) -> None:
    a, b, d = gemm(dtype=np.float32)
    wrong = spoiled(d, (2, 1))
    judgement = negzero.judge(wrong, "gemm", a=a, b=b, elements="all")
    explanation = negzero.explain(judgement.case, observed=wrong)
    assert explanation.element == "d[0,2,1]" and explanation.observed == wrong[2, 1]
    judgement.case.save(tmp_path / "case.safetensors")
    (tmp_path / "out.safetensors").write_bytes(judgement.recorded)
    loaded = negzero.load(tmp_path / "case.safetensors")
    assert negzero.explain(loaded, observed=tmp_path / "out.safetensors").text == explanation.text
    axis = negzero.judge(spoiled(a.sum(0), 3), np.sum, a, axis=0)
    assert negzero.explain(axis.case, observed=spoiled(a.sum(0), 3)).element == "y[3]"


def test_an_explanation_has_no_truth_value() -> None:
    with pytest.raises(TypeError, match="ask explanation.permitted"):
        bool(negzero.explain(accumulated()[0]))


def test_errors_name_argument_and_cure() -> None:
    case, y = accumulated()
    with pytest.raises(TypeError, match="^case: a str; give what negzero.case"):
        negzero.explain("gemm")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="^element: a tuple; give an element's name"):
        negzero.explain(case, (0, 1))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r'^element "z\[0\]": there is no output z; known: y'):
        negzero.explain(case, "z[0]")
    with pytest.raises(ValueError, match=r'^element "y\[2\]": give an index for each of the extents \[2\], as in'):
        negzero.explain(case, "y[2]")
    with pytest.raises(ValueError, match="^observed: y has shape"):
        negzero.explain(case, observed=y[:1])
    with pytest.raises(TypeError, match="^observed: y has dtype float64"):
        negzero.explain(case, observed=y.astype(np.float64))
    with pytest.raises(ValueError, match="^contract"):
        negzero.explain(case, contract="no_such")
    for element in (None, "y[0]"):
        with pytest.raises(ValueError, match="no elements"):
            negzero.explain(negzero.case("reduce.sum", x=np.zeros((0, 3), np.float32)), element)
