"""Images as arrays, checked once: their shape, the order of their channels, and the range of their pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate
from surefoot.profile.rows import SMALL_TYPES

COLOURS = (1, 3, 4)
"""Numbers of channels that images usually have."""


def as_images(values: ArrayLike, *, where: str, name: str, at_least: int = 1) -> NDArray[Any]:
    """Images as (n, height, width) or (n, channels, height, width), with pixels in [0, 1]."""
    array = np.asarray(values)
    if array.dtype.name not in SMALL_TYPES or np.ma.is_masked(values) or not np.isfinite(array).all():
        array = validate.numbers(values, where=where, name=name)
    _require_axes(array, where, name)
    if len(array) < at_least or not array.size:
        raise InvalidInput(f"{name} needs at least {at_least} images", where=where, found=f"shape {array.shape}")
    _require_unit_range(array, where, name)
    return array


def full_shape(shape: tuple[int, ...]) -> tuple[int, int, int]:
    """Shape of an image with its channels; a grey one has one."""
    channels, height, width = shape if len(shape) == 3 else (1, *shape)
    return channels, height, width


def with_channels(images: NDArray[Any]) -> NDArray[Any]:
    """Images as (n, channels, height, width)."""
    return images.reshape(len(images), *full_shape(images.shape[1:]))


def _require_axes(array: NDArray[Any], where: str, name: str) -> None:
    if array.ndim not in (3, 4):
        raise InvalidInput(
            f"{name} must be images: (n, height, width) or (n, channels, height, width)",
            where=where,
            found=f"shape {array.shape}",
            remedy="Use X.reshape(-1, height, width) for flattened images, X[None] for one image.",
        )
    if array.ndim == 4 and array.shape[3] in COLOURS and array.shape[1] not in COLOURS:
        raise InvalidInput(
            f"the channels of {name} seem to come last",
            where=where,
            found=f"shape {array.shape}",
            remedy="Put them before height and width: np.moveaxis(X, -1, 1).",
        )


def _require_unit_range(array: NDArray[Any], where: str, name: str) -> None:
    low, high = array.min(), array.max()
    if low < 0 or high > 1:
        raise InvalidInput(
            f"pixels of {name} must lie in [0, 1]",
            where=where,
            found=f"{low:g} to {high:g}",
            remedy="Divide by 255." if low >= 0 and 1 < high <= 255 else "Rescale by the range that pixels can have.",
        )
