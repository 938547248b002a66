"""Weather: snow, frost on the window and fog."""

from __future__ import annotations

import numpy as np

from surefoot.corruptions.catalogue import corruption
from surefoot.corruptions.image.ice import PANES, pane
from surefoot.corruptions.image.items import BYTE, Generators, Images
from surefoot.corruptions.image.kernels import smeared
from surefoot.corruptions.image.plasma import clouds
from surefoot.corruptions.image.resize import cropped, enlarged

SNOW = (
    (0.1, 0.3, 3, 0.5, 10, 4, 0.8),
    (0.2, 0.3, 2, 0.5, 12, 4, 0.7),
    (0.55, 0.3, 4, 0.9, 12, 8, 0.7),
    (0.55, 0.3, 4.5, 0.85, 12, 8, 0.65),
    (0.55, 0.3, 2.5, 0.85, 12, 12, 0.55),
)
"""Of the flakes: mean, deviation, size, threshold, radius and deviation of their fall; then the share of the image that
is not whitened. Paper SYS (Table 1) has severities 1, 3 and 5."""
FALL = (-135, -45)
"""Degrees between which snow falls."""
FROST = ((1, 0.4), (0.8, 0.6), (0.7, 0.7), (0.65, 0.7), (0.6, 0.75))
"""Weights of the image and of the frost."""
FOG = ((1.5, 2), (2.0, 2), (2.5, 1.7), (2.5, 1.5), (3.0, 1.4))
"""Thickness of the fog, and how fast its small structures fade."""
LUMA = (0.299, 0.587, 0.114)
"""Shares of red, green and blue in grey (ITU-R BT.601)."""


@corruption(domain="image")
def snow(images: Images, severity: int, rngs: Generators) -> Images:
    """A whitened image with falling flakes before it (Hendrycks and Dietterich 2019)."""
    *flakes, kept = SNOW[severity - 1]
    whitened = _grey(images)
    whitened *= 1.5
    whitened += 0.5
    whitened = np.maximum(images, whitened)
    whitened *= 1 - kept
    whitened += images * kept
    for image, rng in zip(whitened, rngs, strict=True):
        layer = _flakes(image.shape[0], image.shape[1], flakes, rng)
        image += layer + layer[::-1, ::-1]
    return whitened


def _flakes(height: int, width: int, flakes: list[float], rng: np.random.Generator) -> Images:
    mean, deviation, size, threshold, radius, fall, *_ = flakes
    shape = (cropped(height, size)[1], cropped(width, size)[1], 1)
    grains = rng.standard_normal(shape, dtype=np.float32) * np.float32(deviation) + np.float32(mean)
    layer = enlarged(grains, size, height, width)
    layer[layer < threshold] = 0
    return smeared(np.clip(layer, 0, 1), int(radius), fall, rng.uniform(*FALL))


@corruption(domain="image")
def frost(images: Images, severity: int, rngs: Generators) -> Images:
    """The image behind a pane with crystals of ice, a random piece of one of six (Hendrycks and Dietterich 2019).

    The weights are theirs; their panes are photographs, ours are grown by ``ice``.
    """
    clear, iced = FROST[severity - 1]
    frosted = images * clear
    for image, rng in zip(frosted, rngs, strict=True):
        ice = _piece(image.shape[0], image.shape[1], rng)
        image += (ice if image.shape[-1] == 3 else _grey(ice)) * np.float32(iced / BYTE)
    return frosted


def _piece(height: int, width: int, rng: np.random.Generator) -> Images:
    whole = pane(int(rng.integers(PANES)))
    factor = max(1.0, 1.1 * max(height, width) / len(whole))
    sides = [cropped(side, factor)[1] for side in (height, width)]
    top, left = (int(rng.integers(len(whole) - side + 1)) for side in sides)
    piece = whole[top : top + sides[0], left : left + sides[1]].astype(np.float32)
    return piece if factor == 1 else enlarged(piece, factor, height, width)


@corruption(domain="image")
def fog(images: Images, severity: int, rngs: Generators) -> Images:
    """Clouds added and the range brought back (Hendrycks and Dietterich 2019)."""
    thickness, decay = FOG[severity - 1]
    height, width = images.shape[1:3]
    fogged = np.empty_like(images)
    for image, out, rng in zip(images, fogged, rngs, strict=True):
        brightest = image.max()
        np.add(image, clouds(height, width, decay, rng)[..., None] * np.float32(thickness), out=out)
        out *= brightest / (brightest + thickness)
    return fogged


def _grey(images: Images) -> Images:
    if images.shape[-1] == 1:
        return images.copy()
    return (images @ np.array(LUMA, images.dtype))[..., None]
