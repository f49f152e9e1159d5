"""check(): what is found, how small it gets, what a function is given, and what is said of what was not looked at."""

from __future__ import annotations

import re

import negzero
import numpy as np
import pytest

from checks import found, in_order, inputs_of, last_first, right, right_out


# What passes


def test_a_right_function_passes_and_says_what_was_looked_at():
    checked = negzero.check(right_out, "gemm")
    assert checked.passed + checked.undecided == 300
    assert checked.passed > 280
    assert checked.launches >= 300
    assert checked.unchecked == ()
    assert "right_out: gemm: " in checked.text and "seed 1" in checked.text
    returned = negzero.check(right, "gemm", cases=50)
    assert "writes beside the output and elements that are not written" in returned.text


@pytest.mark.parametrize(
    "operation, fn, options",
    [
        ("reduce.sum", lambda x: x.sum(-1), {}),
        ("reduce.sum", lambda x, y: np.sum(x, -1, out=y), {"formats": ("F64", "F64"), "contract": "f64"}),
        ("reduce.argmax", lambda x: np.where(x != x, -np.inf, x).argmax(-1).astype(np.int32),
         {"limits": {"columns": (1, 64)}, "finite": True}),
        ("reduce.sum_middle", lambda x: x.sum(1), {}),
        ("reduce.sum_batch", lambda x: x.sum(0), {}),
        ("reduce.sum_batch", lambda x, y: np.sum(x, 0, out=y), {"limits": {"batch": (1, 5)}}),
        ("reduce.max_middle", lambda x: x.max(1, initial=-np.inf), {"contract": {"zero_sign": "any"}}),
        ("scan.inclusive", lambda x: np.cumsum(x, -1, dtype=np.float32), {}),
        ("convert", lambda x: x.astype(np.float16), {"formats": ("F32", "F16")}),
    ],
)  # fmt: skip
def test_right_functions_of_other_operations_pass(operation, fn, options):
    assert negzero.check(fn, operation, **options).passed > 100


def test_a_sum_over_another_dimension_is_found():
    square = {"limits": {"outer": (3, 3), "inner": (3, 3), "columns": (3, 3)}}
    assert found(lambda x: x.sum(0), "reduce.sum_middle", **square).report["class"] == "wrong_value"


def test_scatters_take_initial_values_or_the_output_that_holds_them():
    def returns(x, index, init):
        out = init.copy()
        np.add.at(out, index, x)
        return out

    def writes(x, index, out):
        np.add.at(out, index, x)

    def changes(x, index, init):
        np.add.at(init, index, x)
        return init

    assert negzero.check(returns, "scatter.add").passed > 200
    assert negzero.check(writes, "scatter.add").passed > 200
    assert "init, of which the function was given a copy, was changed" in str(found(changes, "scatter.add"))


def test_a_function_gets_c_and_indices_in_the_formats_that_are_named():
    def narrow(a, b, c, of=np.float32):
        assert (a.dtype, c.dtype) == (np.float16, np.float32)
        return (in_order(a.astype(np.float32), b.astype(np.float32)) + c.astype(of)).astype(np.float16)

    # One chain on the host: no tensor core adds it, whose results take long to enumerate.
    options = {"formats": ("F16", "F16", "F16", "F32"), "contract": {"tensor_core": "no"}}
    assert negzero.check(narrow, "gemm", **options).passed > 200
    example = found(lambda a, b, c: narrow(a, b, c, np.float16), **options)
    assert example.report["class"] == "wrong_value" and "(F16, F16, c F32 -> F16)" in str(example)
    assert inputs_of(example.case)["c"].dtype == np.float32

    def adds(x, index, out):
        assert index.dtype == np.int64
        np.add.at(out, index, x)

    assert negzero.check(adds, "scatter.add", formats=("F32", "I64")).passed > 200
    assert "AssertionError" in str(found(adds, "scatter.add"))

    def grouped(a, b, rows, d):
        assert rows.dtype == np.int64
        for group, count in enumerate(rows):
            d[group, :count] = in_order(a[group, :count], b[group])

    assert negzero.check(grouped, "gemm.grouped", formats=("F32", "F32", "F32", "I64")).passed > 200


