"""Speed and pitch of sounds."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from surefoot.corruptions.audio import Generators, Sound, Sounds, checked_rate, fitted
from surefoot.corruptions.catalogue import corruption

FACTORS = (0.8, 1.35, 1.5, 1.75, 2.0)
"""Speed at each severity (1, 3 and 5: Wang et al. 2022, Table 1): slower at first, then ever faster."""
SEMITONES = (2, 3, 4, 5, 6)
"""Shift of the pitch at each severity (1, 3 and 5: Wang et al. 2022, Table 1)."""


@corruption(domain="audio")
def speed(sounds: Sounds, severity: int, rngs: Generators, *, rate: int = 16_000, keep_pitch: bool = False) -> Sounds:
    """Played at 0.8 to 2 times the speed, which moves the pitch as well (Wang et al. 2022).

    As a tape would, and as AugLy (Papakipos and Bitton 2022) does, which the paper used; ``keep_pitch`` changes the
    tempo alone. A sound of n samples has n / factor of them afterwards, to the nearest, and at least one.
    """
    checked_rate(rate, where="speed")
    factor = FACTORS[severity - 1]
    if keep_pitch:
        return [fitted(stretched(sound, _length(sound, factor), rate)) for sound in sounds]
    return [fitted(resampled(sound, 1 / ratio(factor), _length(sound, factor))) for sound in sounds]


@corruption(domain="audio")
def pitch_shift(sounds: Sounds, severity: int, rngs: Generators, *, rate: int = 16_000, down: bool = False) -> Sounds:
    """Higher by 2 to 6 semitones at the same duration (Wang et al. 2022).

    The sound is made longer at the same pitch by a phase vocoder, and played faster; ``down`` is the opposite.
    """
    checked_rate(rate, where="pitch_shift")
    factor = 2 ** ((-1 if down else 1) * SEMITONES[severity - 1] / 12)
    return [_shifted(sound, factor, rate) for sound in sounds]


def _shifted(sound: Sound, factor: float, rate: int) -> Sound:
    longer = stretched(sound, max(1, round(len(sound) * factor)), rate)
    return fitted(resampled(longer, 1 / ratio(factor), len(sound)))


def _length(sound: Sound, factor: float) -> int:
    return max(1, round(len(sound) / factor))


# Longer and shorter sounds of the same pitch, by a phase vocoder.

SECONDS = 0.064
"""Length of a frame, rounded to a power of 2 samples."""
OVERLAP = 4
AT_ONCE = 1 << 14
"""Numbers of frames that are worked on at a time, to bound memory and to stay in the cache of a processor."""
SILENT = 1e-150
"""Numbers too small to have a direction."""
Spectra = NDArray[np.complex128]


def stretched(sound: Sound, length: int, rate: int) -> Sound:
    """A sound played in ``length`` samples without a change of pitch.

    Phase vocoder with identity phase locking (Laroche and Dolson, "Improved phase vocoder time-scale modification of
    audio", 1999): the phase at a peak of the spectrum goes on by what it does in the sound over one hop, and the bins
    around the peak turn with it. Frames are read in pairs one hop apart, so that no phase has to be unwrapped.
    """
    size = 1 << round(np.log2(SECONDS * rate))
    hop = size // OVERLAP
    window = np.hanning(size + 1)[:-1]
    count = -(-length // hop) + OVERLAP
    # Frame k of the answer is centred on its sample (k - 1) * hop, so that all samples have their full share of frames.
    centres = np.rint((np.arange(count) - 1) * (hop * len(sound) / length)).astype(np.int64)
    starts = centres - centres[0]
    padding = (size // 2 + hop - int(centres[0]), max(0, int(centres[-1]) + size // 2 - len(sound)))
    frames = sliding_window_view(np.pad(sound, padding), size)
    answer = np.zeros((count + OVERLAP - 1, hop))
    before, turn = np.zeros((1, size // 2 + 1), complex), np.ones(size // 2 + 1, complex)
    step = max(1, AT_ONCE // size)
    for first in range(0, count, step):
        part = starts[first : first + step]
        spectra, elders = (np.fft.rfft(frames[part + shift] * window) for shift in (hop, 0))
        turns = _turns(np.concatenate([before, spectra]), elders, turn)
        before, turn = spectra[-1:], turns[-1]
        pieces = (np.fft.irfft(spectra * turns, size) * window).reshape(len(part), OVERLAP, hop)
        for piece in range(OVERLAP):
            answer[first + piece : first + piece + len(part)] += pieces[:, piece]
    # Squared Hann windows a quarter apart add up to 1.5.
    return answer.ravel()[size // 2 + hop :][:length] / 1.5


def _turns(spectra: Spectra, elders: Spectra, turn: Spectra) -> Spectra:
    """By how much each bin of all spectra but the first is turned, where the first was turned by ``turn``.

    Turned by t, the frame before has the phase of t X; the elder has that of Y. The new frame goes on from the former
    as it does from the latter when it is turned by t X / Y, as a unit. After silence there is nothing to go on from.
    """
    steps = _units(spectra[:-1]) * _units(elders).conj()
    peaks = _nearest_peaks(np.abs(spectra[1:]))
    answer = np.empty_like(steps)
    for k in range(len(steps)):
        turn = turn * steps[k]
        turn[turn == 0] = 1
        turn = answer[k] = turn[peaks[k]]
    return answer


def _units(numbers: Spectra) -> Spectra:
    sizes = np.abs(numbers)
    return np.divide(numbers, sizes, out=np.zeros_like(numbers), where=sizes > SILENT)


def _nearest_peaks(heights: NDArray[np.float64]) -> NDArray[np.int64]:
    """For each bin of each frame, the nearest bin that is higher than two on either side; without any, itself."""
    bins = heights.shape[1]
    sides = np.pad(heights, ((0, 0), (2, 2)), constant_values=-1)
    around = np.maximum.reduce([sides[:, shift : shift + bins] for shift in (0, 1, 3, 4)])
    here, far = np.arange(bins), 2 * bins
    peak = heights > around
    left = np.maximum.accumulate(np.where(peak, here, -far), axis=1)
    right = np.minimum.accumulate(np.where(peak, here, 2 * far)[:, ::-1], axis=1)[:, ::-1]
    nearest = np.where(here - left <= right - here, left, right)
    return np.where(peak.any(axis=1, keepdims=True), nearest, here)


# Sounds at another sample rate.

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
