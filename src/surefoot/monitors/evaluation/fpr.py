"""Exact limits of the false positive rate at a recall: order statistics of the positives, counts of the negatives."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.core import BoundFamily, TabulatedBound
from surefoot.core.validate import FloatArray
from surefoot.monitors.evaluation.exact_shares import largest_share, smallest_share
from surefoot.monitors.evaluation.levels import HIGHEST, levels_up_to

FAR = 10.0
"""Standard deviations beyond which a count does not matter at any level that is tabulated."""


@dataclass(frozen=True, eq=False)
class RateAtRecall:
    """Scores of positives and negatives, independent of each other, each in rising order."""

    positives: FloatArray
    negatives: FloatArray
    recall: float

    def bounds(self, level: float) -> tuple[BoundFamily, BoundFamily]:
        """Limits that hold whatever the scores are, half the miss for the threshold and half for the rate.

        The threshold that finds the recall in operation lies, with the stated confidence, on one side of an order
        statistic of the positives (David and Nagaraja 2003); the rate at that one is bounded by Clopper
        and Pearson (1934).
        """
        levels = levels_up_to(HIGHEST, level)
        shares = ((1 - levels) / 2).tolist()
        return (
            TabulatedBound.widened(levels, [self._upper(miss) for miss in shares], "upper", "confidence"),
            TabulatedBound.widened(levels, [self._lower(miss) for miss in shares], "lower", "confidence"),
        )

    def _upper(self, miss: float) -> float:
        """Alarms from the r-th positive on, where r or more positives lie below the true threshold."""
        ranks, fewer = self._fewer
        rank = int(ranks[0]) - 1 + int(np.sum(1 - fewer >= 1 - miss))
        if rank < 1 or rank < ranks[0]:
            return 1.0
        n = self.negatives.size
        count = n - int(np.searchsorted(self.negatives, self.positives[rank - 1], side="left"))
        return float(largest_share(count, n, 1 - miss))

    def _lower(self, miss: float) -> float:
        """Alarms above the s-th positive, where fewer than s positives lie below the true threshold."""
        ranks, fewer = self._fewer
        enough = np.flatnonzero(fewer >= 1 - miss)
        if not enough.size:
            return 0.0
        n = self.negatives.size
        count = n - int(np.searchsorted(self.negatives, self.positives[ranks[enough[0]] - 1], side="right"))
        return float(smallest_share(count, n, 1 - miss))

    @cached_property
    def _fewer(self) -> tuple[NDArray[np.int64], FloatArray]:
        """Ranks that matter, and the probability that fewer positives than that lie below the true threshold."""
        m, miss = self.positives.size, 1 - self.recall
        middle, reach = m * miss, FAR * math.sqrt(m * miss * self.recall) + FAR**2
        ranks = np.arange(max(1, math.floor(middle - reach)), min(m, math.ceil(middle + reach)) + 1)
        return ranks, special.bdtr(ranks - 1, m, miss)
