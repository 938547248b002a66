"""Digital faults: elastic transform, coarse pixels and JPEG compression."""

from __future__ import annotations

from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput
from surefoot.corruptions.catalogue import corruption
from surefoot.corruptions.image.items import BYTE, Generators, Images
from surefoot.corruptions.image.resize import box_means

STRENGTHS = (12.5, 16.25, 21.25, 25.0, 30.0)
"""What smoothed displacements are multiplied by (Michaelis et al. 2019, package ``imagecorruptions``)."""
DISPLACED, SMOOTHED = 0.005, 0.01
"""Largest displacement before smoothing, as a share of the height, and deviation of the smoothing, of each side."""
SHARES = (0.6, 0.5, 0.4, 0.3, 0.25)
"""Share of pixels left along each side; paper SYS (Table 1) has severities 1, 3 and 5."""
QUALITIES = (25, 18, 15, 10, 7)
LONGEST = 65_500
"""Longest side of an image that the JPEG library takes."""


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


@corruption(domain="image")
def pixelate(images: Images, severity: int, rngs: Generators) -> Images:
    """Fewer, larger pixels: means over boxes, each repeated (Hendrycks and Dietterich 2019)."""
    height, width = images.shape[1:3]
    rows, columns = (max(1, int(side * SHARES[severity - 1])) for side in (height, width))
    coarse = box_means(box_means(images, 1, rows), 2, columns)
    return coarse.take(_nearest(width, columns), axis=2).take(_nearest(height, rows), axis=1)


def _nearest(size: int, coarse: int) -> NDArray[np.intp]:
    return np.floor((np.arange(size) + 0.5) * (coarse / size)).astype(np.intp)


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
