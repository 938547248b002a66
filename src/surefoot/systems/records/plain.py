"""Values of any kind as JSON, and back as they were: nested lists, tuples and mappings of plain values and arrays."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from surefoot.core import InvalidInput
from surefoot.systems.records.arrays import array_bytes, array_from

TAG = "$"
"""The one key of a mapping that stands for something JSON has no form for: its kind, and its content."""


def to_plain(value: Any, *, where: str) -> str:
    """A value as JSON."""
    try:
        return json.dumps(_plain(value))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(
            "the output cannot be recorded",
            where=where,
            found=str(error),
            remedy="Say what the port gives (number, vector, text, ...), or give plain values.",
        ) from error


def from_plain(text: str) -> Any:
    """What ``to_plain`` wrote."""
    return json.loads(text, object_hook=_restored)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, np.generic):
        simple = {"b": bool, "i": int, "u": int, "f": float}.get(value.dtype.kind)
        return _tagged("scalar", _packed(np.asarray(value))) if simple is None else simple(value)
    if isinstance(value, np.ndarray):
        return _tagged("array", _packed(value))
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, tuple):
        return _tagged("tuple", [_plain(item) for item in value])
    if isinstance(value, bytes):
        return _tagged("bytes", base64.b64encode(value).decode())
    if isinstance(value, Mapping):
        if all(isinstance(key, str) and key != TAG for key in value):
            return {key: _plain(item) for key, item in value.items()}
        return _tagged("mapping", [[_plain(key), _plain(item)] for key, item in value.items()])
    raise TypeError(f"a {type(value).__name__} is no plain value")


def _tagged(kind: str, content: Any) -> dict[str, Any]:
    return {TAG: [kind, content]}


def _restored(value: dict[str, Any]) -> Any:
    if set(value) != {TAG}:
        return value
    kind, content = value[TAG]
    return KINDS[kind](content)


def _packed(array: Any) -> str:
    return base64.b64encode(array_bytes(array)).decode()


def _unpacked(text: str) -> Any:
    return array_from(base64.b64decode(text))


KINDS: dict[str, Callable[[Any], Any]] = {
    "array": _unpacked,
    "scalar": lambda text: _unpacked(text)[()],
    "tuple": tuple,
    "bytes": base64.b64decode,
    "mapping": dict,
}
