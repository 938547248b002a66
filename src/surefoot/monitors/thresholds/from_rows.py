"""Units of calibration from what is at stake in each row and the score of each row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core.validate import FloatArray
from surefoot.monitors.returns import Stakes, Sweep
from surefoot.monitors.returns.stakes import Arms
from surefoot.monitors.returns.sweep import exchangeable_scores
from surefoot.monitors.thresholds.calibration import NAMES, Calibration, Curves, Figure, Name

MANY_DISTINCT = 0.5
"""Scores of which fewer than this share are distinct take few values, which a fixed grid may well hit."""


@dataclass(frozen=True, eq=False)
class RowUnits(Calibration):
    """Rows with scores; the figure of a unit is the mean over its rows, as in ``Sweep``."""

    source: Stakes
    scores: FloatArray

    @classmethod
    def of(cls, stakes: Stakes, scores: ArrayLike, *, where: str) -> RowUnits:
        """Check that scores are finite, one a row, and that rows weigh the same."""
        return cls(stakes, exchangeable_scores(stakes, scores, where=where))

    @property
    def units(self) -> int:
        return self.source.unit_count

    def candidates(self) -> FloatArray:
        """Always, never, and half-way between neighbouring scores, where rounding of a score changes nothing."""
        distinct = np.unique(self.scores)
        low, high = distinct[:-1], distinct[1:]
        middle = low / 2 + high / 2
        between = np.where((middle < low) | (middle >= high), low, middle)
        return np.concatenate([[-np.inf], between, [np.inf]])

    def curves(self, thresholds: FloatArray) -> Curves:
        """Rows up to the threshold are quiet, those above it raise an alarm: sums from both ends of the sorted rows."""
        quiet_rows = np.searchsorted(self.scores[self._order], thresholds, side="right")
        means = [self._mean(name, quiet_rows) for name in NAMES]
        return Curves(thresholds, *means)

    def _mean(self, name: Name, quiet_rows: NDArray[np.intp]) -> FloatArray:
        alarm, quiet = ((arm / self._sizes)[self._order] for arm in self._arms(name))
        below = np.concatenate([[0.0], np.cumsum(quiet)])
        above = np.concatenate([np.cumsum(alarm[::-1])[::-1], [0.0]])
        return np.asarray((below[quiet_rows] + above[quiet_rows]) / self.units)

    def _arms(self, name: Name) -> Arms:
        return {"gains": self.source.gains, "residuals": self.source.residuals, "costs": self.source.costs}[name]

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        return np.argsort(self.scores, kind="stable")

    @cached_property
    def _sizes(self) -> NDArray[np.int64]:
        """Rows of each row's unit."""
        if self.source.units is None:
            return np.ones(self.source.rows, dtype=np.int64)
        return np.bincount(self.source.unit_numbers)[self.source.unit_numbers]

    def unit_values(self, threshold: float) -> Sweep:
        return Sweep.of(self.source, self.scores, [threshold])

    def steps(self, name: Name) -> tuple[float, float]:
        """Rows of one unit with one score fall quiet together, so one may make up for another."""
        alarm, quiet = self._arms(name)
        step = (quiet - alarm) / self._sizes
        both_ways = step.min() < 0 < step.max()
        if both_ways and self.source.units is not None:
            order = np.lexsort((self.scores, self.source.unit_numbers))
            unit, score = self.source.unit_numbers[order], self.scores[order]
            starts = np.flatnonzero(np.concatenate([[True], (np.diff(unit) != 0) | (np.diff(score) != 0)]))
            step = np.add.reduceat(step[order], starts)
        return float(step.min()), float(step.max())

    def extremes(self, name: Name) -> tuple[float, float]:
        arms = self._arms(name)
        return float(min(arm.min() for arm in arms)), float(max(arm.max() for arm in arms))

    def two_valued(self, figure: Figure) -> bool:
        single = bool((self._sizes == 1).all())
        return single and all(np.isin(arm, (0.0, self.width(figure))).all() for arm in self._arms(figure.name))

    def alarm_share(self, threshold: float) -> float | None:
        return float((self.scores > threshold).mean())

    def lengths(self) -> tuple[int, int] | None:
        most = int(self._sizes.max())
        return None if most == 1 else (int(self._sizes.min()), most)

    def tied_share(self, thresholds: FloatArray) -> float | None:
        distinct = np.unique(self.scores)
        if distinct.size < MANY_DISTINCT * self.scores.size:
            return None
        return float(np.isin(thresholds, distinct).mean())

    def part(self, chosen: NDArray[np.bool_]) -> RowUnits:
        rows = chosen[self.source.unit_numbers]
        return RowUnits(self.source.chosen(rows), self.scores[rows])

    def arrays(self) -> dict[str, NDArray[Any]]:
        names = ("safety_quiet", "safety_alarm", "safety_ideal", "mission_quiet", "mission_alarm")
        known = {name: getattr(self.source, name) for name in names} | {"scores": self.scores}
        return known if self.source.units is None else known | {"units": self.source.unit_numbers}
