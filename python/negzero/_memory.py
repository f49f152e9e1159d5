"""Says whether a case has room in memory, before anything is copied."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping

import numpy as np

#: Most elements of a tensor in a case file.
MAX_ELEMENTS = 2**31
#: Bytes for each element of operands and outputs, beside the array itself. The library takes each apart into about 16,
#: and there are the case, its parts while they are joined, and copies. Measured with operands of F16, two bytes an
#: element: 255 MiB for 16 MiB of operands and 2,019 MiB for 128 MiB, which is 32 an element; the rest is for what wider
#: formats and outputs add.
BYTES_AN_ELEMENT = 40
#: Where a control group's limit, use and statistics are: version 2, and 1.
_GROUPS = (
    ("", "memory.max", "memory.current"),
    ("memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
)


def check_elements(argument: str, shape: "tuple[int, ...]") -> None:
    """Raises ValueError, which names the argument, where an array has more elements than a case may have."""
    if math.prod(shape) > MAX_ELEMENTS:
        raise ValueError(
            f"{argument}: {math.prod(shape):,} elements (shape {shape}) are more than the {MAX_ELEMENTS:,} that a case "
            "may have; judge a slice"
        )


def check_memory(arrays: Mapping[str, np.ndarray]) -> None:
    """Raises ValueError, which names the arguments, where a case of those arrays has no room in memory.

    An array may claim any size: numpy.broadcast_to() makes one of terabytes from one number, and filling a copy of it
    would end the process rather than raise MemoryError.
    """
    needed = sum(array.nbytes + BYTES_AN_ELEMENT * array.size for array in arrays.values())
    available = available_bytes()
    if needed > available:
        sizes = ", ".join(f"{name} {array.size:,}" for name, array in arrays.items())
        raise ValueError(
            f"{', '.join(arrays)}: a case of that many elements ({sizes}) needs about {needed / 2**30:.1f} GiB of "
            f"memory, of which {available / 2**30:.1f} GiB are available; judge a slice, or give the process more"
        )


class TooLarge(ValueError):
    """What check_room() raises, to be told from a stranger's ValueError."""


def check_room(argument: str, shape: "tuple[int, ...]", item_bytes: int) -> None:
    """Raises TooLarge where an array of that shape cannot be judged, before anything is copied to the host.

    A tensor on a device may be larger than the host, or claim to be. Requires extents from 0.
    """
    try:
        check_elements(argument, shape)
        # One element that is repeated has the size of the copy, and no memory.
        check_memory({argument: np.broadcast_to(np.zeros((), f"V{item_bytes}"), shape)})
    except ValueError as error:
        raise TooLarge(str(error)) from None


def available_bytes(root: str = "/") -> int:
    """Returns what this process may still take: what the machine has free, and no more than its control groups allow.

    `root` is the folder that has proc/ and sys/.
    """
    most = [_machine(root)]
    for folder, limit, used in _GROUPS:
        base = os.path.join(root, "sys/fs/cgroup", folder)
        for place in _places(root, base, folder):
            allowed, taken = _number(os.path.join(place, limit)), _number(os.path.join(place, used))
            if allowed is not None and taken is not None:
                # Files that were read count as used, and give way when memory is wanted.
                most.append(max(0, allowed - max(0, taken - _file_cache(place))))
    return min(most)


def _places(root: str, base: str, controller: str) -> "list[str]":
    """Returns the folders of this process's group and of all that it lies in; each has a limit of its own."""
    places = [base]
    for line in _lines(os.path.join(root, "proc/self/cgroup")):
        _, controllers, path = (line.rstrip("\n").split(":", 2) + ["", ""])[:3]
        if controller in controllers.split(","):  # version 2 names none
            place = base
            for part in path.split("/"):
                if part and part != "..":
                    place = os.path.join(place, part)
                    places.append(place)
    return places


def _file_cache(place: str) -> int:
    words = dict(line.split()[:2] for line in _lines(os.path.join(place, "memory.stat")) if len(line.split()) == 2)
    # In version 1 the names without total_ leave out the groups below, which the group's use counts.
    return sum(int(words.get(f"total_{name}", words.get(name, 0))) for name in ("active_file", "inactive_file"))


def _machine(root: str) -> int:
    for line in _lines(os.path.join(root, "proc/meminfo")):
        words = line.split()
        if words[:1] == ["MemAvailable:"] and words[1].isdigit():
            return int(words[1]) * 1024
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _number(path: str) -> "int | None":
    """Returns the number in a file; nothing where there is no file, or the word "max"."""
    text = "".join(_lines(path)).strip()
    return int(text) if text.isdigit() else None


def _lines(path: str) -> "list[str]":
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.readlines()
    except OSError:
        return []
