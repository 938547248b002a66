"""How far a HAZOP has come, in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from surefoot.core.canonical import FrozenMap
from surefoot.core.evidence import Table
from surefoot.hazards.worksheet.loop import Loop
from surefoot.hazards.worksheet.row import STATUSES, Row

if TYPE_CHECKING:
    from surefoot.hazards.worksheet.hazop import Hazop

NOT_RATED = "not rated"


@dataclass(frozen=True)
class Progress:
    """Counts of deviations, of rows by status and by class of risk, of properties, and of open ends of the loop."""

    nodes: int
    flows: int
    deviations: int
    considered: int
    statuses: Mapping[str, int]
    risks: Mapping[str, int]
    properties: int
    open_ends: int

    @classmethod
    def of(cls, hazop: Hazop) -> Progress:
        """Count."""
        found = hazop.deviations()
        flows = sum(item.kind == "flow" for item in hazop.items)
        statuses = Counter(row.status for row in hazop.rows)
        risks = Counter(risk_class(hazop, row) or NOT_RATED for row in hazop.rows)
        return cls(
            len(hazop.items) - flows,
            flows,
            len(found),
            sum(deviation.considered for deviation in found),
            FrozenMap({status: statuses[status] for status in STATUSES}),
            FrozenMap({name: risks[name] for name in (*reversed(hazop.matrix.order), NOT_RATED)}),
            len(hazop.properties),
            len(Loop.of(hazop)),
        )

    @property
    def rows(self) -> int:
        """All rows."""
        return sum(self.statuses.values())

    def table(self) -> Table:
        """The counts, one a line."""
        lines = [
            ("nodes", self.nodes),
            ("flows", self.flows),
            ("deviations", self.deviations),
            ("deviations considered", self.considered),
            *((f"rows {status}", count) for status, count in self.statuses.items()),
            *((f"rows with risk {name}", count) for name, count in self.risks.items() if name != NOT_RATED),
            ("rows with risk not rated", self.risks[NOT_RATED]),
            ("safety properties", self.properties),
            ("open ends of the first loop", self.open_ends),
        ]
        return Table(("what", "count"), tuple(lines))


def risk_class(hazop: Hazop, row: Row) -> str:
    """The class of risk of a row; empty where a level is not said, or is no word of the scale."""
    return hazop.matrix.risk(row.severity, row.likelihood) if hazop.matrix.knows(row.severity, row.likelihood) else ""
