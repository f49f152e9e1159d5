"""One call of an assertion, kept so that it can be made again."""

from __future__ import annotations

import contextlib
import functools
import inspect
import io
import logging
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .._elements import Elements
from .._framework_elements import NoElements, copy_of, elements_of
from .._frameworks import is_array
from ._known import Assertion, Tolerance

#: Where a value lies in a call: the argument's number or keyword, and then keys of lists and dicts.
Path = "tuple[Any, ...]"


@dataclass
class Call:
    """What an assertion was given: copies of its arrays, as they were then."""

    assertion: Assertion
    function: Any
    arguments: "list[Any]"
    keywords: "dict[str, Any]"
    path: "tuple[Any, ...]"  #: to the value under test
    elements: Elements  #: a copy of that value
    tolerance: Tolerance
    operation: Any = None  #: what the value is the result of, where that is known
    test: str = ""

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

    def distance(self) -> float:
        """Returns how far the elements are from what is expected, as they are now; infinity where that is not known."""
        return math.inf if self.expected is None else self.elements.distance(self.expected)

    @functools.cached_property
    def right(self) -> float:
        """How far the unchanged value is from what is expected: to be asked for first while nothing is changed."""
        return self.distance() if self.expected is not None else 0.0

    def passes(self) -> bool:
        """Makes the call with the elements as they are now. Whatever it raises but a request to stop is a refusal."""
        arguments, keywords = list(self.arguments), dict(self.keywords)
        first, *rest = self.path
        holder: Any = arguments if isinstance(first, int) else keywords
        holder[first] = _replaced(holder[first], rest, self.elements.array)
        try:
            result = self.function(*arguments, **keywords)
            return bool(result) if self.assertion.is_question else True
        except (KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError):
            raise
        except BaseException:  # pytest.fail() and unittest's skips are not of Exception
            return False


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


def kept(assertion: Assertion, function: Any, arguments: "Sequence[Any]", keywords: "Mapping[str, Any]") -> Call:
    """Copies what a call was given. Raises NoElements where no argument is an array that can be changed."""
    if assertion.actual and not assertion.parameters:
        assertion = replace(assertion, parameters=_parameters(function))
    path, value = _under_test(assertion, arguments, keywords)
    elements = copy_of(value)
    copies = [copied(each) if i != path[0] else each for i, each in enumerate(arguments)]
    named = {name: copied(each) if name != path[0] else each for name, each in keywords.items()}
    tolerance = assertion.tolerance(assertion.given(arguments, keywords), elements.format)
    return Call(assertion, function, copies, named, path, elements, tolerance)


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
    found = [_largest((*path, key), each) for key, each in inside]
    arrays = [(p, leaf) for p, leaf in found if is_array(leaf)]
    if not arrays:
        if isinstance(value, Mapping):
            raise NoElements(f"a {type(value).__name__} without arrays")
        return path, value
    return max(arrays, key=lambda each: math.prod(each[1].shape))


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
    if type(value) is dict:
        return {key: copied(each) for key, each in value.items()}
    return value
