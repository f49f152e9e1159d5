"""A case that was loaded judges outputs in the shapes that its maker had."""

from __future__ import annotations

from typing import Any

import negzero
import numpy as np
import pytest
from support import small, spoiled


def loaded(operation: str, **operands: Any) -> negzero.Case:
    negzero.case(operation, **operands).save("case.safetensors")
    return negzero.load("case.safetensors")


def test_a_reduction_over_two_leading_dimensions() -> None:
    case = loaded("reduce.sum", x=np.ones((2, 3, 4), np.float32))
    right = np.full((2, 3), 4, np.float32)
    assert negzero.judge(right, case).permitted and negzero.judge(right.reshape(6), case).permitted
    judgement = negzero.judge(spoiled(right, (1, 2)), case, elements="all")
    assert judgement.verdict == "fail" and [each.index for each in judgement.worst] == [(1, 2)]
    assert [each.index for each in negzero.judge(spoiled(right.reshape(6), 5), case).worst] == [(5,)]


def test_a_batch_of_two_dimensions() -> None:
    a, b = small((2, 3, 4, 5), np.float32, 1), small((2, 3, 5, 7), np.float32, 2)
    case = loaded("gemm", a=a, b=b)
    right = a @ b
    assert negzero.judge(right, case).permitted
    judgement = negzero.judge(spoiled(right, (1, 0, 3, 6)), case, elements="all")
    assert [each.index for each in judgement.worst] == [(1, 0, 3, 6)]
    with pytest.raises(negzero.NotPermitted, match=r"d\[1, 0, 3, 6\]"):
        negzero.assert_permitted(spoiled(right, (1, 0, 3, 6)), case)


def test_a_batch_of_one_is_a_matrix() -> None:
    a, b = small((4, 5), np.float32, 1), small((5, 7), np.float32, 2)
    case = loaded("gemm", a=a, b=b)
    for right in (a @ b, (a @ b)[None], (a @ b)[None, None]):
        assert negzero.judge(right, case).permitted
    assert [each.index for each in negzero.judge(spoiled(a @ b, (3, 6)), case).worst] == [(3, 6)]


@pytest.mark.parametrize("shape", [(2, 3, 7, 4), (2, 2, 4, 7), (4, 7), (24, 7), (7,), (), (6, 4, 7, 1), (0, 4, 7)])
def test_other_shapes_are_refused(shape: "tuple[int, ...]") -> None:
    case = loaded("gemm", a=small((2, 3, 4, 5), np.float32), b=small((2, 3, 5, 7), np.float32))
    with pytest.raises(ValueError, match="^observed: d has shape .*; give that shape, or leading .* that make 6"):
        negzero.judge(np.zeros(shape, np.float32), case)


def test_a_case_whose_dimensions_are_known_keeps_them() -> None:
    case = negzero.case("reduce.sum", x=np.ones((2, 3, 4), np.float32))
    with pytest.raises(ValueError, match=r"observed: y has shape \(3, 2\)"):
        negzero.judge(np.full((3, 2), 4, np.float32), case)


def test_places_of_a_scatter_are_no_batch() -> None:
    case = loaded("scatter.add", x=np.ones(4, np.float32), index=np.int32([0, 1, 2, 3]), init=np.zeros(4, np.float32))
    assert negzero.judge(np.ones(4, np.float32), case).permitted
    with pytest.raises(ValueError, match="^observed: "):
        negzero.judge(np.ones((2, 2), np.float32), case)


def test_a_case_takes_places_of_any_width() -> None:
    x = np.float32([[1, 3, 2], [7, 5, 6]])
    case = loaded("reduce.argmax", x=x)
    judgement = negzero.judge(x.argmax(-1), case)
    assert judgement.permitted and judgement.notes == ("observed was converted from int64 to int32; every value fits",)
    assert negzero.judge(x.argmax(-1).astype(">i4"), case).permitted
    with pytest.raises(ValueError, match=r"^observed\[1\] is 4294967296, beyond int32, to which int64 is converted"):
        negzero.judge(np.array([1, 2**32]), case)
    wide = loaded("reduce.argmax", x=x, out_dtype=np.int64)
    assert negzero.judge(x.argmax(-1), wide).notes == ()
    assert negzero.judge(x.argmax(-1).astype(np.int32), wide).permitted
