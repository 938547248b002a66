"""Smallest coverage of limits over strata, exactly: sums over all outcomes on a fine grid of truths.

Usage: python -m benchmarks.coverage_strata [--level 0.95] [--points 61]
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from scipy import stats

from surefoot.bounds.operational_risk import StratifiedBound
from surefoot.bounds.prediction_powered import PredictedStrataBound
from surefoot.core import BoundFamily, Side
from surefoot.core.validate import FloatArray

DESIGNS: list[tuple[tuple[int, ...], tuple[float, ...]]] = [
    ((12, 12), (0.95, 0.05)),
    ((20, 20), (0.5, 0.5)),
    ((5, 40), (0.3, 0.7)),
    ((4, 6, 5), (0.5, 0.3, 0.2)),
    ((4, 6, 3, 5), (0.4, 0.3, 0.2, 0.1)),
    ((6, 6, 6, 6), (0.25, 0.25, 0.25, 0.25)),
]
PREDICTED = [(12, 2, 8), (8, 3, 5)]
SIDES: tuple[Side, ...] = ("upper", "lower")


def main() -> None:
    """Print one line a design and side."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--level", type=float, default=0.95)
    parser.add_argument("--points", type=int, default=61)
    asked = parser.parse_args()
    for (trials, shares), side in itertools.product(DESIGNS, SIDES):
        families = (StratifiedBound(k, trials, shares, side, "confidence") for k in _outcomes(trials))
        points = asked.points if len(trials) == 2 else 9
        found = _smallest(families, trials, partial(np.dot, shares), side, asked.level, points)
        print(f"| strata {trials}, shares {shares} | {side} | {found:.4f} |", flush=True)
    for (unlabelled, flagged, others), side in itertools.product(PREDICTED, SIDES):
        trials, seen = (unlabelled, flagged, others), unlabelled + flagged + others
        families = (
            PredictedStrataBound(k + flagged, seen, a, flagged, b, others, side, "confidence")
            for k, a, b in _outcomes(trials)
        )
        found = _smallest(families, trials, lambda p: p[0] * p[1] + (1 - p[0]) * p[2], side, asked.level, 13)
        print(
            f"| predicted: {unlabelled} unlabelled, {flagged} flagged tests, {others} others | {side} | {found:.4f} |",
            flush=True,
        )


def _outcomes(trials: Sequence[int]) -> Iterator[tuple[int, ...]]:
    return itertools.product(*(range(n + 1) for n in trials))


def _smallest(
    families: Iterator[BoundFamily],
    trials: Sequence[int],
    risk: Callable[[FloatArray], float],
    side: Side,
    level: float,
    points: int,
) -> float:
    limits = np.array([family.limit_at(level) for family in families]).reshape([n + 1 for n in trials])
    grid = np.sin(np.linspace(0, math.pi / 2, points)) ** 2
    masses = [stats.binom.pmf(np.arange(n + 1)[None], n, grid[:, None]) for n in trials]
    return min(
        _covered(limits, [m[i] for m, i in zip(masses, place, strict=True)], risk(grid[list(place)]), side)
        for place in np.ndindex(*[points] * len(trials))
    )


def _covered(limits: FloatArray, masses: list[FloatArray], truth: float, side: Side) -> float:
    held = limits >= truth - 1e-12 if side == "upper" else limits <= truth + 1e-12
    return float(math.prod(np.ix_(*masses))[held].sum())


if __name__ == "__main__":
    main()
