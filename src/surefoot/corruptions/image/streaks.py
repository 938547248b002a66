"""Streaks of falling rain: short slanting lines with soft edges."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

STEEPEST = 0.35
"""How far sideways the rain of an image moves at most, for each pixel down."""
SPREAD = 0.04
"""How much the streaks of one image differ in that."""
WIDTH = 1 / 160
"""Width of a streak as a share of the shorter side; at least a pixel."""
FAINTEST = 0.25


def streaks(rng: np.random.Generator, shape: tuple[int, ...], *, share: float, length: float) -> NDArray[np.float32]:
    """Opacity (h x w), from 0 to 1, of streaks over about a share of the image, each a share of its height long."""
    height, width = shape
    thick, long = max(1.0, min(shape) * WIDTH), max(2, round(length * height))
    # Streaks also start outside the image, so that its edges are as wet as its middle.
    tall, wide = height + long, width + thick + 2 * long * (STEEPEST + SPREAD)
    number = max(1, round(share * tall * wide / (long * thick)))
    slant = rng.uniform(-STEEPEST, STEEPEST)
    start_y, start_x, turn, bright = rng.random((number, 4)).T[:, :, None]
    down = np.arange(long)
    y = np.floor(start_y * tall).astype(int) - long + down
    left = start_x * wide - (wide - width + thick) / 2 + (slant + SPREAD * (2 * turn - 1)) * down
    strength = (FAINTEST + (1 - FAINTEST) * bright) * np.sqrt(np.sin(np.pi * (down + 0.5) / long))
    return _drawn(shape, y, left, thick, strength)


def _drawn(
    shape: tuple[int, ...], y: NDArray[Any], left: NDArray[Any], thick: float, strength: NDArray[Any]
) -> NDArray[np.float32]:
    """Each pixel as wet as the wettest streak over it, by how much of the pixel the streak covers."""
    height, width = shape
    field = np.zeros(height * width, np.float32)
    first = np.floor(left).astype(int)
    for column in (first + extra for extra in range(int(np.ceil(thick)) + 1)):
        covered = np.clip(np.minimum(column + 1, left + thick) - np.maximum(column, left), 0, 1)
        inside = (y >= 0) & (y < height) & (column >= 0) & (column < width)
        np.maximum.at(field, (y * width + column)[inside], (strength * covered)[inside].astype(np.float32))
    return field.reshape(height, width)
