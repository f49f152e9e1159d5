"""Calls that are wrong, odd or hostile: an error that names argument and cure, or the right result."""

from __future__ import annotations

import datetime
import decimal
import fractions
from typing import Any, Callable

import ml_dtypes
import negzero
import numpy as np
import pytest
from support import gemm, small, spoiled

A, B, D = gemm()
OPERANDS = {"observed": D, "a": A, "b": B, "c": np.zeros((3, 2), np.float32)}


def call(**changes: Any) -> negzero.Judgement:
    operands = {**OPERANDS, **changes}
    operation = operands.pop("operation", "gemm")
    return negzero.judge(operands.pop("observed"), operation, **operands)


def refused(names: str, call: Callable[[], Any]) -> None:
    """The call raises TypeError or ValueError with the argument's name and, behind a semicolon, a cure."""
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    text = str(caught.value)
    assert names in text, text
    assert "; " in text and len(text.split("; ", 1)[1]) > 8, f"no cure: {text}"
    assert len(text) < 600 and "\n" not in text, text


class Lying:
    """Claims a shape and a dtype, and is something else."""

    shape, dtype, ndim, size = (1 << 40, 4), np.dtype(np.float16), 2, 1 << 42

    def __init__(self, array: Any) -> None:
        self.array = array

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.array


class Raising:
    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise self.error


class Endless:
    """Has every attribute, and each is itself."""

    def __getattr__(self, name: str) -> Any:
        return self

    def __call__(self, *_: Any, **__: Any) -> Any:
        return self


class Pretending:
    """Says that it is an array."""

    @property
    def __class__(self) -> Any:  # type: ignore[override]
        return np.ndarray


