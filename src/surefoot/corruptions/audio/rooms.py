"""Rooms that a sound is heard in."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from surefoot.corruptions.audio.items import Generators, Sound, Sounds, checked_rate, fitted
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
