"""A street with a car and a sign, drawn by arithmetic."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FINER = 4
"""Points along each side of a pixel, averaged for smooth edges."""
HORIZON = 0.46
Layer = NDArray[np.float64]
Mask = NDArray[np.bool_]


def street(height: int, width: int) -> NDArray[np.uint8]:
    """A picture in bytes with large and fine structure, bright and dark parts, and strong colours."""
    y, x = np.mgrid[0 : height * FINER, 0 : width * FINER].astype(float)
    y, x = (y + 0.5) / (height * FINER), (x + 0.5) / (width * FINER)
    picture = _landscape(y, x)
    for where, colour in (*_road(y, x), *_houses(y, x), *_sign(y, x), *_car(y, x)):
        picture[where] = colour
    return _averaged(picture, height, width)


def _landscape(y: Layer, x: Layer) -> Layer:
    sky = np.stack([0.45 + 0.75 * y, 0.66 + 0.5 * y, 0.93 + 0.1 * y], axis=-1)
    sky[np.hypot((x - 0.82) * 4 / 3, y - 0.13) < 0.06] = (1, 0.95, 0.7)
    hills = y > HORIZON - 0.1 - 0.05 * np.sin(7 * x) - 0.03 * np.sin(17 * x + 1)
    sky[hills] = (0.36, 0.5, 0.47)
    blades = 0.06 * np.sin(310 * x + 40 * np.sin(9 * y)) * np.sin(230 * y)
    grass = np.stack([0.33 + blades, 0.52 + 0.1 * (1 - y) + blades, 0.2 + blades], axis=-1)
    return np.asarray(np.where((y > HORIZON)[..., None], grass, sky))


def _road(y: Layer, x: Layer) -> list[tuple[Mask, tuple[float, ...]]]:
    depth = np.maximum(y - HORIZON, 1e-9) / (1 - HORIZON)
    across = (x - 0.5) / (0.02 + 0.46 * depth)
    below = y > HORIZON
    dashes = (np.abs(across) < 0.03) & (np.sin(9 / (depth + 0.12)) > 0)
    return [
        (below & (np.abs(across) < 1), (0.3, 0.31, 0.34)),
        (below & (np.abs(np.abs(across) - 0.92) < 0.03), (0.93, 0.92, 0.86)),
        (below & dashes, (0.95, 0.94, 0.88)),
    ]


def _houses(y: Layer, x: Layer) -> list[tuple[Mask, tuple[float, ...]]]:
    wall = _box(y, x, 0.2, 0.52, 0.03, 0.27)
    panes = wall & (np.sin(75 * x - 2) > 0.2) & (np.sin(62 * y + 2.2) > 0.1)
    roof = (y > 0.09) & (y < 0.2) & (np.abs(x - 0.15) < 0.02 + 1.15 * (y - 0.09))
    return [(wall, (0.78, 0.63, 0.47)), (panes, (0.2, 0.27, 0.38)), (roof, (0.52, 0.2, 0.16))]


def _sign(y: Layer, x: Layer) -> list[tuple[Mask, tuple[float, ...]]]:
    far = np.hypot((x - 0.86) * 4 / 3, y - 0.4)
    return [
        (_box(y, x, 0.4, 0.74, 0.853, 0.867), (0.55, 0.57, 0.6)),
        (far < 0.115, (0.78, 0.09, 0.1)),
        (far < 0.085, (0.97, 0.97, 0.95)),
        (_box(y, x, 0.37, 0.43, 0.815, 0.905), (0.1, 0.1, 0.12)),
    ]


def _car(y: Layer, x: Layer) -> list[tuple[Mask, tuple[float, ...]]]:
    cabin = (y > 0.53) & (y < 0.64) & (np.abs(x - 0.6) < 0.055 + 0.3 * (y - 0.53))
    glass = (y > 0.548) & (y < 0.625) & (np.abs(x - 0.6) < 0.04 + 0.3 * (y - 0.53))
    wheels = (y > 0.7) & (y < 0.79) & (np.abs(np.abs(x - 0.6) - 0.085) < 0.02)
    lights = (np.abs(y - 0.67) < 0.017) & (np.abs(np.abs(x - 0.6) - 0.085) < 0.018)
    body = _box(y, x, 0.63, 0.75, 0.485, 0.715)
    plate = _box(y, x, 0.69, 0.72, 0.565, 0.635)
    return [
        (_box(y, x, 0.76, 0.8, 0.475, 0.725), (0.17, 0.17, 0.19)),
        (wheels, (0.06, 0.06, 0.07)),
        (cabin, (0.09, 0.3, 0.55)),
        (glass, (0.62, 0.74, 0.8)),
        (body, (0.11, 0.36, 0.64)),
        (lights, (0.95, 0.2, 0.12)),
        (plate, (0.95, 0.93, 0.75)),
    ]


def _box(y: Layer, x: Layer, top: float, bottom: float, left: float, right: float) -> Mask:
    return (y > top) & (y < bottom) & (x > left) & (x < right)


def _averaged(picture: Layer, height: int, width: int) -> NDArray[np.uint8]:
    fine = np.clip(picture, 0, 1).reshape(height, FINER, width, FINER, 3)
    return np.rint(255 * fine.mean(axis=(1, 3))).astype(np.uint8)
