"""Operands as people write them: what ends up in the case file."""

from __future__ import annotations

import json
from typing import Any

import ml_dtypes
import negzero
import numpy as np
import pytest
from negzero import _safetensors
from support import FLOATS, small


def contents(case: negzero.Case) -> "tuple[dict[str, np.ndarray], dict[str, Any]]":
    tensors, metadata = _safetensors.read(case.data, "case")
    return tensors, {key: json.loads(value) if value[:1] in "{[" else value for key, value in metadata.items()}


A, B = small((3, 4), seed=1), small((4, 2), seed=2)


def test_a_gemm_of_two_matrices_is_a_batch_of_one() -> None:
    tensors, metadata = contents(negzero.case("gemm", a=A, b=B))
    assert metadata["operation"] == {
        "name": "gemm",
        "extents": {"batch": 1, "m": 3, "n": 2, "k": 4},
        "formats": {"a": "F16", "b": "F16", "d": "F16"},
    }
    assert metadata["scalars"]["alpha"] == {"bits": "0x3f800000", "format": "F32"}
    assert metadata["scalars"]["beta"] == {"bits": "0x00000000", "format": "F32"}
    assert (tensors["a"] == A[None]).all() and (tensors["b"] == B[None]).all()
    assert tensors["c"].shape == (1, 3, 2) and not tensors["c"].any()


def test_leading_dimensions_are_one_batch() -> None:
    a, b = small((5, 2, 3, 4)), small((5, 2, 4, 2))
    case = negzero.case("gemm", a=a, b=b, c=small((5, 2, 3, 2)), out_dtype=np.float16)
    tensors, metadata = contents(case)
    assert metadata["operation"]["extents"]["batch"] == 10
    assert (tensors["a"] == a.reshape(10, 3, 4)).all()
    assert case.outputs["d"] == ((5, 2, 3, 2), np.dtype(np.float16))
    assert metadata["layout"]["b"]["strides"] == [8, 2, 1]


@pytest.mark.parametrize("b", [B, B[None], B[None, None]])
def test_an_operand_without_the_batch_has_stride_0(b: np.ndarray) -> None:
    tensors, metadata = contents(negzero.case("gemm", a=small((5, 6, 3, 4)), b=b))
    assert metadata["layout"]["b"] == {"shape": [30, 4, 2], "strides": [0, 2, 1], "offset": 0}
    assert (tensors["b"] == B).all() and len(tensors["b"]) == 30


def test_batches_that_broadcast_against_each_other_are_stored_in_full() -> None:
    a, b = small((5, 1, 3, 4)), small((1, 6, 4, 2))
    tensors, metadata = contents(negzero.case("gemm", a=a, b=b))
    assert metadata["layout"]["a"]["strides"] == [12, 4, 1]
    assert (tensors["a"].reshape(5, 6, 3, 4) == a).all() and (tensors["b"].reshape(5, 6, 4, 2) == b).all()


@pytest.mark.parametrize(
    "shape, strides", [((2,), [0, 0, 1]), ((1, 2), [0, 0, 1]), ((3, 1), [0, 1, 0]), ((), [0, 0, 0])]
)
def test_what_is_added_broadcasts_as_in_numpy(shape: Any, strides: Any) -> None:
    c = small(shape, np.float32, 9) + np.float32(5)
    tensors, metadata = contents(negzero.case("gemm", a=small((7, 3, 4)), b=B, c=c))
    assert metadata["layout"]["c"]["strides"] == strides
    assert metadata["scalars"]["beta"]["bits"] == "0x3f800000"
    assert metadata["operation"]["formats"]["d"] == "F32"
    assert (tensors["c"] == np.broadcast_to(c, (7, 3, 2))).all()


def test_transposed_views_are_packed() -> None:
    tensors, _ = contents(negzero.case("gemm", a=small((4, 3)).T, b=small((2, 4)).T))
    assert (tensors["a"][0] == small((4, 3)).T).all() and (tensors["b"][0] == small((2, 4)).T).all()


def test_scalars_are_in_f64_where_the_output_is() -> None:
    wide = negzero.case("gemm", a=A, b=B, alpha=0.1, out_dtype="float64")
    assert contents(wide)[1]["scalars"]["alpha"] == {"bits": "0x3fb999999999999a", "format": "F64"}
    narrow = negzero.case("gemm", a=A, b=B, alpha=0.1, out_dtype="float32")
    assert contents(narrow)[1]["scalars"]["alpha"] == {"bits": "0x3dcccccd", "format": "F32"}


