"""Faults of an image sensor: rows and columns that are read wrongly, pixels out of place, pixels that are stuck.

Paper MON (Guerin et al. 2022, sections III-B and III-C) names row add logic, shifted pixels and pixel trap, and prints
no parameters: the numbers are ours. A worse severity has all faults of a better one, and more.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.corruptions.catalogue import corruption
from surefoot.corruptions.image.items import Generators, Images

LINES = (0.04, 0.08, 0.15, 0.25, 0.4)
"""Share of the rows, or columns, that are read wrongly; at least one."""
DEAD = 0.3
"""Share of these that give one value, black or white; the others give what another line shows."""
SHIFTED = (0.1, 0.2, 0.35, 0.55, 0.8)
"""Share of the rows that are out of place; at least one."""
BAND, FARTHEST = 1 / 12, 1 / 6
"""Height of the largest band that moves as one, and how far one moves at most, as shares of the image."""
TRAPPED = (0.005, 0.015, 0.04, 0.08, 0.15)
"""Share of the pixels that are stuck; at least one."""


@corruption(domain="image")
def row_fault(images: Images, severity: int, rngs: Generators) -> Images:
    """Rows whose address is decoded wrongly: they show another row, or are black or white.

    Rows in fault: 0.04, 0.08, 0.15, 0.25, 0.4 of all; three in ten of them are black or white.
    """
    answer = images.copy()
    for image, rng, out in zip(images, rngs, answer, strict=True):
        _break_rows(image, out, severity, rng)
    return answer


@corruption(domain="image")
def column_fault(images: Images, severity: int, rngs: Generators) -> Images:
    """Columns whose address is decoded wrongly; as ``row_fault``."""
    return row_fault(images.swapaxes(1, 2), severity, rngs).swapaxes(1, 2)


@corruption(domain="image")
def shifted_pixels(images: Images, severity: int, rngs: Generators) -> Images:
    """Bands of rows that are read too early or too late, and so lie too far left or right.

    Rows out of place: 0.1, 0.2, 0.35, 0.55, 0.8 of all, in bands of up to a twelfth of the height, moved by up to a
    sixth of the width; what leaves at one side comes in at the other.
    """
    answer = images.copy()
    for image, rng, out in zip(images, rngs, answer, strict=True):
        height, width = image.shape[:2]
        shift = _shifts(height, width, _count(SHIFTED[severity - 1], height), rng)
        columns = (np.arange(width) - shift[:, None]) % width
        out[...] = image[np.arange(height)[:, None], columns]
    return answer


@corruption(domain="image")
def pixel_trap(images: Images, severity: int, rngs: Generators) -> Images:
    """Pixels that are stuck: all colours or one of them at black or white, in equal shares.

    Pixels in fault: 0.005, 0.015, 0.04, 0.08, 0.15 of all.
    """
    answer = images.copy()
    for rng, out in zip(rngs, answer, strict=True):
        pixels = out.reshape(-1, out.shape[-1])
        stuck = rng.permutation(len(pixels))[: _count(TRAPPED[severity - 1], len(pixels))]
        kind = rng.integers(0, 2 * (1 + pixels.shape[1]), len(pixels))[: len(stuck)]
        channel, value = np.divmod(kind, 2)
        hit = (channel[:, None] == 0) | (channel[:, None] == 1 + np.arange(pixels.shape[1]))
        pixels[stuck] = np.where(hit, value[:, None], pixels[stuck])
    return answer


def _count(share: float, among: int) -> int:
    return max(1, round(share * among))


def _break_rows(image: Images, out: Images, severity: int, rng: np.random.Generator) -> None:
    height = len(image)
    rows = rng.permutation(height)[: _count(LINES[severity - 1], height)]
    other = (rows + rng.integers(1, max(2, height), height)[: len(rows)]) % height
    kind = rng.random(height)[: len(rows), None, None]
    level = (kind < DEAD / 2).astype(image.dtype)
    out[rows] = np.where((kind < DEAD) | (other == rows)[:, None, None], level, image[other])


def _shifts(height: int, width: int, rows: int, rng: np.random.Generator) -> NDArray[Any]:
    """How far right each row moves; 0 for all but some of them."""
    bands = np.cumsum(rng.integers(1, max(1, round(height * BAND)) + 1, height))
    band = np.searchsorted(bands, np.arange(height), side="right")
    far = max(1, round(width * FARTHEST))
    shift = rng.integers(1, far + 1, height) * rng.choice([-1, 1], height)
    order = rng.permutation(height)
    moved = np.argsort(order[band], kind="stable")[:rows]
    return np.where(np.isin(np.arange(height), moved), shift[band], 0)
