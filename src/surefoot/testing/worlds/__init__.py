"""Worlds with a known operational profile, known labels and the true failure probability of every model.

A ``World`` draws labelled sets and operation, trains a cheap model and integrates its failures over the profile,
without any of the code that it is meant to check. ``sound_worlds`` keep the assumptions of paper RAM (000);
each of ``broken_worlds`` breaks one. May import any domain package; imports ``core``, numpy, scipy and scikit-learn.
"""

from surefoot.testing.worlds.boundaries import Boundary, Profile, Ring, Wave
from surefoot.testing.worlds.gallery import KnownSet, broken_worlds, dense_set, sound_worlds, sparse_set, world_named
from surefoot.testing.worlds.world import Forest, Learner, Shifted, Tree, World

__all__ = [
    "Boundary",
    "Forest",
    "KnownSet",
    "Learner",
    "Profile",
    "Ring",
    "Shifted",
    "Tree",
    "Wave",
    "World",
    "broken_worlds",
    "dense_set",
    "sound_worlds",
    "sparse_set",
    "world_named",
]
