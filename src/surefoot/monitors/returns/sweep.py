"""``Sweep``: gain, hazard and cost of each unit at each of many thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.returns.stakes import Stakes

WHERE = "sweep"


@dataclass(frozen=True, eq=False, repr=False)
class Sweep:
    """What each unit (a row) is worth at each threshold (a column): thresholds rise, so alarms become fewer.

    Units are exchangeable: an input, or an episode with all its frames, never one frame of it.
    """

    thresholds: FloatArray
    gains: FloatArray
    residuals: FloatArray
    costs: FloatArray
    unit: str = "input"
    safety_width: float = 1.0
    """The largest residual hazard a unit can have."""
    mission_width: float = 1.0
    name: str = ""

    def __post_init__(self) -> None:
        thresholds = validate.numbers(self.thresholds, where=WHERE, name="thresholds", finite=False)
        if thresholds.ndim != 1 or not thresholds.size or (np.diff(thresholds) <= 0).any():
            raise InvalidInput("thresholds must rise", where=WHERE, found=f"shape {thresholds.shape}")
        object.__setattr__(self, "thresholds", thresholds)
        for name in ("gains", "residuals", "costs"):
            values = validate.numbers(getattr(self, name), where=WHERE, name=name)
            if values.ndim != 2 or values.shape[1] != thresholds.size or not len(values):
                found = f"shape {values.shape} for {thresholds.size} thresholds"
                raise InvalidInput(f"{name} must be units x thresholds", where=WHERE, found=found)
            object.__setattr__(self, name, values)
        validate.same_length(WHERE, gains=self.gains, residuals=self.residuals, costs=self.costs)

    @classmethod
    def of(cls, stakes: Stakes, scores: ArrayLike, thresholds: ArrayLike) -> Self:
        """What a monitor with these scores is worth: the mean over the rows of each unit, at each threshold."""
        values = exchangeable_scores(stakes, scores, where=WHERE)
        levels = validate.numbers(thresholds, where=WHERE, name="thresholds", finite=False)
        said = values[:, None] > levels
        gains, residuals, costs = (
            stakes.unit_means(np.where(said, alarm[:, None], quiet[:, None]))
            for alarm, quiet in (stakes.gains, stakes.residuals, stakes.costs)
        )
        return cls(levels, gains, residuals, costs, stakes.unit, stakes.safety_width, stakes.mission_width, stakes.name)

    def __repr__(self) -> str:
        return f"Sweep({self.units:,} units, {self.thresholds.size:,} thresholds)"

    @property
    def units(self) -> int:
        """How many units there are."""
        return len(self.gains)


def exchangeable_scores(stakes: Stakes, scores: ArrayLike, *, where: str) -> FloatArray:
    """Finite scores, one a row, of rows that weigh the same."""
    values = validate.vector(scores, where=where, name="scores")
    validate.same_length(where, scores=values, stakes=stakes.safety_quiet)
    if stakes.weights is not None:
        remedy = "Draw rows from operation instead of weighting them."
        raise InvalidInput("rows with weights are not exchangeable", where=where, remedy=remedy)
    return values