def test_places_are_written_or_given_in_the_format_that_is_named():
    def place(x):
        return np.where(np.isnan(x).any(-1, keepdims=True), np.isnan(x), x == x.max(-1, keepdims=True)).argmax(-1)

    def writes(x, y):
        assert y.dtype == np.int64
        y[...] = place(x)

    options = {"limits": {"columns": (1, 40)}, "contract": {"zero_sign": "any"}, "formats": ("F32", "I64")}
    for fn in (place, lambda x: place(x).astype(np.int32), writes):
        assert negzero.check(fn, "reduce.argmax", **options).passed > 200
    lost = found(lambda x: place(x) + 2**32, "reduce.argmax", **options)
    assert lost.report["class"] == "wrong_value" and "4294967296" in lost.report["observed"]
    options["formats"] = ("F32", "I32")
    assert "beyond int32" in str(found(lambda x: place(x) + 2**32, "reduce.argmax", **options))


def test_naming_a_usual_format_changes_nothing():
    seen = []

    def right_and_seen(a, b, c):
        seen.append((a.tobytes(), b.tobytes(), c.tobytes()))
        return in_order(a, b) + c

    for formats in (None, ("F32", "F32", "F32"), ("F32", "F32", "F32", "F32"), (np.float32, "float32", "F32", "F32")):
        negzero.check(right_and_seen, "gemm", formats=formats, cases=30)
    assert len(seen) % 4 == 0 and seen == seen[: len(seen) // 4] * 4


def test_several_outputs_are_a_tuple_a_dict_or_two_parameters():
    def both(x):
        best = np.where(np.isnan(x).any(-1, keepdims=True), np.isnan(x), x == x.max(-1, keepdims=True)).argmax(-1)
        return x[np.arange(len(x)), best], best.astype(np.int32)

    options = {"limits": {"columns": (1, 40)}, "contract": {"zero_sign": "any"}}
    assert negzero.check(both, "reduce.max_index", **options).passed > 200
    assert negzero.check(lambda x: dict(zip(("y", "at"), both(x))), "reduce.max_index", **options).passed > 200

    def writes(x, y, at):
        y[...], at[...] = both(x)

    assert negzero.check(writes, "reduce.max_index", **options).passed > 200
    assert "take" in str(found(lambda x: x.max(-1), "reduce.max_index", **options))


# What is found


def test_a_dropped_term_is_shrunk_to_the_least_case():
    def drops(a, b):
        a = a.copy()
        a[:, 8:] = 0
        return a @ b

    example = found(drops)
    assert example.report["class"] == "wrong_value"
    tensors = inputs_of(example.case)
    assert tensors["a"].shape == (1, 1, 9) and tensors["b"].shape == (1, 9, 1)
    assert (tensors["a"] != 0).sum() == (tensors["b"] != 0).sum() == 1
    assert example.case.contract  # the file says what it was held to
    assert "8 of 8 runs of this case fail" in str(example)
    assert "drops(a=a, b=b)" in str(example) and "import numpy as np" in str(example)


def test_an_operand_that_the_function_does_not_take_is_not_shown():
    def without(a, b):
        return np.zeros((len(a), b.shape[1]), np.float32)

    def with_it(a, b, c, beta):
        return np.zeros(c.shape, np.float32)

    text = str(found(without))
    assert "\n             a F32" in text and "\n             c F32" not in text and "layout of c" not in text
    assert "\n             c F32" in str(found(with_it))


def test_writes_beside_the_output_and_to_inputs_are_findings():
    def beside(a, b, d):
        d[...] = a @ b
        if d.size:
            np.lib.stride_tricks.as_strided(d, (d.shape[0] + 1, d.shape[1]), d.strides)[-1, -1] = 3

    def to_input(a, b):
        result = a @ b
        a[:1] = 7
        return result

    assert found(beside, limits={"output": "packed"}).report["rule"] == "run.guard"
    assert "a write to input a" in found(to_input).report["message"]


def test_unwritten_elements_are_a_finding():
    def forgets(a, b, d):
        d[:-1] = (a @ b)[:-1]

    assert found(forgets).report["class"] == "unwritten_output"


def test_exceptions_are_findings_and_their_cause_is_kept():
    def raises(a, b):
        if a.shape[1] == 17:
            raise ValueError("seventeen")
        return a @ b

    example = found(raises)
    assert example.report["rule"] == "run.raised"
    assert example.report["message"].startswith("ValueError: seventeen (test_check.py:")
    assert isinstance(example.__cause__, ValueError)
    assert inputs_of(example.case)["a"].shape[1:] == (0, 17)


def test_a_refusal_is_a_finding_of_its_own_class():
    def refuses(a, b):
        if a.shape[1] == 17:
            raise negzero.Refused("no tile for 17")
        return a @ b

    example = found(refuses)
    assert (example.report["class"], example.report["rule"]) == ("refused_legal_request", "run.refused")
    assert example.report["message"].startswith("Refused: no tile for 17 (test_check.py:")
    assert isinstance(example.__cause__, negzero.Refused)
    assert inputs_of(example.case)["a"].shape[1:] == (0, 17)


@pytest.mark.parametrize("error", [MemoryError(), SystemExit(0), RecursionError("deep")])
def test_errors_that_look_like_an_end_are_findings(error):
    def raises(a, b):
        raise error

    assert found(raises).report["message"].startswith(type(error).__name__)


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda a, b: (a @ b).astype(np.float64), "returned d in float64, and the formats make it float32"),
        (lambda a, b: (a @ b)[None], "returned d of shape (1, "),
        (lambda a, b: None, "returned None"),
        (lambda a, b: "text", "has no floating-point format"),
        (lambda a, b: (a @ b, a), "fn's result d"),
    ],
)
def test_results_that_are_none_are_findings(wrong, says):
    assert says in found(wrong).report["message"]


