"""Defects are what they say they are, and what is said of them is what the library and NumPy say."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import negzero
import numpy as np
import pytest
from negzero import _library, _safetensors
from negzero._judge import contract_options
from negzero._mutants import mutants
from negzero._sets import Contents, contents_of, plausible, refused, sets_of
from negzero._terms import rounded, terms_of
from support import framework, small

EXACT = {"alpha": 2.0, "beta": -1.0}


def parts(operation: str, **operands: Any) -> "tuple[Contents, dict[str, Any], dict[str, np.ndarray]]":
    """A case in parts, its sets, and its right outputs."""
    contract = operands.pop("contract", None)
    case = negzero.case(operation, contract=contract, **operands)
    contents = contents_of(case.data, contract_options(case, None))
    sets = sets_of(contents)
    return contents, sets, plausible(contents, sets)


def defects(operation: str, **operands: Any) -> "dict[str, np.ndarray]":
    """The first output of every defect that applies, by its name; the right one by the name "right"."""
    contents, sets, right = parts(operation, **operands)
    name = contents.signature.outputs[0].name
    found = {each.name: each.outputs[name] for each in mutants(contents, sets, right) if each.outputs is not None}
    return {**found, "right": right[name]}


def row(sensitivity: negzero.Sensitivity, name: str) -> negzero.Mutant:
    return next(each for each in sensitivity.rows if each.name == name)


def same(a: Any, b: Any) -> bool:
    return np.array_equal(np.asarray(a, np.float64), np.asarray(b, np.float64), equal_nan=True)


# What a defect is: operands whose sums are exact, and the same defect in NumPy.


def test_the_defects_of_a_gemm() -> None:
    a, b, c = small((3, 32), seed=1), small((32, 2), seed=2), small((3, 2), np.float32, 3)
    found = defects("gemm", a=a, b=b, c=c, out_dtype=np.float32, **EXACT)
    a, b = a.astype(np.float64), b.astype(np.float64)
    assert same(found["right"][0], 2 * a @ b - c)
    assert same(found["last term dropped"][0], 2 * a[:, :-1] @ b[:-1] - c)
    assert same(found["sixteenth of terms dropped"][0], 2 * (a @ b - a[:, 15:17] @ b[15:17]) - c)
    assert same(found["term doubled"][0], 2 * (a @ b + a[:, :1] @ b[:1]) - c)
    assert same(found["alpha taken for 1"][0], a @ b - c)
    assert same(found["beta taken for 0"][0], 2 * a @ b)
    assert same(found["F16 accumulator"], found["right"]) and same(found["BF16 inputs"], found["right"])
    right = found["right"][0]
    # The element of middle magnitude, of those that are not 0, names the row.
    row_of = int(np.argwhere(np.abs(right) == np.sort(np.abs(right[right != 0]))[(np.count_nonzero(right) - 1) // 2])[0][0])
    other = row_of + 1 if row_of < 2 else 1
    repeated, exchanged, lost = (np.array(right) for _ in range(3))
    repeated[row_of], exchanged[[row_of, other]], lost[row_of] = right[other], right[[other, row_of]], 0
    assert same(found["row of its neighbour"][0], repeated) and same(found["rows exchanged"][0], exchanged)
    assert same(found["row lost"][0], lost)
    assert same(found["elements reversed"][0], right[::-1, ::-1])
    assert not found["all zeros"].any() and not np.signbit(found["all zeros"]).any()


def test_the_row_of_a_batch_is_one_of_one_matrix() -> None:
    found = defects("gemm", a=small((2, 4, 3)), b=small((3, 5)), out_dtype=np.float32)
    right, wrong = found["right"], found["row of its neighbour"]
    [(matrix, at)] = np.unique(np.argwhere(right != wrong)[:, :2], axis=0)
    assert same(wrong[matrix, at], right[matrix, at + 1 if at < 3 else 2])


@pytest.mark.parametrize(("operation", "combined"), [("reduce.sum", np.sum), ("reduce.max", np.max)])
def test_the_defects_of_a_reduction(operation: str, combined: Any) -> None:
    x = small((5, 48), np.float32, 4, -9, 9)
    found = defects(operation, x=x)
    assert same(found["last term dropped"], combined(x[:, :-1], 1))
    assert same(found["sixteenth of terms dropped"], combined(np.delete(x, [22, 23, 24], 1), 1))
    assert same(found["term doubled"], combined(np.concatenate([x, x[:, :1]], 1), 1))


def test_a_mean_keeps_its_divisor() -> None:
    x = small((5, 4), np.float32, 4, -9, 9)
    found = defects("reduce.mean", x=x)
    assert same(found["last term dropped"], x[:, :-1].sum(1) / 4)
    assert same(found["term doubled"], (x.sum(1) + x[:, 0]) / 4)


def test_a_scan_loses_a_term_in_what_follows() -> None:
    x = small((2, 32), np.float32, 4, 1, 9)
    for operation, before in (("scan.inclusive", 0), ("scan.exclusive", 1)):
        total = np.pad(x, ((0, 0), (before, 0))).cumsum(1)[:, :32]
        found = defects(operation, x=x)
        assert same(found["right"], total)
        lost = np.array(x)
        lost[:, 15:17] = 0
        assert same(found["sixteenth of terms dropped"], np.pad(lost, ((0, 0), (before, 0))).cumsum(1)[:, :32])
        assert same(found["term doubled"][:, 1:], total[:, 1:] + x[:, :1])


def test_an_index_keeps_counting() -> None:
    """What is dropped are the last terms, so that the others keep their places."""
    x = np.arange(64, dtype=np.float32).reshape(2, 32)
    found = defects("reduce.argmax", x=x)
    assert same(found["last term dropped"], [30, 30]) and same(found["sixteenth of terms dropped"], [29, 29])
    x[:, 20] = 99
    assert same(defects("reduce.argmax", x=x)["sixteenth of terms dropped"], [20, 20])
    contents, sets, right = parts("reduce.max_index", x=np.arange(64, dtype=np.float32).reshape(2, 32))
    dropped = next(each for each in mutants(contents, sets, right) if each.name == "last term dropped").outputs
    assert dropped is not None and same(dropped["y"], [30, 62]) and same(dropped["at"], [30, 30])


def test_indices_and_what_is_added_keep_formats_of_their_own() -> None:
    x, init = small(8, np.float32, 1, 1, 5), small(4, np.float32)
    cases: "list[tuple[str, dict[str, Any]]]" = [
        ("scatter.add", {"x": x, "index": np.arange(8) % 4, "init": init}),
        ("gemm", {"a": small((2, 4)), "b": small((4, 3)), "c": np.float32([2049, 1, 0]), "out_dtype": np.float16}),
    ]
    for operation, operands in cases:
        case = negzero.case(operation, **operands)
        contents, sets, right = parts(operation, **operands)
        assert contents.formats == contents.signature.filled(case.described["formats"])
        again = contents_of(contents.data(), contents.options)
        assert again.formats == contents.formats and len(again.formats) > len(contents.signature.slots)
        assert {name: each.dtype for name, each in right.items()} == {n: d for n, (_, d) in case.outputs.items()}
        assert all(each.outputs is not None or each.why for each in mutants(contents, sets, right))
    usual = parts("gemm", a=small((2, 4)), b=small((4, 3)))[0]
    assert usual.formats["c"] == "F16" and contents_of(usual.data(), usual.options).formats == usual.formats
    scattered = defects(*cases[0][:1], **cases[0][1])
    assert same(scattered["last term dropped"], scattered["right"] - np.float32([0, 0, 0, x[7]]))
    done = negzero.sensitivity("gemm", formats=("F16", "F16", "F16", "F32"), cases=3)
    assert row(done, "all zeros").cases


def test_updates_are_dropped_with_their_destinations() -> None:
    x, index, init = small(33, np.float32, 1, 1, 5), np.arange(33) % 4, np.float32([1, -0.0, np.nan, 2, np.nan, -0.0])
    found = defects("scatter.add", x=x, index=index, init=init)

    def added(keep: Any) -> np.ndarray:
        total = np.array(init)
        np.add.at(total, index[keep], x[keep])
        return total

    every = np.arange(33)
    assert same(found["right"], added(every)) and np.signbit(found["right"][5])
    assert same(found["last term dropped"], added(every[:-1]))
    assert same(found["sixteenth of terms dropped"], added(np.delete(every, [15, 16])))
    assert same(found["term doubled"], added(np.append(every, 0)))


def test_a_location_without_updates_keeps_the_bits_of_its_nan() -> None:
    init = np.uint32([0x7FC00001, 0xFF800001, 0x3F800000]).view(np.float32)
    contents, sets, right = parts("scatter.max", x=np.float32([2]), index=np.array([2]), init=init)
    assert list(right["out"].view(np.uint32)) == [0x7FC00001, 0xFF800001, 0x40000000]
    other = np.uint32([0x7FC00002, 0xFF800001, 0x40000000]).view(np.float32)
    with np.errstate(invalid="ignore"):  # one of them signals
        assert refused(contents, sets, right) == 0 and refused(contents, sets, {"out": other}) == 1


def test_what_lies_beyond_a_count_stays() -> None:
    a, b = small((2, 4, 3), np.float32, 1, 1, 3), small((2, 3, 2), np.float32, 2, 1, 3)
    contents, sets, right = parts("gemm.grouped", a=a, b=b, rows=np.array([3, 0]))
    assert refused(contents, sets, right) == 0
    for each in mutants(contents, sets, right):
        if each.outputs is not None:
            assert (each.outputs["d"][0, 3] == right["d"][0, 3]).all() and (each.outputs["d"][1] == right["d"][1]).all()
    assert row(negzero.sensitivity("gemm.grouped", a=a, b=b, rows=np.array([3, 0])), "all zeros").changed == 6


def test_special_values_are_lost_one_kind_at_a_time() -> None:
    x = np.float32([-0.0, np.nan, np.inf, -np.inf, 1e-40, -1e-40, 0.0, 1.0])
    found = defects("convert", x=x, out_dtype=np.float32)
    assert same(found["right"], x) and same(found["sign of a zero"], x)
    assert list(np.signbit(found["sign of a zero"])) == [False, False, False, True, False, True, False, False]
    assert same(found["NaN turned into 0"], np.where(np.isnan(x), 0, x))
    assert same(found["infinity turned finite"], np.clip(x, -np.finfo(np.float32).max, np.finfo(np.float32).max))
    for name in ("subnormal inputs flushed", "subnormal results flushed"):
        assert same(found[name], np.where(np.abs(x) == np.float32(1e-40), 0, x)) and np.signbit(found[name][5])


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn])
def test_one_step_is_one_step(dtype: Any) -> None:
    for number in (1.0, -1.0, 0.0, -0.0, -0.125):
        found = defects("convert", x=np.array([number], dtype), out_dtype=dtype)
        wrong, right = (float(found[name][0]) for name in ("one step too high", "right"))
        between = np.array([(wrong + right) / 2]).astype(dtype).astype(np.float64)[0]
        assert wrong > right and between in (wrong, right)


# Formats


def test_rounding_is_that_of_the_formats() -> None:
    random = np.random.default_rng(1)
    wide = np.ldexp(random.standard_normal(20000), random.integers(-160, 130, 20000))
    wide = np.concatenate([wide, [0.0, -0.0, np.inf, -np.inf, 65519.0, 65520.0, 2.0**-25, 3 * 2.0**-25]])
    with np.errstate(all="ignore"):
        for name, dtype in (("F16", np.float16), ("F32", np.float32)):
            assert same(rounded(wide, name), wide.astype(dtype)), name
        # BF16 and TF32 by integers: of F32's 24 bits, 16 and 13 are rounded off to nearest even.
        single = wide.astype(np.float32)
        for name, off in (("BF16", 16), ("TF32", 13)):
            words = single.view(np.uint32).astype(np.uint64)
            kept = (words + (1 << off - 1) - 1 + (words >> off & 1)) >> off << off
            expected = kept.astype(np.uint32).view(np.float32)
            assert same(rounded(single.astype(np.float64), name), np.where(np.isfinite(single), expected, single)), name
    assert np.isnan(rounded(np.array([np.nan]), "F16")[0])


@pytest.mark.parametrize(("name", "great"), [("F16", 2048), ("TF32", 2048), ("BF16", 256)])
def test_a_narrow_accumulator_stands_still(name: str, great: int) -> None:
    """A 1 behind 2^p is half a step, and ties to even: the chain from the left loses each one."""
    x = np.float32([[great, 1, 1, 1], [1, 1, 1, great]])
    assert same(defects("reduce.sum", x=x)[f"{name} accumulator"], [great, great + 4])
    assert same(defects("reduce.mean", x=x)[f"{name} accumulator"], [great / 4, (great + 4) / 4])
    found = defects("scatter.add", x=x.reshape(-1), index=np.repeat([0, 1], 4), init=np.zeros(2, np.float32))
    assert same(found[f"{name} accumulator"], [great, great + 4])
    found = defects("scan.inclusive", x=x)
    assert same(found[f"{name} accumulator"], [[great] * 4, [1, 2, 3, great + 4]])
    found = defects("gemm", a=x, b=np.ones((4, 1), np.float32), c=np.float32([[5]]), out_dtype=np.float32)
    assert same(found[f"{name} accumulator"][0], [[great + 5], [great + 9]])


@pytest.mark.parametrize("name", ["F16", "BF16", "TF32"])
def test_inputs_are_rounded_before_they_are_multiplied(name: str) -> None:
    a, b = np.float32([[1 + 2.0**-13, 1]]), np.float32([[1], [1 + 2.0**-14]])
    assert same(defects("gemm", a=a, b=b)[f"{name} inputs"], [[[2]]])
    done = negzero.sensitivity("gemm", a=a.astype(np.float16), b=b.astype(np.float16), out_dtype=np.float32)
    assert row(done, "TF32 inputs").why == "changes nothing"
    done = negzero.sensitivity("convert", x=np.float16([65504]), out_dtype=np.float32)
    assert row(done, "BF16 inputs").why == "does not apply: some BF16 number is beyond the format of x"


# What is said of them


def test_zeros_pass_a_tolerance_above_the_largest_result() -> None:
    random = np.random.default_rng(0)
    a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((16, 64), (64, 8)))
    a, b = a * np.float16(2.0**-6), b * np.float16(2.0**-5)
    done = negzero.sensitivity("gemm", a=a, b=b, out_dtype=np.float32, atol=0.05, rtol=0)
    assert done.largest < 0.05 and "all zeros" in done.passing and "last term dropped" in done.passing
    zeros = row(done, "all zeros")
    assert zeros.passes and zeros.changed == zeros.refused == 128 and zeros.refused_cases == 1
    line = next(line for line in done.text.splitlines() if line.startswith("all zeros "))
    assert line.split() == ["all", "zeros", "128", "elements", "refuse", "128", "elements", "PASSES"]
    assert "all zeros" not in negzero.sensitivity("gemm", a=a, b=b, out_dtype=np.float32, atol=1e-4, rtol=0).passing


def test_without_a_tolerance_nothing_passes_and_nothing_is_refused_by_one() -> None:
    done = negzero.sensitivity("reduce.sum", x=small((3, 4), np.float32))
    assert done.passing == () and all(each.close_cases is None for each in done.rows)
    assert "PASSES" not in done.text and "refuses" not in done.text and "allclose" not in done.text


def test_what_changes_no_bit_is_no_pass() -> None:
    x = np.zeros((2, 3), np.float32)
    done = negzero.sensitivity("reduce.sum", x=x, contract={"zero_sign": "ieee"}, atol=1.0)
    for name in ("all zeros", "last term dropped", "F16 accumulator", "NaN turned into 0"):
        each = row(done, name)
        assert each.why == "changes nothing" and each.cases == each.changed == each.refused == 0
        assert not each.passes and name not in done.passing and name not in done.permitted
    assert row(negzero.sensitivity("reduce.max", x=x, atol=1.0), "F16 accumulator").why.startswith("does not apply: ")
    assert row(negzero.sensitivity("reduce.max", x=x[:1]), "row of its neighbour").why == (
        "does not apply: there is one row"
    )
    assert row(negzero.sensitivity("convert", x=x, out_dtype=np.float16), "term doubled").why.startswith("does not")
    done = negzero.sensitivity("reduce.sum", x=np.zeros((2, 0), np.float32))
    assert row(done, "last term dropped").why == "does not apply: there are no terms"


def test_what_the_sets_permit_is_told() -> None:
    x = np.float32(np.random.default_rng(0).standard_normal((4, 500)))
    x[:, -1] = 1e-7
    done = negzero.sensitivity("reduce.sum", x=x, contract="f32", atol=1e-9, rtol=0)
    assert row(done, "last term dropped").why == "changes nothing" or "last term dropped" in done.permitted
    x[:, -1] = 1e-5
    done = negzero.sensitivity("reduce.sum", x=x, contract="f32")
    each = row(done, "last term dropped")
    assert each.cases == 1 and each.refused == 0 and done.permitted == ("last term dropped",), done.text
    assert "last term dropped           4 elements  permit it" in done.text
    exact = negzero.sensitivity("reduce.sum", x=small((4, 500), np.float32, 1, 1, 3))
    assert row(exact, "last term dropped").refused == 4 and exact.permitted == ()


def test_the_tolerance_is_numpys() -> None:
    x = np.float32([[1e3, 0.125], [np.nan, 1], [np.inf, 1], [1, 2**-20]])

    def passes(**options: float) -> bool:
        return "last term dropped" in negzero.sensitivity("reduce.sum", x=x[[0, 1, 2]], **options).passing

    assert passes(atol=0.125, rtol=0) and not passes(atol=0.1249, rtol=0)
    assert passes(rtol=0.125 / 1000, atol=1e-6) and not passes(rtol=1e-4, atol=0)
    assert not passes(atol=0.1149) and passes(atol=0.115)  # 1e-05 for rtol, of 1000.125
    assert not passes(rtol=0)  # 1e-08 for atol
    done = negzero.sensitivity("reduce.sum", x=x, atol=1.0)
    assert (done.atol, done.rtol) == (1.0, 1e-05) and "allclose(rtol=1e-05, atol=1)" in done.text
    assert {"NaN turned into 0", "infinity turned finite"}.isdisjoint(done.passing)


@pytest.mark.parametrize(
    "contract", [None, "f32", "blas", {"order": "ascending", "wider": False}, {"zero_sign": "ieee"}]
)
def test_the_sets_refuse_what_the_library_refuses(contract: Any) -> None:
    """Each defect of drawn cases of every operation is judged by the library too."""
    judged = gaps = 0
    for operation in negzero.operations():
        for index in range(4):
            asked = {"operation": operation, "packed": True, "seed": 9, "index": index}
            extents = {"m": [0, 9], "n": [0, 9], "k": [0, 40], "columns": [0, 40], "updates": [0, 60]}
            named = {name: extents[name] for name in _extents(operation) if name in extents}
            option = contract_options(negzero.Case(operation, b"", {}), contract)
            contents = contents_of(_library.draw({**asked, "extents": named}), option)
            with np.errstate(all="ignore"):
                sets = sets_of(contents)
                right = plausible(contents, sets)
                every = [("right", right)]
                every += [(each.name, each.outputs) for each in mutants(contents, sets, right) if each.outputs]
                gaps += any(each.has_gaps.any() for each in sets.values())
                for name, outputs in every:
                    options = {**option, "elements": "all", "worst": 0}
                    report = _library.judge(contents.data(), _safetensors.write(outputs, {}), options)
                    if report["verdict"] != "undecided":
                        assert refused(contents, sets, outputs) == report["failing"], (operation, index, name)
                        assert report["failing"] == 0 or name != "right", (operation, index)
                        judged += 1
    assert judged > 500


def _extents(operation: str) -> "list[str]":
    return next(each["extents"] for each in _library.listing()["operations"] if each["name"] == operation)


def test_every_operation_has_terms() -> None:
    for operation in negzero.operations():
        terms = terms_of(operation)
        assert (terms.combine == "") == (operation == "convert") == (terms.extent == "")
        assert terms.reach == {"scan.inclusive": "<=", "scan.exclusive": "<"}.get(operation, "")
    gemm = terms_of("gemm")
    assert [each.name for each in gemm.factors] == ["a", "b"] and gemm.extent == "k" and gemm.scalar == "alpha"
    assert gemm.addend is not None and gemm.addend[0] == "beta" and gemm.addend[1].name == "c"


# Where cases come from


def test_a_function_and_a_case_are_as_good_as_an_operation() -> None:
    x = np.random.default_rng(2).standard_normal((4, 9)).astype(np.float32)
    named = negzero.sensitivity("reduce.sum", x=x, contract="f32", atol=0.1)
    assert negzero.sensitivity(negzero.case("reduce.sum", x=x, contract="f32"), atol=0.1).rows == named.rows
    assert negzero.sensitivity(np.sum, x, axis=1, contract="f32", atol=0.1).rows == named.rows
    torch = framework("torch")
    assert negzero.sensitivity(torch.sum, torch.tensor(x), dim=1, contract="f32", atol=0.1).rows == named.rows


def test_cases_are_drawn_and_summed_up() -> None:
    asked = {"formats": ("F16", np.float16, "F32"), "atol": 0.01}
    done = negzero.sensitivity("gemm", **asked)  # type: ignore[arg-type]
    assert done.cases + done.undecided + done.empty == 20 and done.cases > 10
    few: "dict[str, Any]" = {**asked, "cases": 5}
    first, again, other = (negzero.sensitivity("gemm", seed=seed, **few) for seed in (3, 3, 2))
    assert first == again and first != other
    zeros, step = row(done, "all zeros"), row(done, "one step too high")
    assert 0 < zeros.cases <= done.cases and zeros.changed > zeros.cases and zeros.refused_cases <= zeros.cases
    assert step.refused == step.changed == step.cases == step.refused_cases
    assert zeros.close_cases is not None and 0 <= zeros.close_cases < zeros.cases
    assert f"refuse {zeros.refused_cases} of {zeros.cases} cases" in done.text
    assert done.text.startswith(f"gemm: {done.cases} cases, {done.elements:,} elements, ")
    first, both = (negzero.sensitivity("reduce.sum", cases=count, contract="f32") for count in (1, 2))
    assert both.elements > first.elements and row(both, "one step too high").cases == 2


@pytest.mark.parametrize(
    ("kind", "says", "arguments", "options"),
    [
        (ValueError, "operation: 'gem' is none", ("gem",), {}),
        (TypeError, "operation: a list", ([],), {}),
        (
            TypeError,
            "numpy.sum: cases are drawn of operations alone; give its arguments, or 'reduce.sum'",
            (np.sum,),
            {},
        ),
        (TypeError, "torch.mm: cases are drawn of operations alone", ("torch.mm",), {}),
        (ValueError, "atol = -1: give a finite number", ("reduce.sum",), {"atol": -1}),
        (ValueError, "rtol = nan: give a finite number", ("reduce.sum",), {"rtol": float("nan")}),
        (TypeError, "rtol: a str; give a number", ("reduce.sum",), {"rtol": "1e-3"}),
        (TypeError, "formats: of drawn cases alone", ("reduce.sum",), {"x": np.ones((2, 2)), "formats": ("F32",)}),
        (TypeError, "cases: of drawn cases alone", ("reduce.sum",), {"x": np.ones((2, 2)), "cases": 3}),
        (TypeError, "formats: a str; give a sequence", ("reduce.sum",), {"formats": "F32"}),
        (TypeError, "out_dtype: drawn cases have formats=", ("reduce.sum",), {"out_dtype": np.float32}),
        (ValueError, "cases = 0 is out of range", ("reduce.sum",), {"cases": 0}),
        (ValueError, "b is missing", ("gemm",), {"a": np.ones((2, 2))}),
        (ValueError, "nothing was tried: the outputs have no elements", ("reduce.sum",), {"x": np.ones((0, 2))}),
        (ValueError, "gemm: 67,108,864 products", ("gemm",), {"a": np.ones((256, 1024)), "b": np.ones((1024, 256))}),
        (ValueError, 'contract field "order"', ("reduce.sum",), {"contract": {"order": "up"}}),
        (ValueError, 'contract field "order"', ("reduce.sum",), {"contract": {"order": "up"}, "x": np.ones((2, 2))}),
    ],
)
def test_what_cannot_be_tried_is_an_error(kind: Any, says: str, arguments: Any, options: Any) -> None:
    with pytest.raises(kind) as caught:
        negzero.sensitivity(*arguments, **options)
    assert type(caught.value) is kind and str(caught.value).startswith(says), caught.value
