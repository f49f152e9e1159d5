"""Knows which terms an operation's line combines, and adds them one after the other in a format that a caller names.

Such sums are what a kernel might compute, not what is right: right is what the library permits.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import ml_dtypes
import numpy as np

from ._formats import format_of
from ._operations import TensorOf, signature_of

#: Of a format: bits of the significand, the exponent of the least subnormal, and the greatest number. TF32 has the
#: significand of F16 and the exponents of F32 (NVIDIA A100 Tensor Core GPU Architecture, 2020, "TF32").
_ROUNDED: "Mapping[str, tuple[int, int, float]]" = {
    "F16": (11, -24, 65504.0),
    "BF16": (8, -133, float(ml_dtypes.finfo(ml_dtypes.bfloat16).max)),  # type: ignore[no-untyped-call]
    "TF32": (11, -136, float(np.ldexp(2 - 2.0**-10, 127))),
    "F32": (24, -149, float(np.finfo(np.float32).max)),
}


@dataclass(frozen=True)
class Terms:
    """What a line says of its first output."""

    combine: str  #: "sum", "mean", "max", "min", "argmax", "argmin"; "" where an output is made of one element
    factors: "tuple[TensorOf, ...]"  #: the tensors that are multiplied, or combined
    output: TensorOf
    extent: str = ""  #: the extent that numbers the terms; "" where there is one term
    reach: str = ""  #: of a scan: "<=" or "<", how far it goes
    scalar: str = ""  #: what the result is multiplied by
    addend: "tuple[str, TensorOf] | None" = None  #: what is added to it: a scalar times a tensor
    index: str = ""  #: of an update: the tensor of destinations
    initial: str = ""  #: of an update: what the output holds before

    @property
    def is_sum(self) -> bool:
        """Says whether terms are added."""
        return self.combine in ("sum", "mean")

    @property
    def gives_places(self) -> bool:
        """Says whether an output numbers the terms, which then must keep their places."""
        return self.combine in ("argmax", "argmin")

    @property
    def keeps_count(self) -> bool:
        """Says whether a term that is left out leaves its place: it counts in a mean, and is an output of a scan."""
        return self.combine == "mean" or bool(self.reach)


@functools.cache
def terms_of(operation: str) -> Terms:
    """Reads the line of an operation."""
    signature = signature_of(operation)
    output, line = signature.outputs[0], signature.definition
    factors = tuple(each for each in signature.inputs if each.role == "input" and each.name not in signature.addends)
    destinations = next((each for each in signature.inputs if each.below), None)
    if destinations is not None:
        sign = line.split("]")[2].split("=")[0].strip()
        initial = next(each.name for each in signature.inputs if each.role == "initial")
        combine = {"+": "sum"}.get(sign, sign)
        return Terms(combine, factors, output, destinations.shape[0], index=destinations.name, initial=initial)
    head = re.search(r"\b(argmax|argmin|sum|mean|max|min)\(", line)
    if head is None:
        return Terms("", factors, output)
    # "argmax" as a second output numbers the terms too.
    places = re.search(r"\b(argmax|argmin)\(", line)
    reach = re.search(r"\(\w(<=?)\w:", line)
    extent = factors[0].shape[-1] if reach else next(each for each in factors[0].shape if each not in output.shape)
    scaled = re.search(r"(\w+) \* \w+\(", line)
    addends = [
        (scalar, each) for each in signature.inputs for name, scalar in signature.addends.items() if each.name == name
    ]
    return Terms(
        places[1] if places else head[1],
        factors,
        output,
        extent,
        reach[1] if reach else "",
        scaled[1] if scaled else "",
        addends[0] if addends else None,
    )


def chain(
    terms: Terms,
    tensors: "Mapping[str, np.ndarray]",
    scalars: "Mapping[str, float]",
    shape: "tuple[int, ...]",
    format_name: str = "",
) -> np.ndarray:
    """Adds the terms of a sum, the first one first, and returns float64 values of the output's shape.

    Each step multiplies the factors in float64, adds the accumulator in float64, and rounds that once to the format
    (to nearest even; "" keeps float64). The accumulator begins at +0, or at an update's initial value. Scalars, addend
    and the division of a mean follow in float64. Requires terms.is_sum.
    """
    if terms.index:
        return _updated(terms, tensors, format_name)
    total = np.zeros(shape[:-1] if terms.reach else shape)
    partial = np.empty(shape)
    for number, term in enumerate(_each(terms, tensors)):
        if terms.reach == "<":
            partial[..., number] = total
        total = rounded(total + term, format_name)
        if terms.reach == "<=":
            partial[..., number] = total
    if terms.reach:
        return partial
    if terms.combine == "mean":
        axis = terms.factors[0].shape.index(terms.extent)
        total = total / np.float64(tensors[terms.factors[0].name].shape[axis])
    if terms.scalar:
        total = total * scalars[terms.scalar]
    if terms.addend is not None and scalars[terms.addend[0]] != 0:
        scalar, tensor = terms.addend
        total = total + scalars[scalar] * tensors[tensor.name].astype(np.float64)
    return np.asarray(total)


def _each(terms: Terms, tensors: "Mapping[str, np.ndarray]") -> "Iterator[np.ndarray]":
    """Yields each term, in a shape that broadcasts to the output's."""
    kept = [extent for extent in terms.output.shape if not terms.reach or extent != terms.extent]
    rows = []
    for factor in terms.factors:
        # Terms first, in order in memory: a column of a long row is a new line of the cache each time.
        turned = np.moveaxis(tensors[factor.name], factor.shape.index(terms.extent), 0).astype(np.float64, order="C")
        missing = [1 + i for i, extent in enumerate(kept) if extent not in factor.shape]
        rows.append(np.expand_dims(turned, tuple(missing)))
    for number in range(rows[0].shape[0]):
        yield functools.reduce(np.multiply, [row[number] for row in rows])


def _updated(terms: Terms, tensors: "Mapping[str, np.ndarray]", format_name: str) -> np.ndarray:
    """Adds updates to their destinations: the first one of each, then the second one of each, and so on."""
    places, values = tensors[terms.index], tensors[terms.factors[0].name].astype(np.float64)
    total = rounded(tensors[terms.initial].astype(np.float64), format_name)
    order = np.argsort(places, kind="stable")
    starts = np.searchsorted(places[order], places[order])
    turn = np.arange(order.size) - starts  # the number of an update among those of its destination
    for number in range(int(turn.max()) + 1 if turn.size else 0):
        now = order[turn == number]
        total[places[now]] = rounded(total[places[now]] + values[now], format_name)
    return total


def rounded(values: np.ndarray, format_name: str) -> np.ndarray:
    """Rounds float64 values once, to nearest even, to F16, BF16, TF32 or F32, and returns them as float64."""
    if not format_name or format_name == "F64":
        return values
    bits, least, greatest = _ROUNDED[format_name]
    step = np.maximum(np.frexp(values)[1] - bits, least)
    result = np.ldexp(np.rint(np.ldexp(values, -step)), step)
    result = np.where(np.abs(result) > greatest, np.copysign(np.inf, values), result)
    return np.where(np.isfinite(values), result, values)


def stored(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Rounds float64 values once to an output's dtype."""
    name = format_of(dtype, "output")
    return (rounded(values, name) if name in _ROUNDED else values).astype(dtype)
