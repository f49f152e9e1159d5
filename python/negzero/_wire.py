"""The worker protocol of docs/reference/worker_protocol.md: frames through a socket, plans and outcomes as bytes."""

from __future__ import annotations

import mmap
import os
import socket
import struct
from typing import Any

from ._formats import memory_dtype_of

VERSION = 1
READY, FAILED, LAUNCH, LAUNCHED, KERNELS, MEMORY = range(1, 7)
#: Where the image begins in the shared memory.
IMAGE_AT = 4096
#: The descriptor that a worker is started with.
_SOCKET = 3
_MOST_TEXT = 4096
_IN_FUNCTION = 3
_ROUNDINGS = ("nearest", "downward", "upward")
_HEADER = struct.Struct("<2sBBI")


class Ended(Exception):
    """negzero wants nothing more of this process."""


class Reader:
    """Fields of a body, one after the other."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def number(self, kind: str) -> int:
        """Returns the next number, by its letter of the struct module."""
        (value,) = struct.unpack_from("<" + kind, self.data, self.at)
        self.at += struct.calcsize("<" + kind)
        return int(value)

    def numbers(self, count: int) -> "tuple[int, ...]":
        """Returns so many i64."""
        values = struct.unpack_from(f"<{count}q", self.data, self.at)
        self.at += 8 * count
        return values

    def bytes(self) -> "bytes":
        """Returns bytes that are preceded by their number."""
        size = self.number("I")
        self.at += size
        return self.data[self.at - size : self.at]

    def text(self) -> str:
        """Returns a text of ASCII."""
        return self.bytes().decode("ascii")


class Channel:
    """The socket to negzero, and the memory that both see."""

    def __init__(self) -> None:
        # With family and type: a confined process may not be permitted to ask for them.
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, _SOCKET)
        self._socket.set_inheritable(False)
        self.memory: "mmap.mmap | None" = None

    def send(self, kind: int, body: bytes) -> None:
        """Sends one frame."""
        self._socket.sendall(_HEADER.pack(b"nz", VERSION, kind, len(body)) + body)

    def request(self) -> "tuple[bool, list[bytes]]":
        """Waits for plans; whether the memory is another one since the last time. Raises Ended at the stream's end."""
        has_moved = False
        while True:
            header, descriptors = self._receive(_HEADER.size)
            _, version, kind, size = _HEADER.unpack(header)
            if version != VERSION:
                raise RuntimeError(
                    f"negzero speaks version {version} of the worker protocol, and this package {VERSION}; install "
                    "program and package from one release"
                )
            body, more = self._receive(size)
            if kind == MEMORY:
                (file,) = descriptors + more
                self.memory = mmap.mmap(file, Reader(body).number("Q"))
                os.close(file)
                has_moved = True
            elif kind == LAUNCH:
                request = Reader(body)
                return has_moved, [request.bytes() for _ in range(request.number("I"))]

    def at_plan(self, number: int) -> None:
        """Shows that the function runs on that plan of the request."""
        assert self.memory is not None
        struct.pack_into("<QQ", self.memory, 8, number, _IN_FUNCTION)

    def at_none(self) -> None:
        """Shows that no function runs."""
        assert self.memory is not None
        struct.pack_into("<Q", self.memory, 16, 0)

    def answer(self, outcomes: "list[bytes]") -> None:
        """Sends what became of the plans of a request."""
        self.send(LAUNCHED, struct.pack("<I", len(outcomes)) + b"".join(map(_sized, outcomes)))

    def _receive(self, size: int) -> "tuple[bytes, list[int]]":
        data = bytearray()
        descriptors: list[int] = []
        while len(data) < size:
            part, came, _, _ = socket.recv_fds(self._socket, size - len(data), 1)
            if not part:
                raise Ended
            data += part
            descriptors += came
        return bytes(data), descriptors


def plan_of(data: bytes) -> "dict[str, Any]":
    """Reads a plan: "operation", "extents" {name: number}, "scalars" {name: (format, bits)}, "configuration"
    {option: value}, "begin" and "end" of its bytes in the image, and "buffers" {name: {"format", "shape", "strides" in
    elements, "at" in bytes of the image, "use"}}; "rounding" where a reference runs again
    (docs/reference/worker_protocol.md)."""
    plan = Reader(data)
    operation = plan.text()
    extents = {plan.text(): plan.number("q") for _ in range(plan.number("B"))}
    for _ in range(plan.number("B")):
        plan.text(), plan.text()
    scalars = {plan.text(): (plan.text(), hex(plan.number("Q"))) for _ in range(plan.number("B"))}
    buffers: dict[str, Any] = {}
    begin, end = 1 << 63, 0
    for _ in range(plan.number("B")):
        name, format_name, rank = plan.text(), plan.text(), plan.number("B")
        numbers = plan.numbers(2 * rank + 1)
        use, at = plan.text(), plan.number("Q")
        shape, strides, offset = list(numbers[:rank]), list(numbers[rank:-1]), numbers[-1]
        last = offset + sum((extent - 1) * step for extent, step in zip(shape, strides)) if all(shape) else offset - 1
        size = memory_dtype_of(format_name).itemsize
        # Guard zones lie around each buffer.
        begin, end = min(begin, at - IMAGE_AT), max(end, at + (last + 1) * size + IMAGE_AT)
        buffers[name] = {
            "format": format_name, "shape": shape, "strides": strides, "at": at + offset * size, "use": use
        }  # fmt: skip
    plan.text(), plan.text()  # poison, and the order of threads
    rounding = plan.number("B") // 2
    for kind in "QQBQ":  # of the schedule, the count of elements, the stream
        plan.number(kind)
    configuration = {plan.text(): plan.number("q") for _ in range(plan.number("B"))}
    return {
        "operation": operation, "scalars": scalars, "buffers": buffers, "configuration": configuration,
        "extents": extents,
        "begin": max(begin, 0), "end": end, **({"rounding": _ROUNDINGS[rounding]} if rounding else {}),
    }  # fmt: skip


def outcome(status: str, fault: str = "", message: str = "", *, is_last: bool = False) -> bytes:
    """Returns an outcome's bytes; `is_last` where the process ends after it. A message that is too long is cut."""
    said = message.encode("utf-8", "replace")[:_MOST_TEXT].decode("utf-8", "ignore").encode()
    texts = _sized(status.encode()) + _sized(fault.encode()) + _sized(said)
    # No time, the end, no warnings, nothing covered.
    return texts + struct.pack("<IBBI", 0, 1, 0, 0) if is_last else texts


def _sized(data: bytes) -> bytes:
    return struct.pack("<I", len(data)) + data
