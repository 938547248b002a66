"""``detection``: precision, recall, AUROC and their like, from the same returns as safety gain.

A row is positive where the model alone falls short of the ideal (``stakes.hazardous``): what an alarm should detect.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import Estimate, InvalidInput, Table, Undefined, array_digest, validate
from surefoot.documents import percent
from surefoot.monitors.evaluation.ordering import Ordered
from surefoot.monitors.evaluation.separation import Separation
from surefoot.monitors.evaluation.shares import WHERE, Rows, Shares
from surefoot.monitors.returns.stakes import Stakes, as_alarms

RATES = ("precision", "recall", "false_positive_rate", "miss_rate", "accuracy")
SCORED = ("auroc", "average_precision", "fpr95")


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
    validate.kind(stakes, Stakes, where=WHERE, name="stakes", example="returns.errors(predictions, truths)")
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
    return np.asarray(ordered.scores > validate.number(threshold, where=WHERE, name="threshold", finite=False))


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
        return self._shares.rate("precision", self.positive, self._said, "no alarm was raised")

    @cached_property
    def recall(self) -> Estimate:
        """Share of hazardous rows with an alarm."""
        return self._shares.rate("recall", self._said, self.positive, "no row is hazardous")

    @cached_property
    def false_positive_rate(self) -> Estimate:
        """Share of rows without hazard that raise an alarm."""
        return self._shares.rate("false positive rate", self._said, ~self.positive, "every row is hazardous")

    @cached_property
    def miss_rate(self) -> Estimate:
        """Share of hazardous rows without an alarm."""
        return self._shares.rate("miss rate", ~self._said, self.positive, "no row is hazardous")

    @cached_property
    def accuracy(self) -> Estimate:
        """Share of rows at which there is an alarm if and only if there is a hazard."""
        return self._shares.rate(
            "accuracy", self._said == self.positive, np.ones(self.stakes.rows, dtype=bool), "no rows"
        )

    @cached_property
    def auroc(self) -> Estimate:
        """Area under the ROC curve; see ``Separation.auroc``."""
        return self._separation.auroc()

    @cached_property
    def average_precision(self) -> Estimate:
        """Mean precision over the rises of recall."""
        return self._separation.average_precision()

    @cached_property
    def fpr95(self) -> Estimate:
        """False positive rate at the highest threshold that detects at least 95% of hazardous rows."""
        return self._separation.fpr95()

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

    @property
    def _separation(self) -> Separation:
        if self.ordered is None:
            raise InvalidInput("needs scores, not alarms alone", where=WHERE, remedy="Give scores.")
        return Separation(self._shares, self.ordered, self.positive)

    @cached_property
    def _shares(self) -> Shares:
        arrays = {
            "hazardous": self.positive,
            "alarms": self.alarms,
            "scores": None if self.ordered is None else self.ordered.scores,
            "units": self.stakes.units,
            "weights": self.stakes.weights,
        }
        data = {name: array_digest(array) for name, array in arrays.items() if array is not None}
        return Shares(self.stakes, self.level, self.draws, self.seed, self.scope, data)
