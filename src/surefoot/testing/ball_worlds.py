"""Ready worlds of balls: failures common or rare, spread or in a corner of operation, weights that go with risk."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np

from surefoot.core import validate
from surefoot.core.validate import FloatArray
from surefoot.testing.known_balls import BallWorld

DIMENSIONS = 16
RADIUS = 0.0625
GAP = 0.125
"""Between operation and where the true class changes."""
COMPONENTS = 8


@cache
def ball_worlds() -> tuple[BallWorld, ...]:
    """Failures that are common or rare, spread or in a corner of operation, and weights that go with risk."""
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
    """The ready world of that name."""
    known = {world.name: world for world in ball_worlds()}
    return known[validate.choice(name, known, where="ball_world", name="world")]


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
