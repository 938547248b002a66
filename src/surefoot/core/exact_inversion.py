"""Exact limits from several counts: of a function of two or three probabilities, and of a weighted total.

The function goes by Buehler's inversion. Outcomes x are ordered by S(x), the bound that comes of sharing alpha among
the counts. The smallest valid bound that respects this order is sup{h(p): P_p(S(X) <= S(x)) >= alpha} (Buehler 1957,
JASA 52(280); Lloyd and Kabaila 2003, Australian and New Zealand Journal of Statistics 45(3)). Sharing alpha is one of
them, so the inversion is never wider. The supremum is certified: the probability falls and h rises with every p, so in
a cell [l, l'] of the first probabilities h is at most h(l', the largest last probability that l allows). Cells that
could hold the supremum are split until it is known to a fraction of a percent. Lower limits are the mirror image.

For the total, X_i failures in n_i trials of probability p_i have weights c_i in (0, 1] that were fixed before any
outcome: T = sum c_i X_i has the mean m = sum c_i n_i p_i. A failure that weighs c is smaller in convex order than one
that happens with c times the probability, and independent failures together are smaller than a Poisson variable N of
the same mean. So for every a > t

    P(T <= t) <= E max(a - T, 0) / (a - t) <= E max(a - N, 0) / (a - t)

(Bentkus 2004, Annals of Probability 32(2), for the step with a; Shaked and Shanthikumar 2007, chapter 3, for the
orders). A mean that makes the right side smaller than alpha is refuted by t. Where every weight is 1 the total is a
whole number, and P(N <= t) itself is the limit (Hoeffding 1956; Anderson and Samuels 1967, for t at most m - 1).

``bounds.strata_inversion`` inverts the same order for strata of one test. It knows nothing of exposures, maps and lower
limits, and spends what that saves on counts of millions and on a gap relative to the distance from the observed risk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.core.bound import BoundFamily, QuantileBound, Side
from surefoot.core.counts import CountedRate, CountedShare
from surefoot.core.distributions import Beta, Gamma, beta_quantile
from surefoot.core.estimate import Estimate
from surefoot.core.monotone_maps import MappedBound, MonotoneMap, forth
from surefoot.core.validate import FloatArray

Function = Callable[[FloatArray], FloatArray]
"""From one row a count to one number a column; it rises with every row."""

MOST_STEPS = {2: 240, 3: 48}
"""So many values of a count are told apart; the order is made coarser, on the safe side, where there are more."""
CELLS, FINENESS, SMALLEST = {2: 60, 3: 28}, {2: 20_000, 3: 4_000}, 1e-9
PARTS, MOST_SPLIT, TIES = 4, 100, 1e-9
CLOSE, ROUNDS = {2: 2e-3, 3: 6e-3}, {2: 20, 3: 30}
LARGEST_WHOLE_ALPHA = 0.3678
"""Below exp(-1) the limit of a whole total lies at least one above it, as Anderson and Samuels ask."""
KNOTS, BISECTIONS, OUTWARD = 96, 90, 1e-12
SHARED_ROWS = "shared rows"
"""Detail of an estimate whose rows, or their number, others of the same tree rest on: its count is not apart."""


@dataclass(frozen=True)
class Count:
    """Events among independent trials, or in an exposure (Poisson), and what is done to the probability or rate."""

    events: int
    exposure: float
    poisson: bool = False
    steps: tuple[MonotoneMap, ...] = ()

    @property
    def share(self) -> float:
        """What was observed, after the steps."""
        return float(forth(self.events / self.exposure, self.steps))

    def limit(self, alpha: float, side: str) -> float:
        """The exact limit of this count alone (Clopper and Pearson 1934; Garwood 1936), after the steps."""
        exact = CountedRate(self.events, self.exposure) if self.poisson else CountedShare(self.events, self.trials)
        dist = exact.above if side == "upper" else exact.below
        return float(forth(dist.ppf(1 - alpha if side == "upper" else alpha), self.steps))

    @property
    def trials(self) -> int:
        """The number of trials."""
        return int(self.exposure)

    def after_steps(self, rate: FloatArray) -> FloatArray:
        """The quantity that a probability or rate stands for."""
        return forth(rate, self.steps)

    def at_mean(self, expected: FloatArray) -> FloatArray:
        """The quantity where so many events are expected."""
        rate = np.asarray(expected, dtype=float) / self.exposure
        return forth(rate if self.poisson else np.minimum(rate, 1.0), self.steps)

    def at_silence(self, exponent: FloatArray) -> FloatArray:
        """The quantity where no event at all has the probability ``exp(-exponent)``."""
        rate = np.asarray(exponent, dtype=float) / self.exposure
        return forth(rate if self.poisson else -np.expm1(-rate), self.steps)


def count_of(estimate: Estimate) -> Count | None:
    """The count behind an estimate whose bounds are the exact ones of that count, or of its Jeffreys posterior.

    Also where everything failed, and the upper bound of the posterior is 1: what was counted decides nothing here.
    """
    uncertain = [family for family in estimate.bounds if family.kind != "certain"]
    if not uncertain or len({family.kind for family in uncertain}) > 1 or estimate.details.get(SHARED_ROWS):
        return None
    found = _count_behind(uncertain[0])
    if found is None or found.poisson:
        return found
    told = estimate.details.get("failures"), estimate.details.get("trials")
    return found if told == (found.events, found.exposure) else None


def _count_behind(family: BoundFamily) -> Count | None:
    match family:
        case MappedBound(inner, steps):
            base = _count_behind(inner)
            return None if base is None else Count(base.events, base.exposure, base.poisson, (*base.steps, *steps))
        case QuantileBound(CountedRate(events, exposure), kind="confidence"):
            return Count(events, exposure, poisson=True)
        case QuantileBound(CountedShare(events, trials), kind="confidence"):
            return Count(events, float(trials))
        case QuantileBound(Gamma(shape, scale), side="upper", kind="confidence"):
            return _of_gamma(shape - 1, scale)
        case QuantileBound(Gamma(shape, scale), kind="confidence"):
            return _of_gamma(shape, scale)
        case QuantileBound(Beta(a, b), side="upper", kind="confidence"):
            return _of_beta(a - 1, b)
        case QuantileBound(Beta(a, b), kind="confidence"):
            return _of_beta(a, b - 1)
        case QuantileBound(Beta(a, b), kind="credible"):
            return _of_beta(a - 0.5, b - 0.5)
    return None


def _of_beta(failures: float, passed: float) -> Count | None:
    whole = failures == int(failures) and passed == int(passed)
    return Count(int(failures), failures + passed) if whole and failures >= 0 and failures + passed >= 1 else None


def _of_gamma(events: float, scale: float) -> Count | None:
    return Count(int(events), 1 / scale, poisson=True) if events == int(events) and events >= 0 else None


def exact_limit(
    counts: Sequence[Count], function: Function, alpha: float, side: Side, *, order: Function | None = None
) -> float:
    """The limit of ``function`` of the probabilities, or rates, behind two or three counts.

    ``order`` orders the outcomes in its place, where the function itself rests on other data.
    """
    return _Inversion(tuple(counts), function, alpha, side, order).limit


@dataclass(frozen=True, eq=False)
class _Inversion:
    counts: tuple[Count, ...]
    function: Function
    alpha: float
    side: Side
    order: Function | None = None

    @property
    def limit(self) -> float:
        """The certified supremum, or for lower limits infimum."""
        if self.side == "lower" and self.observed <= 0:
            return float(self.function(np.zeros((len(self.counts), 1)))[0])
        cells = self._first_cells()
        outer, inner = self._values(cells)
        best = self._best(inner)
        for _ in range(ROUNDS[len(self.counts)]):
            open_ = np.flatnonzero((outer - best) * self.sign > CLOSE[len(self.counts)] * abs(best))
            if not open_.size:
                break
            # Those that could lie furthest out are split first.
            widest = open_[np.argsort(-self.sign * outer[open_])[:MOST_SPLIT]]
            parts = _Cells.split(cells.only(widest))
            grown, reached = self._values(parts)
            best = self._best(np.append(reached, best))
            outer[widest] = best
            cells, outer = cells.joined(parts), np.append(outer, grown)
        # Where the function exceeds the shared bound, one of the shared limits is missed throughout the set.
        found = self._best(np.append(outer, best))
        if self.order is not None:
            return found
        return min(found, self.observed) if self.side == "upper" else max(found, self.observed)

    @property
    def sign(self) -> int:
        return 1 if self.side == "upper" else -1

    def _best(self, values: FloatArray) -> float:
        return float(values.max() if self.side == "upper" else values.min())

    @cached_property
    def observed(self) -> float:
        """The shared bound of what was counted."""
        return float(self._shared_bound(np.array([[count.events] for count in self.counts]))[0])

    def _shared_bound(self, events: NDArray[np.int64]) -> FloatArray:
        """The bound that comes of sharing alpha, for one outcome a column."""
        share = self.alpha / len(self.counts)
        limits = [_limits(count, row, share, self.side) for count, row in zip(self.counts, events, strict=True)]
        return (self.order or self.function)(np.array(limits))

    @cached_property
    def steps(self) -> list[NDArray[np.int64]]:
        """Values of all counts but the last at which outcomes are told apart, from the harmless end."""
        return [self._steps(place) for place in range(len(self.counts) - 1)]

    def _steps(self, place: int) -> NDArray[np.int64]:
        """Up to the last value that can still be in the set, the others at their best."""
        furthest = self._furthest(place, self._ends(0)[:, None])
        reach = abs(int(furthest[0]) - int(self._ends(0)[place]))
        most = MOST_STEPS[len(self.counts)]
        offsets = np.arange(reach + 1)
        if reach >= most:
            offsets = np.unique(np.round(np.expm1(np.linspace(0, np.log1p(reach), most))).astype(np.int64))
        return self._ends(0)[place] + self.sign * offsets

    def _ends(self, end: int) -> NDArray[np.int64]:
        """The outcome that is best (0) or worst (1) for the bound."""
        low, high = [0] * len(self.counts), [_most_events(count) for count in self.counts]
        return np.array((low, high)[end if self.side == "upper" else 1 - end])

    def _furthest(self, place: int, others: NDArray[np.int64]) -> NDArray[np.int64]:
        """The worst value of one count whose outcome is in the set, for each column of the others; may be none."""
        end, limit = self._ends(0)[place], abs(int(self._ends(1)[place] - self._ends(0)[place]))

        def inside(offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
            tried = others.copy()
            tried[place] = end + self.sign * np.clip(offsets, 0, limit)
            return (offsets <= limit) & self._in_set(self._shared_bound(tried))

        # Ever larger steps first, because most outcomes of interest have few events.
        good, bad, step = np.full(others.shape[1], -1), np.full(others.shape[1], limit + 1), 1
        while step <= 2 * limit + 2:
            reached = inside(np.full(others.shape[1], step - 1))
            good, bad = np.where(reached, step - 1, good), np.where(reached, bad, np.minimum(bad, step - 1))
            if not reached.any():
                break
            step *= 2
        while (bad - good > 1).any():
            middle = (good + bad) // 2
            within = inside(middle)
            good, bad = np.where(within, middle, good), np.where(within, bad, np.maximum(middle, good + 1))
        return end + self.sign * good

    def _in_set(self, bounds: FloatArray) -> NDArray[np.bool_]:
        if self.side == "upper":
            return bounds <= self.observed * (1 + TIES)
        return bounds >= self.observed * (1 - TIES)

    @cached_property
    def stairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each combination of steps, the furthest last count, as a place among all its distinct values."""
        combined = np.array(list(product(*self.steps))).T
        last = np.full((1, combined.shape[1]), self._ends(0)[-1])
        furthest = self._furthest(len(self.counts) - 1, np.vstack([combined, last]))
        values, places = np.unique(furthest, return_inverse=True)
        return values, places

    def _mass(self, place: int, p: FloatArray) -> FloatArray:
        """Probability of each step of a count, one row a probability: up to just before the next step."""
        starts = self.steps[place]
        count = self.counts[place]
        if self.side == "upper":
            reached = _below(count, starts[None, :] - 1, p[:, None])
            return np.diff(np.hstack([reached, _below(count, self._last_of(place), p)[:, None]]), axis=1)
        reached = 1 - _below(count, starts[None, :], p[:, None])
        return np.diff(np.hstack([reached, 1 - _below(count, self._last_of(place) - 1, p)[:, None]]), axis=1)

    def _last_of(self, place: int) -> NDArray[np.int64]:
        """Where the last step ends: it stands for itself alone."""
        return np.asarray(self.steps[place][-1])

    def _weights(self, firsts: FloatArray) -> FloatArray:
        """Probability of each distinct furthest value, one row a column of the first probabilities."""
        values, places = self.stairs
        masses = []
        for place, p in enumerate(firsts):
            distinct, back = np.unique(p, return_inverse=True)
            masses.append(self._mass(place, distinct)[back])
        joint = masses[0]
        for more in masses[1:]:
            joint = (joint[:, :, None] * more[:, None, :]).reshape(len(joint), -1)
        found = np.zeros((len(joint), len(values)))
        np.add.at(found.T, places, joint.T)
        return found

    def _extreme_last(self, firsts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The last probability at which the set has the probability alpha, from outside and from inside.

        No number where even the best last probability leaves less.
        """
        weights = self._weights(firsts)
        grid, table = self._last_grid
        inside, outside = np.zeros(len(weights), dtype=int), np.full(len(weights), len(grid) - 1)
        possible = weights @ table[0] >= self.alpha
        inside[weights @ table[-1] >= self.alpha] = len(grid) - 1
        while (outside - inside > 1).any():
            middle = (inside + outside) // 2
            enough = (weights * table[middle]).sum(axis=1) >= self.alpha
            inside, outside = np.where(enough, middle, inside), np.where(enough, outside, middle)
        return np.where(possible, grid[outside], np.nan), np.where(possible, grid[inside], np.nan)

    @cached_property
    def _last_grid(self) -> tuple[FloatArray, FloatArray]:
        """Values of the last probability from the best to the worst, and what of the set each leaves."""
        values, _ = self.stairs
        top = max(self._last_range)
        grid = np.concatenate([[0.0], np.geomspace(top * SMALLEST, top, FINENESS[len(self.counts)])])
        if self.side == "lower":
            grid = grid[::-1]
            return grid, 1 - _below(self.counts[-1], values[None, :] - 1, grid[:, None])
        return grid, _below(self.counts[-1], values[None, :], grid[:, None])

    @cached_property
    def _last_range(self) -> tuple[float, float]:
        return self._range(len(self.counts) - 1)

    def _range(self, place: int) -> tuple[float, float]:
        """From the best to the worst probability or rate of a count for the size of the set."""
        count = self.counts[place]
        if not count.poisson:
            return (0.0, 1.0) if self.side == "upper" else (1.0, 0.0)
        top = float(special.gammainccinv(count.events + 1, self.alpha * 1e-3)) * 1e3 / count.exposure
        return (0.0, top) if self.side == "upper" else (top, 0.0)

    def _first_cells(self) -> _Cells:
        """From the best end geometrically to the furthest that alpha allows alone."""
        edges = []
        for place in range(len(self.counts) - 1):
            top = max(self._range(place))
            edges.append(np.concatenate([[0.0], np.geomspace(top * SMALLEST, top, CELLS[len(self.counts)])]))
        lows = np.array(list(product(*(edge[:-1] for edge in edges)))).T
        highs = np.array(list(product(*(edge[1:] for edge in edges)))).T
        return _Cells(lows, highs)

    def _values(self, cells: _Cells) -> tuple[FloatArray, FloatArray]:
        """The function at a point no value of the cell exceeds, and at one that the cell reaches."""
        near, far = (cells.low, cells.high) if self.side == "upper" else (cells.high, cells.low)
        outside, inside = self._extreme_last(near)
        none = 0.0 if self.side == "upper" else np.inf
        outer = self._at(far, outside, none)
        return outer, self._at(near, inside, none)

    def _at(self, firsts: FloatArray, last: FloatArray, none: float) -> FloatArray:
        possible = ~np.isnan(last)
        found = np.full(len(last), none)
        rates = np.vstack([firsts, last[None, :]])[:, possible]
        steps = [count.after_steps(row) for count, row in zip(self.counts, rates, strict=True)]
        found[possible] = self.function(np.array(steps))
        return found


@dataclass(frozen=True, eq=False)
class _Cells:
    """Boxes of the first probabilities, one column each."""

    low: FloatArray
    high: FloatArray

    def only(self, kept: NDArray[np.int64]) -> _Cells:
        return _Cells(self.low[:, kept], self.high[:, kept])

    def joined(self, others: _Cells) -> _Cells:
        return _Cells(np.hstack([self.low, others.low]), np.hstack([self.high, others.high]))

    @staticmethod
    def split(cells: _Cells) -> _Cells:
        """Each into equal parts."""
        share = np.linspace(0, 1, PARTS + 1)
        width = cells.high - cells.low
        lows, highs = [], []
        for parts in product(range(PARTS), repeat=len(cells.low)):
            lows.append(cells.low + width * share[list(parts)][:, None])
            highs.append(cells.low + width * share[[part + 1 for part in parts]][:, None])
        return _Cells(np.hstack(lows), np.hstack(highs))


def _limits(count: Count, events: NDArray[np.int64], alpha: float, side: Side) -> FloatArray:
    """Exact limits of a count alone, after its steps, for other numbers of events."""
    k = np.asarray(events, dtype=float)
    n = count.exposure
    if side == "upper":
        rates = (
            special.gammainccinv(k + 1, alpha) / n
            if count.poisson
            else np.where(k < n, beta_quantile(k + 1, np.maximum(n - k, 1), 1 - alpha), 1.0)
        )
    else:
        rates = (
            np.where(k > 0, special.gammaincinv(np.maximum(k, 1), alpha) / n, 0.0)
            if count.poisson
            else np.where(k > 0, beta_quantile(np.maximum(k, 1), n - k + 1, alpha), 0.0)
        )
    return count.after_steps(rates)


def _below(count: Count, events: NDArray[np.int64], rate: FloatArray) -> FloatArray:
    """Probability of at most so many events."""
    k = np.maximum(events, 0)
    if count.poisson:
        found = special.gammaincc(k + 1.0, rate * count.exposure)
    else:
        n = count.exposure
        found = np.where(k >= n, 1.0, special.betainc(np.maximum(n - k, 1), k + 1.0, 1 - rate))
    return np.where(np.asarray(events) < 0, 0.0, found)


def _most_events(count: Count) -> int:
    """The largest number of events that need be told apart."""
    return 10 * count.events + 1000 if count.poisson else count.trials


def largest_mean(total: float, alpha: float, *, whole: bool) -> float:
    """The largest expected total that a total as small as ``total`` does not refute at ``alpha``.

    >>> round(largest_mean(0, 0.05, whole=True), 4), round(largest_mean(1, 0.05, whole=True), 4)
    (2.9957, 4.7439)
    """
    if whole and alpha <= LARGEST_WHOLE_ALPHA:
        return float(special.gammainccinv(total + 1, alpha))
    knots = np.floor(total) + _spread(total, alpha)
    return float(_root(lambda mean: _shortfall(knots, mean) / (knots - total), alpha, knots, rising=False).min())


def smallest_mean(total: float, alpha: float, *, whole: bool) -> float:
    """The smallest expected total that a total as large as ``total`` does not refute at ``alpha``; 0 for none.

    >>> round(smallest_mean(5, 0.05, whole=True), 4)
    1.9701
    """
    if total <= 0:
        return 0.0
    exact = float(special.gammaincinv(total, alpha))
    if whole and exact <= total - 1:
        return exact
    knots = np.ceil(total) - _spread(total, alpha)
    knots = knots[knots >= 0]
    excess = lambda mean: (mean - knots + _shortfall(knots, mean)) / (total - knots)  # noqa: E731
    return float(_root(excess, alpha, knots, rising=True).max())


def _spread(total: float, alpha: float) -> FloatArray:
    """Distances 1, 2, ... that reach well beyond the best one, ever sparser."""
    reach = 8 + 4 * np.sqrt((total + 1) * -np.log(alpha)) - 4 * np.log(alpha)
    return np.unique(np.round(np.geomspace(1, reach, KNOTS)))


def _shortfall(knots: FloatArray, mean: FloatArray) -> FloatArray:
    """E max(a - N, 0) for a Poisson variable N."""
    below = special.gammaincc(np.maximum(knots, 1), mean)
    below_less_one = np.where(knots > 1, special.gammaincc(np.maximum(knots - 1, 1), mean), 0.0)
    return np.where(knots > 0, np.maximum(knots * below - mean * below_less_one, 0.0), 0.0)


def _root(function, alpha: float, knots: FloatArray, *, rising: bool) -> FloatArray:  # type: ignore[no-untyped-def]
    """Where each function passes ``alpha``, on the safe side: above for a falling one, below for a rising one."""
    low = np.zeros_like(knots)
    high = np.full_like(knots, 4 * (knots.max() + 2) - 8 * np.log(alpha))
    for _ in range(BISECTIONS):
        middle = low + (high - low) / 2
        beyond = function(middle) >= alpha if rising else function(middle) <= alpha
        low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
    return low * (1 - OUTWARD) if rising else high * (1 + OUTWARD)
