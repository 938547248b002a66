"""What a threshold is chosen on: exchangeable units, and what they are worth at each threshold on average.

Units come from what is at stake in each row and the score of each row (``RowUnits``), or from what each is worth at
given thresholds (``SweepUnits``). ``grid_of`` makes thresholds that do not come from the rows to choose on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.returns import Stakes, Sweep
from surefoot.monitors.returns.stakes import Arms, exchangeable_scores

Name = Literal["gains", "residuals", "costs"]
NAMES: tuple[Name, ...] = ("gains", "residuals", "costs")
MANY_DISTINCT = 0.5
"""Scores of which fewer than this share are distinct take few values, which a fixed grid may well hit."""


def grid_of(other_scores: ArrayLike, points: int = 100) -> FloatArray:
    """Thresholds at even quantiles of scores of other rows, such as those a detector was fitted on.

    A guarantee with a probability needs thresholds that were fixed before the calibration rows were seen.

    Parameters
    ----------
    other_scores
        Scores of rows that the threshold is not chosen on.
    points
        How many quantiles; equal ones are merged.

    Returns
    -------
    numpy.ndarray
        Rising thresholds.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.monitors.grid_of([0, 1, 2, 3, 4], points=3)
    array([0., 2., 4.])

    """
    scores = validate.vector(other_scores, where="grid_of", name="other_scores")
    number = validate.count(points, where="grid_of", name="points", at_least=1)
    levels = np.linspace(0, 1, number) if number > 1 else np.array([0.5])
    return np.unique(np.quantile(scores, levels))


def as_grid(thresholds: ArrayLike | None, source: Stakes | Sweep, *, where: str) -> FloatArray | None:
    """Thresholds given by the caller, in rising order, each once; infinite ones alarm always or never."""
    if thresholds is None:
        return None
    if isinstance(source, Sweep):
        raise InvalidInput("a Sweep brings its own thresholds", where=where, remedy="Leave thresholds out.")
    values = validate.numbers(thresholds, where=where, name="thresholds", finite=False)
    if values.ndim != 1 or not values.size:
        remedy = "Give one threshold or more, such as grid_of(scores of other rows)."
        raise InvalidInput("thresholds must be a list", where=where, found=f"shape {values.shape}", remedy=remedy)
    return np.unique(values)


class Figure(NamedTuple):
    """What a budget is about; ``rises`` says whether it should grow with the threshold, as alarms become fewer."""

    name: Name
    words: str
    rises: bool

    def order(self, size: int) -> NDArray[np.intp]:
        """Places of rising thresholds in the order in which the figure should grow: safest first."""
        return np.arange(size) if self.rises else np.arange(size)[::-1]


RESIDUAL = Figure("residuals", "residual hazard", rises=True)
COST = Figure("costs", "availability cost", rises=False)


@dataclass(frozen=True, eq=False)
class Curves:
    """Means over units at each of many thresholds."""

    thresholds: FloatArray
    gains: FloatArray
    residuals: FloatArray
    costs: FloatArray

    def of(self, name: Name) -> FloatArray:
        """One of the three figures."""
        return {"gains": self.gains, "residuals": self.residuals, "costs": self.costs}[name]


def calibration(source: Stakes | Sweep, scores: ArrayLike | None, *, where: str) -> Calibration:
    """Units from stakes and scores of rows, or from a sweep over thresholds."""
    if isinstance(source, Stakes) and scores is not None:
        return RowUnits.of(source, scores, where=where)
    if isinstance(source, Sweep) and scores is None:
        return SweepUnits(source)
    given = f"{type(source).__name__} {'without' if scores is None else 'with'} scores"
    raise InvalidInput("needs Stakes with scores, or a Sweep alone", where=where, found=given)


class Calibration(ABC):
    """Exchangeable units whose gain, residual hazard and cost are known at thresholds."""

    source: Stakes | Sweep

    @property
    def unit(self) -> str:
        """What one unit is called."""
        return self.source.unit

    def width(self, figure: Figure) -> float:
        """The most a unit can have of a figure."""
        return self.source.safety_width if figure is RESIDUAL else self.source.mission_width

    @property
    @abstractmethod
    def units(self) -> int:
        """How many units there are."""

    @abstractmethod
    def candidates(self) -> FloatArray:
        """Rising thresholds, one for each set of units that can be told apart."""

    @abstractmethod
    def curves(self, thresholds: FloatArray) -> Curves:
        """Means over units at these thresholds."""

    @abstractmethod
    def unit_values(self, threshold: float) -> Sweep:
        """What each unit is worth at one threshold."""

    @abstractmethod
    def steps(self, name: Name) -> tuple[float, float]:
        """The smallest and the largest change of a unit's figure from one threshold to the next higher one."""

    @abstractmethod
    def extremes(self, name: Name) -> tuple[float, float]:
        """The smallest and the largest figure a unit could have at some threshold."""

    @abstractmethod
    def two_valued(self, figure: Figure) -> bool:
        """Whether each unit's figure is 0 or the most it can be, at every threshold."""

    @abstractmethod
    def alarm_share(self, threshold: float) -> float | None:
        """Share of rows that raise an alarm; None where rows are not known."""

    @abstractmethod
    def lengths(self) -> tuple[int, int] | None:
        """Fewest and most rows of a unit; None where they are not known, or a row is a unit."""

    @abstractmethod
    def tied_share(self, thresholds: FloatArray) -> float | None:
        """Share of thresholds that are one of the scores to choose on; None where scores are not known or repeat."""

    @abstractmethod
    def part(self, chosen: NDArray[np.bool_]) -> Calibration:
        """Some of the units."""

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """What the choice depends on."""


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


