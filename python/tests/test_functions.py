"""Functions of frameworks by name: what a call of them means, what is promised, and how indices and shapes are seen."""

from __future__ import annotations

import json
from typing import Any

import ml_dtypes
import negzero
import numpy as np
import pytest
from negzero import _safetensors
from negzero._functions import _TABLE
from support import FLOATS, framework, put, small, spoiled

A, B = small((3, 4), np.float32, 1), small((4, 2), np.float32, 2)
X = small((3, 4, 5), np.float32, 3)
NAN = np.float32(np.nan)


def exact(array: np.ndarray) -> np.ndarray:
    return np.asarray(array).astype(np.float64)


#: name, arguments, keywords, the right result: of NumPy, whose functions need no framework that may be missing.
CALLS = [
    ("numpy.matmul", (A, B), {}, A @ B),
    ("numpy.matmul", (A[0], B), {}, A[0] @ B),
    ("numpy.matmul", (A, B[:, 0]), {}, A @ B[:, 0]),
    ("numpy.matmul", (A[0], B[:, 0]), {}, A[0] @ B[:, 0]),
    ("numpy.matmul", (np.stack([A, A]), B), {}, np.stack([A, A]) @ B),
    ("numpy.dot", (A, B), {}, A.dot(B)),
    ("torch._int_mm", (A.astype(np.int8), B.astype(np.int8)), {}, A.astype(np.int32) @ B.astype(np.int32)),
    ("numpy.sum", (X,), {}, X.sum()),
    ("numpy.sum", (X,), {"axis": 1}, X.sum(1)),
    ("numpy.sum", (X, (0, 2)), {"keepdims": True}, X.sum((0, 2), keepdims=True)),
    ("numpy.sum", (X, -1, np.float64), {}, X.sum(-1, np.float64)),
    ("numpy.mean", (X[..., :4],), {"axis": -1}, X[..., :4].mean(-1)),
    ("numpy.max", (X, 0), {}, X.max(0)),
    ("numpy.min", (X,), {"axis": (1, 2)}, X.min((1, 2))),
    ("numpy.argmax", (X,), {"axis": 1}, X.argmax(1)),
    ("numpy.argmin", (X,), {"keepdims": True}, X.argmin(keepdims=True)),
    ("numpy.cumsum", (X,), {"axis": 0}, X.cumsum(0)),
    ("numpy.cumsum", (X,), {}, X.cumsum()),
    ("numpy.ndarray.astype", (X, np.float16), {}, X.astype(np.float16)),
    ("torch.mm", (A, B), {}, A @ B),
    ("torch.addmm", (B[:3], A, B), {"beta": 2, "alpha": 3}, 2 * B[:3] + 3 * (A @ B)),
    ("torch.baddbmm", (np.zeros((2, 3, 2), np.float32), np.stack([A, A]), np.stack([B, B])), {}, np.stack([A @ B] * 2)),
    ("torch.nn.functional.linear", (A, B.T, B[0]), {}, A @ B + B[0]),
    ("torch.sum", (X, 1, True), {}, X.sum(1, keepdims=True)),
    ("torch.max", (X, 2), {}, (X.max(2), X.argmax(2))),
    ("torch.max", (X,), {}, X.max()),
    ("torch.argmax", (X, 0), {}, X.argmax(0)),
    ("torch.cumsum", (X, 1), {}, X.cumsum(1)),
    ("torch.index_add", (np.zeros(3, np.float32), 0, np.array([0, 2, 0]), A[:, 0]), {},
     np.array([A[0, 0] + A[2, 0], 0, A[1, 0]], np.float32)),
    ("torch.scatter_reduce", (np.zeros(2, np.float32), 0, np.array([1, 1, 1]), A[:, 0], "amax"), {},
     np.array([0, max(0, A[:, 0].max())], np.float32)),
    ("torch.Tensor.to", (X, "torch.bfloat16"), {}, X.astype(ml_dtypes.bfloat16)),
    ("jax.numpy.matmul", (A, B), {"precision": "highest"}, A @ B),
    ("jax.ops.segment_sum", (A[:, 0], np.array([1, 0, 1]), 2), {}, np.array([A[1, 0], A[0, 0] + A[2, 0]], np.float32)),
    ("cupy.sum", (X,), {"axis": 2}, X.sum(2)),
]  # fmt: skip


