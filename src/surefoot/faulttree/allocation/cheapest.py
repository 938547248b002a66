"""The cheapest requirements that meet the target."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.faulttree.allocation.costs import Costs
from surefoot.faulttree.allocation.problem import Problem
from surefoot.faulttree.allocation.rules import by_importance, equal, proportional

MARGIN = 1e-18
"""No cheapest requirement lies further below both the target and today's value."""
FEW, RANDOM_STARTS = 6, 2
ROUNDS, CLOSE, GROWTH = 40, 1e-8, 4.0
TINY = 1e-320
NEAR = 1e-6
"""What ends this close to a limit is put there."""


def cheapest(problem: Problem, costs: Costs) -> FloatArray:
    """Minimise the sum of costs over requirements that keep the top event at its target.

    In logarithms of probabilities the default cost is linear and, for rare events, the logarithm of the top event
    convex (a geometric program; Boyd et al., 2007). Likely events bend it the other way, so there are several starts.
    The answer is never dearer than those of the rules that need one number.
    """
    free = (problem.today > 0) & (problem.low < problem.high)
    if not free.any() or problem.target <= 0:
        return problem.low
    held = problem.within(problem.today)
    search = _Search(problem.only(free, held), costs.only(free))
    found = [held.copy() for _ in search.starts]
    for x, start in zip(found, search.starts, strict=True):
        x[free] = search.minimum_from(start)
    return min([*found, *_by_rule(problem)], key=costs.total)


def _by_rule(problem: Problem) -> list[FloatArray]:
    return [rule(problem) for rule in (equal, proportional, by_importance)]


@dataclass(frozen=True, eq=False)
class _Search:
    """The problem in logarithms, of events that can move."""

    problem: Problem
    costs: Costs

    @cached_property
    def low(self) -> FloatArray:
        least = np.minimum(self.problem.target, self.problem.today) * MARGIN
        return np.log(np.maximum(self.problem.low, least))

    @cached_property
    def high(self) -> FloatArray:
        return np.log(self.problem.high)

    @cached_property
    def starts(self) -> list[FloatArray]:
        """The rules; of few events also each one doing all it can before the others, and some mixtures."""
        found, count = _by_rule(self.problem), len(self.problem.chosen)
        if count <= FEW:
            rng = np.random.default_rng(0)
            found += [self._alone(np.arange(count) == index) for index in range(count)]
            found += [self.problem.loosest(-rng.exponential(3.0, count)) for _ in range(RANDOM_STARTS)]
        inside = np.unique(np.round([np.log(np.maximum(x, np.exp(self.low))) for x in found], 6), axis=0)
        starts = [np.clip(y, self.low, self.high) for y in inside]
        return [y for y in starts if np.isfinite(self.costs.total(np.exp(y)))]

    def minimum_from(self, y: FloatArray) -> FloatArray:
        """A local minimum, moved onto the target.

        By the method of multipliers (Hestenes 1969, Powell 1969); each round is a minimum between limits by L-BFGS-B
        (Byrd et al., 1995) with exact gradients.
        """
        from scipy.optimize import minimize

        multiplier, weight, last = 1.0, 10.0, np.inf
        unit = float(np.abs(self.costs.slope(y, self.low, self.high)).sum()) or 1.0
        limits = list(zip(self.low.tolist(), self.high.tolist(), strict=True))
        for _ in range(ROUNDS):
            found = minimize(
                self._lagrangian,
                y,
                args=(multiplier, weight, unit),
                jac=True,
                bounds=limits,
                method="L-BFGS-B",
                options={"maxiter": 500, "maxcor": 20, "ftol": 1e-15, "gtol": 1e-9},
            )
            y = np.clip(found.x, self.low, self.high)
            excess = self._excess(self.problem.top(np.exp(y)))
            multiplier = max(multiplier + weight * excess, 0.0)
            if abs(excess) < CLOSE:
                break
            weight *= GROWTH if abs(excess) > last / GROWTH else 1.0
            last = abs(excess)
        inner = (y > self.low + NEAR) & (y < self.high - NEAR)
        return self.problem.loosest(np.where(inner, y, np.where(y < self.high - NEAR, -np.inf, np.inf)))

    def _lagrangian(self, y: FloatArray, multiplier: float, weight: float, unit: float) -> tuple[float, FloatArray]:
        x = np.exp(y)
        top = max(float(self.problem.top(x)), TINY)
        excess, share = self._excess(top), x * self.problem.slope(x) / top
        value = self.costs.total(x) / unit + multiplier * excess + weight / 2 * excess**2
        return value, self.costs.slope(y, self.low, self.high) / unit + (multiplier + weight * excess) * share

    def _excess(self, top: float | FloatArray) -> float:
        """By how much the logarithm of the top event is above that of the target."""
        return float(np.log(max(float(top), TINY) / self.problem.target))

    def _alone(self, this: NDArray[np.bool_]) -> FloatArray:
        suffices = self.problem.top(np.where(this, self.problem.low, self.problem.high)) <= self.problem.target
        return self.problem.loosest(np.where(this, 0.0, np.inf) if suffices else np.where(this, -np.inf, 0.0))
