"""``Curve``: safety gain, residual hazard and availability cost at every threshold, with bands."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Check, Estimate, Table, Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.evaluation.bands import Bands, bootstrap_bands, exact_bands
from surefoot.monitors.evaluation.evaluate import FIXED_MONITOR, evaluate
from surefoot.monitors.evaluation.levels import draws_for
from surefoot.monitors.evaluation.ordering import Ordered
from surefoot.monitors.evaluation.report import MonitorReport
from surefoot.monitors.returns.stakes import Stakes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WHERE = "curve"
SLACK = 1e-12
CHOSEN_HERE = Check("contradicted", "the threshold was chosen on the rows it is evaluated on")


@dataclass(frozen=True)
class OperatingPoint:
    """A threshold and what the monitor is worth there."""

    threshold: float
    report: MonitorReport


@dataclass(frozen=True, eq=False, repr=False)
class Curve:
    """What a monitor is worth at every threshold; thresholds rise, so alarms become fewer.

    ``marks`` are the places at which ``bands`` are known: all thresholds, or as many as were asked for. A band holds
    at each threshold by itself, not at all of them together.
    """

    stakes: Stakes
    ordered: Ordered
    marks: NDArray[np.int64]
    method: str
    level: float
    draws: int
    seed: int
    scope: str = ""

    @property
    def thresholds(self) -> FloatArray:
        """Every threshold that matters, from ``-inf`` to ``inf``."""
        return self.ordered.thresholds

    @cached_property
    def bands(self) -> Bands:
        """Limits at each mark, found when first asked for."""
        if self.method == "exact":
            return exact_bands(self.stakes, self.ordered, self.marks, level=self.level)
        options = {"draws": self.draws, "seed": self.seed}
        return bootstrap_bands(self.stakes, self.ordered, self.marks, level=self.level, **options)

    @cached_property
    def safety_gain(self) -> FloatArray:
        """At each threshold."""
        return self._means(self.stakes.gains.alarm)

    @cached_property
    def availability_cost(self) -> FloatArray:
        """At each threshold."""
        return self._means(self.stakes.costs.alarm)

    @cached_property
    def alarm_share(self) -> FloatArray:
        """Share of rows with an alarm at each threshold."""
        return self._means(np.ones(self.stakes.rows))

    @cached_property
    def hazard_alone(self) -> float:
        """Hazard of the model without a monitor: the most that can be gained where an alarm is always safe."""
        return float(np.average(self.stakes.residuals.quiet, weights=self.stakes.weights))

    @property
    def residual_hazard(self) -> FloatArray:
        """At each threshold: what is not gained (MON, Eqn. 6)."""
        return self.hazard_alone - self.safety_gain

    def at(self, threshold: float) -> MonitorReport:
        """What the monitor is worth at a threshold that was fixed before these rows were seen."""
        limit = validate.number(threshold, where=WHERE, name="threshold", finite=False)
        returns = self.stakes.under(self.ordered.scores > limit)
        draws = draws_for(self.level, 4000)
        return evaluate(returns, level=self.level, scope=self.scope, draws=draws, seed=self.seed)

    def at_cost(self, budget: float) -> OperatingPoint:
        """The largest safety gain among thresholds that cost no more than the budget, with the fewest alarms.

        The threshold is chosen on these rows, which its report says: fix it on others where a figure must hold.
        """
        allowed = self._places_within(validate.number(budget, where=WHERE, name="budget"))
        gains = self.safety_gain[allowed]
        best = allowed[np.flatnonzero(gains >= gains.max() - SLACK * self.stakes.safety_width)[-1]]
        threshold = float(self.thresholds[best])
        return OperatingPoint(threshold, _chosen_here(self.at(threshold)))

    def table(self) -> Table:
        """A row for each mark."""
        head = ("threshold", "alarms", "safety gain", "from", "to", "residual hazard", "from ", "to ")
        b, at = self.bands, self.marks
        columns = (
            self.thresholds[at],
            self.alarm_share[at],
            *(self.safety_gain[at], b.safety_gain.low, b.safety_gain.high),
            *(self.residual_hazard[at], b.residual_hazard.low, b.residual_hazard.high),
            *(self.availability_cost[at], b.availability_cost.low, b.availability_cost.high),
        )
        return Table(
            (*head, "availability cost", "from  ", "to  "), tuple(zip(*(c.tolist() for c in columns), strict=True))
        )

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Safety gain against availability cost, with bands, and the hazard of the model alone."""
        from surefoot.monitors.evaluation.figures import plot_curve

        return plot_curve(self, ax=ax)

    def __repr__(self) -> str:
        return f"Curve({self.thresholds.size:,} thresholds, {self.stakes.rows:,} rows, {self.method} bands)"

    def _means(self, values: FloatArray) -> FloatArray:
        weights = self.stakes.weights
        if weights is None:
            return self.ordered.sums(values) / self.stakes.rows
        return self.ordered.sums(values * weights) / weights.sum()

    def _places_within(self, budget: float) -> NDArray[np.int64]:
        slack = SLACK * self.stakes.mission_width
        allowed = np.flatnonzero(self.availability_cost <= budget + slack)
        if not allowed.size:
            cheapest = float(self.availability_cost.min())
            raise Undefined(
                f"no threshold costs at most {budget:g}", where=WHERE, found=f"a smallest cost of {cheapest:g}"
            )
        return allowed


def _chosen_here(report: MonitorReport) -> MonitorReport:
    """The same figures, with the assumption that the threshold was fixed before marked as not true."""
    return replace(
        report,
        safety_gain=_told(report.safety_gain),
        residual_hazard=_told(report.residual_hazard),
        availability_cost=_told(report.availability_cost),
    )


def _told(estimate: Estimate) -> Estimate:
    assumed = (replace(a, check=CHOSEN_HERE) if a.id == FIXED_MONITOR.id else a for a in estimate.assumptions)
    return replace(estimate, assumptions=tuple(assumed))
