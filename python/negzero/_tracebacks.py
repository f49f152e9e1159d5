"""Keeps this package's own frames out of the tracebacks that pytest prints."""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import Any

from ._library import LibraryError

_HERE = os.path.dirname(__file__)
#: What this package raises of its own accord, with a message that says what to change.
_SAID = (AssertionError, RuntimeError, TypeError, ValueError)


def hide_frames_of(package: str) -> None:
    """Hides the frames of the package's modules that are loaded now.

    pytest leaves out a frame whose locals or globals have a true `__tracebackhide__`, or one that returns True of the
    error (https://docs.pytest.org/en/stable/example/simple.html). `pytest --full-trace` shows all frames.
    """
    for name, module in list(sys.modules.items()):
        if name.startswith(f"{package}.") and isinstance(module, ModuleType):
            setattr(module, "__tracebackhide__", is_hidden)


def is_hidden(info: Any) -> bool:
    """Says whether the frames say nothing to the caller. `info` is pytest's ExceptionInfo, or None.

    They are shown of a fault of this package: of a LibraryError, and of any error that no check of arguments raises.
    """
    error = getattr(info, "value", None)
    if isinstance(error, LibraryError):
        return False
    return isinstance(error, _SAID) or not is_raised_here(error)


def is_raised_here(error: "BaseException | None") -> bool:
    """Says whether the innermost frame is this package's, rather than a function's that it called."""
    traceback = error.__traceback__ if error is not None else None
    if traceback is None:
        return False
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    return os.path.dirname(traceback.tb_frame.f_code.co_filename) == _HERE
