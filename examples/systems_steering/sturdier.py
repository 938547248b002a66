"""Two ways to make a network sturdier: teach it with spoiled frames, or clean its frames first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass

import drive
import learning
import networks
import numpy as np
import torch

from surefoot.corruptions import corrupt

Condition = tuple[str, int] | None
"""A corruption and its severity; None leaves frames as they are."""
CONDITIONS: tuple[Condition, ...] = (
    None,
    *((name, severity) for name in ("gaussian_noise", "motion_blur", "contrast") for severity in (2, 4)),
)
"""What a network is taught more with: three of the five corruptions of SYS, at severities between its three levels."""
EPOCHS, PEAK_RATE = 20, 1e-3
AT_ONCE = 100
"""Frames or pairs of them."""
EXCHANGES = (
    *((1, 2), (4, 5), (7, 8), (0, 1), (3, 4), (6, 7), (1, 2), (4, 5), (7, 8), (0, 3)),
    *((5, 8), (4, 7), (3, 6), (1, 4), (2, 5), (4, 7), (4, 2), (6, 4), (4, 2)),
)
"""Nine values so exchanged, the smaller first, have their median in the middle (Paeth 1990)."""
Filter = Callable[[drive.Frames], drive.Frames]
"""Frames (n, 80, 160, 3), or pairs of them (n, 2, 80, 160, 3), before and after."""


def fine_tuned(
    network: networks.Steerer,
    part: drive.Part,
    conditions: Sequence[Condition] = CONDITIONS,
    *,
    name: str,
    epochs: int = EPOCHS,
    seed: int = 0,
    device: str = "cpu",
) -> networks.Steerer:
    """A copy of the network, taught more with frames under these conditions, drawn anew for every epoch."""
    recipe = learning.Recipe(name, seed, epochs=epochs, peak_rate=PEAK_RATE)

    def inputs(epoch: int) -> torch.Tensor:
        return learning.as_bytes(part.pairs(spoiled(part, conditions, seed=(seed, epoch)))).to(device)

    torch.manual_seed(seed)
    return learning.learn(deepcopy(network), recipe, inputs, part.steering, device=device).cpu()


def spoiled(part: drive.Part, conditions: Sequence[Condition], *, seed: tuple[int, int]) -> drive.Frames:
    """The frames of a part, every block of them under one condition drawn for it."""
    frames = part.frames.copy()
    blocks = part.block_of_frame
    rng = np.random.default_rng(seed)
    for block in np.unique(blocks):
        places = np.flatnonzero(blocks == block)
        condition = conditions[rng.integers(len(conditions))]
        fresh = int(rng.integers(2**32))
        if condition is not None:
            frames[places] = corrupt(frames[places], *condition, seed=fresh)
    return frames


def median(frames: drive.Frames) -> drive.Frames:
    """Each colour of each pixel replaced by the median of 3 x 3; takes noise away, and fine texture with it."""
    return np.concatenate([_median(frames[start : start + AT_ONCE]) for start in range(0, len(frames), AT_ONCE)])


def _median(frames: drive.Frames) -> drive.Frames:
    height, width = frames.shape[-3:-1]
    padded = np.pad(frames, (*((0, 0),) * (frames.ndim - 3), (1, 1), (1, 1), (0, 0)), mode="edge")
    nine = [padded[..., i : i + height, j : j + width, :].copy() for i in range(3) for j in range(3)]
    for low, high in EXCHANGES:
        smaller = np.minimum(nine[low], nine[high])
        np.maximum(nine[low], nine[high], out=nine[high])
        nine[low] = smaller
    return nine[4]


@dataclass(frozen=True)
class Levels:
    """Brings each frame to the brightness and the contrast of clean frames; a frame of one colour stays as it is."""

    mean: float
    spread: float

    @classmethod
    def of(cls, frames: drive.Frames) -> Levels:
        """The levels of these frames: the mean over frames of the mean and of the standard deviation of pixels."""
        flat = frames.reshape(len(frames), -1)
        return cls(float(flat.mean()), float(flat.std(axis=1).mean()))

    def __call__(self, frames: drive.Frames) -> drive.Frames:
        """The frames at these levels."""
        pixels = frames.astype(np.float32)
        mean, spread = (f(axis=(-3, -2, -1), keepdims=True) for f in (pixels.mean, pixels.std))
        flat = spread == 0
        stretched = (pixels - mean) * (self.spread / np.where(flat, 1, spread)) + np.where(flat, mean, self.mean)
        return np.rint(np.clip(stretched, 0, 255)).astype(np.uint8)
