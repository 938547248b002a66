"""Area under the ROC curve, average precision and the false positive rate at a recall, for rows with weights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.monitors.evaluation.ordering import Ordered

ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Roc:
    """Rows by falling score, and which of them are positive."""

    ordered: Ordered
    positive: NDArray[np.bool_]

    @cached_property
    def _sorted_positive(self) -> FloatArray:
        return self.positive[self.ordered.order].astype(np.float64)

    def counts(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Positives and negatives found so far, after each run of equal scores; ``weights`` are draws x rows."""
        heavy = weights[:, self.ordered.order]
        ends = self.ordered.ends
        found = np.cumsum(heavy * self._sorted_positive, axis=1)[:, ends]
        return found, np.maximum(np.cumsum(heavy, axis=1)[:, ends] - found, 0.0)

    def auroc(self, weights: FloatArray) -> FloatArray:
        """Probability that a positive row scores above a negative one, ties counting half, for each draw."""
        true, false = self.counts(weights)
        before = np.concatenate([np.zeros((len(true), 1)), true[:, :-1]], axis=1)
        steps = np.diff(false, axis=1, prepend=0.0)
        return _share(np.sum(steps * (true + before) / 2, axis=1), true[:, -1] * false[:, -1])

    def agreed(self, weights: FloatArray) -> float | None:
        """1 or 0 where every positive row scores above, or below, every negative one; None otherwise."""
        scores, counted = self.ordered.scores, weights > 0
        true, false = scores[counted & self.positive], scores[counted & ~self.positive]
        return 1.0 if true.min() > false.max() else 0.0 if true.max() < false.min() else None

    def average_precision(self, weights: FloatArray) -> FloatArray:
        """Precision at each rise of recall, weighted by the rise, for each draw."""
        true, false = self.counts(weights)
        rises = np.diff(true, axis=1, prepend=0.0)
        precision = np.divide(true, true + false, out=np.zeros_like(true), where=true + false > 0)
        return _share(np.sum(rises * precision, axis=1), true[:, -1])

    def false_positive_rate(self, recall: float, weights: FloatArray) -> FloatArray:
        """At the highest threshold that finds at least ``recall`` of the positives, for each draw."""
        true, false = self.counts(weights)
        reached = true >= recall * true[:, -1:] * (1 - ROUNDING)
        first = np.argmax(reached, axis=1)
        return _share(false[np.arange(len(false)), first], false[:, -1])


def _share(part: FloatArray, whole: FloatArray) -> FloatArray:
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)


@dataclass(frozen=True, eq=False)
class Placements:
    """AUROC, and what each row adds to it: where it lies among the rows of the other kind."""

    area: float
    influence: FloatArray
    """Of each row on the area, its weight included; sums to 0 over positives and over negatives."""
    positive: NDArray[np.bool_]

    @classmethod
    def of(cls, roc: Roc, weights: FloatArray) -> Placements:
        """In one sort (DeLong, DeLong and Clarke-Pearson 1988; Sun and Xu 2014)."""
        _, level = np.unique(roc.ordered.scores, return_inverse=True)
        true, false = (np.bincount(level, weights * kind) for kind in (roc.positive, ~roc.positive))
        below = (np.cumsum(false) - false / 2) / false.sum()
        above = 1 - (np.cumsum(true) - true / 2) / true.sum()
        place = np.where(roc.positive, below[level], above[level])
        area = roc.agreed(weights)
        if area is None:
            area = float(np.sum(weights * roc.positive * place) / true.sum())
        share = weights / np.where(roc.positive, true.sum(), false.sum())
        return cls(area, share * (place - area), roc.positive)

    def delong_error(self) -> float:
        """Standard error for independent rows that weigh the same (DeLong et al. 1988)."""
        variance = 0.0
        for kind in (self.positive, ~self.positive):
            part, size = self.influence[kind], int(kind.sum())
            variance += float((part**2).sum()) * size / (size - 1)
        return math.sqrt(variance)

    def unit_error(self, units: NDArray[np.int64]) -> float:
        """Standard error where rows of one unit belong together: influences are summed first (Obuchowski 1997)."""
        sums = np.bincount(units, self.influence)
        return math.sqrt(float((sums**2).sum()) * sums.size / (sums.size - 1))
