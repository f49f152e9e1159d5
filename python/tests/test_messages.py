"""An error names the argument, and a cure that helps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable

import ml_dtypes
import negzero
import numpy as np
import pytest
from support import gemm

A, B, D = gemm()
X = np.ones((2, 3), np.float32)


class Hostile(Mapping):  # type: ignore[type-arg]
    def __getitem__(self, key: object) -> Any:
        raise RuntimeError("no")

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Any:
        raise RuntimeError("no")


class HostileDict(dict):  # type: ignore[type-arg]
    def items(self) -> Any:
        raise RuntimeError("no")


def message(kind: "type[Exception]", call: "Callable[[], object]") -> str:
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize("dtype", [np.uint32, np.int64, bool, np.int16])
def test_integers_are_told_to_become_what_the_operand_takes(dtype: Any) -> None:
    said = message(TypeError, lambda: negzero.judge(D, "gemm", a=A.astype(dtype), b=B))
    assert said.startswith("a: dtype ") and "; convert it: .astype(numpy.float32)" in said, said
    assert said.split(" is none of ")[1].startswith("float64, float32, "), said
    said = message(TypeError, lambda: negzero.judge(D.astype(dtype), "gemm", a=A, b=B))
    assert said.startswith("observed: dtype ") and "int8" not in said.split(" is none of ")[1], said


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32])
def test_integers_and_floats_do_not_mix_in_a_product(dtype: Any) -> None:
    said = message(ValueError, lambda: negzero.judge(D, "gemm", a=A.astype(dtype), b=B))
    assert "b has format F16; gemm of integers takes I8, U8 and I32 for its factors" in said, said


@pytest.mark.parametrize("dtype", [np.float64, np.float32, bool, ml_dtypes.bfloat16])
def test_indices_are_told_to_become_integers(dtype: Any) -> None:
    x, index, init = np.ones(2, np.float32), np.zeros(2, dtype), np.zeros(2, np.float32)
    said = message(TypeError, lambda: negzero.judge(init, "scatter.add", x=x, index=index, init=init))
    assert said.startswith("index: dtype ") and said.endswith("; convert it: .astype(numpy.int32)"), said
    assert " is none of int32 and int64; " in said, said
    said = message(TypeError, lambda: negzero.judge(np.zeros(2, dtype), "reduce.argmax", x=X))
    assert said.startswith("observed: dtype ") and said.endswith("; convert it: .astype(numpy.int32)"), said


def test_a_conversion_may_give_int32() -> None:
    assert negzero.judge(np.ones((2, 3), np.int32), "convert", x=X).permitted


@pytest.mark.skipif(not hasattr(ml_dtypes, "float8_e8m0fnu"), reason="this ml_dtypes has no float8_e8m0fnu")
def test_a_scale_of_eight_bits_is_told_to_become_a_format_that_holds_it() -> None:
    scale = np.arange(255, dtype=np.uint8).view(ml_dtypes.float8_e8m0fnu)
    said = message(TypeError, lambda: negzero.case("convert", x=scale, out_dtype=np.float32))
    assert said.endswith("; convert to float32 or float64, which hold every value of it"), said
    assert (scale.astype(np.float32).astype(np.float64) == 2.0 ** np.arange(-127, 128)).all()


@pytest.mark.parametrize("contract", ["nope", {"preset": "x"}, {"order": "x"}, {"nothing": 1}, {"accumulate": 3}])
def test_errors_of_contracts_have_no_cure_about_operations(contract: object) -> None:
    said = message(ValueError, lambda: negzero.judge(X.sum(1), "reduce.sum", x=X, contract=contract))
    assert said.startswith("contract") and "; " in said and "negzero.operations()" not in said, said


@pytest.mark.parametrize("value", [None, 3, object(), [], True])
def test_what_is_no_path_is_refused(value: object) -> None:
    assert message(TypeError, lambda: negzero.load(value)).startswith("path: ")  # type: ignore[arg-type]
    case = negzero.case("reduce.sum", x=X)
    assert message(TypeError, lambda: case.save(value)).startswith("path: ")  # type: ignore[arg-type]
    if value is not None:  # the right outputs too: a wrong argument does not wait for a wrong result
        options: Any = {"save_to": value}
        said = message(TypeError, lambda: negzero.assert_permitted(X.sum(1), case, **options))
        assert said.startswith("save_to: ") and "give a str or a pathlib.Path" in said, said


def test_mappings_that_raise_are_refused() -> None:
    assert message(TypeError, lambda: negzero.judge(Hostile(), "gemm", a=A, b=B)).startswith("observed: ")
    case = negzero.case("gemm", a=A, b=B, out_dtype=np.float32)
    assert message(TypeError, lambda: negzero.judge(Hostile(), case)).startswith("observed: ")
    for contract in (Hostile(), HostileDict(a=1)):
        said = message(TypeError, lambda held_to=contract: negzero.judge(D, "gemm", a=A, b=B, contract=held_to))
        assert said.startswith("contract: "), said
