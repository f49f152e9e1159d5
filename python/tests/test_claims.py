"""check(): the claims that people ask for by name."""

from __future__ import annotations


import negzero
import numpy as np
import pytest

from checks import found, in_order, last_first


@pytest.mark.parametrize(
    "claim", ["deterministic", "batch_invariant", "nan_stays_in_its_row", "padding_does_not_matter"]
)
def test_a_function_that_adds_in_order_keeps_every_claim(claim):
    checked = negzero.check(in_order, "gemm", claims=claim)
    assert checked.held > 100 or claim == "deterministic"
    assert "determinism run_to_run" in checked.contract_text


def test_rows_whose_bits_depend_on_their_number_are_found():
    def splits(x):
        if x.shape[0] > 8:  # another kernel for many rows, with another order
            return x[:, ::-1].cumsum(1, dtype=np.float32)[:, -1] if x.shape[1] else x.sum(1)
        return x.cumsum(1, dtype=np.float32)[:, -1] if x.shape[1] else x.sum(1)

    limits = {"rows": (1, 8), "columns": (1, 64)}
    negzero.check(splits, "reduce.sum", limits=limits)
    example = found(splits, "reduce.sum", limits={"columns": (1, 64)}, claims="batch_invariant", finite=True)
    assert example.report["rule"].startswith("meta.")
    assert "batch_invariant (" in str(example)
    assert "position_invariant" in example.case.contract


def test_a_claim_about_rows_says_nothing_of_columns():
    def by_columns(a, b):
        return (in_order if b.shape[1] < 3 else last_first)(a, b)

    negzero.check(by_columns, "gemm", claims="batch_invariant", cases=300)
    contract = {"determinism": "run_to_run", "position_invariant": True}
    example = found(by_columns, contract=contract, cases=2000)
    assert example.report["rule"] in ("meta.other_columns", "meta.pad_columns")


def test_a_claim_by_name_takes_nothing_from_the_contract():
    def by_rows(a, b):
        return (in_order if a.shape[0] < 3 else last_first)(a, b)

    contract = {"determinism": "run_to_run", "position_invariant": True}
    example = found(by_rows, contract=contract, claims="nan_stays_in_its_row", cases=2000)
    assert example.report["rule"] == "meta.other_rows"


def test_of_a_line_a_claim_about_memory_says_nothing_of_rows():
    def by_rows(x):
        x = np.ascontiguousarray(x)
        return (x if x.shape[0] < 9 else x[:, ::-1]).cumsum(1, dtype=np.float32)[:, -1]

    line, limits = "rs: y[rows] <- x[rows, columns] each rows", {"rows": (1, 300), "columns": (1, 40)}
    options = {"limits": limits, "allow_not_judged": True, "cases": 1000}
    negzero.check(by_rows, line, claims="padding_does_not_matter", **options)
    example = found(by_rows, line, claims="batch_invariant", **options)
    assert example.report["claim"] == "other_rows"


def test_a_nan_that_leaves_its_row_is_found():
    def leaks(x):
        result = x.sum(1, dtype=np.float32)
        if np.isnan(x).any() and not np.isnan(x[:1]).any():
            result[:1] = np.nan
        return result

    example = found(leaks, "reduce.sum", claims="nan_stays_in_its_row", finite=True)
    assert example.report["claim"] == "nan_row"
