"""``compare``: several monitors on the same rows, with intervals, and a ranking that says how sure it is."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import Estimate, InvalidInput, Table, Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.draw import percent
from surefoot.monitors.evaluation.bands import require_tail
from surefoot.monitors.evaluation.bootstrap import Resampled
from surefoot.monitors.evaluation.curves import Curve, curve
from surefoot.monitors.evaluation.detection import Detection, detection
from surefoot.monitors.evaluation.measured import sums_by_unit
from surefoot.monitors.evaluation.ranking import Ranking
from surefoot.monitors.evaluation.report import MonitorReport
from surefoot.monitors.evaluation.resampling import resampled
from surefoot.monitors.evaluation.roc import Placements, Roc
from surefoot.monitors.evaluation.within import Within
from surefoot.monitors.returns.stakes import Stakes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WHERE = "compare"
By = Literal["safety gain", "AUROC"]
BYS: tuple[By, ...] = ("safety gain", "AUROC")
SHOWN_POINTS = 200


@dataclass(frozen=True, eq=False)
class Contender:
    """A monitor at its threshold; AUROC and FPR95 are None where the rows do not define them."""

    name: str
    threshold: float
    report: MonitorReport
    curve: Curve
    auroc: Estimate | None
    fpr95: Estimate | None

    @property
    def estimates(self) -> dict[str, Estimate | None]:
        """What is shown of it, by name."""
        report = self.report
        return {
            "safety gain": report.safety_gain,
            "residual hazard": report.residual_hazard,
            "availability cost": report.availability_cost,
            "AUROC": self.auroc,
            "FPR95": self.fpr95,
        }


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Monitors on the same rows, the best first."""

    contenders: tuple[Contender, ...]
    ranking: Ranking
    stakes: Stakes
    level: float
    cost: float | None = None
    """The availability budget that all share; None where each has a threshold of its own."""
    title: str = "Comparison of monitors"

    def __getitem__(self, name: str) -> Contender:
        known = {contender.name: contender for contender in self.contenders}
        return known[validate.choice(name, known, where=WHERE, name="monitor")]

    @property
    def hazard_alone(self) -> Estimate:
        """The hazard of the model without a monitor."""
        return self.contenders[0].report.hazard_alone

    def table(self) -> Table:
        """A row for each monitor, the best first."""
        figures = tuple(self.contenders[0].estimates)
        ends = (f"from ({percent(self.level)})", "to")
        head = [cell for name in figures for cell in (name, *(f"{name} {end}" for end in ends))]
        rows = [
            (c.name, c.threshold, *(v for e in c.estimates.values() for v in self._cells(e))) for c in self.contenders
        ]
        return Table(("monitor", "threshold", *head), tuple(rows))

    def plot(self) -> Figure:
        """Safety gain with intervals, and safety gain against availability cost at all thresholds."""
        from surefoot.monitors.evaluation.figures import plot_comparison

        return plot_comparison(self)

    def page(self) -> str:
        """One HTML page that holds everything it shows and runs nothing."""
        from surefoot.monitors.evaluation.page import comparison_page

        return comparison_page(self)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the page."""
        Path(path).write_text(self.page(), encoding="utf-8")

    def __str__(self) -> str:
        return f"{self.table()}\n\n{self.ranking}"

    def __repr__(self) -> str:
        return (
            f"Comparison({len(self.contenders)} monitors, {self.stakes.rows:,} rows, best {self.contenders[0].name!r})"
        )

    def _repr_html_(self) -> str:
        return self.table()._repr_html_() + self.ranking.table()._repr_html_()

    def _cells(self, estimate: Estimate | None) -> tuple[Any, Any, Any]:
        return ("undefined", "", "") if estimate is None else (estimate.value, *estimate.interval(self.level))


def compare(
    scores: Mapping[str, ArrayLike],
    stakes: Stakes,
    *,
    cost: float | None = None,
    thresholds: Mapping[str, float] | None = None,
    by: By = "safety gain",
    level: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
    title: str = "Comparison of monitors",
) -> Comparison:
    """What several monitors are worth on the same rows, and which is best.

    Either all keep within the same availability ``cost``, each at the threshold that gains most, or each has its own of
    ``thresholds``. For the ranking units are resampled, all monitors on the same ones; under a ``cost`` the threshold
    is chosen anew in each draw, so that the ranking knows about the choice.
    """
    validate.kind(stakes, Stakes, where=WHERE, name="stakes", example="detect_errors(...)")
    level, seed = validate.level(level, where=WHERE), validate.seed(seed, where=WHERE)
    require_tail(draws, level)
    validate.choice(by, BYS, where=WHERE, name="by")
    _check(scores, cost, thresholds)
    drawer = partial(curve, stakes, level=level, points=SHOWN_POINTS, seed=seed)
    found = [_contender(name, drawer(s, scope=name), cost, thresholds) for name, s in scores.items()]
    values = np.array([_value(contender, by) for contender in found])
    ranking = Ranking(tuple(scores), values, _drawn(found, by, cost, draws=draws, seed=seed), by, level)
    ordered = tuple(found[i] for i in ranking.order.tolist())
    return Comparison(ordered, ranking, stakes, level, cost, title)


def _check(scores: Mapping[str, ArrayLike], cost: float | None, thresholds: Mapping[str, float] | None) -> None:
    if not isinstance(scores, Mapping) or len(scores) < 2 or not all(isinstance(n, str) and n for n in scores):
        remedy = "Give {'name': scores, ...}."
        raise InvalidInput("needs the scores of at least two monitors, by name", where=WHERE, remedy=remedy)
    if (cost is None) == (thresholds is None):
        raise InvalidInput("needs either cost=... or thresholds=...", where=WHERE)
    if thresholds is not None and set(thresholds) != set(scores):
        found = ", ".join(sorted(set(thresholds) ^ set(scores)))
        raise InvalidInput("thresholds must name the same monitors as scores", where=WHERE, found=found)


def _contender(name: str, of: Curve, cost: float | None, thresholds: Mapping[str, float] | None) -> Contender:
    if cost is not None:
        point = of.at_cost(cost)
        threshold, report = point.threshold, point.report
    else:
        assert thresholds is not None
        threshold = float(validate.numbers(thresholds[name], where=WHERE, name=f"threshold of {name!r}", finite=False))
        report = of.at(threshold)
    seen = detection(of.stakes, of.ordered.scores, level=of.level, seed=of.seed, scope=name)
    return Contender(name, threshold, report, of, _defined(seen, "auroc"), _defined(seen, "fpr95"))


def _defined(seen: Detection, figure: str) -> Estimate | None:
    try:
        found: Estimate = getattr(seen, figure)
    except Undefined:
        return None
    return found


def _value(contender: Contender, by: By) -> float:
    estimate = contender.estimates[by]
    if estimate is None:
        raise Undefined(f"{by} does not exist on these rows", where=WHERE, remedy="Rank by safety gain.")
    return estimate.value


def _drawn(found: list[Contender], by: By, cost: float | None, *, draws: int, seed: int) -> FloatArray:
    """Draws x monitors."""
    curves = [contender.curve for contender in found]
    stakes = curves[0].stakes
    if by == "AUROC":
        return _areas(curves, draws=draws, seed=seed)
    if cost is None:
        gains = [stakes.under(c.curve.ordered.scores > c.threshold).gains for c in found]
        sums = np.column_stack([sums_by_unit(gain, stakes) for gain in gains])
        return Resampled(sums, sums_by_unit(np.ones(stakes.rows), stakes), draws, seed).means
    best = [Within.of(curve, cost) for curve in curves]
    return resampled(lambda w: np.stack([each.gains(w) for each in best], axis=1), stakes, draws=draws, seed=seed)


def _areas(curves: list[Curve], *, draws: int, seed: int) -> FloatArray:
    """Areas whose rows' influences are resampled: what DeLong et al. (1988) do for areas on the same rows."""
    stakes = curves[0].stakes
    placed = [Placements.of(Roc(curve.ordered, stakes.hazardous), stakes.weights) for curve in curves]
    units, count = stakes.unit_numbers, stakes.unit_count
    sums = np.column_stack([float(count) * np.bincount(units, each.influence) for each in placed])
    moved = Resampled(sums, np.ones(count), draws, seed).means
    return np.array([each.area for each in placed]) + moved
