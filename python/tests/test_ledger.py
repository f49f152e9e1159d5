"""The ledger of known findings, decided by the library."""

from __future__ import annotations

import json
from typing import Any

import pytest
from negzero import _library


def ledger_of(*entries: "dict[str, str]") -> bytes:
    known = [{"reason": "known", "link": "owner/repo#12", **entry} for entry in entries]
    return json.dumps({"version": 1, "accepted": known}).encode()


LEDGER = ledger_of(
    {"kernel": "tests/test_sum.py::test_sum*", "class": "wrong_value", "place": "cuda"},
    {"kernel": "*test_max*", "rule": "sum.exact"},
    {"kernel": "*test_crash*", "class": "crash"},
)


def finding(kernel: str, **others: str) -> "dict[str, str]":
    return {"kernel": kernel, "class": "wrong_value", "rule": "sum.hull", "place": "cuda", **others}


def test_a_finding_is_accepted_by_the_first_entry_that_names_it() -> None:
    findings = [
        finding("test_max", rule="sum.exact"),
        finding("test_max"),
        finding("test_crash", **{"class": "crash", "rule": "run.crash", "place": "host"}),
    ]
    assert _library.ledger(LEDGER, findings, [])["accepted"] == [1, None, 2]


def test_brackets_of_a_test_are_plain_characters() -> None:
    ledger = ledger_of({"kernel": "test_sum[f16-*]", "class": "wrong_value"})
    findings = [finding("test_sum[f16-4]"), finding("test_sum[f32-4]"), finding("test_sumf")]
    assert _library.ledger(ledger, findings, [])["accepted"] == [0, None, None]


@pytest.mark.parametrize(
    ("findings", "ran", "stale"),
    [
        ([], [], []),
        ([], ["test_max", "test_crash"], [1]),
        ([finding("test_max", rule="sum.exact")], ["test_max"], []),
        ([finding("test_max")], ["test_max"], [1]),
        ([], [{"kernel": "test_max", "place": "host", "whole": False}], []),
    ],
)
def test_an_entry_that_did_not_occur_is_stale(findings: "list[Any]", ran: "list[Any]", stale: "list[int]") -> None:
    assert _library.ledger(LEDGER, findings, ran)["stale"] == stale


def test_what_is_wrong_is_a_value_error_in_the_words_of_the_library() -> None:
    with pytest.raises(ValueError, match=r'accepted finding #1: field class = "wrong_valu" .* did you mean "wrong_va'):
        _library.ledger(ledger_of({"kernel": "x", "class": "wrong_valu"}), [], [])
    with pytest.raises(ValueError, match=r"^query: ran\[0\] is not an object"):
        _library.ledger(LEDGER, [], [3])
