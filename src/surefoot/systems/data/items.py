"""``Items``: inputs of a system with the truth about them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, digest
from surefoot.core.canonical import FrozenMap, array_digest
from surefoot.systems.graph.identity import version_of

WHERE = "Items"
IN_MEMORY = (list, tuple, range, np.ndarray)
"""Columns whose parts cost nothing until they are read."""


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
        if not isinstance(places, range):
            return self.column[places]
        return self.column[places.start : places.stop] if places.step == 1 else [self.column[i] for i in places]


def values_digest(values: Sequence[Any]) -> str:
    """Digest of a column by its content, whatever it holds."""
    if isinstance(values, np.ndarray) and not values.dtype.hasobject:
        return array_digest(values)
    whole = hashlib.sha256()
    for value in values:
        # Digests have one length, so that values cannot run into each other.
        whole.update(version_of(value).encode())
    return whole.hexdigest()


@dataclass(frozen=True, eq=False)
class Items:
    """Inputs by name, and for each item its truth, its name and the group it belongs to.

    Anything with a length that gives parts by slicing is welcome, such as a list, an array or a memory map; a part is
    read when it is needed. Items of one group are not independent of each other (frames of a drive, sentences of a
    speaker): intervals resample groups.
    """

    inputs: Mapping[str, Sequence[Any]]
    truth: Sequence[Any] | None = None
    names: Sequence[Any] | None = None
    groups: Sequence[Any] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "inputs", FrozenMap(self.inputs))
        columns = {**self.inputs, "truth": self.truth, "names": self.names, "groups": self.groups}
        lengths = {name: _length(name, column) for name, column in columns.items() if column is not None}
        if not self.inputs or 0 in lengths.values():
            raise InvalidInput("needs at least one item", where=WHERE, found=str(lengths))
        if len(set(lengths.values())) != 1:
            raise InvalidInput("columns have different lengths", where=WHERE, found=str(lengths))

    def __len__(self) -> int:
        return len(next(iter(self.inputs.values())))

    def part(self, start: int, stop: int) -> Items:
        """Some items, which keep their names; columns that are neither lists nor arrays are read when they are used."""
        end = min(stop, len(self))

        def cut(column: Any) -> Any:
            return column[start:end] if isinstance(column, IN_MEMORY) else Window(column, start, end)

        inputs = {name: cut(column) for name, column in self.inputs.items()}
        truth, groups = (None if column is None else cut(column) for column in (self.truth, self.groups))
        return Items(inputs, truth, cut(range(len(self)) if self.names is None else self.names), groups)

    def read(self) -> dict[str, Any]:
        """The inputs, all of them in memory."""
        return {name: in_memory(column) for name, column in self.inputs.items()}

    def read_truth(self) -> Any:
        """The truth, all of it in memory."""
        return in_memory(self.truth)

    @cached_property
    def digest(self) -> str:
        """Digest of inputs and names."""
        columns = {name: values_digest(column) for name, column in self.read().items()}
        names = values_digest([self.name_of(i) for i in range(len(self))])
        return digest({"inputs": columns, "names": names})

    @cached_property
    def truth_digest(self) -> str:
        """Digest of the truth."""
        return "" if self.truth is None else values_digest(self.read_truth())

    def name_of(self, item: int) -> str:
        """The name of an item; its number where it has none."""
        return str(item if self.names is None else self.names[item])

    @cached_property
    def units(self) -> NDArray[np.int64] | None:
        """Groups as numbers from 0, or None where items are independent."""
        if self.groups is None:
            return None
        groups = in_memory(self.groups)
        labels = groups.tolist() if isinstance(groups, np.ndarray) else list(groups)
        try:
            numbers = {group: number for number, group in enumerate(dict.fromkeys(labels))}
        except TypeError as error:
            remedy = "Name the group of each item by a number or a text."
            raise InvalidInput("groups must be names", where=WHERE, found=str(error), remedy=remedy) from error
        return np.array([numbers[group] for group in labels], dtype=np.int64)


def _length(name: str, column: Any) -> int:
    if isinstance(column, str | bytes) or not hasattr(column, "__len__") or not hasattr(column, "__getitem__"):
        found, remedy = type(column).__name__, "Give a list or an array with one entry an item."
        raise InvalidInput(f"{name!r} must be a column", where=WHERE, found=found, remedy=remedy)
    return len(column)


def in_memory(column: Any) -> Any:
    """A column as a list or an array."""
    return column if isinstance(column, IN_MEMORY) else column[0 : len(column)]
