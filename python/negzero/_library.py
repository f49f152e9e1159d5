"""Loads libnegzero and calls it: bytes in, bytes out. ctypes releases the GIL during each call."""

from __future__ import annotations

import ctypes
import functools
import json
import os
from typing import Any, Callable
from collections.abc import Sequence

ABI = 10
_DONE, _USAGE = 0, 2


class _Bytes(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]


class _Block(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class Launch(ctypes.Structure):
    """One launch of a function that is being checked (negzero_launch in src/negzero/c/negzero.h)."""

    _fields_ = [
        ("plan", ctypes.c_char_p),
        ("plan_size", ctypes.c_size_t),
        ("case", ctypes.c_void_p),
        ("case_size", ctypes.c_size_t),
        ("image", ctypes.c_void_p),
        ("image_size", ctypes.c_size_t),
        ("message", ctypes.c_void_p),
        ("message_size", ctypes.c_size_t),
    ]


_LaunchBack = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(Launch))
_MemoryBack = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


class _Function(ctypes.Structure):
    _fields_ = [("user", ctypes.c_void_p), ("launch", _LaunchBack), ("memory", _MemoryBack)]


class Placement(ctypes.Structure):
    """The terms of one sum (negzero_placement in src/negzero/c/negzero.h)."""

    _fields_ = [(name, ctypes.c_int64) for name in ("plus", "minus", "ones_begin", "ones_end")]


class Terms(ctypes.Structure):
    """Sums to compute (negzero_terms in src/negzero/c/negzero.h)."""

    _fields_ = [
        ("length", ctypes.c_int64),
        ("large_a", ctypes.c_int32),
        ("one_a", ctypes.c_int32),
        ("large_b", ctypes.c_int32),
        ("one_b", ctypes.c_int32),
        ("placements", ctypes.POINTER(Placement)),
        ("count", ctypes.c_size_t),
    ]


_SumsBack = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(Terms), ctypes.POINTER(ctypes.c_double))


class _Sums(ctypes.Structure):
    _fields_ = [("user", ctypes.c_void_p), ("sums", _SumsBack)]


class LibraryError(RuntimeError):
    """negzero or the machine failed: memory, or a defect of negzero. Says nothing about what was to be judged."""


def _path() -> str:
    return os.environ.get("NEGZERO_LIBRARY") or os.path.join(os.path.dirname(__file__), "libnegzero.so")


def _load(path: str) -> ctypes.CDLL:
    """Loads the library, and asks for its ABI before anything else. Raises ImportError with a cure."""
    if not os.path.exists(path):
        raise ImportError(
            f"negzero: {path} is missing; install the package again (pip install --force-reinstall), or set "
            "NEGZERO_LIBRARY to a libnegzero.so"
        )
    try:
        library = ctypes.CDLL(path)
        library.negzero_abi.restype = ctypes.c_uint32
        library.negzero_abi.argtypes = []
    except (OSError, AttributeError) as error:
        raise ImportError(
            f"negzero: {path} is no libnegzero for this machine ({error}); install the package again, or unset "
            "NEGZERO_LIBRARY"
        ) from error
    abi = library.negzero_abi()
    if abi != ABI:
        raise ImportError(
            f"negzero: {path} has ABI {abi}, and this package speaks {ABI}; install library and package from one "
            "release, or unset NEGZERO_LIBRARY"
        )
    library.negzero_version.restype = ctypes.c_char_p
    library.negzero_version.argtypes = []
    library.negzero_free.restype = None
    library.negzero_free.argtypes = [_Block]
    arguments = {
        "negzero_list": 0,
        "negzero_describe": 1,
        "negzero_extents": 1,
        "negzero_judge": 3,
        "negzero_explain": 3,
        "negzero_permitted": 2,
        "negzero_case": 1,
        "negzero_draw": 1,
        "negzero_ledger": 2,
    }
    for name, count in arguments.items():
        function = getattr(library, name)
        function.restype = ctypes.c_int32
        function.argtypes = [_Bytes] * count + [ctypes.POINTER(_Block)]
    library.negzero_order.restype = ctypes.c_int32
    library.negzero_order.argtypes = [_Bytes, _Sums, ctypes.POINTER(_Block)]
    library.negzero_check.restype = ctypes.c_int32
    library.negzero_check.argtypes = [
        _Bytes, _Function, _Function, _Function, ctypes.POINTER(_Bytes), ctypes.c_size_t, ctypes.POINTER(_Block),
        ctypes.POINTER(_Block),
    ]  # fmt: skip
    return library


_LIBRARY = _load(_path())


def _call(name: str, *arguments: bytes) -> bytes:
    """Calls a function that writes a block. What is wrong with its arguments is a ValueError in the library's words."""
    block = _Block()
    given = [_Bytes(argument, len(argument)) for argument in arguments]
    status = getattr(_LIBRARY, name)(*given, ctypes.byref(block))
    return _taken(name, status, block)


def _bytes_of(block: _Block) -> bytes:
    """Returns a block's bytes, and frees it."""
    try:
        # Not ctypes.string_at(), whose size is an int of 32 bits.
        return (ctypes.c_char * block.size).from_address(block.data).raw if block.data else b""
    finally:
        _LIBRARY.negzero_free(block)


def _taken(name: str, status: int, block: _Block) -> bytes:
    result = _bytes_of(block)
    if status == _DONE:
        return result
    text = result.decode("utf-8", "replace").strip()
    if status == _USAGE:
        # Every error has a cure behind a semicolon; the library leaves the obvious ones to its callers.
        cure = "" if "; " in text else f"; {_cure(text)}"
        raise ValueError(f"{text or name + ': refused'}{cure}")
    raise LibraryError(f"{name}: {text or 'the library failed and did not say why'}; please report this")