@pytest.mark.parametrize("name, arguments, keywords, right", CALLS)
def test_the_right_result_is_permitted_and_a_wrong_one_is_not(name, arguments, keywords, right):
    judgement = negzero.judge(right, name, *arguments, elements="all", **keywords)
    assert judgement.permitted, judgement.text
    assert judgement.function.startswith(name)
    last = right[-1] if isinstance(right, tuple) else np.asarray(right)
    index = tuple(size - 1 for size in last.shape)
    wrong = np.array(last)
    wrong[index] = wrong[index] + 1 if wrong.dtype.kind == "i" else spoiled(last, index)[index]
    judgement = negzero.judge(
        (right[0], wrong) if isinstance(right, tuple) else wrong, name, *arguments, elements="all", **keywords
    )
    assert judgement.verdict == "fail" and judgement.failing == 1
    assert judgement.worst[0].index == index  # as the caller sees it, whatever the operation's own shape
    assert judgement.text.splitlines()[0].startswith(f"{name}: not permitted")


def test_every_function_of_the_table_has_promises_for_f32():
    assert set(_TABLE) == set(negzero.functions())
    tested = {name for name, *_ in CALLS}
    for name, operation in negzero.functions().items():
        assert operation in negzero.operations()
        twin = name.replace("jax.numpy", "numpy").replace("cupy", "numpy")
        alike = {
            "torch.bmm",
            "torch.matmul",
            "torch.mean",
            "torch.amax",
            "torch.amin",
            "torch.argmin",
            "torch.scatter_add",
        }
        assert name in tested or twin in tested or name in alike or name.startswith("jax."), f"{name} has no test"


@pytest.mark.parametrize(
    "module, of", [("numpy", "matmul"), ("jax.numpy", "matmul"), ("torch", "matmul"), ("cupy", "matmul")]
)
def test_a_function_is_known_as_it_is(module, of):
    name = module.partition(".")[0]
    found = framework(name)
    function = getattr(found.numpy if name == "jax" else found, of)
    a, b = put(name, A), put(name, B)
    judgement = negzero.assert_permitted(function(a, b), function, a, b)
    assert judgement.function.startswith(f"{module}.{of} of ")


@pytest.mark.parametrize("name", ["numpy.sum", "numpy.cumsum", "torch.max"])
def test_a_case_of_a_call_is_judged_as_the_function_shows_it(name):
    right = {"numpy.sum": X.sum(0), "numpy.cumsum": X.cumsum(0), "torch.max": {"y": X.max(0), "at": X.argmax(0)}}[name]
    case = negzero.case(name, X, 0)
    assert negzero.judge(right, case).permitted
    sets = negzero.permitted(name, X, 0)
    for key, value in (right if isinstance(right, dict) else {"y": right}).items():
        assert sets[key].low.shape == value.shape
        assert (exact(sets[key].low) <= exact(value)).all() and (exact(value) <= exact(sets[key].high)).all()
    _, metadata = _safetensors.read(case.data, "the case")
    assert json.loads(metadata["function"])["name"] == name
    assert negzero.judge(right, case).contract.items() <= json.loads(metadata["contract"]).items()


def test_promises_say_each_field_of_the_contract_with_its_source():
    judgement = negzero.judge(spoiled(A @ B, (0, 0)), "torch.mm", A, B)
    assert {key: value for promise in judgement.promises for key, value in promise.fields.items()} == {
        "accumulate": "F32"
    }
    assert all(promise.says and promise.source for promise in judgement.promises)
    assert all(promise.says in judgement.text for promise in judgement.promises)
    assert negzero.judge(A @ B, "torch.mm", A, B, contract="f64").promises == ()