def test_a_second_run_is_compared_where_determinism_is_claimed():
    calls = []

    def varies(a, b):
        calls.append(1)
        return (in_order if len(calls) % 2 else last_first)(a, b)

    limits = {"k": (2, 8), "m": (1, 4), "n": (1, 4)}
    negzero.check(varies, "gemm", limits=limits)
    example = found(varies, limits=limits, claims="deterministic")
    assert example.report["class"] == "not_deterministic"
    assert '"determinism":"run_to_run"' in example.case.contract.replace(" ", "")


# What a function is given


def test_a_batch_is_there_only_where_limits_name_it():
    shapes = set()

    def flat(a, b):
        shapes.add((a.ndim, b.ndim))
        return a @ b

    negzero.check(flat, "gemm", cases=20)
    assert shapes == {(2, 2)}
    shapes.clear()
    negzero.check(flat, "gemm", cases=20, limits={"batch": (1, 4)})
    assert shapes == {(3, 3)}


def test_scalars_are_floats_with_the_bits_of_the_case_and_vary_only_where_they_are_named():
    seen = set()

    def scaled(a, b, c, alpha, beta):
        assert type(alpha) is float and np.float32(alpha) == alpha or alpha != alpha
        seen.add((alpha, beta))
        result = np.zeros((a.shape[0], b.shape[1]), np.float32)
        if alpha != 0 and a.shape[1]:
            result = np.float32(alpha) * (a @ b)
        return result if beta == 0 else result + np.float32(beta) * c

    negzero.check(scaled, "gemm", contract={"contraction": "either"}, limits={"alpha": "zero_or_one"})
    assert {alpha for alpha, _ in seen} <= {0.0, 1.0} and len({beta for _, beta in seen}) > 3

    def only_c(a, b, c):
        return a @ b + c

    negzero.check(only_c, "gemm")


def test_inputs_have_the_strides_of_the_case():
    seen = []

    def looks(a, b):
        seen.append(a.flags.c_contiguous and b.flags.c_contiguous)
        return a @ b

    negzero.check(looks, "gemm")
    assert not all(seen) and any(seen)
    seen.clear()
    negzero.check(looks, "gemm", limits={"inputs": "packed"})
    assert all(seen)


