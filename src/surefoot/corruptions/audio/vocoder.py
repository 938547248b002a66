"""Longer and shorter sounds of the same pitch, by a phase vocoder."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from surefoot.corruptions.audio.items import Sound

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