@pytest.mark.parametrize("x, rows, shape", [
    (small(4), 1, ()), (small((5, 4)), 5, (5,)), (small((2, 5, 4)), 10, (2, 5)), (small((0, 4)), 0, (0,)),
])  # fmt: skip
def test_rows_are_all_dimensions_but_the_last(x: np.ndarray, rows: int, shape: Any) -> None:
    case = negzero.case("reduce.sum", x=x)
    assert contents(case)[1]["operation"]["extents"] == {"rows": rows, "columns": 4}
    assert case.outputs["y"][0] == shape
    assert negzero.case("scan.inclusive", x=x).outputs["y"][0] == x.shape


@pytest.mark.parametrize("shape, extents, output", [
    ((2, 3, 4), {"outer": 2, "inner": 4, "columns": 3}, (2, 4)),
    ((5, 2, 3, 4), {"outer": 10, "inner": 4, "columns": 3}, (5, 2, 4)),
    ((3, 4), {"outer": 1, "inner": 4, "columns": 3}, (4,)),
])  # fmt: skip
def test_the_outer_dimension_of_a_reduction_is_any_number_of_them(shape: Any, extents: Any, output: Any) -> None:
    case = negzero.case("reduce.sum_middle", x=small(shape))
    assert contents(case)[1]["operation"]["extents"] == extents
    assert case.outputs["y"][0] == output


def test_a_batch_that_is_reduced_is_one_dimension() -> None:
    case = negzero.case("reduce.sum_batch", x=small((2, 3, 4)))
    assert contents(case)[1]["operation"]["extents"] == {"rows": 3, "columns": 4, "batch": 2}
    assert case.outputs["y"][0] == (3, 4)
    with pytest.raises(ValueError, match=r"x has 4 dimensions"):
        negzero.case("reduce.sum_batch", x=small((5, 2, 3, 4)))


@pytest.mark.parametrize("shape", [(), (1,), (4,), (2, 3, 4), (0, 3)])
def test_conversions_take_any_shape(shape: Any) -> None:
    case = negzero.case("convert", x=small(shape), out_dtype="bfloat16")
    assert case.outputs["y"] == (shape, np.dtype(ml_dtypes.bfloat16))


def test_groups_share_an_operand_and_have_counts() -> None:
    case = negzero.case("gemm.grouped", a=small((2, 3, 4)), b=B, rows=np.array([1, 3], np.int32))
    tensors, metadata = contents(case)
    assert metadata["operation"]["extents"] == {"groups": 2, "capacity": 3, "n": 2, "k": 4}
    assert tensors["rows"].tolist() == [1, 3] and tensors["rows"].dtype == np.int32


ROWS, PLACES = np.array([1, 3]), np.array([0, 1, 1])
V = small(3, np.float32)


def kept(case: negzero.Case) -> "dict[str, str]":
    """The formats that a case's file names, which are those of its canonical form, and of what load() reads of it."""
    case.save("case.safetensors")
    loaded = negzero.load("case.safetensors")
    assert loaded.data == case.data
    assert [of for _, of in loaded.outputs.values()] == [of for _, of in case.outputs.values()]
    return dict(contents(case)[1]["operation"]["formats"])


def test_formats_that_are_usual_are_not_named() -> None:
    c = small((3, 2), np.float16)
    assert kept(negzero.case("gemm", a=A, b=B, c=c)) == {"a": "F16", "b": "F16", "d": "F16"}
    grouped = {"a": small((2, 3, 4)), "b": B, "rows": ROWS.astype(np.int32)}
    assert kept(negzero.case("gemm.grouped", **grouped)) == {"a": "F16", "b": "F16", "d": "F16"}
    places = PLACES.astype(np.int32)
    assert kept(negzero.case("scatter.add", x=V, index=places, init=V)) == {"x": "F32"}


