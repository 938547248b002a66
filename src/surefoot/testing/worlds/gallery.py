"""Ready worlds, in which the assumptions of RAM can hold or one is broken, and ready sets like its DS-1 and DS-2."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import validate
from surefoot.core.validate import FloatArray
from surefoot.testing.worlds.boundaries import Profile, Ring, Wave
from surefoot.testing.worlds.world import Forest, Shifted, Tree, World

SIDE = 0.05
SKEW, BALANCE = (0.1, 0.9), (0.5, 0.5)
HELD_OUT = 0.2
_TWO_HILLS = Profile(((0.35, 0.4), (0.7, 0.6)), ((0.25, 0.2), (0.2, 0.25)), (0.6, 0.4))


def sound_worlds() -> tuple[World, ...]:
    """Worlds with a gap wider than a cell, one class a cell, and sets drawn independently from operation.

    Returns
    -------
    tuple of World
        Those in which the assumptions of paper RAM can hold.

    Examples
    --------
    >>> import surefoot as sf
    >>> [world.name for world in sf.testing.sound_worlds()][:3]
    ['line', 'flat', 'wave']

    """
    return (_line(), _flat(), _wave(), _ring(), _skewed(), _bands(), _surface())


def broken_worlds() -> tuple[World, ...]:
    """Worlds that differ from a sound one in one assumption, which ``breaks`` names.

    Returns
    -------
    tuple of World
        One for each assumption.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.testing.broken_worlds()[1].breaks
    'one label a cell'

    """
    wave, flat, skewed = _wave(), _flat(), _skewed()
    return (
        replace(wave, name="no gap", boundary=replace(wave.boundary, width=0.0), breaks="separation of the classes"),
        replace(wave, name="label noise", noise=0.02, breaks="one label a cell"),
        replace(skewed, name="balanced training", collected=BALANCE, breaks="labelled set drawn from operation"),
        replace(
            skewed,
            name="balanced tests",
            collected=BALANCE,
            tested=BALANCE,
            breaks="labelled and held-out sets drawn from operation",
        ),
        replace(
            flat,
            name="piled cells",
            profile=replace(flat.profile, pile=8.0, period=SIDE),
            breaks="inputs spread evenly inside a cell",
        ),
        replace(
            wave,
            name="bad region",
            bad_region=((0.8, 0.95), (0.1, 0.25)),
            breaks="model better than chance in cells that nobody labelled",
        ),
        replace(wave, name="copied rows", copies=5, breaks="rows independent of one another"),
    )


def world_named(name: str) -> World:
    """The ready world of a name.

    Parameters
    ----------
    name
        Of a sound or a broken one.

    Returns
    -------
    World
        What draws labelled sets and operation.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.testing.world_named("wave").dimensions
    2

    """
    known = {world.name: world for world in (*sound_worlds(), *broken_worlds())}
    return known[validate.choice(name, known, where="worlds", name="world")]


@dataclass(frozen=True, eq=False)
class KnownSet:
    """Rows drawn from operation, and a forest trained on those that are not ``held_out``.

    See Also
    --------
    sparse_set, dense_set

    """

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
    """1,000 points spread almost evenly, for 250 x 250 cells of side 0.004; a forest of 10 trees errs on 8%.

    It is made in the spirit of DS-1 of paper RAM, with the truth that that one lacks.

    Parameters
    ----------
    seed
        Of the points.

    Returns
    -------
    KnownSet
        Rows, model and the true probability of misclassification.

    See Also
    --------
    world_named

    """
    boundary = Wave(
        width=0.02, features=2, levels=(0.25, 0.5, 0.75), band_classes=(0, 1, 0, 1), amplitude=0.12, frequency=3
    )
    profile = Profile(((0.5, 0.5),), ((1.0, 1.0),), (1.0,))
    return _drawn(World("sparse", boundary, profile, Forest(trees=10), 0.004), 1_000, seed)


def dense_set(*, seed: int = 0) -> KnownSet:
    """50,000 points in three hills, for 500 x 500 cells of side 0.002; a forest of 5 trees errs on 0.7%.

    It is made in the spirit of DS-2 of paper RAM, with the truth that that one lacks.

    Parameters
    ----------
    seed
        Of the points.

    Returns
    -------
    KnownSet
        Rows, model and the true probability of misclassification.

    See Also
    --------
    sparse_set

    """
    boundary = Wave(
        width=0.01, features=2, levels=(0.25, 0.5, 0.75), band_classes=(0, 1, 0, 1), amplitude=0.12, frequency=4
    )
    centres = ((0.3, 0.35), (0.65, 0.7), (0.75, 0.25))
    scales = ((0.15, 0.15), (0.15, 0.12), (0.1, 0.15))
    profile = Profile(centres, scales, (0.4, 0.35, 0.25))
    return _drawn(World("dense", boundary, profile, Forest(trees=5), 0.002), 50_000, seed)


def _line() -> World:
    boundary = Wave(width=0.06, features=1, levels=(0.3, 0.65), band_classes=(0, 1, 0))
    profile = Profile(((0.3,), (0.7,)), ((0.2,), (0.15,)), (0.5, 0.5))
    return World("line", boundary, profile, Shifted(boundary, 0.04), SIDE)


def _flat() -> World:
    """The walls of the gap are edges of cells, and the model errs in the lowest fifth of the cells above it."""
    boundary = Wave(width=0.1, features=2, levels=(0.5,), band_classes=(0, 1))
    profile = Profile(((0.5, 0.5),), ((0.5, 0.5),), (1.0,))
    return World("flat", boundary, profile, Shifted(boundary, 0.06), SIDE)


def _wave() -> World:
    boundary = Wave(width=0.11, features=2, levels=(0.5,), band_classes=(0, 1), amplitude=0.15)
    return World("wave", boundary, _TWO_HILLS, Tree(6), SIDE)


def _skewed() -> World:
    """The model errs more in the disc, where nearly all of operation is."""
    return World("skewed ring", Ring(width=0.085, radius=0.36), _TWO_HILLS, Tree(5), SIDE, shares=SKEW)


def _ring() -> World:
    return World("ring", Ring(width=0.085, radius=0.3), _TWO_HILLS, Tree(8), SIDE)


def _bands() -> World:
    boundary = Wave(width=0.08, features=2, levels=(0.33, 0.67), band_classes=(0, 1, 2), amplitude=0.06)
    return World("bands", boundary, _TWO_HILLS, Tree(8), SIDE)


def _surface() -> World:
    boundary = Wave(width=0.3, features=3, levels=(0.5,), band_classes=(0, 1), amplitude=0.1)
    profile = Profile(((0.35, 0.4, 0.4), (0.7, 0.6, 0.6)), ((0.3, 0.3, 0.25), (0.25, 0.3, 0.3)), (0.6, 0.4))
    return World("surface", boundary, profile, Tree(4), 0.125)


def _drawn(world: World, n: int, seed: int) -> KnownSet:
    inputs, labels = world.sample(np.random.default_rng(seed), n)
    held_out = np.arange(n) >= n - round(HELD_OUT * n)
    return KnownSet(world, inputs, labels, held_out, world.fit(inputs[~held_out], labels[~held_out]))
