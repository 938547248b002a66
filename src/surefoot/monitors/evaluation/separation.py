"""``Separation``: how well scores set hazardous rows apart from the others, at no threshold or at a stated recall."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from surefoot.bounds.counts import Counts
from surefoot.bounds.statement import approximate
from surefoot.core import Estimate, Undefined
from surefoot.monitors.evaluation.deviation import effective_count
from surefoot.monitors.evaluation.fpr import RateAtRecall
from surefoot.monitors.evaluation.ordering import Ordered
from surefoot.monitors.evaluation.resampling import logit_bounds
from surefoot.monitors.evaluation.roc import Placements, Roc
from surefoot.monitors.evaluation.shares import WHERE, Shares

RECALL = 0.95
NORMAL = approximate("The normal limit of AUROC", "Collect more independent units.")


@dataclass(frozen=True, eq=False)
class Separation:
    """Scores of rows, which of them are hazardous, and how estimates of them are made."""

    shares: Shares
    ordered: Ordered
    positive: NDArray[np.bool_]

    def auroc(self) -> Estimate:
        """Area under the ROC curve, its error after DeLong, DeLong and Clarke-Pearson (1988), on the logit scale.

        Of rows in units or with weights, influences are summed by unit (Obuchowski 1997). Where all pairs agree, so
        that no error shows, the limit is that of as many disjoint pairs of units (Clopper and Pearson 1934).
        """
        self._require_both("AUROC")
        stakes = self.shares.stakes
        placed = Placements.of(self._roc, stakes.row_weights)
        if placed.area in (0.0, 1.0):
            found = Counts(self._pairs if placed.area else 0, self._pairs).exact_bounds()
            return self.shares.estimate("AUROC", placed.area, found, "disjoint pairs")
        error = placed.delong_error() if stakes.independent else placed.unit_error(stakes.unit_numbers)
        found = logit_bounds(placed.area, error, self.shares.level)
        method, details = "DeLong" if stakes.independent else "by unit", {"standard_error": error}
        return self.shares.estimate("AUROC", placed.area, found, method, (NORMAL,), details)

    def average_precision(self) -> Estimate:
        """Mean precision over the rises of recall, by resampling."""
        self._require_both("average precision")
        return self.shares.resampled("average precision", self._roc.average_precision)

    def fpr95(self) -> Estimate:
        """False positive rate at the highest threshold that detects at least 95% of hazardous rows (score above it).

        Limits of independent rows are exact: an order statistic for the threshold, counts for the rate.
        """
        self._require_both("FPR95")
        statistic = partial(self._roc.false_positive_rate, RECALL)
        if not self.shares.stakes.independent:
            return self.shares.resampled("FPR95", statistic)
        value = float(statistic(np.ones((1, self.positive.size)))[0])
        scores = self.ordered.scores
        found = RateAtRecall(np.sort(scores[self.positive]), np.sort(scores[~self.positive]), RECALL)
        return self.shares.estimate("FPR95", value, found.bounds(self.shares.level), "order statistics")

    @cached_property
    def _roc(self) -> Roc:
        return Roc(self.ordered, self.positive)

    @property
    def _pairs(self) -> int:
        """How many pairs of a hazardous and another row exist that share no unit; of weighted units fewer (Kish)."""
        stakes = self.shares.stakes
        kinds = (self.positive, ~self.positive)
        if stakes.weights is None:
            kept = [np.unique(stakes.unit_numbers[kind]).size for kind in kinds]
        else:
            kept = [effective_count(stakes.unit_sums(kind.astype(np.float64))) for kind in kinds]
        return max(min(*kept, stakes.unit_count // 2), 1)

    def _require_both(self, name: str) -> None:
        for kind, words in ((self.positive, "hazardous"), (~self.positive, "free of hazard")):
            if kind.sum() < 2 or self.shares.weight(kind) == 0:
                found = f"{int(kind.sum())} of {kind.size:,} rows"
                raise Undefined(f"{name} needs at least two rows that are {words}", where=WHERE, found=found)
