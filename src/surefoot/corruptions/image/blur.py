"""Blurs: out of focus, through frosted glass, moved, and zoomed."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.corruptions.catalogue import corruption
from surefoot.corruptions.image import Generators, Images
from surefoot.corruptions.image.digital import enlargements, sum_of_enlargements

DISCS = ((3, 0.1), (4, 0.5), (6, 0.5), (8, 0.5), (10, 0.5))
"""Radius of the disc, and the deviation that softens its edge."""
GLASS = ((0.7, 1, 2), (0.9, 2, 1), (1.0, 2, 3), (1.1, 3, 2), (1.5, 4, 2))
"""Deviation of the blur, farthest pixel to copy and rounds of copies."""
MOTIONS = ((10, 3), (15, 5), (15, 8), (15, 12), (20, 15))
"""Radius and deviation of the line; paper SYS (Table 1) has severities 1, 3 and 5."""
SLANT = 45
ZOOMS = ((1.11, 0.01), (1.16, 0.01), (1.21, 0.02), (1.26, 0.02), (1.31, 0.03))
"""Enlargements from 1 up to, but without, the first number, in steps of the second."""
AT_ONCE = 1 << 19
"""Numbers of all enlargements that are held at a time."""


@corruption(domain="image")
def defocus_blur(images: Images, severity: int, rngs: Generators) -> Images:
    """Convolved with a disc, as a lens out of focus does (Hendrycks and Dietterich 2019)."""
    weights = disc(*DISCS[severity - 1])
    return np.stack([spread(image, weights) for image in images])


@corruption(domain="image")
def glass_blur(images: Images, severity: int, rngs: Generators) -> Images:
    """Blurred, each pixel given the colour of a near one, and blurred again (Hendrycks and Dietterich 2019).

    The published code sets out to swap pixels one after the other; as its arrays are views of each other, each pixel
    takes the colour of its partner, which keeps its own. So it is here; the chains of copies are found at once.
    """
    from scipy.ndimage import gaussian_filter

    deviation, farthest, rounds = GLASS[severity - 1]
    soft = gaussian_filter(images, deviation, axes=(1, 2), mode="nearest")
    for image, rng in zip(soft, rngs, strict=True):
        image[...] = shuffled(image, farthest, rounds, rng)
    return gaussian_filter(soft, deviation, axes=(1, 2), mode="nearest")


@corruption(domain="image")
def motion_blur(images: Images, severity: int, rngs: Generators) -> Images:
    """Smeared along a line that fades, up to 45 degrees off the horizontal (Hendrycks and Dietterich 2019)."""
    radius, deviation = MOTIONS[severity - 1]
    pairs = zip(images, rngs, strict=True)
    return np.stack([smeared(image, radius, deviation, rng.uniform(-SLANT, SLANT)) for image, rng in pairs])


@corruption(domain="image")
def zoom_blur(images: Images, severity: int, rngs: Generators) -> Images:
    """The mean of the image and of its enlargements, as a camera that moves on sees (Hendrycks and Dietterich 2019)."""
    factors = np.arange(1, *ZOOMS[severity - 1])
    # The image counts twice: by itself, and as the first enlargement, by 1.
    sums = np.stack([_zoomed(image, tuple(factors[1:].tolist())) for image in images])
    return (sums + 2 * images) / (len(factors) + 1)


def _zoomed(image: Images, factors: tuple[float, ...]) -> Images:
    """The sum of enlargements: rows by one sparse product, columns by another, some rows at a time."""
    height, width, colours = image.shape
    down, across = enlargements(height, factors), sum_of_enlargements(width, factors)
    flat = np.ascontiguousarray(image.transpose(0, 2, 1)).reshape(height, -1)
    step = max(1, AT_ONCE // (len(factors) * flat.shape[1]))
    total = np.empty_like(image)
    for start in range(0, height, step):
        rows = down[start * len(factors) : (start + step) * len(factors)] @ flat
        turned = rows.reshape(-1, len(factors), colours, width).transpose(1, 3, 2, 0)
        zoomed = across @ turned.reshape(len(factors) * width, -1)
        total[start : start + step] = zoomed.reshape(width, colours, -1).transpose(2, 0, 1)
    return total


# Pixels that take the colour of a near one, one after the other, found for all at once.


def shuffled(image: Images, farthest: int, rounds: int, rng: np.random.Generator) -> Images:
    """An image (h x w x c) whose pixels take colours from ``farthest`` before to ``farthest`` - 1 after them.

    In each round pixels far enough from the edges are visited from the last to the first, row by row.
    """
    height, width = image.shape[:2]
    rows, columns = np.arange(farthest + 1, height - farthest + 1), np.arange(farthest + 1, width - farthest + 1)
    visited = (rows[:, None] * width + columns).ravel()
    flat = image.reshape(height * width, -1)
    for _ in range(rounds):
        steps = rng.integers(-farthest, farthest, (2, len(visited)), dtype=np.int32)
        flat = flat.take(sources(height * width, visited, visited + steps[0] * width + steps[1]), axis=0)
    return flat.reshape(image.shape)


def sources(size: int, visited: NDArray[np.int64], chosen: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the colour of each place comes from, when visited places copy the chosen ones, from the last to the first.

    A place with a higher number has been visited before, so its colour comes from elsewhere: such chains are followed
    for all places together, in steps that double.
    """
    source = np.arange(size)
    source[visited] = chosen
    earlier = source > np.arange(size)
    open = np.flatnonzero(earlier)
    while open.size:
        via = source[open]
        source[open], earlier[open] = source[via], earlier[via]
        open = open[earlier[open]]
    return source


# Blurs that several corruptions share: a disc, and a line that fades.

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
