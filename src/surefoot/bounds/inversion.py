"""The smallest upper limit of a function of two or three failure probabilities that were tested apart.

Buehler (1957), JASA 52; Lloyd and Kabaila (2003), Aust. N. Z. J. Stat. 45(1). Outcomes x are put in order by
S(x) = h(u(x)), with u the Clopper-Pearson limits that share alpha equally, and the limit is

    U(x) = sup{h(p) : P_p(S(X) <= S(x)) > alpha}.

If h(p) > U(X), then P_p(S(X) <= s) <= alpha at the observed s, which happens with probability alpha at most. Where
h(p) > S(x), one of the limits u is missed whenever S(X) <= S(x), so that U(x) <= S(x): never above sharing alpha.

The supremum is bounded from above on a grid: the probability F falls with every p and h grows, so that inside a box h
is at most its value at the far corner, and nothing stands where F at the near corner does not. Boxes that may hold the
supremum are cut again until the gap is small.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import special

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
    risk: Risk, failures: Sequence[int], trials: Sequence[int], alpha: float, *, within: Box | None = None
) -> float:
    """Upper limit of ``risk`` that is missed with probability ``alpha`` at most, for two or three probabilities.

    ``within`` are ranges in which the probabilities are known to lie.

    Zero trials tell nothing of their probability. The answer is above the exact limit by less than 1% of its distance
    from the observed risk, or by a few percent for three probabilities with hundreds of failures.
    """
    order = _Order.of(risk, failures, trials, alpha, within)
    box, upper, floor, size = order.whole(), 1.0, 0.0, 0
    for _ in range(_ROUNDS):
        found = order.enclose(box, order.parts(box, size))
        upper, floor = min(upper, max(found.upper, floor)), max(found.lower, floor)
        if upper - floor <= GAP * (upper - order.observed):
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
