"""The changes that make a right array a wrong one: what they are, and that every framework makes those of NumPy."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from negzero._changes import CHANGES, ChangesNothing, NotHere
from negzero._elements import Elements
from negzero._framework_elements import copy_of
from support import framework


def _elements(name: str, array: np.ndarray) -> Elements:
    module = framework(name)
    if name == "torch":
        wide = array.astype(np.int64 if array.dtype.kind == "i" else np.float64)
        return copy_of(module.as_tensor(wide).to(getattr(module, array.dtype.name)))
    return copy_of(module.numpy.asarray(array) if name == "jax" else module.asarray(array))


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16, np.int32])
@pytest.mark.parametrize("name", ["torch", "jax", "cupy"])
def test_frameworks_make_the_changes_of_numpy(name: str, dtype: Any) -> None:
    values = np.array([[-0.0, 3.1, -1e-3, 7.7], [2.2, 0.0, 1.25, -9.5], [4.4, 5.5, 3e4, 1.125]])
    for special in ((), (np.nan, np.inf)):
        if special and np.dtype(dtype).kind == "i" or name == "cupy" and dtype is ml_dtypes.bfloat16:
            continue
        array, is_float = values.astype(dtype), np.dtype(dtype).kind != "i"
        array[2, : len(special)] = np.array(special, dtype)
        elements = _elements(name, array)
        for change in CHANGES:
            try:
                expected = change.applied(array)
            except (ChangesNothing, NotHere) as error:
                with pytest.raises(type(error)):
                    change.put(elements)
                assert np.array_equal(elements.read(...), array, equal_nan=is_float)
                continue
            before = change.put(elements)
            got = elements.read(...)
            assert np.array_equal(got, expected, equal_nan=is_float), change.key
            assert np.array_equal(np.signbit(got), np.signbit(expected)), change.key
            elements.put(before.index, before.values)
            assert np.array_equal(elements.read(...), array, equal_nan=is_float), change.key


def test_a_change_is_what_its_words_say() -> None:
    x = np.array([[1.0, 2, 3], [4, 5, 6], [7, 8, 0]], np.float32)  # the middle magnitude is 4
    done = {change.key: change.applied(x) for change in CHANGES if change.key not in _ABSENT}
    assert not done["zeros"].any() and (done["constant"] == 4).all()
    assert (done["lost_row"] == [[1, 2, 3], [0, 0, 0], [7, 8, 0]]).all()
    assert (done["repeated_row"] == [[1, 2, 3], [7, 8, 0], [7, 8, 0]]).all()
    assert (done["exchanged_rows"] == [[1, 2, 3], [7, 8, 0], [4, 5, 6]]).all()
    assert (done["doubled"] == [[1, 2, 3], [8, 5, 6], [7, 8, 0]]).all()
    assert np.isnan(done["nan"][1, 0]) and np.isfinite(done["nan"]).sum() == 8
    assert np.signbit(done["zero_sign"][2, 2]) and (done["reversed"] == x[::-1, ::-1]).all()
    assert (done["scaled"] == x * np.float32(1.0078125)).all()
    assert (CHANGES[0].applied(x) == 0).all() and x[0, 0] == 1
    last = next(change for change in CHANGES if change.key == "last_unwritten")
    assert (last.applied(x[:2]) == [[1, 2, 3], [4, 5, 0]]).all()


_ABSENT = (
    "last_unwritten",
    "lost_nan",
    "finite",
    "flushed",
    *(f"rounded_{name}" for name in ("f8_e4m3", "bf16", "f16", "tf32", "f32")),
)


@pytest.mark.parametrize(("key", "off"), [("rounded_bf16", 16), ("rounded_tf32", 13)])
def test_rounding_is_to_nearest_even(key: str, off: int) -> None:
    words = np.random.default_rng(1).integers(0, 1 << 32, 4000, np.uint64)
    single = np.append(words.astype(np.uint32), np.uint32([0x3F801000, 0x3F803000, 0x3F808000, 0x3F818000])).view(
        np.float32
    )
    kept = (
        (single.view(np.uint32).astype(np.uint64) + (1 << off - 1) - 1 + (single.view(np.uint32) >> off & 1))
        >> off
        << off
    )
    expected = (kept & 0xFFFFFFFF).astype(np.uint32).view(np.float32)
    with np.errstate(all="ignore"):
        expected = np.where(np.isfinite(expected) & (kept < 1 << 32), expected, single)
        got = next(change for change in CHANGES if change.key == key).applied(single)
    assert np.array_equal(got, expected, equal_nan=True)
