"""Sounds at another sample rate."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from surefoot.corruptions.audio.items import Sound

ZERO_CROSSINGS = 32
"""Of the interpolating sinc on either side."""
KAISER, CUTOFF = 9.0, 0.95
"""Window and cut-off: tones pass up to 0.86 of what the lower rate can carry, and are 90 dB down from 1.04 on."""
FINEST = 500
"""Largest denominator of a ratio: for half a semitone and more it is true to 0.02 cents."""


def ratio(value: float) -> Fraction:
    """The nearest ratio of whole numbers that a filter of bounded length can make."""
    return Fraction(value).limit_denominator(FINEST)


def resampled(sound: Sound, factor: Fraction, length: int) -> Sound:
    """``factor`` times as many samples, low-passed first where there are fewer; cut or filled to ``length``."""
    from scipy.signal import resample_poly

    answer = resample_poly(sound, factor.numerator, factor.denominator, window=_low_pass(factor))[:length]
    return np.pad(answer, (0, length - len(answer)))


@lru_cache(maxsize=32)
def _low_pass(factor: Fraction) -> NDArray[np.float64]:
    """A windowed sinc (Smith and Gossett 1984) at the common multiple of both rates."""
    from scipy.signal import firwin

    longer = max(factor.numerator, factor.denominator)
    taps = firwin(2 * ZERO_CROSSINGS * longer + 1, CUTOFF / longer, window=("kaiser", KAISER))
    taps.flags.writeable = False
    return np.asarray(taps)
