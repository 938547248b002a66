"""Limits of a risk over strata that were tested apart: by inversion for two or three, by a budget for more.

Buehler (1957), JASA 52; Lloyd and Kabaila (2003), Aust. N. Z. J. Stat. 45(1). Outcomes x are put in order by
S(x) = h(u(x)), with u the Clopper-Pearson limits that share alpha equally, and the limit is

    U(x) = sup{h(p) : P_p(S(X) <= S(x)) > alpha}.

If h(p) > U(X), then P_p(S(X) <= s) <= alpha at the observed s, which happens with probability alpha at most. Where
h(p) > S(x), one of the limits u is missed whenever S(X) <= S(x), so that U(x) <= S(x): never above sharing alpha.

The supremum is bounded from above on a grid: the probability F falls with every p and h grows, so that inside a box h
is at most its value at the far corner, and nothing stands where F at the near corner does not. Boxes that may hold the
supremum are cut again until the gap is small.

``core.exact_inversion`` inverts the same order for estimates that are combined. It is another computation: it also
takes counts in an exposure, maps behind the counts and lower limits, of a function that may rise without bound, and so
cuts probabilities geometrically towards 0 and stops at a gap relative to the limit. Here every probability lies in
[0, 1], the risk is never above 1 and counts run to millions, so that boxes are cut evenly, counts are taken in blocks
and the gap is relative to the distance from what was observed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.core import Side
from surefoot.core.validate import FloatArray

Risk = Callable[[Sequence[FloatArray]], FloatArray]
"""A function of several failure probabilities that falls in none of them; arrays broadcast."""

Box = tuple[tuple[float, float], ...]

MOST = 3
"""Probabilities; with more of them the grid would be too large."""

GAP = 0.004
"""Share of the distance between limit and observed risk to which the supremum is enclosed where that is cheap."""

ROUNDING = 1e-10
_ROUNDS = 16
_SHRUNK = 0.5
_SIZES = 3
_PARTS = {1: ((64, 256), (256, 512)), 2: ((24, 128), (80, 256))}
_BLOCKS = {1: 256, 2: 72}
_TABLE = 2**12
_CHUNK = 2**22


def shared_limits(failures: FloatArray, trials: FloatArray | float, alpha: float) -> FloatArray:
    """Clopper and Pearson's upper limits, each missed with probability ``alpha``; 1 where nothing passed."""
    inside = failures < trials
    passed = np.where(inside, trials - failures, 1.0)
    return np.where(inside, special.betainccinv(failures + 1, passed, alpha), 1.0)


def smallest_limit(
    risk: Risk,
    failures: Sequence[int],
    trials: Sequence[int],
    alpha: float,
    *,
    within: Box | None = None,
    against: float | None = None,
) -> float:
    """Upper limit of ``risk`` that is missed with probability ``alpha`` at most, for two or three probabilities.

    ``within`` are ranges in which the probabilities are known to lie. With ``against``, any number on the same side of
    it as the limit is answered, which takes less work.

    Zero trials tell nothing of their probability. The answer is above the exact limit by less than 1% of its distance
    from the observed risk, or by a few percent for three probabilities with hundreds of failures.
    """
    order = _Order.of(risk, failures, trials, alpha, within)
    box, upper, floor, size = order.whole(), 1.0, 0.0, 0
    for _ in range(_ROUNDS):
        found = order.enclose(box, order.parts(box, size))
        upper, floor = min(upper, max(found.upper, floor)), max(found.lower, floor)
        if upper - floor <= GAP * (upper - order.observed) or (against is not None and not floor <= against < upper):
            break
        size = 0 if _volume(found.box) < _SHRUNK * _volume(box) else size + 1
        if size == _SIZES:
            break
        box = found.box
    return min(upper, order.shared)


@dataclass(frozen=True, eq=False)
class _Enclosed:
    """Bounds of the supremum inside a box, and the smaller box outside of which nothing exceeds ``lower``."""

    upper: float
    lower: float
    box: Box


