"""Contracts by name: each is no contradiction, and permits what right implementations give.

NEGZERO_RESULTS says how many results of each contract are judged at least: 1,000 where it is missing.
"""

from __future__ import annotations

import json
import os
from typing import Any
from collections.abc import Mapping

import ml_dtypes
import negzero
import numpy as np
import pytest
from known_contracts import Asked, questions
from negzero._functions import _TABLE, NAMED
from right_outputs import FAMILIES, KINDS, Task

RESULTS = int(os.environ.get("NEGZERO_RESULTS", "1000"))
#: Numbers of terms, each with its part of the results.
TERMS = (1, 2, 3, 16, 33, 100, 256)
#: Why formats have no contract: in errors of contract_of().
NO_CONTRACT = (
    "multiplies by torch._scaled_mm() alone",
    "give both in one dtype",
    "does not hold every number of",
    "no arithmetic is known",
    "torch._int_mm takes int8",
)
#: Functions whose results are exact in every order: test_integers.py has them.
OF_INTEGERS = {"torch._int_mm"}


def _answers() -> "dict[tuple[str, tuple[str, ...], str], list[Asked]]":
    """Returns what contract_of() knows, by operation, formats and contract, with all who ask for it."""
    found: "dict[tuple[str, tuple[str, ...], str], list[Asked]]" = {}
    for asked in questions():
        try:
            contract = asked.contract()
        except (TypeError, ValueError) as error:
            assert any(why in str(error) for why in NO_CONTRACT), error
            continue
        found.setdefault((asked.operation, asked.formats, json.dumps(contract)), []).append(asked)
    return found


ANSWERS = _answers()


def computed_by(asked: "list[Asked]", contract: "Mapping[str, Any]") -> "dict[str, Any]":
    """Returns a contract with what right implementations may do besides, so that one which lacks it is found.

    Tensor cores sum products of F16, BF16 and FP8 on a GPU. A conversion to an integer cuts, as C's does. On a GPU FP8
    saturates or turns NaN (docs/explanation/numerics.md section 6).
    """
    are_on_gpu = any(each.device == "cuda" and not each.function.startswith("numpy.") for each in asked)
    operation, formats = asked[0].operation, asked[0].formats
    fields = dict(contract)
    if are_on_gpu and operation == "gemm" and formats[0] in ("F16", "BF16", "F8_E4M3", "F8_E5M2"):
        fields["tensor_core"] = "may"
    if are_on_gpu and formats[-1].startswith("F8") and operation in ("gemm", "reduce.sum", "reduce.mean", "convert"):
        fields["overflow"] = "either"
    if formats[-1] == "I32" and operation == "convert":
        fields["output_rounding"] = "toward_zero"
    return fields


def judged(
    operation: str,
    formats: "tuple[str, ...]",
    contract: "Mapping[str, Any]",
    seed: int,
    held: "Mapping[str, Any] | None" = None,
) -> "tuple[int, int, str]":
    """Judges 1,000 results of right implementations. Returns their number, how many are refused, and the first report.

    `held` is the contract that they are judged by, where it is another one than they are computed by. Raises ValueError
    for a contract that contradicts itself, or does not fit the operation.
    """
    random, results, failing, text = np.random.default_rng(seed), 0, 0, ""
    for number, terms in enumerate(TERMS):
        kind = KINDS[(number + seed) % len(KINDS)]
        task = Task(random, formats, contract, terms, kind, 1000 // len(TERMS) + 1)
        with np.errstate(all="ignore"):
            operands, outputs = FAMILIES[operation](task)
        judgement = negzero.judge(
            dict(outputs), operation, contract=dict(contract if held is None else held), elements="all", **operands
        )
        results, failing = results + judgement.judged, failing + judgement.failing
        text = text or (f"{kind} numbers\n{judgement.text}" if judgement.failing else "")
    return results, failing, text


@pytest.mark.parametrize("number", range(len(ANSWERS)), ids=["-".join((key[0], *key[1])) for key in ANSWERS])
def test_a_contract_by_name_permits_what_right_implementations_give(number):
    (operation, formats, contract), asked = list(ANSWERS.items())[number]
    names = ", ".join(sorted({each.function for each in asked}))
    results = 0
    held = json.loads(contract)
    while results < RESULTS:
        seed = 1000 * results + number
        more, failing, text = judged(operation, formats, computed_by(asked, held), seed, held)
        assert not failing, f"{names}: {contract}, seed {seed}\n{text}"
        results += more


def test_every_function_has_a_contract_that_is_tested():
    assert {each.function for asked in ANSWERS.values() for each in asked} == {*_TABLE, *NAMED} - OF_INTEGERS


@pytest.mark.parametrize(
    "name, formats, departs",
    [
        ("triton.language.dot", ("F8_E4M3", "F8_E4M3", "F32"), {"tensor_core": "no"}),
        ("triton.language.dot", ("F16", "F16", "F32"), {"tensor_core": "no"}),
        ("triton.language.dot", ("F32", "F32", "F32"), {"tensor_core": "no", "multiplicand": "exact"}),
        ("torch.mm", ("BF16", "BF16", "BF16"), {"slice_format": None}),
        ("torch.sum", ("F16", "F32"), {"accumulate": "F64"}),
        ("numpy.cumsum", ("F16", "F16"), {"accumulate": "F32"}),
        ("jax.numpy.matmul", ("F8_E5M2", "F8_E5M2", "F8_E5M2"), {"overflow": "ieee"}),
        ("triton.language.cast", ("F32", "I32"), {"output_rounding": "nearest_even"}),
    ],
)
def test_right_results_are_refused_by_a_contract_with_one_field_less(name, formats, departs):
    contract = negzero.contract_of(name, formats)
    operation = negzero.functions().get(name) or NAMED[name].operation
    held = {**contract, **departs}
    assert sum(judged(operation, formats, contract, seed, held)[1] for seed in range(len(KINDS))) > 0


def test_a_product_of_fp8_on_hopper_is_permitted_and_the_preset_names_the_cure():
    # Of 2^14 and 1, F = 13 bits are kept below the larger one (docs/explanation/numerics.md 2e).
    a = np.array([[128, 1]], ml_dtypes.float8_e4m3fn)
    contract = negzero.contract_of("triton.language.dot", ("F8_E4M3", "F8_E4M3", "F32"))
    for value in (16384, 16385):
        assert negzero.judge(np.float32([[value]]), "gemm", a=a, b=a.T, contract=contract).permitted
    assert not negzero.judge(np.float32([[12288]]), "gemm", a=a, b=a.T, contract=contract).permitted
    refused = negzero.judge(np.float32([[16384]]), "gemm", a=a, b=a.T, contract="f8_acc_f32")
    assert refused.verdict == "fail" and 'permitted under tensor_core "may"' in refused.hints[0]
    added = {"preset": "f8_acc_f32", "tensor_core": "may"}
    assert negzero.judge(np.float32([[16384]]), "gemm", a=a, b=a.T, contract=added).permitted
