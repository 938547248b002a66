"""The exact bound of a function of two or three counted probabilities, by Buehler's inversion.

Outcomes x are ordered by S(x), the bound that comes of sharing alpha among the counts. The smallest valid bound that
respects this order is sup{h(p): P_p(S(X) <= S(x)) >= alpha} (Buehler 1957, JASA 52(280); Lloyd and Kabaila 2003,
Australian and New Zealand Journal of Statistics 45(3)). Sharing alpha is one of them, so the inversion is never wider.

The supremum is certified: the probability falls and h rises with every p, so in a cell [l, l'] of the first
probabilities h is at most h(l', the largest last probability that l allows). Cells that could hold the supremum are
split until it is known to a fraction of a percent. Lower limits are the mirror image.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.core.bound import Side
from surefoot.core.count_budget import Count
from surefoot.core.quantiles import beta_quantile
from surefoot.core.validate import FloatArray

Function = Callable[[FloatArray], FloatArray]
"""From one row a count to one number a column; it rises with every row."""

MOST_STEPS = {2: 240, 3: 48}
"""So many values of a count are told apart; the order is made coarser, on the safe side, where there are more."""
CELLS, FINENESS, SMALLEST = {2: 60, 3: 28}, {2: 20_000, 3: 4_000}, 1e-9
PARTS, MOST_SPLIT, TIES = 4, 100, 1e-9
CLOSE, ROUNDS = {2: 2e-3, 3: 6e-3}, {2: 20, 3: 30}


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
