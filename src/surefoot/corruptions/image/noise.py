"""Noise of the sensor: Gaussian, shot (Poisson) and impulse (salt and pepper)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.corruptions.catalogue import corruption
from surefoot.corruptions.image.items import Generators, Images
from surefoot.corruptions.image.poisson import counts

DEVIATIONS = (0.08, 0.12, 0.18, 0.26, 0.38)
"""Standard deviation of Gaussian noise; paper SYS (Table 1) has severities 1, 3 and 5."""
PHOTONS = (60, 25, 12, 5, 3)
"""Photons that a pixel of full brightness counts on average."""
STRUCK = (0.03, 0.06, 0.09, 0.17, 0.27)
"""Share of values that impulse noise replaces."""
Draw = Callable[[np.random.Generator, NDArray[np.float32]], Any]


@corruption(domain="image")
def gaussian_noise(images: Images, severity: int, rngs: Generators) -> Images:
    """Each value plus an independent normal number (Hendrycks and Dietterich 2019)."""
    noise = _drawn(images, rngs, lambda rng, out: rng.standard_normal(out=out, dtype=np.float32))
    noise *= DEVIATIONS[severity - 1]
    return images + noise


@corruption(domain="image")
def shot_noise(images: Images, severity: int, rngs: Generators) -> Images:
    """Each value as a count of photons, a Poisson number whose mean is the value (Hendrycks and Dietterich 2019)."""
    photons = PHOTONS[severity - 1]
    seen = [counts(image, photons, rng) for image, rng in zip(images, rngs, strict=True)]
    return np.stack(seen) * images.dtype.type(1 / photons)


@corruption(domain="image")
def impulse_noise(images: Images, severity: int, rngs: Generators) -> Images:
    """Some values, each channel by itself, replaced by 0 or 1 with equal chance (Hendrycks and Dietterich 2019)."""
    chance = _drawn(images, rngs, lambda rng, out: rng.random(out=out, dtype=np.float32))
    half = STRUCK[severity - 1] / 2
    noisy = images.copy()
    np.putmask(noisy, chance < half, 0)
    np.putmask(noisy, chance >= 1 - half, 1)
    return noisy


def _drawn(images: Images, rngs: Generators, draw: Draw) -> NDArray[np.float32]:
    numbers = np.empty(images.shape, np.float32)
    for rng, out in zip(rngs, numbers, strict=True):
        draw(rng, out)
    return numbers
