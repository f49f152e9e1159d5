"""Which cases are wanted, as negzero_draw and negzero_check (src/negzero/c/negzero.h) read it."""

from __future__ import annotations

from typing import Any
from collections.abc import Mapping, Sequence

import numpy as np

from ._formats import format_named
from ._operations import Signature

_LAYOUTS = ("any", "row_or_column_major", "row_major", "packed")
_SCALARS = ("any", "zero_or_one", "zero", "one")


def formats_option(signature: Signature, formats: Any, lacks: "frozenset[str]", framework: str) -> "list[list[str]]":
    """Reads one combination of formats or several. Raises TypeError or ValueError, which say what there may be."""
    slots = ", ".join(signature.slots)
    if formats is None:
        formats = ["I32" if slot in signature.places else "F32" for slot in signature.slots]
    given = list(formats) if _is_combination(formats) else [formats]
    if not given:
        raise ValueError(f"formats: no combination; give one of {slots}, or leave it out")
    combinations = given if all(_is_combination(each) for each in given) else [given]
    read = []
    for combination in combinations:
        names = [_format(each) for each in combination]
        if len(names) != len(signature.slots):
            raise ValueError(
                f"formats: {', '.join(names)} are {len(names)}, and {signature.name} has {len(signature.slots)}: "
                f"{slots}"
            )
        for name in names:
            if name in lacks:
                more = "; call jax.config.update('jax_enable_x64', True)" if framework == "jax" else ""
                raise ValueError(f"formats: {framework} has no arrays of {name} here{more or '; give another'}")
        read.append(names)
    return read


def _is_combination(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _format(value: object) -> str:
    text = str(value)
    return format_named(text[len("torch.") :] if text.startswith("torch.") else value, "formats")


def limits_options(
    signature: Signature, limits: "Mapping[str, Any] | None", scalars: "Mapping[str, str]"
) -> "dict[str, Any]":
    """Reads limits, beside those of the scalars that a function does not take. Raises TypeError or ValueError."""
    if limits is not None and not isinstance(limits, Mapping):
        raise TypeError(f"limits: a {type(limits).__name__}; give a dict: {{'k': (0, 256)}}")
    options: dict[str, Any] = {"extents": {}}
    if "batch" in signature.extents:
        options["extents"]["batch"] = [1, 1]
    known = [*signature.extents, "inputs", "output", *signature.scalars]
    for name, limit in (limits or {}).items():
        if name in signature.extents:
            options["extents"][name] = _extent(name, limit)
        elif name in ("inputs", "output"):
            options[name] = _word(name, limit, _LAYOUTS)
        elif name in signature.scalars:
            if name in scalars:
                raise ValueError(f"limits: {name} is {limit!r}, and fn does not take {name}; leave it out")
            options[name] = _word(name, limit, _SCALARS)
        else:
            raise ValueError(f"limits: {name!r} is nothing of {signature.name}; give some of {', '.join(known)}")
    return {**options, **scalars}


def _extent(name: str, limit: Any) -> "list[int]":
    numbers = list(limit) if isinstance(limit, (tuple, list)) else [limit, limit]
    is_whole = all(isinstance(each, (int, np.integer)) and not isinstance(each, bool) for each in numbers)
    if not is_whole or not 2 <= len(numbers) <= 3:
        raise TypeError(
            f"limits: {name} is {limit!r}; give a number, (least, greatest), or (least, greatest, what divides it)"
        )
    least, most, *multiple = (int(each) for each in numbers)
    if not 0 <= least <= most or multiple and multiple[0] < 1:
        raise ValueError(f"limits: {name} is {limit!r}; give a least from 0 to the greatest, and a divisor from 1 on")
    return [least, most, *multiple]


def _word(name: str, value: object, words: "tuple[str, ...]") -> str:
    if value not in words:
        raise ValueError(f"limits: {name} is {value!r}; give one of {', '.join(words)}")
    return str(value)
