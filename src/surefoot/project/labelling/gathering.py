"""The labelled and the operational rows behind a failure probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import Data, Tested
from surefoot.core.validate import FloatArray
from surefoot.hazards.labels import Asked
from surefoot.hazards.labels.allocation import Expected, path
from surefoot.hazards.labels.choice import Marks, labelled_before, marks
from surefoot.hazards.labels.failing import PROBABILITY
from surefoot.hazards.labels.strata import BINS
from surefoot.project.labelling.found import Found
from surefoot.project.steps.stratified_parameters import RISK
from surefoot.project.steps.stratified_rows import StratifiedRows

IDENTIFIERS = ("id", "file", "path", "name")
UNKNOWN_RISK = 0.01
"""Expected where the scores are no probabilities; the plan hardly depends on it."""


@dataclass(frozen=True, eq=False)
class Gathered:
    """Rows of one failure probability, in strata."""

    found: Found
    rows: StratifiedRows
    data: str

    @classmethod
    def of(
        cls, found: Found, rows: tuple[Tested, Data], data: str, *, strata: str | None, labels: int, level: float
    ) -> Gathered:
        """In the strata of the step, where it has some; else in as many as promise the lowest bound."""
        rule = strata or found.said("strata") or RISK
        bins = [found.said("bins")] if found.is_stratified else [BINS, 1]
        said = {name: found.said(name) for name in ("of", "undesired")} | {"labels": found.sheet}
        choices = [cls(found, StratifiedRows(*rows, rule, each, **said), data) for each in bins]
        if rule != RISK or len(choices) == 1:
            return choices[0]
        return min(choices, key=lambda each: each.promise(labels, level))

    @property
    def forecasts(self) -> tuple[FloatArray, FloatArray]:
        """Shares of each stratum that count and fail, and that count, as the model itself sees it."""
        rows, size = self.rows, len(self.rows.names)
        if rows.tested.output == PROBABILITY:
            sums = [
                np.bincount(rows.operational, each, size) for each in rows.failing.predicted(rows.operational_scores)
            ]
            counts = np.bincount(rows.operational, minlength=size)
            return sums[0] / counts, sums[1] / counts
        even = UNKNOWN_RISK / (size * rows.weights) if rows.strata == RISK else np.full(size, UNKNOWN_RISK)
        return np.minimum(even, 0.5), np.full(size, float(rows.failing.counted.mean()))

    def promise(self, labels: int, level: float) -> float:
        """About the bound that so many labels promise, before any outcome is looked at."""
        tally = self.rows.tally
        expected = Expected.before_outcomes(tally.shares, *self.forecasts, float(tally.trials.sum()) + labels)
        room = np.bincount(self.rows.operational, minlength=len(tally.names))
        route = path(expected, tally.trials, room, labels, level)
        return float(expected.limits(tally.trials + np.bincount(route, minlength=len(tally.names)), level))

    def asked(self, *, weight: float, bound: float | None) -> Asked:
        """What the plan needs to know."""
        rows, operation = self.rows, self.rows.operation
        assert operation is not None
        known, same = self._labelled()
        failing, counting = self.forecasts
        scores = rows.operational_scores
        return Asked(
            self.found.reference,
            self.found.component,
            self.data,
            operation.digest,
            rows.tally,
            failing,
            counting,
            rows.operational,
            ~known,
            np.asarray(scores.argmax(axis=1)),
            np.asarray(scores.max(axis=1)),
            rows.tested.classes,
            _identifiers(operation),
            same,
            weight,
            bound,
        )

    def _labelled(self) -> tuple[NDArray[np.bool_], Marks | None]:
        """Operational rows that have a label, in the sheet or in the test set, and fingerprints of all."""
        operation, tested = self.rows.operation, self.rows.tested
        assert operation is not None
        known = np.zeros(self.rows.operational.size, dtype=bool)
        known[[row.row for row in self.rows.labelled]] = True
        if operation.inputs is None:
            return known, None
        if tested.inputs is None:
            return known, marks(operation.inputs, operation.inputs.dtype)
        kind = np.result_type(operation.inputs, tested.inputs)
        same = marks(operation.inputs, kind)
        return known | labelled_before(same, marks(tested.inputs, kind)), same


def _identifiers(operation: Data) -> NDArray[Any] | None:
    """How people call the rows: a column with a usual name, or the groups."""
    named = (operation.attributes[name] for name in IDENTIFIERS if name in operation.attributes)
    return next(named, operation.groups)