@dataclass(frozen=True, eq=False)
class _Order:
    """Outcomes in their order; the probability whose counts spread most comes last, and its counts need no list."""

    risk: Risk
    failures: FloatArray
    trials: FloatArray
    alpha: float
    within: Box

    @classmethod
    def of(cls, risk: Risk, failures: Sequence[int], trials: Sequence[int], alpha: float, within: Box | None) -> _Order:
        ranges = ((0.0, 1.0),) * len(trials) if within is None else within
        given = cls(risk, np.array(failures, float), np.array(trials, float), alpha, ranges)
        places = np.argsort(given.tops, kind="stable")
        back = np.argsort(places)
        ordered = given.failures[places], given.trials[places], alpha, tuple(ranges[place] for place in places)
        return cls(lambda p: risk([p[place] for place in back]), *ordered)

    @property
    def outer(self) -> int:
        """Probabilities whose counts are listed."""
        return self.trials.size - 1

    @property
    def observed(self) -> float:
        """The observed risk; where nothing was tested, everything fails."""
        shares = np.where(self.trials > 0, self.failures / np.maximum(self.trials, 1), 1.0)
        return float(self.risk(list(shares)))

    @cached_property
    def shared(self) -> float:
        """The limit by sharing alpha, which orders the outcomes."""
        return float(self.risk(list(shared_limits(self.failures, self.trials, self._each))))

    @cached_property
    def tops(self) -> FloatArray:
        """The most failures of each that an outcome may have which is not above the observed one."""
        zero = [np.array([u]) for u in shared_limits(np.zeros(self.trials.size), self.trials, self._each)]
        return np.array([self._most(place, zero)[0] for place in range(self.trials.size)])

    @property
    def _each(self) -> float:
        return self.alpha / self.trials.size

    def whole(self) -> Box:
        """Where everything that stands must lie."""
        highest = shared_limits(self.tops, self.trials, self.alpha * (1 - ROUNDING))
        return tuple((low, min(high, float(top))) for (low, high), top in zip(self.within, highest, strict=True))

    def enclose(self, box: Box, parts: tuple[int, int]) -> _Enclosed:
        """Cut a box into ``parts[0]`` parts for each outer probability and ``parts[1]`` for the last."""
        edges = [np.linspace(*side, parts[0] + 1) for side in box[:-1]]
        inner = np.linspace(*box[-1], parts[1] + 1)
        blocks = [self._blocks(place, box[place]) for place in range(self.outer)]
        masses = [
            masses_between(np.append(-1, last), n, edge[:-1, None])
            for (_, last), n, edge in zip(blocks, self.trials[:-1], edges, strict=True)
        ]
        standing = self._standing([block[0] for block in blocks], masses, inner)
        exact = all((first == last)[:-1].all() for first, last in blocks)
        surely = standing if exact else self._standing([block[1] for block in blocks], masses, inner)
        near, far = (np.meshgrid(*(e[part] for e in edges), indexing="ij") for part in (slice(-1), slice(1, None)))
        upper = np.where(standing > 0, self.risk([*far, inner[np.minimum(standing, inner.size - 1)]]), -np.inf)
        lower = np.where(surely > 0, self.risk([*near, inner[np.maximum(surely - 1, 0)]]), -np.inf)
        best = float(lower.max())
        kept = upper > best
        if not kept.any():
            return _Enclosed(float(upper.max()), best, box)
        sides = [(float(n[kept].min()), float(f[kept].max())) for n, f in zip(near, far, strict=True)]
        first = _last_index(
            lambda i: self.risk([*(f[kept] for f in far), inner[i]]) <= best, (int(kept.sum()),), inner.size
        )
        last = inner[np.minimum(standing[kept], inner.size - 1)]
        sides.append((float(inner[max(first.min(), 0)]), float(last.max())))
        return _Enclosed(float(upper.max()), best, tuple(sides))

    def parts(self, box: Box, size: int) -> tuple[int, int]:
        """How finely to cut: more for a larger ``size``, and at last as finely as is worth its cost."""
        if size < _SIZES - 1:
            return _PARTS[self.outer][size]
        blocks = max(self._blocks(place, box[place])[0].size for place in range(self.outer))
        if self.outer == 1:
            return (parts := int(np.clip(2e5 / blocks, 512, 2048))), parts
        return int(np.clip(np.sqrt(3e6 / blocks), 64, 400)), 640

    def _blocks(self, place: int, side: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
        """First and last count of each block; single counts where these are likely for a probability in ``side``."""
        n, reach = self.trials[place], np.sqrt(-2 * np.log(self.alpha)) + 5
        low, high = (n * p + sign * reach * np.sqrt(n * p * (1 - p) + 9) for p, sign in zip(side, (-1, 1), strict=True))
        high = min(high, self.tops[place])
        near, far = (float(np.arcsin(np.sqrt(max(count, 0) / max(n, 1)))) for count in (min(low, high), high))
        # Evenly spaced angles make blocks as wide as counts scatter.
        first = np.unique(np.append(0, np.round(n * np.sin(np.linspace(near, far, _BLOCKS[self.outer])) ** 2)))
        return first, np.append(first[1:] - 1, self.tops[place])

    def _standing(self, counts: list[FloatArray], masses: list[FloatArray], inner: FloatArray) -> NDArray[np.intp]:
        """For each near corner, how many of the last one's points keep a probability above alpha."""
        limits = [shared_limits(k, n, self._each) for k, n in zip(counts, self.trials[:-1], strict=True)]
        most, where = np.unique(self._most(self.outer, np.meshgrid(*limits, indexing="ij")), return_inverse=True)
        chances = _at_most(most[:, None], self.trials[-1], inner)[where]
        needed = self.alpha * (1 - ROUNDING)
        if self.outer == 1:
            return (masses[0] @ chances > needed).sum(axis=-1)
        rows = max(_CHUNK // (max(len(masses[1]), chances.shape[1]) * inner.size), 1)
        flat = chances.reshape(len(chances), -1)
        parts = np.array_split(masses[0], range(rows, len(masses[0]), rows))
        mixed = ((part @ flat).reshape(len(part), *chances.shape[1:]) for part in parts)
        return np.concatenate([(np.matmul(masses[1], each) > needed).sum(axis=-1) for each in mixed])

    def _most(self, place: int, others: Sequence[FloatArray]) -> FloatArray:
        """The most failures at ``place`` with which an outcome is not above the observed one; -1 if none is."""
        n, limit = self.trials[place], self.shared * (1 + ROUNDING)
        rest = [o for at, o in enumerate(others) if at != place] if len(others) > self.outer else list(others)
        table = shared_limits(np.arange(n + 1), n, self._each) if n < _TABLE else None

        def within(counts: NDArray[np.intp]) -> NDArray[np.bool_]:
            own = shared_limits(counts.astype(float), n, self._each) if table is None else table[counts]
            return np.asarray(self.risk([*rest[:place], own, *rest[place:]]) <= limit)

        return _last_index(within, rest[0].shape, int(n) + 1).astype(float)


def _last_index(
    holds: Callable[[NDArray[np.intp]], NDArray[np.bool_]], shape: tuple[int, ...], size: int
) -> NDArray[np.intp]:
    """Last index below ``size`` at which ``holds``, which is first true and then false; -1 where it never is."""
    low, high = np.full(shape, -1), np.full(shape, size)
    while (high - low > 1).any():
        middle = np.minimum((low + high) // 2, size - 1)
        true = holds(np.maximum(middle, 0)) & (middle >= 0)
        low, high = np.where(true, middle, low), np.where(true, high, np.maximum(middle, 0))
    return low


def masses_between(cuts: FloatArray, n: float, p: FloatArray) -> FloatArray:
    """Probability of counts above one cut and at or below the next, for each p; exact in both tails."""
    left = cuts < n * p
    k = np.clip(cuts, 0, max(n - 1, 0))
    tail = special.betainc(np.where(left, n - k, k + 1), np.where(left, k + 1, n - k), np.where(left, 1 - p, p))
    tail = np.where((cuts < 0) | (cuts >= n), 0.0, tail)
    step = np.diff(tail)
    return np.where(left[:, 1:], step, np.where(left[:, :-1], 1 - tail[:, 1:] - tail[:, :-1], -step))


def _at_most(k: FloatArray, n: float, p: FloatArray) -> FloatArray:
    """Probability of at most k failures."""
    inside = (k >= 0) & (k < n)
    return np.where(inside, special.betaincc(np.where(inside, k, 0) + 1, np.where(inside, n - k, 1), p), k >= n)


def _volume(box: Box) -> float:
    return float(np.prod([high - low for low, high in box]))


# Limits of a risk over more than three strata: by sharing alpha, or by a budget for all failures together.
#
# A trial of stratum i stands for w_i / n_i of operation, and for c_i relative to the largest. The weighted count
# T = sum(c_i X_i) is less spread, in convex order, than a binomial count B of all N trials with the same mean:
# c Bernoulli(q) is less spread than Bernoulli(c q), and unequal probabilities less than equal ones (Hoeffding 1956,
# Annals 27(3)). So
#
#     P(T <= t) <= E(a - B)+ / (a - t)    for each a > t
#
# (Bentkus 2004, Annals of Probability 32(2)), which limits the mean of T and with it the risk, the mean times the
# largest w / n. Where all c are 1, P(B <= t) itself is the bound (Hoeffding 1956, Theorem 4, for t at most the mean
# less 1).

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
