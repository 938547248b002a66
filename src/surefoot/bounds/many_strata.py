"""Limits of a risk over more than three strata: by sharing alpha, or by a budget for all failures together.

A trial of stratum i stands for w_i / n_i of operation, and for c_i relative to the largest. The weighted count
T = sum(c_i X_i) is less spread, in convex order, than a binomial count B of all N trials with the same mean:
c Bernoulli(q) is less spread than Bernoulli(c q), and unequal probabilities less than equal ones (Hoeffding 1956,
Annals 27(3)). So

    P(T <= t) <= E(a - B)+ / (a - t)    for each a > t

(Bentkus 2004, Annals of Probability 32(2)), which limits the mean of T and with it the risk, the mean times the largest
w / n. Where all c are 1, P(B <= t) itself is the bound (Hoeffding 1956, Theorem 4, for t at most the mean less 1).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.bounds.inversion import masses_between, shared_limits
from surefoot.core import Side
from surefoot.core.validate import FloatArray

LARGEST = 20_000
"""Trials of a stratum up to which it is worked out how seldom sharing alpha misses."""

_ROUNDING = 1e-9
_KNOTS, _HALVINGS = 96, 60
_RATIO, _RUNGS = 1.3, 200
_PARTS_OF_RUNG = (1.0, 0.7, 0.5)
_REACH, _TAIL = 6.0, 60


def shared_or_budget(failures: FloatArray, trials: FloatArray, shares: FloatArray, side: Side, alpha: float) -> float:
    """A limit that is missed with probability ``alpha`` at most.

    An upper one is the smaller of the limit by sharing alpha, which misses with probability ``sharing_misses`` at most,
    and of the limit by the budget, which gets the rest of alpha. Sharing counts where no stratum failed in more than
    half of its trials. A lower limit is the budget's, and so is an upper one after more than ``LARGEST`` trials.
    """
    if side == "lower" or trials.max() > LARGEST:
        return budget_limit(failures, trials, shares, side, alpha)
    missed = sharing_misses(tuple(trials.tolist()), tuple(shares.tolist()), alpha)
    budget = budget_limit(failures, trials, shares, side, alpha - missed) if missed < alpha else 1.0
    if (failures > trials / 2).any():
        return budget
    return min(budget, float(shares @ shared_limits(failures, trials, alpha / trials.size)))


def budget_limit(failures: FloatArray, trials: FloatArray, shares: FloatArray, side: Side, alpha: float) -> float:
    """The limit by a budget for the weighted count of failures."""
    sizes = shares / trials
    whole = bool(np.ptp(sizes) <= 1e-12 * sizes.max())
    total = float(failures.sum() if whole else failures @ (sizes / sizes.max()))
    limit = _highest_mean if side == "upper" else _lowest_mean
    return min(float(sizes.max()) * limit(total, int(trials.sum()), alpha, whole), 1.0)


def _highest_mean(total: float, trials: int, alpha: float, whole: bool) -> float:
    if total + 1 > trials:
        return float(trials)
    if whole:
        exact = trials * float(special.betainccinv(total + 1, trials - total, alpha))
        if exact >= total + 1:
            return exact
    knots = np.floor(total) + _spread(total, alpha)
    knots = knots[knots <= trials]

    def chance(p: float) -> float:
        """Smallest E(a - B)+ / (a - t), with E(a - B)+ = a P(B < a) - E B P(B' < a - 1), B' of one trial less."""
        fewer = np.where(knots > 1, special.bdtr(np.maximum(knots - 2, 0), trials - 1, p), 0.0)
        short = knots * special.bdtr(knots - 1, trials, p) - trials * p * fewer
        return float((short / (knots - total)).min())

    return trials * _refuted(chance, total / trials, 1.0, alpha)


def _lowest_mean(total: float, trials: int, alpha: float, whole: bool) -> float:
    if total <= 0:
        return 0.0
    if whole:
        exact = trials * float(special.betaincinv(total, trials - total + 1, alpha))
        if exact <= total - 1:
            return exact
    knots = np.ceil(total) - _spread(total, alpha)
    knots = knots[knots >= 0]

    def chance(p: float) -> float:
        """Smallest E(B - a)+ / (t - a)."""
        more = np.where(knots > 0, special.bdtrc(np.maximum(knots - 1, 0), trials - 1, p), 1.0)
        over = trials * p * more - knots * special.bdtrc(knots, trials, p)
        return float((over / (total - knots)).min())

    return trials * _refuted(chance, total / trials, 0.0, alpha)


def _spread(total: float, alpha: float) -> FloatArray:
    """Distances 1, 2, ... that reach beyond the best one, ever sparser."""
    reach = 8 + 4 * math.sqrt((total + 1) * -math.log(alpha)) - 4 * math.log(alpha)
    return np.unique(np.round(np.geomspace(1, reach, _KNOTS)))


def _refuted(chance: Callable[[float], float], stands: float, refuted: float, alpha: float) -> float:
    """Where the chance falls to alpha, from the side on which it is below."""
    for _ in range(_HALVINGS):
        middle = (stands + refuted) / 2
        low = chance(middle) * (1 + _ROUNDING) <= alpha
        stands, refuted = (stands, middle) if low else (middle, refuted)
    return refuted


@lru_cache(maxsize=256)
def sharing_misses(trials: tuple[float, ...], shares: tuple[float, ...], alpha: float) -> float:
    """A bound, whatever p is, of how often S = sum(w_i u_i) is below sum(w_i p_i), with u the limits that share alpha.

    S counts as infinite where a stratum failed in more than half of its trials. For any l and any two strata d and e,

        P(S < h) <= E min(1, exp(l w_d (p_d - u_d)) M_e(l) prod M_i(l)),    M_i(l) = E exp(l w_i (p_i - u_i)).

    Take the largest l of a falling ladder at which M_i(l) <= 1 for all strata but one, d; then M_i <= 1 below it as
    well, because log M_i is convex and at most 0 at l = 0. On the rung above there was a second one, e, which leaves
    few p_e to maximise M_e over, and d was above 1 too. On the highest rung M_e <= 1 is used, and that S cannot miss
    where each p_i is below the limit of no failure. So only functions of one p are maximised, in cells: with the far
    end in the exponent and the near end in the law of the count, which makes them larger.
    """
    each = alpha / len(trials)
    strata = [_Cells.of(n, w, each) for n, w in sorted(set(zip(trials, shares, strict=True)))]
    above = [np.ones(s.far.size, bool) for s in strata]
    rung, worst, highest = max(20 * n / w for n, w in zip(trials, shares, strict=True)), 0.0, True
    for _ in range(_RUNGS):
        steps = [rung * part for part in _PARTS_OF_RUNG]
        tables = [[s.exponentials(step) for step in steps] for s in strata]
        now = [s.mean(table[0]) > 1 for s, table in zip(strata, tables, strict=True)]
        fresh = [was & ~still for was, still in zip(above, now, strict=True)]
        second = [1.0] * len(steps)
        if not highest:
            found = [
                [s.mean(t[f], f).max() for t in table]
                for s, table, f in zip(strata, tables, fresh, strict=True)
                if f.any()
            ]
            second = np.max(found, axis=0).tolist() if found else []
        if second:
            parts = (s.largest(t, second, was) for s, t, was in zip(strata, tables, above, strict=True))
            worst = max(worst, *parts)
        if not any(still.any() for still in now):
            return min(worst * (1 + _ROUNDING), alpha)
        above, highest, rung = now, False, rung / _RATIO
    return alpha


@dataclass(frozen=True, eq=False)
class _Cells:
    """Cells of one p, narrow against the spread of its count, and the law of the count at the near end of each."""

    far: FloatArray
    share: float
    masses: FloatArray
    limits: FloatArray
    none: float
    """The limit of no failure."""

    @classmethod
    def of(cls, n: float, share: float, alpha: float) -> _Cells:
        part = 0.05 if n <= 1000 else 0.1
        edges = np.sin(np.linspace(0, math.pi / 2, math.ceil(math.pi * math.sqrt(n) / part) + 1)) ** 2
        near, far = edges[:-1, None], edges[1:]
        tail = -np.geomspace(math.sqrt(n) + _REACH, _REACH, _TAIL)[:-1]
        offsets = np.concatenate([tail, np.arange(-_REACH, _REACH, part)])
        cuts = np.clip(np.round(n * near + offsets * np.sqrt(n * near * (1 - near) + 1)), -1, n)
        cuts = np.pad(np.maximum.accumulate(cuts, axis=1), ((0, 0), (1, 1)), constant_values=(-1, n))
        first = np.minimum(cuts[:, :-1] + 1, n)
        counts, where = np.unique(first, return_inverse=True)
        limits = np.where(counts > n / 2, np.inf, shared_limits(counts, n, alpha))[where.reshape(first.shape)]
        none = float(shared_limits(np.zeros(1), n, alpha)[0])
        # No mass is quite 0, so that an exponential too large for a float leaves no finite expectation.
        return cls(far, share, np.maximum(masses_between(cuts, n, near), 5e-324), limits, none)

    def exponentials(self, step: float) -> FloatArray:
        """Of step times share times (p - u), for each cell and block of counts."""
        with np.errstate(over="ignore"):
            return np.exp(step * self.share * (self.far[:, None] - self.limits))

    def mean(self, values: FloatArray, cells: NDArray[np.bool_] | slice = slice(None)) -> FloatArray:
        """Expectation in each cell."""
        return np.asarray((self.masses[cells] * values).sum(axis=1))

    def largest(self, tables: list[FloatArray], factors: list[float], cells: NDArray[np.bool_]) -> float:
        """Largest expectation of min(1, factor * exponential), by the best table for each cell."""
        chosen = cells & (self.far >= self.none)
        if not chosen.any():
            return 0.0
        means = [self.mean(np.minimum(f * t[chosen], 1.0), chosen) for f, t in zip(factors, tables, strict=True)]
        return float(np.min(means, axis=0).max())
