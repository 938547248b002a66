"""Section 3.1 of NRB: how often the single-valued bound lies below the true risk.

Three answers: one data set for each grid point, as published; many for each, by their sufficient statistics; and the
exact probability, by the noncentral t distribution.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.bounds import clopper_pearson, critical_ratio, normal_score_minimum, normal_score_violation
from surefoot.core import Estimate

PRINTED_VIOLATIONS, PRINTED_SETS = 216, 1_010_000
SIZES = np.arange(100, 301, 2)
STEPS = np.arange(1, 200, 2) / 100
LEVEL = 0.95
LARGEST_RATIO = 12.0
TABLE_POINTS = 400

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Grid:
    """All pairs of the means and standard deviations of the study, for one sample size at a time."""

    mean: Floats
    sd: Floats

    @classmethod
    def of(cls, steps: Floats = STEPS) -> Grid:
        """Every mean with every standard deviation."""
        mean, sd = np.meshgrid(steps, steps, indexing="ij")
        return cls(mean.ravel(), sd.ravel())

    @property
    def ratio(self) -> Floats:
        """True mu/sigma."""
        return self.mean / self.sd

    @property
    def risk(self) -> Floats:
        """True risk Phi(-mu/sigma): NRB, Eqn. (4)."""
        return special.ndtr(-self.ratio)


@dataclass(frozen=True)
class Count:
    """Bounds that lay below the true risk, out of data sets."""

    violations: int
    sets: int

    @property
    def estimate(self) -> Estimate:
        """The violation rate with its exact confidence bounds."""
        return clopper_pearson(self.violations, self.sets, level=LEVEL, quantity="violation rate", unit="per data set")


def one_set_each(grid: Grid, sizes: Iterable[int], *, seed: int) -> Count:
    """Draw N normal margins for each grid point, bound the risk, compare with the true one."""
    rng, risk, violations, sets = np.random.default_rng(seed), grid.risk, 0, 0
    for n in sizes:
        draws = rng.standard_normal((grid.mean.size, n))
        draws *= grid.sd[:, None]
        draws += grid.mean[:, None]
        ratio = draws.mean(axis=1) / draws.std(axis=1, ddof=1)
        violations += int((normal_score_minimum(ratio, n) < risk).sum())
        sets += risk.size
    return Count(violations, sets)


@dataclass(frozen=True)
class Repeated:
    """Violations counted per sample size and grid point, ``repetitions`` data sets each."""

    violations: NDArray[np.int64]
    repetitions: int

    @property
    def total(self) -> Count:
        """All of them together."""
        return Count(int(self.violations.sum()), self.violations.size * self.repetitions)

    def by_ratio(self, grid: Grid) -> dict[float, Count]:
        """Counts for each true mu/sigma, over all sample sizes: the bound depends on that ratio alone."""
        ratios, which, points = np.unique(grid.ratio.round(9), return_inverse=True, return_counts=True)
        found = np.bincount(which, weights=self.violations.sum(axis=0))
        sets = points * self.violations.shape[0] * self.repetitions
        return {float(r): Count(int(v), int(s)) for r, v, s in zip(ratios, found, sets, strict=True)}


def many_sets_each(grid: Grid, sizes: NDArray[np.int64], repetitions: int, *, seed: int) -> Repeated:
    """Repeat every grid point, drawing mean and variance from their exact joint distribution.

    The bound falls in the observed ratio, so it lies below the risk where that ratio exceeds a critical one.
    """
    rng, violations = np.random.default_rng(seed), np.zeros((len(sizes), grid.mean.size), dtype=np.int64)
    for row, n in enumerate(sizes):
        critical = critical_ratios(grid, int(n))
        for _ in range(repetitions):
            mean = grid.ratio + rng.standard_normal(grid.mean.size) / np.sqrt(n)
            violations[row] += mean > critical * np.sqrt(rng.chisquare(n - 1, grid.mean.size) / (n - 1))
    return Repeated(violations, repetitions)


def critical_ratios(grid: Grid, n: int) -> Floats:
    """The observed ratio above which the bound is below the true risk, interpolated in the true ratio.

    Beyond a true ratio of 12 the risk is below 2e-33 and no bound from a few hundred margins comes near it.
    """
    ratios = np.geomspace(grid.ratio.min(), LARGEST_RATIO, TABLE_POINTS)
    critical = critical_ratio(special.ndtr(-ratios), n)
    return np.interp(np.log(grid.ratio), np.log(ratios), critical, right=np.inf)


def exact_rates(grid: Grid, sizes: NDArray[np.int64], points: int) -> Floats:
    """Probability of a violation for each sample size and grid point, interpolated in mu/sigma between exact values."""
    ratios = np.geomspace(grid.ratio.min(), LARGEST_RATIO, points)
    exact = np.log(normal_score_violation(ratios, sizes[:, None]) + 1e-300)
    return np.exp([np.interp(np.log(grid.ratio), np.log(ratios), row, right=-np.inf) for row in exact])
