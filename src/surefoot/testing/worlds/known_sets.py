"""Two ready data sets in the spirit of DS-1 and DS-2 of paper RAM, with the truth that those lack."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.testing.worlds.boundaries import Wave
from surefoot.testing.worlds.learners import Forest
from surefoot.testing.worlds.profiles import Profile
from surefoot.testing.worlds.world import World

HELD_OUT = 0.2


@dataclass(frozen=True, eq=False)
class KnownSet:
    """Rows drawn from operation, and a forest trained on those that are not ``held_out``."""

    world: World
    inputs: FloatArray
    labels: NDArray[np.int64]
    held_out: NDArray[np.bool_]
    """Rows that the model did not see: the last fifth."""
    model: Any

    @property
    def test_error(self) -> float:
        """Share of held-out rows that the model gets wrong."""
        rows = self.held_out
        return float((self.model.predict(self.inputs[rows]) != self.labels[rows]).mean())

    @cached_property
    def pmi(self) -> float:
        """True probability of misclassification per input, within 1e-6: from split to split, by quadrature."""
        return self.world.true_pmi(self.model)


def sparse_set(*, seed: int = 0) -> KnownSet:
    """1,000 points spread almost evenly, for 250 x 250 cells of side 0.004; a forest of 10 trees errs on 8%."""
    boundary = Wave(
        width=0.02, features=2, levels=(0.25, 0.5, 0.75), band_classes=(0, 1, 0, 1), amplitude=0.12, frequency=3
    )
    profile = Profile(((0.5, 0.5),), ((1.0, 1.0),), (1.0,))
    return _drawn(World("sparse", boundary, profile, Forest(trees=10), 0.004), 1_000, seed)


def dense_set(*, seed: int = 0) -> KnownSet:
    """50,000 points in three hills, for 500 x 500 cells of side 0.002; a forest of 5 trees errs on 0.7%."""
    boundary = Wave(
        width=0.01, features=2, levels=(0.25, 0.5, 0.75), band_classes=(0, 1, 0, 1), amplitude=0.12, frequency=4
    )
    centres = ((0.3, 0.35), (0.65, 0.7), (0.75, 0.25))
    scales = ((0.15, 0.15), (0.15, 0.12), (0.1, 0.15))
    profile = Profile(centres, scales, (0.4, 0.35, 0.25))
    return _drawn(World("dense", boundary, profile, Forest(trees=5), 0.002), 50_000, seed)


def _drawn(world: World, n: int, seed: int) -> KnownSet:
    inputs, labels = world.sample(np.random.default_rng(seed), n)
    held_out = np.arange(n) >= n - round(HELD_OUT * n)
    return KnownSet(world, inputs, labels, held_out, world.fit(inputs[~held_out], labels[~held_out]))
