"""The first module: convolutions, a recurrent layer and a dense layer (CRDNN), from a sound to hidden states."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from dropping import ItemDropout
from hearing import BANDS, Bands, within
from torch import nn

CHANNELS = (16, 32)
"""Of the two convolutions; each halves bands and frames."""
RECURRENT = 96
"""Units of the recurrent layer, in each direction."""
HIDDEN = 128
"""Numbers of a hidden state, 25 of which leave the encoder a second."""


@dataclass(frozen=True, eq=False)
class Hidden:
    """Hidden states (n, time, 128), zero behind the end; how many each sound has; and the penultimate layer, pooled."""

    states: torch.Tensor
    counts: torch.Tensor
    features: torch.Tensor


class Convolution(nn.Module):
    """One convolution over time and bands, normalised; frames behind the end stay zero."""

    def __init__(self, inside: int, outside: int) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(inside, outside, 3, stride=2, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(outside)

    def forward(self, images: torch.Tensor, counts: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        heard = self.norm(self.convolution(images)).relu()
        counts = (counts + 1) // 2
        return heard * within(counts, heard.shape[2])[:, None, :, None], counts


class Encoder(nn.Module):
    """From sounds to hidden states (Ravanelli et al. 2021 call the shape CRDNN)."""

    def __init__(self, dropout: float = 0.1) -> None:
        super().__init__()
        self.bands = Bands()
        self.convolutions = nn.ModuleList(
            Convolution(inside, outside) for inside, outside in zip((1, *CHANNELS), CHANNELS, strict=False)
        )
        seen = CHANNELS[-1] * (BANDS >> len(CHANNELS))
        self.drop_seen = ItemDropout(dropout)
        self.onward, self.back = (nn.GRU(seen, RECURRENT, batch_first=True) for _ in range(2))
        self.drop_recurrent = ItemDropout(dropout)
        self.dense = nn.Sequential(nn.Linear(2 * RECURRENT, HIDDEN), nn.LeakyReLU(), ItemDropout(dropout))

    def forward(self, waves: torch.Tensor, lengths: torch.Tensor) -> Hidden:
        return self.from_bands(*self.bands(waves, lengths))

    def from_bands(self, bands: torch.Tensor, counts: torch.Tensor) -> Hidden:
        """The same from bands, which training changes."""
        images = bands[:, None]
        for convolution in self.convolutions:
            images, counts = convolution(images, counts)
        seen = self.drop_seen(images.permute(0, 2, 1, 3).flatten(2))
        heard = self.drop_recurrent(self._recur(seen, counts))
        inside = within(counts, heard.shape[1])[:, :, None]
        features = (heard * inside).sum(1) / counts[:, None]
        return Hidden(self.dense(heard) * inside, counts, features)

    def _recur(self, seen: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
        """Both directions; the way back starts at the end of each sound, whatever lies behind it."""
        places = torch.arange(seen.shape[1], device=seen.device)
        turned = (counts[:, None] - 1 - places).clamp(min=0)[:, :, None]
        back = self.back(seen.take_along_dim(turned, 1))[0]
        return torch.cat([self.onward(seen)[0], back.take_along_dim(turned, 1)], 2)
