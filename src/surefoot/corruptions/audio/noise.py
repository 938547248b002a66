"""Noise behind a sound."""

from __future__ import annotations

import numpy as np

from surefoot.corruptions.audio.items import Generators, Sound, Sounds, checked_rate, fitted
from surefoot.corruptions.catalogue import corruption

DECIBELS = (10.0, 7.5, 5.0, 3.5, 2.0)
"""Ratio of signal to noise at each severity (1, 3 and 5: Wang et al. 2022, Table 1)."""


@corruption(domain="audio")
def background_noise(sounds: Sounds, severity: int, rngs: Generators, *, rate: int = 16_000) -> Sounds:
    """White Gaussian noise at a ratio of signal to noise of 10 to 2 dB (Wang et al. 2022).

    The ratio is that of the mean squares of this sound and this noise, exactly. Where the sum would be cut off, signal
    and noise are scaled down together. Silence has no such ratio and stays silent.
    """
    checked_rate(rate, where="background_noise")
    return [with_noise(sound, DECIBELS[severity - 1], rng) for sound, rng in zip(sounds, rngs, strict=True)]


def with_noise(sound: Sound, decibels: float, rng: np.random.Generator) -> Sound:
    """A sound and white noise so many decibels below it, scaled down together where they would be cut off."""
    noise = rng.standard_normal(len(sound))
    return fitted(sound + noise * (_level(sound) / _level(noise) * 10 ** (-decibels / 20)))


def _level(sound: Sound) -> float:
    """The root of the mean square, without squaring what is too small for it."""
    peak = float(np.abs(sound).max())
    return peak * float(np.sqrt(np.mean((sound / peak) ** 2))) if peak else 0.0
