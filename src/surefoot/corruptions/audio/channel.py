"""What a sound loses on its way: high tones, bits, packets."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from surefoot.corruptions.audio.companding import mu_law
from surefoot.corruptions.audio.items import Generators, Sound, Sounds, checked_rate, fitted
from surefoot.corruptions.audio.noise import with_noise
from surefoot.corruptions.audio.resampling import ratio, resampled
from surefoot.corruptions.catalogue import corruption

CUTOFFS = (3_400, 2_500, 1_800, 1_300, 900)
"""Highest tone in Hz at each severity; in proportion for sounds with less than 8,000 samples a second."""
TELEPHONE_RATE, TELEPHONE_BAND = 8_000, (300, 3_400)
LINES = ((40.0, 0.0), (30.0, 0.01), (20.0, 0.03), (15.0, 0.06), (10.0, 0.1))
"""Signal to noise of the line in dB, and share of lost packets, at each severity."""
LOST = (0.02, 0.05, 0.1, 0.2, 0.3)
"""Share of lost packets at each severity."""
PACKET = 0.02
"""Seconds of sound in a packet, as is usual for speech over the internet."""
STOP_DECIBELS, TRANSITION = 70.0, 150.0
"""How much filters take away, and the Hz from one side of an edge to the other."""


@corruption(domain="audio")
def band_limit(sounds: Sounds, severity: int, rngs: Generators, *, rate: int = 16_000) -> Sounds:
    """No tones above 3,400 to 900 Hz, as from a cheap microphone or through a wall."""
    proportion = min(1, checked_rate(rate, where="band_limit") / TELEPHONE_RATE)
    taps = _filter(rate, 0.0, CUTOFFS[severity - 1] * proportion)
    return [fitted(_filtered(sound, taps)) for sound in sounds]


@corruption(domain="audio")
def telephone(sounds: Sounds, severity: int, rngs: Generators, *, rate: int = 16_000) -> Sounds:
    """Over a telephone line: 300 to 3,400 Hz, mu-law, line noise of 40 to 10 dB, up to 10% of packets lost.

    The sound is brought to 8,000 samples a second, band-passed, given noise, coded and decoded by G.711 (ITU-T 1988)
    and sent in packets of 20 ms; lost ones are silent. It comes back at its own rate and length.
    """
    checked_rate(rate, where="telephone")
    return [_called(sound, rate, *LINES[severity - 1], rng) for sound, rng in zip(sounds, rngs, strict=True)]


@corruption(domain="audio")
def dropouts(sounds: Sounds, severity: int, rngs: Generators, *, rate: int = 16_000) -> Sounds:
    """Each packet of 20 ms is lost with a probability of 2% to 30%, and silent, with hard edges."""
    size = round(PACKET * checked_rate(rate, where="dropouts"))
    return [_without_lost(sound, size, LOST[severity - 1], rng) for sound, rng in zip(sounds, rngs, strict=True)]


def _called(sound: Sound, rate: int, decibels: float, lost: float, rng: np.random.Generator) -> Sound:
    factor = ratio(TELEPHONE_RATE / rate)
    line = resampled(sound, factor, max(1, round(len(sound) * factor)))
    line = _filtered(line, _filter(TELEPHONE_RATE, *TELEPHONE_BAND))
    line = mu_law(with_noise(line, decibels, rng))
    line = _without_lost(line, round(PACKET * TELEPHONE_RATE), lost, rng)
    return fitted(resampled(line, 1 / factor, len(sound)))


def _without_lost(sound: Sound, size: int, share: float, rng: np.random.Generator) -> Sound:
    packets = -(-len(sound) // size)
    arrived = np.repeat(rng.random(packets) >= share, size)[: len(sound)]
    return np.where(arrived, sound, 0.0)


def _filtered(sound: Sound, taps: NDArray[np.float64]) -> Sound:
    """Without delay: the filter is symmetric."""
    from scipy.signal import oaconvolve

    start = len(taps) // 2
    return np.asarray(oaconvolve(sound, taps)[start : start + len(sound)])


@lru_cache(maxsize=64)
def _filter(rate: int, low: float, high: float) -> NDArray[np.float64]:
    """A linear-phase filter that passes what lies between, half of it at the edges, and 70 dB less beyond."""
    from scipy.signal import firwin, kaiserord

    edges = [edge for edge in (low, high) if edge]
    count, beta = kaiserord(STOP_DECIBELS, TRANSITION / (rate / 2))
    taps = firwin(count | 1, edges, window=("kaiser", beta), pass_zero=not low, fs=rate)
    taps.flags.writeable = False
    return np.asarray(taps)
