"""Which inputs the windows of convolutions and pools look at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Shape = tuple[int, ...]
Pair = tuple[int, int]

OUTSIDE = -1
"""Stands for a place in the padding."""


@dataclass(frozen=True, eq=False)
class Windows:
    """Numbers of flattened features, or ``OUTSIDE``: (channels, rows, columns, kernel rows, kernel columns)."""

    places: Integers
    inputs: int
    """Number of features of the image that they lie on."""

    @property
    def shape(self) -> Shape:
        """Channels, rows and columns of windows."""
        return self.places.shape[:3]

    @property
    def flat(self) -> Integers:
        """The places of one window a row."""
        return self.places.reshape(int(np.prod(self.shape)), -1)

    @classmethod
    def sliding(
        cls, shape: Shape, *, kernel: Pair, stride: Pair, padding: tuple[Pair, Pair], dilation: Pair = (1, 1)
    ) -> Windows:
        """Windows at regular distances over a padded image, which must be as large as one at least."""
        places = np.pad(_numbered(shape), ((0, 0), *padding), constant_values=OUTSIDE)
        extent = tuple((size - 1) * step + 1 for size, step in zip(kernel, dilation, strict=True))
        windows = np.lib.stride_tricks.sliding_window_view(places, extent, axis=(1, 2))
        return cls(windows[:, :: stride[0], :: stride[1], :: dilation[0], :: dilation[1]], int(np.prod(shape)))

    @classmethod
    def adaptive(cls, shape: Shape, size: Pair) -> Windows:
        """Windows that divide an image into so many rows and columns, as evenly as whole numbers allow."""
        rows, columns = (_parts(side, count) for side, count in zip(shape[1:], size, strict=True))
        rows, columns = rows[:, None, :, None], columns[None, :, None, :]
        inside = (rows >= 0) & (columns >= 0)
        return cls(np.where(inside, _numbered(shape)[:, rows, columns], OUTSIDE), int(np.prod(shape)))


def _numbered(shape: Shape) -> Integers:
    return np.arange(int(np.prod(shape))).reshape(shape)


def _parts(side: int, count: int) -> Integers:
    """Places of each part of a side, a row each."""
    part = np.arange(count)
    first, end = part * side // count, -(-(part + 1) * side // count)
    places = first[:, None] + np.arange((end - first).max())
    return np.where(places < end[:, None], places, OUTSIDE)
