"""How many points each box deserves, judged by a few that were drawn before.

What is decided here depends on earlier points only, never on those that enter the estimate. Given the earlier ones,
the estimate is a stratified sample of fixed sizes: unbiased, and covered by the bounds of ``sampling_error``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray

FEWEST = 8
"""Points of a box that seems settled and weighs nothing."""
MARGIN = 0.75
"""The variance is aimed this much lower, because it is only guessed."""
MOST = 4
"""A box gets at most so many times the points of an equal allocation."""
STEP = 1.1
"""Numbers of points are rounded up to powers of this, so that many boxes share one."""
CLEAR = 3.0
"""A vote is clear when the lead is this many standard deviations of a tie."""


@dataclass(frozen=True, eq=False)
class Looked:
    """What a first look found: failures among points of each box, and whether its vertices looked different."""

    failures: NDArray[np.int64]
    points: NDArray[np.int64]
    suspect: NDArray[np.bool_]

    @property
    def rarer(self) -> NDArray[np.int64]:
        """Points of the rarer outcome, failure or not."""
        return np.minimum(self.failures, self.points - self.failures)

    @property
    def variance(self) -> FloatArray:
        """Unbiased estimate of p (1 - p) in each box."""
        return self.failures * (self.points - self.failures) / (self.points * (self.points - 1.0))


def allocated(looked: Looked, weights: FloatArray, *, samples: int, resolution: float) -> NDArray[np.int64]:
    """Points of each box for the standard error of the weighted risk that ``samples`` in every box would reach.

    Neyman (1934): numbers in proportion to weight times standard deviation need the fewest points. No standard error
    below ``resolution`` is aimed at, a share of the sum of weights, and no box gets so few points that one failure
    there would move the result by more than half the standard error, or the resolution, unless ``samples`` would.
    """
    smallest = resolution * float(weights.sum())
    error = max(math.sqrt(float(weights**2 @ looked.variance) / samples), smallest)
    if error == 0:
        return np.full(len(weights), FEWEST)
    spread = weights * np.sqrt(guessed_variance(looked, weights))
    wanted = spread * (spread.sum() / (MARGIN * error**2))
    least = np.maximum(weights / max(error / 2, smallest), FEWEST)
    return _rounded_up(np.maximum(np.minimum(wanted, MOST * samples), np.minimum(least, samples)))


def guessed_variance(looked: Looked, weights: FloatArray) -> FloatArray:
    """A guess of p (1 - p) for each box.

    Where both outcomes were seen it is the mean under Jeffreys' posterior. Where one was seen, it is the mean over all
    such boxes by the argument of Good (1953): the sum of p over boxes without a failure among m points is about
    the number of boxes with exactly one, over m + 1. Boxes whose vertices differ are guessed apart.
    """
    a, b = looked.failures + 0.5, looked.points - looked.failures + 0.5
    guess = a * b / ((a + b) * (a + b + 1))
    rarer, squares = looked.rarer, weights**2
    for group in (looked.suspect, ~looked.suspect):
        never, once = group & (rarer == 0), group & (rarer == 1)
        total = float(squares[never].sum())
        seen = float((squares[once] / (looked.points[once] + 1)).sum())
        guess[never] = min(seen / total, 0.25) if total > 0 else 0.0
    return np.asarray(guess)


def unclear(counts: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Whether the most frequent answer of each row may well be another one, by the counts of the first two."""
    if counts.shape[1] < 2:
        return np.zeros(len(counts), bool)
    mixed = np.flatnonzero(np.count_nonzero(counts, axis=1) > 1)
    second, first = np.partition(counts[mixed], -2, axis=1)[:, -2:].T.astype(float)
    result = np.zeros(len(counts), bool)
    result[mixed] = first - second < CLEAR * np.sqrt(first + second)
    return result


def _rounded_up(numbers: FloatArray) -> NDArray[np.int64]:
    powers = np.ceil(np.log(numbers) / math.log(STEP))
    return np.ceil(STEP**powers).astype(np.int64)
