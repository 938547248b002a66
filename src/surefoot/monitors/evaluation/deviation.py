"""Limits of a mean that few units move: the others have one value, and what has not been seen can still occur."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from surefoot.core import BoundFamily, Kind, Side, TabulatedBound, certain
from surefoot.core.validate import FloatArray
from surefoot.monitors.evaluation.exact_shares import largest_share, smallest_share
from surefoot.monitors.evaluation.levels import HIGHEST, levels_up_to
from surefoot.monitors.returns.basis import Range

FEW = 10
"""Resampling says little about a mean that fewer units than this move."""
FEW_UNITS = 5
"""The same for units of several rows or of unequal weight, whose limits without resampling are much wider."""
EQUAL = 1e-9
LEVELS = levels_up_to(HIGHEST, count=120)


@dataclass(frozen=True, eq=False)
class Deviation:
    """Mean and size of each unit; most have one mean, and the others lie anywhere in the range."""

    means: FloatArray
    sizes: FloatArray
    range: Range

    @classmethod
    def of(cls, sums: FloatArray, sizes: FloatArray, range: Range) -> Deviation:
        """From sums over units and their sizes; units of size 0 say nothing."""
        some = sizes > 0
        return cls(sums[some] / sizes[some], sizes[some], range)

    @cached_property
    def _commonest(self) -> tuple[float, int]:
        known, counts = np.unique(self.means, return_counts=True)
        return float(known[counts.argmax()]), int(counts.max())

    @property
    def movers(self) -> int:
        """Units whose mean is not the commonest one."""
        return self.means.size - self._commonest[1]

    @property
    def few_move(self) -> bool:
        """Whether so few units move the mean, and so many do not, that resampling them would show too little."""
        return self.movers < FEW_UNITS and 2 * self.movers <= self.means.size

    @property
    def equal(self) -> bool:
        """Whether all units are of one size, so that the limits are guaranteed."""
        return self._largest <= 1 + EQUAL

    @property
    def _largest(self) -> float:
        """Size of the largest unit, in units of the mean size."""
        return float(self.sizes.max() / self.sizes.mean())

    def bounds(self) -> tuple[BoundFamily, BoundFamily]:
        """Movers are as frequent as Clopper and Pearson (1934) allow, of the largest size, and at an end of the range.

        Where sizes differ, the largest one seen stands for the largest there can be.
        """
        return self._away(self.range[1], "upper"), self._away(self.range[0], "lower")

    def _away(self, end: float, side: Side) -> BoundFamily:
        usual = self._commonest[0]
        kind: Kind = "confidence" if self.equal else "heuristic"
        if usual == end:
            return certain(end, side)
        shares = largest_share(self.movers, self.means.size, LEVELS)
        return _table(usual + (end - usual) * np.minimum(shares * max(self._largest, 1.0), 1.0), side, kind)


def effective_count(sizes: FloatArray) -> int:
    """How many units of equal size say as much (Kish 1965)."""
    shares = sizes / sizes.max()
    return int(shares.sum() ** 2 / (shares**2).sum() + EQUAL)


def beside_two_values(values: FloatArray, low: float, high: float, range: Range) -> tuple[BoundFamily, BoundFamily]:
    """Limits of a mean of independent rows with two values so far, where others in the range were not seen yet.

    Half the miss is for how often the higher of the two occurs, half for how often others do (Clopper and Pearson
    1934), which are at worst at an end of the range.
    """
    count, trials, each = int((values > (low + high) / 2).sum()), values.size, (1 + LEVELS) / 2
    others = largest_share(0, trials, each)
    upper, lower = largest_share(count, trials, each), smallest_share(count, trials, each)
    most = low + (high - low) * upper + (range[1] - low) * others
    least = low + (high - low) * lower + (range[0] - low) * others
    return (
        _table(np.minimum(most, range[1]), "upper", "confidence"),
        _table(np.maximum(least, range[0]), "lower", "confidence"),
    )


def _table(limits: FloatArray, side: Side, kind: Kind) -> BoundFamily:
    return TabulatedBound.widened(LEVELS, limits, side, kind)
