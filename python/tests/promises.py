"""Prints, as Markdown, what each function stands for and promises: found by calls of it, as promises are made by calls.

A program of its own: no framework is imported in it, so that switches are the documented defaults, or what this sets.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from types import SimpleNamespace
from typing import Any
from collections.abc import Iterator

import numpy as np
from negzero._arrays import as_array
from negzero._functions import _TABLE
from negzero._functions._call import Call, Function
from negzero._functions._promised import On, OnGpu
from support import FLOATS

FRAMEWORKS = {"torch": "PyTorch", "jax": "JAX", "numpy": "NumPy", "cupy": "CuPy"}
#: The switches of PyTorch that are off or on here and not by default.
_OTHER_SWITCHES = {
    "allow_tf32": True,
    "allow_fp16_reduced_precision_reduction": False,
    "allow_bf16_reduced_precision_reduction": False,
}
_WORDS = {"cpu": "host", "cuda": "GPU"}


@contextlib.contextmanager
def switched(place: str, others: bool, half: bool = False) -> "Iterator[None]":
    """Sets the switches of all frameworks to their defaults, or to others."""
    with contextlib.ExitStack() as stack:
        for name in ("CUPY_TF32", "NVIDIA_TF32_OVERRIDE"):
            os.environ.pop(name, None)
        if others:
            os.environ["CUPY_TF32"] = "1"
            matmul = SimpleNamespace(**_OTHER_SWITCHES, allow_fp16_accumulation=half)
            torch = SimpleNamespace(
                backends=SimpleNamespace(cuda=SimpleNamespace(matmul=matmul)),
                get_float32_matmul_precision=lambda: "highest",
                __version__="",
            )
            jax = SimpleNamespace(config=SimpleNamespace(jax_default_matmul_precision="highest"), __version__="")
            for name, module in (("torch", torch), ("jax", jax)):
                sys.modules[name] = module  # type: ignore[assignment]
                stack.callback(sys.modules.pop, name)
        yield


def arguments_of(function: Function, dtype: Any, kind: "type[np.ndarray]") -> "list[tuple[Any, ...]]":
    """Returns calls that show what a function may promise of arrays of a dtype."""

    def ones(*shape: int) -> np.ndarray:
        return np.ones(shape, dtype).view(kind)

    matrix, batch, row = ones(2, 2), ones(2, 2, 2), ones(2)
    places = np.zeros(2, np.int32).view(kind)
    named: "dict[str, list[tuple[Any, ...]]]" = {
        "torch.bmm": [(batch, batch)],
        "torch._int_mm": [(np.ones((2, 2), np.int8).view(kind),) * 2],
        "torch.addmm": [(matrix, matrix, matrix)],
        "torch.baddbmm": [(batch, batch, batch)],
        "torch.max": [(matrix, 0)],
        "torch.scatter_reduce": [(row, 0, places, row, reduce) for reduce in ("sum", "amax")],
    }
    if function.name in named:
        return named[function.name]
    operation = function.operation
    if operation == "gemm":
        return [(matrix, matrix)]
    if operation.startswith("reduce."):
        return [(matrix,)]
    if operation.startswith("scan."):
        return [(matrix, 0)]
    if operation.startswith("scatter."):
        return [(row, places)] if function.name.startswith("jax.ops.") else [(row, 0, places, row)]
    if operation == "convert":
        return [(matrix, np.float16), (matrix, "float8_e4m3fn")]
    raise SystemExit(f"{function.name}: promises.py knows no call of it; add one")


def calls(function: Function) -> "Iterator[tuple[str, str, Call]]":
    """Makes the calls of a function: device and format of its arrays, and what the call means."""
    for kind in (On, OnGpu):
        for others, half in ((False, False), (True, False), (True, True)):
            for name, dtype in FLOATS.items():
                for arguments in arguments_of(function, dtype, kind):
                    # PyTorch multiplies no FP8 by these names.
                    refused = contextlib.suppress(TypeError) if name.startswith("F8") else contextlib.nullcontext()
                    with switched(kind.place, others, half), refused:
                        yield kind.place, name, function.call(as_array, arguments, {})


class Promises:
    """The promises of a framework's functions, each once, with a number."""

    def __init__(self) -> None:
        self._formats: "dict[tuple[str, str, str], list[str]]" = {}  # (says, fields, source) with {F} for the format
        self._of: "dict[str, dict[tuple[str, str, str], set[str]]]" = {}  # by the function: its promises' devices

    def add(self, function: str, device: str, found: str, says: str, fields: "Any", source: str) -> None:
        """Notes a promise of a function, made of a call with arrays in a format."""
        shown = ", ".join(f"`{name}` {_word(value)}" for name, value in fields.items())
        here = re.compile(rf"\b{found}\b")
        key = (here.sub("{F}", says), here.sub("{F}", shown), source)
        formats = self._formats.setdefault(key, [])
        if found not in formats:
            formats.append(found)
        self._of.setdefault(function, {}).setdefault(key, set()).add(device)

    def _text(self, key: "tuple[str, str, str]") -> "tuple[str, str, str]":
        """The promise for people: with its format, or with F where it is made of several."""
        formats = self._formats[key]
        if "{F}" not in key[0] + key[1]:
            return key
        if len(formats) == 1:
            return (key[0].replace("{F}", formats[0]), key[1].replace("{F}", formats[0]), key[2])
        says = key[0].replace("{F}", "F").rstrip(".")
        return (f"{says} (F: {', '.join(formats)}).", key[1].replace("{F}", "F"), key[2])

    def tables(self, functions: "dict[str, str]") -> str:
        """Returns a table of functions and their operations, with numbers of promises, and the list of these."""
        numbers: "dict[tuple[str, str, str], int]" = {}
        lines = ["| function | stands for | promises |", "|---|---|---|"]
        for name, operation in functions.items():
            devices: "dict[int, set[str]]" = {}
            for key, places in self._of.get(name, {}).items():
                number = numbers.setdefault(self._text(key), len(numbers) + 1)
                devices.setdefault(number, set()).update(places)
            shown = [", ".join(str(number) for number, places in sorted(devices.items()) if len(places) == 2)]
            for device, word in _WORDS.items():
                only = [str(number) for number, places in sorted(devices.items()) if places == {device}]
                shown += [f"{word}: {', '.join(only)}"] if only else []
            lines.append(f"| `{name}` | `{operation}` | {'; '.join(filter(None, shown))} |")
        lines += ["", "| | promise | field | source |", "|---|---|---|---|"]
        for (says, fields, source), number in numbers.items():
            place = f"<{source}>" if source.startswith("https:") else source
            lines.append(f"| {number} | {says} | {fields} | {place} |")
        return "\n".join(lines)


def _word(value: object) -> str:
    return f"`{value!r}`" if isinstance(value, bool) else f'`"{value}"`'


def main() -> None:
    """Prints the tables of each framework."""
    parts = []
    for framework, title in FRAMEWORKS.items():
        known = {name: function for name, function in _TABLE.items() if name.partition(".")[0] == framework}
        promises = Promises()
        for name, function in known.items():
            for device, found, call in calls(function):
                for promise in call.promises:
                    promises.add(name, device, found, promise.says, promise.fields, promise.source)
        tables = promises.tables({name: function.operation for name, function in known.items()})
        parts.append(f"## {title}\n{tables}")
    print("\n\n".join(parts))


if __name__ == "__main__":
    main()
