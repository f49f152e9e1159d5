"""check() of operations that a line of the caller's declares: watched, held to claims, and to a reference."""

from __future__ import annotations

import json
import textwrap

import negzero
import numpy as np
import pytest

from checks import found, inputs_of
from workers import module, needs_program, run

SOFTMAX = "softmax: y[rows, columns] <- x[rows, columns] each rows"
NORM = "norm: y[rows, columns], mean[rows] <- x[rows, columns], weight[columns], epsilon each rows"
TOP = "top: values[rows, k], at[rows, k] < columns <- x[rows, columns]"
SEGMENTS = "segments: y[segments] <- x[elements], ends[segments] <= elements ascending"


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True, initial=-np.inf))
    return e / e.sum(axis=1, keepdims=True)


def softmax_and_scale(x):
    below = x - x.max(axis=1, keepdims=True, initial=-np.inf)
    y = np.exp(below) / np.exp(below).sum(axis=1, keepdims=True)
    return y, np.where(y == 0, 0, y * (np.abs(below) + x.shape[1] + 16))


ERROR = {"ulps": 1, "relative": 2.0**-23}


def test_a_right_function_is_within_the_declared_error():
    checked = negzero.check(softmax, SOFTMAX, reference=softmax_and_scale, error=ERROR)
    assert checked.passed > 250 and checked.not_judged == 0
    assert "cases within the declared error" in checked.text
    assert "of y_scale of softmax_and_scale" in checked.text
    assert "permitted" not in checked.text


def test_values_that_are_wrong_are_found_and_shrunk():
    def naive(x):
        return np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)

    wrong = found(naive, SOFTMAX, reference=softmax_and_scale, error=ERROR)
    assert wrong.report["rule"].startswith("reference.")
    assert "the reference softmax_and_scale" in str(wrong) and "declared   within 1 ulp" in str(wrong)
    assert wrong.case.described["extents"]["rows"] == 1
    one_off = found(lambda x: np.nextafter(softmax(x), np.float32(2)), SOFTMAX, reference=softmax, error=0)
    assert one_off.report["class"] == "wrong_value"


def test_without_a_reference_values_are_not_judged_and_that_is_no_pass():
    with pytest.raises(negzero.NothingDecided, match="300 cases ran clean, and their values were not judged"):
        negzero.check(softmax, SOFTMAX)
    checked = negzero.check(lambda x: np.zeros_like(x), SOFTMAX, allow_not_judged=True)
    assert checked.passed == 0 and checked.not_judged == 300
    assert "their values not judged" in checked.text and "permitted" not in checked.text


def test_what_is_watched_is_found_without_a_reference():
    def writes_beside(x, y):
        y[...] = x
        if y.shape[0] > 1 and y.strides[0] > y.shape[1] * 4:
            np.lib.stride_tricks.as_strided(y, (y.shape[0], y.shape[1] + 1))[0, -1] = 0

    assert found(writes_beside, SOFTMAX).report["rule"] == "run.guard"
    assert found(lambda x: x.sum(5), SOFTMAX).report["rule"] == "run.raised"

    def unwritten(x, y):
        y[:-1] = x[:-1]

    assert found(unwritten, SOFTMAX).report["rule"] == "run.unwritten"


@pytest.mark.parametrize(
    "fn, claim, rule",
    [
        (lambda x: x + len(x), "batch_invariant", "meta."),
        (lambda x: x + 0 * x.sum(), "nan_stays_in_its_row", "meta.nan_row"),
        (lambda x: x + np.float32(x.strides[0] > 4 * x.shape[1]), "padding_does_not_matter", "meta."),
    ],
)
def test_what_is_claimed_is_found_without_a_reference(fn, claim, rule):
    wrong = found(fn, SOFTMAX, claims=claim)
    assert wrong.report["rule"].startswith(rule)


