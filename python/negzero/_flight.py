"""Keeps the case in flight on disk, so that a function that ends its process leaves it behind.

A record is a file of one check, `in_flight/PID-NUMBER` in the folder:

    byte 0      1 while the function runs, else 0
    bytes 8..   the size of the case and that of the text, as little-endian 64-bit numbers, then both

It is mapped, so that what was written survives the end of the process in whatever way it comes. The process holds a
lock on it as long as it lives.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import itertools
import json
import mmap
import os
import re
import struct
from dataclasses import dataclass
from typing import BinaryIO
from collections.abc import Iterator

_HEAD = 24
_NUMBERS = itertools.count()  # several threads may check at once


@dataclass(frozen=True)
class Left:
    """A case that was in flight when its process ended."""

    data: bytes
    function: str  #: the function that ran it
    test: str  #: the test that did; "" outside of one
    modified: float


class Record:
    """The record of this process. Without a folder, or where it cannot be written, nothing is kept."""

    def __init__(self, folder: "str | None", function: str, test: str) -> None:
        self._text = json.dumps({"function": function, "test": test}).encode()
        self.problem = ""  #: why nothing is kept
        self._path = ""
        self._file: "BinaryIO | None" = None
        self._map: "mmap.mmap | None" = None
        self._room = 0
        if folder is not None:
            self._path = os.path.join(folder, "in_flight", f"{os.getpid()}-{next(_NUMBERS)}")
            try:
                os.makedirs(os.path.dirname(self._path), exist_ok=True)
                self._make(1 << 16)
            except OSError as error:
                self.problem = str(error)

    def _make(self, room: int) -> None:
        if self._file is None:
            # Under another name until it is locked: without a lock it would be that of a dead process.
            new = f"{self._path}.new"
            self._file = open(new, "w+b")  # noqa: SIM115  # it stays open, for the lock
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.rename(new, self._path)
        self._file.truncate(room)
        self._map = mmap.mmap(self._file.fileno(), room)
        self._room = room
        self._address = ctypes.addressof(ctypes.c_char.from_buffer(self._map))

    def begin(self, case: int, size: int) -> None:
        """Keeps the case of so many bytes at that address, and says that the function runs."""
        if self._map is None:
            return
        needed = _HEAD + size + len(self._text)
        if needed > self._room:
            try:
                self._make(2 * needed)
            except OSError:
                self._map = None
                return
        ctypes.memmove(self._address + _HEAD, case, size)
        ctypes.memmove(self._address + _HEAD + size, self._text, len(self._text))
        ctypes.memmove(self._address, struct.pack("<QQQ", 1, size, len(self._text)), _HEAD)

    def end(self) -> None:
        """Says that the function has returned."""
        if self._map is not None:
            ctypes.memset(self._address, 0, 1)

    def close(self) -> None:
        """Removes the record."""
        self._map = None
        if self._file is not None:
            self._file.close()
        if self._path:
            with contextlib.suppress(OSError):
                os.unlink(self._path)


def left_behind(folder: str) -> "Iterator[tuple[str, Left]]":
    """Yields the records of processes that ended while a function ran, each with its path, the oldest first."""
    place = os.path.join(folder, "in_flight")
    names = []
    with contextlib.suppress(OSError):
        names = os.listdir(place)
    found = []
    for name in names:
        if not re.fullmatch(r"\d+-\d+", name):
            continue
        path = os.path.join(place, name)
        with contextlib.suppress(OSError, ValueError, KeyError):
            with open(path, "rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # BlockingIOError: the process lives
                data = file.read()
            running, size, text = struct.unpack_from("<QQQ", data.ljust(_HEAD, b"\0"))
            if running & 0xFF != 1 or _HEAD + size + text > len(data):
                os.unlink(path)
                continue
            said = json.loads(data[_HEAD + size : _HEAD + size + text])
            left = Left(data[_HEAD : _HEAD + size], said["function"], said["test"], os.path.getmtime(path))
            found.append((path, left))
    yield from sorted(found, key=lambda each: each[1].modified)
