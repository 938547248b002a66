"""Upper limits of one failure probability by several methods, side by side, each by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from surefoot import bounds
from surefoot.core import Estimate, Table
from surefoot.core.validate import FloatArray
from surefoot.reliability.assembly import Assembled, bootstrap_values
from surefoot.reliability.correction import Correction

LEVELS = (0.95, 0.975)
DRAWS = 500
CELLS_ALONE = "cells alone"
COLUMNS = ("upper limit by", "rests on", "value", *(f"at {level:g}" for level in LEVELS), "labelled rows")


def limits(
    found: Assembled,
    weights: FloatArray,
    correction: Correction | None,
    *,
    sd: float,
    reach: Callable[[float], float],
    chosen: str,
    least: float,
    seed: int,
) -> Table:
    """Limits of the cells alone and, with held-out labels, of the corrected estimate; ``chosen`` is marked.

    ``sd`` is the standard deviation that the cells alone state, ``reach`` how far sampling inside cells may have left
    them too low at a level, ``least`` what labelled rows say is the least.
    """
    rows: list[tuple[Any, ...]] = [
        (f"{CELLS_ALONE}, normal approximation", "votes, kernel", found.value, *_normal(found.value, sd)),
        (f"{CELLS_ALONE}, bootstrap", "votes, kernel", found.value, *_bootstrap(found, weights, seed)),
        (f"{CELLS_ALONE}, distribution-free", "votes, kernel", found.value, *_bernstein(found, weights, reach)),
    ]
    if correction is not None:
        rows += _corrected(correction, seed)
    return Table(COLUMNS, tuple(_judged(row, chosen, least) for row in rows))


def _judged(row: tuple[Any, ...], chosen: str, least: float) -> tuple[Any, ...]:
    """The row with a mark where it is used, and where the tests speak against its last limit."""
    name = f"{row[0]} (used)" if row[0] == chosen else row[0]
    return (name, *row[1:], "contradict it" if row[-1] < least else "")


def _normal(value: float, sd: float) -> tuple[float, ...]:
    return tuple(value + sd * float(special.ndtri(level)) for level in LEVELS)


def _bootstrap(found: Assembled, weights: FloatArray, seed: int) -> tuple[float, ...]:
    values = bootstrap_values(found, weights, draws=DRAWS, seed=seed)
    return tuple(float(np.quantile(values, level)) for level in LEVELS)


def _bernstein(found: Assembled, weights: FloatArray, reach: Callable[[float], float]) -> tuple[float, ...]:
    """Empirical Bernstein limits of mean(parts) and mean(inside) and one of sampling, the miss probability shared."""
    highest = max(float(weights.max()), 1.0)
    parts, inside = weights * found.parts / highest, weights * found.inside / highest
    answers = []
    for level in LEVELS:
        third = 1 - (1 - level) / 3
        top = bounds.empirical_bernstein(np.clip(parts, 0, 1), level=third).upper(third)
        bottom = bounds.empirical_bernstein(np.clip(inside, 0, 1), level=third).lower(third)
        answers.append(min(1.0, (top / bottom if bottom > 0 else 1.0) + reach(third)))
    return tuple(answers)


def _corrected(correction: Correction, seed: int) -> list[tuple[Any, ...]]:
    """Limits that held-out labels justify."""
    exact = correction.exact(level=LEVELS[0])
    rows: list[tuple[Any, ...]] = [_row("exact binomial", "held-out labels", exact)]
    if correction.weighted:
        weighed = correction.tested(level=LEVELS[0], seed=seed)
        return [_row("weighted betting", "held-out labels, weights", weighed)]
    if not len(correction.operation.points):
        return rows
    tests, operation = correction.tests.failure, correction.operation.failure
    normal = bounds.difference(correction.failed, tests, operation, level=LEVELS[0])
    strata = bounds.predicted_failures(correction.failed, tests, operation, level=LEVELS[0], always=True)
    return [
        *rows,
        _row("predicted strata", "held-out labels, operation", strata),
        _row("difference, normal approximation", "held-out labels, operation", normal),
        ("difference, bootstrap", "held-out labels, operation", normal.value, *_resampled(correction, seed)),
        ("difference, distribution-free", "held-out labels, operation", normal.value, *_betting(correction, seed)),
    ]


def _row(name: str, rests_on: str, estimate: Estimate) -> tuple[Any, ...]:
    return (name, rests_on, estimate.value, *(estimate.upper(level) for level in LEVELS))


def _resampled(correction: Correction, seed: int) -> tuple[float, ...]:
    """Percentiles over resampled tests and resampled operation; both are counts of a few kinds of rows."""
    rng = np.random.default_rng(seed)
    gaps = correction.failed.astype(int) - correction.tests.failure
    shares = np.array([(gaps == gap).mean() for gap in (-1, 0, 1)])
    tests = rng.multinomial(gaps.size, shares, DRAWS) @ np.array([-1, 0, 1]) / gaps.size
    n = len(correction.operation.points)
    operation = rng.binomial(n, correction.operation.failure.mean(), DRAWS) / n
    sums = np.clip(tests + operation, 0, 1)
    return tuple(float(np.quantile(sums, level)) for level in LEVELS)


def _betting(correction: Correction, seed: int) -> tuple[float, ...]:
    """A betting bound of the mean difference and an exact one of the share foretold, the miss probability shared."""
    halves = (correction.failed.astype(float) - correction.tests.failure + 1) / 2
    foretold = int(correction.operation.failure.sum())
    answers = []
    for level in LEVELS:
        half = 1 - (1 - level) / 2
        gap = 2 * bounds.betting(halves, level=half, seed=seed).upper(half) - 1
        share = bounds.clopper_pearson(foretold, len(correction.operation.points), level=half).upper(half)
        answers.append(min(max(gap + share, 0.0), 1.0))
    return tuple(answers)
