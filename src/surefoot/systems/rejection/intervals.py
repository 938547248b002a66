"""Intervals from resamples, and the share by which rejection improves a metric."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import InvalidInput, validate
from surefoot.core.bound import MIN_TAIL_DRAWS
from surefoot.core.validate import FloatArray
from surefoot.metrics.tasks import Metric, changes

Interval = tuple[float | None, float | None]
NONE: Interval = (None, None)
FEW = 5
"""Of fewer rejected items, or units, resamples tell too little: simulated 95% intervals of one, or of three, held the
truth 30% to 89% of the time."""


def check_draws(draws: int, level: float, *, where: str) -> None:
    """Enough resamples for the tails of an interval."""
    validate.level(level, where=where)
    needed = int(np.ceil(2 * MIN_TAIL_DRAWS / (1 - level)))
    if validate.count(draws, where=where, name="draws") < needed:
        remedy = f"Use at least {needed:,}."
        raise InvalidInput(f"too few draws for level {level:g}", where=where, found=f"{draws:,}", remedy=remedy)


def percentiles(drawn: FloatArray, level: float) -> Interval:
    """The middle ``level`` of resamples (Efron 1979); none where half of them or more are undefined."""
    defined = drawn[np.isfinite(drawn)]
    if 2 * defined.size <= drawn.size:
        return NONE
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def improvements(metric: Metric, accepted: ArrayLike, everything: ArrayLike) -> FloatArray:
    """How much better accepted items are than all: 1 - accepted / all, or accepted / all - 1 where higher is better.

    So SYS, Tables 26 and 27; NaN where it is undefined.
    """
    return -changes(metric, accepted, everything)


def plain(value: ArrayLike) -> float | None:
    """A number, or None where it is undefined."""
    number = float(np.asarray(value))
    return number if np.isfinite(number) else None
