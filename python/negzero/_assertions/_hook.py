"""Puts watched functions in the places of others, in modules that are imported now and in those that will be."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import inspect
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from importlib.machinery import ModuleSpec
from types import FrameType, ModuleType
from typing import Any


class Watched:
    """A function whose calls are told to somebody once they have returned."""

    def __init__(
        self, module: str, name: str, told: "Callable[[Any, Any, tuple[Any, ...], dict[str, Any], FrameType], None]"
    ):
        self.module, self.name, self._told = module, name, told
        self.is_missing = False  #: its module was imported, and has no such function
        self.is_found = False
        self._undo: "list[Callable[[], None]]" = []

    def take_place(self, module: ModuleType) -> None:
        """Takes the function's place in its module, and in the modules that have imported it by name."""
        owner: Any = module
        *path, last = self.name.split(".")
        for part in path:
            owner = getattr(owner, part, None)
        original = inspect.getattr_static(owner, last, None) if owner is not None else None
        kind = type(original) if isinstance(original, (staticmethod, classmethod)) else None
        function = original.__func__ if isinstance(original, (staticmethod, classmethod)) else original
        if not callable(function):
            self.is_missing = True
            return
        self.is_found = True
        watched: Any = self._wrapped(function)
        self._put(owner, last, watched if kind is None else kind(watched), original)
        if not path:
            for other in list(sys.modules.values()):
                if isinstance(other, ModuleType) and other is not module and not _is_installed(other):
                    for name, value in list(vars(other).items()):
                        if value is original:
                            self._put(other, name, watched, original)

    def give_back(self) -> None:
        """Puts the function back."""
        for undo in reversed(self._undo):
            undo()
        self._undo.clear()

    def _put(self, owner: Any, name: str, watched: Any, original: Any) -> None:
        own = name in vars(owner) if hasattr(owner, "__dict__") else True
        setattr(owner, name, watched)
        self._undo.append(lambda: setattr(owner, name, original) if own else delattr(owner, name))

    def _wrapped(self, original: Any) -> Any:
        told = self._told

        @functools.wraps(original)
        def call(*arguments: Any, **keywords: Any) -> Any:
            __tracebackhide__ = True
            if getattr(_inside, "it", False):
                return original(*arguments, **keywords)
            _inside.it = True
            try:
                result = original(*arguments, **keywords)
                told(original, result, arguments, keywords, sys._getframe(1))
            finally:
                _inside.it = False
            return result

        return call


#: Whether this thread is in a watched function: what that one calls is its own affair.
_inside = threading.local()


@contextlib.contextmanager
def unwatched() -> "Iterator[None]":
    """Lets this thread call watched functions unseen."""
    before, _inside.it = getattr(_inside, "it", False), True
    try:
        yield
    finally:
        _inside.it = before


class Hook:
    """Watches functions from now on, until it is taken away."""

    def __init__(self, watched: "Sequence[Watched]") -> None:
        self.watched = tuple(watched)
        self._waiting: "dict[str, list[Watched]]" = {}
        self._busy = threading.local()
        for each in watched:
            if each.module in sys.modules:
                each.take_place(sys.modules[each.module])
            else:
                self._waiting.setdefault(each.module, []).append(each)
        sys.meta_path.insert(0, self)

    def close(self) -> None:
        """Puts everything back."""
        sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not self]
        for each in self.watched:
            each.give_back()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> "ModuleSpec | None":
        """Finds a module that is waited for as it would be found otherwise, and sees to it once it is loaded."""
        if name not in self._waiting or getattr(self._busy, "it", False):
            return None
        self._busy.it = True
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, ValueError):
            return None
        finally:
            self._busy.it = False
        if spec is None or spec.loader is None or not hasattr(spec.loader, "exec_module"):
            return None
        spec.loader = _Then(spec.loader, self._waiting.pop(name))  # type: ignore[assignment]
        return spec


class _Then:
    """Loads a module as its own loader does, and lets functions take their places in it."""

    def __init__(self, loader: Any, waiting: "list[Watched]") -> None:
        self._loader, self._waiting = loader, waiting

    def create_module(self, spec: ModuleSpec) -> "ModuleType | None":
        created: "ModuleType | None" = self._loader.create_module(spec)
        return created

    def exec_module(self, module: ModuleType) -> None:
        # The loader may be one for many modules, as pytest's is, and may look at itself in the module.
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        for each in self._waiting:
            each.take_place(module)


def _is_installed(module: ModuleType) -> bool:
    """Says whether a module is a library's, in which nothing is put."""
    path = getattr(module, "__file__", None)
    return path is None or is_library(path)


def is_library(path: str) -> bool:
    """Says whether a file is an installed package's, or Python's own."""
    return "site-packages" in path or "dist-packages" in path or path.startswith(("<", sys.base_prefix + "/lib/"))
