"""Blurs that several corruptions share: a disc, and a line that fades."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.corruptions.image.items import Images

SPREADS = 4
"""Standard deviations after which a fading line is cut off; less than 1 part in 10,000 is left there."""


@lru_cache(maxsize=8)
def disc(radius: int, softness: float) -> NDArray[np.float64]:
    """Weights of a disc that add to 1, its edge softened by a normal distribution (Hendrycks and Dietterich 2019)."""
    from scipy.ndimage import gaussian_filter

    edge = 1 if radius <= 8 else 2
    across = np.arange(-radius - edge, radius + edge + 1)
    hard = (across[:, None] ** 2 + across**2 <= radius**2).astype(float)
    soft = gaussian_filter(hard, softness, radius=edge, mode="constant")
    return soft / soft.sum()


def spread(image: Images, weights: NDArray[np.float64]) -> Images:
    """An image (h x w x c) convolved with square weights of odd side by Fourier transforms; edges are mirrors."""
    from scipy import fft

    reach = len(weights) // 2
    height, width = image.shape[:2]
    wide = image.take(mirrored(height, reach), axis=0).take(mirrored(width, reach), axis=1)
    shape = tuple(fft.next_fast_len(side, real=True) for side in wide.shape[:2])
    spectrum = fft.rfft2(wide, shape, axes=(0, 1))
    spectrum *= fft.rfft2(weights.astype(image.dtype), shape)[..., None]
    whole = fft.irfft2(spectrum, shape, axes=(0, 1))
    return whole[2 * reach : 2 * reach + height, 2 * reach : 2 * reach + width]


def mirrored(size: int, reach: int) -> NDArray[np.intp]:
    """Places of an axis and ``reach`` more on both sides, turned back at the first and last (c b | a b c | b a)."""
    turned = np.abs(np.arange(-reach, size + reach)) % max(1, 2 * (size - 1))
    return np.minimum(turned, 2 * (size - 1) - turned)


def fading(radius: int, deviation: float) -> NDArray[np.float64]:
    """Weights of a line that fades like one half of a normal density, 2 ``radius`` + 1 long at most; they add to 1."""
    along = np.arange(min(2 * radius, math.ceil(SPREADS * deviation)) + 1)
    weights = np.exp(-0.5 * (along / deviation) ** 2)
    return weights / weights.sum()


def smeared(image: Images, radius: int, deviation: float, degrees: float) -> Images:
    """An image (h x w x c) smeared along a fading line of this direction; what is outside repeats the edge."""
    weights = fading(radius, deviation)
    along = np.arange(len(weights))
    down = np.ceil(along * math.sin(math.radians(degrees)) - 0.5).astype(int)
    right = np.ceil(along * math.cos(math.radians(degrees)) - 0.5).astype(int)
    wide = _extended(_extended(image, down, axis=0), right, axis=1)
    top, left = down - down.min(), right - right.min()
    return _summed(wide, top, left, weights, image.shape)


def _extended(image: Images, steps: NDArray[np.int64], axis: int) -> Images:
    size = image.shape[axis]
    return image.take(np.clip(np.arange(steps.min(), size + steps.max()), 0, size - 1), axis=axis)


def _summed(
    wide: Images, top: NDArray[np.int64], left: NDArray[np.int64], weights: NDArray[np.float64], shape: Any
) -> Images:
    total, part = np.zeros(shape, wide.dtype), np.empty(shape, wide.dtype)
    for y, x, weight in zip(top.tolist(), left.tolist(), weights.tolist(), strict=True):
        total += np.multiply(wide[y : y + shape[0], x : x + shape[1]], weight, out=part)
    return total