def test_memory_beside_the_elements_is_poison():
    def reads_beside(x):
        wide = np.lib.stride_tricks.as_strided(x, (x.shape[0], x.shape[1] + 1), x.strides)
        return wide.sum(-1, dtype=np.float32)

    assert found(reads_beside, "reduce.sum").report["class"] in ("wrong_value", "wrong_special_value")  # NaN or large


def test_limits_of_single_tensors_and_of_extents_together_are_kept():
    seen = []

    def looks(a, b, d):
        seen.append((a.shape, b.shape))
        for name, array in (("a", a), ("d", d)):
            columns = array[0]
            assert min(columns.shape) < 2 or columns.strides[0] == array.itemsize, f"{name} is not column-major"
        assert b.shape[0] < 2 or b.strides[0] == 0
        assert a.__array_interface__["data"][0] % 64 == 0
        d[...] = a @ b

    limits = {
        "batch": (1, 3), "a": {"order": "column_major", "alignment": 64}, "d": "column_major",
        "b": {"shared": ["batch"]}, "k": {"greatest": 16, "power_of_two": True}, "equal": ("m", "n"),
        "products": {("m", "n", "k"): 500},
    }  # fmt: skip
    negzero.check(looks, "gemm", limits=limits)
    assert any(a[0] > 1 for a, _ in seen)
    tied = []
    related = {"m": (1, 9), "n": (1, 99), "relations": ["k <= m", "n = 2 * k + m"]}
    negzero.check(lambda a, b: (tied.append((*a.shape, b.shape[1])), a @ b)[1], "gemm", limits=related)
    assert len(set(tied)) > 20 and all(k <= m and n == 2 * k + m for m, k, n in tied)
    for (_, m, k), (_, _, n) in seen:
        assert m == n and k in (1, 2, 4, 8, 16) and m * n * k <= 500

    def odd(a, b):
        return np.full((a.shape[0], b.shape[1]), 7.0 if a.shape[1] >= 4 else 0.0, np.float32)

    del limits["batch"]
    example = found(odd, limits={**limits, "m": (2, 64), "k": {"least": 4, "power_of_two": True}})
    assert example.case.described["extents"] == {"batch": 1, "m": 2, "n": 2, "k": 4}


def test_limits_are_kept_by_the_search_and_by_the_shrinker():
    def odd(a, b):
        assert 4 <= a.shape[0] <= 64 and a.shape[0] % 4 == 0 and b.shape[1] == 8
        return np.zeros((a.shape[0], b.shape[1]), np.float32)

    example = found(odd, limits={"m": (4, 64, 4), "n": 8})
    assert inputs_of(example.case)["a"].shape[1] == 4


def test_arrays_that_a_function_keeps_can_be_read_later():
    kept = []

    def keeps(a, b):
        kept.append(a)
        return a @ b

    negzero.check(keeps, "gemm", limits={"m": (0, 300), "k": (0, 300)}, cases=100)
    assert all(np.isfinite(each.astype(np.float64)).sum() >= 0 for each in kept)


# What is no pass


def test_nothing_decided_is_no_pass():
    with pytest.raises(negzero.NothingDecided, match="have no element of output"):
        negzero.check(right, "gemm", limits={"m": 0})
    with pytest.raises(negzero.NothingDecided, match="no case met what"):
        negzero.check(lambda x: x.astype(np.float16), "convert", formats=("F32", "F16"), claims="nan_stays_in_its_row")


def test_an_interrupt_goes_on_and_leaves_the_case(capsys):
    def waits(a, b):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        negzero.check(waits, "gemm")
    assert "interrupted inside" in capsys.readouterr().err
    case = negzero.last_case()
    assert case is not None and case.operation == "gemm" and case.contract


def test_an_interrupt_while_shrinking_saves_what_there_is(capsys):
    calls = []

    def interrupted(a, b):
        calls.append(1)
        if len(calls) > 20:
            raise KeyboardInterrupt
        return np.zeros((a.shape[0], b.shape[1]), np.float32)

    with pytest.raises(KeyboardInterrupt):
        negzero.check(interrupted, "gemm")
    assert "interrupted while shrinking; the case so far is" in capsys.readouterr().err


