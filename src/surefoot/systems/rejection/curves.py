"""``risk_coverage``: the metric of accepted items at every share of them, for every strategy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from surefoot.core import Table, validate
from surefoot.core.validate import FloatArray
from surefoot.metrics.tasks import Metric
from surefoot.metrics.tasks.base import ratio
from surefoot.systems.data.conditions import Condition
from surefoot.systems.rejection.contest import LARGEST_ERRORS, Contest
from surefoot.systems.rejection.intervals import FEW, Interval, check_draws, percentiles, plain
from surefoot.systems.rejection.rows import ALL_CONDITIONS, Rows, Suspicion
from surefoot.systems.tables.measured import Measured, Score

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WHERE = "risk_coverage"
COLUMNS = ("strategy", "area", "low", "high", "excess", "excess low", "excess high", "of largest errors")


@dataclass(frozen=True, eq=False)
class Curve:
    """The metric of the items that a strategy accepts, where 0, 1, 2 ... are rejected.

    ``drawn`` is the same for resampled items (draws x ``marks``), at shares ``marks`` of accepted items.
    """

    name: str
    accepted: FloatArray
    marks: FloatArray
    drawn: FloatArray

    @cached_property
    def coverage(self) -> FloatArray:
        """Shares of accepted items, from all to one."""
        return 1 - np.arange(self.accepted.size) / self.accepted.size

    @cached_property
    def area(self) -> float:
        """The mean of the metric over all shares of accepted items; undefined ends are left out."""
        return float(_mean(self.accepted))

    @cached_property
    def moved(self) -> FloatArray:
        """By how much the area of each resample differs from that of all items; by the marks."""
        here = np.interp(self.marks, self.coverage[::-1], self.accepted[::-1])
        return _mean(self.drawn) - _mean(here)

    def band(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Ends at each mark."""
        ends = [percentiles(column, level) for column in self.drawn.T]
        low, high = np.array(ends, dtype=np.float64).T
        return low, high


@dataclass(frozen=True, eq=False)
class RiskCoverage:
    """Curves of all strategies, that of the largest errors last."""

    label: str
    metric: Metric
    curves: Mapping[str, Curve]
    level: float

    @property
    def best(self) -> Curve:
        """What knowing every error would give."""
        return self.curves[LARGEST_ERRORS]

    def excess(self, name: str) -> float:
        """How much worse the area is than that of the largest errors, in units of the metric."""
        return self._sign * (self.curves[name].area - self.best.area)

    def excess_interval(self, name: str) -> Interval:
        """Ends of the excess, from the same resamples of both curves."""
        moved = self._sign * (self.curves[name].moved - self.best.moved)
        return percentiles(self.excess(name) + moved, self.level)

    @property
    def _sign(self) -> float:
        return 1.0 if self.metric.better == "lower" else -1.0

    @cached_property
    def table(self) -> Table:
        """Areas under the curves and their excess (Geifman, Uziel, El-Yaniv 2019) with intervals.

        ``of largest errors`` is 0 for a blind choice, whose curve is flat, and 1 for the largest errors.
        """
        return Table(COLUMNS, tuple(self._row(name, curve) for name, curve in self.curves.items()))

    def _row(self, name: str, curve: Curve) -> tuple[object, ...]:
        ends = percentiles(curve.area + curve.moved, self.level)
        most = self._sign * (float(curve.accepted[0]) - self.best.area)
        share = 1 - self.excess(name) / most if most > 0 else None
        return name, plain(curve.area), *ends, plain(self.excess(name)), *self.excess_interval(name), share

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """The curves."""
        from surefoot.systems.rejection.figures import plot_risk_coverage

        return plot_risk_coverage(self, ax=ax)


def risk_coverage(
    measured: Measured,
    condition: Condition | None = None,
    *,
    uncertainty: Score,
    strangeness: Score,
    others: Mapping[str, Suspicion] | None = None,
    strategies: Sequence[str] | None = None,
    level: float = 0.95,
    draws: int = 400,
    points: int = 25,
    seed: int = 0,
) -> RiskCoverage:
    """The metric of accepted items against their share, in one condition or in all together.

    El-Yaniv and Wiener (2010), "On the foundations of noise-free selective classification". Curves are exact at every
    count; bands are the middle ``level`` of resamples of units, each of which ranks and rejects its own items, at
    ``points`` shares, where there are five units or more. Without ``draws`` there are none, which is quick for very
    many items. ``strategies`` are some of S1 to S5 and of ``others``, by default all; the largest errors are always
    there.
    """
    if draws:
        check_draws(draws, level, where=WHERE)
    number = validate.count(points, where=WHERE, name="points", at_least=2)
    conditions = measured.conditions if condition is None else (condition,)
    rows = Rows.of(measured, conditions)
    contest = Contest.of(rows, uncertainty, strangeness, others or {})
    names = contest.strategies if strategies is None else (*strategies, LARGEST_ERRORS)
    for name in names:
        validate.choice(name, contest.strategies, where=WHERE, name="strategy")
    number = min(number, len(rows))
    marks = np.arange(1, number + 1) / number
    told = draws if rows.unit_count >= FEW else 0
    _, drawn = contest.redrawn(list(1 - marks), told, validate.seed(seed, where=WHERE), names)
    curves = {name: Curve(name, contest.accepted(name)[:-1], marks, drawn[name]) for name in names}
    label = ALL_CONDITIONS if condition is None else condition.label
    return RiskCoverage(f"{measured.system}, {label}", measured.metric, curves, level)


def _mean(values: FloatArray) -> FloatArray:
    """The mean along the last axis of what is defined; NaN where nothing is."""
    defined = np.isfinite(values)
    return np.asarray(ratio(np.where(defined, values, 0.0).sum(axis=-1), defined.sum(axis=-1)))
