"""``Contender``: one of several monitors on the same rows, and what resampling says of all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from surefoot.core import Estimate, Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.evaluation.bootstrap import Resampled
from surefoot.monitors.evaluation.detection import Detection, detection
from surefoot.monitors.evaluation.levels import draws_for
from surefoot.monitors.evaluation.operating_curve import Curve
from surefoot.monitors.evaluation.report import MonitorReport
from surefoot.monitors.evaluation.resampling import resampled
from surefoot.monitors.evaluation.roc import Placements, Roc
from surefoot.monitors.evaluation.within import Within

WHERE = "compare"
By = Literal["safety gain", "AUROC"]
BYS: tuple[By, ...] = ("safety gain", "AUROC")


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

    def value(self, by: By) -> float:
        """The figure that ranks it."""
        estimate = self.estimates[by]
        if estimate is None:
            raise Undefined(f"{by} does not exist on these rows", where=WHERE, remedy="Rank by safety gain.")
        return estimate.value


def contender(name: str, of: Curve, cost: float | None, thresholds: Mapping[str, float] | None) -> Contender:
    """A monitor at the threshold that gains most within a cost, or at its own."""
    if cost is not None:
        point = of.at_cost(cost)
        threshold, report = point.threshold, point.report
    else:
        assert thresholds is not None
        threshold = validate.number(thresholds[name], where=WHERE, name=f"threshold of {name!r}", finite=False)
        report = of.at(threshold)
    seen = detection(
        of.stakes, of.ordered.scores, level=of.level, draws=draws_for(of.level, 1000), seed=of.seed, scope=name
    )
    return Contender(name, threshold, report, of, _defined(seen, "auroc"), _defined(seen, "fpr95"))


def _defined(seen: Detection, figure: str) -> Estimate | None:
    try:
        found: Estimate = getattr(seen, figure)
    except Undefined:
        return None
    return found


def drawn_values(found: Sequence[Contender], by: By, cost: float | None, *, draws: int, seed: int) -> FloatArray:
    """What ranks them on resampled units, the same for all: draws x monitors."""
    curves = [contender.curve for contender in found]
    stakes = curves[0].stakes
    if by == "AUROC":
        return _areas(curves, draws=draws, seed=seed)
    if cost is None:
        gains = [stakes.under(c.curve.ordered.scores > c.threshold).gains for c in found]
        sums = np.column_stack([stakes.unit_sums(gain) for gain in gains])
        return Resampled(sums, stakes.unit_sums(np.ones(stakes.rows)), draws, seed).means
    best = [Within.of(curve, cost) for curve in curves]
    return resampled(lambda w: np.stack([each.gains(w) for each in best], axis=1), stakes, draws=draws, seed=seed)


def _areas(curves: list[Curve], *, draws: int, seed: int) -> FloatArray:
    """Areas whose rows' influences are resampled: what DeLong et al. (1988) do for areas on the same rows."""
    stakes = curves[0].stakes
    placed = [Placements.of(Roc(curve.ordered, stakes.hazardous), stakes.row_weights) for curve in curves]
    units, count = stakes.unit_numbers, stakes.unit_count
    sums = np.column_stack([float(count) * np.bincount(units, each.influence) for each in placed])
    moved = Resampled(sums, np.ones(count), draws, seed).means
    return np.array([each.area for each in placed]) + moved