# What is wrong with arguments


@pytest.mark.parametrize(
    "error, says, options",
    [
        (TypeError, "takes w, which is nothing of gemm", {"fn": lambda a, w: a}),
        (TypeError, "does not take b", {"fn": lambda a: a}),
        (TypeError, "takes beta and not c", {"fn": lambda a, b, beta: a}),
        (TypeError, "cannot be called", {"fn": 3}),
        (ValueError, "operation: 'gem' is none", {"operation": "gem"}),
        (ValueError, "'z' is nothing of gemm", {"limits": {"z": 3}}),
        (TypeError, "k is 'x'", {"limits": {"k": "x"}}),
        (ValueError, "inputs is 'packet'", {"limits": {"inputs": "packet"}}),
        (ValueError, "fn does not take alpha", {"limits": {"alpha": "one"}}),
        (ValueError, "k is", {"limits": {"k": (5, 2)}}),
        (ValueError, "k says 'most'", {"limits": {"k": {"most": 3}}}),
        (ValueError, "the order of b is 'columns'", {"limits": {"b": {"order": "columns"}}}),
        (ValueError, "b is 'columns'", {"limits": {"b": "columns"}}),
        (ValueError, "b says 'aligned'", {"limits": {"b": {"aligned": 3}}}),
        (TypeError, "b has shared='batch'", {"limits": {"b": {"shared": "batch"}}}),
        (ValueError, "b has no extent m", {"limits": {"b": {"shared": ["m"]}}}),
        (ValueError, "alignment 12 of a", {"limits": {"a": {"alignment": 12}}}),
        (ValueError, "no power of two of k", {"limits": {"k": {"least": 5, "greatest": 7, "power_of_two": True}}}),
        (ValueError, "products has 'rows'", {"limits": {"products": {("m", "rows"): 5}}}),
        (ValueError, "at most -1", {"limits": {"products": {("m", "n"): -1}}}),
        (TypeError, "products is 5", {"limits": {"products": 5}}),
        (TypeError, "equal is 'm'", {"limits": {"equal": "m"}}),
        (ValueError, "equal has 'l'", {"limits": {"equal": ("m", "l")}}),
        (TypeError, "relations is 3", {"limits": {"relations": 3}}),
        (ValueError, "'k <= q', column 6: gemm has no extent q", {"limits": {"relations": ["k <= q"]}}),
        (ValueError, "'k <=', column 5: expected a number", {"limits": {"relations": "k <="}}),
        (ValueError, "no value of m = n", {"limits": {"m": 3, "n": 4, "equal": ("m", "n")}}),
        (TypeError, "'F17' is no dtype", {"formats": ("F16", "F17", "F32")}),
        (ValueError, "F16, F32 are 2, and gemm has a, b, d[, c]; give at least", {"formats": ("F16", "F32")}),
        (ValueError, "gemm has a, b, d[, c]; give", {"formats": ("F16", "F16", "F32", "F32", "F32")}),
        (ValueError, "c has format I64", {"formats": ("F32", "F32", "F32", "I64")}),
        (ValueError, "a has format I64", {"formats": ("I64", "I64", "I64")}),
        (ValueError, "claims: 'fast' is none", {"claims": "fast"}),
        (TypeError, "claims: a int", {"claims": 3}),
        (ValueError, "no such preset", {"contract": "f33"}),
        (ValueError, "arrays: 'tf' is none", {"arrays": "tf"}),
        (ValueError, "device: 'cuda' is none of numpy", {"device": "cuda"}),
        (ValueError, "cases = 0", {"cases": 0}),
        (TypeError, "seed: a float", {"seed": 1.5}),
        (ValueError, "shapes = -1", {"shapes": -1}),
    ],
)
def test_wrong_arguments_are_named_with_a_cure(error, says, options):
    options = {"fn": right, "operation": "gemm", **options}
    with pytest.raises(error) as caught:
        negzero.check(options.pop("fn"), options.pop("operation"), **options)
    assert says in str(caught.value)


