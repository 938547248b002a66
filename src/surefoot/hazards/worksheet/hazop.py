"""``Hazop``: a system, its deviations, and what a team found about them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from surefoot.core.diagnostics import Diagnostic
from surefoot.core.errors import InvalidInput
from surefoot.hazards.worksheet.deviations import Deviation, deviations
from surefoot.hazards.worksheet.item import Item
from surefoot.hazards.worksheet.matrix import RiskMatrix
from surefoot.hazards.worksheet.properties import Property
from surefoot.hazards.worksheet.row import Row

if TYPE_CHECKING:
    from surefoot.drawing import Scene
    from surefoot.hazards.scenarios import Scenarios


@dataclass(frozen=True, repr=False)
class Hazop:
    """A HAZOP: items, rows, safety properties, and the scales that rows use. Equality is by content.

    >>> hazop = Hazop("vehicle", [Item("camera", parameters={"image": ("no", "late")})],
    ...               [Row("R1", "camera", "image", "no", causes=("dirt",), consequences=("asset is missed",))])
    >>> [str(deviation) for deviation in hazop.deviations() if not deviation.considered]
    ['late: image of camera']
    """

    name: str
    items: tuple[Item, ...] = ()
    rows: tuple[Row, ...] = ()
    properties: tuple[Property, ...] = ()
    matrix: RiskMatrix = field(default_factory=RiskMatrix.usual)
    description: str = ""

    def __post_init__(self) -> None:
        for name in ("items", "rows", "properties"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        _all_differ((item.name for item in self.items), "item")
        _all_differ((row.id for row in self.rows), "row")
        _all_differ((each.id for each in self.properties), "property")

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Hazop:
        """Read a worksheet: YAML, CSV or XLSX, by the ending; every problem of the file is in the error."""
        from surefoot.hazards.files import read

        return read(path)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write YAML, CSV or XLSX, by the ending; the file is complete or stays as it was."""
        from surefoot.hazards.files import write

        write(self, path)

    def deviations(self) -> tuple[Deviation, ...]:
        """Every guide word of every parameter of every item, with the rows that consider it."""
        return tuple(deviations(self))

    def check(self) -> list[Diagnostic]:
        """What is missing or odd: deviations nobody considered, rows without consequence, open loops, reviews."""
        from surefoot.hazards.worksheet.completeness import findings

        return list(findings(self))

    def scenarios(self) -> Scenarios:
        """Chains cause, deviation, consequence as the rows give them, to be refined."""
        from surefoot.hazards.scenarios import drafted

        return drafted(self)

    def risk(self, row: Row) -> str:
        """The class of risk of a row; empty where severity or likelihood is not said."""
        return self.matrix.risk(row.severity, row.likelihood) if row.severity and row.likelihood else ""

    @cached_property
    def row(self) -> dict[str, Row]:
        """Rows by id."""
        return {row.id: row for row in self.rows}

    @cached_property
    def item(self) -> dict[str, Item]:
        """Items by name."""
        return {item.name: item for item in self.items}

    def draw(self, **options: Any) -> str:
        """Nodes and flows as SVG in the colours of a ``theme``; other options as for ``scene``."""
        from surefoot.hazards.drawing import draw_system

        return draw_system(self, **options)

    def scene(self, *, width: float = 960.0, counts: bool = True) -> Scene:
        """Nodes and flows, for ``surefoot.drawing.save`` to write; ``counts`` shows how many rows each item has."""
        from surefoot.hazards.drawing import system_scene

        return system_scene(self, width=width, counts=counts)

    def matrix_scene(self, *, width: float = 760.0) -> Scene:
        """The risk matrix with the rows in its cells, for ``surefoot.drawing.save`` to write."""
        from surefoot.hazards.drawing import matrix_scene

        return matrix_scene(self, width=width)

    def table_html(self) -> str:
        """The filled sheet as a page that prints well."""
        from surefoot.hazards.drawing import worksheet_page

        return worksheet_page(self)

    def __repr__(self) -> str:
        return f"Hazop({self.name!r}, {len(self.items)} items, {len(self.rows)} rows)"

    def _repr_html_(self) -> str:
        from surefoot.hazards.drawing import worksheet_html

        return worksheet_html(self)


def _all_differ(names: Iterable[str], what: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InvalidInput(f"two of one {what}", where="Hazop", found=repr(name), remedy="Rename one of them.")
        seen.add(name)
