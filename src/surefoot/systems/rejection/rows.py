"""``Rows``: the items of one condition or of several together, as rejection sees them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, Undefined
from surefoot.core.validate import FloatArray
from surefoot.systems.data.conditions import Condition
from surefoot.systems.rejection.strategies import as_scores
from surefoot.systems.tables.measured import Measured, Score
from surefoot.systems.tables.pairs import numbered

ALL_CONDITIONS = "all conditions"
Suspicion = Mapping[Condition, FloatArray]
"""A score of every item in every condition, higher for more suspicious; NaN where there is none."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Items whose answer counts, in the order of the conditions; the others are left out."""

    measured: Measured
    conditions: tuple[Condition, ...]
    statistics: FloatArray
    present: tuple[NDArray[np.bool_], ...]

    @classmethod
    def of(cls, measured: Measured, conditions: Sequence[Condition]) -> Rows:
        """Read the statistics of some conditions."""
        parts = [measured.statistics(condition) for condition in conditions]
        present = tuple(_answered(part) for part in parts)
        kept = [part[there] for part, there in zip(parts, present, strict=True) if there.any()]
        if not kept:
            labels = ", ".join(condition.label for condition in conditions)
            raise Undefined("no item has an answer that counts", where=f"system {measured.system!r}", found=labels)
        return cls(measured, tuple(conditions), np.concatenate(kept), present)

    def __len__(self) -> int:
        return len(self.statistics)

    @property
    def left_out(self) -> int:
        """Items whose answer does not count."""
        return sum(there.size for there in self.present) - len(self)

    @cached_property
    def errors(self) -> FloatArray:
        """The error of each item, higher for worse."""
        return np.asarray(self.measured.metric.error(self.statistics))

    @cached_property
    def units(self) -> NDArray[np.intp]:
        """Independent units as numbers from 0; an item is the same unit in all conditions."""
        units = self.measured.units
        names = np.concatenate(
            [np.flatnonzero(there) if units is None else np.asarray(units)[there] for there in self.present]
        )
        return numbered(names)

    @property
    def unit_count(self) -> int:
        """How many independent units there are."""
        return int(self.units.max()) + 1

    @property
    def independent(self) -> bool:
        """Whether every row is a unit of its own."""
        return self.unit_count == len(self)

    def score(self, score: Score) -> FloatArray:
        """A score of a module."""
        if score not in self.measured.scores:
            known = ", ".join(each.label for each in self.measured.scores) or "none"
            where = f"system {self.measured.system!r}"
            raise InvalidInput(f"no score {Score(*score).label!r}", where=where, found=known)
        return self.column(lambda condition: self.measured.score(score, condition), name=Score(*score).label)

    def suspicion(self, name: str, values: Suspicion) -> FloatArray:
        """A score from elsewhere."""
        missing = [condition.label for condition in self.conditions if condition not in values]
        if missing:
            raise InvalidInput("needs values in every condition", where=name, found=f"none for {', '.join(missing)}")
        return self.column(lambda condition: values[condition], name=name)

    def column(self, values: Callable[[Condition], FloatArray], *, name: str) -> FloatArray:
        """A number an item, from one a condition and item."""
        parts = []
        for condition, there in zip(self.conditions, self.present, strict=True):
            part = as_scores(values(condition), where=condition.label, name=name)
            if part.size != there.size:
                found = f"{part.size} for {there.size} items"
                raise InvalidInput(f"{name} must be one number an item", where=condition.label, found=found)
            parts.append(part[there])
        return np.concatenate(parts)


def _answered(statistics: FloatArray) -> NDArray[np.bool_]:
    return np.asarray(~np.isnan(statistics).any(axis=1))


def answered(*several: Measured) -> tuple[Condition, ...]:
    """Conditions in which some item has an answer that counts of every system; all where there is none."""
    conditions = several[0].conditions
    there = tuple(c for c in conditions if np.all([_answered(each.statistics(c)) for each in several], axis=0).any())
    return there or conditions


def named(conditions: Sequence[Condition]) -> tuple[str, int | None]:
    """Corruption and severity of a condition, or words for several together."""
    return (ALL_CONDITIONS, None) if len(conditions) > 1 else conditions[0].corruption_and_severity


def separate(conditions: Sequence[Condition], *, pooled: bool) -> list[Sequence[Condition]]:
    """Each condition by itself, and all together where that is asked for."""
    return [*((condition,) for condition in conditions), *([conditions] if pooled else [])]
