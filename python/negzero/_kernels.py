"""Registers functions as kernels of a module, for `negzero check --kernels MODULE.py`."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Any, Callable, TypeVar
from collections.abc import Mapping

from . import _images
from ._case import contract_option
from ._contract import Contract
from ._operations import Signature, signature_of
from ._parameters import Parameters, name_of, parameters_of, place_of, scalar_limits
from ._reference import reference_option
from ._requests import configuration_of, formats_option, limits_in_protocol, limits_options

_Function = TypeVar("_Function", bound="Callable[..., Any]")

#: A kernel's name in the worker protocol: parts joined by dots.
_NAME = re.compile(r"[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*")
_MOST_NAME = 256
#: Frameworks whose arrays lie on a GPU, whatever the device.
_ON_GPU = ("cupy",)


@dataclass(frozen=True)
class Kernel:
    """A registered function, and what it declares."""

    name: str
    function: "Callable[..., Any]"
    signature: Signature
    parameters: Parameters
    arrays: str
    device: "str | None"
    has_batch: bool
    declared: "dict[str, Any]"  #: its entry in a worker's declaration (docs/reference/worker_protocol.md)

    @property
    def on_gpu(self) -> bool:
        """Whether its process is given a GPU."""
        return bool(self.declared["executor"] == "cuda")


#: All of this process, by name, in the order in which they were registered.
registered: "dict[str, Kernel]" = {}


def kernel(
    operation: str,
    *,
    name: "str | None" = None,
    formats: object = None,
    arrays: str = "numpy",
    device: "str | None" = None,
    contract: "str | Contract | None" = None,
    limits: "Mapping[str, Any] | None" = None,
    values: "Mapping[str, Any] | None" = None,
    interpreter_contract: "str | Contract | None" = None,
    reference: "str | None" = None,
    error: object = None,
    specials: "Mapping[str, Any] | None" = None,
    about: str = "",
) -> "Callable[[_Function], _Function]":
    """Registers the function below it as a kernel, for `negzero check|fuzz|replay --kernels THIS_MODULE.py`.

        @negzero.kernel("gemm", name="my.gemm", formats=("F16", "F16", "F32"), arrays="torch", device="cuda")
        def my_gemm(a, b):
            return a.float() @ b.float()

    name        parts of letters, digits and _, joined by dots; the function's where it is missing
    device      "cuda" for a kernel that needs a GPU; where it is missing, CuPy's and no others'
    interpreter_contract
                where TRITON_INTERPRET is set, kernels of PyTorch's tensors run on the host, and what they give has not
                the GPU's numerics: no case passes `contract`. With this one they are judged by what Triton's
                interpreter promises, and the summary says so
    reference   of an operation that a line declares, the name of the kernel that gives what is right: of this module or
                of the program. It takes and gives numbers in F64, and `<output>_scale` beside an output whose error is
                relative; `error` and `specials` are as in negzero.check()
    about       one line for lists

    The rest is as in negzero.check(): what the function takes and gives, `formats`, `arrays`, `contract`, `limits`
    and `values`. NumPy's inputs are read-only here. The framework is imported in the kernel's own process alone.

    Returns the function as it is. Raises TypeError or ValueError for arguments that are wrong, and for a second kernel
    of one name.
    """
    signature = signature_of(operation)
    if not isinstance(about, str) or "\n" in about:
        raise ValueError(f"about: {about!r}; give one line of text")

    def register(function: _Function) -> _Function:
        called = name_of(function) if name is None else name
        if not isinstance(called, str) or not _NAME.fullmatch(called) or len(called) > _MOST_NAME:
            raise ValueError(
                f"name: {called!r}; give parts of letters, digits and _ joined by dots, at most {_MOST_NAME} "
                "characters: 'my.gemm'"
            )
        if called in registered:
            before = place_of(registered[called].function)
            raise ValueError(f"name: {called!r} is a kernel already ({before}); give another")
        parameters = parameters_of(function, signature, configuration=configuration_of(signature, limits))
        lacks = _images.named(arrays, device)
        options = limits_options(signature, limits, scalar_limits(signature, parameters), values)
        is_interpreted = arrays == "torch" and interprets_triton()
        on_gpu = not is_interpreted and (arrays in _ON_GPU or str(device).split(":")[0] in ("cuda", "gpu"))
        file, _, line = place_of(function).rpartition(":")
        combinations = formats_option(signature, formats, lacks, arrays)
        declared: dict[str, Any] = {
            "name": called,
            "operation": signature.identity,
            "shows": "values",
            "formats": [signature.named(signature.formats_of(each)) for each in combinations],
            "limits": limits_in_protocol(options),
            "executor": "cuda" if on_gpu else "host",
            "about": about,
        }
        said, interpreters = contract_option(contract), contract_option(interpreter_contract)
        if is_interpreted:
            declared["interpreter"] = "Triton"
        if is_interpreted and interpreters is not None:
            said, declared["contract_of"] = interpreters, "interpreter"
        if said is not None:
            declared["contract"] = said
        if reference is not None:
            declared["reference"] = reference_option(signature, reference, error, specials)
        elif error is not None or specials is not None:
            raise TypeError("error: of no reference; give reference=, the name of a kernel")
        if file:
            declared["file"], declared["line"] = file, int(line)
        registered[called] = Kernel(
            called, function, signature, parameters, arrays, "cpu" if is_interpreted else device,
            "batch" in (limits or {}), declared,
        )  # fmt: skip
        return function

    return register


def interprets_triton() -> bool:
    """Says whether Triton runs kernels by its interpreter on the host (triton/knobs.py reads the same words)."""
    return os.environ.get("TRITON_INTERPRET", "").lower() in ("1", "true", "yes", "on", "y")
