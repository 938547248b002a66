"""``detection``: precision, recall, AUROC and their like, from the same returns as safety gain.

A row is positive where the model alone falls short of the ideal (``stakes.hazardous``): what an alarm should detect.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.bounds.counts import Counts
from surefoot.bounds.statement import approximate
from surefoot.core import Estimate, InvalidInput, Table, Undefined, array_digest, validate
from surefoot.draw import percent
from surefoot.monitors.evaluation.fpr import RateAtRecall
from surefoot.monitors.evaluation.ordering import Ordered
from surefoot.monitors.evaluation.resampling import logit_bounds
from surefoot.monitors.evaluation.roc import Placements, Roc
from surefoot.monitors.evaluation.shares import Shares
from surefoot.monitors.returns.stakes import Stakes, as_alarms

WHERE = "detection"
RECALL = 0.95
Rows = NDArray[np.bool_]
RATES = ("precision", "recall", "false_positive_rate", "miss_rate", "accuracy")
SCORED = ("auroc", "average_precision", "fpr95")
NORMAL = approximate("The normal limit of AUROC", "Collect more independent units.")


def detection(
    stakes: Stakes,
    scores: ArrayLike | None = None,
    *,
    threshold: float | None = None,
    alarms: ArrayLike | None = None,
    level: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
    scope: str = "",
) -> Detection:
    """How well scores, or alarms, tell hazardous rows from the others; each figure is computed when asked for.

    ``scores`` give AUROC, average precision and FPR95; a ``threshold`` on them, or ``alarms`` themselves, give
    precision, recall and error rates. Rates of independent rows have exact limits (Clopper and Pearson 1934); where
    rows have units or weights, units are resampled ``draws`` times. A figure that does not exist raises ``Undefined``.
    """
    validate.kind(stakes, Stakes, where=WHERE, name="stakes", example="detect_errors(...)")
    ordered = None if scores is None else Ordered.of(scores, stakes.rows, where=WHERE)
    return Detection(
        stakes,
        ordered,
        _alarms(stakes, ordered, threshold, alarms),
        validate.level(level, where=WHERE),
        validate.count(draws, where=WHERE, name="draws", at_least=100),
        validate.seed(seed, where=WHERE),
        scope,
    )


def _alarms(stakes: Stakes, ordered: Ordered | None, threshold: float | None, alarms: ArrayLike | None) -> Rows | None:
    if alarms is not None and threshold is not None:
        raise InvalidInput("give a threshold on scores or alarms, not both", where=WHERE)
    if alarms is not None:
        return as_alarms(alarms, stakes.rows)
    if ordered is None:
        raise InvalidInput("needs scores or alarms", where=WHERE)
    if threshold is None:
        return None
    limit = validate.numbers(threshold, where=WHERE, name="threshold", finite=False)
    if limit.ndim:
        raise InvalidInput("threshold must be one number", where=WHERE, found=f"shape {limit.shape}")
    return np.asarray(ordered.scores > limit)


@dataclass(frozen=True, eq=False, repr=False)
class Detection:
    """Figures of detection, each an Estimate."""

    stakes: Stakes
    ordered: Ordered | None
    alarms: Rows | None
    level: float
    draws: int
    seed: int
    scope: str = ""

    @cached_property
    def precision(self) -> Estimate:
        """Share of alarms at hazardous rows."""
        return self._by.rate("precision", self.positive, self._said, "no alarm was raised")

    @cached_property
    def recall(self) -> Estimate:
        """Share of hazardous rows with an alarm."""
        return self._by.rate("recall", self._said, self.positive, "no row is hazardous")

    @cached_property
    def false_positive_rate(self) -> Estimate:
        """Share of rows without hazard that raise an alarm."""
        return self._by.rate("false positive rate", self._said, ~self.positive, "every row is hazardous")

    @cached_property
    def miss_rate(self) -> Estimate:
        """Share of hazardous rows without an alarm."""
        return self._by.rate("miss rate", ~self._said, self.positive, "no row is hazardous")

    @cached_property
    def accuracy(self) -> Estimate:
        """Share of rows at which there is an alarm if and only if there is a hazard."""
        return self._by.rate("accuracy", self._said == self.positive, np.ones(self.stakes.rows, dtype=bool), "no rows")

    @property
    def checker_coverage(self) -> Estimate:
        """Probability that the checker detects a failure of what it checks (Popov and Strigini 2010): recall."""
        return replace(self.recall, quantity="checker coverage")

    @cached_property
    def auroc(self) -> Estimate:
        """Area under the ROC curve, its error after DeLong, DeLong and Clarke-Pearson (1988), on the logit scale.

        Of rows in units or with weights, influences are summed by unit (Obuchowski 1997). Where all pairs agree, so
        that no error shows, the limit is that of as many disjoint pairs of units (Clopper and Pearson 1934).
        """
        self._require_both("AUROC")
        placed = Placements.of(self._roc, self.stakes.weights)
        if placed.area in (0.0, 1.0):
            found = Counts(self._pairs if placed.area else 0, self._pairs).exact_bounds()
            return self._by.estimate("AUROC", placed.area, found, "disjoint pairs")
        independent = self._by.independent
        error = placed.delong_error() if independent else placed.unit_error(self.stakes.unit_numbers)
        found = logit_bounds(placed.area, error, self.level)
        details = {"standard_error": error}
        return self._by.estimate(
            "AUROC", placed.area, found, "DeLong" if independent else "by unit", (NORMAL,), details
        )

    @cached_property
    def average_precision(self) -> Estimate:
        """Mean precision over the rises of recall, by resampling."""
        self._require_both("average precision")
        return self._by.resampled("average precision", self._roc.average_precision)

    @cached_property
    def fpr95(self) -> Estimate:
        """False positive rate at the highest threshold that detects at least 95% of hazardous rows (score above it).

        Limits of independent rows are exact: an order statistic for the threshold, counts for the rate.
        """
        self._require_both("FPR95")
        statistic = partial(self._roc.false_positive_rate, RECALL)
        if not self._by.independent:
            return self._by.resampled("FPR95", statistic)
        value = float(statistic(np.ones((1, self.stakes.rows)))[0])
        scores = self._roc.ordered.scores
        found = RateAtRecall(np.sort(scores[self.positive]), np.sort(scores[~self.positive]), RECALL)
        return self._by.estimate("FPR95", value, found.bounds(self.level), "order statistics")

    @property
    def positive(self) -> Rows:
        """Rows that an alarm should detect."""
        return self.stakes.hazardous

    @property
    def names(self) -> tuple[str, ...]:
        """Figures that can be asked for."""
        return (*(RATES if self.alarms is not None else ()), *(SCORED if self.ordered is not None else ()))

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """All figures that exist."""
        found = (self._or_words(name) for name in self.names)
        return tuple(estimate for estimate in found if isinstance(estimate, Estimate))

    def table(self) -> Table:
        """A row for each figure; words where one does not exist."""
        head = ("figure", "value", f"from ({percent(self.level)})", "to", "interval")
        return Table(head, tuple(self._row(name, self._or_words(name)) for name in self.names))

    def __str__(self) -> str:
        return str(self.table())

    def __repr__(self) -> str:
        return f"Detection({self.stakes.rows:,} rows, {int(self.positive.sum()):,} hazardous)"

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()

    def _row(self, name: str, found: Estimate | str) -> tuple[Any, ...]:
        if isinstance(found, str):
            return (name.replace("_", " "), found, "", "", "")
        return (found.quantity, found.value, *found.interval(self.level), found.details["interval"])

    def _or_words(self, name: str) -> Estimate | str:
        try:
            found: Estimate = getattr(self, name)
        except Undefined as error:
            return f"undefined: {error.problem}"
        return found

    @property
    def _said(self) -> Rows:
        if self.alarms is None:
            raise InvalidInput("rates need alarms", where=WHERE, remedy="Give threshold=... or alarms=...")
        return self.alarms

    @cached_property
    def _roc(self) -> Roc:
        if self.ordered is None:
            raise InvalidInput("needs scores, not alarms alone", where=WHERE, remedy="Give scores.")
        return Roc(self.ordered, self.positive)

    @property
    def _pairs(self) -> int:
        """How many pairs of a hazardous and another row exist that share no unit."""
        units = self.stakes.unit_numbers
        with_true, with_false = (np.unique(units[kind]).size for kind in (self.positive, ~self.positive))
        return max(min(with_true, with_false, self.stakes.unit_count // 2), 1)

    def _require_both(self, name: str) -> None:
        self._roc  # noqa: B018  scores are needed before anything is counted
        for kind, words in ((self.positive, "hazardous"), (~self.positive, "free of hazard")):
            if kind.sum() < 2 or self._by.weight(kind) == 0:
                found = f"{int(kind.sum())} of {self.stakes.rows:,} rows"
                raise Undefined(f"{name} needs at least two rows that are {words}", where=WHERE, found=found)

    @cached_property
    def _by(self) -> Shares:
        arrays = {
            "hazardous": self.positive,
            "alarms": self.alarms,
            "scores": None if self.ordered is None else self.ordered.scores,
            "units": self.stakes.units,
            "weights": self.stakes.weights,
        }
        data = {name: array_digest(array) for name, array in arrays.items() if array is not None}
        return Shares(self.stakes, self.level, self.draws, self.seed, self.scope, data)
