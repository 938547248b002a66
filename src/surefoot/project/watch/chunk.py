"""Rows as they come out of a stream, before anybody looked at their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

Column = Sequence[Any] | NDArray[Any]
Place = Mapping[str, Any]
"""How far a stream was read, as plain data."""


@dataclass(frozen=True)
class Problem:
    """A row that cannot be used."""

    offset: int
    """Which row of its chunk it is."""
    where: str
    text: str


@dataclass(frozen=True, eq=False)
class Chunk:
    """A few rows of a stream by column, and those that were no rows."""

    columns: Mapping[str, Column]
    offsets: Sequence[int]
    """For each row of the columns, which row of the chunk it is."""
    rows: int
    """All rows that were read, those that cannot be used as well."""
    place: Place
    where: str
    first_line: int | None = 1
    """Line, or row, of the first row; None where each chunk has a name of its own."""
    lines: Sequence[int] = ()
    """Lines of the rows of the columns, where they are not simply one after the other."""
    problems: tuple[Problem, ...] = field(default=())

    def place_of(self, row: int) -> str:
        """Where a row of the columns is written."""
        if self.lines:
            return f"{self.where}:{self.lines[row]}"
        return self.where if self.first_line is None else f"{self.where}:{self.first_line + self.offsets[row]}"
