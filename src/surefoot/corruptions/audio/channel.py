"""What a sound goes through: the room, noise behind it, too much level, and a line that loses some of it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from surefoot.corruptions.audio import Generators, Sound, Sounds, checked_rate, fitted
from surefoot.corruptions.audio.tempo import ratio, resampled
from surefoot.corruptions.catalogue import corruption

WET = (0.33, 0.5, 0.67, 0.835, 1.0)
"""Level of the room at each severity (1, 3 and 5: Wang et al. 2022, Table 1)."""
COMBS = (1116, 1188, 1277, 1356, 1422, 1491, 1557, 1617)
ALL_PASSES = (556, 441, 341, 225)
TUNED_AT = 44_100
"""Delays of Freeverb (Jezar at Dreampoint 2000, public domain) in samples at this rate."""
FEEDBACK, DAMPING, ALL_PASS = 0.84, 0.2, 0.5
"""Freeverb with a room size and a damping of 0.5, the defaults of Pedalboard: 0.7 + 0.28 x 0.5 and 0.4 x 0.5."""
DRY_GAIN, WET_GAIN = 2 * 0.4, 3 * 0.015
"""Gains of Pedalboard for a sound of one channel: its default dry level of 0.4, and of a wet level of 1."""
SECONDS = 2.2
"""Length of the room's response; what comes later is more than 70 dB down."""


@corruption(domain="audio")
def reverb(sounds: Sounds, severity: int, rngs: Generators, *, rate: int = 16_000) -> Sounds:
    """Heard in a room, with a level of its echoes of 0.33 to 1 (Wang et al. 2022).

    The room is Freeverb (Schroeder's combs with damping, then all-passes) with the defaults of Spotify's Pedalboard
    (2022), which the paper used: the sound at 0.8 of its level plus the room, whose echoes fall by 60 dB in 1.1
    seconds. Duration stays; echoes that would come after the end are left out. Where the sum would be cut off, it is
    scaled down.
    """
    from scipy.signal import oaconvolve

    response = WET[severity - 1] * WET_GAIN * room_response(checked_rate(rate, where="reverb"))
    return [fitted(DRY_GAIN * s + oaconvolve(s, response[: len(s)])[: len(s)]) for s in sounds]


@lru_cache(maxsize=8)
def room_response(rate: int) -> Sound:
    """What Freeverb makes of a click: the sum of its combs, through its all-passes, without the click itself."""
    click = np.zeros(round(SECONDS * rate))
    click[0] = 1
    response = np.sum([_comb(click, _delay(samples, rate)) for samples in COMBS], axis=0)
    for samples in ALL_PASSES:
        response = _all_pass(response, _delay(samples, rate))
    response.flags.writeable = False
    return response


def _delay(samples: int, rate: int) -> int:
    return samples * rate // TUNED_AT


def _comb(sound: Sound, delay: int) -> Sound:
    """An echo of the echo through a low-pass: y[t] = u[t - delay], u = x + feedback * lowpass(y).

    Nothing within ``delay`` samples depends on itself, so that they are worked on together.
    """
    from scipy.signal import lfilter

    heard, waiting = np.zeros_like(sound), np.zeros(delay)
    state = np.zeros(1)
    for start in range(0, len(sound), delay):
        part = sound[start : start + delay]
        heard[start : start + delay] = waiting[: len(part)]
        damped, state = lfilter([1 - DAMPING], [1, -DAMPING], waiting[: len(part)], zi=state)
        waiting[: len(part)] = part + FEEDBACK * damped
    return heard


def _all_pass(sound: Sound, delay: int) -> Sound:
    """Freeverb's: y[t] = u[t - delay] - x[t], u[t] = x[t] + 0.5 u[t - delay]."""
    heard, waiting = np.empty_like(sound), np.zeros(delay)
    for start in range(0, len(sound), delay):
        part = sound[start : start + delay]
        heard[start : start + delay] = waiting[: len(part)] - part
        waiting[: len(part)] = part + ALL_PASS * waiting[: len(part)]
    return heard


# Noise behind a sound.

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


# Sounds that are too loud for what carries them.

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


# What a sound loses on its way: high tones, bits, packets.

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


# Eight bits a sample, as on a digital telephone line.

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
