"""Images made larger around their middle, and smaller by means over boxes."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.corruptions.image.items import Images


def cropped(size: int, factor: float) -> tuple[int, int]:
    """Where the middle part of an axis starts, and its length, that fills the axis when enlarged by ``factor``."""
    length = math.ceil(size / factor)
    return (size - length) // 2, length


def places(length: int, factor: float, size: int) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
    """For ``size`` pixels of an enlarged axis: the pixel before each, the one after, and how near the latter is.

    The first and last pixels of both axes coincide, as in ``scipy.ndimage.zoom``.
    """
    full = max(size, round(length * factor))
    at = np.arange(size, dtype=np.float64) * ((length - 1) / max(1, full - 1))
    before: NDArray[np.intp] = np.minimum(at.astype(np.intp), length - 1)
    after: NDArray[np.intp] = np.minimum(before + 1, length - 1)
    return before, after, at - before


def enlarged(image: Images, factor: float, height: int, width: int) -> Images:
    """An image (h x w x c) enlarged to ``height`` x ``width`` by linear interpolation."""
    for axis, size in ((0, height), (1, width)):
        before, after, near = places(image.shape[axis], factor, size)
        weight = np.expand_dims(near.astype(image.dtype), tuple({0, 1, 2} - {axis}))
        low = image.take(before, axis=axis)
        image = low + (image.take(after, axis=axis) - low) * weight
    return image


@lru_cache(maxsize=32)
def enlargements(size: int, factors: tuple[float, ...]) -> Any:
    """A sparse matrix that takes an axis to all its enlargements: pixel by pixel, and for each factor by factor."""
    from scipy.sparse import csr_array

    columns, weights = _entries(size, factors)
    ends = np.arange(0, columns.size + 1, 2, dtype=np.int32)
    return csr_array((weights.ravel(), columns.ravel(), ends), shape=(size * len(factors), size))


@lru_cache(maxsize=32)
def sum_of_enlargements(size: int, factors: tuple[float, ...]) -> Any:
    """A sparse matrix that enlarges one axis for each factor, laid end to end, and adds the enlargements."""
    from scipy.sparse import csr_array

    columns, weights = _entries(size, factors)
    columns += (np.arange(len(factors), dtype=np.int32) * size)[:, None]
    ends = np.arange(0, columns.size + 1, 2 * len(factors), dtype=np.int32)
    return csr_array((weights.ravel(), columns.ravel(), ends), shape=(size, size * len(factors)))


def _entries(size: int, factors: tuple[float, ...]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """For each pixel and factor, the two pixels of the axis between which it lies, and the weights of both."""
    columns = np.empty((size, len(factors), 2), np.int32)
    weights = np.empty((size, len(factors), 2), np.float32)
    for k, factor in enumerate(factors):
        start, length = cropped(size, factor)
        before, after, near = places(length, factor, size)
        columns[:, k, 0], columns[:, k, 1] = before + start, after + start
        weights[:, k, 0], weights[:, k, 1] = 1 - near, near
    return columns, weights


def box_means(images: Images, axis: int, size: int) -> Images:
    """An axis made shorter: means over ``size`` boxes that share out its pixels, as Pillow's box filter does."""
    edges = np.floor(np.arange(size + 1) * (images.shape[axis] / size) + 0.5).astype(np.intp)
    lengths = np.diff(edges)
    shape = [1] * images.ndim
    shape[axis] = size
    means = np.zeros_like(images, shape=(*images.shape[:axis], size, *images.shape[axis + 1 :]))
    for offset in range(lengths.max()):
        weights = ((offset < lengths) / lengths).astype(images.dtype).reshape(shape)
        means += images.take(np.minimum(edges[:-1] + offset, edges[-1] - 1), axis=axis) * weights
    return means
