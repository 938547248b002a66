"""Inputs as pictures: which axes are height, width and channels, and few enough pixels for a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput
from surefoot.core.validate import FloatArray

CHANNELS = (1, 3)
FEWEST_PIXELS = 4
MOST_PIXELS = 72
"""Along a side: eight photographs and their neighbours then stay below what a page takes."""


def picture_shape(shape: Sequence[int], stated: Sequence[int] | None = None) -> tuple[int, ...] | None:
    """Height, width and, for colours, place and number of the channels: as stated, or as the shape of inputs shows.

    None where inputs are no pictures. ``(H, W)``, ``(C, H, W)`` and ``(H, W, C)`` with one or three channels are.
    """
    sizes = tuple(shape if stated is None else stated)
    if stated is not None and np.prod(sizes) != np.prod(tuple(shape)):
        raise InvalidInput(
            "picture must have as many values as an input",
            where="picture",
            found=f"{' x '.join(map(str, sizes))} for inputs of {int(np.prod(tuple(shape))):,} values",
        )
    if len(_height_and_width(sizes)) == 2 and min(_height_and_width(sizes)) >= FEWEST_PIXELS:
        return sizes
    if stated is None:
        return None
    raise InvalidInput(
        "picture must be [height, width], with one or three channels first or last where there are any",
        where="picture",
        found=" x ".join(map(str, sizes)),
    )


def _height_and_width(sizes: tuple[int, ...]) -> tuple[int, ...]:
    if len(sizes) == 3 and sizes[0] in CHANNELS:
        return sizes[1:]
    return sizes[:2] if len(sizes) == 2 or (len(sizes) == 3 and sizes[2] in CHANNELS) else ()


def as_picture(values: NDArray[Any], shape: tuple[int, ...]) -> FloatArray:
    """Height by width, by three for colours; a large picture in fewer pixels, each the mean of several."""
    picture = np.asarray(values, dtype=float).reshape(shape)
    if picture.ndim == 3:
        picture = np.moveaxis(picture, 0, -1) if shape[0] in CHANNELS else picture
        picture = picture[..., 0] if picture.shape[-1] == 1 else picture
    step = coarseness(shape)
    rows, columns = (np.arange(0, size, step) for size in picture.shape[:2])
    sums = np.add.reduceat(np.add.reduceat(picture, rows, axis=0), columns, axis=1)
    counts = np.outer(np.diff([*rows, picture.shape[0]]), np.diff([*columns, picture.shape[1]]))
    return np.asarray(sums / (counts[..., None] if picture.ndim == 3 else counts))


def coarseness(shape: tuple[int, ...]) -> int:
    """How many pixels along a side become one."""
    return -(-max(_height_and_width(shape)) // MOST_PIXELS)