def test_ties_and_nan_are_what_is_documented():
    x = np.array([[1, 2, 2, 1], [NAN, 1, NAN, 2]], np.float32)
    assert negzero.judge(np.array([1, 0]), "torch.argmax", x, 1).permitted
    assert negzero.judge(np.array([2, 0]), "torch.argmax", x, 1).verdict == "fail"
    assert negzero.judge(np.array([1, 2]), "numpy.argmax", x, 1).verdict == "fail"
    assert negzero.judge(np.array([1, 0]), "cupy.argmax", x, 1).verdict == "undecided"
    assert negzero.judge(np.array([2, NAN], np.float32), "torch.amax", x, 1).permitted
    assert negzero.judge(np.array([2, 2], np.float32), "torch.amax", x, 1).verdict == "fail"


def test_what_is_not_documented_is_undecided_and_no_pass():
    nan = np.full_like(A, NAN)
    judgement = negzero.judge(A @ B, "torch.addmm", B[:3], nan, B, alpha=0)
    assert judgement.verdict == "undecided" and not judgement.permitted and judgement.judged == 0
    assert "alpha is 0" in judgement.reason and "contract=" in judgement.reason and "this is no pass" in judgement.text
    with pytest.raises(negzero.NothingDecided):
        negzero.assert_permitted(A @ B, "torch.addmm", B[:3], nan, B, alpha=0)
    assert negzero.judge(B[:3], "torch.addmm", B[:3], nan, B, alpha=0, contract="f32").permitted
    with pytest.raises(ValueError, match="alpha is 0"):
        negzero.permitted("torch.addmm", B[:3], nan, B, alpha=0)


def test_an_input_that_beta_0_ignores_may_hold_nan():
    c = np.full((3, 2), NAN)
    assert negzero.judge(A @ B, "torch.addmm", c, A, B, beta=-0.0).permitted
    assert negzero.judge(c, "torch.addmm", c, A, B, beta=-0.0).verdict == "fail"


def test_scatters_promise_values_where_nothing_is_added_not_payloads_nor_signs_of_zero():
    init = np.array([0.0, -0.0, np.nan, 3], np.float16)
    seen = np.array([1, 0, 0, 3], np.float16)
    seen.view(np.uint16)[2] = 0xFE01
    call = ("torch.index_add", init, 0, np.array([0]), np.array([1], np.float16))
    assert negzero.judge(seen, *call).permitted
    assert negzero.judge(np.array([1, 0, 2, 3], np.float16), *call).verdict == "fail"
    assert negzero.judge(np.array([1, 0, np.nan, 2], np.float16), *call).verdict == "fail"


def message(kind: "type[Exception]", *arguments: Any, **keywords: Any) -> str:
    with pytest.raises(kind) as caught:
        negzero.judge(A @ B, *arguments, **keywords)
    return str(caught.value)