@dataclass(frozen=True, eq=False)
class SweepUnits(Calibration):
    """A sweep: its thresholds are all there are."""

    source: Sweep

    @property
    def units(self) -> int:
        return self.source.units

    def candidates(self) -> FloatArray:
        return self.source.thresholds

    def curves(self, thresholds: FloatArray) -> Curves:
        columns = np.searchsorted(self.source.thresholds, thresholds)
        return Curves(thresholds, *(self._values(name)[:, columns].mean(axis=0) for name in NAMES))

    def _values(self, name: Name) -> FloatArray:
        return {"gains": self.source.gains, "residuals": self.source.residuals, "costs": self.source.costs}[name]

    def unit_values(self, threshold: float) -> Sweep:
        column = self.source.thresholds == threshold
        gains, residuals, costs = (self._values(name)[:, column] for name in NAMES)
        at = self.source.thresholds[column]
        return replace(self.source, thresholds=at, gains=gains, residuals=residuals, costs=costs)

    def steps(self, name: Name) -> tuple[float, float]:
        values = self._values(name)
        step = np.diff(values, axis=1) if values.shape[1] > 1 else np.zeros((1, 1))
        return float(step.min()), float(step.max())

    def extremes(self, name: Name) -> tuple[float, float]:
        values = self._values(name)
        return float(values.min()), float(values.max())

    def two_valued(self, figure: Figure) -> bool:
        return bool(np.isin(self._values(figure.name), (0.0, self.width(figure))).all())

    def alarm_share(self, threshold: float) -> float | None:
        return {-np.inf: 1.0, np.inf: 0.0}.get(threshold)

    def lengths(self) -> tuple[int, int] | None:
        return None

    def tied_share(self, thresholds: FloatArray) -> float | None:
        return None

    def part(self, chosen: NDArray[np.bool_]) -> SweepUnits:
        gains, residuals, costs = (self._values(name)[chosen] for name in NAMES)
        return SweepUnits(replace(self.source, gains=gains, residuals=residuals, costs=costs))

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"thresholds": self.source.thresholds, **{name: self._values(name) for name in NAMES}}