def test_several_outputs_scalars_and_their_limits():
    seen = []

    def norm(x, weight, epsilon, y, mean):
        seen.append(epsilon)
        mean[...] = x.mean(axis=1)
        y[...] = (x - mean[:, None]) * weight / np.sqrt(epsilon)

    checked = negzero.check(norm, NORM, allow_not_judged=True, limits={"epsilon": (1e-6, 0.5), "columns": (1, 64)})
    assert checked.not_judged > 0
    assert 1e-6 <= min(seen) < max(seen) <= 0.5

    def right(x, weight, epsilon):
        mean = x.mean(axis=1)
        return (x - mean[:, None]) * weight / np.sqrt(epsilon), mean

    limits = {"epsilon": 0.25, "columns": 1}
    checked = negzero.check(norm, NORM, reference=right, error={"y": "any", "mean": 0}, limits=limits)
    assert checked.passed > 0
    wrong = found(lambda x, weight, epsilon: (x, x.mean(axis=1) + 1), NORM, reference=right,
                  error={"y": "any", "mean": 1}, limits=limits)  # fmt: skip
    assert wrong.report["output"] == "mean"


def test_indices_stay_below_their_bound_and_in_any_width():
    def top(x, k=2):
        at = np.argsort(-x, axis=1, kind="stable")[:, :2]
        return np.take_along_axis(x, at, 1), at

    limits = {"k": 2, "columns": (2, 50)}
    checked = negzero.check(top, TOP, reference=lambda x: top(x), error=0, limits=limits, finite=True)
    assert checked.passed > 200
    wrong = found(lambda x: (x[:, :2], np.full((len(x), 2), x.shape[1])), TOP, limits=limits)
    assert wrong.report["rule"] == "declared.bound"


def test_ascending_counts_are_given_in_order():
    def sums(x, ends):
        assert (np.diff(ends) >= 0).all() and (len(ends) == 0 or 0 <= ends[-1] <= len(x))
        begins = np.concatenate([[0], ends[:-1]])
        return np.array([x[begin:end].sum(dtype=x.dtype) for begin, end in zip(begins, ends)], x.dtype)

    def scaled(x, ends):
        scale = len(x) * sums(np.abs(x), ends)
        # Where a partial sum may be too large for F32, nothing is said.
        return sums(x, ends), np.where(sums(np.abs(x), ends) < 2.0**127, scale, np.inf)

    assert negzero.check(sums, SEGMENTS, reference=scaled, error=1e-7, finite=True).passed > 200


def test_a_reference_that_fails_is_no_finding_and_no_pass():
    def raises(x):
        raise KeyError("no table")

    said = r"reference: .*raises failed on a case \(.*\), so nothing is known: KeyError"
    with pytest.raises(RuntimeError, match=said):
        negzero.check(softmax, SOFTMAX, reference=raises, error=1)
    with pytest.raises(RuntimeError, match="returned y of shape"):
        negzero.check(softmax, SOFTMAX, reference=lambda x: x.sum(1), error=1, limits={"rows": 3, "columns": 2})


def test_a_reference_without_its_scale_is_told_what_a_scale_is():
    said = r"must return \(y, y_scale\), as error= is relative to y_scale: .*; .*error=4, needs no scale"
    with pytest.raises(RuntimeError, match=said):
        negzero.check(softmax, SOFTMAX, reference=softmax, error=1e-6)
    with pytest.raises(RuntimeError, match=r"and softmax.reference gives y; return an array"):
        negzero.check(softmax, SOFTMAX, reference=lambda x: None, error=4)


def test_a_reference_that_takes_no_empty_arrays_is_told_so():
    def right(x):
        e = np.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    said = r'\(rows \d+, columns 0\), .*; columns is 0 here: .*limits=\{"columns": \{"least": 1\}\}'
    with pytest.raises(RuntimeError, match=said):
        negzero.check(softmax, SOFTMAX, reference=right, error=100)
    held = {"reference": right, "error": 10**6, "values": {"x": (-8, 8)}}
    assert negzero.check(softmax, SOFTMAX, limits={"columns": {"least": 1}}, **held).passed > 200

    def raises(x):
        raise KeyError("no table")

    with pytest.raises(RuntimeError) as raised:
        negzero.check(softmax, SOFTMAX, reference=raises, error=1, limits={"columns": 0})
    assert "is 0 here" not in str(raised.value), "of an error that empty arrays do not explain"


