"""Judges recorded results, and gives the sets that a contract permits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _library, _safetensors
from ._case import Case, contract_option, observed_bytes
from ._contract import Contract
from ._functions import Result
from ._judgement import Judgement, judgement_of, undecided
from ._notes import Notes
from ._prepare import prepare, unobserved
from ._tracing import untraced


@untraced
def judge(
    observed: object,
    operation: object,
    *arguments: Any,
    contract: "str | Contract | None" = None,
    elements: str = "sample",
    seconds: float = 2.0,
    threads: int = 0,
    seed: int = 1,
    worst: int = 8,
    **operands: Any,
) -> Judgement:
    """Judges what something computed against the set of results that a contract permits.

        judgement = negzero.judge(d, "gemm", a=a, b=b)
        if not judgement.permitted: print(judgement.text)
        negzero.judge(my_sum(x), torch.sum, x, dim=1)   # held to what torch.sum promises

    observed   the output's array; a dict of arrays by name where the operation has several outputs; or, with a
               Case, the pathlib.Path of a safetensors file that has the outputs by their names
    operation  its name (see negzero.operations()), with its operands as keywords; or a function of a framework, as it
               is or by name ("torch.sum", see negzero.functions()), with its own arguments; or a Case, without
    contract   a preset's name, JSON or a dict (negzero.Contract has its fields); where it is missing, the case's own,
               else what the function's documentation promises (Judgement.promises), else the one that is assumed of an
               operation of which nothing was declared: Judgement.assumed says which
    elements   "sample" (rows, columns, corners, extremes and random ones, about `seconds` long) or "all"
    threads    0: one a core
    seed       of the sample's random elements
    worst      how many elements are described, at most; of 0 no hint is looked for either

    Operands have the names of the operation's line. Arrays are those of NumPy, PyTorch, JAX and CuPy, or of whatever
    has __dlpack__, __array_interface__ or __array__, in any strides; what is copied for that, Judgement.notes say.
    Dtypes are float64, float32, float16, bfloat16, float8_e4m3fn, float8_e5m2, and int32 and int64 for places, indices
    and counts; integers of other widths are converted to int32 if every value fits. Gradients are left behind. Arrays
    on a GPU are copied in the order of their framework's current stream: join other streams that write them before the
    call. More leading dimensions than the line has are a batch; fewer are broadcast over it. `c` may be missing, and
    have another dtype than the output; `alpha` is 1 where it is missing, and `beta` is 1 with `c` and 0 without.
    Scalars are kept in F64 where the output is F64, else rounded to F32; those that a line calls int or bool must be
    given. Extents that no operand has, as a line's stride, are keywords too; those that follow from others are computed,
    and a relation that does not hold is an error that names it.

    Raises TypeError or ValueError, which name argument and cure; LibraryError where negzero itself fails.
    """
    notes = Notes()
    prepared = prepare(observed, operation, arguments, contract, operands, notes)
    given = prepared.case
    options = {
        **contract_options(given, contract),
        "elements": _one_of(elements, "elements", ("sample", "all")),
        "seconds": _seconds(seconds),
        "threads": whole(threads, "threads", 0, 1024),
        "seed": whole(seed, "seed", 0, 2**64 - 1),
        "worst": whole(worst, "worst", 0, 1000),
    }
    data = observed_bytes(given, prepared.observed)
    if prepared.call is not None and prepared.is_promised and prepared.call.undecided:
        return undecided(prepared, data, notes)
    try:
        report = _library.judge(given.data, data, options)
    except ValueError as error:
        why = notes.without_x64()  # formats may differ for a reason that the library cannot know
        if not why:
            raise
        raise ValueError(f"{error}; {why}") from None
    if report["verdict"] == "fail" and prepared.is_promised and prepared.call is not None and prepared.call.otherwise:
        other = {**prepared.call.contract, **prepared.call.otherwise}
        second = _library.judge(given.data, data, {**options, "contract": other})
        report = second if second["verdict"] == "pass" else report
    return judgement_of(report, prepared, data, notes)


@dataclass(frozen=True)
class PermittedSet:
    """What a contract permits of each element of an output; arrays in the shape in which the caller sees it."""

    low: np.ndarray  #: the smallest permitted number, in the output's dtype; +0 where no number is permitted
    high: np.ndarray  #: the greatest
    any_finite: np.ndarray  #: whether numbers are permitted at all, so that low and high have a meaning
    nan: np.ndarray  #: whether a NaN is permitted
    plus_infinity: np.ndarray
    minus_infinity: np.ndarray
    plus_zero: np.ndarray  #: of a zero between low and high: whether it may have that sign
    minus_zero: np.ndarray
    has_gaps: np.ndarray  #: whether some numbers between low and high are not permitted
    vacuous: np.ndarray  #: whether the set is too wide to reject garbage


@untraced
def permitted(
    operation: object,
    *arguments: Any,
    contract: "str | Contract | None" = None,
    out_dtype: object = None,
    threads: int = 0,
    **operands: Any,
) -> "dict[str, PermittedSet]":
    """Returns what a contract permits, by the output's name: negzero.permitted("gemm", a=a, b=b)["d"].high.

    Takes what negzero.case() and negzero.judge() take.
    """
    if isinstance(operation, Case):
        if arguments or operands or out_dtype is not None:
            raise TypeError("a case brings its operands and dtypes; leave others out, or name the operation")
        given = operation
    else:
        prepared = unobserved(operation, arguments, contract, out_dtype, operands)
        given = prepared.case
        if prepared.call is not None and prepared.is_promised and prepared.call.undecided:
            raise ValueError(f"contract: {prepared.call.undecided}; give one")
    options = {**contract_options(given, contract), "threads": whole(threads, "threads", 0, 1024)}
    tensors, _ = _safetensors.read(_library.permitted(given.data, options), "the library's answer")
    return {
        name: set_of(tensors, name, shape, given.views.get(name, Result(shape, shape)))
        for name, (shape, _) in given.outputs.items()
    }


def set_of(tensors: "dict[str, np.ndarray]", name: str, shape: "tuple[int, ...]", view: Result) -> PermittedSet:
    def seen(part: str) -> np.ndarray:
        return view.to_caller(tensors[f"{name}.{part}"].reshape(shape))

    flags = seen("flags")
    return PermittedSet(
        low=seen("low"),
        high=seen("high"),
        any_finite=(flags & 1) != 0,
        nan=(flags & 2) != 0,
        plus_infinity=(flags & 4) != 0,
        minus_infinity=(flags & 8) != 0,
        plus_zero=(flags & 16) != 0,
        minus_zero=(flags & 32) != 0,
        has_gaps=(flags & 64) != 0,
        vacuous=(flags & 128) != 0,
    )


def contract_options(given: Case, contract: object) -> "dict[str, Any]":
    """Returns the library's option for a contract: the one that is given, else the case's own, else the default."""
    asked = contract_option(contract)
    if asked is None:
        return {} if given.contract else {"contract": "default"}
    return {"contract": asked}


def _one_of(value: object, argument: str, words: "tuple[str, ...]") -> str:
    if not isinstance(value, str):
        raise TypeError(f"{argument}: a {type(value).__name__}; give one of {', '.join(words)}")
    if value not in words:
        raise ValueError(f"{argument}: {value!r} is no word for it; give one of {', '.join(words)}")
    return value


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"seconds: a {type(value).__name__}; give a number of seconds, 2.0 for one")
    try:
        seconds = float(value)
    except OverflowError:
        seconds = math.inf
    if not 0 < seconds <= 86400:
        raise ValueError(f"seconds = {value}: give more than 0 and at most 86400; elements='all' judges every one")
    return seconds


def number(value: object, argument: str) -> float:
    """Returns a tolerance: a finite number, not below 0."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{argument}: a {type(value).__name__}; give a number, 0.001 for one")
    if not 0 <= value < math.inf:
        raise ValueError(f"{argument} = {value}: give a finite number that is not below 0")
    return float(value)


def whole(value: object, argument: str, least: int, most: int) -> int:
    """Returns a whole number in a range. Raises TypeError or ValueError, which name the argument."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{argument}: a {type(value).__name__}; give a whole number")
    if not least <= value <= most:
        raise ValueError(f"{argument} = {value} is out of range; give a whole number between {least} and {most}")
    return int(value)