class Hostile(np.ndarray):
    """A subclass whose every word is a trap."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(f"asked for {name}")

    def __eq__(self, other: Any) -> Any:
        raise RuntimeError("compared")

    def __array_function__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("called")

    def __array_ufunc__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("called")

    def reshape(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("reshaped")


class Shrinking(np.ndarray):
    """A subclass that lies about its shape in Python."""

    @property
    def shape(self) -> Any:
        return (1, 1)


RECORD = np.dtype([("x", np.float32), ("y", np.float16)])
NO_ARRAYS = {
    "list": [[1.0, 2.0]],
    "tuple": (1.0,),
    "float": 1.5,
    "int": 3,
    "bool": True,
    "text": "a",
    "bytes": b"abcd",
    "bytearray": bytearray(8),
    "memoryview": memoryview(b"abcd"),
    "dict": {"x": 1},
    "set": {1},
    "generator": (x for x in ()),
    "function": len,
    "type": np.ndarray,
    "object": object(),
    "ellipsis": ...,
    "range": range(4),
    "complex": 1j,
    "decimal": decimal.Decimal(1),
    "date": datetime.date(2020, 1, 1),
    "endless": Endless(),
    "pretending": Pretending(),
    "raises RuntimeError": Raising(RuntimeError("no")),
    "raises TypeError": Raising(TypeError("no")),
    "raises SystemError": Raising(SystemError("no")),
    "raises RecursionError": Raising(RecursionError("no")),
    "gives None": Lying(None),
    "gives a list": Lying([1.0]),
    "gives itself": Lying(Endless()),
    "lies about objects": Lying(np.array([object()])),
    "masked": np.ma.masked_array(np.zeros((3, 4), np.float16), mask=True),
    "object array": np.array([[1.0, None]], dtype=object),
    "ragged objects": np.array([np.zeros(2), np.zeros(3)], dtype=object),
    "bools": np.zeros((3, 4), bool),
    "int8": np.zeros((3, 4), np.int8),
    "uint32": np.zeros((3, 4), np.uint32),
    "int64": np.zeros((3, 4), np.int64),
    "complex64": np.zeros((3, 4), np.complex64),
    "long double": np.zeros((3, 4), np.longdouble),
    "texts": np.array([["a", "b"]]),
    "byte texts": np.array([[b"a"]]),
    "times": np.zeros((3, 4), "datetime64[s]"),
    "spans": np.zeros((3, 4), "timedelta64[s]"),
    "void": np.zeros((3, 4), "V4"),
    "records": np.zeros((3, 4), RECORD),
    "recarray": np.zeros((3, 4), RECORD).view(np.recarray),
    "NaN": float("nan"),
}
# Old versions of ml_dtypes have fewer of them.
for name in ("float8_e4m3", "float8_e4m3fnuz", "float8_e8m0fnu", "int4", "uint4", "float4_e2m1fn"):
    if hasattr(ml_dtypes, name):
        NO_ARRAYS[name] = np.ones((3, 4), getattr(ml_dtypes, name))


@pytest.mark.parametrize(
    "argument, what", [(argument, what) for argument in ("observed", "a", "b", "c") for what in NO_ARRAYS]
)
def test_what_is_no_array_of_numbers_is_refused(argument: str, what: str) -> None:
    refused(argument, lambda: call(**{argument: NO_ARRAYS[what]}))


@pytest.mark.parametrize("argument", ["observed", "a", "b"])
def test_none_is_refused(argument: str) -> None:
    refused(argument, lambda: call(**{argument: None}))


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3)], ids=["interrupt", "exit"])
def test_an_interrupt_is_no_error_of_the_argument(error: BaseException) -> None:
    with pytest.raises(type(error)):
        call(a=Raising(error))


def f16(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float16)


@pytest.mark.parametrize(
    "names, changes",
    [
        ("a", {"a": f16()}),
        ("a", {"a": f16(4)}),
        ("b", {"b": f16(4)}),
        ("k", {"a": f16(3, 5)}),
        ("k", {"b": f16(2, 4)}),
        ("k", {"a": f16(3, 0)}),
        ("observed", {"a": f16(2, 4)}),
        ("observed", {"b": f16(4, 3)}),
        ("observed", {"a": f16(0, 4)}),
        ("observed", {"observed": np.zeros((2, 3), np.float32)}),
        ("observed", {"observed": np.zeros((3,), np.float32)}),
        ("observed", {"observed": np.zeros((), np.float32)}),
        ("observed", {"observed": np.zeros((1, 3, 2), np.float32)}),
        ("observed", {"observed": np.zeros((3, 2, 1), np.float32)}),
        ("observed", {"observed": np.zeros((0, 2), np.float32)}),
        ("observed", {"observed": np.zeros((0,), np.float32)}),
        ("c", {"c": np.zeros((2, 3), np.float32)}),
        ("c", {"c": np.zeros((5,), np.float32)}),
        ("c", {"c": np.zeros((1, 3, 2), np.float32)}),
        ("c", {"c": np.zeros((0, 2), np.float32)}),
        ("leading", {"a": f16(2, 3, 4), "b": f16(3, 4, 2)}),
        ("leading", {"a": f16(2, 0, 3, 4), "b": f16(2, 4, 4, 2)}),
        ("observed", {"a": f16(0, 3, 4)}),
        ("observed", {"a": f16(*[1] * 30, 3, 4)}),
        ("c", {"c": np.zeros((3, 2), np.int64)}),
        ("d", {"observed": np.zeros((3, 2), np.int32)}),
        ("a", {"a": np.zeros((3, 4), np.int32)}),
        ("index", {"index": np.zeros(3, np.int32)}),
        ("d", {"d": D}),
        ("axis", {"axis": 1}),
        ("x", {"x": A}),
        ("c", {"c": None, "beta": 1.0}),
        ("c", {"c": None, "beta": float("nan")}),
    ],
)
def test_shapes_and_names_that_do_not_fit_are_refused(names: str, changes: Any) -> None:
    refused(names, lambda: call(**changes))


@pytest.mark.parametrize("argument", ["alpha", "beta"])
@pytest.mark.parametrize(
    "value",
    [
        "1", b"1", True, np.bool_(True), 1j, np.complex64(1), [1.0], (1.0,), {}, object(), 10**400, 1e300, -1e300,
        2**200, np.zeros(1, np.float32), np.zeros((1, 1)), np.array("x"), np.array(None), np.float64(1e300),
        decimal.Decimal(1), fractions.Fraction(1, 2), np.datetime64(1, "s"), np.ma.masked, Endless(),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_what_is_no_scalar_is_refused(argument: str, value: Any) -> None:
    refused(argument, lambda: call(**{argument: value}))


@pytest.mark.parametrize(
    "names, changes",
    [
        ("elements", {"elements": 3}),
        ("elements", {"elements": None}),
        ("elements", {"elements": "some"}),
        ("elements", {"elements": np.array(["all", "all"])}),
        ("seconds", {"seconds": 0}),
        ("seconds", {"seconds": -1.0}),
        ("seconds", {"seconds": float("nan")}),
        ("seconds", {"seconds": float("inf")}),
        ("seconds", {"seconds": 10**400}),
        ("seconds", {"seconds": "2"}),
        ("seconds", {"seconds": None}),
        ("seconds", {"seconds": True}),
        ("threads", {"threads": -1}),
        ("threads", {"threads": 1.0}),
        ("threads", {"threads": 10**9}),
        ("threads", {"threads": "2"}),
        ("seed", {"seed": -1}),
        ("seed", {"seed": 2**64}),
        ("seed", {"seed": 0.5}),
        ("worst", {"worst": -1}),
        ("worst", {"worst": None}),
        ("worst", {"worst": 10**30}),
        ("contract", {"contract": 5}),
        ("contract", {"contract": ""}),
        ("contract", {"contract": "  "}),
        ("contract", {"contract": ["f32"]}),
        ("contract", {"contract": b"f32"}),
        ("contract", {"contract": {"x": object()}}),
        ("contract", {"contract": {"x": float("nan")}}),
        ("contract", {"contract": {1j: 2}}),
        ("contract", {"contract": "{"}),
        ("contract", {"contract": "{" + '"a":{' * 100000}),
        ("no_such_preset", {"contract": "no_such_preset"}),
        ("no_such_field", {"contract": {"no_such_field": 1}}),
        ("contract", {"contract": "\ud800"}),
        ("contract", {"contract": "f32\0"}),
        ("operation", {"operation": "gem"}),
        ("operation", {"operation": ""}),
        ("operation", {"operation": None}),
        ("operation", {"operation": 3}),
        ("operation", {"operation": A}),
        ("operation", {"operation": b"gemm"}),
        ("operation", {"operation": "gemm\0"}),
    ],
)
def test_options_that_mean_nothing_are_refused(names: str, changes: Any) -> None:
    refused(names, lambda: call(**changes))


X, INDEX, INIT = small(4, np.float32), np.array([0, 1, 1, 0], np.int32), np.zeros(3, np.float32)


@pytest.mark.parametrize(
    "names, changes",
    [
        ("index", {"index": INDEX.astype(np.int64) + 2**32}),
        ("index", {"index": INDEX.astype(np.float32)}),
        ("index", {"index": INDEX.astype(bool)}),
        ("index", {"index": INDEX[:3]}),
        ("index", {"index": INDEX.reshape(2, 2)}),
        ("index", {"index": None}),
        ("index", {"index": np.array([0, 1, 3, 0], np.int32)}),
        ("index", {"index": np.array([0, -1, 1, 0], np.int32)}),
        ("index", {"index": np.array([0, 2**31 - 1, 1, 0], np.int32)}),
        ("init", {"init": None}),
        ("observed", {"init": INIT[:2]}),
        ("init", {"init": INIT.astype(np.float16)}),
        ("x", {"x": X.astype(np.float16)}),
        ("x", {"x": X.reshape(2, 2)}),
        ("x", {"x": X.astype(np.int32)}),
        ("observed", {"observed": INIT[:, None]}),
        ("observed", {"observed": INIT[:0]}),
        ("alpha", {"alpha": 1.0}),
        ("init", {"init": INIT[:, None], "observed": INIT[:, None]}),
        ("init", {"init": INIT[0], "observed": INIT[0], "index": INDEX * 0}),
    ],
)
def test_scatters_that_do_not_fit_are_refused(names: str, changes: Any) -> None:
    operands = {"x": X, "index": INDEX, "init": INIT, "observed": INIT, **changes}
    observed = operands.pop("observed")
    refused(names, lambda: negzero.judge(observed, "scatter.add", contract="f32", **operands))


@pytest.mark.parametrize("place, value", [(2, 3), (1, -1), (0, 2**31 - 1), (3, -(2**31))])
def test_an_index_out_of_range_is_named_with_its_place(place: int, value: int) -> None:
    index = INDEX.copy()
    index[place] = value
    with pytest.raises(ValueError, match=rf"^index\[{place}\] is {value}, and destinations is 3; give .* from 0 to 2$"):
        negzero.judge(INIT, "scatter.add", x=X, index=index, init=INIT)


@pytest.mark.parametrize("rows", [[0, 4], [-1, 3]])
def test_a_count_out_of_range_is_named_with_its_place(rows: "list[int]") -> None:
    a, b = small((2, 3, 4)), small((2, 4, 5))
    assert negzero.case("gemm.grouped", a=a, b=b, rows=np.array([0, 3], np.int32))
    with pytest.raises(ValueError, match=r"^rows\[[01]\] is (4|-1), and capacity is 3; give .* from 0 to 3$"):
        negzero.case("gemm.grouped", a=a, b=b, rows=np.array(rows, np.int32))


VALUES, PLACES = np.array([2.0], np.float32), np.array([1], np.int32)


@pytest.mark.parametrize(
    "names, observed",
    [
        ("observed", VALUES),
        ("observed", (VALUES, PLACES)),
        ("observed", {}),
        ("at", {"y": VALUES}),
        ("y", {"at": PLACES}),
        ("z", {"y": VALUES, "at": PLACES, "z": VALUES}),
        ("3", {"y": VALUES, "at": PLACES, 3: VALUES}),
        ("at", {"y": VALUES, "at": PLACES.astype(np.uint64) + np.uint64(2**40)}),
        ("at", {"y": VALUES, "at": VALUES}),
        ("at", {"y": VALUES, "at": None}),
        ("at", {"y": VALUES, "at": PLACES[:0]}),
        ("y", {"y": PLACES, "at": PLACES}),
        ("y", {"y": [2.0], "at": PLACES}),
    ],
)
def test_outputs_by_name(names: str, observed: Any) -> None:
    x = np.array([[1.0, 2.0]], np.float32)
    assert negzero.judge({"y": VALUES, "at": PLACES}, "reduce.max_index", x=x).permitted
    refused(names, lambda: negzero.judge(observed, "reduce.max_index", x=x))


def huge(*shape: int) -> np.ndarray:
    return np.broadcast_to(np.float32(1), shape)


@pytest.mark.parametrize(
    "operation, operands",
    [
        ("reduce.sum", {"x": huge(1 << 40)}),
        ("reduce.sum", {"x": huge(1 << 30, 1 << 30)}),
        ("reduce.sum", {"x": huge(1 << 60)}),
        ("reduce.sum", {"x": huge(1 << 32, 0)}),
        ("scan.inclusive", {"x": huge(1 << 20, 1 << 20)}),
        ("gemm", {"a": huge(1 << 31, 1), "b": huge(1, 1 << 31)}),
        ("gemm", {"a": huge(1 << 20, 1), "b": huge(1, 1 << 20)}),
        ("gemm", {"a": huge(1 << 40, 1, 1), "b": huge(1, 1)}),
        ("gemm", {"a": huge(1 << 31, 0), "b": huge(0, 1 << 31)}),
        ("gemm", {"a": huge(1 << 16, 1, 1, 1), "b": huge(1 << 16, 1, 1)}),
        ("gemm", {"a": huge(1, 1), "b": huge(1, 1), "c": huge(1 << 40, 1)}),
        ("gemm", {"a": np.lib.stride_tricks.as_strided(X, (1 << 33, 1), (0, 4)), "b": huge(1, 1)}),
    ],
)
def test_extents_beyond_all_memory_are_refused(operation: str, operands: Any) -> None:
    with pytest.raises(ValueError) as caught:
        negzero.case(operation, out_dtype=np.float32, **operands)
    assert "; " in str(caught.value), caught.value
    with pytest.raises(ValueError):
        negzero.judge(huge(1 << 40), operation, **operands)


@pytest.mark.parametrize(
    "value", [None, "no_such", "int64", np.int64, 3, object(), A, np.dtype(RECORD), Endless(), [1], "F9", ""],
    ids=lambda value: str(value)[:12],
)  # fmt: skip
def test_output_dtypes_that_are_none_are_refused(value: Any) -> None:
    bytes_only = small((2, 2), ml_dtypes.float8_e4m3fn)
    refused("out_dtype", lambda: negzero.case("gemm", a=bytes_only, b=bytes_only, out_dtype=value))


FORMS = ["plain", "read only", "Fortran", "transposed twice", "reversed", "strided", "unaligned", "big endian",
         "little endian", "matrix", "hostile subclass", "subclass that lies", "object that lies",
         "object that gives a subclass", "memory map"]  # fmt: skip


def odd(array: np.ndarray) -> "dict[str, Any]":
    """The same elements in every odd form that is an array of numbers all the same."""
    frozen = array.copy()
    frozen.setflags(write=False)
    wide = np.zeros((2 * array.shape[0], 3 * array.shape[1]), array.dtype)
    wide[::2, ::3] = array
    unaligned = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
    unaligned[...] = array
    return {
        "plain": array,
        "read only": frozen,
        "Fortran": np.asfortranarray(array),
        "transposed twice": array.T.copy().T,
        "reversed": array[::-1, ::-1].copy()[::-1, ::-1],
        "strided": wide[::2, ::3],
        "unaligned": unaligned,
        "big endian": array.astype(array.dtype.newbyteorder(">")),
        "little endian": array.astype(array.dtype.newbyteorder("<")),
        "matrix": array.view(np.matrix),
        "hostile subclass": array.view(Hostile),
        "subclass that lies": array.view(Shrinking),
        "object that lies": Lying(array),
        "object that gives a subclass": Lying(array.view(Hostile)),
        "memory map": _mapped(array),
    }


def _mapped(array: np.ndarray) -> np.ndarray:
    mapped = np.memmap("mapped", array.dtype, "w+", shape=array.shape)
    mapped[...] = array
    return mapped


@pytest.mark.parametrize("argument", ["a", "b", "observed", "c"])
@pytest.mark.parametrize("form", FORMS)
def test_odd_arrays_are_judged_as_plain_ones(argument: str, form: str) -> None:
    right = odd(OPERANDS[argument])[form]
    assert call(**{argument: right}).verdict == "pass"
    wrong = odd(spoiled(OPERANDS[argument], (0, 1)))[form]
    judgement = call(**{argument: wrong})
    assert judgement.verdict == "fail"
    if argument == "observed":
        assert [element.index for element in judgement.worst] == [(0, 1)]


def test_overlapping_arrays_are_read_only() -> None:
    both = small((4, 4), np.float32)
    before = both.copy()
    right = both.astype(np.float64) @ both.T.astype(np.float64)
    assert negzero.judge(right.astype(np.float32), "gemm", a=both, b=both.T, c=both, beta=0).permitted
    negzero.judge(both, "gemm", a=both, b=both, c=both)
    assert (both == before).all()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_bits_of_big_endian_arrays_are_kept(dtype: Any) -> None:
    width = np.dtype(dtype).itemsize
    bits = np.random.default_rng(5).integers(0, 256, (64, width), np.uint8)
    bits[0, :] = 255
    bits[1, :] = [1] + [0] * (width - 1)
    native = bits.view(dtype)[:, 0]
    signalling = {2: 0x7D01, 4: 0x7FA00001, 8: 0x7FF4000000000001}[width]
    native.view(f"u{width}")[2] = signalling
    swapped = native.view(f"u{width}").astype(f">u{width}").view(np.dtype(dtype).newbyteorder(">"))
    out = np.float32
    assert negzero.case("convert", x=swapped, out_dtype=out) == negzero.case("convert", x=native, out_dtype=out)


@pytest.mark.parametrize(
    "alpha", [2, 2.0, np.float32(2), np.float16(2), np.int8(2), ml_dtypes.bfloat16(2), np.array(2.0), np.float64(2)],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_scalars_of_every_kind_are_numbers(alpha: Any) -> None:
    assert call(observed=2 * D, alpha=alpha).permitted
    assert call(alpha=alpha).verdict == "fail"


@pytest.mark.parametrize("alpha", [float("nan"), np.float32("nan"), float("inf"), -np.inf])
def test_scalars_that_are_no_finite_number_are_legal(alpha: Any) -> None:
    with np.errstate(invalid="ignore"):
        observed = D * np.float32(alpha)
    assert call(observed=observed, alpha=alpha, c=None).verdict in ("pass", "vacuous")
    if not np.isnan(observed).all():
        assert call(observed=np.full_like(D, 1.0), alpha=alpha, c=None).verdict == "fail"


@pytest.mark.parametrize("m, n, k", [(0, 2, 3), (2, 0, 3), (0, 0, 0)])
def test_nothing_to_judge_is_no_pass(m: int, n: int, k: int) -> None:
    judgement = negzero.judge(np.zeros((m, n), np.float32), "gemm", a=f16(m, k), b=f16(k, n))
    assert not judgement.permitted and judgement.reason
    with pytest.raises(negzero.NothingDecided):
        negzero.assert_permitted(np.zeros((m, n), np.float32), "gemm", a=f16(m, k), b=f16(k, n))


def test_a_sum_of_nothing_is_zero() -> None:
    assert negzero.judge(np.zeros((2, 3), np.float32), "gemm", a=f16(2, 0), b=f16(0, 3)).permitted
    assert negzero.judge(np.ones((2, 3), np.float32), "gemm", a=f16(2, 0), b=f16(0, 3)).verdict == "fail"


@pytest.mark.parametrize(
    "data",
    [b"", b"{}", b"\0" * 8, b"\xff" * 64, (1 << 60).to_bytes(8, "little") + b"{}", (2).to_bytes(8, "little") + b"{}",
     (4).to_bytes(8, "little") + b"null", (2).to_bytes(8, "little") + b"[]",
     b'\x40' + b"\0" * 7 + b'{"__metadata__":{"negzero":"1","operation":"{}"}}'.ljust(64)],
)  # fmt: skip
def test_files_that_are_no_cases_are_refused(data: bytes) -> None:
    with open("broken.safetensors", "wb") as file:
        file.write(data)
    with pytest.raises(ValueError, match="broken.safetensors"):
        negzero.load("broken.safetensors")


def test_a_case_takes_no_operands_and_no_other_dtype() -> None:
    case = negzero.case("gemm", a=A, b=B, out_dtype=np.float32)
    assert negzero.judge(D, case).permitted
    refused("a", lambda: negzero.judge(D, case, a=A))
    refused("observed", lambda: negzero.judge(D.astype(np.float16), case))
    refused("observed", lambda: negzero.judge(D.T, case))
    refused("case", lambda: negzero.permitted(case, a=A))
