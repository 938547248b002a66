"""Limits of a mean by resampling independent units, all figures at once (Efron 1987, bias-corrected and accelerated).

Of units that touch, of which every second one is independent, half as many are drawn as there are: their mean spreads
no less than that of all units does, whatever neighbours have in common (``Sampled.overlap``).
The mean of rows that come in units is a ratio, sums over sizes; units are what is drawn. Where few values occur, counts
of them are drawn instead of rows. Where units are very many they are first pooled at random into blocks, whose means
have the same mean and the same variance of their mean. Other statistics than means get resampled weights of rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.core import BoundFamily, TabulatedBound, Undefined, certain
from surefoot.core.bound import MIN_TAIL_DRAWS, Side
from surefoot.core.validate import FloatArray
from surefoot.monitors.returns.stakes import Basis

MOST_KINDS = 512
MOST_UNITS = 20_000
NUMBERS_AT_ONCE = 4_000_000
WEIGHTS_AT_ONCE = 500_000
USUAL_LEVELS = (0.9, 0.95, 0.975, 0.99, 0.995, 0.999)
HIGHEST = 1 - 1e-9
"""Limits that are computed rather than drawn are tabulated up to this level."""
ROUNDING = 1e-9
Statistic = Callable[[FloatArray], FloatArray]
"""Of draws x rows of weights, a number (or a row of them) for each draw."""


@dataclass(frozen=True, eq=False)
class Resampled:
    """Figures of all units (columns), as sums and sizes, and means of resampled units."""

    sums: FloatArray
    """Units x figures."""
    sizes: FloatArray
    draws: int
    seed: int
    overlap: int = 1
    """How many units at most are worth one independent one."""

    @cached_property
    def means(self) -> FloatArray:
        """Draws x figures."""
        rng = np.random.default_rng(self.seed)
        parts = np.column_stack([self.sums, self.sizes])[self.sizes > 0]
        totals = _totals(parts, self.draws, rng, self.overlap)
        return totals[:, :-1] / totals[:, -1:]

    @cached_property
    def value(self) -> FloatArray:
        """The figures themselves."""
        return np.asarray(self.sums.sum(axis=0) / self.sizes.sum())

    def limits(self, figure: int, side: Side) -> TabulatedBound:
        """Limits of one figure at many levels, up to the last that the draws resolve."""
        value, influence = float(self.value[figure]), self.influence(figure)
        return drawn_limits(self.means[:, figure], value, influence, side, self.overlap)

    def influence(self, figure: int) -> FloatArray:
        """What each unit adds to a figure, up to a factor."""
        return np.asarray(self.sums[:, figure] - self.value[figure] * self.sizes)


def drawn_limits(
    drawn: FloatArray, value: float, influence: FloatArray, side: Side, overlap: int = 1
) -> TabulatedBound:
    """Limits of a figure from its draws: corrected for bias and for a spread that grows with the mean."""
    levels = levels_up_to(1 - MIN_TAIL_DRAWS / drawn.size)
    quantiles = special.ndtri(levels if side == "upper" else 1 - levels)
    shares = bias_corrected(quantiles, value, drawn, influence, overlap)
    limits = np.quantile(np.sort(drawn), shares, method="higher" if side == "upper" else "lower")
    return TabulatedBound.widened(levels, limits, side, "heuristic")


def bias_corrected(
    quantiles: FloatArray, value: float, drawn: FloatArray, influence: FloatArray, overlap: int = 1
) -> FloatArray:
    """Which shares of the draws of a figure stand for quantiles of its error, in standard errors (Efron 1987).

    Corrected for bias, and for a spread that grows with the figure, told by the influence of each unit.
    """
    below = (np.sum(drawn < value) + np.sum(drawn == value) / 2) / drawn.size
    bias = special.ndtri(np.clip(below, 1 / drawn.size, 1 - 1 / drawn.size))
    moved = bias + quantiles
    # The skewness of a mean grows with the root of what is drawn less often.
    grown = math.sqrt(overlap) * _acceleration(influence)
    return np.asarray(special.ndtr(bias + moved / (1 - grown * moved)))


def _acceleration(influence: FloatArray) -> float:
    scale = np.abs(influence).max(initial=0.0)
    if not scale > 0:
        return 0.0
    u = influence / scale
    return float((u**3).sum() / (6 * (u**2).sum() ** 1.5))


def _totals(parts: FloatArray, draws: int, rng: np.random.Generator, overlap: int) -> FloatArray:
    """Column totals of as many units as there are independent ones, drawn with replacement, each time anew."""
    kinds, counts = _kinds(parts)
    if kinds is not None:
        return np.asarray(rng.multinomial(max(counts.sum() // overlap, 1), counts / counts.sum(), size=draws) @ kinds)
    pooled = _pooled(parts, rng)
    return np.concatenate(
        [counts @ pooled for counts in drawn_counts(len(pooled), draws, rng, at_once=NUMBERS_AT_ONCE, overlap=overlap)]
    )


def _kinds(parts: FloatArray) -> tuple[FloatArray | None, NDArray[np.int64]]:
    """The rows that occur and how often, where they are few; none where they are many."""
    code = np.zeros(len(parts), dtype=np.int64)
    for column in parts.T:
        known, numbers = np.unique(column, return_inverse=True)
        if known.size > MOST_KINDS:
            return None, code
        _, code = np.unique(code * known.size + numbers, return_inverse=True)
    _, first, counts = np.unique(code, return_index=True, return_counts=True)
    return (parts[first] if first.size <= MOST_KINDS else None), counts


def _pooled(parts: FloatArray, rng: np.random.Generator) -> FloatArray:
    if len(parts) <= MOST_UNITS:
        return parts
    block = rng.permutation(np.arange(len(parts)) % MOST_UNITS)
    return np.column_stack([np.bincount(block, column, minlength=MOST_UNITS) for column in parts.T])


def drawn_counts(
    units: int, draws: int, rng: np.random.Generator, *, at_once: int, overlap: int = 1
) -> Iterator[NDArray[np.int64]]:
    """How often each unit is drawn where all, or one for each overlap, are drawn with replacement: draws x units."""
    drawn = max(units // overlap, 1)
    step = max(at_once // units, 1)
    for start in range(0, draws, step):
        size = min(step, draws - start)
        chosen = rng.integers(units, size=(size, drawn)) + units * np.arange(size)[:, None]
        yield np.bincount(chosen.ravel(), minlength=size * units).reshape(size, units)


def resampled(statistic: Statistic, basis: Basis, *, draws: int, seed: int) -> FloatArray:
    """The statistic on units drawn with replacement, the same units for the same seed."""
    rng = np.random.default_rng(seed)
    at_once = WEIGHTS_AT_ONCE * basis.unit_count // basis.rows
    blocks = drawn_counts(basis.unit_count, draws, rng, at_once=at_once, overlap=basis.overlap)
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


# Levels at which limits are tabulated.


def levels_up_to(most: float, level: float | None = None, *, count: int = 64) -> FloatArray:
    """Levels from 0.5 to ``most``, among them the usual ones, ``level``, and that of each side of its interval."""
    stated = () if level is None else (level, 1 - (1 - level) / 2)
    named = [each for each in (*USUAL_LEVELS, *stated) if 1 - each >= (1 - most) * (1 - ROUNDING)]
    return np.unique([*(1 - np.geomspace(0.5, 1 - most, count)), *named])


def draws_for(level: float, usual: int = 0) -> int:
    """As many draws as usual, or as both ends of an interval at the level need."""
    return max(usual, math.ceil(2 * MIN_TAIL_DRAWS / (1 - level) * (1 - ROUNDING)))
