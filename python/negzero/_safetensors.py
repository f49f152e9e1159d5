"""Writes and reads safetensors bytes: the files of cases and of recorded outputs."""

from __future__ import annotations

import json
from typing import Any
from collections.abc import Mapping

import numpy as np

from ._arrays import packed
from ._formats import EVERY, HALVES, dtype_of, format_of, is_format, only_stores, pack_halves

# 8 bytes of length, JSON {"__metadata__": {...}, name: {"dtype", "shape", "data_offsets": [begin, end]}}, the elements.


def write(tensors: Mapping[str, np.ndarray], metadata: Mapping[str, str]) -> bytes:
    """Returns the bytes of a file with those tensors, packed, widest elements first so that all of them are aligned."""
    header: dict[str, Any] = {}
    if metadata:
        header["__metadata__"] = dict(metadata)
    parts: list[Any] = []
    begin = 0
    for name in sorted(tensors, key=lambda name: (-tensors[name].dtype.itemsize, name)):
        array = packed(tensors[name])
        dtype = format_of(array.dtype, name, EVERY)
        if dtype in HALVES:
            array, dtype = pack_halves(array), "U8"
        elif only_stores(dtype) and dtype != "F8_E8M0":
            array, dtype = array.view(np.uint8), "U8"  # a byte an element; readers of dtype F6 would want 6 bits
        end = begin + array.nbytes
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [begin, end]}
        parts.append(array.reshape(-1).view(np.uint8).data)
        begin = end
    text = json.dumps(header, separators=(",", ":")).encode("ascii")
    text += b" " * (-len(text) % 8)
    return b"".join([len(text).to_bytes(8, "little"), text, *parts])


def read(data: bytes, what: str) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Returns the tensors, as read-only views of `data`, and the metadata.

    Raises ValueError, which names `what`, for bytes that are no such file or hold a dtype that is none of the formats.
    The library checks every rule of the format; this reads what it wrote or accepted, and files of strangers safely.
    """
    try:
        size = int.from_bytes(data[:8], "little")
        if len(data) < 8 or size > len(data) - 8:
            raise ValueError("it is cut short")
        header = json.loads(data[8 : 8 + size].decode("utf-8"))
        metadata = {str(key): str(value) for key, value in header.pop("__metadata__", {}).items()}
        tensors = {name: _tensor(data, 8 + size, name, entry) for name, entry in header.items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(f"{what}: no safetensors file that negzero can read ({error}); write it again") from error
    return tensors, metadata


def _tensor(data: bytes, start: int, name: str, entry: Any) -> np.ndarray:
    if not is_format(entry["dtype"]):
        raise ValueError(f"{name} has dtype {entry['dtype']}")
    begin, end = (int(offset) for offset in entry["data_offsets"])
    dtype = dtype_of(entry["dtype"])
    if not 0 <= begin <= end <= len(data) - start or (end - begin) % dtype.itemsize:
        raise ValueError(f"{name} has data_offsets {begin}, {end}")
    elements = np.frombuffer(data, np.uint8, end - begin, start + begin).view(dtype)
    return elements.reshape([int(extent) for extent in entry["shape"]])
