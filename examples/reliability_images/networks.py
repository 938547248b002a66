"""The networks of the example; each function builds one, without weights, as a project file asks for it.

Digits go in as (n, 28, 28), photographs as (n, 3, 32, 32), pixels between 0 and 1.
"""

from __future__ import annotations

import torch
from torch import nn

CLASSES = 10
# Mean and deviation of the three colours over the training images.
COLOUR_MEAN, COLOUR_DEVIATION = (0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616)


def mlp() -> nn.Module:
    """784-256-10, the perceptron that the paper takes for digits."""
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, CLASSES))


def cnn() -> nn.Module:
    """Two strided convolutions and two linear layers, for digits."""
    return nn.Sequential(
        nn.Unflatten(1, (1, 28)),
        nn.Conv2d(1, 16, 5, stride=2, padding=2),
        nn.ReLU(),
        nn.Conv2d(16, 32, 5, stride=2, padding=2),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(32 * 7 * 7, 128),
        nn.ReLU(),
        nn.Linear(128, CLASSES),
    )


def resnet() -> nn.Module:
    """A residual network of 8 layers (He, Zhang, Ren & Sun, 2016) that two cores can train, for photographs."""
    return _residual(width=16, blocks=1)


def wide_resnet() -> nn.Module:
    """16 layers, four times as wide (Zagoruyko & Komodakis, 2016); for a GPU."""
    return _residual(width=64, blocks=2)


class Normalise(nn.Module):
    """Pixels between 0 and 1 to mean 0 and deviation 1 in each colour."""

    mean: torch.Tensor
    deviation: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mean", torch.tensor(COLOUR_MEAN)[:, None, None])
        self.register_buffer("deviation", torch.tensor(COLOUR_DEVIATION)[:, None, None])

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return (images - self.mean) / self.deviation


class Residual(nn.Module):
    """Two convolutions beside a shortcut."""

    def __init__(self, inside: int, outside: int, stride: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            *_convolution(inside, outside, 3, stride), nn.ReLU(), *_convolution(outside, outside, 3, 1)
        )
        same = inside == outside and stride == 1
        self.shortcut = nn.Identity() if same else nn.Sequential(*_convolution(inside, outside, 1, stride))

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.body(images) + self.shortcut(images))


def _residual(*, width: int, blocks: int) -> nn.Module:
    layers: list[nn.Module] = [Normalise(), *_convolution(3, width, 3, 1), nn.ReLU()]
    channels = width
    for stage in range(3):
        for block in range(blocks):
            layers.append(Residual(channels, width << stage, 2 if stage and not block else 1))
            channels = width << stage
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, CLASSES))


def _convolution(inside: int, outside: int, size: int, stride: int) -> list[nn.Module]:
    return [nn.Conv2d(inside, outside, size, stride, size // 2, bias=False), nn.BatchNorm2d(outside)]
