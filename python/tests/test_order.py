"""The order in which a function adds is found: as its source has it, and by bits of sums along what was found."""

from __future__ import annotations

import json
import math
from typing import Any, Callable

import negzero
import numpy as np
import pytest
from support import framework

LENGTHS = (40, 96, 300)


def ascending(x: Any) -> Any:
    total = x[0]
    for each in x[1:]:
        total = total + each
    return total


def descending(x: Any) -> Any:
    return ascending(x[::-1])


def halves(x: Any) -> Any:
    return x[0] if len(x) == 1 else halves(x[: len(x) // 2]) + halves(x[len(x) // 2 :])


def lanes(x: Any, count: int = 32) -> Any:
    return halves(np.array([ascending(x[lane::count]) for lane in range(min(count, len(x)))], x.dtype))


def blocks(x: Any, size: int = 16) -> Any:
    return ascending(np.array([ascending(x[at : at + size]) for at in range(0, len(x), size)], x.dtype))


def pairwise_depth(n: int) -> int:
    """That of numpy's pairwise sum (numpy/_core/src/umath/loops_utils.h.src): eight lanes in blocks of up to 128."""
    if n < 8:
        return n - 1
    if n <= 128:
        return n // 8 - 1 + 3 + n % 8
    half = n // 2 - n // 2 % 8
    return 1 + max(pairwise_depth(half), pairwise_depth(n - half))


def up(a: int, b: int) -> int:
    return -(-a // b)


def levels(n: int) -> int:
    return math.ceil(math.log2(n))


KNOWN: "list[tuple[Callable[..., Any], Callable[[int], int]]]" = [
    (ascending, lambda n: n - 1),
    (descending, lambda n: n - 1),
    (halves, levels),
    (lanes, lambda n: up(n, 32) - 1 + levels(min(n, 32))),
    (blocks, lambda n: 15 + up(n, 16) - 1),
    (np.sum, pairwise_depth),
]


def check_bits(found: negzero.FoundOrder, fn: "Callable[..., Any]", dtype: Any = np.float32) -> None:
    """Sums of random numbers along each tree are the function's own, bit for bit."""
    random = np.random.default_rng(3)
    for at in found.lengths:
        for _ in range(20):
            x = (random.standard_normal(at.length) * 2.0 ** random.integers(-8, 8, at.length)).astype(dtype)
            assert at.added(x).tobytes() == np.asarray(fn(x), dtype).tobytes(), at.length


@pytest.mark.parametrize("fn, depth", KNOWN, ids=lambda each: getattr(each, "__name__", ""))
def test_what_sources_say_is_found(fn, depth):
    found = negzero.order_of(fn, LENGTHS)
    assert found.depths == {n: depth(n) for n in LENGTHS}
    assert found.depth == depth(300)
    assert found.deterministic
    check_bits(found, fn)


def test_the_formula_is_a_line_of_a_contract():
    found = negzero.order_of(lanes)
    assert found.formula == "ceil_div(n, 32) + ceil_log2(min(n, 32)) - 1"
    assert found.is_exact
    assert json.loads(found.line) == {"depth": found.formula}
    assert found.same_shape is True
    assert "contract: " in str(found) and "65000" in str(found)
    assert found.tree.startswith("sum of:\n") or "levels" in found.tree
    assert negzero.order_of(halves, LENGTHS).same_shape is False


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, "bfloat16"])
def test_every_dtype_shows_its_order(dtype):
    assert negzero.order_of(ascending, (20, 700), dtype=dtype).depths == {20: 19, 700: 699}


def test_products_and_matrices_count_a_products_rounding():
    def dot(a, b):
        return ascending(a * b)

    assert negzero.order_of(dot, 50).depth == 50
    assert negzero.order_of(dot, 50, dtype=np.float16).depth == 50

    def product(a, b):
        return ascending([a[:, k : k + 1] * b[k : k + 1] for k in range(a.shape[1])])

    found = negzero.order_of(product, 60, rows=8, columns=5)
    assert found.depth == 60
    assert found.formula == "n"
    import ml_dtypes

    # Neither factor alone reaches far enough: both are large where M lies.
    narrow = negzero.order_of(
        lambda a, b: ascending(a.astype(np.float32) * b.astype(np.float32)), 30, dtype=ml_dtypes.float8_e4m3fn
    )
    assert narrow.depth == 30


def test_rows_of_one_call_are_sums_each():
    calls = []

    def rows(x):
        calls.append(x.shape)
        return np.array([ascending(row) for row in x], x.dtype)

    assert negzero.order_of(rows, 64, rows=32).depth == 63
    assert set(calls) == {(32, 64)}
    assert len(calls) < 20


def test_an_order_that_varies_is_said_to_vary():
    random = np.random.default_rng(1)
    found = negzero.order_of(lambda x: ascending(random.permutation(x)), LENGTHS)
    assert not found.deterministic
    assert found.depth is None and found.formula is None and found.same_shape is None
    assert found.lengths[0].problem == "sums differ from run to run"
    assert found.tree == "" and json.loads(found.line) == {"depth": "n - 1"}
    with pytest.raises(ValueError, match="no tree of plain additions was found: sums differ"):
        found.lengths[0].added(np.zeros(40, np.float32))


def test_what_is_no_sum_along_a_tree_is_said_to_be_none():
    exact = negzero.order_of(lambda x: np.float64(math.fsum(x)), 20, dtype=np.float64)
    assert exact.depth is None and exact.line == "" and exact.deterministic
    assert exact.lengths[0].problem.startswith("M swallows no ones: the sum is exact, compensated")
    assert negzero.order_of(np.max, 20).depth is None
    assert negzero.order_of(lambda x: x[0] + x[1], 20).depth is None


def test_a_sum_in_a_wider_format_is_followed_there():
    found = negzero.order_of(lambda x: np.float32(ascending(x.astype(np.float64))), LENGTHS)
    assert found.depths == {n: n - 1 for n in LENGTHS}


@pytest.mark.parametrize("name", ["numpy", "jax", "torch"])
def test_functions_of_frameworks_add_along_what_was_found(name):
    module = framework(name)
    if name == "torch":
        module.set_num_threads(1)
    to_array: "Callable[[Any], Any]" = {"torch": getattr(module, "from_numpy", None)}.get(name, np.asarray)
    numpy_like = module.numpy if name == "jax" else module
    device = "cpu" if name == "torch" else None
    found = negzero.order_of(numpy_like.sum, LENGTHS, arrays=name, device=device)
    check_bits(found, lambda x: numpy_like.sum(to_array(x)))
    dot = negzero.order_of(lambda a, b: numpy_like.dot(a, b), LENGTHS, arrays=name, device=device)
    random = np.random.default_rng(5)
    for at in dot.lengths:  # products of few bits are exact, fused or not
        a, b = (random.integers(-2000, 2000, at.length).astype(np.float32) for _ in range(2))
        scale = 2.0 ** random.integers(-9, 9, at.length).astype(np.float32)
        result = numpy_like.dot(to_array(a * scale), to_array(b))
        assert at.added(a * scale * b) == np.float32(result)
        assert at.depth <= at.length


@pytest.mark.parametrize(
    "arguments, options, message",
    [
        ((3,), {}, "fn: a int is no function"),
        ((np.sum, 1), {}, "lengths = 1 is out of range"),
        ((np.sum, "many"), {}, "lengths: give a whole number or several"),
        ((np.sum,), {"dtype": np.int32}, "dtype: dtype int32 is none of"),
        ((np.sum,), {"operands": 3}, "operands = 3 is out of range"),
        ((np.sum,), {"columns": 3}, "columns: of a product of two matrices alone"),
        ((np.sum,), {"arrays": "pandas"}, "arrays"),
        ((lambda a, b, c: a,), {}, "fn: it requires 3 operands"),
        ((lambda x: x,), {}, r"fn: it gave \(96,\) for operands of \(96,\); return one sum"),
        ((lambda x: "5",), {}, "fn: its output"),
    ],
)
def test_what_is_wrong_is_named_with_its_cure(arguments, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        negzero.order_of(*arguments, **options)


def test_what_fn_raises_goes_on():
    def fails(x):
        if x.any():
            raise KeyError("mine")
        return x.sum()

    with pytest.raises(KeyError, match="mine"):
        negzero.order_of(fails)

    def interrupted(x):
        if x.any():
            raise KeyboardInterrupt
        return x.sum()

    with pytest.raises(KeyboardInterrupt):
        negzero.order_of(interrupted)
