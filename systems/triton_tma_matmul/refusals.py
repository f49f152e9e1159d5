"""Tells what Triton refuses in words from what its compiler does not survive."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import negzero


@contextlib.contextmanager
def refused_in_words() -> "Iterator[None]":
    """Raises negzero.Refused instead of triton.CompilationError and triton.OutOfResources, with their last line.

    Other errors are no refusals. Among them is the RuntimeError "PassManager::run failed": an assertion of the compiler
    failed, and LLVM's crash recovery has kept the process.
    """
    import triton

    try:
        yield
    except (triton.CompilationError, triton.OutOfResources) as error:
        # Before the last line of a CompilationError comes the source.
        said = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise negzero.Refused(f"{type(error).__name__}: {said[-1]}") from error
