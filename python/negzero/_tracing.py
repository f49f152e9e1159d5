"""Keeps torch.compile out: it would trace this package, and turn its NumPy into arithmetic of PyTorch."""

from __future__ import annotations

import functools
import sys
from typing import Any, Callable, TypeVar, cast

_Function = TypeVar("_Function", bound=Callable[..., Any])


def untraced(function: _Function) -> _Function:
    """Returns a function that runs as it is written, also where a function that torch.compile compiles calls it."""

    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        # Only where it is loaded: nothing is compiled without it, and to import it takes seconds.
        disable = getattr(sys.modules.get("torch._dynamo"), "disable", None)
        return (function if disable is None else disable(function))(*arguments, **keywords)

    return cast(_Function, call)
