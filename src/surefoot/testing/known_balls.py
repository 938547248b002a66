"""Worlds in which the risk in the ball around every input is known, and so is the pmi.

Operation is a mixture of boxes in [0, 1]^d. The true class is 1 where the first feature is above one half, which no
ball around an input reaches. The model is linear in all features but the last, which only weighs inputs. The risk in a
ball is that of a sum of uniform variables, and so is its mean over a box of operation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.testing.linear_boxes import linear_failure_probability, opposite_module, opposite_scores

DIMENSIONS = 16
RADIUS = 0.0625
GAP = 0.125
"""Between operation and where the true class changes."""
COMPONENTS = 8
LEAST_REACH = 1e-3
NODES = 257


@cache
def ball_worlds() -> tuple[BallWorld, ...]:
    """Ready worlds of balls.

    Returns
    -------
    tuple of BallWorld
        Failures that are common or rare, spread or in a corner of operation, and weights that go with risk.

    Examples
    --------
    >>> import surefoot as sf
    >>> [round(world.truth, 4) for world in sf.testing.ball_worlds()[:2]]
    [0.05, 0.001]

    """
    common, rare = spread_world("common", 0.05, seed=1), spread_world("rare", 1e-3, seed=2)
    return (
        common,
        rare,
        _weighted_by_risk(common, "common, weights go with risk"),
        _weighted_by_risk(rare, "rare, weights go with risk"),
        corner_world("mispredicted corner", share=0.03, pmi=0.02, seed=3),
        corner_world("rare corner", share=0.003, pmi=0.001, seed=4),
    )


def ball_world(name: str) -> BallWorld:
    """The ready world of balls of a name.

    Parameters
    ----------
    name
        Such as ``rare``.

    Returns
    -------
    BallWorld
        Operation, a model, and balls.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.testing.ball_world("rare").radius
    0.0625

    """
    known = {world.name: world for world in ball_worlds()}
    return known[validate.choice(name, known, where="ball_world", name="world")]


@dataclass(frozen=True, eq=False)
class BallWorld:
    """Operation, a model, and balls of one radius in which the risk is known.

    See Also
    --------
    ball_world

    """

    name: str
    weights: FloatArray
    """Of the model, whose score for class 1 over class 0 is their product with an input, plus the offset."""
    offset: float
    lower: FloatArray
    upper: FloatArray
    """Corners of the boxes, a row each."""
    shares: FloatArray
    """Of operation, in each box."""
    steepness: float = 0.0
    """An input weighs exp(steepness * last feature)."""
    radius: float = 0.0625

    def __post_init__(self) -> None:
        inside = (self.lower >= self.radius).all() and (self.upper <= 1 - self.radius).all()
        clear = ((self.lower[:, 0] >= 0.5 + self.radius) | (self.upper[:, 0] <= 0.5 - self.radius)).all()
        if not (inside and clear and self.weights[-1] == 0 and math.isclose(self.shares.sum(), 1)):
            raise InvalidInput("balls must keep to one class and to [0, 1], and shares sum to 1", where="BallWorld")

    def draw(self, n: int, seed: int) -> tuple[FloatArray, NDArray[np.int64]]:
        """Inputs from operation and their true classes."""
        rng = np.random.default_rng(seed)
        box = rng.choice(len(self.shares), size=n, p=self.shares)
        inputs = rng.uniform(self.lower[box], self.upper[box])
        return inputs, self.label(inputs)

    @staticmethod
    def label(inputs: FloatArray) -> NDArray[np.int64]:
        """True classes."""
        return (inputs[:, 0] > 0.5).astype(np.int64)

    def weigh(self, inputs: FloatArray) -> FloatArray:
        """What each input counts."""
        return np.asarray(np.exp(self.steepness * inputs[:, -1]))

    def scores(self, inputs: NDArray[Any]) -> FloatArray:
        """The model."""
        return opposite_scores(inputs, self.weights, self.offset)

    def module(self) -> Any:
        """The model as a torch module in single precision."""
        return opposite_module(self.weights, self.offset, single=True)

    def risk(self, inputs: FloatArray) -> FloatArray:
        """Failure probability in the ball around each input, to a relative 1e-6 where it is above 1e-30."""
        wrong = np.where(self.label(inputs) == 1, -1.0, 1.0)
        highest = wrong * (inputs @ self.weights + self.offset) + self.radius * np.abs(self.weights).sum()
        return self._distribution(highest / self._total)

    def frame_truth(self, inputs: FloatArray) -> float:
        """Weighted mean of the risks around these inputs."""
        return float(np.average(self.risk(inputs), weights=self.weigh(inputs)))

    @property
    def truth(self) -> float:
        """The pmi with equal weights, which is also the ACU."""
        return float(self.shares @ self.box_risks)

    @property
    def weighted_truth(self) -> float:
        """The pmi with the weights of ``weigh``, which depend on the last feature alone."""
        counts = self.shares * _mean_exponential(self.steepness, self.lower[:, -1], self.upper[:, -1])
        return float(counts @ self.box_risks / counts.sum())

    @property
    def error(self) -> float:
        """Share of operation at which the model itself is wrong."""
        return float(self.shares @ self._failures(0.0))

    @cached_property
    def box_risks(self) -> FloatArray:
        """Mean risk of the balls around the inputs of each box: a sum of twice as many uniform variables."""
        return self._failures(self.radius)

    def _failures(self, radius: float) -> FloatArray:
        sides = np.full(len(self.weights), radius)
        wrong = np.where(self.label(self.lower) == 1, -1.0, 1.0)
        logs = [
            linear_failure_probability(
                sign * np.tile(self.weights, 2), sign * self.offset, np.r_[low, -sides], np.r_[high, sides]
            )
            for sign, low, high in zip(wrong, self.lower, self.upper, strict=True)
        ]
        return np.exp(logs)

    @property
    def _total(self) -> float:
        return float(2 * self.radius * np.abs(self.weights).sum())

    def _distribution(self, reach: FloatArray) -> FloatArray:
        """Probability that the score moves up to its highest value by at most a share of its range."""
        lesser = np.minimum(reach, 1 - reach)
        found = np.zeros(len(reach))
        found[lesser > 0] = np.exp(self._log_spline(np.log(lesser[lesser > 0])))
        return np.where(reach > 0.5, 1 - found, found)

    def _log_distribution(self, reach: float) -> float:
        sides = np.full(len(self.weights), self.radius)
        offset = (reach - 0.5) * self._total
        return linear_failure_probability(self.weights, offset, -sides, sides)

    @cached_property
    def _log_spline(self) -> Any:
        from scipy.interpolate import CubicSpline

        at = np.linspace(math.log(LEAST_REACH), math.log(0.5), NODES)
        return CubicSpline(at, [self._log_distribution(value) for value in np.exp(at)])


def spread_world(name: str, pmi: float, *, seed: int) -> BallWorld:
    """Boxes of all sizes, each with a risk of its own."""
    rng = np.random.default_rng(seed)
    half = rng.uniform(0.02, 0.2, (COMPONENTS, DIMENSIONS))
    middle = rng.uniform(RADIUS + half, 1 - RADIUS - half)
    return _with_pmi(name, pmi, middle, half, rng.dirichlet(np.full(COMPONENTS, 5.0)), rng.standard_normal(DIMENSIONS))


def corner_world(name: str, *, share: float, pmi: float, seed: int) -> BallWorld:
    """A small share of operation where the features mislead the model, which is right everywhere else."""
    rng = np.random.default_rng(seed)
    tastes = rng.standard_normal(DIMENSIONS)
    half = np.full((COMPONENTS, DIMENSIONS), 0.1)
    middle = rng.uniform(0.4, 0.6, (COMPONENTS, DIMENSIONS))
    middle[0] = 0.5 + 0.25 * np.sign(tastes)
    rest = rng.dirichlet(np.full(COMPONENTS - 1, 5.0)) * (1 - share)
    return _with_pmi(name, pmi, middle, half, np.r_[share, rest], tastes)


def _with_pmi(
    name: str, pmi: float, middle: FloatArray, half: FloatArray, shares: FloatArray, tastes: FloatArray
) -> BallWorld:
    """Let the model heed features that do not matter until it fails as often as asked."""
    from scipy.optimize import brentq

    lower, upper = middle - half, middle + half
    lower[::2, 0], upper[::2, 0] = RADIUS, 0.5 - GAP
    lower[1::2, 0], upper[1::2, 0] = 0.5 + GAP, 1 - RADIUS

    def world(heed: float) -> BallWorld:
        weights = np.r_[1.0, heed * tastes[1:-1], 0.0].astype(np.float32).astype(float)
        offset = float(np.float32(-weights.sum() / 2))
        return BallWorld(name, weights, offset, lower, upper, shares, radius=RADIUS)

    return world(brentq(lambda heed: math.log(max(world(heed).truth, 1e-30) / pmi), 0.01, 1.0, xtol=1e-7))


def _weighted_by_risk(world: BallWorld, name: str) -> BallWorld:
    """The riskier a box, the higher its last feature."""
    rank = np.argsort(np.argsort(world.box_risks)) / (len(world.shares) - 1)
    lower, upper = world.lower.copy(), world.upper.copy()
    lower[:, -1], upper[:, -1] = 0.1 + 0.6 * rank, 0.3 + 0.6 * rank
    return replace(world, name=name, lower=lower, upper=upper, steepness=3.0)


def _mean_exponential(steepness: float, low: FloatArray, high: FloatArray) -> FloatArray:
    """Mean of exp(steepness x) for x uniform between two numbers."""
    if steepness == 0:
        return np.ones(len(low))
    return np.asarray((np.exp(steepness * high) - np.exp(steepness * low)) / (steepness * (high - low)))
