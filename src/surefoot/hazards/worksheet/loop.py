"""The first loop of Figure 4 (Dong et al. 2023): mitigations create properties, which have to be examined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from surefoot.hazards.worksheet.row import Mitigation, Row

if TYPE_CHECKING:
    from surefoot.hazards.worksheet.hazop import Hazop


@dataclass(frozen=True)
class Creation:
    """A mitigation of a row, and a property that it creates."""

    row: Row
    mitigation: Mitigation
    property: str

    def __str__(self) -> str:
        return f"the mitigation {self.mitigation.text!r} of row {self.row.id}"


@dataclass(frozen=True)
class Loop:
    """What keeps the loop open; as long as there is something, the HAZOP has to go round once more.

    ``unsaid``: rows with mitigations of which nobody has said whether they create properties. ``undefined``: properties
    that are created, and defined nowhere. ``unexamined``: properties that no row endangers. ``created``: who creates
    each.
    """

    unsaid: tuple[tuple[Row, tuple[Mitigation, ...]], ...]
    undefined: tuple[str, ...]
    unexamined: tuple[str, ...]
    created: dict[str, tuple[Creation, ...]]

    @classmethod
    def of(cls, hazop: Hazop) -> Loop:
        """The state of the loop of a worksheet."""
        pairs = [(row, mitigation) for row in hazop.rows for mitigation in row.mitigations]
        created: dict[str, list[Creation]] = {}
        for row, each in pairs:
            for name in each.creates or ():
                created.setdefault(name, []).append(Creation(row, each, name))
        defined = {each.id: None for each in hazop.properties}
        examined = {name for row in hazop.rows for name in row.endangers}
        unsaid = ((row, tuple(each for each in row.mitigations if each.creates is None)) for row in hazop.rows)
        return cls(
            tuple((row, mitigations) for row, mitigations in unsaid if mitigations),
            tuple(name for name in created if name not in defined),
            tuple(name for name in defined if name not in examined),
            {name: tuple(creations) for name, creations in created.items()},
        )

    def __len__(self) -> int:
        """How many ends are open."""
        return sum(len(mitigations) for _, mitigations in self.unsaid) + len(self.undefined) + len(self.unexamined)
