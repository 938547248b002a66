"""``Contrast`` and ``Brightness``: images that are flatter, darker or brighter than usual are strange."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.detectors.base import Detector, Learned
from surefoot.monitors.detectors.magnitudes import bounded, divisor, ratio
from surefoot.profile.slicing import slices

LUMA = np.array([0.299, 0.587, 0.114])
"""The weights of red, green and blue (Recommendation ITU-R BT.601)."""
SIDES: dict[str, Callable[[FloatArray], FloatArray]] = {"low": np.negative, "high": np.positive, "both": np.abs}
Side = Literal["low", "high", "both"]
NORMAL = 1.4826
"""The standard deviation of a normal distribution in units of its median absolute deviation."""
AT_ONCE = 1 << 20
"""Pixels that are weighed at once."""


class ImageStatistic(Detector):
    """A figure of each image, relative to the median and the spread of the fitted images.

    The spread is the median absolute deviation, scaled to the standard deviation of a normal distribution; where most
    images share one figure it is the standard deviation, and 1 where all do. Images are grey or RGB, channels first or
    last, bytes or floats, but all of one scale.
    """

    takes = "images"
    side: Side

    def __post_init__(self) -> None:
        validate.choice(self.side, SIDES, where=self.name, name="side")

    def _fit(self, rows: NDArray[Any], classes: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        figures = self._figures(rows)
        centre = np.median(figures)
        size = np.abs(bounded(rows)).max()
        robust = NORMAL * np.median(np.abs(figures - centre))
        return {"centre": np.asarray(centre), "spread": divisor(robust, size, divisor(figures.std(), size))}

    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: Learned) -> FloatArray:
        return SIDES[self.side](ratio(self._figures(rows) - ready["centre"], ready["spread"]))

    def _figures(self, images: NDArray[Any]) -> FloatArray:
        size = max(1, AT_ONCE // max(1, images[0].size))
        return np.concatenate([self._figure(bounded(luma(images[part]))) for part in slices(len(images), size)])

    @abstractmethod
    def _figure(self, values: FloatArray) -> FloatArray:
        """The figure of each image, given its luma in a row."""


@dataclass(eq=False)
class Contrast(ImageStatistic, name="contrast"):
    """The contrast of images: the standard deviation of their luma (RMS contrast, Peli 1990).

    Low contrast is strange, as in fog or behind a blurred lens (MON, section III-B), unless ``side`` says otherwise.
    """

    side: Side = "low"

    def _figure(self, values: FloatArray) -> FloatArray:
        return values.std(axis=1)


@dataclass(eq=False)
class Brightness(ImageStatistic, name="brightness"):
    """The brightness of images: the mean of their luma. Dark and bright are strange, or one ``side`` of them."""

    side: Side = "both"

    def _figure(self, values: FloatArray) -> FloatArray:
        return values.mean(axis=1)


def luma(images: FloatArray) -> FloatArray:
    """The weighted sum of red, green and blue of every pixel, in a row for each image."""
    if images.ndim == 3:
        return images.reshape(len(images), -1)
    if images.shape[3] in (1, 3):
        last = images
    elif images.shape[1] in (1, 3):
        last = np.moveaxis(images, 1, 3)
    else:
        found = f"shape {images.shape[1:]}"
        raise InvalidInput("images must have 1 or 3 channels", where="luma", found=found, remedy="Drop the others.")
    grey = last @ LUMA if last.shape[3] == 3 else last[..., 0]
    return grey.reshape(len(images), -1)
