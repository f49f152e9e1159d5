"""Tells what Triton refuses in words from what its compiler does not survive."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import negzero


@contextlib.contextmanager
def refused_in_words() -> "Iterator[None]":
    """Raises negzero.Refused, with the reason, instead of triton.CompilationError and triton.OutOfResources.

    Other errors are no refusals. Among them is the RuntimeError "PassManager::run failed": an assertion of the compiler
    failed, and LLVM's crash recovery has kept the process.
    """
    import triton

    try:
        yield
    except (triton.CompilationError, triton.OutOfResources) as error:
        # The text of a CompilationError is a piece of the source; the reason is its message, or its cause's.
        said = getattr(error, "error_message", None) or error.__cause__ or error
        raise negzero.Refused(f"{type(error).__name__}: {said}") from error