@pytest.mark.parametrize(
    "operation, options, said",
    [
        ("softmax", {}, "or a line that declares one"),
        ("softmax: y[n] = x[n]", {}, "only shipped operations have a definition"),
        ("softmax: y[n] <-- x[n]", {}, "expected a tensor or a scalar"),
        (SOFTMAX, {"reference": softmax}, "error: how far values may be"),
        (SOFTMAX, {"error": 1}, "error: of no reference"),
        (SOFTMAX, {"reference": softmax, "error": -1}, "-1 ulps"),
        (SOFTMAX, {"reference": softmax, "error": {"z": 1}}, "'z' is no output of softmax"),
        (SOFTMAX, {"reference": softmax, "error": {"y": {"ulp": 1}}}, "y has 'ulp'"),
        (SOFTMAX, {"reference": softmax, "error": 1, "specials": {"inf": 1}}, "'inf' is none"),
        (SOFTMAX, {"reference": lambda z: z, "error": 1}, "reference: <lambda> takes z"),
        (SOFTMAX, {"reference": softmax, "error": {"y": "any"}}, "every output may be anything"),
        (SOFTMAX, {"limits": {"epsilon": 1}}, "'epsilon' is nothing of softmax"),
        ("reduce.sum", {"reference": softmax, "error": 1}, "reduce.sum ships"),
    ],
)  # fmt: skip
def test_wrong_arguments_name_the_cure(operation, options, said):
    fn = (lambda x: x) if operation != "reduce.sum" else (lambda x: x.sum(-1))
    with pytest.raises((TypeError, ValueError), match=said):
        negzero.check(fn, operation, **options)
    with pytest.raises(TypeError, match="does not take epsilon"):
        negzero.check(lambda x, weight: x, NORM)


MODULE = f"""
import negzero, numpy as np

@negzero.kernel("{SOFTMAX}", name="my.softmax", reference="my.reference", error={{"ulps": 1, "relative": 2.0**-23}})
def mine(x):
    e = np.exp(x - x.max(axis=1, keepdims=True, initial=-np.inf))
    return e / e.sum(axis=1, keepdims=True)

@negzero.kernel("softmax.reference: y[rows, columns], y_scale[rows, columns] <- x[rows, columns]", name="my.reference",
                formats=("F64", "F64", "F64"))
def reference(x):
    below = x - x.max(axis=1, keepdims=True, initial=-np.inf)
    y = np.exp(below) / np.exp(below).sum(axis=1, keepdims=True)
    return y, np.where(y == 0, 0, y * (np.abs(below) + x.shape[1] + 16))

@negzero.kernel("{SOFTMAX}", name="my.wrong", reference="my.reference", error={{"ulps": 1, "relative": 2.0**-23}})
def wrong(x):
    return np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)

@negzero.kernel("{SOFTMAX}", name="my.unjudged")
def unjudged(x):
    return np.zeros_like(x)
"""
LOST = f"""
@negzero.kernel("{SOFTMAX}", name="my.lost", reference="nowhere", error=1)
def lost(x):
    return x

@negzero.kernel("{SOFTMAX}", name="my.own", reference="my.own", error=1)
def own(x):
    return x
"""

#: Shrinks for a moment only: the tests that run the program read no shrunk case.
BRIEFLY = ("--shrink-time", "200ms", "--json")


@needs_program
def test_a_kernel_whose_reference_is_none_is_left_out_and_the_others_run(tmp_path):
    there = module(tmp_path, textwrap.dedent(MODULE + LOST))
    done = run(tmp_path, "check", "my.*", "--kernels", there, "--cases", "10", *BRIEFLY)
    report = json.loads(done.out)
    said = "\n".join(report["errors"])
    assert "kernel 'my.lost': its reference 'nowhere' is no kernel here" in said
    assert "kernel 'my.own': it is its own reference" in said
    assert done.code == 1 and {"my.softmax", "my.wrong"} <= {each["name"] for each in report["kernels"]}
    assert run(tmp_path, "check", "my.softmax", "--kernels", there, "--cases", "20").code == 3
    assert run(tmp_path, "check", "my.lost", "--kernels", there).code == 3


