"""Contracts of functions that negzero does not call: Triton's, which kernels alone can call, and CuPy's updates in place.

What they say of Triton is what the documentation of triton.language does (triton-lang.org, 3.6).
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any
from collections.abc import Callable, Mapping, Sequence

Fields = Mapping[str, Any]

_REPEATS = {"determinism": "run_to_run"}
_FLUSHES = {"subnormal_inputs": "either", "subnormal_results": "either"}
#: tl.maximum() and tl.minimum() do not propagate a NaN unless propagate_nan says so; tl.max() says nothing of its own.
_PASSES_NAN = {"nan": "ignore", "all_nan": "any"}


@dataclass(frozen=True)
class Named:
    """A function of which a contract is known by name."""

    operation: str
    #: Has the formats of the operation and then keywords of the function. Raises ValueError for what has no contract.
    fields: "Callable[..., Fields]"

    def contract(self, name: str, formats: "Sequence[str]", words: "Mapping[str, Any]") -> "dict[str, Any]":
        """Returns the contract of these formats. Raises TypeError or ValueError, which name the function."""
        known = list(inspect.signature(self.fields).parameters)[1:]
        for word in words:
            if word not in known:
                raise TypeError(f"{name}: no keyword {word!r} that negzero knows; known: {', '.join(known) or 'none'}")
        try:
            return dict(self.fields(formats, **words))
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error


def _dot(formats: "Sequence[str]", input_precision: str = "tf32", out_dtype: str = "float32") -> Fields:
    """tl.dot(): "the default precision of tf32"; "ieee" computes in F32. Of sums and their order nothing is said.

    Factors of F16 and FP8 are summed in out_dtype; BF16 and F32 in F32, and F64 in F64 (language/semantic.py).
    """
    if input_precision not in ("tf32", "ieee") or out_dtype not in ("float32", "float16"):
        raise ValueError(
            f"of input_precision {input_precision!r} and out_dtype {out_dtype!r} no contract is known; give 'tf32' or "
            "'ieee', and 'float32' or 'float16'"
        )
    a, b, d = formats
    are_f8 = a.startswith("F8") and b.startswith("F8")
    if a != b and not are_f8:
        raise ValueError(f"factors of {a} and {b} have no product; give both in one format, or both in FP8")
    if a == "F64":
        return {"accumulate": "F64", **_stored(d), **_REPEATS}
    if a == "F32" and input_precision == "ieee":
        return {"accumulate": "F32", **_stored(d)}
    if are_f8 and out_dtype == "float16":
        raise ValueError("of sums of FP8 in out_dtype 'float16' no arithmetic is known; give 'float32'")
    if are_f8:
        # Tensor cores of Ada and Hopper hold sums of FP8 in 14 bits, until max_num_imprecise_acc values of k are added;
        # a device without such tensor cores converts FP8 to F16.
        return {"accumulate": "F32", "tensor_core": "may", **_stored(d)}
    accumulate = "F16" if a == "F16" and out_dtype == "float16" else "F32"
    tf32 = {"multiplicand": "tf32_or_exact"} if a == "F32" else {}
    return {"accumulate": accumulate, "tensor_core": "may", **tf32, **_stored(d), **_REPEATS}


def _stored(output: str) -> Fields:
    """tl.store() casts what it is given, and of a cast to FP8 it is not said whether it saturates."""
    return {"overflow": "either"} if output.startswith("F8") else {}


def _at_least_f32(formats: "Sequence[str]") -> Fields:
    """tl.sum(): "float dtypes are upcasted to at least tl.float32"."""
    return {"accumulate": "F64" if formats[0] == "F64" else "F32", **_stored(formats[1]), **_REPEATS}


def _cumsum(formats: "Sequence[str]") -> Fields:
    """tl.cumsum(): "bfloat16 inputs are automatically promoted"; others are summed as they are."""
    return {"accumulate": "F32" if formats[0] == "BF16" else formats[0], **_stored(formats[1]), **_REPEATS}


def _extreme(formats: "Sequence[str]") -> Fields:
    return {**_PASSES_NAN, "zero_sign": "any", **_REPEATS}


def _place(formats: "Sequence[str]") -> Fields:
    """tl.argmax(): "in case of a tie, return the left-most index for values that aren't NaN"."""
    return {**_PASSES_NAN, "ties": "first", **_REPEATS}


def _cast(formats: "Sequence[str]") -> Fields:
    """tl.cast(): to FP8 it may saturate; to an integer it cuts, as C does."""
    if formats[1] == "I32":
        return {"output_rounding": "toward_zero"}
    return {**_stored(formats[1]), **_REPEATS} if formats[1].startswith("F8") else {}


def _added(formats: "Sequence[str]") -> Fields:
    """Sums by atomics, in the elements' own format, which flush subnormal numbers of F32 (PTX ISA, atom.add)."""
    return {"accumulate": formats[0], **_FLUSHES, "zero_sign": "any"}


def _selected(formats: "Sequence[str]") -> Fields:
    """tl.atomic_max() and tl.atomic_min() say nothing of NaN and of zeros."""
    return {"zero_sign": "ieee"}


def _selected_by_cupy(formats: "Sequence[str]") -> Fields:
    """cupy.maximum and cupy.minimum: "If NaN appears, it returns the NaN"."""
    return {"nan": "propagate", "zero_sign": "any", **_FLUSHES}


NAMED: "Mapping[str, Named]" = {
    "triton.language.dot": Named("gemm", _dot),
    "triton.language.sum": Named("reduce.sum", _at_least_f32),
    "triton.language.cumsum": Named("scan.inclusive", _cumsum),
    "triton.language.max": Named("reduce.max", _extreme),
    "triton.language.min": Named("reduce.min", _extreme),
    "triton.language.argmax": Named("reduce.argmax", _place),
    "triton.language.argmin": Named("reduce.argmin", _place),
    "triton.language.atomic_add": Named("scatter.add", _added),
    "triton.language.atomic_max": Named("scatter.max", _selected),
    "triton.language.atomic_min": Named("scatter.min", _selected),
    "triton.language.cast": Named("convert", _cast),
    "cupy.add.at": Named("scatter.add", _added),
    "cupy.maximum.at": Named("scatter.max", _selected_by_cupy),
    "cupy.minimum.at": Named("scatter.min", _selected_by_cupy),
}
