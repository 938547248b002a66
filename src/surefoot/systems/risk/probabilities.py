"""Failure probabilities: of each condition, and of a mix of conditions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import bounds
from surefoot.core import Assumption, Estimate, propagate, validate
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.validate import FloatArray
from surefoot.systems.data.conditions import Condition
from surefoot.systems.risk.mix import Mix
from surefoot.systems.tables.measured import Measured, failed

QUANTITY = "system failure"
WHERE = "system_failure"
STAND_IN = Assumption(
    "corruptions-stand-for-conditions",
    "Inputs corrupted in the laboratory fail the system as often as inputs met in the condition that they stand for.",
)
STATED_MIX = Assumption("stated-mix", "Operation meets the conditions in the stated shares, and meets no others.")
COUNTED_MIX = Assumption(
    "counted-mix",
    "The conditions counted in operation are independent and drawn like those to come, and no others occur.",
)


@dataclass(frozen=True)
class _How:
    """At which level, and how many items a unit can have in operation."""

    level: float
    max_group_size: int | None

    def grouped(self, losses: FloatArray, units: NDArray[np.int64], scope: str) -> Estimate:
        size = self.max_group_size
        return bounds.grouped(losses, units, level=self.level, max_group_size=size, quantity=QUANTITY, scope=scope)


def failures(
    measured: Measured, *, limit: float = 0.0, level: float = 0.95, max_group_size: int | None = None
) -> dict[Condition, Estimate]:
    """The probability of failure in each condition: exact for independent items, by betting on units otherwise.

    ``max_group_size`` is the most items that a unit can have in operation; without it the largest unit seen takes its
    place, and the bound is heuristic.
    """
    how = _How(level, max_group_size)
    validate.at_least_zero(limit, where="failures", name="limit")
    found = {}
    for condition in measured.conditions:
        estimate = _bound(failed(measured, condition, limit=limit), measured.units, how, scope=condition.label)
        found[condition] = estimate if condition.clean else _assuming(estimate, STAND_IN)
    return found


def system_failure(
    measured: Measured,
    mix: Mix,
    *,
    limit: float = 0.0,
    level: float = 0.95,
    max_group_size: int | None = None,
    scope: str = "",
) -> Estimate:
    """The probability that the system fails on its next input, in operation that meets a mix of conditions.

    Under stated shares each item counts with its failures over all conditions, weighed, so that it does not matter that
    every condition was measured on the same items. Under counted ones the uncertainty of every share and every
    condition is added up, whatever they have to do with each other, which is cautious; a condition that is listed and
    was never seen counts with what its share may still be. ``max_group_size`` means what it means in ``failures``.
    """
    how = _How(level, max_group_size)
    validate.at_least_zero(limit, where=WHERE, name="limit")
    met = mix.of(measured.conditions)
    stand_in = () if all(condition.clean for condition in met) else (STAND_IN,)
    if mix.counted:
        counts = {condition: int(count) for condition, count in met.items()}
        return _assuming(_added_up(measured, counts, limit, how, scope), COUNTED_MIX, *stand_in)
    return _assuming(_weighed(measured, mix, limit, how, scope), STATED_MIX, *stand_in)


def _bound(failing: NDArray[np.bool_], units: NDArray[np.int64] | None, how: _How, *, scope: str) -> Estimate:
    """Of one condition."""
    if units is not None:
        return how.grouped(failing.astype(np.float64), units, scope)
    return bounds.clopper_pearson(int(failing.sum()), failing.size, level=how.level, quantity=QUANTITY, scope=scope)


def _weighed(measured: Measured, mix: Mix, limit: float, how: _How, scope: str) -> Estimate:
    """Of the share of each item's failures over all conditions."""
    weights = mix.weights(measured.conditions)
    if len(weights) == 1:
        return _bound(failed(measured, next(iter(weights)), limit=limit), measured.units, how, scope=scope)
    failing = np.array([failed(measured, condition, limit=limit) for condition in weights], dtype=np.float64)
    losses = np.clip(np.array(list(weights.values())) @ failing, 0, 1)
    if measured.units is not None:
        return how.grouped(losses, measured.units, scope)
    return bounds.betting(losses, level=how.level, quantity=QUANTITY, scope=scope)


def _added_up(measured: Measured, counts: Mapping[Condition, int], limit: float, how: _How, scope: str) -> Estimate:
    level, total = how.level, sum(counts.values())
    inputs: dict[str, Estimate] = {}
    for condition, seen in counts.items():
        name = condition.label
        inputs[f"share of {name}"] = bounds.clopper_pearson(seen, total, level=level, quantity="share", scope=name)
        inputs[f"failure under {name}"] = _bound(
            failed(measured, condition, limit=limit), measured.units, how, scope=name
        )

    def whole(**values: Any) -> Any:
        names = [condition.label for condition in counts]
        return np.minimum(1, sum(values[f"share of {name}"] * values[f"failure under {name}"] for name in names))

    return propagate(
        whole,
        inputs,
        quantity=QUANTITY,
        unit=PER_DEMAND,
        scope=scope,
        direction=dict.fromkeys(inputs, 1),
        level=level,
    )


def _assuming(estimate: Estimate, *assumptions: Assumption) -> Estimate:
    return replace(estimate, assumptions=(*estimate.assumptions, *assumptions))
