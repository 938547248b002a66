"""Eight bits a sample, as on a digital telephone line."""

from __future__ import annotations

import numpy as np

from surefoot.corruptions.audio.items import Sound

BIAS, CLIP = 33, 8_158
"""Of the mu-law of ITU-T recommendation G.711 (1988), in steps of 14 bits."""
STEPS = 8_192
MANTISSA = 4


def mu_law(sound: Sound) -> Sound:
    """A sound after coding and decoding by the mu-law of G.711: 8 segments of 16 levels, each twice as coarse."""
    sizes = np.minimum(np.rint(np.abs(sound) * STEPS), CLIP).astype(np.int64) + BIAS
    segment = np.frexp(sizes)[1] - (MANTISSA + 2)
    level = sizes >> (segment + 1)
    decoded = ((2 * level + 1) << segment) - BIAS
    return np.copysign(decoded / STEPS, sound)
