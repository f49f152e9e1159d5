"""One call of an assertion, kept so that it can be made again."""

from __future__ import annotations

import contextlib
import copy
import functools
import inspect
import io
import logging
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._elements import Elements
from .._framework_elements import NoElements, copy_of, elements_of
from .._frameworks import is_array
from ._known import Assertion, Tolerance


@dataclass
class Call:
    """What an assertion was given: copies of its arrays, as they were then."""

    assertion: Assertion
    function: Any
    arguments: "list[Any]"
    keywords: "dict[str, Any]"
    path: "tuple[Any, ...]"  #: to the value under test: its argument's number or keyword, then keys of lists and dicts
    elements: Elements  #: a copy of that value
    tolerance: Tolerance
    operation: Any = None  #: what the value is the result of, where that is known

    @functools.cached_property
    def expected(self) -> "Elements | None":
        """What the value is compared with: the parameter behind it, or the first other array of its shape."""
        first, *rest = self.path
        names, found = self.assertion.parameters, []
        if self.assertion.expected in names:
            given = self.assertion.given(self.arguments, self.keywords)(self.assertion.expected, None)
            found.append(getattr(given, "expected", given))  # what pytest.approx() was given
        else:
            found += [each for place, each in enumerate(self.arguments) if place != first]
            found += [each for name, each in self.keywords.items() if name != first]
        for each in found:
            try:
                for key in rest:
                    each = each[key]  # type: ignore[index]
                elements = elements_of(each)
            except (NoElements, TypeError, LookupError):
                continue
            if elements.shape == self.elements.shape or names and elements.size == 1:
                return elements
        return None

    def distances(self) -> "np.ndarray | None":
        """Returns how far each element is from what is expected, as they are now; None where that is not known."""
        return None if self.expected is None else self.elements.distances(self.expected)

    @functools.cached_property
    def _right(self) -> np.ndarray:
        right = self.distances()
        return np.zeros(()) if right is None else right

    def wrong_by(self, changed: np.ndarray) -> float:
        """Returns the largest distance that a change made, over the usual one; to be asked while nothing is changed.

        The usual one is the largest distance of the unchanged value, and at most 16 times the middle one of those that
        are not 0. Where fewer than a tenth are not 0, they are taken for outliers, which excuse no other element. It is
        at least a quarter of the step between numbers at the largest that is expected: what rounding alone gives.
        """
        right, expected = self._right, self.expected
        largest = expected.largest() if expected is not None else 0.0
        step = self.elements.step
        usual = right[right > 0]
        allowed = step / 4 * largest
        if usual.size and (10 * usual.size >= right.size or not largest):
            allowed = max(allowed, min(float(usual.max()), 16 * float(np.median(usual))))
        change = float(np.max(changed, where=changed != right, initial=0.0))
        return change / allowed if allowed else math.inf if change else 0.0

    def passes(self) -> bool:
        """Makes the call with the elements as they are now. Whatever it raises but a request to stop is a refusal."""
        arguments, keywords = list(self.arguments), dict(self.keywords)
        first, *rest = self.path
        holder: Any = arguments if isinstance(first, int) else keywords
        holder[first] = _replaced(holder[first], rest, self.elements.array)
        try:
            result = self.function(*arguments, **keywords)
            return bool(result) if self.assertion.is_question or is_truth(result) else True
        except (KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError):
            raise
        except BaseException:  # pytest.fail() and unittest's skips are not of Exception
            return False


def is_truth(result: Any) -> bool:
    """Says whether a function has answered, rather than raised: with True or False, of NumPy too."""
    return isinstance(result, (bool, np.bool_))


@contextlib.contextmanager
def quiet() -> "Iterator[None]":
    """Keeps what assertions print, warn and log to themselves."""
    before = logging.root.manager.disable
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        logging.disable(logging.CRITICAL)
        try:
            yield
        finally:
            logging.disable(before)


@dataclass(frozen=True)
class Found:
    """The value under test of a call, as it lies."""

    assertion: Assertion
    path: "tuple[Any, ...]"
    elements: Elements
    tolerance: Tolerance