@pytest.mark.parametrize(
    "kind, arguments, words",
    [
        (TypeError, ("torch.mm", A), ("torch.mm: missing", "'mat2'", "torch.mm(input, mat2)")),
        (TypeError, ("torch.mm", A, B, B), ("torch.mm: too many", "torch.mm(input, mat2)")),
        (ValueError, ("torch.mn", A, B), ("torch.mn is no function", "torch.mm, torch.bmm")),
        (TypeError, (print, A, B), ("print is no function", "negzero.functions()")),
        (TypeError, (lambda a, b: a, A, B), ("<lambda> is no function", "negzero.functions()")),
        (ValueError, ("torch.mm", B, A), ("input of shape (4, 2)", "mat2 of shape (3, 4)", "2 columns and 3 rows")),
        (ValueError, ("torch.mm", A[None], B), ("input has 3 dimensions", "torch.mm takes 2")),
        (ValueError, ("torch.sum", X, 3), ("torch.sum: dim = 3 is out of range of 3 dimensions",)),
        (ValueError, ("numpy.sum", X, (0, 0)), ("axis = (0, 0) names one axis twice",)),
        (TypeError, ("numpy.sum", X, "row"), ("axis: 'row' is no axis",)),
        (ValueError, ("numpy.sum", X, 0), ("observed has shape (3, 2)", "numpy.sum gives (4, 5)")),
        (ValueError, ("torch.sum", X.astype(np.float64)), ("observed has shape (3, 2)", "torch.sum gives ()")),
        (ValueError, ("torch.sum", X, 0, False), ("(4, 5)",)),
        (TypeError, ("torch.max", X, 0), ("torch.max gives 2 arrays", "y, at")),
        (TypeError, ("torch.mm", A.astype(np.int32), B), ("torch.mm: input", "floating-point")),
        (TypeError, ("torch.mm", None, B), ("torch.mm: input: None is no array",)),
        (TypeError, ("torch.mm", A.astype(np.float64), B), ("torch.mm: input has float64 and mat2 float32",)),
        (TypeError, ("gemm", A, B), ("gemm takes its operands by name", "a[batch, m, k]")),
        (ValueError, ("torch.scatter_reduce", A[0], 0, np.array([0]), A[0, :1], "prod"), ("'prod'", "sum, amax, amin")),
        (ValueError, ("torch.index_add", A, 0, np.array([0]), A[:1]), ("2 dimensions", "give a row of it")),
    ],
)  # fmt: skip
def test_errors_name_the_function_the_argument_and_the_cure(kind, arguments, words):
    text = message(kind, *arguments)
    assert all(word in text for word in words), text


def test_a_narrower_dtype_is_not_guessed():
    assert "does not hold every number" in message(ValueError, "torch.sum", X, dtype=np.float16)
    assert "leave it out" in str(pytest.raises(TypeError, negzero.case, "torch.mm", A, B, out_dtype=np.float16).value)


@pytest.mark.parametrize("switch, field", [("allow_tf32", "multiplicand"),
                                           ("allow_fp16_reduced_precision_reduction", "slice_format"),
                                           ("allow_bf16_reduced_precision_reduction", "slice_format")])  # fmt: skip
def test_switches_of_pytorch_are_read_at_the_call_and_kept(switch, field):
    matmul = framework("torch").backends.cuda.matmul
    dtype = {"allow_tf32": np.float32, "allow_fp16_reduced_precision_reduction": np.float16}.get(
        switch, ml_dtypes.bfloat16
    )
    a, b = small((3, 4), dtype, 1), small((4, 2), dtype, 2)
    before = getattr(matmul, switch)
    for value in (True, False):
        try:
            setattr(matmul, switch, value)
            judgement = negzero.judge((exact(a) @ exact(b)).astype(dtype), "torch.mm", a, b)
        finally:
            setattr(matmul, switch, before)
        assert judgement.permitted and (field in judgement.contract) is value
        assert f"{switch} {value}" in judgement.text
        _, metadata = _safetensors.read(judgement.case.data, "the case")
        assert json.loads(metadata["function"])["switches"][switch] is value


def test_the_precision_of_jax_is_read_at_the_call():
    jax = framework("jax")
    d = A @ B
    assert negzero.judge(d, "jax.numpy.dot", A, B).contract["multiplicand"] == "tf32_or_exact"
    assert "multiplicand" not in negzero.judge(d, "jax.numpy.dot", A, B, precision=jax.lax.Precision.HIGHEST).contract
    with jax.default_matmul_precision("float32"):
        assert "multiplicand" not in negzero.judge(d, "jax.numpy.dot", A, B).contract
    assert negzero.judge(d, "jax.numpy.dot", A, B, precision="BF16_BF16_F32").verdict == "undecided"


def test_the_environment_of_tf32_is_read(monkeypatch):
    monkeypatch.setenv("NVIDIA_TF32_OVERRIDE", "1")
    judgement = negzero.judge(A @ B, "torch.mm", A, B)
    assert judgement.contract["multiplicand"] == "tf32_or_exact" and "NVIDIA_TF32_OVERRIDE 1" in judgement.text
    monkeypatch.setenv("CUPY_TF32", "1")
    assert negzero.judge(A @ B, "cupy.dot", A, B).contract["multiplicand"] == "tf32_or_exact"


