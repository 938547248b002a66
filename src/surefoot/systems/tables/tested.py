"""``Tested``: a table of statistics that were tested, each with its interval and p-values, for all tests together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from surefoot.core import Table
from surefoot.core.canonical import FrozenMap
from surefoot.documents import counted
from surefoot.monitors.evaluation.ranking import holm
from surefoot.systems.data.conditions import Condition
from surefoot.systems.tables.measured import Measured


@dataclass(frozen=True)
class Cell:
    """One statistic: of what, in which condition, with its interval and p-values; None is what is undefined.

    ``p`` takes items as independent, as the paper does; ``p_by_units`` takes units so, where there are any. ``p_all``
    holds for all cells of the table together (Holm 1979). ``significant`` is about ``p``, ``significant_all`` about
    ``p_all``. ``why`` says why a statistic is undefined.
    """

    of: tuple[str, ...]
    condition: Condition
    value: float | None
    items: int
    left_out: int
    interval: tuple[float, float] | None = None
    p: float | None = None
    p_by_units: float | None = None
    p_all: float | None = None
    significant: bool | None = None
    significant_all: bool | None = None
    against: Condition | None = None
    details: Mapping[str, Any] = field(default_factory=FrozenMap)
    why: str = ""


@dataclass(frozen=True, eq=False)
class Tested:
    """Statistics of one kind, cell by cell, with what must be said about them."""

    statistic: str
    heads: tuple[str, ...]
    """What the parts of ``Cell.of`` are."""
    none: float | None
    """The value that means no relation or no shift; None where it differs from cell to cell."""
    cells: tuple[Cell, ...]
    significance: float
    notes: tuple[str, ...]

    @property
    def details(self) -> tuple[str, ...]:
        """Names of what else is known of the cells."""
        return tuple(dict.fromkeys(name for cell in self.cells for name in cell.details))

    @property
    def table(self) -> Table:
        """One row a cell."""
        head = ("corruption", "severity", *self.heads, self.statistic, "low", "high", "items", "left out")
        tests = ("p", "p by units", "p for all", "significant", "significant for all", "why")
        return Table((*head, *self.details, *tests), tuple(map(self._row, self.cells)))

    def label(self, cell: Cell) -> str:
        """Of what a cell is, in words."""
        before = {"other module": "/ ", "top": "top "}
        return " ".join(before.get(head, "") + part for head, part in zip(self.heads, cell.of, strict=True))

    def __str__(self) -> str:
        return "\n".join([str(self.table), *self.notes])

    def _row(self, cell: Cell) -> tuple[Any, ...]:
        figures = (cell.value, *(cell.interval or (None, None)), cell.items, cell.left_out)
        details = (cell.details.get(name) for name in self.details)
        tests = (cell.p, cell.p_by_units, cell.p_all, cell.significant, cell.significant_all, cell.why)
        return (*cell.condition.corruption_and_severity, *cell.of, *figures, *details, *tests)


def corrected(cells: Iterable[Cell], significance: float) -> tuple[Cell, ...]:
    """Cells with p-values for all tests together and what is significant; undefined cells are no tests."""
    known = list(cells)
    valid = [cell.p if cell.p_by_units is None else cell.p_by_units for cell in known]
    adjusted = iter(holm(np.array([p for p in valid if p is not None], dtype=np.float64)).tolist())
    return tuple(
        cell if p is None or cell.p is None else _judged(cell, next(adjusted), significance)
        for cell, p in zip(known, valid, strict=True)
    )


def unit_notes(measured: Measured, by_units: str) -> tuple[str, ...]:
    """What p-values assume where items come in units; ``by_units`` says what was done about it."""
    if measured.units is None:
        return ()
    units = counted(int(np.unique(measured.units).size), "unit")
    return (f"Items come in {units} and are not independent, so p is too small. {by_units}",)


def undefined_notes(cells: Iterable[Cell]) -> tuple[str, ...]:
    """How many cells are undefined, and why."""
    reasons = [cell.why for cell in cells if cell.value is None]
    return tuple(f"{counted(reasons.count(why), 'cell')} undefined: {why}." for why in dict.fromkeys(reasons) if why)


def holm_note(cells: Iterable[Cell], significance: float) -> str:
    """For how many tests p-values were corrected."""
    tests = counted(sum(cell.p is not None for cell in cells), "test")
    return f"Significant: below {significance:g}; p for all holds for {tests} together (Holm 1979)."


def _judged(cell: Cell, p_all: float, significance: float) -> Cell:
    small = cell.p is not None and cell.p < significance
    return replace(cell, p_all=p_all, significant=small, significant_all=p_all < significance)
