"""Resampled units as weights of rows, and limits from what was computed with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy import special

from surefoot.core import BoundFamily, Side, TabulatedBound, Undefined
from surefoot.core.bound import MIN_TAIL_DRAWS
from surefoot.core.validate import FloatArray
from surefoot.monitors.returns.basis import Basis

BLOCK = 500_000
"""Weights held at once."""
LEVELS = 64
Statistic = Callable[[FloatArray], FloatArray]
"""Of draws x rows of weights, a number (or a row of them) for each draw."""


def resampled(statistic: Statistic, basis: Basis, *, draws: int, seed: int) -> FloatArray:
    """The statistic on units drawn with replacement, the same units for the same seed."""
    parts = [statistic(weights) for weights in row_weights(basis, draws, seed)]
    return np.concatenate(parts)


def row_weights(basis: Basis, draws: int, seed: int) -> Iterator[FloatArray]:
    """Weights of all rows, blocks of draws at a time: how often a row's unit was drawn, times its own weight."""
    rng, units = np.random.default_rng(seed), basis.unit_count
    step = max(BLOCK // basis.rows, 1)
    for start in range(0, draws, step):
        size = min(step, draws - start)
        chosen = rng.integers(units, size=(size, units)) + units * np.arange(size)[:, None]
        counts = np.bincount(chosen.ravel(), minlength=size * units).reshape(size, units).astype(np.float64)
        heavy = counts if basis.units is None else counts[:, basis.unit_numbers]
        yield heavy if basis.weights is None else heavy * basis.weights


def drawn_bounds(drawn: FloatArray, level: float, *, where: str) -> tuple[BoundFamily, BoundFamily]:
    """Upper and lower limits: quantiles of draws, up to the level that they resolve; undefined draws are left out."""
    defined = np.sort(drawn[np.isfinite(drawn)])
    if defined.size < 2 * MIN_TAIL_DRAWS:
        raise Undefined("too few resamples in which it is defined", where=where, found=f"{defined.size}")
    levels = _levels(level, MIN_TAIL_DRAWS / defined.size)
    upper = np.quantile(defined, levels, method="higher")
    lower = np.quantile(defined, 1 - levels, method="lower")
    return _table(levels, upper, "upper"), _table(levels, lower, "lower")


def logit_bounds(value: float, error: float, level: float) -> tuple[BoundFamily, BoundFamily]:
    """Normal limits of a share on the logit scale, which keeps them inside 0 to 1."""
    levels = _levels(level, 1e-9)
    spread = error / (value * (1 - value)) * np.maximum(special.ndtri(levels), 0.0)
    middle = special.logit(value)
    return (
        _table(levels, special.expit(middle + spread), "upper"),
        _table(levels, special.expit(middle - spread), "lower"),
    )


def _levels(level: float, smallest: float) -> FloatArray:
    """Many levels, among them ``level`` and that of each side of an interval at ``level``."""
    misses = np.concatenate([np.geomspace(0.5, smallest, LEVELS), [1 - level, (1 - level) / 2]])
    return np.unique(1 - misses[misses >= smallest * (1 - 1e-9)])


def _table(levels: FloatArray, limits: FloatArray, side: Side) -> BoundFamily:
    return TabulatedBound(tuple(levels.tolist()), tuple(limits.tolist()), side, "heuristic")