@needs_program
def test_the_program_holds_kernels_of_a_module_to_their_reference(tmp_path):
    there = module(tmp_path, textwrap.dedent(MODULE))

    def ran(name, *words):
        to = tmp_path / "found"
        done = run(tmp_path, "check", name, "--kernels", there, "--cases", "30", "--save", to, *BRIEFLY, *words)
        return done.code, json.loads(done.out)

    code, report = ran("my.softmax")
    assert code == 0 and report["kernels"][0]["pass"] > 20
    code, report = ran("my.wrong")
    assert code == 1 and "reference" in report["kernels"][0]["findings"][0]["rule"]
    case = report["kernels"][0]["findings"][0]["case"]
    assert run(tmp_path, "replay", case, "--kernels", there).code == 1
    assert run(tmp_path, "replay", case, "--kernels", there, "--kernel", "my.softmax").code == 0
    code, report = ran("my.unjudged")
    assert code == 4 and report["kernels"][0]["not_judged"] == 30 and report["kernels"][0]["pass"] == 0
    assert ran("my.unjudged", "--allow-not-judged")[0] == 0
    changed = module(tmp_path, there.read_text().replace("rows, columns] each rows", "rows, columns]"), "changed.py")
    done = run(tmp_path, "replay", case, "--kernels", changed)
    assert done.code != 0 and "another line" in done.out + done.err


IDENTITY = "same: y[n] <- x[n] each n"


