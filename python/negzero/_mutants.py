"""Makes wrong outputs of a case: what a kernel with a known defect would give for the same inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Callable

import numpy as np

from ._changes import CHANGES, Change, ChangesNothing, NotHere
from ._elements import Elements
from ._judge import PermittedSet
from ._sets import Contents, part_of_the_operation, plausible, sets_of
from ._terms import Terms, chain, rounded, stored, terms_of

Outputs = Mapping[str, np.ndarray]
_NARROW = ("F16", "BF16", "TF32")


@dataclass(frozen=True)
class Mutated:
    """Outputs with one defect, or why there are none."""

    name: str
    what: str  #: precisely what was done
    outputs: "Outputs | None" = None
    why: str = ""  #: where there are no outputs: why the defect cannot be had here


def mutants(contents: Contents, sets: "Mapping[str, PermittedSet]", right: Outputs) -> "Iterator[Mutated]":
    """Yields every defect. What the operation does not give (beyond a count) stays as it is in `right`."""
    inside = {name: part_of_the_operation(contents, name) for name in right}
    for name, what, make in _defects(contents, sets, right):
        try:
            outputs = make()
        except NotHere as error:
            yield Mutated(name, what, None, str(error))
            continue
        yield Mutated(name, what, {each: np.where(inside[each], outputs[each], right[each]) for each in right})


def without_last_term(contents: Contents, right: Outputs) -> Outputs:
    """Returns outputs without the last term, which the contract permits of what is left. Raises NotHere."""
    other = _dropped(contents, terms_of(contents.signature.name), -1)
    inside = {name: part_of_the_operation(contents, name) for name in right}
    outputs = plausible(other, sets_of(other))
    return {name: np.where(inside[name], outputs[name], right[name]) for name in right}


def _defects(
    contents: Contents, sets: "Mapping[str, PermittedSet]", right: Outputs
) -> "Iterator[tuple[str, str, Callable[[], Outputs]]]":
    terms = terms_of(contents.signature.name)

    def recomputed(changed: "Callable[[], Contents]") -> "Callable[[], Outputs]":
        def make() -> Outputs:
            other = changed()
            is_same = other.data() == contents.data()  # sets of a large case take seconds
            return right if is_same else plausible(other, sets_of(other))

        return make

    for change in CHANGES:
        yield change.name, change.what, lambda change=change: _changed(right, change)  # type: ignore[misc]
    yield "last term dropped", "the last term is left out", recomputed(lambda: _dropped(contents, terms, -1))
    yield (
        "sixteenth of terms dropped",
        "a sixteenth of the terms, at least one, is left out: those in the middle, or the last ones of an argmax",
        recomputed(lambda: _dropped(contents, terms, 16)),
    )
    yield "term doubled", "the first term counts twice", recomputed(lambda: _doubled(contents, terms))
    for name in _NARROW:
        yield (
            f"{name} accumulator",
            f"terms are added from the first to the last, and the sum is rounded to {name} after each one; products "
            "enter it unrounded",
            lambda name=name: _accumulated(contents, terms, right, name),  # type: ignore[misc]
        )
    for name in _NARROW:
        yield (
            f"{name} inputs",
            f"what is multiplied or combined is rounded to {name} first, to nearest even",
            recomputed(lambda name=name: _inputs(contents, terms, name)),  # type: ignore[misc]
        )
    for scalar in contents.signature.scalars:
        plain = 0 if terms.addend is not None and terms.addend[0] == scalar else 1
        yield (
            f"{scalar} taken for {plain}",
            f"{scalar} is {plain}, whatever it was",
            recomputed(lambda scalar=scalar, plain=plain: _scalar(contents, scalar, plain)),  # type: ignore[misc]
        )
    yield (
        "subnormal inputs flushed",
        "subnormal inputs are zeros of their sign",
        recomputed(lambda: _flushed_inputs(contents)),
    )
    yield "one step too high", "one element is one ulp above the greatest number permitted", lambda: _step(sets, right)


# Outputs


def _changed(right: Outputs, change: Change) -> Outputs:
    """Changes each output that can be changed so. Raises NotHere where none can."""
    outputs, whys = dict(right), []
    for name, values in right.items():
        try:
            outputs[name] = change.applied(values)
        except ChangesNothing:
            whys.append("")
        except NotHere as error:
            whys.append(str(error))
    if len(whys) == len(right) and all(whys):
        raise NotHere(whys[0])
    return outputs


def _step(sets: "Mapping[str, PermittedSet]", right: Outputs) -> Outputs:
    for name, values in right.items():
        permitted, flat = sets[name], np.array(values).reshape(-1)
        above = _next(permitted.high)
        known = permitted.any_finite & np.isfinite(above.astype(np.float64)) & ~permitted.vacuous
        places = np.flatnonzero(known)
        if places.size:
            flat[places[places.size // 2]] = above.reshape(-1)[places[places.size // 2]]
            return {**right, name: flat.reshape(values.shape)}
    raise NotHere("no element has a number above those permitted")


def _next(values: np.ndarray) -> np.ndarray:
    """The next greater encoding of each number."""
    if values.dtype.kind == "b":
        return np.ones_like(values)
    if values.dtype.kind in "iu":
        return values + (values < np.iinfo(values.dtype).max)
    words = values.view(f"i{values.dtype.itemsize}")
    stepped = np.where(values == 0, 1, np.where(words < 0, words - 1, words + 1)).astype(words.dtype)
    return stepped.view(values.dtype)


# Sums in another format


def _accumulated(contents: Contents, terms: Terms, right: Outputs, name: str) -> Outputs:
    if not terms.is_sum:
        raise NotHere("nothing is added")
    values = right[terms.output.name]
    sums = chain(terms, contents.tensors, contents.values, values.shape, name)
    return {**right, terms.output.name: stored(sums, values.dtype)}


# Changed cases


def _count(contents: Contents, terms: Terms) -> int:
    if not terms.extent:
        raise NotHere("an element is no sum of terms")
    count = contents.extents[terms.extent]
    if count == 0:
        raise NotHere("there are no terms")
    return count


def _dropped(contents: Contents, terms: Terms, part: int) -> Contents:
    """Leaves out the last term (-1), or one in `part`."""
    count = _count(contents, terms)
    size = 1 if part < 0 else max(1, count // part)
    start = count - size if part < 0 or terms.gives_places else (count - size) // 2
    gone = np.arange(start, start + size)
    if terms.keeps_count:
        return contents.changed({terms.factors[0].name: _scaled(contents, terms, gone, 0)})
    numbered = [each for each in contents.signature.inputs if terms.extent in each.shape]
    rest = {
        each.name: np.delete(contents.tensors[each.name], gone, each.shape.index(terms.extent)) for each in numbered
    }
    return contents.changed(rest, **{terms.extent: count - size})


def _doubled(contents: Contents, terms: Terms) -> Contents:
    count = _count(contents, terms)
    if terms.keeps_count:
        return contents.changed({terms.factors[0].name: _scaled(contents, terms, np.array([0]), 2)})
    tensors = {}
    for each in contents.signature.inputs:
        if terms.extent in each.shape:
            axis, values = each.shape.index(terms.extent), contents.tensors[each.name]
            tensors[each.name] = np.concatenate([values, values.take([0], axis)], axis)
    return contents.changed(tensors, **{terms.extent: count + 1})


def _scaled(contents: Contents, terms: Terms, which: np.ndarray, by: int) -> np.ndarray:
    """The first factor with some terms times 0 or 2. A NaN and an infinity times 0 are gone too."""
    values, axis = np.array(contents.tensors[terms.factors[0].name]), terms.factors[0].shape.index(terms.extent)
    at = tuple(which if i == axis else slice(None) for i in range(values.ndim))
    before = values[at].astype(np.float64)
    after = np.zeros_like(before) if by == 0 else before * by
    values[at] = stored(after, values.dtype)
    if not np.array_equal(values[at].astype(np.float64), after, equal_nan=True):
        raise NotHere(f"the first term times {by} is beyond its format")
    return values


def _inputs(contents: Contents, terms: Terms, name: str) -> Contents:
    changed = {}
    for factor in terms.factors:
        values = contents.tensors[factor.name]
        if values.dtype.kind in "iub":
            raise NotHere("the inputs are integers")
        narrow = rounded(values.astype(np.float64), name)
        kept = stored(narrow, values.dtype)
        if not np.array_equal(kept.astype(np.float64), narrow, equal_nan=True):
            raise NotHere(f"some {name} number is beyond the format of {factor.name}")
        changed[factor.name] = np.where(np.isnan(values), values, kept)
    return contents.changed(changed)


def _flushed_inputs(contents: Contents) -> Contents:
    return contents.changed({name: _flushed(values) for name, values in contents.tensors.items()})


def _flushed(values: np.ndarray) -> np.ndarray:
    return values if values.dtype.kind in "iub" else np.asarray(Elements(values, np, values.dtype).replaced("subnormal"))


def _scalar(contents: Contents, name: str, plain: int) -> Contents:
    bits = {"F32": "0x3f800000", "F64": "0x3ff0000000000000"}[contents.scalars[name]["format"]] if plain else "0x0"
    return replace(contents, scalars={**contents.scalars, name: {**contents.scalars[name], "bits": bits}})
