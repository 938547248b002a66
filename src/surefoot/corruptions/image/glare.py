"""Light of the sun that shines into a lens: disc, halo, rays, and reflections between its glasses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Light = NDArray[np.float32]

HIGHEST, LOWEST = (0.03, 0.12), (0.35, 0.88)
"""The sun stands between these places: shares of height and width."""
DISC, HALO, BEAM = 0.05, 0.22, 0.45
"""Radius of the disc, width of the halo and length of the rays, as shares of the shorter side."""
RAYS = 4
"""Pairs of rays: twice as many points has the star."""
SUN_TINT = (1.0, 0.95, 0.82)
GHOSTS = (
    (0.55, 0.09, (0.5, 1.0, 0.6)),
    (0.85, 0.05, (1.0, 0.7, 0.4)),
    (1.3, 0.14, (0.5, 0.7, 1.0)),
    (1.6, 0.06, (1.0, 0.5, 0.8)),
    (2.0, 0.2, (0.6, 0.9, 1.0)),
)
"""Reflections: place on the way from the sun (0) through the middle of the image (1), radius, tint."""
GHOST = 0.25
"""Light of the brightest reflection, as a share of the sun's."""


def glare(rng: np.random.Generator, shape: tuple[int, ...], strength: float) -> Light:
    """Light (h x w x 3) of a sun in the upper part of the image; 1 and more saturates."""
    middle = (np.array(shape) - 1) / 2
    sun = np.array(shape) * rng.uniform(HIGHEST, LOWEST)
    turn, dim = rng.uniform(0, np.pi), rng.uniform(0.4, 1, len(GHOSTS))
    light = strength * _star(shape, sun, turn, strength)[..., None] * np.array(SUN_TINT, np.float32)
    for (place, radius, tint), weight in zip(GHOSTS, dim, strict=True):
        disc = _disc(shape, sun + place * (middle - sun), radius)
        light += (GHOST * strength * weight * disc)[..., None] * np.array(tint, np.float32)
    return light


def _away(shape: tuple[int, ...], centre: NDArray[np.float64]) -> tuple[Light, Light]:
    """How far down and right of a centre each row and column is, in shorter sides."""
    down, right = ((np.arange(n) - at) / min(shape) for n, at in zip(shape, centre, strict=True))
    return down.astype(np.float32)[:, None], right.astype(np.float32)


def _star(shape: tuple[int, ...], sun: NDArray[np.float64], turn: float, size: float) -> Light:
    down, right = _away(shape, sun)
    distance = np.sqrt(down**2 + right**2)
    disc = np.clip(2 - distance / (DISC * size), 0, 1)
    halo = 0.75 * np.exp(-distance / (HALO * size))
    points = np.abs(np.cos(RAYS * np.arctan2(down, right) + np.float32(turn))) ** 12
    return disc + halo + 0.35 * points * np.exp(-distance / (BEAM * size))


def _disc(shape: tuple[int, ...], centre: NDArray[np.float64], radius: float) -> Light:
    """A disc with a soft edge, brighter at its rim."""
    down, right = _away(shape, centre)
    distance = np.sqrt(down**2 + right**2) / radius
    return np.clip((1 - distance) * 8, 0, 1) * (0.6 + 0.4 * distance**2)
