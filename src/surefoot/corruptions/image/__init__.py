"""Corruptions of images: noise, blur, weather, light, digital faults, scenes, sensors, dropout and channels.

Each is a function ``f(images, severity, rngs)`` of images (n x h x w x c) with pixels in [0, 1], one generator an
image; ``changed`` checks what comes in, makes bytes shares of 1, and gives all back in its shape and type. Sources:
Hendrycks and Dietterich (2019), paper MON (Guerin et al. 2022). May import ``core``; scipy and Pillow where they are
used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput

AT_ONCE = 1 << 18
"""Numbers that are worked on at a time, to bound memory and to stay in the cache of a processor."""
COLOURS = (1, 3)
BYTE = np.iinfo(np.uint8).max
Images = NDArray[np.floating[Any]]
Generators = Sequence[np.random.Generator]
Change = Callable[[Images, Generators], Images]
"""A change of images (n x h x w x c) with pixels in [0, 1], to a new array; what leaves that range is cut off."""


def changed(x: ArrayLike, change: Change, generator: Callable[[int], np.random.Generator], *, where: str) -> Any:
    """One image or many, changed, in the shape, type and range in which they came."""
    images = _checked(x, where)
    many = images if images.ndim == 4 else images[None]
    answer = np.empty(many.shape, images.dtype)
    step = max(1, AT_ONCE // max(1, many[:1].size))
    for start in range(0, len(many), step):
        part = many[start : start + step]
        rngs = [generator(start + i) for i in range(len(part))]
        answer[start : start + step] = _as(images.dtype, change(_shares(part), rngs))
    return answer.reshape(images.shape)


def _shares(part: NDArray[Any]) -> Images:
    if part.dtype == np.uint8:
        return part * np.float32(1 / BYTE)
    return part.astype(np.float32 if part.dtype.itemsize <= 4 else np.float64)


def _as(dtype: np.dtype[Any], shares: Images) -> NDArray[Any]:
    np.clip(shares, 0, 1, out=shares)
    if dtype != np.uint8:
        return shares.astype(dtype, copy=False)
    shares *= BYTE
    return np.rint(shares, out=shares).astype(np.uint8)


def _checked(x: ArrayLike, where: str) -> NDArray[Any]:
    try:
        images = np.asarray(x)
    except ValueError as error:
        remedy = "Corrupt images of different sizes one by one, with first= the number of each."
        raise InvalidInput("images must have one size", where=where, found=str(error), remedy=remedy) from error
    if images.dtype != np.uint8 and images.dtype.kind != "f":
        raise InvalidInput(
            "pixels must be bytes (uint8) or floats in [0, 1]",
            where=where,
            found=f"an array of {images.dtype}",
            remedy="Convert them: bytes as they are, others divided by their full scale.",
        )
    if images.ndim not in (3, 4) or images.shape[-1] not in COLOURS:
        raise InvalidInput(
            "images must be height x width x channels, one or many, with 1 or 3 channels",
            where=where,
            found=f"shape {images.shape}",
            remedy="Move channels to the end, or add an axis for the one channel of grey images.",
        )
    if 0 in images.shape[-3:]:
        raise InvalidInput("images must have pixels", where=where, found=f"shape {images.shape}")
    if images.dtype.kind == "f":
        _require_shares(images, where)
    return images


def _require_shares(images: NDArray[Any], where: str) -> None:
    # A NaN is neither at least 0 nor at most 1.
    outside = ~((images >= 0) & (images <= 1))
    if outside.any():
        at = tuple(int(i) for i in np.argwhere(outside)[0])
        raise InvalidInput(
            "floats must lie in [0, 1]",
            where=where,
            found=f"{images[at]} at index {at} ({int(outside.sum())} such in all)",
            remedy="Divide pixels from 0 to 255 by 255, and corrupt before pixels are normalised.",
        )
