"""Which cases are wanted, as negzero_draw and negzero_check (src/negzero/c/negzero.h) read it."""

from __future__ import annotations

import math
import re
from typing import Any
from collections.abc import Mapping, Sequence

import numpy as np

from . import _library
from ._formats import EVERY, format_named
from ._operations import Signature
from ._ranges import scalar_range, values_options

_LAYOUTS = ("any", "row_or_column_major", "row_major", "column_major", "packed")
_SCALARS = ("any", "zero_or_one", "zero", "one")
#: The name of an option.
_OPTION = re.compile("[a-z][a-z0-9_]{0,31}")
#: What an object may say instead of numbers or a word, as docs/reference/worker_protocol.md has it.
_OF_EXTENTS = ("least", "greatest", "multiple", "power_of_two", "tiles")
_OF_LAYOUTS = (
    "order", "broadcast", "greatest_offset", "offset_multiple", "stride_multiple", "greatest_stride",
    "greatest_span", "alignment", "shared",
)  # fmt: skip


def formats_option(signature: Signature, formats: Any, lacks: "frozenset[str]", framework: str) -> "list[list[str]]":
    """Reads one combination of formats or several. Raises TypeError or ValueError, which say what there may be."""
    if formats is None:
        formats = ["I32" if slot in signature.places else "F32" for slot in signature.slots]
    given = list(formats) if _is_combination(formats) else [formats]
    if not given:
        raise ValueError(f"formats: no combination; give one of {signature.slots_text}, or leave it out")
    combinations = given if all(_is_combination(each) for each in given) else [given]
    read = []
    for combination in combinations:
        names = [_format(each) for each in combination]
        least = len(signature.slots)
        if not least <= len(names) <= least + len(signature.usual):
            raise ValueError(
                f"formats: {', '.join(names)} are {len(names)}, and {signature.name} has {signature.slots_text}; give "
                f"{'one for each' if not signature.usual else 'at least those outside of brackets'}"
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
    return format_named(text[len("torch.") :] if text.startswith("torch.") else value, "formats", EVERY)


def limits_options(
    signature: Signature,
    limits: "Mapping[str, Any] | None",
    scalars: "Mapping[str, str]",
    values: "Mapping[str, Any] | None" = None,
) -> "dict[str, Any]":
    """Reads limits and ranges of values, beside limits of the scalars that a function does not take. Raises TypeError
    or ValueError."""
    if limits is not None and not isinstance(limits, Mapping):
        raise TypeError(f"limits: a {type(limits).__name__}; give a dict: {{'k': (0, 256)}}")
    options: dict[str, Any] = {"extents": {}}
    if signature.leading == "batch":
        options["extents"]["batch"] = [1, 1]
    tensors = [tensor.name for tensor in (*signature.inputs, *signature.outputs)]
    known = [
        *signature.extents, "inputs", "output", *tensors, *signature.scalars, "products", "equal", "relations",
        "in_place",
        "configuration",
    ]  # fmt: skip
    options.update(values_options(signature, values))
    for name, limit in (limits or {}).items():
        if name in signature.extents:
            options["extents"][name] = _extent(name, limit)
        elif name in ("inputs", "output"):
            options[name] = _layout(name, limit)
        elif name in tensors:
            options.setdefault("tensors", {})[name] = _layout(name, limit)
        elif name == "products":
            options[name] = _products(limit, signature)
        elif name == "equal":
            options[name] = _equal(limit, signature)
        elif name == "relations":
            options[name] = _relations(limit)
        elif name == "in_place":
            options[name] = _in_place(limit)
        elif name == "configuration":
            options[name] = configuration_of(signature, limits)
        elif name in signature.scalars:
            if name in scalars:
                raise ValueError(f"limits: {name} is {limit!r}, and fn does not take {name}; leave it out")
            if signature.declared:
                if name in options.get("scalars", {}):
                    raise ValueError(f"limits: {name} has a range in values already; give it one")
                options.setdefault("scalars", {})[name] = scalar_range(name, limit, signature.kinds.get(name))
            else:
                options[name] = _word(name, limit, _SCALARS)
        else:
            raise ValueError(f"limits: {name!r} is nothing of {signature.name}; give some of {', '.join(known)}")
    return {**options, **scalars}


def configuration_of(signature: Signature, limits: "Mapping[str, Any] | None") -> "dict[str, list[int]]":
    """Reads the options that limits name, each with its values. Raises TypeError or ValueError."""
    said = limits.get("configuration", {}) if isinstance(limits, Mapping) else {}
    if not isinstance(said, Mapping):
        raise TypeError(
            f"limits: configuration is {said!r}; give the values of each option: {{'algorithm': [0, 1, 2]}}"
        )
    tensors = [tensor.name for tensor in (*signature.inputs, *signature.outputs)]
    configuration = {}
    for option, values in said.items():
        if not isinstance(option, str) or not _OPTION.fullmatch(option):
            raise ValueError(
                f"limits: the option {option!r}; a name is 1 to 32 of a-z, 0-9 and _, and begins with a letter"
            )
        if option in (*tensors, *signature.extents, *signature.scalars):
            raise ValueError(f"limits: the option {option} is something of {signature.name}; give it another name")
        are_whole = isinstance(values, (tuple, list, range)) and all(
            isinstance(each, (int, np.integer)) and not isinstance(each, bool) for each in values
        )
        if not are_whole:
            raise TypeError(
                f"limits: the option {option} is {values!r}; give a list of whole numbers, the default first"
            )
        numbers = [int(each) for each in values]
        if wide := [each for each in numbers if not -(1 << 63) <= each < 1 << 63]:
            raise ValueError(f"limits: the option {option} has the value {wide[0]}; give numbers of 64 bits, signed")
        if not numbers or len(set(numbers)) < len(numbers):
            raise ValueError(f"limits: the option {option} is {values!r}; give at least one value, and none twice")
        configuration[option] = numbers
    return configuration


def limits_in_protocol(options: "Mapping[str, Any]") -> "dict[str, Any]":
    """Returns what limits_options() gives as the worker protocol writes it."""
    extents = {}
    for name, limit in options["extents"].items():
        if isinstance(limit, dict):
            extents[name] = limit
            continue
        least, greatest, *multiple = limit
        extents[name] = {"least": least, "greatest": greatest, **({"multiple": multiple[0]} if multiple else {})}
    limits: dict[str, Any] = {"extents": extents}
    for name, said in options.items():
        if name in ("inputs", "output"):
            limits[name] = _in_order(said)
        elif name == "tensors":
            limits[name] = {tensor: _in_order(layout) for tensor, layout in said.items()}
        elif name != "extents":
            limits[name] = said
    return limits


def outside(
    options: "Mapping[str, Any]",
    signature: Signature,
    extents: "Mapping[str, int]",
    layouts: "Mapping[str, Any]",
    configuration: "Mapping[str, int]",
) -> str:
    """Says why a case is not inside of what limits_options() gives, as far as a function could not bear it: extents,
    relations between them, what is shared, and options. "" where it is. `layouts` and `configuration` are those of a
    case file."""
    for option, values in options.get("configuration", {}).items():
        if configuration.get(option, values[0]) not in values:
            return f"its {option} is {configuration[option]}, none of the option's values now"
    for extent, limit in options["extents"].items():
        if not _accepts(limit, extents[extent]):
            return f"its {extent} is {extents[extent]}, outside of the limits now"
    for names in options.get("equal", ()):
        if len({extents[name] for name in names}) > 1:
            return f"its {', '.join(names)} are not equal, as limits have it now"
    relations = options.get("relations", ())
    broken = _library.extents(signature.identity, dict(extents), relations)["broken"] if relations else None
    if broken is not None:
        return f"its extents break {broken['relation']}, as limits have it now"
    for product in options.get("products", ()):
        if math.prod(extents[name] for name in product["of"]) > product["greatest"]:
            return f"its {' x '.join(product['of'])} is more than {product['greatest']}, the limit now"
    for tensor in signature.inputs:
        if tensor.name not in layouts:
            continue  # an optional input that the case is without
        layout = options.get("tensors", {}).get(tensor.name, options.get("inputs"))
        shared = layout.get("shared", ()) if isinstance(layout, dict) else ()
        for extent, stride in zip(tensor.shape, layouts[tensor.name]["strides"]):
            if extent in shared and extents[extent] > 1 and stride != 0:
                return f"its {tensor.name} is not the same along {extent}, which it shares now"
    return ""


def _accepts(limit: "list[int] | dict[str, Any]", value: int) -> bool:
    """Says whether an extent may have a value, by what limits_options() has under "extents"."""
    if isinstance(limit, list):
        limit = dict(zip(("least", "greatest", "multiple"), limit))
    if limit.get("power_of_two") and (value < 1 or value & (value - 1)):
        return False
    return limit.get("least", 0) <= value <= limit.get("greatest", value) and value % limit.get("multiple", 1) == 0


def _in_order(layout: "str | dict[str, Any]") -> "dict[str, Any]":
    return layout if isinstance(layout, dict) else {"order": layout}


def _object(name: str, limit: "Mapping[str, Any]", known: "tuple[str, ...]") -> "dict[str, Any]":
    for key, value in limit.items():
        if key not in known:
            raise ValueError(f"limits: {name} says {key!r}; give some of {', '.join(known)}")
        if key == "shared" and (isinstance(value, str) or not isinstance(value, Sequence)):
            raise TypeError(f"limits: {name} has shared={value!r}; give a list of extents: ['batch']")
    return {key: list(value) if isinstance(value, (tuple, list)) else value for key, value in limit.items()}


def _layout(name: str, limit: Any) -> "str | dict[str, Any]":
    if isinstance(limit, Mapping):
        said = _object(name, limit, _OF_LAYOUTS)
        if "order" in said:
            _word(f"the order of {name}", said["order"], _LAYOUTS)
        return said
    return _word(name, limit, _LAYOUTS)


def _names(what: str, names: Any, signature: Signature) -> "list[str]":
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise TypeError(f"limits: {what} has {names!r}; give a tuple of extents")
    for name in names:
        if name not in signature.extents:
            raise ValueError(
                f"limits: {what} has {name!r}; extents of {signature.name} are {', '.join(signature.extents)}"
            )
    return [str(name) for name in names]


def _products(limit: Any, signature: Signature) -> "list[dict[str, Any]]":
    if not isinstance(limit, Mapping):
        raise TypeError(f"limits: products is {limit!r}; give the greatest by extents: {{('m', 'n'): 4096}}")
    products = []
    for names, greatest in limit.items():
        if not isinstance(greatest, (int, np.integer)) or isinstance(greatest, bool) or greatest < 0:
            raise ValueError(f"limits: the product of {names} is at most {greatest!r}; give a number from 0 on")
        products.append({"of": _names("products", names, signature), "greatest": int(greatest)})
    return products


def _equal(limit: Any, signature: Signature) -> "list[list[str]]":
    if isinstance(limit, str) or not isinstance(limit, Sequence):
        raise TypeError(f"limits: equal is {limit!r}; give extents, or a list of such tuples: ('m', 'n')")
    groups = [limit] if all(isinstance(each, str) for each in limit) else limit
    return [_names("equal", names, signature) for names in groups]


def _relations(limit: Any) -> "list[str]":
    """Returns relations as texts; what is wrong inside of one, the library says."""
    texts = [limit] if isinstance(limit, str) else limit
    if not isinstance(texts, Sequence) or not all(isinstance(each, str) for each in texts):
        raise TypeError(f"limits: relations is {limit!r}; give one, or a list of them: ['k <= n', 'n = o + k - 1']")
    return list(texts)


def _extent(name: str, limit: Any) -> "list[int] | dict[str, Any]":
    if isinstance(limit, Mapping):
        return _object(name, limit, _OF_EXTENTS)
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


def _in_place(limit: Any) -> "dict[str, Any]":
    if isinstance(limit, str):
        return {"input": limit, "always": True}
    if isinstance(limit, Mapping):
        return _object("in_place", limit, ("input", "always"))
    raise TypeError(f"limits: in_place is {limit!r}; give the input that the function updates: 'c'")
