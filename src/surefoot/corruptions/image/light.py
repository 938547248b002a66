"""Brightness and contrast."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate
from surefoot.corruptions.image.items import Generators, Images, changed

STEPS = (0.1, 0.2, 0.3, 0.4, 0.5)
"""What each severity adds (Hendrycks and Dietterich 2019)."""


def brightness(images: Images, severity: int, rngs: Generators) -> Images:
    """Brighter by 0.1 to 0.5 of the full range (Hendrycks and Dietterich 2019)."""
    return _moved(images, STEPS[severity - 1])


def shift_brightness(x: ArrayLike, strength: float) -> NDArray[Any]:
    """Move the brightness of every pixel by ``strength``: 0 changes nothing, 1 is full brightness, -1 is black.

    Adds ``strength`` to the value V of HSV space and cuts off at 0 and 1, as in Hendrycks and Dietterich (2019) and in
    the threats of Guerin et al. (2022, section III-A). Hue and saturation are ratios of the channels to V, the largest
    of them, so keeping both multiplies all channels by one factor; a black pixel has neither, and turns grey. Images
    are one (h x w x c) or many (n x h x w x c), bytes or floats in [0, 1], and stay so; bytes are rounded to the
    nearest.
    """
    amount = validate.number(strength, where="shift_brightness", name="strength")
    if abs(amount) > 1:
        remedy = "It is a share of the full range; divide steps of 0 to 255 by 255."
        raise InvalidInput("strength must lie in [-1, 1]", where="shift_brightness", found=f"{amount:g}", remedy=remedy)
    return changed(x, lambda images, rngs: _moved(images, amount), np.random.default_rng, where="shift_brightness")


def _moved(images: NDArray[np.floating[Any]], amount: float) -> NDArray[np.floating[Any]]:
    value = images.max(axis=-1, keepdims=True)
    target = np.clip(value + amount, 0, 1)
    black = value == 0
    return np.where(black, target, images / np.where(black, 1, value) * target)