def test_outputs_may_come_from_a_file(tmp_path):
    case = negzero.case("gemm", a=A, b=B)
    judgement = negzero.judge(A @ B, case)
    path = tmp_path / "outputs.safetensors"
    path.write_bytes(judgement.recorded)
    assert negzero.judge(path, case).permitted
    with pytest.raises(FileNotFoundError):
        negzero.judge(tmp_path / "none", case)
    path.write_bytes(b"no")
    with pytest.raises(ValueError, match=r"outputs\.safetensors: no safetensors file"):
        negzero.judge(path, case)


@pytest.mark.parametrize("name", ["numpy.ndarray.astype", "torch.Tensor.to", "jax.Array.astype"])
def test_a_conversion_to_integers_cuts(name):
    x = np.array([0.6, -0.6, 1.5, 2.5, -1.5, 3.7], np.float32)
    assert negzero.judge(x.astype(np.int32), name, x, np.int32).permitted
    assert negzero.judge(np.rint(x).astype(np.int32), name, x, np.int32).failing == 5
    beyond = np.array([1, np.nan], np.float32)
    assert negzero.judge(np.array([1, 0], np.int32), name, beyond, np.int32).verdict == "undecided"


def test_float64_may_be_rounded_to_float32_on_its_way_all_of_it_or_none():
    x = np.array([1 + 2.0**-11 + 2.0**-40, 1 + 3 * 2.0**-11 - 2.0**-40])
    once, twice = x.astype(np.float16), x.astype(np.float32).astype(np.float16)
    assert (once != twice).all()
    for y in (once, twice):
        assert negzero.judge(y, "torch.Tensor.to", x, np.float16).permitted
    assert negzero.judge(np.array([once[0], twice[1]]), "torch.Tensor.to", x, np.float16).verdict == "fail"


def test_what_has_another_dtype_than_the_function_gives_is_no_result_of_it():
    assert "observed has float32, and torch.Tensor.to gives bfloat16" in message_of(X, "torch.Tensor.to", X, "bfloat16")
    d = (A @ B).astype(np.float16)
    assert "observed has float16, and torch.mm gives float32" in message_of(d, "torch.mm", A, B)


@pytest.mark.parametrize("name", ["BF16", "F8_E4M3", "F8_E5M2"])
def test_a_product_of_numpy_has_the_dtype_that_numpy_gives(name):
    a, b = A.astype(FLOATS[name]), B.astype(FLOATS[name])
    for function in (np.matmul, np.dot):
        assert negzero.assert_permitted(function(a, b), function, a, b).judged == 6


@pytest.mark.parametrize("dtype", [np.int64, np.int32])
@pytest.mark.parametrize("name", ["numpy.argmax", "torch.argmax", "jax.numpy.argmax", "cupy.argmax"])
def test_places_have_the_width_that_the_framework_gives(name, dtype):
    judgement = negzero.judge(X.argmax(1).astype(dtype), name, X, 1)
    assert judgement.permitted and judgement.case.outputs["y"][1] == dtype and judgement.notes[1:] == ()
    usual = np.int32 if name.startswith("jax") else np.int64
    assert negzero.permitted(name, X, 1)["y"].low.dtype == usual


def test_indices_keep_the_width_that_the_framework_takes():
    zeros, x = np.zeros(3, np.float32), A[:, 0]
    for name, arguments in (
        ("torch.scatter_add", (zeros, 0, np.array([0, 2, 0]), x)),
        ("jax.ops.segment_sum", (x, np.array([0, 2, 0]), 3)),
    ):
        judgement = negzero.judge(np.array([x[0] + x[2], 0, x[1]], np.float32), name, *arguments)
        assert judgement.permitted and judgement.case.described["formats"] == {"index": "I64", "x": "F32"}


def test_products_of_pytorch_add_what_has_their_own_dtype():
    for name, arguments in (
        ("torch.addmm", (B[:3].astype(np.float64), A, B)),
        ("torch.nn.functional.linear", (A, B.T, B[0].astype(np.float64))),
    ):
        assert message_of(A @ B, name, *arguments).endswith(" float32; give both in one dtype")


