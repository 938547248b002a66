"""What stands between a camera and its scene: smoke, the glare of the sun, rain.

Paper MON (Guerin et al. 2022, section III-B) names these threats and prints no parameters: the numbers are ours.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.corruptions.catalogue import corruption
from surefoot.corruptions.image.clouds import cloud
from surefoot.corruptions.image.glare import glare
from surefoot.corruptions.image.items import Generators, Images
from surefoot.corruptions.image.streaks import streaks

Field = NDArray[np.floating[Any]]

SMOKE = ((0.55, 0.65), (0.65, 0.75), (0.75, 0.85), (0.85, 0.97), (0.95, 1.1))
"""Opacity of the thickest smoke, and how deep into the cloud's range smoke is seen."""
EDGE = 0.6
"""Share of the cloud's range over which smoke thickens."""
SMOKE_GREY, SMOKE_SHADE = 0.68, 0.35
SUN = (0.5, 0.7, 0.9, 1.1, 1.4)
"""Strength of the light, which scales the size of disc, halo and rays too."""
RAIN = (
    (0.04, 0.07, 0.55, 0.06),
    (0.07, 0.085, 0.6, 0.12),
    (0.11, 0.1, 0.65, 0.18),
    (0.16, 0.12, 0.7, 0.24),
    (0.22, 0.14, 0.75, 0.3),
)
"""Share of the image under streaks, their length as a share of its height, their opacity, and that of the haze."""
RAIN_GREY, HAZE_GREY = 0.9, 0.45


@corruption(domain="image")
def smoke(images: Images, severity: int, rngs: Generators) -> Images:
    """Grey smoke in random billows, from wisps to a wall that hides most of the scene.

    The thickest part has opacity 0.55, 0.65, 0.75, 0.85, 0.95, and billows grow over more of the image.
    """
    opacity, depth = SMOKE[severity - 1]
    answer = np.empty_like(images)
    for image, rng, out in zip(images, rngs, answer, strict=True):
        billows, shade = cloud(rng, *image.shape[:2]), cloud(rng, *image.shape[:2])
        thickness = opacity * _smooth((billows - 1 + depth) / EDGE)
        out[...] = _behind(image, thickness, SMOKE_GREY + SMOKE_SHADE * (shade - 0.5))
    return answer


@corruption(domain="image")
def sun_flare(images: Images, severity: int, rngs: Generators) -> Images:
    """The sun in the upper part of the image: disc, halo, rays, and reflections in the lens.

    Strength 0.5, 0.7, 0.9, 1.1, 1.4. Light adds up as on a screen, 1 - (1 - a)(1 - b): nothing gets darker.
    """
    answer = np.empty_like(images)
    for image, rng, out in zip(images, rngs, answer, strict=True):
        light = np.minimum(glare(rng, image.shape[:2], SUN[severity - 1]), 1)
        out[...] = 1 - (1 - image) * (1 - (light if image.shape[-1] == 3 else light.mean(axis=-1, keepdims=True)))
    return answer


@corruption(domain="image")
def rain(images: Images, severity: int, rngs: Generators) -> Images:
    """Slanting streaks of rain before a grey haze.

    Streaks cover about 0.04, 0.07, 0.11, 0.16, 0.22 of the image, are 0.07 to 0.14 of its height long, and have opacity
    0.55 to 0.75; the haze has 0.06, 0.12, 0.18, 0.24, 0.3.
    """
    share, length, opacity, haze = RAIN[severity - 1]
    answer = np.empty_like(images)
    for image, rng, out in zip(images, rngs, answer, strict=True):
        wet = opacity * streaks(rng, image.shape[:2], share=share, length=length)
        out[...] = _behind(image * (1 - haze) + haze * HAZE_GREY, wet, RAIN_GREY)
    return answer


def _behind(image: Images, opacity: Field, grey: Field | float) -> Images:
    return image * (1 - opacity)[..., None] + (opacity * grey)[..., None]


def _smooth(share: Field) -> Field:
    cut = np.clip(share, 0, 1)
    return cut * cut * (3 - 2 * cut)
