"""What a value is, as a digest: data by content, functions by their code and by what they carry.

Enough to notice an edited function, an edited helper or constant of the same file, or other weights. What a function
reads from files or from other modules is not seen, so that a ``Module`` may state its version itself.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence, Set
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from surefoot.core.canonical import array_digest
from surefoot.core.identity import home

DEEPEST = 6
"""Objects within objects; lists and mappings do not count."""
PLAIN = (bool, int, float, str, bytes, type(None))


def version_of(value: Any) -> str:
    """Digest of a value; of a callable its code, defaults, what it closes over, and the state of its object."""
    return hashlib.sha256(json.dumps(_described(value, 0), sort_keys=True).encode()).hexdigest()


def _described(value: Any, depth: int) -> Any:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return ["float", repr(float(value))]
    if isinstance(value, bytes):
        return ["bytes", value.hex()]
    if isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
        return ["array", array_digest(np.asarray(value))]
    if hasattr(value, "detach"):
        return ["tensor", str(value.dtype), array_digest(_from_tensor(value))]
    if isinstance(value, Mapping):
        # JSON sorts keys, which the order of a mapping does not change and text alone can be.
        return {f"{type(key).__name__} {key}": _described(item, depth) for key, item in value.items()}
    if isinstance(value, Set):
        return ["set", *sorted(json.dumps(_described(item, depth), sort_keys=True) for item in value)]
    if isinstance(value, Sequence | np.ndarray):
        return [type(value).__name__, *(_described(item, depth) for item in value)]
    return _of_object(value, depth + 1) if depth < DEEPEST else type(value).__qualname__


def _of_object(value: Any, depth: int) -> Any:
    if isinstance(value, ModuleType):
        return home(value.__name__)
    if isinstance(value, CodeType):
        consts = [_described(const, depth) for const in value.co_consts]
        return [value.co_name, value.co_code.hex(), list(value.co_names), consts]
    if isinstance(value, functools.partial):
        return [_described(part, depth) for part in (value.func, value.args, value.keywords)]
    if hasattr(value, "state_dict"):
        return _of_network(value, depth)
    if hasattr(value, "__code__"):
        return _of_function(value, depth)
    if isinstance(value, type):
        return [home(value.__module__), value.__qualname__]
    called = getattr(type(value).__call__, "__code__", None) if callable(value) else None
    named = getattr(value, "__qualname__", getattr(value, "__name__", type(value).__qualname__))
    return [home(type(value).__module__), named, _described(called, depth), _described(_state(value), depth)]


def _of_function(value: Any, depth: int) -> Any:
    cells = [_described(_content(cell), depth) for cell in value.__closure__ or ()]
    owner = getattr(value, "__self__", None)
    carried = [value.__defaults__, value.__kwdefaults__, owner, _globals(value)]
    return [_described(value.__code__, depth), cells, *(_described(part, depth) for part in carried)]


def _globals(function: Any) -> dict[str, Any]:
    """Helpers of the same file (of ours: package) and plain constants, by the names that a function mentions."""
    known, own = function.__globals__, home(function.__module__ or "")
    found = {name: known[name] for name in sorted(set(_names(function.__code__))) if name in known}
    return {
        name: value
        for name, value in found.items()
        if isinstance(value, PLAIN)
        or (isinstance(value, FunctionType) and value is not function and home(value.__module__ or "") == own)
    }


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _names(const)


def _of_network(value: Any, depth: int) -> Any:
    """A network by its layers, the code of those that are one's own, and its weights."""
    parts = {type(part) for part in value.modules()} if hasattr(value, "modules") else {type(value)}
    forwards = {f"{home(kind.__module__)}.{kind.__qualname__}": getattr(kind, "forward", None) for kind in parts}
    codes = {name: getattr(function, "__code__", None) for name, function in forwards.items()}
    return [type(value).__qualname__, repr(value), _described(codes, depth), _described(value.state_dict(), depth)]


def _from_tensor(tensor: Any) -> Any:
    # Numpy has no bfloat16.
    here = tensor.detach().cpu()
    return np.asarray(here.float() if str(here.dtype) == "torch.bfloat16" else here)


def _state(value: Any) -> Any:
    """What an object holds, by its attributes, or where it has none as it would be pickled."""
    slots = [name for kind in type(value).__mro__ for name in _slots(kind)]
    if hasattr(value, "__dict__") or slots:
        return {**{name: getattr(value, name, None) for name in slots}, **getattr(value, "__dict__", {})}
    try:
        reduced = value.__reduce_ex__(2)
    except Exception:
        return None
    return reduced[1:3] if isinstance(reduced, tuple) else reduced


def _slots(kind: type) -> Sequence[str]:
    slots = vars(kind).get("__slots__", ())
    names = [slots] if isinstance(slots, str) else list(slots)
    return [name for name in names if name not in ("__dict__", "__weakref__")]


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None
