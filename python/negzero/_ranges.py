"""Ranges of values, as users give them."""

from __future__ import annotations

import math
from typing import Any
from collections.abc import Mapping

import numpy as np

from ._formats import dtype_of, number_of
from ._operations import Signature


def values_options(signature: Signature, values: "Mapping[str, Any] | None") -> "dict[str, dict[str, Any]]":
    """Reads ranges of values: those of tensors under "values", those of a declared operation's scalars under
    "scalars"."""
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise TypeError(f"values: a {type(values).__name__}; give a dict: {{'x': (-1e4, 1e4)}}")
    tensors = [tensor.name for tensor in signature.inputs]
    scalars = list(signature.scalars) if signature.declared else []
    options: dict[str, dict[str, Any]] = {}
    for name, given in values.items():
        if name in tensors:
            options.setdefault("values", {})[name] = _value_range(name, given)
        elif name in scalars:
            options.setdefault("scalars", {})[name] = scalar_range(name, given, signature.kinds.get(name))
        else:
            known = ", ".join([*tensors, *scalars])
            raise ValueError(f"values: {name!r} is no input of {signature.name}; give some of {known}")
    return options


def _value_range(name: str, given: Any) -> "dict[str, Any]":
    """Reads (least, greatest), where None is no end, or {"least", "greatest", "inf", "nan"}."""
    said = dict(given) if isinstance(given, Mapping) else None
    if said is None and isinstance(given, (tuple, list)) and len(given) == 2:
        said = dict(zip(("least", "greatest"), given))
    if said is None or not set(said) <= {"least", "greatest", "inf", "nan"}:
        raise TypeError(
            f"values: {name} is {given!r}; give (least, greatest), with None for no end, or some of least, greatest, "
            "inf and nan: {'least': 0, 'inf': 'positive'}"
        )
    for end in ("least", "greatest"):
        value = said.get(end)
        if value is None:
            said.pop(end, None)
            continue
        try:
            number = float(value) if isinstance(value, (int, float, np.number)) else math.nan
        except OverflowError:
            raise ValueError(f"values: {name} has {end}={value!r}; give a number that a float holds") from None
        if isinstance(value, bool) or math.isnan(number):
            raise TypeError(f"values: {name} has {end}={value!r}; give a number")
        said[end] = number
        if said[end] == (-math.inf if end == "least" else math.inf):
            del said[end]
    if said.get("least") == math.inf or said.get("greatest") == -math.inf:
        raise ValueError(f"values: {name} is {given!r}, without a number; inf says whether infinities are among them")
    if said.get("least", -math.inf) > said.get("greatest", math.inf):
        raise ValueError(f"values: {name} is {given!r}; give the least first")
    inf = {True: "yes", False: "no"}.get(said.get("inf", False), said.get("inf"))
    if inf not in ("no", "yes", "positive", "negative"):
        raise ValueError(f"values: {name} has inf={inf!r}; give True, False, 'positive' or 'negative'")
    if not isinstance(said.get("nan", False), bool):
        raise TypeError(f"values: {name} has nan={said['nan']!r}; give True or False")
    said["inf"] = inf
    return said  # type: ignore[no-any-return]


def scalar_range(name: str, limit: Any, kind: "str | None" = None) -> "dict[str, float]":
    """Reads the limit of a scalar: a number, or the least and the greatest; `kind` is "int" or "bool" of a whole one.
    Raises ValueError."""
    ends = list(limit) if isinstance(limit, (tuple, list)) else [limit, limit]
    is_truth = kind == "bool"
    are_numbers = all(
        isinstance(each, (int, float, np.number)) and not isinstance(each, bool)
        or is_truth and isinstance(each, (bool, np.bool_))
        for each in ends
    )  # fmt: skip
    if is_truth and not (are_numbers and len(ends) == 2 and all(each in (0, 1) for each in ends)):
        raise ValueError(f"limits: {name} is {limit!r}, and {name} is a truth value; give True, False, or leave it out")
    if len(ends) != 2 or not are_numbers or not ends[0] <= ends[1]:
        raise ValueError(f"limits: {name} is {limit!r}; give a number, or the least and the greatest")
    if kind == "int" and any(math.isfinite(each) and each != int(each) for each in ends):
        raise ValueError(f"limits: {name} is {limit!r}, and {name} is a whole number; give whole ones")
    said = dict(zip(("least", "greatest"), map(float, ends)))
    return {end: value for end, value in said.items() if math.isfinite(value)}


def scalars_outside(
    options: "Mapping[str, Any]", kinds: "Mapping[str, str]", scalars: "Mapping[str, Mapping[str, str]]"
) -> str:
    """Says which whole number of a case file is beside the ranges of limits_options(). "" where none is."""
    for name, said in options.get("scalars", {}).items():
        if name not in kinds:
            continue
        value = int(number_of(scalars[name]["bits"], dtype_of(scalars[name]["format"])))
        if not said.get("least", value) <= value <= said.get("greatest", value):
            return f"its {name} is {value}, outside of the limits now"
    return ""


def values_outside(options: "Mapping[str, Any]", tensors: "Mapping[str, np.ndarray]") -> str:
    """Says which input of a case file has values beside the ranges of limits_options(). "" where none has."""
    for name, said in options.get("values", {}).items():
        numbers = tensors[name].astype(np.float64)
        infinite = np.isinf(numbers)
        beside = (numbers < said.get("least", -math.inf)) | (numbers > said.get("greatest", math.inf))
        wrong = beside & ~infinite
        if said["inf"] != "yes":
            wrong |= infinite & ((numbers < 0) if said["inf"] == "positive" else (numbers > 0))
        if said["inf"] == "no":
            wrong |= infinite
        if not said.get("nan", False):
            wrong |= np.isnan(numbers)
        if wrong.any():
            return f"its {name} holds {numbers[wrong][0]}, outside of the values now"
    return ""