def test_functions_without_a_signature_are_named_with_a_cure():
    with pytest.raises(TypeError, match=r"wrap it: lambda a, b: max\(a, b\)"):
        negzero.check(max, "gemm")


def test_a_folder_that_cannot_be_written_changes_no_verdict(tmp_path, capsys):
    (tmp_path / "file").write_text("")

    def fn(a, b):
        return np.zeros((a.shape[0], b.shape[1]), np.float32)

    with pytest.warns(UserWarning, match="the case in flight is not kept"):
        example = found(fn, save_to=tmp_path / "file")
    assert example.path == ""
    assert "the case cannot be saved" in capsys.readouterr().err


# What is drawn


def test_empty_extents_are_drawn_by_default():
    seen: "dict[str, int]" = {}

    def count(**sizes):
        for name, size in sizes.items():
            seen[name] = seen.get(name, 0) + (size == 0)

    def gemm(a, b):
        count(k=a.shape[1])
        return a @ b

    def rows(x):
        count(columns=x.shape[1])
        return x.sum(1)

    def grouped(a, b, rows):
        count(groups_of_no_rows=int(not len(rows) or rows.min()))
        d = np.zeros((a.shape[0], a.shape[1], b.shape[2]), np.float32)
        for g, count_of in enumerate(rows):
            d[g, :count_of] = a[g, :count_of] @ b[g]
        return d

    negzero.check(gemm, "gemm")
    negzero.check(rows, "reduce.sum")
    negzero.check(grouped, "gemm.grouped")
    assert seen["k"] >= 5 and seen["columns"] >= 5 and seen["groups_of_no_rows"] >= 20, seen


def test_the_number_of_rows_that_matters_is_named():
    def splits(a, b):
        total = in_order(a, b)
        return total if a.shape[0] < 100 else -in_order(-a[:, ::-1], b[::-1])

    limits = {"m": (1, 8), "k": (4, 64), "n": (1, 8)}
    negzero.check(splits, "gemm", limits=limits)
    example = found(splits, limits={"k": (4, 64), "n": (1, 8), "m": (1, 4096)}, claims="batch_invariant", finite=True)
    assert example.report["claim"] == "other_rows"
    assert re.search(r"row \d+ of (128|257|1024) against row \d+ ", example.report["message"]), example.report[
        "message"
    ]


def updates_c(a, b, c, alpha, beta):
    c[...] = (beta * c if beta else np.zeros_like(c)) + (alpha * (a @ b) if alpha and a.shape[1] else 0)


def writes_d(a, b, c, d):
    d[...] = a @ b + c


def loses_c(a, b, c, d):
    d[...] = 0  # c lies there
    d += a @ b
    d += c


def test_an_input_lies_in_the_output_where_the_limits_say_so():
    options = {"limits": {"in_place": "c"}, "finite": True, "cases": 300, "contract": {"accumulate": "F32"}}
    for kernel in (updates_c, writes_d):
        negzero.check(kernel, "gemm", **options)
    with pytest.raises(negzero.Counterexample) as caught:
        negzero.check(loses_c, "gemm", save_to=None, **options)
    assert "c F32[1, 1, 1] (in the memory of d)" in str(caught.value)
    assert negzero.check(loses_c, "gemm", finite=True, cases=300, contract={"accumulate": "F32"}), "apart it is right"


@pytest.mark.parametrize(
    "operation, limit, message",
    [
        ("gemm", "a", "limits: a is no input of gemm that may lie in the output's memory; those are: c"),
        ("gemm", {"input": "c", "alway": True}, "limits: in_place says 'alway'; give some of input, always"),
        ("reduce.sum", "x", "x is no input of reduce.sum that may lie in the output's memory; none may"),
    ],
)
def test_an_input_that_cannot_lie_in_the_output_is_an_error(operation, limit, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        negzero.check(writes_d if operation == "gemm" else (lambda x: x.sum(-1)), operation, limits={"in_place": limit})
