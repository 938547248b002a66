"""Sounds that are too loud for what carries them."""

from __future__ import annotations

import numpy as np

from surefoot.corruptions.audio.items import Generators, Sound, Sounds, checked_rate
from surefoot.corruptions.catalogue import corruption

DRIVES = (15.0, 17.5, 20.0, 25.0, 30.0)
"""Decibels before the soft limit at each severity (1, 3 and 5: Wang et al. 2022, Table 1)."""
SHARES = (0.02, 0.05, 0.1, 0.2, 0.4)
"""Share of the samples that are cut off at each severity."""


@corruption(domain="audio")
def distortion(sounds: Sounds, severity: int, rngs: Generators, *, rate: int = 16_000) -> Sounds:
    """Amplified by 15 to 30 dB into a soft limit, as by an overdriven amplifier (Wang et al. 2022).

    Each sample x becomes tanh(10^(drive / 20) x), the distortion of Spotify's Pedalboard (2022), which the paper used.
    """
    checked_rate(rate, where="distortion")
    gain = 10 ** (DRIVES[severity - 1] / 20)
    return [np.tanh(gain * sound) for sound in sounds]


@corruption(domain="audio")
def clipping(sounds: Sounds, severity: int, rngs: Generators, *, rate: int = 16_000) -> Sounds:
    """The loudest 2% to 40% of the samples cut off, as by a microphone set too high.

    The share is of the samples that are not 0, so that digital silence around a sound does not count. A sound with one
    loudness only, such as a constant, has no louder samples and stays as it is.
    """
    checked_rate(rate, where="clipping")
    return [_clipped(sound, SHARES[severity - 1]) for sound in sounds]


def _clipped(sound: Sound, share: float) -> Sound:
    loudness = np.abs(sound)
    heard = loudness[loudness > 0]
    if not heard.size:
        return sound
    place = round((1 - share) * (heard.size - 1))
    limit = np.partition(heard, place)[place]
    return np.clip(sound, -limit, limit)
