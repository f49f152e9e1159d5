"""Words behind the bounds of indices, and elements that a line reads and writes, for functions of Python."""

from __future__ import annotations

import numpy as np
import pytest

import negzero

PUT = "put: y[n] <- x[n], order[n] < n permutation"
MOE = "moe: y[slots] <- x[tokens], place[tokens] < slots distinct none=-1 writes y[place[t]] for t < tokens"
RAGGED = (
    "ragged: y[groups] <- x[rows], offsets[groups + 1] <= rows ascending from 0 "
    "reads x[i] for g < groups, offsets[g] <= i < offsets[g + 1]"
)
SORT = "argsort: order[n] < n permutation <- x[n]"


def i32(*values):
    return np.array(values, np.int32)


@pytest.mark.parametrize(
    "line, operands, why",
    [
        (PUT, {"x": np.zeros(3, np.float32), "order": i32(0, 2, 2)}, r"order\[2\] = 2 is order\[1\] too"),
        (MOE, {"x": np.zeros(2, np.float32), "place": i32(1, 1), "slots": 4}, "place is distinct; give another index"),
        (
            MOE,
            {"x": np.zeros(2, np.float32), "place": i32(-2, 1), "slots": 4},
            "give places and counts from 0 to 3, or -1 where there is none",
        ),
        (RAGGED, {"x": np.zeros(2, np.float32), "offsets": i32(1, 2)}, "offsets is ascending from 0; give 0"),
    ],
)
def test_operands_that_break_a_word_are_refused(line, operands, why):
    with pytest.raises(ValueError, match=why):
        negzero.case(line, **operands)


def test_operands_that_keep_them_are_a_case():
    case = negzero.case(MOE, x=np.zeros(3, np.float32), place=i32(3, -1, 0), slots=4)
    assert case.described["extents"] == {"slots": 4, "tokens": 3}


def test_functions_are_given_what_the_words_say():
    seen = {"none": 0, "all": 0}

    def function(x, place, slots):
        kept = place[place >= 0]
        assert len(set(kept.tolist())) == len(kept) and (place >= -1).all() and (place < slots).all()
        seen["none"] += int((place == -1).any())
        seen["all"] += 1
        y = np.full(slots, 7, x.dtype)  # Returned elements that the line does not write are not looked at.
        y[kept] = x[place >= 0]
        return y

    def reference(x, place, slots):
        y = np.zeros(slots)
        y[place[place >= 0]] = x[place >= 0]
        return y

    negzero.check(function, MOE, reference=reference, error=0)
    assert seen["none"] > seen["all"] // 10


def test_what_is_not_read_is_poison():
    def reference(x, offsets):
        return np.array([x[a:b].sum() for a, b in zip(offsets, offsets[1:])] or [], np.float64)

    def up_to_the_next(x, offsets):
        ends = np.minimum(offsets[1:] + 1, x.size)
        return np.array([x[a:b].sum() for a, b in zip(offsets, ends)] or [], x.dtype)

    with pytest.raises(negzero.Counterexample):
        negzero.check(up_to_the_next, RAGGED, reference=reference, error=4, values={"x": (0, 1)})


def test_an_order_with_an_index_twice_is_found():
    def wrong(x):
        order = np.argsort(x, kind="stable").astype(np.int32)
        if order.size > 4:
            order[-1] = order[0]
        return order

    with pytest.raises(negzero.Counterexample) as found:
        negzero.check(wrong, SORT, allow_not_judged=True)
    assert found.value.report["rule"] == "declared.words"
