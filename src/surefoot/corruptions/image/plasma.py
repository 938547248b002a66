"""Clouds: fractal heights by the diamond-square method (Fournier, Fussell and Carpenter 1982)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ROUGHNESS = 100.0
LARGEST = 4096
"""Longest side of a map; beyond, it repeats itself, which shows no seam."""
Heights = NDArray[np.float32]


def clouds(height: int, width: int, decay: float, rng: np.random.Generator) -> Heights:
    """Heights from 0 to 1 whose steps shrink with the square of ``decay`` each time the grid is halved.

    The map is a square whose side is a power of 2, and wraps around; what is asked for is cut from it, as Hendrycks
    and Dietterich (2019) do.
    """
    side = min(LARGEST, 2 ** max(1, (max(height, width) - 1).bit_length()))
    # Each point starts as its own random step in [-1, 1) and gets its size and the mean of its neighbours added.
    heights = rng.random((side, side), dtype=np.float32)
    heights *= 2
    heights -= 1
    heights[0, 0] = 0
    _grow(heights, decay)
    heights -= heights.min()
    heights /= heights.max()
    return np.tile(heights[:height, :width], (-(-height // side), -(-width // side)))[:height, :width]


def _grow(heights: Heights, decay: float) -> None:
    step, rough = len(heights), ROUGHNESS
    while step >= 2:
        half = step // 2
        corners, centres = heights[::step, ::step], heights[half::step, half::step]
        across = corners + _next(corners, axis=1)
        _place(centres, across + _next(across, axis=0), rough)
        _place(heights[::step, half::step], across + centres + _last(centres, axis=0), rough)
        down = corners + _next(corners, axis=0)
        _place(heights[half::step, ::step], down + centres + _last(centres, axis=1), rough)
        step, rough = half, rough / decay


def _place(points: Heights, sums: Heights, rough: float) -> None:
    points *= rough * rough
    sums /= 4
    points += sums


def _next(grid: Heights, axis: int) -> Heights:
    """Each point's neighbour behind it; behind the last is the first."""
    return np.concatenate((grid[1:], grid[:1]) if axis == 0 else (grid[:, 1:], grid[:, :1]), axis=axis)


def _last(grid: Heights, axis: int) -> Heights:
    """Each point's neighbour before it; before the first is the last."""
    return np.concatenate((grid[-1:], grid[:-1]) if axis == 0 else (grid[:, -1:], grid[:, :-1]), axis=axis)
