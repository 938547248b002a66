"""Brightness and contrast."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate
from surefoot.corruptions.catalogue import corruption
from surefoot.corruptions.image.items import Generators, Images, changed

STEPS = (0.1, 0.2, 0.3, 0.4, 0.5)
"""What each severity adds (Hendrycks and Dietterich 2019)."""
FACTORS = (0.4, 0.3, 0.2, 0.1, 0.05)
"""What is left of the contrast; paper SYS (Table 1) has severities 1, 3 and 5."""


@corruption(domain="image")
def brightness(images: Images, severity: int, rngs: Generators) -> Images:
    """Brighter by 0.1 to 0.5 of the full range (Hendrycks and Dietterich 2019)."""
    return _moved(images, STEPS[severity - 1])


@corruption(domain="image")
def contrast(images: Images, severity: int, rngs: Generators) -> Images:
    """Differences to the mean of each channel made smaller by a factor (Hendrycks and Dietterich 2019)."""
    factor = FACTORS[severity - 1]
    mean = images.mean(axis=1, keepdims=True).mean(axis=2, keepdims=True)
    return images * factor + mean * (1 - factor)


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


def _moved(images: Images, amount: float) -> Images:
    # Much faster than a maximum along a short last axis.
    value = images[..., 0]
    for colour in range(1, images.shape[-1]):
        value = np.maximum(value, images[..., colour])
    target = np.clip(value + amount, 0, 1)[..., None]
    black = (value == 0)[..., None]
    moved = images / np.where(black, 1, value[..., None])
    moved *= target
    np.copyto(moved, target, where=black)
    return moved
