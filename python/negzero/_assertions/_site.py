"""Where an assertion stands, and how its arguments are written there."""

from __future__ import annotations

import ast
import functools
import linecache
import os
from dataclasses import dataclass
from types import FrameType
from typing import Any

from ._hook import is_library


@dataclass(frozen=True)
class Site:
    """A line of the caller's own code."""

    file: str  #: relative to the root, where it lies below it
    line: int
    through: str = ""  #: the helper's "file:line", where the assertion is called by a helper of another file

    @property
    def text(self) -> str:
        """Returns "tests/test_gemm.py:41"; with the helper behind it."""
        return f"{self.file}:{self.line}" + (f" (through {self.through})" if self.through else "")


class Places:
    """Turns frames into sites."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._paths: "dict[str, str]" = {}  #: of files, by how they are shown

    def of(self, frame: FrameType, test_file: str) -> "Site | None":
        """Returns the innermost line of the test's file; of any file of the caller's own where no test runs.

        A call that a library makes by itself, with no such line around it, has no site.
        """
        own, at = None, frame
        while at is not None:
            path = at.f_code.co_filename
            if path == test_file or (own is None and not is_library(path)):
                own = at
                if path == test_file or not test_file:
                    break
            at = at.f_back  # type: ignore[assignment]
        if own is None:
            return None
        self._paths[self.shown(own.f_code.co_filename)] = own.f_code.co_filename
        through = "" if own is frame else f"{self.shown(frame.f_code.co_filename)}:{frame.f_lineno}"
        return Site(self.shown(own.f_code.co_filename), own.f_lineno, through)

    def shown(self, path: str) -> str:
        """Returns a path as it is printed: below the root without it, of a package from its name on."""
        if is_library(path):
            return path.rpartition("-packages/")[2]
        relative = os.path.relpath(path, self.root) if os.path.isabs(path) else path
        return path if relative.startswith("..") else relative

    def line_of(self, site: Site) -> str:
        """Returns the text of the site's line."""
        path = self._paths.get(site.file, site.file)
        return _statement(path, site.line) or linecache.getline(path, site.line).strip()


@functools.lru_cache(64)
def _tree(path: str) -> "ast.AST | None":
    try:
        return ast.parse("".join(linecache.getlines(path)))
    except SyntaxError:
        return None


@functools.lru_cache(4096)
def _statement(path: str, line: int) -> str:
    """Returns the simple statement that begins at a line of a file, in one line; "" for one of a single line."""
    tree = _tree(path)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, (ast.Expr, ast.Assert, ast.Assign, ast.Return)) and node.lineno == line:
            end = node.end_lineno or line
            return "" if end == line else " ".join("".join(linecache.getlines(path)[line - 1 : end]).split())
    return ""


def written_at(frame: FrameType, name: str, path: "tuple[Any, ...]") -> str:
    """Returns how the value at a path of a call's arguments is written; "" where that is not known."""
    written, named = arguments_of(call_at(frame.f_code.co_filename, frame.f_lineno, name))
    first, *rest = path
    text = named.get(first, "") if isinstance(first, str) else (written[first : first + 1] or [""])[0]
    return text + "".join(f"[{key!r}]" for key in rest) if text else ""


def call_at(path: str, line: int, name: str) -> "ast.Call | None":
    """Returns the call of a function of that name at a line: the first one."""
    tree = _tree(path)
    last = name.rpartition(".")[2]
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Call) and node.lineno <= line <= (node.end_lineno or node.lineno):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called == last:
                return node
    return None


def arguments_of(call: "ast.Call | None") -> "tuple[list[str], dict[str, str]]":
    """Returns how positional arguments and keywords are written; nothing where some are unpacked from elsewhere."""
    if (
        call is None
        or any(isinstance(each, ast.Starred) for each in call.args)
        or any(k.arg is None for k in call.keywords)
    ):
        return [], {}
    return [ast.unparse(each) for each in call.args], {str(k.arg): ast.unparse(k.value) for k in call.keywords}
