"""Every guide word applied to every parameter of every item, and the rows that consider it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from surefoot.hazards.worksheet.hazop import Hazop


@dataclass(frozen=True)
class Deviation:
    """A guide word applied to a parameter of an item; ``rows`` are the ids of the rows about it that are not blank."""

    item: str
    parameter: str
    guide_word: str
    rows: tuple[str, ...] = ()

    @property
    def considered(self) -> bool:
        """Whether somebody has worked on it."""
        return bool(self.rows)

    def __str__(self) -> str:
        return f"{self.guide_word}: {self.parameter} of {self.item}"


def deviations(hazop: Hazop) -> Iterator[Deviation]:
    """All that the items ask for, in their order, then what rows bring beyond it."""
    considered: dict[tuple[str, str, str], list[str]] = {}
    for row in hazop.rows:
        considered.setdefault(row.deviation, [])
        if not row.blank:
            considered[row.deviation].append(row.id)
    for item in hazop.items:
        for parameter, words in item.parameters.items():
            for word in words:
                yield Deviation(item.name, parameter, word, tuple(considered.pop((item.name, parameter, word), ())))
    for deviation, rows in considered.items():
        yield Deviation(*deviation, tuple(rows))
