"""How well a system does, and how much worse than before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.metrics.tasks.base import Metric, ratio
from surefoot.metrics.tasks.catalogue import as_metric

MetricLike = str | Metric | Callable[[Any, Any], float]


def of(outputs: Any, truths: Any, metric: MetricLike) -> float:
    """The metric of a set of items.

    >>> of([0.1, 0.4], [0.0, 0.4], "mae")
    0.05
    """
    chosen = as_metric(metric)
    value = float(chosen.value(chosen.statistics(outputs, truths).sum(axis=0)))
    if np.isnan(value):
        remedy = "Give at least one item whose truth is not empty."
        raise Undefined("the metric has nothing to divide by", where=chosen.name, remedy=remedy)
    return value


def change(metric: MetricLike, corrupted: float, clean: float) -> float:
    """Relative performance drop (SYS, Tables 4 to 7): corrupted / clean - 1, or 1 - that where higher is better.

    Undefined where the clean value is 0, or below as MOTA may be: there is nothing of which to lose a share.

    >>> round(change("wer", 0.334, 0.212), 3)
    0.575
    """
    after = validate.number(corrupted, where="change", name="corrupted")
    value = float(changes(metric, after, validate.number(clean, where="change", name="clean")))
    if np.isnan(value):
        remedy = "Give the difference instead."
        raise Undefined(
            "a relative change needs a clean value above 0", where="change", found=f"{clean:g}", remedy=remedy
        )
    return value


def changes(metric: MetricLike, corrupted: ArrayLike, clean: ArrayLike) -> FloatArray:
    """``change`` of many values at once, such as those of a bootstrap; NaN where it is undefined."""
    relative = ratio(np.asarray(corrupted, dtype=np.float64), np.asarray(clean, dtype=np.float64)) - 1
    return relative if as_metric(metric).better == "lower" else -relative
