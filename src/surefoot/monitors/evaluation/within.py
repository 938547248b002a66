"""The largest gain within an availability budget, on many resamples: the threshold is chosen anew in each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.monitors.evaluation.operating_curve import SLACK, Curve

BEYOND = 1.5
"""Budgets up to which rows are looked at first."""


@dataclass(frozen=True, eq=False)
class Within:
    """Rows by falling score with what an alarm gains and costs there, and a budget."""

    order: NDArray[np.int64]
    ends: NDArray[np.int64]
    row_gains: FloatArray
    row_costs: FloatArray
    budget: float
    reach: int
    """After so many rows nearly every resample has spent its budget."""

    @classmethod
    def of(cls, curve: Curve, cost: float) -> Within:
        """Of a monitor's curve."""
        order, ends = curve.ordered.order, curve.ordered.ends
        gains, costs = curve.stakes.gains.alarm[order], curve.stakes.costs.alarm[order]
        budget = cost + SLACK * curve.stakes.mission_width
        return cls(order, ends, gains, costs, budget, _reach(curve, cost, costs))

    def gains(self, weights: FloatArray) -> FloatArray:
        """The largest gain of each draw, with no alarm at all among the choices."""
        whole = weights.sum(axis=1)
        best, spent = self._best(weights, whole, self.reach)
        open_ = ~spent if self.reach < self.order.size else np.zeros(len(weights), dtype=bool)
        if open_.any():
            best[open_] = self._best(weights[open_], whole[open_], self.order.size)[0]
        return best

    def _best(self, weights: FloatArray, whole: FloatArray, reach: int) -> tuple[FloatArray, NDArray[np.bool_]]:
        """The best gain among the first rows, and whether the budget is spent at the last of them."""
        heavy, ends = weights[:, self.order[:reach]], self.ends[self.ends < reach]
        costs = np.cumsum(heavy * self.row_costs[:reach], axis=1)[:, ends] / whole[:, None]
        gains = np.cumsum(heavy * self.row_gains[:reach], axis=1)[:, ends] / whole[:, None]
        never = 0.0 if self.budget >= 0 else -np.inf
        best = np.max(np.where(costs <= self.budget, gains, -np.inf), axis=1, initial=never)
        return best, costs[:, -1] > self.budget


def _reach(curve: Curve, cost: float, costs: FloatArray) -> int:
    """How many rows to look at first: all where costs can fall again, else those that spend more than the budget."""
    rows, spent = curve.stakes.rows, np.flatnonzero(curve.availability_cost > BEYOND * cost)
    if (costs < 0).any() or not spent.size:
        return rows
    return int(curve.ordered.alarms[spent[-1]])
