"""Resampled units as weights of rows, and limits from what was computed with them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.core import BoundFamily, TabulatedBound, Undefined, certain
from surefoot.core.bound import MIN_TAIL_DRAWS
from surefoot.core.validate import FloatArray
from surefoot.monitors.evaluation.bootstrap import drawn_counts
from surefoot.monitors.evaluation.levels import HIGHEST, levels_up_to
from surefoot.monitors.returns.basis import Basis

BLOCK = 500_000
"""Weights held at once."""
Statistic = Callable[[FloatArray], FloatArray]
"""Of draws x rows of weights, a number (or a row of them) for each draw."""


def resampled(statistic: Statistic, basis: Basis, *, draws: int, seed: int) -> FloatArray:
    """The statistic on units drawn with replacement, the same units for the same seed."""
    rng = np.random.default_rng(seed)
    blocks = drawn_counts(basis.unit_count, draws, rng, at_once=BLOCK * basis.unit_count // basis.rows)
    return np.concatenate([statistic(_row_weights(counts, basis)) for counts in blocks])


def _row_weights(counts: NDArray[np.int64], basis: Basis) -> FloatArray:
    """Draws x rows: how often a row's unit was drawn, times the row's own weight."""
    heavy = counts if basis.units is None else counts[:, basis.unit_numbers]
    return heavy.astype(np.float64) if basis.weights is None else heavy * basis.weights


def drawn_bounds(drawn: FloatArray, level: float, *, where: str) -> tuple[BoundFamily, BoundFamily]:
    """Limits of a share: quantiles of draws, up to the level that they resolve; undefined draws are left out.

    Where no draw differs from another they say nothing, and the limits are 0 and 1.
    """
    defined = np.sort(drawn[np.isfinite(drawn)])
    if defined.size < 2 * MIN_TAIL_DRAWS:
        raise Undefined("too few resamples in which it is defined", where=where, found=f"{defined.size}")
    if defined[0] == defined[-1]:
        return certain(1.0, "upper"), certain(0.0, "lower")
    levels = levels_up_to(1 - MIN_TAIL_DRAWS / defined.size, level)
    upper = np.quantile(defined, levels, method="higher")
    lower = np.quantile(defined, 1 - levels, method="lower")
    return _heuristic(levels, upper, lower)


def logit_bounds(value: float, error: float, level: float) -> tuple[BoundFamily, BoundFamily]:
    """Normal limits of a share on the logit scale, which keeps them inside 0 to 1."""
    levels = levels_up_to(HIGHEST, level)
    spread = error / (value * (1 - value)) * np.maximum(special.ndtri(levels), 0.0)
    middle = special.logit(value)
    return _heuristic(levels, special.expit(middle + spread), special.expit(middle - spread))


def _heuristic(levels: FloatArray, upper: FloatArray, lower: FloatArray) -> tuple[BoundFamily, BoundFamily]:
    return (
        TabulatedBound.widened(levels, upper, "upper", "heuristic"),
        TabulatedBound.widened(levels, lower, "lower", "heuristic"),
    )
