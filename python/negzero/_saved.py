"""Keeps the cases that failed, so that the next run of the same test or function begins with them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from dataclasses import dataclass

from . import _library
from ._case import Case, case_named, write_file
from ._flight import left_behind

_FOLDER = "failing"


def key_of(test: str, function: str) -> str:
    """Returns the folder's name for what a test, or a function outside of one, leaves."""
    text = f"{test}::{function}" if test else function
    readable = re.sub(r"[^A-Za-z0-9_.-]+", "_", text)[-80:].strip("_.")
    return f"{readable}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


@dataclass(frozen=True)
class Saved:
    """The cases in a folder that belong to one test or function."""

    folder: str
    key: str

    @property
    def place(self) -> str:
        """The folder of the failing cases."""
        return os.path.join(self.folder, _FOLDER, self.key)

    def keep(self, case: bytes) -> str:
        """Saves a case under a name made of its content, and returns the path. Raises OSError."""
        data = _library.canonical(case)
        make_folder(self.folder)
        os.makedirs(self.place, exist_ok=True)
        path = os.path.abspath(os.path.join(self.place, f"{short_hash(data)}.safetensors"))
        if not os.path.exists(path):
            write_file(path, data)
        return path

    def cases(self) -> "list[tuple[str, bytes]]":
        """Returns path and bytes of each case, the newest first."""
        found = []
        with contextlib.suppress(OSError):
            for name in os.listdir(self.place):
                path = os.path.join(self.place, name)
                if name.endswith(".safetensors"):
                    with open(path, "rb") as file:
                        found.append((os.path.getmtime(path), path, file.read()))
        return [(path, data) for _, path, data in sorted(found, reverse=True)]


def short_hash(data: bytes) -> str:
    """Returns the part of names that is made of content."""
    return hashlib.sha256(data).hexdigest()[:12]


def make_folder(folder: str) -> None:
    """Makes the folder, in which git sees nothing."""
    os.makedirs(folder, exist_ok=True)
    ignore = os.path.join(folder, ".gitignore")
    if not os.path.exists(ignore):
        write_file(ignore, b"*\n")


def collect(folder: str) -> "list[str]":
    """Saves the cases that ended their process, and returns a line about each."""
    lines = []
    for record, left in left_behind(folder):
        where = left.test or left.function
        try:
            path = Saved(folder, key_of(left.test, left.function)).keep(left.data)
            remember(folder, path)
            os.unlink(record)
        except (OSError, ValueError) as error:
            lines.append(f"an earlier run ended inside {where}; its case cannot be saved ({error})")
            continue
        lines.append(
            f"an earlier run ended inside {where}: aborted, killed, or stopped for taking too long. Its case is "
            f"{path}; negzero.last_case() returns it, and the next check of that function begins with it"
        )
    return lines


def remember(folder: str, path: str) -> None:
    """Makes the case at that path the one that last_case() returns. Raises OSError."""
    write_file(os.path.join(folder, "last_case.json"), json.dumps({"case": path}).encode())


def last_case(folder: "str | os.PathLike[str]" = ".negzero") -> "Case | None":
    """Returns the case in which a checked function ended its process, or was interrupted: a crash, an endless loop.

    None where none did. `folder` is what check() was given as `save_to`.
    """
    place = os.fsdecode(folder)
    left = [each for _, each in left_behind(place)]
    if left:
        return case_named(left[-1].data, "the case in flight")
    try:
        with open(os.path.join(place, "last_case.json"), "rb") as file:
            path = json.load(file)["case"]
        with open(path, "rb") as file:
            return case_named(file.read(), path)
    except (OSError, ValueError, KeyError):
        return None
