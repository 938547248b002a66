"""Thresholds that do not come from the rows to choose on."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.returns import Stakes, Sweep


def grid_of(other_scores: ArrayLike, points: int = 100) -> FloatArray:
    """Thresholds at even quantiles of scores of other rows, such as those a detector was fitted on.

    A guarantee with a probability needs thresholds that were fixed before the calibration rows were seen; equal
    quantiles are merged.
    """
    scores = validate.vector(other_scores, where="grid_of", name="other_scores")
    number = validate.count(points, where="grid_of", name="points", at_least=1)
    levels = np.linspace(0, 1, number) if number > 1 else np.array([0.5])
    return np.unique(np.quantile(scores, levels))


def as_grid(thresholds: ArrayLike | None, source: Stakes | Sweep, *, where: str) -> FloatArray | None:
    """Thresholds given by the caller, in rising order, each once; infinite ones alarm always or never."""
    if thresholds is None:
        return None
    if isinstance(source, Sweep):
        raise InvalidInput("a Sweep brings its own thresholds", where=where, remedy="Leave thresholds out.")
    values = validate.numbers(thresholds, where=where, name="thresholds", finite=False)
    if values.ndim != 1 or not values.size:
        remedy = "Give one threshold or more, such as grid_of(scores of other rows)."
        raise InvalidInput("thresholds must be a list", where=where, found=f"shape {values.shape}", remedy=remedy)
    return np.unique(values)
