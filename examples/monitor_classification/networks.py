"""The two networks of the example: a classifier, and an autoencoder whose encoder is built like its convolutions.

Photographs go in as (n, 3, 32, 32), pixels between 0 and 1.
"""

from __future__ import annotations

from collections import OrderedDict

import torch
from torch import nn

CLASSES = 10
WIDTHS = (32, 64, 64)
"""Channels of the three convolutions."""
HIDDEN = 128
SIDE = 32 >> len(WIDTHS)
FEATURES = WIDTHS[-1] * SIDE * SIDE
"""Numbers that leave the third convolution: 64 x 4 x 4."""


def convolutions() -> nn.Sequential:
    """Three convolutions, each halving the sides; what leaves them is flat."""
    layers: OrderedDict[str, nn.Module] = OrderedDict()
    for number, (inside, outside) in enumerate(zip((3, *WIDTHS), WIDTHS, strict=False), start=1):
        layers[f"conv_{number}"] = nn.Conv2d(inside, outside, 3, padding=1, bias=False)
        layers[f"norm_{number}"] = nn.BatchNorm2d(outside)
        layers[f"relu_{number}"] = nn.ReLU()
        layers[f"pool_{number}"] = nn.MaxPool2d(2)
    return nn.Sequential(layers | {"flat": nn.Flatten()})


class Classifier(nn.Module):
    """Three convolutions and two dense layers (MON, section III-A)."""

    def __init__(self, classes: int = CLASSES, dropout: float = 0.3) -> None:
        super().__init__()
        self.block = convolutions()
        self.hidden = nn.Sequential(nn.Dropout(dropout), nn.Linear(FEATURES, HIDDEN), nn.ReLU())
        self.head = nn.Sequential(nn.Dropout(dropout), nn.Linear(HIDDEN, classes))

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.head(self.hidden(self.block(images)))


class Autoencoder(nn.Module):
    """The same convolutions, and three that undo them."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = convolutions()
        self.decoder = nn.Sequential(
            nn.Unflatten(1, (WIDTHS[-1], SIDE, SIDE)),
            nn.ConvTranspose2d(WIDTHS[2], WIDTHS[1], 4, stride=2, padding=1),
            nn.ReLU(),
            nn.ConvTranspose2d(WIDTHS[1], WIDTHS[0], 4, stride=2, padding=1),
            nn.ReLU(),
            nn.ConvTranspose2d(WIDTHS[0], 3, 4, stride=2, padding=1),
            nn.Sigmoid(),
        )

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.decoder(self.encoder(images))
