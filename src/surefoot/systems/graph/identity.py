"""What a function is, as a digest: its code and the plain values and arrays it carries.

Enough to notice an edited function or other weights; what a function reads from files or other modules is not seen, so
that a ``Module`` may state its version itself.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from types import CodeType
from typing import Any

import numpy as np

from surefoot.core.canonical import array_digest, digest

DEEPEST = 6


def version_of(function: Any) -> str:
    """Digest of a callable: its code, its defaults, what it closes over, and the state of its object."""
    return digest(_described(function, 0))


def _described(value: Any, depth: int) -> Any:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, np.ndarray | np.generic):
        return array_digest(np.asarray(value))
    if depth > DEEPEST:
        return type(value).__qualname__
    return _of_nested(value, depth + 1)


def _of_nested(value: Any, depth: int) -> Any:
    if isinstance(value, CodeType):
        consts = [_described(const, depth) for const in value.co_consts]
        return [value.co_name, value.co_code.hex(), list(value.co_names), consts]
    if isinstance(value, functools.partial):
        return [_described(part, depth) for part in (value.func, value.args, value.keywords)]
    if isinstance(value, Mapping):
        return {str(key): _described(item, depth) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [_described(item, depth) for item in value]
    if hasattr(value, "state_dict"):
        state = {name: _described(np.asarray(t.detach().cpu()), depth) for name, t in value.state_dict().items()}
        return [type(value).__qualname__, state]
    return _of_function(value, depth)


def _of_function(value: Any, depth: int) -> Any:
    code = getattr(value, "__code__", None)
    if code is not None:
        cells = [_described(_content(cell), depth) for cell in value.__closure__ or ()]
        owner = _described(getattr(value, "__self__", None), depth)
        return [_described(code, depth), _described(value.__defaults__, depth), cells, owner]
    state = getattr(value, "__dict__", {})
    called = None if isinstance(value, type) else vars(type(value)).get("__call__")
    return [
        type(value).__module__,
        getattr(value, "__qualname__", type(value).__qualname__),
        _described(getattr(called, "__code__", None), depth),
        {} if isinstance(value, type) else {name: _described(item, depth) for name, item in sorted(state.items())},
    ]


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None
