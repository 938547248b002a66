"""How a target is shared out among events: alike, in proportion, by importance, or at the least cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from surefoot.core import validate
from surefoot.core.errors import InvalidInput
from surefoot.core.validate import FloatArray

if TYPE_CHECKING:
    from surefoot.faulttree.logic.decision_diagram import Compiled


# Rules that need one number, which all chosen events have in common.


def equal(problem: Problem) -> FloatArray:
    """The same probability for every event, except where a limit of its own is stricter."""
    return problem.loosest(np.zeros(len(problem.chosen)))


def proportional(problem: Problem) -> FloatArray:
    """Today's values times one factor.

    For rare events in series this is the apportionment of ARINC (MIL-HDBK-338B, section 6.3.3).
    """
    return problem.loosest(_log(problem.today))


def by_importance(problem: Problem) -> FloatArray:
    """The factor by which an event must improve is in proportion to its criticality importance.

    With the Birnbaum importance ``B`` of today the requirement is ``k / B``, so that ``B`` times the requirement,
    what an event adds to the top event, is the same for all: the apportionment of AGREE (1957; MIL-HDBK-338B,
    section 6.3.4), with ``B`` for the probability that the system fails if the unit does. Events of no importance
    today are asked only where the others do not suffice, by their importance once the others are at their lowest.
    """
    shape = np.full(len(problem.chosen), np.inf)
    at = problem.today
    while True:
        asked = np.isinf(shape) & (shape > 0)
        slope = problem.slope(at)
        if not (slope[asked] > 0).any():
            slope = np.ones_like(slope)
        shape = np.where(asked, -_log(slope), shape)
        done = np.isfinite(shape)
        at = np.where(done | (shape < 0), problem.low, problem.high)
        if done.all() or problem.top(at) <= problem.target:
            return problem.loosest(shape)
        shape = np.where(done, -np.inf, shape)
        if not (shape > 0).any():
            return problem.low


def _log(values: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.log(values)


# The cheapest requirements.

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


# What it costs to bring an event to a smaller probability.

CostOf = Callable[[float], float]
"""The cost of an event as a function of its probability; it falls as the probability rises."""
STEP = 1e-5


@dataclass(frozen=True, eq=False)
class Costs:
    """One cost an event: a number for each factor of ten below today's value, or a function of the probability."""

    today: FloatArray
    per_ten: FloatArray
    functions: Mapping[int, CostOf]

    @classmethod
    def read(cls, given: Mapping[str, float | CostOf] | None, names: Sequence[str], today: FloatArray) -> Costs:
        """Costs as the caller gave them; 1 for every event where none are given."""
        if given is None:
            return cls(today, np.ones(len(names)), {})
        missing, unknown = [n for n in names if n not in given], [n for n in given if n not in names]
        if missing or unknown:
            raise InvalidInput(
                "costs must be given for exactly the chosen events",
                where="allocate",
                found=f"missing {', '.join(missing) or 'none'}; not chosen {', '.join(unknown) or 'none'}",
            )
        functions = {i: cost for i, n in enumerate(names) if callable(cost := given[n])}
        numbers = [1.0 if i in functions else _positive(given[n], n) for i, n in enumerate(names)]
        return cls(today, np.array(numbers), functions)

    def each(self, x: FloatArray) -> FloatArray:
        """The cost of every event at the probabilities ``x``."""
        with np.errstate(divide="ignore", invalid="ignore"):
            costs = np.where(x == self.today, 0.0, self.per_ten * np.log10(self.today / x))
        for index, function in self.functions.items():
            costs[index] = _value(function, float(x[index]))
        return costs

    def total(self, x: FloatArray) -> float:
        """The cost of all."""
        return float(self.each(x).sum())

    def slope(self, logs: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
        """Derivatives in the logarithms of the probabilities; of functions by differences inside the limits."""
        slope = -self.per_ten / np.log(10)
        for index, function in self.functions.items():
            down, up = (float(np.clip(logs[index] + d, low[index], high[index])) for d in (-STEP, STEP))
            slope[index] = (_value(function, np.exp(up)) - _value(function, np.exp(down))) / (up - down)
        return slope

    def only(self, kept: NDArray[np.bool_]) -> Costs:
        """Those of some events."""
        places = np.flatnonzero(kept).tolist()
        functions = {new: self.functions[old] for new, old in enumerate(places) if old in self.functions}
        return Costs(self.today[kept], self.per_ten[kept], functions)


def _value(function: CostOf, probability: float) -> float:
    """What a function says; a cost beyond all numbers is infinite."""
    try:
        with np.errstate(over="ignore"):
            value = float(function(float(probability)))
    except OverflowError:
        return np.inf
    if np.isnan(value) or value == -np.inf:
        raise InvalidInput("a cost must be a number", where="allocate", found=f"{value} at {probability:g}")
    return value


def _positive(value: object, name: str) -> float:
    return validate.positive(value, where="allocate", name=f"cost of {name!r}")  # type: ignore[arg-type]


# What an allocation asks: chosen events between two limits, the others held, a top-event target.

STEPS = 17
PASSES = 20
SMALLEST = -700.0
"""Logarithm of what is as good as 0: the smallest number is about exp(-745)."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Find probabilities of the chosen columns, from ``low`` to ``high``, with the top event at most at ``target``.

    ``base`` has every event where it is held, the chosen ones at today's value (1 where it is not known). The top
    event rises with every chosen event.
    """

    compiled: Compiled
    base: FloatArray
    chosen: NDArray[np.int64]
    low: FloatArray
    high: FloatArray
    target: float

    @property
    def today(self) -> FloatArray:
        """The chosen events as they are."""
        return self.base[self.chosen]

    def top(self, x: FloatArray) -> FloatArray:
        """Exact probability of the top event; ``x`` holds one value a chosen event, or columns of them."""
        return np.asarray(self.compiled.probability(self._whole(x)))

    def slope(self, x: FloatArray) -> FloatArray:
        """Its derivatives in the chosen events, none below 0."""
        return np.maximum(np.asarray(self.compiled.gradient(self._whole(x)))[self.chosen], 0.0)

    def within(self, x: FloatArray) -> FloatArray:
        """Cut to what is allowed."""
        return np.clip(x.T, self.low, self.high).T

    def only(self, kept: NDArray[np.bool_], x: FloatArray) -> Problem:
        """The same for some of the chosen events, the others held at ``x``."""
        return replace(self, base=self._whole(x), chosen=self.chosen[kept], low=self.low[kept], high=self.high[kept])

    def loosest(self, shape: FloatArray) -> FloatArray:
        """The largest multiple of ``exp(shape)``, cut to what is allowed, that meets the target.

        The top event rises with the multiple, whose logarithm is enclosed ever more narrowly, on a grid that is
        evaluated at once; the answer lies on the safe side. Minus and plus infinity keep an event at ``low`` or
        ``high``.
        """
        finite = shape[np.isfinite(shape)]
        start, end = (SMALLEST - finite.max(), -finite.min()) if finite.size else (0.0, 0.0)
        for _ in range(PASSES):
            grid = np.linspace(start, end, STEPS)
            met = np.flatnonzero(self.top(self._scaled(shape, grid)) <= self.target)
            if not met.size:
                return self.low
            start, end = grid[met[-1]], grid[min(met[-1] + 1, STEPS - 1)]
            if end - start <= np.spacing(abs(start)):
                break
        return self._scaled(shape, np.array([start]))[:, 0]

    def _scaled(self, shape: FloatArray, logs: FloatArray) -> FloatArray:
        return self.within(np.exp(np.minimum(shape[:, None] + logs, 0.0)))

    def _whole(self, x: FloatArray) -> FloatArray:
        whole = np.repeat(self.base[:, None], x.shape[1], axis=1) if x.ndim == 2 else self.base.copy()
        whole[self.chosen] = x
        return whole
