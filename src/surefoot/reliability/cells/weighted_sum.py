"""From cells to one number: RAM, Eqns. (11) to (13), and the variance with all covariances."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot import bounds
from surefoot.core import Estimate
from surefoot.core.validate import FloatArray
from surefoot.profile import Profile
from surefoot.reliability.cells.grid import CROSS_BOUNDARY, EMPTY, Grid
from surefoot.reliability.cells.table import Cells
from surefoot.reliability.local_risk import Classifier

WEIGHT_DRAWS = 400
BOOTSTRAP_NUMBERS = 1 << 22


@dataclass(frozen=True, eq=False)
class WeightedSum:
    """The weighted sum of cell risks and where its uncertainty comes from.

    ``parts`` and ``inside`` are, for each point of the profile, the risk and the mass that its kernel sees in the
    domain: the sum is mean(parts) / mean(inside), a ratio of means over independent points.
    """

    value: float
    parts: FloatArray
    inside: FloatArray
    profile_variance: float
    sampling_variance: float
    weights_variance: float

    @property
    def variance(self) -> float:
        """All three sources together."""
        return self.profile_variance + self.sampling_variance + self.weights_variance

    @property
    def sd(self) -> float:
        """Standard deviation of the sum."""
        return math.sqrt(self.variance)


def weighted_sum(profile: Profile, grid: Grid, risk: FloatArray, *, sampling_variance: float, seed: int) -> WeightedSum:
    """Eqn. (11), with the covariances of all cells that Eqn. (12) drops.

    The kernel density is a mean over points, so the sum is a mean over points too, and the variance of a mean of
    independent terms needs no assumption on cells; renormalisation to the domain makes it a ratio.
    """
    weights = profile.weights
    parts = profile.contributions(grid.edges, risk.reshape(grid.shape))
    inside = profile.contributions([edges[[0, -1]] for edges in grid.edges], np.ones((1,) * grid.dimensions))
    value = min(1.0, float((weights * parts).sum() / (weights * inside).sum()))
    deviations = weights * (parts - value * inside)
    draws = profile.weight_draws(WEIGHT_DRAWS, np.random.default_rng(seed))
    return WeightedSum(
        value,
        parts,
        inside,
        float((deviations**2).sum() / (weights * inside).sum() ** 2),
        sampling_variance,
        0.0 if draws is None else float(np.var((draws @ parts) / (draws @ inside), ddof=1)),
    )


def independent_variance(
    masses: FloatArray, mass_variances: FloatArray, risk: FloatArray, risk_variances: FloatArray
) -> float:
    """Eqn. (12): the variance as printed, which takes all cells for independent (Assumption 6)."""
    return float(
        (risk**2 * mass_variances + masses**2 * risk_variances + risk_variances * mass_variances).sum(dtype=float)
    )


def bootstrap_values(found: WeightedSum, weights: FloatArray, *, draws: int, seed: int) -> FloatArray:
    """The sum for redrawn weights of the points, with the error of sampling inside cells added.

    The Bayesian bootstrap: exponential weights in place of resampled points (Rubin 1981, Annals of Statistics 9(1)).
    """
    rng = np.random.default_rng(seed)
    parts, inside = weights * found.parts, weights * found.inside
    values = np.empty(draws)
    step = max(1, BOOTSTRAP_NUMBERS // weights.size)
    for start in range(0, draws, step):
        times = rng.standard_exponential((min(step, draws - start), weights.size))
        values[start : start + step] = (times @ parts) / (times @ inside)
    return values + rng.normal(0, math.sqrt(found.sampling_variance + found.weights_variance), draws)


# Held-out labels put the prediction of the cells right (errata RAM 10).


@dataclass(frozen=True, eq=False)
class JudgedByCells:
    """Inputs, the cells they fall into, and whether the cells say that the model's answer is a failure.

    Inside a cell of one label the answer to an input can be judged without the input's own label.
    """

    points: FloatArray
    cell: NDArray[np.int64]
    answer: NDArray[np.int64]
    failure: NDArray[np.bool_]

    @classmethod
    def of(cls, points: FloatArray, decide: Classifier, cells: Cells, undesired: NDArray[np.bool_]) -> JudgedByCells:
        """Judge the model's answers by the labels of cells."""
        if not len(points):
            nothing = np.empty(0, np.int64)
            return cls(points, nothing, nothing, np.empty(0, bool))
        cell, answer = cells.grid.cell_of(points), decide(points)
        crossed = cells.source[cell] == CROSS_BOUNDARY
        return cls(points, cell, answer, crossed | undesired[cells.label[cell], answer])


@dataclass(frozen=True, eq=False)
class Correction:
    """Labelled tests that no cell has seen, and unlabelled inputs from operation, judged by the cells."""

    tests: JudgedByCells
    labels: NDArray[np.int64]
    failed: NDArray[np.bool_]
    weights: FloatArray
    operation: JudgedByCells
    reference: FloatArray
    """All inputs of the profile but the tests: what the tests should look like."""

    weighted: bool
    """Whether operation weighs inputs differently than the data do."""

    def in_voted(self, cells: Cells) -> NDArray[np.bool_]:
        """Tests that fall into cells labelled by vote."""
        return np.asarray(cells.source[self.tests.cell] == EMPTY)

    def estimate(self, *, level: float, voted_mass: float, seed: int) -> Estimate:
        """The failure probability in operation, valid whatever the cells say."""
        if self.weighted:
            return bounds.weighted(
                self.failed.astype(float),
                self.weights,
                level=level,
                seed=seed,
                quantity=bounds.statement.FAILURE_PROBABILITY,
            )
        return bounds.predicted_failures(
            self.failed, self.tests.failure, self.operation.failure, level=level, unpredictable=voted_mass
        )

    def exact(self, *, level: float) -> Estimate:
        """The exact binomial bound on the held-out labels alone."""
        return bounds.clopper_pearson(int(self.failed.sum()), self.failed.size, level=level)

    def tested(self, *, level: float, seed: int) -> Estimate:
        """What the held-out labels alone say about operation."""
        return self.estimate(level=level, voted_mass=0.0, seed=seed) if self.weighted else self.exact(level=level)
