"""Three networks that steer, each built in its own way and with its own view of two consecutive frames.

Pairs go in as (n, 6, 80, 160), between 0 and 1: red, green and blue of the earlier frame, then of the later one.
Out comes one number a pair, the steering between -1 (left) and 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

DROPOUT = 0.1
"""As in SYS, section 3.4, when networks are asked several times."""
GREY = (0.299, 0.587, 0.114)
YUV = (GREY, (-0.147, -0.289, 0.436), (0.615, -0.515, -0.100))
"""Luma and the two differences of colour (ITU-R BT.601)."""
View = Callable[[torch.Tensor], torch.Tensor]


class Steerer(nn.Module):
    """Convolutions over a view of the pair, dense layers, and a head that steers by ``features``."""

    def __init__(self, view: View, convolutions: nn.Sequential, widths: Sequence[int], activation: type[nn.Module]):
        super().__init__()
        self.view, self.convolutions = view, convolutions
        with torch.no_grad():
            flat = self.convolutions.eval()(view(torch.zeros(1, 6, 80, 160))).numel()
        layers: list[nn.Module] = []
        for inside, outside in pairwise((flat, *widths)):
            layers += [nn.Dropout(DROPOUT), nn.Linear(inside, outside), activation()]
        self.features = nn.Sequential(nn.Flatten(), *layers)
        """What leaves them is the penultimate layer."""
        self.head = nn.Sequential(nn.Dropout(DROPOUT), nn.Linear(widths[-1], 1), nn.Flatten(0))

    def forward(self, pairs: torch.Tensor) -> torch.Tensor:
        return self.head(self.features(self.convolutions(self.view(pairs))))


def pilot() -> Steerer:
    """After PilotNet (Bojarski et al. 2016): the road, without sky and bonnet, in luma and colour, both frames."""
    blocks = [_block(6, 24, 5), _block(24, 36, 5), _block(36, 48, 5), _block(48, 64, 3, stride=1)]
    return Steerer(road_in_yuv, nn.Sequential(*blocks), (100, 50), nn.ReLU)


def motion() -> Steerer:
    """Small filters over what moved from frame to frame, and the later frame in grey."""
    widths = (2, 16, 32, 64, 64)
    blocks = [_block(a, b, 3, padding=1) for a, b in pairwise(widths)]
    return Steerer(grey_and_difference, nn.Sequential(*blocks), (64,), nn.ReLU)


def wide() -> Steerer:
    """Few large filters with large steps, after comma.ai's network (Santana and Hotz 2016): whole frames in colour."""
    blocks = [
        _block(6, 16, 8, stride=4, padding=2, activation=nn.ELU),
        _block(16, 32, 5, padding=2, activation=nn.ELU),
        _block(32, 64, 5, padding=2, activation=nn.ELU),
    ]
    return Steerer(whole, nn.Sequential(*blocks), (128,), nn.ELU)


BUILDERS: dict[str, Callable[[], Steerer]] = {"pilot": pilot, "motion": motion, "wide": wide}


def as_input(pairs: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Pairs (n, 2, 80, 160, 3) of bytes as the networks take them."""
    count, _, height, width, _ = pairs.shape
    return channels_first(pairs).reshape(count, 6, height, width).astype(np.float32) / 255


def channels_first(pairs: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Colours of both frames before rows and columns."""
    return np.ascontiguousarray(pairs.transpose(0, 1, 4, 2, 3))


def road_in_yuv(pairs: torch.Tensor) -> torch.Tensor:
    """Rows 24 to 71 of both frames in luma and colour, about 0."""
    road = pairs[:, :, 24:72].unflatten(1, (2, 3)) - 0.5
    return torch.einsum("kc,npchw->npkhw", road.new_tensor(YUV), road).flatten(1, 2) * 4


def grey_and_difference(pairs: torch.Tensor) -> torch.Tensor:
    """Rows 16 to 79: the later frame in grey, and how it differs from the earlier one."""
    grey = torch.einsum("c,npchw->nphw", pairs.new_tensor(GREY), pairs[:, :, 16:].unflatten(1, (2, 3)))
    return torch.stack([4 * (grey[:, 1] - 0.5), 8 * (grey[:, 1] - grey[:, 0])], dim=1)


def whole(pairs: torch.Tensor) -> torch.Tensor:
    """Both frames with sky and bonnet, about 0."""
    return 4 * (pairs - 0.5)


def _block(
    inside: int, outside: int, side: int, *, stride: int = 2, padding: int = 0, activation: type[nn.Module] = nn.ReLU
) -> nn.Sequential:
    convolution = nn.Conv2d(inside, outside, side, stride, padding, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(outside), activation())
