"""How many labels each stratum of each component gets.

Inside a component the numbers rest on what the model says of its inputs and on how many labels there are, never on
outcomes. Otherwise a stratum that was lucky so far would get fewer labels, its luck would stay in the estimate, and the
failure probability would come out too low (by 5 to 40% in our measurements: docs/labels.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.core.validate import FloatArray

MOST_STEPS = 2000
DEFENSIVE = 0.1
"""Share of the expected risk that is spread evenly: the model may be sure and wrong (Hesterberg 1995)."""
FEWEST_FAILURES = 5.0
"""Expected among all labels at least: with fewer, no way to spend labels differs much from another."""
LARGEST_RATE = 0.9


@dataclass(frozen=True, eq=False)
class Expected:
    """Shares of operation, and how probably a label in each stratum counts and fails, and how probably it counts."""

    shares: FloatArray
    failing: FloatArray
    counting: FloatArray

    @classmethod
    def before_outcomes(cls, shares: FloatArray, failing: FloatArray, counting: FloatArray, labels: float) -> Expected:
        """From the model's own forecasts for strata of these shares, when there will be so many labels in all."""
        mean = max(float(shares @ failing), 1e-12)
        level = max(mean, FEWEST_FAILURES / max(labels, FEWEST_FAILURES))
        mixed = ((1 - DEFENSIVE) * failing / mean + DEFENSIVE) * level
        rates = np.minimum(mixed, LARGEST_RATE)
        return cls(shares, rates, np.maximum(counting, rates))

    @property
    def counted(self) -> float:
        """Share of operation that counts."""
        return float(self.shares @ self.counting)

    @property
    def risk(self) -> float:
        """The expected failure probability."""
        return float(self.shares @ self.failing) / self.counted

    def variances(self) -> FloatArray:
        """Variance that one label of each stratum brings into the failure probability (ratio estimator)."""
        risk, passing = self.risk, self.counting - self.failing
        squares = (1 - risk) ** 2 * self.failing + risk**2 * passing
        return np.asarray(squares - ((1 - risk) * self.failing - risk * passing) ** 2)

    def limits(self, trials: FloatArray, level: float) -> FloatArray:
        """About the upper limit with so many labels in the strata (last axis): mean, half counts, deviation."""
        sizes = self.shares / np.maximum(trials, 0.5)
        half = (sizes.sum(axis=-1) + sizes.max(axis=-1)) / 2
        spread = (sizes**2 * (np.maximum(trials, 0.5) * self.variances() + 0.5)).sum(axis=-1)
        return np.asarray(self.risk + (half + special.ndtri(level) * np.sqrt(spread)) / self.counted)


def path(
    expected: Expected, trials: FloatArray, room: NDArray[np.int64], labels: int, level: float
) -> NDArray[np.intp]:
    """The stratum of each further label, best first; ends early where no unlabelled rows are left."""
    step = -(-labels // MOST_STEPS)
    now, left = trials.astype(float), room.copy()
    chosen: list[int] = []
    while len(chosen) < labels and left.any():
        size = min(step, labels - len(chosen))
        after = expected.limits(now + size * np.eye(now.size), level)
        stratum = int(np.where(left > 0, after, np.inf).argmin())
        size = min(size, int(left[stratum]))
        now[stratum] += size
        left[stratum] -= size
        chosen += [stratum] * size
    return np.array(chosen, dtype=np.intp)


def shared(values: Sequence[FloatArray], labels: int) -> list[int]:
    """How many labels each component gets, when ``values[c][j]`` is what is left of the top event after j labels.

    The greatest convex minorant of each curve falls ever more slowly, so that taking the steepest steps first is best.
    """
    slopes = [_slopes(curve) for curve in values]
    owner = np.repeat(np.arange(len(slopes)), [each.size for each in slopes])
    steepest = np.argsort(np.concatenate(slopes), kind="stable")[:labels]
    return np.bincount(owner[steepest], minlength=len(slopes)).tolist()


def _slopes(curve: FloatArray) -> FloatArray:
    """Slopes of the greatest convex minorant, one for each step; they rise."""
    corners = [0]
    for place in range(1, curve.size):
        while len(corners) > 1 and _slope(curve, corners[-2], corners[-1]) >= _slope(curve, corners[-1], place):
            corners.pop()
        corners.append(place)
    pairs = list(pairwise(corners))
    slopes = [_slope(curve, start, end) for start, end in pairs]
    return np.repeat(np.asarray(slopes, dtype=float), [end - start for start, end in pairs])


def _slope(curve: FloatArray, start: int, end: int) -> float:
    return float(curve[end] - curve[start]) / (end - start)
