"""Pixels that take the colour of a near one, one after the other, found for all at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.corruptions.image.items import Images


def shuffled(image: Images, farthest: int, rounds: int, rng: np.random.Generator) -> Images:
    """An image (h x w x c) whose pixels take colours from ``farthest`` before to ``farthest`` - 1 after them.

    In each round pixels far enough from the edges are visited from the last to the first, row by row.
    """
    height, width = image.shape[:2]
    rows, columns = np.arange(farthest + 1, height - farthest + 1), np.arange(farthest + 1, width - farthest + 1)
    visited = (rows[:, None] * width + columns).ravel()
    flat = image.reshape(height * width, -1)
    for _ in range(rounds):
        steps = rng.integers(-farthest, farthest, (2, len(visited)), dtype=np.int32)
        flat = flat.take(sources(height * width, visited, visited + steps[0] * width + steps[1]), axis=0)
    return flat.reshape(image.shape)


def sources(size: int, visited: NDArray[np.int64], chosen: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the colour of each place comes from, when visited places copy the chosen ones, from the last to the first.

    A place with a higher number has been visited before, so its colour comes from elsewhere: such chains are followed
    for all places together, in steps that double.
    """
    source = np.arange(size)
    source[visited] = chosen
    earlier = source > np.arange(size)
    open = np.flatnonzero(earlier)
    while open.size:
        via = source[open]
        source[open], earlier[open] = source[via], earlier[via]
        open = open[earlier[open]]
    return source
