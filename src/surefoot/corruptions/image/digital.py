"""Digital faults: brightness and contrast, elastic transform, coarse pixels and JPEG compression."""

from __future__ import annotations

import math
from functools import lru_cache
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.corruptions.catalogue import corruption
from surefoot.corruptions.image import BYTE, Generators, Images, changed

STEPS = (0.1, 0.2, 0.3, 0.4, 0.5)
"""What each severity adds (Hendrycks and Dietterich 2019)."""
FACTORS = (0.4, 0.3, 0.2, 0.1, 0.05)
"""What is left of the contrast; paper SYS (Table 1) has severities 1, 3 and 5."""


@corruption(domain="image")
def brightness(images: Images, severity: int, rngs: Generators) -> Images:
    """Brighter by 0.1 to 0.5 of the full range (Hendrycks and Dietterich 2019)."""
    return brightened(images, STEPS[severity - 1])


@corruption(domain="image")
def contrast(images: Images, severity: int, rngs: Generators) -> Images:
    """Differences to the mean of each channel made smaller by a factor (Hendrycks and Dietterich 2019)."""
    factor = FACTORS[severity - 1]
    mean = images.mean(axis=1, keepdims=True).mean(axis=2, keepdims=True)
    return images * factor + mean * (1 - factor)


def shift_brightness(x: Any, strength: float, *, channels: str | None = None) -> Any:
    """Move the brightness of every pixel: 0 changes nothing, 1 is full brightness, -1 is black.

    Adds ``strength`` to the value V of HSV space and cuts off at 0 and 1. Hue and saturation are ratios of the channels
    to V, the largest of them, so keeping both multiplies all channels by one factor; a black pixel has neither, and
    turns grey. Bytes are rounded to the nearest.

    Parameters
    ----------
    x
        Images: one or many, as for ``corrupt``.
    strength
        In [-1, 1].
    channels
        Where they are, as for ``corrupt``.

    Returns
    -------
    Any
        In the shape, type and range of ``x``.

    References
    ----------
    Hendrycks and Dietterich (2019); Guerin et al. (2022), section III-A.

    Examples
    --------
    >>> import numpy as np, surefoot as sf
    >>> sf.corruptions.shift_brightness(np.full((1, 1, 3), 0.25), 0.5).tolist()
    [[[0.75, 0.75, 0.75]]]

    """
    amount = validate.number(strength, where="shift_brightness", name="strength")
    if abs(amount) > 1:
        remedy = "It is a share of the full range; divide steps of 0 to 255 by 255."
        raise InvalidInput("strength must lie in [-1, 1]", where="shift_brightness", found=f"{amount:g}", remedy=remedy)

    def brighter(images: Images, rngs: Generators) -> Images:
        return brightened(images, amount)

    return changed(x, brighter, np.random.default_rng, where="shift_brightness", channels=channels)


def brightened(images: Images, amount: Any) -> Images:
    """The value of HSV space moved by an amount, of all images or (n x 1 x 1) of each."""
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


STRENGTHS = (12.5, 16.25, 21.25, 25.0, 30.0)
"""What smoothed displacements are multiplied by (Michaelis et al. 2019, package ``imagecorruptions``)."""
DISPLACED, SMOOTHED = 0.005, 0.01
"""Largest displacement before smoothing, as a share of the height, and deviation of the smoothing, of each side."""


@corruption(domain="image")
def elastic_transform(images: Images, severity: int, rngs: Generators) -> Images:
    """Pixels moved by smooth random displacements (Simard et al. 2003).

    One of the corruptions of Hendrycks and Dietterich (2019), with the numbers of Michaelis et al. (2019), which suit
    images of any size; the published code of the former shears the image as well.
    """
    strength = STRENGTHS[severity - 1]
    height, width = images.shape[1:3]
    warped = np.empty_like(images)
    for image, out, rng in zip(images, warped, rngs, strict=True):
        out[...] = _warped(image, _displacements(height, width, strength, rng))
    return warped


