"""Blurs: out of focus, through frosted glass, moved, and zoomed."""

from __future__ import annotations

import numpy as np

from surefoot.corruptions.catalogue import corruption
from surefoot.corruptions.image.glass import shuffled
from surefoot.corruptions.image.items import Generators, Images
from surefoot.corruptions.image.kernels import disc, smeared, spread
from surefoot.corruptions.image.resize import enlargements, sum_of_enlargements

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
