"""What discounts a metric: how good the forecasts are, and how much of the operating conditions the rows show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import opinions
from surefoot.adapters import Tested
from surefoot.core import Assumption, Table, validate
from surefoot.documents import counted
from surefoot.opinions import Link, Opinion
from surefoot.project.definition import Conditions
from surefoot.project.steps.coverage import measured_coverage, missing
from surefoot.project.steps.rows import brier_losses, require_probabilities

NOT_COVERED = Assumption("covered-conditions", "The test data cover the operating conditions.")
COMPLETE = Assumption("complete-conditions", "The table of operating conditions names all that matters.")
STATED = Assumption("stated-coverage", "The stated coverage of the operating conditions is right.")
NO_PROBABILITIES = "Say calibration: false, or let the component give probabilities."


@dataclass(frozen=True)
class Trust:
    """A link of the chain, where there is one, and what comes with it."""

    link: Link | None
    note: str = ""
    assumption: Assumption | None = None
    table: Table | None = None


def calibration(tested: Tested, positive: str | None, by: str, *, prior_weight: float, base_rate: float) -> Trust:
    """Trust in the forecasts of all rows: of the positive class, or of all classes where none is named."""
    require_probabilities(tested, "calibration", NO_PROBABILITIES)
    validate.choice(by, ("brier", "ece"), where=tested.component, name="measure of calibration")
    measure = _brier if by == "brier" else _expected_error
    opinion = measure(tested, positive, prior_weight, base_rate)
    name = "squared error of the forecasts" if by == "brier" else "expected calibration error"
    return Trust(Link("calibration", "model", opinion), f"{name} of {counted(len(tested), 'row')}")


def coverage(
    tested: Tested,
    conditions: Conditions,
    asked: bool | Mapping[Any, int],
    ways: int,
    *,
    prior_weight: float,
    base_rate: float,
) -> Trust:
    """Trust in the data set: stated, measured on the table of operating conditions, or none."""
    options = {"prior_weight": prior_weight, "base_rate": base_rate}
    if isinstance(asked, Mapping):
        total = validate.count(asked.get("total"), where="coverage", name="total", at_least=1)
        covered = validate.count(asked.get("covered"), where="coverage", name="covered")
        opinion = opinions.coverage(covered, total, **options)
        return Trust(Link("coverage", "data", opinion), f"{covered:,} of {total:,}, as stated", STATED)
    if not asked or not conditions.odd:
        return Trust(None, assumption=NOT_COVERED)
    found = measured_coverage(tested, conditions.odd, ways)
    note = f"{found.covered:,} of {found.total:,} combinations of {counted(found.strength, 'dimension')}"
    return Trust(Link("coverage", "data", found.opinion(**options)), note, COMPLETE, missing(found))


def _brier(tested: Tested, positive: str | None, prior_weight: float, base_rate: float) -> Opinion:
    if positive is None:
        errors = brier_losses(tested)
        return opinions.score(1 - errors.mean(), errors.size, prior_weight=prior_weight, base_rate=base_rate)
    forecast, outcome = _forecast(tested, positive)
    return opinions.brier(forecast, outcome, prior_weight=prior_weight, base_rate=base_rate)


def _expected_error(tested: Tested, positive: str | None, prior_weight: float, base_rate: float) -> Opinion:
    if positive is None:
        confidence, correct = tested.scores.max(axis=1), ~tested.failed
    else:
        confidence, correct = _forecast(tested, positive)
    return opinions.expected_calibration_error(confidence, correct, prior_weight=prior_weight, base_rate=base_rate)


def _forecast(tested: Tested, positive: str) -> tuple[NDArray[np.floating], NDArray[np.bool_]]:
    number = tested.class_number(positive)
    return tested.scores[:, number], tested.labels == number
