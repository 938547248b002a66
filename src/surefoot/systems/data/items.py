"""``Items``: inputs of a system with the truth about them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from surefoot.core import InvalidInput, digest
from surefoot.core.canonical import FrozenMap, array_digest

WHERE = "Items"


@dataclass(frozen=True, eq=False)
class Window:
    """Part of a column that is read when it is used."""

    column: Any
    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start

    def __getitem__(self, index: int | slice) -> Any:
        places = range(self.start, self.stop)[index]
        return self.column[places.start : places.stop] if isinstance(places, range) else self.column[places]


def values_digest(values: Sequence[Any]) -> str:
    """Digest of a column: arrays, texts, or whatever prints the same when it is the same."""
    if isinstance(values, np.ndarray):
        return array_digest(values)
    whole = hashlib.sha256()
    for value in values:
        whole.update((array_digest(value) if isinstance(value, np.ndarray) else repr(value)).encode())
    return whole.hexdigest()


def _cut(column: Any, start: int, stop: int) -> Any:
    if isinstance(column, list | tuple | np.ndarray):
        return column[start:stop]
    return Window(column, start, min(stop, len(column)))


@dataclass(frozen=True, eq=False)
class Items:
    """Inputs by name, and for each item its truth, its name and the group it belongs to.

    Anything with a length that gives parts by slicing is welcome, such as a list, an array or a memory map; a part is
    read when it is needed. Items of one group are not independent of each other (frames of a drive, sentences of a
    speaker): intervals resample groups.
    """

    inputs: Mapping[str, Sequence[Any]]
    truth: Sequence[Any] | None = None
    names: Sequence[str] | None = None
    groups: Sequence[Any] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "inputs", FrozenMap(self.inputs))
        columns = {**self.inputs, "truth": self.truth, "names": self.names, "groups": self.groups}
        lengths = {name: len(column) for name, column in columns.items() if column is not None}
        if not self.inputs or 0 in lengths.values():
            raise InvalidInput("needs at least one item", where=WHERE, found=str(lengths))
        if len(set(lengths.values())) != 1:
            raise InvalidInput("columns have different lengths", where=WHERE, found=str(lengths))

    def __len__(self) -> int:
        return len(next(iter(self.inputs.values())))

    def part(self, start: int, stop: int) -> Items:
        """Some items; columns that are neither lists nor arrays are read when they are used."""

        def cut(column: Any) -> Any:
            return None if column is None else _cut(column, start, stop)

        inputs = {name: cut(column) for name, column in self.inputs.items()}
        return Items(inputs, cut(self.truth), cut(self.names), cut(self.groups))

    def read(self) -> dict[str, Any]:
        """The inputs, all of them in memory."""
        return {name: column[:] if isinstance(column, Window) else column for name, column in self.inputs.items()}

    @cached_property
    def digest(self) -> str:
        """Digest of inputs and names."""
        columns = {name: values_digest(column) for name, column in self.read().items()}
        return digest({"inputs": columns, "names": [self.name_of(i) for i in range(len(self))]})

    def name_of(self, item: int) -> str:
        """The name of an item; its number where it has none."""
        return str(item) if self.names is None else str(self.names[item])

    @property
    def units(self) -> np.ndarray[Any, np.dtype[np.int64]] | None:
        """Groups as numbers from 0, or None where items are independent."""
        if self.groups is None:
            return None
        return np.unique(np.asarray(self.groups), return_inverse=True)[1].reshape(-1).astype(np.int64)