def _displacements(height: int, width: int, strength: float, rng: np.random.Generator) -> NDArray[np.float32]:
    """How far each pixel looks down and to the right (2 x h x w)."""
    from scipy.ndimage import gaussian_filter

    random = rng.random((2, height, width), dtype=np.float32)
    random *= 2
    random -= 1
    sides = (SMOOTHED * height, SMOOTHED * width)
    smooth = gaussian_filter(random, sides, axes=(1, 2), mode="reflect", truncate=3)
    smooth *= DISPLACED * height * strength
    return smooth


def _warped(image: Images, moves: NDArray[np.float32]) -> Images:
    """Colours between the four pixels around each place looked at, by linear interpolation."""
    height, width, colours = image.shape
    above, below, down = _neighbours(np.arange(height)[:, None], moves[0])
    left, right, across = _neighbours(np.arange(width), moves[1])
    flat = image.reshape(-1, colours)

    def row(start: NDArray[np.int32]) -> Images:
        near = flat.take((start + left).ravel(), axis=0)
        far = flat.take((start + right).ravel(), axis=0)
        far -= near
        far *= across.reshape(-1, 1)
        return np.add(near, far, out=near)

    upper, lower = row(above * np.int32(width)), row(below * np.int32(width))
    lower -= upper
    lower *= down.reshape(-1, 1)
    upper += lower
    return upper.reshape(image.shape)


def _neighbours(
    places: NDArray[np.int64], moves: NDArray[np.float32]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]:
    """The pixels before and after each moved place, and how near the latter is; edges are mirrors (b a | a b)."""
    whole = np.floor(moves)
    before = places.astype(np.int32) + whole.astype(np.int32)
    return _folded(before, places.size), _folded(before + np.int32(1), places.size), moves - whole


def _folded(at: NDArray[np.int32], size: int) -> NDArray[np.int32]:
    reach = max(0, -int(at.min()), int(at.max()) - size + 1)
    turned = np.arange(-reach, size + reach, dtype=np.int32) % np.int32(2 * size)
    return np.minimum(turned, 2 * size - 1 - turned).take(at + reach)


SHARES = (0.6, 0.5, 0.4, 0.3, 0.25)
"""Share of pixels left along each side; paper SYS (Table 1) has severities 1, 3 and 5."""


@corruption(domain="image")
def pixelate(images: Images, severity: int, rngs: Generators) -> Images:
    """Fewer, larger pixels: means over boxes, each repeated (Hendrycks and Dietterich 2019)."""
    height, width = images.shape[1:3]
    rows, columns = (max(1, int(side * SHARES[severity - 1])) for side in (height, width))
    coarse = box_means(box_means(images, 1, rows), 2, columns)
    return coarse.take(_nearest(width, columns), axis=2).take(_nearest(height, rows), axis=1)


def _nearest(size: int, coarse: int) -> NDArray[np.intp]:
    return np.floor((np.arange(size) + 0.5) * (coarse / size)).astype(np.intp)


QUALITIES = (25, 18, 15, 10, 7)
LONGEST = 65_500
"""Longest side of an image that the JPEG library takes."""


@corruption(domain="image")
def jpeg_compression(images: Images, severity: int, rngs: Generators) -> Images:
    """Saved as JPEG of low quality and read again, in bytes as JPEG has it (Hendrycks and Dietterich 2019)."""
    if max(images.shape[1:3]) > LONGEST:
        found = f"{images.shape[1]} x {images.shape[2]}"
        raise InvalidInput(f"JPEG holds at most {LONGEST} pixels a side", where="jpeg_compression", found=found)
    quality = QUALITIES[severity - 1]
    pixels = np.rint(images * BYTE).astype(np.uint8)
    return np.stack([_reread(image, quality) for image in pixels]) * images.dtype.type(1 / BYTE)


def _reread(image: NDArray[np.uint8], quality: int) -> NDArray[np.uint8]:
    from PIL import Image

    stream = BytesIO()
    Image.fromarray(image.squeeze(-1) if image.shape[-1] == 1 else image).save(stream, "JPEG", quality=quality)
    return np.asarray(Image.open(stream, formats=("JPEG",))).reshape(image.shape)


# Images made larger around their middle, and smaller by means over boxes.


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
