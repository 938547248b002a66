"""Distribution-free limits of the frame's mean from drawn balls, and from the frame's mean to operation.

A claim "the mean is m" is refuted once a gambler who could not gain on average if it were true holds enough
(Waudby-Smith and Ramdas 2024, JRSS-B 86(1)); see ``surefoot.bounds.capital``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from surefoot.bounds.capital import CUT, tabulate
from surefoot.bounds.families import log_miss
from surefoot.core import TabulatedBound
from surefoot.core.bound import Side
from surefoot.core.validate import FloatArray

BLOCK = 1 << 20
LARGEST_STAKE = 0.98
NEXT_TO_1 = math.nextafter(1.0, 0.0)
TINY = 1e-300
SPREAD = 4.0
"""Variance of values drawn by a fair guess of the risk, in squares of their mean, that the first bets expect."""


class Capital(Protocol):
    """Logarithm of the capital against claimed odds, of the mean or, for lower limits, of one minus it."""

    @property
    def side(self) -> Side: ...

    @property
    def steps(self) -> int:
        """Number of draws."""
        ...

    @property
    def seen(self) -> float:
        """The mean that the draws show."""
        ...

    def __call__(self, odds: FloatArray) -> FloatArray:
        """The largest so far, for which claims are refuted; at least 0."""
        ...

    def final(self, claims: FloatArray) -> FloatArray:
        """At the end, which has an expectation of at most 1 under a true claim and may be multiplied with others."""
        ...


def frame_family(capital: Capital, *, level: float) -> TabulatedBound:
    """Limits of the frame's mean at many levels."""
    inside = min(max(capital.seen, 0.0), NEXT_TO_1)
    seen, rest = (inside, 1 - inside) if capital.side == "upper" else (1 - inside, inside)
    odds = seen / rest if rest else math.inf
    return tabulate(capital, odds, capital.steps, level=level, side=capital.side, kind="confidence")


def _claims(odds: FloatArray, side: Side) -> FloatArray:
    return odds / (1 + odds) if side == "upper" else 1 / (1 + odds)


@dataclass(frozen=True, eq=False)
class ValueCapital:
    """Bets on values that have the same mean given those before, each in [0, ``most``] of its own draw.

    The bet of step t is sqrt(2 log(1/alpha) / (n v)) with v the variance before t, cut off where more than the share
    ``CUT`` of the capital would be at stake. ``most`` must be known before the draw; it may change from draw to draw.
    """

    values: FloatArray
    most: FloatArray
    bets: FloatArray
    side: Side

    @classmethod
    def tuned(cls, values: FloatArray, most: FloatArray, *, level: float, side: Side, foreseen: float) -> Self:
        """Bets tuned to ``level`` and, at first, to the mean that was ``foreseen``."""
        guess = min(max(foreseen, 1 / values.size), 0.5) if foreseen else 0.5
        widest = float(most[0]) ** 2 / 4
        variance = _variance_before(values, guess, min(SPREAD * guess**2, widest) if foreseen else widest)
        return cls(values, most, np.sqrt(2 * log_miss(level) / (values.size * variance)), side)

    @property
    def steps(self) -> int:
        return self.values.size

    @property
    def seen(self) -> float:
        return float(self.values.mean())

    def __call__(self, odds: FloatArray) -> FloatArray:
        return self._best_and_final(_claims(odds, self.side))[0]

    def final(self, claims: FloatArray) -> FloatArray:
        return self._best_and_final(claims)[1]

    def _best_and_final(self, claims: FloatArray) -> tuple[FloatArray, FloatArray]:
        best, total = np.zeros(claims.size), np.zeros(claims.size)
        width = max(BLOCK // claims.size, 1)
        for start in range(0, self.steps, width):
            path = np.cumsum(self._gains(claims[:, None], slice(start, start + width)), axis=1) + total[:, None]
            best, total = np.maximum(best, path.max(axis=1)), path[:, -1]
        return best, total

    def _gains(self, claim: FloatArray, part: slice) -> FloatArray:
        gap = claim - self.values[part]
        with np.errstate(divide="ignore"):
            cut = CUT / (np.maximum(self.most[part] - claim, 0.0) if self.side == "upper" else claim)
        bets = np.minimum(self.bets[part], cut)
        return np.log1p(bets * gap if self.side == "upper" else -bets * gap)


def _variance_before(values: FloatArray, mean: float, variance: float) -> FloatArray:
    """Variance of the values before each step, one draw of the given mean and variance added."""
    steps = np.arange(2.0, values.size + 2)
    means = (mean + np.cumsum(values)) / steps
    found = (variance + np.cumsum((values - means) ** 2)) / steps
    return np.concatenate([[variance], found[:-1]])


@dataclass(frozen=True, eq=False)
class GroupCapital:
    """Constant bets, several gamblers together, on values in [0, 1] of balls drawn without replacement in groups.

    Draw i stands for ``sizes[i]``, and sizes times values sum to the frame's mean on average. The expected capital of a
    constant bet b is the product of 1 + b a_i (m - p_i), with a_i the sizes, p_i the groups' means and m the mean of p
    weighted by a: at most 1, being a product of numbers whose mean is 1, whatever the groups' means are; draws without
    replacement are negatively associated (Joag-Dev and Proschan 1983), which makes it no larger.
    """

    values: FloatArray
    sizes: FloatArray
    side: Side
    smallest_stake: float

    @classmethod
    def tuned(cls, values: FloatArray, sizes: FloatArray, *, level: float, side: Side) -> Self:
        """Stakes from the largest down to what values of one half, or for lower limits very few, ask for."""
        a_draw = log_miss(level) / float(((sizes / sizes.max()) ** 2).sum())
        least = math.sqrt(8 * a_draw) if side == "upper" else a_draw
        return cls(values, sizes, side, min(least, LARGEST_STAKE))

    @property
    def steps(self) -> int:
        return self.values.size

    @property
    def seen(self) -> float:
        return float(self.sizes @ self.values)

    def __call__(self, odds: FloatArray) -> FloatArray:
        return np.maximum(self.final(_claims(odds, self.side)), 0.0)

    def final(self, claims: FloatArray) -> FloatArray:
        ranks = np.arange(1.0 + math.ceil(math.log2(LARGEST_STAKE / self.smallest_stake)))
        shares = np.log(1 / (ranks + 1)) - math.log(float((1 / (ranks + 1)).sum()))
        stakes = LARGEST_STAKE * np.exp2(-ranks)
        alike = claims / float(self.sizes.sum())
        return np.array([np.logaddexp.reduce(self._alone(claim, stakes) + shares) for claim in alike])

    def _alone(self, claim: float, stakes: FloatArray) -> FloatArray:
        """Each gambler's log capital when every draw has the mean ``claim``."""
        gap = (claim - self.values) * self.sizes / self.sizes.max()
        bets = stakes / (1 - min(claim, 0.5)) if self.side == "upper" else -stakes / max(claim, TINY)
        return np.log1p(bets[:, None] * gap).sum(axis=1)
