"""Ready worlds: those in which the assumptions of RAM can hold, and those that break one of them."""

from __future__ import annotations

from dataclasses import replace

from surefoot.core import validate
from surefoot.testing.worlds.boundaries import Ring, Wave
from surefoot.testing.worlds.learners import Shifted, Tree
from surefoot.testing.worlds.profiles import Profile
from surefoot.testing.worlds.world import World

SIDE = 0.05
SKEW, BALANCE = (0.1, 0.9), (0.5, 0.5)


def sound_worlds() -> tuple[World, ...]:
    """Worlds with a gap wider than a cell, one class a cell, and sets drawn independently from operation."""
    return (_line(), _flat(), _wave(), _ring(), _skewed(), _bands(), _surface())


def broken_worlds() -> tuple[World, ...]:
    """Worlds that differ from a sound one in one assumption, which ``breaks`` names."""
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
    """The ready world of that name."""
    known = {world.name: world for world in (*sound_worlds(), *broken_worlds())}
    return known[validate.choice(name, known, where="worlds", name="world")]


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


_TWO_HILLS = Profile(((0.35, 0.4), (0.7, 0.6)), ((0.25, 0.2), (0.2, 0.25)), (0.6, 0.4))
