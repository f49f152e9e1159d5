"""Registers a library's function as one kernel for each combination of formats, with the contract of its name."""

from __future__ import annotations

from typing import Any, Callable
from collections.abc import Mapping, Sequence

import negzero
from negzero._formats import dtype_of

Formats = Sequence[str]
#: Floating-point formats that every library here computes with.
FLOATS = ("F16", "BF16", "F32", "F64")
#: Conversions that PyTorch and JAX are asked for.
CONVERSIONS = [
    ("F32", "F16"), ("F32", "BF16"), ("F64", "F32"), ("F16", "F32"), ("BF16", "F16"), ("F16", "BF16"),
    ("F32", "F8_E4M3"), ("F32", "F8_E5M2"), ("F16", "F8_E4M3"), ("BF16", "F8_E5M2"), ("F8_E4M3", "F16"),
]  # fmt: skip


def dtype_name(format_name: str) -> str:
    """Returns the name of a format's dtype, which is the same in NumPy, PyTorch, JAX and CuPy."""
    return dtype_of(format_name).name


def each(count: int, *more: str, formats: Formats = FLOATS) -> "list[tuple[str, ...]]":
    """Returns the combinations of one format for `count` tensors, with `more` behind them."""
    return [(*(one,) * count, *more) for one in formats]


def register(
    function: str,
    operation: str,
    call: "Callable[..., Any]",
    formats: "Sequence[Formats]",
    *,
    arrays: str,
    device: "str | None" = "cuda",
    variant: str = "",
    words: "Mapping[str, Any] | None" = None,
    contract: "Mapping[str, Any] | None" = None,
    limits: "Mapping[str, Any] | None" = None,
    about: str = "",
) -> None:
    """Registers `call`, which calls the library's `function`, as kernels FUNCTION.VARIANT.FORMATS.

    The contract is what negzero.contract_of(function, formats, **words) gives, with the fields of `contract` in their
    place: promises of that variant alone.
    """
    place = "cpu" if device == "cpu" else "cuda"
    for combination in formats:
        shown = [one.lower() for one in combination if not one.startswith("I")]
        told = shown[:1] if len(set(shown)) == 1 else shown
        name = ".".join(part for part in (function, variant, "_".join(told)) if part)
        promised = negzero.contract_of(function, combination, device=place, **(words or {}))
        negzero.kernel(
            operation, name=name, formats=combination, arrays=arrays, device=device,
            contract={**promised, **(contract or {})}, limits=limits, about=about or f"{function}, as it is documented",
        )(call)  # fmt: skip
