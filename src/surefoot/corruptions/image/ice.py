"""Panes of glass with crystals of ice, grown by random numbers of their own."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.corruptions.image.items import BYTE
from surefoot.corruptions.image.plasma import clouds

SIDE = 512
FINE = 2
"""Lines are drawn larger and made smaller, so that they are smooth."""
LOOKS = (
    (0.34, 0.15, (0.82, 1.08, 1.2)),
    (0.44, 0.14, (0.93, 1.0, 1.08)),
    (0.51, 0.09, (0.7, 1.12, 1.22)),
    (0.62, 0.11, (0.92, 1.0, 1.08)),
    (0.78, 0.08, (0.97, 1.0, 1.03)),
    (0.81, 0.08, (0.98, 1.0, 1.02)),
)
"""Mean and deviation of brightness, and tint, of each pane: from thin dark ice to thick white ice."""
PANES = len(LOOKS)
FERNS = 700
STEP = 4.0
"""Length of the pieces that a stem is drawn in."""
BRANCHING = math.pi / 3
"""Crystals of ice branch at 60 degrees."""


@lru_cache(maxsize=PANES)
def pane(number: int) -> NDArray[np.uint8]:
    """A pane (512 x 512 x 3), the same each time: a rough film of ice with crystals, thicker in some parts."""
    mean, deviation, tint = LOOKS[number]
    rng = np.random.default_rng(number)
    film, thickness = clouds(SIDE, SIDE, 1.3, rng), clouds(SIDE, SIDE, 1.8, rng)
    relief = 0.8 * film + _crystals(rng) * (0.1 + 1.6 * thickness)
    relief = (relief - relief.mean()) * (deviation / relief.std()) + mean
    ice = np.clip(relief[..., None] * np.array(tint), 0, 1)
    return np.rint(ice * BYTE).astype(np.uint8)


def _crystals(rng: np.random.Generator) -> NDArray[np.float32]:
    """Many ferns of ice, large ones rare, from 0 (none) to 1."""
    from PIL import Image, ImageDraw

    canvas = Image.new("L", (SIDE * FINE, SIDE * FINE))
    pen = ImageDraw.Draw(canvas)
    lengths = np.sort(15 + rng.exponential(45, FERNS))[::-1]
    for length in lengths.tolist():
        _fern(pen, rng.uniform(0, SIDE * FINE, 2), rng.uniform(0, 2 * math.pi), length, rng)
    smaller = np.asarray(canvas.resize((SIDE, SIDE), Image.Resampling.BOX), np.float32)
    return smaller * np.float32(1 / BYTE)


def _fern(pen: Any, root: NDArray[np.float64], angle: float, length: float, rng: np.random.Generator) -> None:
    """A bent stem with branches on both sides, shorter towards the tip and brighter than what is below."""
    pieces = int(length / STEP)
    angles = angle + np.cumsum(rng.normal(0, 0.03, pieces) + rng.uniform(-0.02, 0.02))
    stem = np.vstack([root, root + np.cumsum(STEP * _direction(angles), axis=0)])
    shade = int(rng.integers(110, 256))
    pen.line([tuple(point) for point in stem], fill=shade, width=2)
    for side in (-BRANCHING, BRANCHING):
        reach = 0.5 * STEP * np.arange(pieces, 0, -1) * rng.beta(2, 2, pieces) + STEP
        tips = stem[1:] + reach[:, None] * _direction(angles + side + rng.normal(0, 0.08, pieces))
        for point, tip, dimmed in zip(stem[1:], tips, rng.uniform(0.3, 1, pieces), strict=True):
            pen.line([*point, *tip], fill=int(shade * dimmed), width=2)


def _direction(angles: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1)
