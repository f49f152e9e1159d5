"""One line that says how far a check is, on a terminal and in a notebook."""

from __future__ import annotations

import sys
import time

_FIRST, _EVERY = 1.0, 0.2  # seconds


class Progress:
    """Writes to stderr where a person looks at it, from the first second on."""

    def __init__(self, name: str, cases: int) -> None:
        self._name, self._cases = name, cases
        self._next = time.perf_counter() + _FIRST if _is_watched() else float("inf")
        self._width = 0
        self._shrunk = 0

    def at(self, phase: str, index: int) -> None:
        """Says which case is next."""
        shrinks = phase == "shrink"
        self._shrunk += shrinks
        now = time.perf_counter()
        if now < self._next:
            return
        self._next = now + _EVERY
        what = f"shrinking case {index}, run {self._shrunk:,}" if shrinks else f"case {index + 1:,} of {self._cases:,}"
        self._write(f"negzero: {self._name}: {what}")

    def close(self) -> None:
        """Removes the line."""
        if self._width:
            self._write("")
            print("\r", end="", file=sys.stderr, flush=True)

    def _write(self, text: str) -> None:
        print(f"\r{text:<{self._width}}", end="", file=sys.stderr, flush=True)
        self._width = max(self._width, len(text))


def _is_watched() -> bool:
    notebook = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if type(notebook).__name__ == "ZMQInteractiveShell":
        return True
    stream = sys.stderr
    return stream is not None and hasattr(stream, "isatty") and stream.isatty()
