"""Permitted sets as arrays, held against what negzero.judge() says of each of their ends."""

from __future__ import annotations

import negzero
import numpy as np
import pytest
from support import small


def test_the_ends_are_permitted_and_what_lies_beyond_is_not() -> None:
    rng = np.random.default_rng(4)
    a, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((2, 3, 33), (33, 4)))
    sets = negzero.permitted("gemm", a=a, b=b, contract="f32")["d"]
    assert sets.low.shape == sets.nan.shape == (2, 3, 4) and sets.low.dtype == np.float32
    assert sets.any_finite.all() and (sets.low <= sets.high).all() and (sets.low < sets.high).any()
    assert not (sets.nan | sets.plus_infinity | sets.minus_infinity).any()

    def verdict(observed: np.ndarray) -> negzero.Judgement:
        return negzero.judge(observed, "gemm", a=a, b=b, contract="f32", elements="all", worst=24)

    assert verdict(sets.low).permitted and verdict(sets.high).permitted
    assert verdict(np.nextafter(sets.low, np.float32("-inf"))).failing == 24
    above = verdict(np.nextafter(sets.high, np.float32("inf")))
    assert above.failing == 24
    for element in above.worst:
        assert element.low == sets.low[element.index] and element.high == sets.high[element.index]
        assert element.ulps == 1


def test_what_is_no_number_has_a_mask() -> None:
    inf, nan = np.float32(np.inf), np.float32(np.nan)
    x = np.float32([[1, 2], [inf, 1], [-inf, 1], [inf, -inf], [nan, 1]])
    sets = negzero.permitted("reduce.sum", x=x, contract="f32")["y"]
    assert sets.plus_infinity.tolist() == [False, True, False, False, False]
    assert sets.minus_infinity.tolist() == [False, False, True, False, False]
    assert sets.nan.tolist() == [False, False, False, True, True]
    assert sets.any_finite.tolist() == [True, False, False, False, False]
    assert sets.low[0] == sets.high[0] == 3
    assert not (sets.plus_zero | sets.minus_zero | sets.has_gaps | sets.vacuous).any()
    zeros = negzero.permitted("convert", x=np.float32([0.0, -0.0, 1.0]), contract="f32")["y"]
    assert zeros.plus_zero.tolist() == [True, False, False] and zeros.minus_zero.tolist() == [False, True, False]


def test_every_output_has_sets() -> None:
    x = small((3, 4), np.float16)
    sets = negzero.permitted("reduce.max_index", x=x)
    assert list(sets) == ["y", "at"] and sets["at"].low.dtype == np.int32
    assert (sets["y"].low == x.max(-1)).all()
    places = negzero.permitted("reduce.argmax", x=x, out_dtype=np.int64)["y"]
    assert places.low.dtype == np.int64 and (places.low == x.argmax(-1)).all()
    wide = negzero.permitted("reduce.sum", x=x, out_dtype=np.float64)["y"]
    assert wide.low.dtype == np.float64


def test_indices_of_64_bits_and_a_wider_addend_permit_the_same() -> None:
    x, index = small(6, np.float32), np.array([0, 1, 1, 0, 2, 1])
    sets = [negzero.permitted("scatter.add", x=x, index=index.astype(of), init=x)["out"] for of in (np.int32, np.int64)]
    assert sets[0].low.tobytes() == sets[1].low.tobytes() and sets[0].high.tobytes() == sets[1].high.tobytes()
    one = np.float16([[1]])
    wide = negzero.permitted("gemm", a=one, b=one, c=np.float32([[2049]]), out_dtype=np.float16)["d"]
    assert wide.low.dtype == np.float16 and wide.low == wide.high == 2050


@pytest.mark.parametrize("shape", [(), (1,), (2, 3)])
def test_sets_have_the_callers_shape(shape: "tuple[int, ...]") -> None:
    sets = negzero.permitted("convert", x=small(shape, np.float32), out_dtype=np.float16)["y"]
    assert sets.low.shape == sets.any_finite.shape == sets.vacuous.shape == shape
