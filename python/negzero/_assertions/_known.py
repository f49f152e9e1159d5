"""The assertions that are known: where they are, which argument is the value under test, and their tolerance."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Tolerance:
    """What an assertion lets pass by its own words. A number is None where it is not known."""

    atol: "float | None" = None
    rtol: "float | None" = None

    @property
    def text(self) -> str:
        """Returns "rtol 0.001 atol 0.1"; "-" where nothing is known."""
        parts = [f"{name} {value:g}" for name, value in (("rtol", self.rtol), ("atol", self.atol)) if value is not None]
        return " ".join(parts) or "-"


#: What an argument is called by, and what a call has of it: its value, or what is used where it is missing.
Given = Callable[[str, Any], Any]


@dataclass(frozen=True)
class Assertion:
    """A function that says whether a value is near enough to another one."""

    module: str  #: whose import is waited for
    name: str  #: "assert_close", "Tensor.allclose"
    parameters: "Sequence[str]"  #: by position
    actual: str  #: the parameter of the value under test; "" for the first array
    tolerance: "Callable[[Given, str], Tolerance]"  #: of the arguments, and of the value's format
    is_question: bool = False  #: it returns whether, and raises nothing

    @property
    def expected(self) -> str:
        """The parameter of what the value is compared with; "" where it is not known."""
        known = len(self.parameters) > 1 and self.actual in self.parameters[:2]
        return next(name for name in self.parameters[:2] if name != self.actual) if known else ""

    @property
    def label(self) -> str:
        """Returns the name by which people call it: "torch.testing.assert_close"."""
        return "pytest.approx" if self.name.endswith(".__eq__") else f"{self.module}.{self.name}"

    def given(self, arguments: "Sequence[Any]", keywords: "Mapping[str, Any]") -> Given:
        """Returns what finds an argument of a call by its name."""

        def find(name: str, default: Any) -> Any:
            if name in keywords:
                return keywords[name]
            place = self.parameters.index(name) if name in self.parameters else len(arguments)
            return arguments[place] if place < len(arguments) else default

        return find


#: torch.testing.assert_close() by the format of what is compared (its documentation's table, PyTorch 2.11).
_TORCH = {"F16": (1e-3, 1e-5), "BF16": (1.6e-2, 1e-5), "F32": (1.3e-6, 1e-5), "F64": (1e-7, 1e-7)}


def _torch(given: Given, format_name: str) -> Tolerance:
    other = str(getattr(given("expected", None), "dtype", "")).rpartition(".")[2]
    names = (format_name, {"float16": "F16", "bfloat16": "BF16", "float32": "F32", "float64": "F64"}.get(other, ""))
    rtol, atol = max(_TORCH.get(name, (0.0, 0.0)) for name in names)  # the larger one of the two
    return _tolerance(given("atol", None), given("rtol", None), atol, rtol)


def _close(rtol: float, atol: float) -> "Callable[[Given, str], Tolerance]":
    return lambda given, _: _tolerance(given("atol", None), given("rtol", None), atol, rtol)


def _decimals(count: int) -> "Callable[[Given, str], Tolerance]":
    """NumPy: abs(desired - actual) < 1.5 * 10**(-decimal)."""
    return lambda given, _: Tolerance(1.5 * 10.0 ** -int(given("decimal", count)), 0.0)


def _approximate(given: Given, _: str) -> Tolerance:
    """pytest.approx(expected, rel=1e-6, abs=1e-12): the larger of the two; a given `abs` alone is alone."""
    approx = given("self", None)
    rel, absolute = getattr(approx, "rel", None), getattr(approx, "abs", None)
    if rel is None and absolute is not None:
        return _tolerance(absolute, 0.0, 0.0, 0.0)
    return _tolerance(absolute, rel, 1e-12, 1e-6)


def _words(given: Given, _: str) -> Tolerance:
    """What a project's own helper is called with, by the names that are usual."""
    return _tolerance(
        given("atol", given("abs_tol", None)), given("rtol", given("rel_tol", given("tol", None))), None, None
    )


def _tolerance(atol: Any, rtol: Any, atol_else: "float | None", rtol_else: "float | None") -> Tolerance:
    def number(value: Any, otherwise: "float | None") -> "float | None":
        try:
            return otherwise if value is None else float(value)
        except Exception:  # a number by format, a string: a project's own words
            return None

    return Tolerance(number(atol, atol_else), number(rtol, rtol_else))


_NUMPY = ("actual", "desired", "rtol", "atol")
_ALLCLOSE = ("a", "b", "rtol", "atol", "equal_nan")
KNOWN: "tuple[Assertion, ...]" = (
    Assertion("torch.testing", "assert_close", ("actual", "expected"), "actual", _torch),
    Assertion("torch", "allclose", ("input", "other", "rtol", "atol"), "input", _close(1e-5, 1e-8), True),
    Assertion("torch", "Tensor.allclose", ("self", "other", "rtol", "atol"), "self", _close(1e-5, 1e-8), True),
    Assertion("numpy.testing", "assert_allclose", _NUMPY, "actual", _close(1e-7, 0.0)),
    Assertion("numpy.testing", "assert_array_almost_equal", ("actual", "desired", "decimal"), "actual", _decimals(6)),
    Assertion("numpy.testing", "assert_almost_equal", ("actual", "desired", "decimal"), "actual", _decimals(7)),
    Assertion("numpy", "allclose", _ALLCLOSE, "a", _close(1e-5, 1e-8), True),
    Assertion("jax.numpy", "allclose", _ALLCLOSE, "a", _close(1e-5, 1e-8), True),
    Assertion("triton.testing", "assert_close", ("x", "y", "atol", "rtol"), "x", _close(0.0, 1e-2)),
    Assertion("cupy.testing", "assert_allclose", _NUMPY, "actual", _close(1e-7, 0.0)),
    Assertion("cupy.testing", "assert_array_almost_equal", ("actual", "desired", "decimal"), "actual", _decimals(6)),
    Assertion("cupy", "allclose", _ALLCLOSE, "a", _close(1e-5, 1e-8), True),
)


def approx() -> "tuple[Assertion, ...]":
    """Returns the comparison with pytest.approx() of an array, where pytest is imported."""
    pytest: Any = sys.modules.get("pytest")
    if pytest is None:
        return ()
    kind = type(pytest.approx(np.zeros(1)))  # whose module is pytest's own affair
    name = f"{kind.__qualname__}.__eq__"
    return (Assertion(kind.__module__, name, ("self", "actual"), "actual", _approximate, True),)


def of_the_project(text: str) -> Assertion:
    """Reads "pkg.mod:func", "pkg.mod:Class.method" or "pkg.mod:func:parameter". Raises ValueError with the cure."""
    module, _, rest = text.partition(":")
    name, _, actual = rest.partition(":")
    if not module or not name or not all(part.isidentifier() for part in (*module.split("."), *name.split("."))):
        raise ValueError(
            f"{text!r} names no function; give MODULE:FUNCTION, tests.utils:check_close for one, or MODULE:CLASS.METHOD"
        )
    return Assertion(module, name, (), actual, _words)
