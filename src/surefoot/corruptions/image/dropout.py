"""Parts of an image that are lost: black boxes at random places or on a grid.

Paper MON (Guerin et al. 2022, section III-B) names these threats and prints no parameters: the numbers are ours. A
worse severity loses all that a better one does, and more.
"""

from __future__ import annotations

import numpy as np

from surefoot.corruptions.catalogue import corruption
from surefoot.corruptions.image.items import Generators, Images

BOXES = (2, 4, 8, 14, 24)
SMALLEST, LARGEST = 0.08, 0.2
"""Height and width of a box as shares of the image's."""
LOST = (0.2, 0.3, 0.42, 0.55, 0.7)
"""Height and width of a box on the grid as shares of the grid's step."""
FINEST, COARSEST = 1 / 9, 1 / 4
"""Step of the grid as a share of the shorter side."""
LEAST = 4
"""Pixels of the smallest step, so that severities differ on small images too."""


@corruption(domain="image")
def coarse_dropout(images: Images, severity: int, rngs: Generators) -> Images:
    """2, 4, 8, 14, 24 black boxes at random places, each 0.08 to 0.2 of the image high and wide; they may overlap."""
    answer = images.copy()
    height, width = images.shape[1:3]
    for rng, out in zip(rngs, answer, strict=True):
        size = np.maximum(1, np.rint(rng.uniform(SMALLEST, LARGEST, (BOXES[-1], 2)) * (height, width))).astype(int)
        first = rng.integers(0, (height, width) - size, endpoint=True)
        for (top, left), (low, right) in zip(first[: BOXES[severity - 1]], first + size, strict=False):
            out[top:low, left:right] = 0
    return answer


@corruption(domain="image")
def grid_dropout(images: Images, severity: int, rngs: Generators) -> Images:
    """Black boxes on a regular grid; each is 0.2, 0.3, 0.42, 0.55, 0.7 of the grid's step high and wide.

    The step is a ninth to a quarter of the shorter side and at least four pixels, and the grid starts anywhere.
    """
    answer = images.copy()
    height, width = images.shape[1:3]
    for rng, out in zip(rngs, answer, strict=True):
        step = max(LEAST, round(rng.uniform(FINEST, COARSEST) * min(height, width)))
        lost = max(1, round(LOST[severity - 1] * step))
        down, right = rng.integers(0, step, 2)
        rows = (np.arange(height) + down) % step < lost
        columns = (np.arange(width) + right) % step < lost
        out[rows[:, None] & columns] = 0
    return answer