def test_formats_that_are_not_usual_are_named() -> None:
    c = small((3, 2), np.float32)
    narrow = negzero.case("gemm", a=A, b=B, c=c, out_dtype=np.float16)
    assert kept(narrow) == {"a": "F16", "b": "F16", "c": "F32", "d": "F16"}
    assert narrow.outputs["d"][1] == np.float16 and contents(narrow)[0]["c"].dtype == np.float32
    assert kept(negzero.case("gemm", a=A, b=B, c=c)) == {"a": "F16", "b": "F16", "d": "F32"}
    grouped = negzero.case("gemm.grouped", a=small((2, 3, 4)), b=B, rows=ROWS)
    assert kept(grouped) == {"a": "F16", "b": "F16", "d": "F16", "rows": "I64"}
    assert kept(negzero.case("scatter.add", x=V, index=PLACES, init=V)) == {"x": "F32", "index": "I64"}


def test_indices_of_64_bits_are_neither_copied_nor_converted() -> None:
    from negzero._binding import bind
    from negzero._operations import signature_of

    bound = bind(signature_of("scatter.add"), {"x": V, "index": PLACES, "init": V}, None, None)
    assert bound.formats["index"] == "I64" and np.shares_memory(bound.tensors["index"], PLACES)


def test_places_are_int32_or_what_out_dtype_says() -> None:
    assert kept(negzero.case("reduce.argmax", x=A)) == {"x": "F16", "y": "I32"}
    assert kept(negzero.case("reduce.argmax", x=A, out_dtype=np.int64)) == {"x": "F16", "y": "I64"}
    pairs = negzero.case("reduce.max_index", x=A, out_dtype={"at": np.int64})
    assert kept(pairs) == {"x": "F16", "y": "F16", "at": "I64"}
    assert kept(negzero.case("reduce.max_index", x=A, out_dtype=np.float16))["at"] == "I32"
    with pytest.raises(TypeError, match="^out_dtype: dtype float32 is none of int32 and int64; "):
        negzero.case("reduce.argmax", x=A, out_dtype=np.float32)
    with pytest.raises(TypeError, match="^out_dtype: 'I64' is no dtype; give one of float64, "):
        negzero.case("gemm", a=A, b=B, out_dtype="I64")


@pytest.mark.parametrize("operation", list(negzero.operations()))
def test_every_operation_makes_a_case_from_its_own_line(operation: str) -> None:
    from negzero._operations import signature_of

    signature = signature_of(operation)
    extents = dict(zip(signature.extents, (2, 3, 4, 5)))
    operands: "dict[str, Any]" = {}
    for tensor in signature.inputs:
        dtype = np.int32 if tensor.role == "index" else np.float32
        operands[tensor.name] = small([extents[extent] for extent in tensor.shape], dtype, least=0, most=1)
    case = negzero.case(operation, **operands)
    assert contents(case)[1]["operation"]["extents"] == extents
    for output in signature.outputs:
        dtype = np.int32 if output.name in signature.places else np.float32
        assert case.outputs[output.name] == (tuple(extents[extent] for extent in output.shape), np.dtype(dtype))
    case.save("case.safetensors")
    loaded = negzero.load("case.safetensors")
    assert loaded.data == case.data and loaded.outputs == case.outputs


@pytest.mark.parametrize("name", FLOATS)
def test_every_format_keeps_every_bit(name: str) -> None:
    dtype = np.dtype(FLOATS[name])
    bits = np.random.default_rng(1).integers(0, 256, 4096 * dtype.itemsize, np.uint8)
    tensors, metadata = contents(negzero.case("convert", x=bits.view(dtype), out_dtype=np.float32))
    assert metadata["operation"]["formats"]["x"] == name
    assert tensors["x"].tobytes() == bits.tobytes()


def test_the_file_is_one_that_safetensors_describes() -> None:
    case = negzero.case("gemm", a=A, b=B, contract="f32")
    size = int.from_bytes(case.data[:8], "little")
    header = json.loads(case.data[8 : 8 + size])
    assert header["__metadata__"]["contract"] == "f32" and case.contract == "f32"
    assert 8 + size + max(each["data_offsets"][1] for name, each in header.items() if name[0] != "_") == len(case.data)


def test_equal_cases_are_equal_bytes_whatever_the_strides() -> None:
    assert negzero.case("gemm", a=A, b=B) == negzero.case("gemm", b=np.asfortranarray(B), a=A[::-1][::-1])
