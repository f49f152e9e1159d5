"""Everything that contract_of() knows: functions with formats, devices, keywords, switches and the environment."""

from __future__ import annotations

import inspect
import itertools
import os
from dataclasses import dataclass, field
from typing import Any
from collections.abc import Iterator, Mapping

import negzero
from negzero._functions import _TABLE, NAMED
from negzero._functions._promised import promised
from negzero._functions._torch_products import SWITCHES
from negzero._operations import signature_of
from support import FLOATS

#: What keywords of functions may be. A keyword that this test does not know has no values here, and fails it.
VALUES: "dict[str, tuple[Any, ...]]" = {
    "dtype": (None, "float32", "float64"),
    "preferred_element_type": (None, "float32"),
    "precision": (None, "default", "high", "highest", "float32", "tensorfloat32"),
    "reduce": ("sum", "amax", "amin"),
    "input_precision": ("tf32", "ieee"),
    "out_dtype": ("float32", "float16"),
    # They change which elements there are, and how many.
    **dict.fromkeys(("keepdim", "keepdims", "axis", "dim", "num_segments", "beta", "alpha", "bias"), (...,)),
}
#: What results are by the keywords that say it.
RESULTS = {"float32": "F32", "float64": "F64"}
ENVIRONMENT: "tuple[dict[str, str], ...]" = (
    {},
    {"CUPY_TF32": "1"},
    {"NVIDIA_TF32_OVERRIDE": "0"},
    {"NVIDIA_TF32_OVERRIDE": "1"},
)


@dataclass(frozen=True)
class Asked:
    """One question to contract_of()."""

    function: str
    operation: str
    formats: "tuple[str, ...]"
    device: str
    words: "Mapping[str, Any]" = field(default_factory=dict)
    environment: "Mapping[str, str]" = field(default_factory=dict)

    def contract(self) -> "dict[str, Any]":
        """Returns the answer. Raises TypeError or ValueError where no contract is known."""
        before = {name: os.environ.pop(name, None) for each in ENVIRONMENT for name in each}
        os.environ.update(self.environment)
        try:
            return negzero.contract_of(self.function, self.formats, device=self.device, **self.words)
        finally:
            for name in before:
                os.environ.pop(name, None)
            os.environ.update({name: value for name, value in before.items() if value is not None})


def _combinations(operation: str, words: "Mapping[str, Any]") -> "Iterator[tuple[str, ...]]":
    """Yields formats of an operation: factors of one format, or both of FP8, and results of theirs or of F32.

    Where a keyword says what the result is, results are that.
    """
    signature = signature_of(operation)
    wanted = RESULTS.get(words.get("dtype") or words.get("preferred_element_type") or "")
    for one in FLOATS:
        if operation == "convert":
            yield from ((one, other) for other in (*FLOATS, "I32"))
        elif operation == "gemm":
            others = [one, *(each for each in FLOATS if one != each and one[:2] == each[:2] == "F8")]
            yield from ((one, other, result) for other in others for result in _results(one, wanted))
        elif operation in ("reduce.sum", "reduce.mean", "scan.inclusive"):
            yield from ((one, result) for result in _results(one, wanted))
        else:
            yield tuple("I32" if slot in signature.places else one for slot in signature.slots)


def _results(factor: str, wanted: "str | None") -> "tuple[str, ...]":
    return (wanted,) if wanted else tuple(dict.fromkeys((factor, "F32")))


def _words(name: str) -> "Iterator[dict[str, Any]]":
    """Yields keywords of a function, in every combination, and switches of PyTorch."""
    named = NAMED.get(name)
    parameters = inspect.signature(named.fields if named else _TABLE[name].take).parameters.values()
    keywords = [each.name for each in parameters if each.default is not each.empty]
    keywords += [each for each in ("reduce",) if any(of.name == each for of in parameters)]
    values = [[each for each in VALUES[keyword] if each is not ...] or [None] for keyword in keywords]
    for chosen in itertools.product(*values):
        yield {keyword: value for keyword, value in zip(keywords, chosen) if value is not None}
    if name.startswith("torch.") and (named or _TABLE[name]).operation == "gemm":
        for chosen in itertools.product((False, True), repeat=len(SWITCHES)):
            yield dict(zip(SWITCHES, chosen))


def questions() -> "Iterator[Asked]":
    """Yields every question, of which some have no answer: PyTorch multiplies no FP8."""
    for name, known in {**_TABLE, **NAMED}.items():
        for device in ("cuda", "cpu") if name in _TABLE else ("cuda",):
            for words in _words(name):
                for environment in ENVIRONMENT if known.operation == "gemm" else ENVIRONMENT[:1]:
                    for formats in _combinations(known.operation, words):
                        operation = known.operation
                        if words.get("reduce", "sum") != "sum":
                            operation = promised(_TABLE[name], formats, device, dict(words)).operation
                        yield Asked(name, operation, formats, device, words, environment)