def found(assertion: Assertion, function: Any, arguments: "Sequence[Any]", keywords: "Mapping[str, Any]") -> Found:
    """Finds what a call is about. Raises NoElements where no argument is an array that can be changed."""
    if assertion.actual and not assertion.parameters:
        assertion = replace(assertion, parameters=_parameters(function))
    path, value = _under_test(assertion, arguments, keywords)
    elements = elements_of(value)
    return Found(assertion, path, elements, assertion.tolerance(assertion.given(arguments, keywords), elements.format))


def kept(what: Found, function: Any, arguments: "Sequence[Any]", keywords: "Mapping[str, Any]") -> Call:
    """Copies what a call was given: nothing of the caller's is held."""
    first, *rest = what.path
    taken: "list[Any]" = list(arguments)
    named = dict(keywords)
    holder: Any = taken if isinstance(first, int) else named
    value = holder[first]
    for key in rest:
        value = value[key]
    elements = copy_of(value)
    holder[first] = _replaced(holder[first], rest, None)
    return Call(what.assertion, function, copied(taken), copied(named), what.path, elements, what.tolerance)


def _parameters(function: Any) -> "tuple[str, ...]":
    try:
        return tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return ()


def _under_test(
    assertion: Assertion, arguments: "Sequence[Any]", keywords: "Mapping[str, Any]"
) -> "tuple[tuple[Any, ...], Any]":
    """Finds the value under test: the parameter of that name, or the first argument that has elements."""
    if assertion.actual:
        if assertion.actual in keywords:
            places: "list[Any]" = [assertion.actual]
        else:
            if assertion.actual not in assertion.parameters:
                raise NoElements(f"no parameter {assertion.actual!r}")
            places = [assertion.parameters.index(assertion.actual)]
            if places[0] >= len(arguments):
                raise NoElements("nothing")
    else:
        places = [*range(len(arguments)), *keywords]
    error = NoElements("nothing with elements")
    for place in places:
        value = arguments[place] if isinstance(place, int) else keywords[place]
        if not assertion.actual and not is_array(value) and not isinstance(value, (list, tuple, Mapping)):
            continue  # an object that a helper is a method of, or its number
        try:
            path, leaf = _largest((place,), value)
        except NoElements as refused:
            error = refused
            continue
        return path, leaf
    raise error


def _largest(path: "tuple[Any, ...]", value: Any) -> "tuple[tuple[Any, ...], Any]":
    """Returns the largest array of a container, or the value itself where it is no container of arrays."""
    if isinstance(value, Mapping):
        inside = list(value.items())
    elif isinstance(value, (list, tuple)) and any(is_array(each) or isinstance(each, (list, tuple)) for each in value):
        inside = list(enumerate(value))
    else:
        return path, value
    leaves = [_largest((*path, key), each) for key, each in inside]
    arrays = [each for each in leaves if is_array(each[1]) and _has_numbers(each[1])]
    if not arrays:
        if isinstance(value, Mapping):
            raise NoElements(f"a {type(value).__name__} without arrays")
        return path, value
    return max(arrays, key=lambda each: math.prod(each[1].shape))


def _has_numbers(value: Any) -> bool:
    try:
        elements_of(value)
    except NoElements:
        return False
    return True


def _replaced(value: Any, path: "Sequence[Any]", leaf: Any) -> Any:
    """Returns a container with another leaf."""
    if not path:
        return leaf
    key, *rest = path
    if isinstance(value, Mapping):
        copy: Any = dict(value)
    else:
        copy = list(value)
    copy[key] = _replaced(copy[key], rest, leaf)
    if isinstance(value, tuple):
        return type(value)(*copy) if hasattr(value, "_fields") else tuple(copy)
    return copy


def copied(value: Any) -> Any:
    """Copies arrays, and those in lists, tuples and dicts; everything else is taken as it is."""
    if is_array(value):
        try:
            return copy_of(value).array
        except NoElements:
            return value
    if type(value) in (list, tuple):
        return type(value)(copied(each) for each in value)
    if isinstance(value, Mapping) and hasattr(value, "items"):
        return {key: copied(each) for key, each in value.items()}
    if type(value).__name__.startswith("Approx") and is_array(getattr(value, "expected", None)):
        approx = copy.copy(value)  # pytest.approx() of an array that may be filled anew
        approx.expected = copied(value.expected)
        return approx
    return value
