"""Rows of a stream against the operating conditions, by the same check that an assessment makes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import Tested
from surefoot.bounds import clopper_pearson
from surefoot.core import Assumption, Check
from surefoot.core.canonical import FrozenMap, reading
from surefoot.project.conditions import as_assumptions
from surefoot.project.definition import Conditions
from surefoot.project.watch.event import CONDITION, Event

Columns = Mapping[str, NDArray[Any]]


@dataclass
class Outside:
    """Rows outside one condition so far."""

    text: str
    rows: int = 0
    outside: int = 0
    first: int | None = None
    """The first row outside, counted from 1."""

    @property
    def share(self) -> float:
        """Share of rows outside."""
        return self.outside / self.rows if self.rows else 0.0

    def check(self, level: float) -> Check:
        """What the stream says of the condition."""
        at_least = clopper_pearson(self.outside, self.rows, level=level).lower(level) if self.outside else 0.0
        figures = {"rows": self.rows, "outside": self.outside, "first": self.first, "at least": at_least}
        return Check("contradicted" if self.outside else "supported", "rows of operation outside", figures, self.share)


class ConditionWatch:
    """Counts rows outside the operating conditions; a single one breaks the assumption."""

    def __init__(self, conditions: Conditions, component: str, columns: Iterable[str], *, level: float) -> None:
        known = set(columns)
        self._watched = Conditions(
            assumptions=[each for each in conditions.assumptions if each.column in known],
            odd={name: values for name, values in conditions.odd.items() if name in known},
        )
        self._component, self._level = component, level
        self.found: dict[str, Outside] = {}

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that are looked at."""
        named = [each.column for each in self._watched.assumptions if each.column is not None]
        return tuple(dict.fromkeys([*named, *self._watched.odd]))

    @property
    def broken(self) -> dict[str, Check]:
        """Conditions that rows contradict, by id."""
        return {name: found.check(self._level) for name, found in self.found.items() if found.outside}

    def update(self, attributes: Columns, numbers: NDArray[np.int64]) -> Iterator[Event]:
        """Take in rows; an event for each condition that breaks. Columns that are not there are not looked at."""
        present = {name: np.asarray(column) for name, column in attributes.items() if name in self.columns}
        for assumption in self._assumptions(present):
            if assumption.check is None:
                continue
            counted = self.found.setdefault(assumption.id, Outside(assumption.text))
            counted.rows += numbers.size
            counted.outside += round((assumption.check.effect or 0.0) * numbers.size)
            if counted.outside and counted.first is None:
                counted.first = int(numbers[self._first(assumption.id, present, numbers.size)])
                yield self._event(assumption.id, counted)

    def snapshot(self) -> dict[str, Any]:
        """What it counted, as plain data."""
        return {name: dict(vars(found)) for name, found in self.found.items()}

    def resume(self, snapshot: Mapping[str, Any]) -> None:
        """Go on from what ``snapshot`` told."""
        with reading("count of rows outside"):
            self.found = {str(name): Outside(**told) for name, told in snapshot.items()}

    def _assumptions(self, attributes: Columns) -> tuple[Assumption, ...]:
        if not attributes:
            return ()
        rows = len(next(iter(attributes.values())))
        labels, scores = np.zeros(rows, np.int64), np.zeros((rows, 1))
        columns = FrozenMap(attributes)
        tested = Tested(self._component, labels, scores, "label", ("",), attributes=columns)
        here = [each for each in self._watched.assumptions if each.column in attributes]
        return as_assumptions(self._watched.model_copy(update={"assumptions": here}), tested)

    def _first(self, name: str, attributes: Columns, rows: int) -> int:
        """The first row outside, by halving: the rows up to it are inside, and those with it are not."""
        inside, outside = 0, rows
        while outside - inside > 1:
            middle = (inside + outside) // 2
            part = {column: values[:middle] for column, values in attributes.items()}
            check = next(each.check for each in self._assumptions(part) if each.id == name)
            if check is not None and check.status == "contradicted":
                outside = middle
            else:
                inside = middle
        return outside - 1

    def _event(self, name: str, found: Outside) -> Event:
        check = found.check(self._level)
        text = (
            f"{found.text} Contradicted: row {found.first:,} is the first outside; so far {found.outside:,} of "
            f"{found.rows:,}, a share of {found.share:.3g}, at least {check.figures['at least']:.2g}."
        )
        return Event(CONDITION, found.first or 0, text, name, check.figures)


def unwatched(conditions: Conditions, columns: Iterable[str]) -> list[str]:
    """Conditions that nothing in a stream with these columns can check."""
    known = set(columns)
    missing = [each.id for each in conditions.assumptions if each.column not in known]
    return missing + [f"{name} of the operating conditions" for name in conditions.odd if name not in known]
