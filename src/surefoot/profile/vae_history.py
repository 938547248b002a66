"""What a training showed, epoch by epoch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

LEAST_ERROR = 1e-6
"""Mean squared error of a pixel below which nothing more is gained: a quarter of a grey level of 255."""


@dataclass(frozen=True)
class Epoch:
    """Losses of one pass over the images, and on those held out after it.

    ``reconstruction`` is the mean squared error of a pixel, ``divergence`` the Kullback-Leibler divergence of an
    image's posterior from the prior, in nats.
    """

    reconstruction: float
    divergence: float
    validation_reconstruction: float
    validation_divergence: float


def best_epoch(history: Sequence[Epoch], *, pixels: int, kl_weight: float) -> int:
    """Number of the epoch with the smallest loss on held-out images, counted from 0; the first of equal ones."""
    losses = [
        pixels / 2 * math.log(epoch.validation_reconstruction + LEAST_ERROR) + kl_weight * epoch.validation_divergence
        for epoch in history
    ]
    return losses.index(min(losses))
