"""Sums of independent weighted shares, each beta-distributed, on a fine grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.core.validate import FloatArray

POINTS = 2**14
TAIL = 1e-14
DEVIATIONS = 8.0


@dataclass(frozen=True)
class Share:
    """A stratum's share of operation times a Beta(``a``, ``b``) variable; ``b`` 0 is certainty, ``a`` 0 its absence."""

    weight: float
    a: float
    b: float

    @property
    def largest(self) -> float:
        """Practically the largest value."""
        if self.a == 0:
            return 0.0
        return self.weight * (1.0 if self.b == 0 else float(special.betainccinv(self.a, self.b, TAIL)))

    def masses(self, grid: FloatArray, *, up: bool) -> FloatArray:
        """Probability of each point of the grid, every value moved to the next point above or below it."""
        masses = np.zeros(grid.size)
        if self.a == 0 or self.b == 0:
            place = 0.0 if self.a == 0 else self.weight / (grid[1] - grid[0])
            masses[int(np.ceil(place) if up else place)] = 1.0
            return masses
        below = special.betainc(self.a, self.b, np.minimum(grid / self.weight, 1.0))
        steps = np.diff(below)
        masses[1:] = steps if up else 0
        masses[:-1] += 0 if up else steps
        masses[0 if up else -1] += below[0] if up else 1 - below[-1]
        return masses


@dataclass(frozen=True, eq=False)
class Sum:
    """The distribution of a sum: points that rise by equal steps, and their masses."""

    points: FloatArray
    masses: FloatArray

    @classmethod
    def of(cls, shares: Sequence[Share], *, up: bool, deviation: float = 0.0, points: int = POINTS) -> Sum:
        """The sum, rounded ``up`` or down; ``deviation`` is that of a normal error of mean 0 that is added."""
        shift = DEVIATIONS * deviation
        top = sum(share.largest for share in shares) + 2 * shift
        step = max(top, 1e-300) / (points - 1 - 2 * len(shares))
        grid: FloatArray = step * np.arange(points, dtype=float)
        spectrum: NDArray[np.complex128] = np.ones(points + 1, dtype=np.complex128)
        for share in shares:
            spectrum = spectrum * np.fft.rfft(share.masses(grid, up=up), 2 * points)
        if deviation:
            spectrum = spectrum * np.fft.rfft(_normal(grid, shift, deviation), 2 * points)
        masses = np.maximum(np.fft.irfft(spectrum, 2 * points)[:points], 0)
        return cls(grid - shift, masses / masses.sum())

    def below(self, values: FloatArray) -> FloatArray:
        """Probability that the sum is at most each value."""
        cumulated = np.concatenate([[0.0], np.minimum(np.cumsum(self.masses), 1.0)])
        # A point that was hit exactly counts, whatever rounding has done to it.
        return np.asarray(cumulated[np.searchsorted(self.points, values * (1 + 1e-12), side="right")])

    def quantiles(self, misses: FloatArray) -> FloatArray:
        """The smallest points that are exceeded with at most these probabilities."""
        above = np.cumsum(self.masses[::-1])[::-1]
        exceeded = np.append(above[1:], 0.0)
        place = self.points.size - np.searchsorted(exceeded[::-1], misses * (1 + 1e-9), side="right")
        return np.asarray(self.points[np.minimum(place, self.points.size - 1)])


def _normal(grid: FloatArray, centre: float, deviation: float) -> FloatArray:
    density = np.exp(-(((grid - centre) / deviation) ** 2) / 2)
    return np.asarray(density / density.sum())