def _cure(text: str) -> str:
    if text.startswith("operation '"):
        return "docs/how-to/your_operation.md says what a line may have"
    if text.startswith("contract"):
        return "give a preset's name, or fields and words as help(negzero.Contract) has them"
    return "negzero.operations() has the line that says what the operation takes and gives"


def version() -> str:
    """Returns the library's version, "0.1.0"."""
    return str(_LIBRARY.negzero_version().decode("utf-8"))


@functools.cache
def listing() -> dict[str, Any]:
    """Returns the operations, contracts, formats and rules that the library knows."""
    return dict(json.loads(_call("negzero_list")))


def contract_version() -> str:
    """Returns the version of the defaults of contracts that name none, as a case's metadata has it."""
    return str(listing()["contract_version"])


@functools.cache
def describe(line: str) -> dict[str, Any]:
    """Returns the row of what a line declares. Raises ValueError for what is none."""
    return dict(json.loads(_call("negzero_describe", line.encode())))


def extents(operation: str, known: "dict[str, int]", relations: "Sequence[str]" = ()) -> dict[str, Any]:
    """Returns the extents that follow from known ones under "extents", and under "broken" None, or the relation that
    they do not keep: {"relation": "k <= n", "text": "k = 5, n = 3: k <= n does not hold"}."""
    options = {"operation": operation, "extents": known, "relations": list(relations)}
    return dict(json.loads(_call("negzero_extents", _json(options))))


def judge(case: bytes, observed: bytes, options: dict[str, Any]) -> dict[str, Any]:
    """Returns the library's report on recorded outputs of a case."""
    return dict(json.loads(_call("negzero_judge", case, observed, _json(options))))


def explain(case: bytes, observed: bytes, options: dict[str, Any]) -> dict[str, Any]:
    """Returns why an element is permitted or not. `observed` may be no bytes."""
    return dict(json.loads(_call("negzero_explain", case, observed, _json(options))))


def permitted(case: bytes, options: dict[str, Any]) -> bytes:
    """Returns the safetensors bytes of the permitted sets."""
    return _call("negzero_permitted", case, _json(options))


def canonical(case: bytes) -> bytes:
    """Returns the case in its canonical form: equal cases are equal bytes. Raises ValueError for what is no case."""
    return _call("negzero_case", case)


def draw(options: dict[str, Any]) -> bytes:
    """Returns the adversarial case that the options (negzero_draw in src/negzero/c/negzero.h) ask for."""
    return _call("negzero_draw", _json(options))


#: Runs a function, and returns STOP, RAN, RAISED, CHANGED or REFUSED; gives the address of so many bytes of memory.
#: Neither may raise.
Called = tuple[Callable[[Launch], int], Callable[[int], int]]
#: What a function made of a launch (negzero.h).
STOP, RAN, RAISED, CHANGED, REFUSED = 0, 1, 2, 3, 4


def _function(called: "Called | None") -> _Function:
    if called is None:
        return _Function(None, _LaunchBack(), _MemoryBack())
    launch, memory = called
    return _Function(
        None, _LaunchBack(lambda _, given: launch(given.contents)), _MemoryBack(lambda _, size: memory(size))
    )


def check(
    options: dict[str, Any],
    function: Called,
    reference: "Called | None",
    prepare: "Called | None",
    first: "Sequence[bytes]",
) -> "tuple[dict[str, Any], bytes]":
    """Checks a function, and returns the report and the case file of what was found (negzero_check in negzero.h).

    `reference` gives what is right, where the options name one; `prepare` changes the inputs of drawn cases.
    """
    called, held_to, prepares = _function(function), _function(reference), _function(prepare)
    cases = (_Bytes * len(first))(*(_Bytes(each, len(each)) for each in first))
    found, out = _Block(), _Block()
    asked = _json(options)
    status = _LIBRARY.negzero_check(
        _Bytes(asked, len(asked)), called, held_to, prepares, cases, len(first), ctypes.byref(found), ctypes.byref(out)
    )
    found_case = _bytes_of(found)
    return dict(json.loads(_taken("negzero_check", status, out))), found_case


def order(options: dict[str, Any], sums: "Callable[[Terms], Sequence[float] | None]") -> "dict[str, Any] | None":
    """Returns the order in which a function adds (negzero_order in negzero.h); None where `sums` returned None.

    `sums` computes the sums of some placements, and may not raise.
    """

    def called(_: Any, terms: Any, out: Any) -> int:
        values = sums(terms.contents)
        if values is None:
            stopped.append(True)
            return STOP
        for i, value in enumerate(values):
            out[i] = value
        return RAN

    stopped: "list[bool]" = []
    asked, block = _json(options), _Block()
    status = _LIBRARY.negzero_order(_Bytes(asked, len(asked)), _Sums(None, _SumsBack(called)), ctypes.byref(block))
    if stopped:
        _bytes_of(block)
        return None
    return dict(json.loads(_taken("negzero_order", status, block)))


def ledger(text: bytes, findings: list[dict[str, str]], ran: list[Any]) -> dict[str, Any]:
    """Returns what a ledger of known findings decides, as `negzero check --accept` would.

    `text` holds the bytes of the ledger's file; `findings` and `ran` are those of negzero_ledger() in
    src/negzero/c/negzero.h. The answer has "accepted", an entry's number from 0 or None for each finding, and "stale",
    the numbers of entries that are about something that ran and accept none of the findings. Raises ValueError for a
    ledger or a row that is none.
    """
    return dict(json.loads(_call("negzero_ledger", text, _json({"findings": findings, "ran": ran}))))


def _json(options: dict[str, Any]) -> bytes:
    return json.dumps(options, allow_nan=False).encode("ascii")
