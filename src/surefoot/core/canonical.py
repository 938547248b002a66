"""Plain data, canonical JSON and content hashes.

``freeze`` turns nested data into immutable plain values; ``thaw`` into what ``json`` writes; both
lose nothing. ``digest`` hashes a canonical form in which numbers are rounded to 12 significant
digits, so that the last bits of a floating-point sum do not look like a change.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import InvalidInput, SurefootError

SIGNIFICANT_DIGITS = 12
_SPECIAL = "$float"


Item = TypeVar("Item")


class FrozenMap(Mapping[str, Item]):
    """An immutable, picklable mapping with string keys, hashable where its values are."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[str, Item] | None = None) -> None:
        self._items = {_text_key(key): value for key, value in (items or {}).items()}

    def __getitem__(self, key: str) -> Item:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return repr(self._items)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (dict(self._items),)


class FrozenDict(FrozenMap[Any]):
    """A frozen mapping of plain values, which are frozen too."""

    __slots__ = ()

    def __init__(self, items: Mapping[str, Any] | None = None) -> None:
        super().__init__({key: freeze(value) for key, value in (items or {}).items()})


def freeze(value: Any) -> Any:
    """Turn nested lists, dicts, numpy scalars and arrays into immutable plain values."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return _not_nan(float(value))
    if isinstance(value, np.generic):
        return freeze(value.item())
    if isinstance(value, np.ndarray):
        return freeze(value.tolist())
    if isinstance(value, FrozenDict):
        return value
    if isinstance(value, Mapping):
        return FrozenDict(value)
    if isinstance(value, list | tuple):
        return tuple(freeze(item) for item in value)
    if isinstance(value, set | frozenset):
        return tuple(sorted((freeze(item) for item in value), key=canonical_json))
    raise InvalidInput(
        "only numbers, text, lists and mappings can be recorded",
        found=type(value).__name__,
        remedy="Record its parameters or a digest instead.",
    )


def thaw(value: Any) -> Any:
    """Turn frozen values into what standard JSON can hold; infinities are tagged."""
    if isinstance(value, float) and math.isinf(value):
        return {_SPECIAL: "inf" if value > 0 else "-inf"}
    if isinstance(value, Mapping):
        return {key: thaw(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [thaw(item) for item in value]
    return value


def unthaw(value: Any) -> Any:
    """Inverse of ``thaw``."""
    if isinstance(value, Mapping):
        if set(value) == {_SPECIAL}:
            return float(value[_SPECIAL])
        return FrozenDict({key: unthaw(item) for key, item in value.items()})
    if isinstance(value, list | tuple):
        return tuple(unthaw(item) for item in value)
    return freeze(value)


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Turn whatever damaged or foreign data raises while it is read into ``InvalidInput``."""
    try:
        yield
    except SurefootError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
        raise InvalidInput(
            f"this is no recorded {what}",
            found=f"{type(error).__name__}: {str(error)[:120]}",
            remedy="Read only what to_dict wrote, unchanged.",
        ) from error


def canonical_json(value: Any) -> str:
    """One text for one meaning: sorted keys, no spaces, numbers of 12 significant digits."""
    plain = thaw(_rounded(freeze(value)))
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON of ``value``."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def array_digest(array: NDArray[Any]) -> str:
    """SHA-256 of an array's type, shape and values, independent of memory order and endianness."""
    array = np.ascontiguousarray(array)
    if array.dtype.hasobject:
        return digest(array.tolist())
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    head = f"{little.dtype.str}{array.shape}".encode()
    return hashlib.sha256(head + little.tobytes()).hexdigest()


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        if math.isinf(value):
            return value
        # An integral float and the integer mean the same number and must hash alike.
        short = float(f"{value:.{SIGNIFICANT_DIGITS - 1}e}")
        return int(short) if short.is_integer() and abs(short) < 1e15 else short
    if isinstance(value, Mapping):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_rounded(item) for item in value]
    return value


def _not_nan(value: float) -> float:
    if math.isnan(value):
        raise InvalidInput("NaN cannot be recorded", remedy="Leave the entry out and say why it is unknown.")
    return value


def _text_key(key: Any) -> str:
    if not isinstance(key, str):
        raise InvalidInput("a recorded mapping needs text keys", found=repr(key))
    return key