def message_of(observed: Any, *arguments: Any) -> str:
    with pytest.raises(TypeError) as caught:
        negzero.judge(observed, *arguments)
    return str(caught.value)


def test_first_of_ties_counts_where_subnormals_may_be_flushed_too():
    jax = framework("jax")
    x = jax.device_put(np.ones((1, 2), np.float32), jax.devices("cpu")[0])
    assert negzero.judge(np.array([0], np.int32), "jax.numpy.argmax", x, 1).permitted
    assert negzero.judge(np.array([1], np.int32), "jax.numpy.argmax", x, 1).verdict == "fail"


def test_no_axis_is_no_reduction_in_numpy_and_every_one_in_pytorch():
    assert negzero.judge(X.sum(axis=()), "numpy.sum", X, axis=()).permitted
    assert negzero.judge(X.sum(), "torch.sum", X, ()).permitted
    assert negzero.judge(np.array([3], np.float32), "numpy.cumsum", np.float32(3), axis=0).permitted
    assert negzero.judge(np.float32(3), "torch.cumsum", np.float32(3), 0).permitted


def test_segments_out_of_range_are_dropped_and_their_number_is_checked():
    v = np.array([1, 2, 4, 8], np.float32)
    right = np.array([1, 8, 0], np.float32)
    assert negzero.judge(right, "jax.ops.segment_sum", v, np.array([0, 5, -1, 1]), 3).permitted
    wrong = {
        2.5: "num_segments: a float",
        "3": "num_segments: a str",
        -1: "num_segments = -1",
        10**15: "num_segments = 1",
    }
    for count, words in wrong.items():
        with pytest.raises((TypeError, ValueError), match=words):
            negzero.judge(v, "jax.ops.segment_sum", v, np.array([0, 1, 1, 0]), count)
    with pytest.raises(ValueError, match="num_segments: "):
        negzero.judge(v, "jax.ops.segment_sum", v[:1], np.array([2**31 - 2], np.int32))


def test_new_words_of_precision_are_read_on_the_host():
    torch = framework("torch")
    a = torch.ones(2, 2)
    before = torch.backends.cuda.matmul.fp32_precision
    try:
        torch.backends.cuda.matmul.fp32_precision = "tf32"
        assert negzero.judge(a @ a, torch.mm, a, a).verdict in ("pass", "undecided")
    finally:
        torch.backends.cuda.matmul.fp32_precision = before
    assert negzero.judge(a @ a, torch.mm, a, a).permitted
    jax = framework("jax")
    on_host = jax.device_put(A, jax.devices("cpu")[0])
    assert negzero.judge(A @ B, "jax.numpy.dot", on_host, B, precision="F16_F16_F16").verdict == "undecided"


def test_a_process_that_flushes_subnormals_is_judged_as_one():
    torch = framework("torch")
    init = np.array([0x000AE398, 0x3F800000], np.uint32).view(np.float32)
    x = torch.from_numpy(np.full((2, 3), 0x000AE398, np.uint32).view(np.float32))
    if not torch.set_flush_denormal(True):
        pytest.skip("this processor flushes nothing")
    try:
        judgement = negzero.judge(torch.sum(x, 1), torch.sum, x, 1)
        assert judgement.permitted and "flush_denormal True" in judgement.text
        call = (torch.scatter_reduce, torch.from_numpy(init), 0, torch.tensor([1]), torch.tensor([2.0]), "amax")
        assert negzero.judge(np.array([1, 2], np.float32), *call).verdict == "fail"
    finally:
        torch.set_flush_denormal(False)


def test_other_names_of_a_function_and_short_ones():
    assert negzero.judge(A @ B, "torch.Tensor.mm", A, B).permitted
    assert negzero.judge(X.max(0), "numpy.amax", X, 0).permitted
    assert "give 'jax.numpy.dot'" in message(ValueError, "jnp.dot", A, B)
