"""Failure probabilities: of each condition, and of a mix of conditions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import bounds
from surefoot.core import Assumption, Estimate, propagate, validate
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.validate import FloatArray
from surefoot.systems.data.conditions import Condition
from surefoot.systems.risk.mix import Mix
from surefoot.systems.tables.measured import Measured

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


def failed(measured: Measured, condition: Condition, *, limit: float = 0.0) -> NDArray[np.bool_]:
    """Items that the system fails in a condition: their error is above the limit, or they have no answer."""
    return measured.faulty(condition) | ~(measured.errors(condition) <= limit)


def failures(measured: Measured, *, limit: float = 0.0, level: float = 0.95) -> dict[Condition, Estimate]:
    """The probability of failure in each condition: exact for independent items, by betting on units otherwise."""
    validate.at_least_zero(limit, where="failures", name="limit")
    found = {}
    for condition in measured.conditions:
        losses = failed(measured, condition, limit=limit).astype(np.float64)
        estimate = _bound(losses, measured.units, level, scope=condition.label)
        found[condition] = estimate if condition.clean else _assuming(estimate, STAND_IN)
    return found


def system_failure(
    measured: Measured, mix: Mix, *, limit: float = 0.0, level: float = 0.95, scope: str = ""
) -> Estimate:
    """The probability that the system fails on its next input, in operation that meets a mix of conditions.

    Under stated shares each item counts with its failures over all conditions, weighed, so that it does not matter that
    every condition was measured on the same items. Under counted ones the uncertainty of every share and every
    condition is added up, whatever they have to do with each other, which is cautious.
    """
    validate.at_least_zero(limit, where=WHERE, name="limit")
    weights = mix.weights(measured.conditions)
    stand_in = () if all(condition.clean for condition in weights) else (STAND_IN,)
    if mix.counted:
        return _assuming(_added_up(measured, mix, weights, limit, level, scope), COUNTED_MIX, *stand_in)
    losses = sum(weight * failed(measured, c, limit=limit).astype(np.float64) for c, weight in weights.items())
    estimate = _bound(np.clip(np.asarray(losses), 0, 1), measured.units, level, scope=scope)
    return _assuming(estimate, STATED_MIX, *stand_in)


def _bound(losses: FloatArray, units: NDArray[np.int64] | None, level: float, *, scope: str) -> Estimate:
    about: dict[str, Any] = {"level": level, "quantity": QUANTITY, "scope": scope}
    if units is not None:
        return bounds.grouped(losses, units, **about)
    if np.isin(losses, (0.0, 1.0)).all():
        return bounds.clopper_pearson(int(losses.sum()), losses.size, **about)
    return bounds.betting(losses, **about)


def _added_up(
    measured: Measured, mix: Mix, weights: Mapping[Condition, float], limit: float, level: float, scope: str
) -> Estimate:
    total = int(sum(mix.shares.values()))
    inputs: dict[str, Estimate] = {}
    for number, condition in enumerate(weights):
        seen, name = int(mix.shares[condition.label]), condition.label
        inputs[f"share_{number}"] = bounds.clopper_pearson(seen, total, level=level, quantity="share", scope=name)
        losses = failed(measured, condition, limit=limit).astype(np.float64)
        inputs[f"failure_{number}"] = _bound(losses, measured.units, level, scope=name)

    def whole(**values: Any) -> Any:
        return np.minimum(1, sum(values[f"share_{i}"] * values[f"failure_{i}"] for i in range(len(weights))))

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
