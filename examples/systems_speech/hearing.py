"""Sounds as the networks take them: logarithms of the energy in 40 bands, 100 times a second."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

RATE = 8000
WINDOW, HOP, BINS = 200, 80, 256
"""Samples: 25 ms looked at every 10 ms, and the length of the Fourier transform."""
BANDS = 40
LOWEST, HIGHEST = 60.0, 4000.0
FAINT = 1e-5
"""Energy that is added to every band, about that of the hiss under clean strings."""
SPREAD = 2.5
"""Typical standard deviation of a band of clean strings, to bring inputs to about 1."""
ROUND = 4000
"""Batches are as long as a multiple of this many samples, so that there are few shapes to prepare for."""
FULL = 2**15


class Bands(nn.Module):
    """Logarithmic mel bands of a batch, each band with its mean over the sound taken off."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("window", torch.hann_window(WINDOW), persistent=False)
        self.register_buffer("filters", torch.from_numpy(mel_filters()), persistent=False)

    def forward(self, waves: torch.Tensor, lengths: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Bands (n, frames, 40), zero behind the end of a sound, and the number of frames of each."""
        frames = waves.unfold(1, WINDOW, HOP) * self.window
        energy = torch.view_as_real(torch.fft.rfft(frames, BINS)).square().sum(3) @ self.filters
        counts = (lengths - WINDOW) // HOP + 1
        inside = within(counts, energy.shape[1])[:, :, None]
        logs = torch.log(energy + FAINT) * inside
        mean = logs.sum(1, keepdim=True) / counts[:, None, None]
        return (logs - mean) / SPREAD * inside, counts


def waves(sounds: Sequence[NDArray[np.generic]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Sounds, 16-bit or in [-1, 1], as one tensor with zeros behind the end, and their lengths; at least a window."""
    scaled = [sound / FULL if np.issubdtype(sound.dtype, np.integer) else sound for sound in map(np.asarray, sounds)]
    lengths = [max(len(sound), WINDOW) for sound in scaled]
    padded = np.zeros((len(scaled), -(-max(lengths) // ROUND) * ROUND), np.float32)
    for row, sound in zip(padded, scaled, strict=True):
        row[: len(sound)] = sound
    return torch.from_numpy(padded), torch.tensor(lengths)


def within(counts: torch.Tensor, most: int) -> torch.Tensor:
    """Which places of each row lie before its end (n, most)."""
    return torch.arange(most, device=counts.device)[None] < counts[:, None]


def mel_filters() -> NDArray[np.float32]:
    """Triangles of equal width in mel (O'Shaughnessy 1987), as weights of the bins (129, 40)."""
    edges = _hertz(np.linspace(_mel(LOWEST), _mel(HIGHEST), BANDS + 2))
    bins = np.linspace(0, RATE / 2, BINS // 2 + 1)[:, None]
    low, peak, high = edges[:-2], edges[1:-1], edges[2:]
    rising, falling = (bins - low) / (peak - low), (high - bins) / (high - peak)
    return np.maximum(0, np.minimum(rising, falling)).astype(np.float32)


def _mel(hertz: float) -> float:
    return 2595 * math.log10(1 + hertz / 700)


def _hertz(mel: NDArray[np.float64]) -> NDArray[np.float64]:
    return 700 * (10 ** (mel / 2595) - 1)
