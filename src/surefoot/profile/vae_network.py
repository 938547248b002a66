"""The network of a variational autoencoder; loaded only where torch is."""

from __future__ import annotations

import math
from itertools import pairwise

import torch
from torch import Tensor, nn

HIDDEN = 128
LOG_VARIANCES = (-20.0, 10.0)
"""Logarithms of variances are cut to these, so that no exponential overflows."""


class Network(nn.Module):
    """Convolutions that halve height and width, a few numbers with their variance, and the way back.

    ``shape`` is (channels, height, width) of one image, of any size.
    """

    def __init__(self, shape: tuple[int, int, int], channels: tuple[int, ...], dimensions: int) -> None:
        super().__init__()
        sizes = [shape[1:]]
        for _ in channels:
            height, width = sizes[-1]
            sizes.append(((height + 1) // 2, (width + 1) // 2))
        innermost = (channels[-1], *sizes[-1])
        self.encoder = nn.Sequential(
            *_halvings((shape[0], *channels)), nn.Flatten(), nn.Linear(math.prod(innermost), HIDDEN), nn.SiLU()
        )
        self.mean = nn.Linear(HIDDEN, dimensions)
        self.log_variance = nn.Linear(HIDDEN, dimensions)
        self.decoder = nn.Sequential(
            nn.Linear(dimensions, HIDDEN),
            nn.SiLU(),
            nn.Linear(HIDDEN, math.prod(innermost)),
            nn.SiLU(),
            nn.Unflatten(1, innermost),
            *_doublings((*channels[::-1], shape[0]), sizes[-2::-1]),
            nn.Sigmoid(),
        )

    def posterior(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and logarithm of the variance of each image's place."""
        hidden = self.encoder(images)
        return self.mean(hidden), self.log_variance(hidden).clamp(*LOG_VARIANCES)

    def losses(self, images: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Mean squared error of a pixel, and mean Kullback-Leibler divergence of an image from the prior, in nats."""
        mean, log_variance = self.posterior(images)
        noise = torch.randn(mean.shape, generator=generator, device=mean.device)
        again = self.decoder(mean + noise * torch.exp(log_variance / 2))
        divergence = (mean.square() + log_variance.exp() - 1 - log_variance).sum(dim=1) / 2
        return nn.functional.mse_loss(again, images), divergence.mean()


def _halvings(channels: tuple[int, ...]) -> list[nn.Module]:
    layers: list[nn.Module] = []
    for before, after in pairwise(channels):
        layers += [nn.Conv2d(before, after, 3, stride=2, padding=1), nn.SiLU()]
    return layers


def _doublings(channels: tuple[int, ...], sizes: list[tuple[int, int]]) -> list[nn.Module]:
    """Transposed convolutions to these sizes; an even side needs one more row than they give by themselves."""
    layers: list[nn.Module] = []
    for (before, after), (height, width) in zip(pairwise(channels), sizes, strict=True):
        more = (1 - height % 2, 1 - width % 2)
        layers += [nn.ConvTranspose2d(before, after, 3, stride=2, padding=1, output_padding=more), nn.SiLU()]
    return layers[:-1]
