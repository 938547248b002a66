"""``threats``: an alarm should say when an input is of a kind that must not be trusted (MON, evaluation 2)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import validate
from surefoot.monitors.returns.basis import WHERE
from surefoot.monitors.returns.stakes import Stakes, as_alarms, return_function


@return_function(of="marks")
def threats(
    is_threat: ArrayLike,
    *,
    units: NDArray[Any] | None = None,
    weights: ArrayLike | None = None,
    unit: str = "input",
    name: str = "threats",
) -> Stakes:
    """What is at stake where every threat is a hazard, unless an alarm stops it (MON, Eqns. 12 and 13).

    Threats are novel classes, shifted or adversarial inputs, or any other flag of a row. Safety is 0 at a threat
    without an alarm and 1 otherwise; the mission is worth 0 where an alarm meets no threat and 1 otherwise. The ideal
    function is worth 1 everywhere, so safety gain and residual hazard sum to the share of threats.
    """
    flags = validate.vector(is_threat, where=WHERE, name="threats")
    threat = as_alarms(flags, flags.size, name="threats").astype(np.float64)
    ones = np.ones_like(threat)
    stakes = Stakes(1 - threat, ones, ones, ones, threat, units=units, unit=unit, name=name, two_valued=True)
    return stakes if weights is None else stakes.weighted(weights)
