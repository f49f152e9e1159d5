"""Collects what a judgement says about the arrays that it was given, beside the verdict."""

from __future__ import annotations

import sys
from typing import Any
from collections.abc import Iterable, Mapping

import ml_dtypes
import numpy as np

#: Formats whose subnormals XLA's CPU backend flushes. Seen with jaxlib 0.10.2 on x86-64: x + x, x * 1, 2**-126 / 2,
#: sums, cumulative sums, dot products, maxima and casts of float32 to bfloat16 gave zeros (sums also with 0.4.30). Sums
#: of float16 kept theirs.
_FLUSHED = ("float64", "float32", "bfloat16")


class Notes:
    """The notes of one call, and where its arrays came from."""

    def __init__(self) -> None:
        self._lines: "list[str]" = []
        self._origins: "dict[str, tuple[str, np.dtype]]" = {}

    def arrived(self, argument: str, origin: str, dtype: np.dtype) -> None:
        """Remembers where an argument came from ("jax cpu", "numpy") and its dtype."""
        self._origins[argument] = (origin, dtype.newbyteorder("="))

    def packed(self, argument: str, why: str) -> None:
        """Says that an argument's elements were copied in order."""
        self._lines.append(f"{argument} was packed: {why}")

    def converted(self, argument: str, dtype: np.dtype, to: np.dtype) -> None:
        """Says that places or counts have another width now, of which a range check has shown that nothing is lost."""
        self._lines.append(f"{argument} was converted from {dtype.name} to {to.name}; every value fits")

    def without_x64(self) -> str:
        """Returns what JAX did to float64 operands of a float32 output, with the cure; "" where it did nothing."""
        jax = sys.modules.get("jax")
        if jax is None or getattr(jax.config, "jax_enable_x64", True):
            return ""
        is_narrow = any(
            argument.startswith("observed") and origin.startswith("jax") and dtype == np.float32
            for argument, (origin, dtype) in self._origins.items()
        )
        wide = [
            argument
            for argument, (origin, dtype) in self._origins.items()
            if dtype == np.float64 and not argument.startswith("observed") and not origin.startswith("jax")
        ]
        if not is_narrow or not wide:
            return ""
        return (
            f"{', '.join(wide)} in float64 with a float32 output of JAX, whose jax_enable_x64 is off: JAX rounds "
            "float64 arrays to float32 before it computes; give .astype(numpy.float32), or call "
            'jax.config.update("jax_enable_x64", True) before'
        )

    def lines(
        self, failing: int, ends: "Iterable[tuple[Any, Any]]", tensors: "Mapping[str, np.ndarray]"
    ) -> "tuple[str, ...]":
        """Returns the notes of a judgement.

        `failing` elements are not permitted; `ends` are the smallest and the greatest number permitted of those that
        are described, and `tensors` the case's.
        """
        more = [self.without_x64(), self._flushing(ends, tensors) if failing else ""]
        return (*self._lines, *filter(None, more))

    def _flushing(self, ends: "Iterable[tuple[Any, Any]]", tensors: "Mapping[str, np.ndarray]") -> str:
        is_of_xla = any(
            argument.startswith("observed") and origin == "jax cpu" for argument, (origin, _) in self._origins.items()
        )
        if not is_of_xla:
            return ""
        results = any(_has_subnormals(np.asarray(end)) for pair in ends for end in pair if end is not None)
        operands = [name for name, array in tensors.items() if _has_subnormals(array)]
        if not results and not operands:
            return ""
        where = " and ".join(filter(None, [", ".join(operands), "permitted results" if results else ""]))
        return (
            f"{where}: some are subnormal, and XLA's CPU backend flushes subnormals to zero; the contract's fields "
            'subnormal_inputs and subnormal_results permit that where they are "either"'
        )


def _has_subnormals(array: np.ndarray) -> bool:
    if array.dtype.name not in _FLUSHED or array.size == 0:
        return False
    # A NaN compares as false; whether it is quiet does not matter here.
    with np.errstate(invalid="ignore"):
        size, least = np.abs(array), ml_dtypes.finfo(array.dtype).smallest_normal  # type: ignore[no-untyped-call]
        return bool(((size > 0) & (size < least)).any())
