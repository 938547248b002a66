"""``Importance``: measures of events and gates, with intervals, as a table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from surefoot.core import validate
from surefoot.core.bound import Kind
from surefoot.core.canonical import FrozenMap
from surefoot.core.errors import InvalidInput
from surefoot.core.evidence import Table
from surefoot.core.summary import table_html
from surefoot.documents import percent, significant
from surefoot.faulttree.importance.measures import MEANINGS, MEASURES, Measure

Row = Literal["event", "gate"]
Numbers = tuple[float | None, ...]
SHOWN = 20
PRINTED: tuple[Measure, ...] = ("birnbaum", "criticality", "fussell_vesely", "diagnostic", "raw", "rrw")


@dataclass(frozen=True, repr=False)
class Importance:
    """One row for each event or gate; ``values``, ``low`` and ``high`` hold a column for each measure.

    A number is None where it is not defined or not known; ``notes`` say why. ``kind`` is what the intervals are, None
    where there are none.
    """

    names: tuple[str, ...]
    kinds: tuple[Row, ...]
    values: Mapping[Measure, Numbers]
    low: Mapping[Measure, Numbers]
    high: Mapping[Measure, Numbers]
    level: float
    kind: Kind | None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("values", "low", "high"):
            object.__setattr__(self, name, FrozenMap(getattr(self, name)))

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def spread(self) -> str:
        """What the intervals are, in words; nothing where there are none, or every number is certain."""
        if self.kind == "certain":
            return "certain intervals" if any(self.low[m] != self.high[m] for m in self.values) else ""
        return "" if self.kind is None else f"{self.kind} intervals at {percent(self.level)}"

    def of(self, name: str, measure: Measure) -> float | None:
        """One number."""
        return self.values[_measure(measure)][self._index(name)]

    def interval(self, name: str, measure: Measure) -> tuple[float | None, float | None]:
        """Its low and high."""
        index, measure = self._index(name), _measure(measure)
        return self.low[measure][index], self.high[measure][index]

    def sorted(self, by: Measure = "criticality") -> Importance:
        """The largest first; what has no number comes last."""
        column = self.values[_measure(by)]
        return self._rows(sorted(range(len(self)), key=lambda i: (_rank(column[i]), self.names[i])))

    def first(self, count: int) -> Importance:
        """The first rows."""
        return self._rows(list(range(min(count, len(self)))))

    def only(self, kind: Row) -> Importance:
        """Events, or gates."""
        return self._rows([i for i, found in enumerate(self.kinds) if found == kind])

    def to_table(self) -> Table:
        """Every measure with its low and high."""
        shown = [m for m in MEASURES if m in self.values]
        head = [text for m in shown for text in (m, f"{m} low", f"{m} high")]
        columns = [column[m] for m in shown for column in (self.values, self.low, self.high)]
        rows = zip(self.names, self.kinds, *columns, strict=True)
        return Table(("name", "kind", *head), tuple(rows))

    def __str__(self) -> str:
        head, rows, notes = self._shown()
        return "\n".join([str(Table(head, tuple(rows))), *notes])

    def __repr__(self) -> str:
        return f"Importance({len(self)} rows, level={self.level:g})"

    def _repr_html_(self) -> str:
        head, rows, notes = self._shown()
        return table_html("Importance", head, rows, [*notes, *(f"{m}: {MEANINGS[m]}" for m in PRINTED)])

    def _shown(self) -> tuple[tuple[str, ...], list[tuple[str, ...]], list[str]]:
        most = self.sorted().first(SHOWN)
        rows = [(n, k, *(most._cell(n, m) for m in PRINTED)) for n, k in zip(most.names, most.kinds, strict=True)]
        more = [f"and {len(self) - SHOWN:,} more"] if len(self) > SHOWN else []
        spread = [f"In brackets: {self.spread}"] if self.spread else []
        return ("name", "kind", *PRINTED), rows, [*more, *spread, *self.notes]

    def _cell(self, name: str, measure: Measure) -> str:
        value, (low, high) = self.of(name, measure), self.interval(name, measure)
        if value is None:
            return "-"
        if low is None or high is None or not self.spread:
            return significant(value)
        return f"{significant(value)} ({significant(low, rounding='down')} to {significant(high, rounding='up')})"

    def _rows(self, kept: list[int]) -> Importance:
        return replace(
            self,
            names=tuple(self.names[i] for i in kept),
            kinds=tuple(self.kinds[i] for i in kept),
            values=_chosen(self.values, kept),
            low=_chosen(self.low, kept),
            high=_chosen(self.high, kept),
        )

    def _index(self, name: str) -> int:
        if name not in self.names:
            raise InvalidInput("no such event or gate", where="importance", found=repr(name))
        return self.names.index(name)


def _chosen(columns: Mapping[Measure, Numbers], kept: list[int]) -> dict[Measure, Numbers]:
    return {measure: tuple(column[i] for i in kept) for measure, column in columns.items()}


def _rank(value: float | None) -> float:
    """Equal but for rounding errors is equal, so that the names decide."""
    return math.inf if value is None else -float(f"{value:.9g}")


def _measure(name: str) -> Measure:
    validate.choice(name, MEASURES, where="importance", name="measure")
    return name  # type: ignore[return-value]
