"""Dropout whose draws belong to an item: repeated passes give the same answers in whatever batch the item comes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch
from torch import nn
from torch.nn.modules.dropout import _DropoutNd

RATE = 0.1


class ItemDropout(_DropoutNd):
    """Drops channels of an item at all times (Gal & Ghahramani 2016, for recurrent networks)."""

    def __init__(self, p: float = RATE) -> None:
        super().__init__(p)
        self.generators: Sequence[np.random.Generator] | None = None

    def forward(self, items: torch.Tensor) -> torch.Tensor:
        """Items (n, time, channels) without the channels that are dropped, the others larger."""
        return items * self.mask(len(items), items.shape[-1], items.device)

    def mask(self, count: int, channels: int, device: torch.device) -> torch.Tensor:
        """What items are multiplied by (n, 1, channels), to be drawn once for many steps; all 1 in evaluation."""
        if not self.training or self.p == 0:
            return torch.ones(count, 1, channels, device=device)
        return (self._drawn(count, channels).to(device)[:, None] >= self.p) / (1 - self.p)

    def _drawn(self, count: int, channels: int) -> torch.Tensor:
        if self.generators is None:
            return torch.rand(count, channels)
        return torch.from_numpy(np.stack([each.random(channels, np.float32) for each in self.generators]))


@contextmanager
def dropping(module: nn.Module, generators: Sequence[np.random.Generator]) -> Iterator[None]:
    """Keep the dropout of a module on for a while, with one generator for each item of the batch."""
    layers = [part for part in module.modules() if isinstance(part, ItemDropout)]
    before = [layer.training for layer in layers]
    for layer in layers:
        layer.training, layer.generators = True, generators
    try:
        yield
    finally:
        for layer, training in zip(layers, before, strict=True):
            layer.training, layer.generators = training, None