@pytest.mark.parametrize("format_name", ["I32", "I64", "F32", "F64"])
def test_the_right_result_passes_and_zeros_fail_in_every_width(format_name):
    formats = (format_name, format_name)
    done = negzero.check(lambda x: x, IDENTITY, reference=lambda x: x, error=0, formats=formats)
    assert done.passed > 200
    for wrong in (lambda x: x * 0, lambda x: x // 2 if x.dtype.kind == "i" else x / 2):
        with pytest.raises(negzero.Counterexample):
            negzero.check(wrong, IDENTITY, reference=lambda x: x, error=0, formats=formats)


def test_indices_of_64_bits_are_held_to_the_reference():
    line = "top1: at[rows] < columns <- x[rows, columns]"
    formats, limits = ("F32", "I64"), {"columns": (1, 64)}
    with pytest.raises(negzero.Counterexample):
        negzero.check(
            lambda x: np.zeros(len(x), np.int64), line, reference=lambda x: np.argmax(x, axis=1),
            error=0, formats=formats, limits=limits,
        )  # fmt: skip


def test_an_error_that_permits_every_number_decides_nothing_though_infinities_agree():
    def wrong(x):
        return np.where(np.isfinite(x), np.float32(0), x)

    with pytest.raises(negzero.NothingDecided):
        negzero.check(wrong, IDENTITY, reference=lambda x: (x, abs(x)), error=2.0)


def test_what_is_pasted_has_the_poison_of_padding():
    line = "most: y[rows] <- x[rows, columns], lengths[rows] <= columns each rows"

    def right(x, lengths):
        return np.array([np.abs(row[:n]).max(initial=0) for row, n in zip(x, lengths)], x.dtype)

    def whole(x, lengths):
        return np.abs(x).max(axis=1, initial=0)

    with pytest.raises(negzero.Counterexample) as found:
        negzero.check(whole, line, reference=right, error=0)
    text = str(found.value)
    lines = [each.strip() for each in text.partition("to see it")[2].splitlines() if each.strip()]
    code = [each for each in lines if each.partition(" ")[0] in ("import", "x", "lengths")]
    names: "dict[str, object]" = {}
    exec("\n".join(code), names)
    y, wanted = whole(names["x"], names["lengths"]), right(names["x"], names["lengths"])
    assert not np.array_equal(y, wanted), text


def biased(x, bias):
    return x + bias[:, None, None]


def biased_of_one_channel(x, bias):
    return x + bias[:1, None, None]


def greatest(x):
    return x.max(axis=-1, initial=-np.inf)


def greatest_but_one(x):
    return x[..., 1:].max(axis=-1, initial=-np.inf)


def reversed_dimensions(x):
    return x.transpose()


def reversed_but_two(x):
    y = x.transpose()
    return y[:, :, ::-1]


@pytest.mark.parametrize(
    "line, right, wrong",
    [
        ("biased: y[n, c, h, w] <- x[n, c, h, w], bias[c]", biased, biased_of_one_channel),
        ("greatest: y[a, b, c, d] <- x[a, b, c, d, e]", greatest, greatest_but_one),
        ("reversed: y[a, b, c, d, e, f] <- x[f, e, d, c, b, a]", reversed_dimensions, reversed_but_two),
    ],
)
def test_tensors_have_up_to_six_dimensions(line, right, wrong):
    checked = negzero.check(right, line, reference=right, error=0)
    assert checked.passed > 200 and checked.not_judged == 0
    counterexample = found(wrong, line, reference=right, error=0)
    assert counterexample.report["class"] in ("wrong_value", "wrong_special_value")
    x = inputs_of(counterexample.case)["x"]
    assert x.ndim == line.partition(" x[")[2].partition("]")[0].count(",") + 1 and x.size <= 8
    lines = [each.strip() for each in str(counterexample).partition("to see it")[2].splitlines()]
    names: "dict[str, object]" = {}
    exec("\n".join(each for each in lines if each.partition(" ")[0] in ("import", "x", "bias")), names)
    given = [names[each] for each in ("x", "bias") if each in names]
    assert not np.array_equal(right(*given), wrong(*given), equal_nan=True)


def test_a_seventh_dimension_is_refused_with_its_column():
    with pytest.raises(ValueError, match="column 16: 7 dimensions of tensor x, and at most 6 are allowed"):
        negzero.check(greatest, "seven: y[n] <- x[a, b, c, d, e, f, g]", allow_not_judged=True)


def test_a_claim_of_rows_needs_a_line_that_has_them():
    with pytest.raises(ValueError, match="end it with 'each'"):
        negzero.check(lambda x: x, "same: y[n] <- x[n]", claims="nan_stays_in_its_row", allow_not_judged=True)


def test_a_result_of_the_reference_that_is_none_is_called_the_reference_s():
    with pytest.raises(RuntimeError, match="the reference returned y in float32"):
        negzero.check(lambda x: x, IDENTITY, reference=lambda x: x.astype(np.float32), error=0)


LOSS = "loss: y[rows] <- x[rows, two] each rows"


def loss(x):
    most = x.max(axis=1)
    return np.log(np.exp(x - most[:, None]).sum(axis=1)) + (most - x[:, 0])


def loss_that_cancels(x):
    most = x.max(axis=1)
    y = (most + np.log(np.exp(x - most[:, None]).sum(axis=1))) - x[:, 0]
    return y, np.abs(y) + most - x[:, 0] + 1


def loss_in_float64(x):
    return loss_that_cancels(np.asarray(x, np.float64))


def loss_cast_to_float64(x):
    return loss_that_cancels(x.astype(np.float64))


def loss_that_refuses_others(x):
    if x.dtype != np.float64:
        raise TypeError(f"float64 is what there is, and not {x.dtype}")
    return loss_that_cancels(x)


def check_loss(fn, reference, **options):
    options = {"limits": {"two": 2}, "values": {"x": (-1e30, 1e30)}, "error": {"ulps": 4, "relative": 1e-6}, **options}
    return negzero.check(fn, LOSS, reference=reference, **options)


def test_a_reference_that_cancels_accuses_no_function_and_is_named():
    checked = check_loss(loss, loss_that_cancels)
    assert checked.passed > 0 and checked.not_judged > 0
    assert checked.warning.startswith("the reference is not good to its error at ")
    assert "rounded downward loss_that_cancels gives " in checked.text
    with pytest.raises(negzero.Counterexample):
        check_loss(lambda x: loss(x) * np.float32(1.01), loss_that_cancels)


def test_a_reference_that_casts_what_it_is_given_is_evaluated_again_too():
    checked = check_loss(loss, loss_cast_to_float64)
    assert checked.passed > 0 and "rounded downward loss_cast_to_float64 gives " in checked.text
    with pytest.raises(negzero.Counterexample):
        check_loss(lambda x: loss(x) * np.float32(1.01), loss_cast_to_float64)


def test_a_reference_whose_own_arrays_no_direction_reaches_is_said_to_give_the_same_bits():
    same = "Rounded downward and upward loss_in_float64 gives the same bits: "
    with pytest.raises(negzero.Counterexample, match=same):  # It computes in float64 whatever it is given, to nearest.
        check_loss(loss, loss_in_float64)
    with pytest.raises(negzero.Counterexample) as raised:  # Nothing would be excused.
        negzero.check(lambda x: x + 1, IDENTITY, reference=lambda x: x, error=0)
    assert "gives the same bits" not in str(raised.value)


def test_a_reference_that_cannot_be_evaluated_again_is_said_to_be_evaluated_once():
    with pytest.raises(negzero.Counterexample, match="evaluated once only: .* float64 is what there is") as raised:
        check_loss(loss, loss_that_refuses_others)
    assert raised.value.report["rule"] == "reference.error"


def test_a_reference_that_decides_nothing_is_no_pass():
    def reference(x):
        return (x[:, 0] + 1e30) - 1e30, np.ones(len(x))

    with pytest.raises(negzero.NothingDecided, match="values could not be judged: the reference is not good"):
        check_loss(lambda x: x[:, 0], reference, values={"x": (1.0, 2.0)}, limits={"two": 2, "rows": (1, 9)})


OF_A_WORKER = f"""
@negzero.kernel("{LOSS}", name="my.loss", reference="my.reference", error={{"ulps": 4, "relative": 1e-6}},
                limits={{"two": 2}}, values={{"x": (-1e30, 1e30)}})
def loss(x):
    most = x.max(axis=1)
    return np.log(np.exp(x - most[:, None]).sum(axis=1)) + (most - x[:, 0])


@negzero.kernel("loss.reference: y[rows], y_scale[rows] <- x[rows, two]", name="my.reference",
                formats=("F64", "F64", "F64"), limits={{"two": 2}})
def reference(x):
    most = x.max(axis=1)
    y = (most + np.log(np.exp(x - most[:, None]).sum(axis=1))) - x[:, 0]
    return y, np.abs(y) + most - x[:, 0] + 1
"""


@needs_program
def test_a_reference_of_a_worker_that_cancels_accuses_no_kernel(tmp_path):
    ran = run(tmp_path, "check", "my.loss", "--kernels", module(tmp_path, OF_A_WORKER), "--cases", "200", "--json")
    kernel = ran.kernel("my.loss")
    assert ran.code == 0 and kernel["findings"] == [], ran.err
    assert kernel["not_judged"] > 0 and "rounded downward my.reference gives" in kernel["warning"]


STEPS = "steps: y[n] <- x[n]"


@pytest.mark.parametrize(
    "to_even",
    [np.rint, np.round, lambda x: x.round(), lambda x: np.where(np.isnan(x), np.nan, np.rint(x)),
     lambda x: np.rint(np.concatenate([x[:1], x[1:]])), lambda x: np.rint(x, out=np.empty_like(x)),
     lambda x: np.array([round(each) if np.isfinite(each) else each for each in x.tolist()], np.float64)],
)  # fmt: skip
def test_a_reference_that_rounds_to_steps_loses_no_element_at_ties(to_even):
    options = {"reference": lambda x: to_even(x * 8) / 8, "error": 1, "values": {"x": (-100.0, 100.0)}}
    assert negzero.check(lambda x: np.rint(x * 8) / 8, STEPS, **options).not_judged == 0
    half = np.float32(0.5)
    with pytest.raises(negzero.Counterexample) as raised:
        negzero.check(lambda x: np.floor(x * 8 + half) / 8, STEPS, **options)
    assert raised.value.report["warnings"] == 0
