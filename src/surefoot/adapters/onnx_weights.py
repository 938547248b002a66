"""Files in which an ONNX model keeps its weights, read from the graph without loading it.

An ONNX file is a protocol buffer. Only the fields that lead to the ``external_data`` of a tensor are followed.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

# The fields of each message that lead to tensors, by the numbers of onnx.proto.
FIELDS: dict[str, dict[int, str]] = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "function": {7: "node", 11: "attribute"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
    "tensor": {13: "entry"},
}
KEY, VALUE = 1, 2
VARINT, EIGHT_BYTES, LENGTH, FOUR_BYTES = 0, 1, 2, 5
MOST_BITS = 64


def weight_files(path: Path) -> tuple[str, ...]:
    """Locations of external weights, as the model names them; none where the file is no graph."""
    if not path.stat().st_size:
        return ()
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return _found(content)


def _found(content: mmap.mmap) -> tuple[str, ...]:
    with suppress(ValueError, IndexError, RecursionError):
        return tuple(sorted(set(_locations(content, "model", 0, len(content)))))
    return ()


def _locations(content: mmap.mmap, message: str, start: int, end: int) -> Iterator[str]:
    if message == "entry":
        entry = {field: content[low:high] for field, low, high in _parts(content, start, end)}
        if entry.get(KEY) == b"location":
            yield entry.get(VALUE, b"").decode("utf-8", "surrogateescape")
        return
    for field, low, high in _parts(content, start, end):
        if field in FIELDS[message]:
            yield from _locations(content, FIELDS[message][field], low, high)


def _parts(content: mmap.mmap, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Number, start and end of each field that has a length; numbers are passed over."""
    while start < end:
        tag, start = _varint(content, start)
        kind = tag & 7
        if kind == LENGTH:
            length, start = _varint(content, start)
            if start + length > end:
                raise ValueError("a field is longer than what holds it")
            yield tag >> 3, start, start + length
            start += length
        elif kind == VARINT:
            _, start = _varint(content, start)
        elif kind in (EIGHT_BYTES, FOUR_BYTES):
            start += 8 if kind == EIGHT_BYTES else 4
        else:
            raise ValueError("no protocol buffer")


def _varint(content: mmap.mmap, start: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, MOST_BITS, 7):
        byte = content[start]
        start += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, start
    raise ValueError("a number of more than 64 bits")
