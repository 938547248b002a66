"""Adaptive multilevel splitting as it was published, in plain PyTorch: the peer that ours is measured against.

From the description of Webb, Rainforth, Teh & Kumar, "A statistical approach to assessing neural network robustness"
(2019): no gradients, no first stage, and in ``plain_splitting`` one ball at a time. ``batched_plain`` runs the same for
many balls in lockstep until the last is done. Widths of proposals and how they adapt are those of the authors' program.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

FIRST_WIDTH = 1 / 30
"""Of the radius."""
ENOUGH, WIDER, NARROWER = 0.124, 1.02, 0.5
"""A particle that accepts a larger share of its moves takes wider ones next, otherwise narrower."""
MOST_LEVELS = 500

Scores = Callable[[Tensor], Tensor]


class Split(NamedTuple):
    """What was found in one ball."""

    log_probability: float
    """Natural logarithm; the floor where splitting stopped there."""
    levels: int
    calls: int
    """Inputs that the model was asked about."""


def plain_splitting(
    scores: Scores,
    centre: Tensor,
    label: int,
    radius: float,
    *,
    particles: int = 1000,
    steps: int = 200,
    rho: float = 0.1,
    floor: float = -250.0,
    generator: torch.Generator | None = None,
) -> Split:
    """Failure probability in one ball, cut to [0, 1]; a failure is any class but ``label``."""
    labels = torch.tensor([label], device=centre.device)
    options = {"particles": particles, "steps": steps, "rho": rho, "floor": floor, "generator": generator}
    return batched_plain(scores, centre[None], labels, radius, **options)[0]


@torch.no_grad()
def batched_plain(
    scores: Scores,
    centres: Tensor,
    labels: Tensor,
    radius: float,
    *,
    particles: int = 1000,
    steps: int = 200,
    rho: float = 0.1,
    floor: float = -250.0,
    generator: torch.Generator | None = None,
) -> list[Split]:
    """The same for many balls at once; those that are done wait for the last."""
    box = _Box(centres, radius, labels, scores, generator)
    keep = particles - math.floor((1 - rho) * particles)
    x = box.low + (box.high - box.low) * box.random(len(centres), particles, *centres.shape[1:])
    width = torch.full(x.shape[:2], radius * FIRST_WIDTH, dtype=x.dtype, device=x.device)
    log_p = torch.zeros(len(x), dtype=torch.float64, device=x.device)
    level = torch.full((len(x),), -math.inf, dtype=x.dtype, device=x.device)
    running, levels = torch.ones_like(level, dtype=torch.bool), torch.zeros_like(log_p)
    margin = box.margins(x)
    for _ in range(MOST_LEVELS):
        reached = margin.topk(keep, dim=1).values[:, -1].clamp(max=0)
        level = torch.where(running, torch.where(reached > level, reached, 0), level)
        above = margin >= level[:, None]
        log_p += torch.where(running, (above.double().mean(1)).log(), 0)
        levels += running
        running = running & (level < 0) & (log_p >= floor)
        if not running.any():
            break
        chosen = _survivors(above, box)
        x, margin, width = _taken(x, chosen), margin.gather(1, chosen), width.gather(1, chosen)
        x, margin, width = _moved(x, margin, width, level, box, steps)
    found = zip(log_p.clamp(min=floor).tolist(), levels.long().tolist(), strict=True)
    return [Split(log_probability, n, particles * (1 + (n - 1) * steps)) for log_probability, n in found]


class _Box:
    """The balls, the model's margin inside them, and random numbers."""

    def __init__(
        self, centres: Tensor, radius: float, labels: Tensor, scores: Scores, generator: torch.Generator | None
    ) -> None:
        self.low = (centres - radius).clamp(min=0)[:, None]
        self.high = (centres + radius).clamp(max=1)[:, None]
        self.labels, self.scores, self.generator = labels, scores, generator

    def random(self, *shape: int) -> Tensor:
        return torch.rand(shape, dtype=self.low.dtype, device=self.low.device, generator=self.generator)

    def margins(self, x: Tensor) -> Tensor:
        """Best wrong score less the right one, for each particle of each ball."""
        scores = self.scores(x.flatten(0, 1)).view(*x.shape[:2], -1)
        column = self.labels[:, None, None].expand(*x.shape[:2], 1)
        right = scores.gather(2, column)
        return (scores.scatter(2, column, -math.inf).amax(2, keepdim=True) - right)[..., 0]

    def reach(self, x: Tensor, width: Tensor) -> tuple[Tensor, Tensor]:
        """Where moves from these places may end."""
        side = width.view(*width.shape, *[1] * (x.dim() - 2))
        return torch.maximum(x - side, self.low), torch.minimum(x + side, self.high)


def _survivors(above: Tensor, box: _Box) -> Tensor:
    """Numbers of the particles above the level, filled up by drawing among them."""
    order = above.to(torch.int8).argsort(dim=1, descending=True, stable=True)
    alive = above.sum(1, keepdim=True)
    place = torch.arange(above.shape[1], device=above.device).expand_as(above)
    drawn = (box.random(*above.shape) * alive).long().clamp(max=alive - 1).clamp(min=0)
    return order.gather(1, torch.where(place < alive, place, drawn))


def _taken(x: Tensor, chosen: Tensor) -> Tensor:
    return x.gather(1, chosen.view(*chosen.shape, *[1] * (x.dim() - 2)).expand_as(x))


def _moved(
    x: Tensor, margin: Tensor, width: Tensor, level: Tensor, box: _Box, steps: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Metropolis and Hastings' moves that keep particles uniform above the level, and widths for the next."""
    accepted = torch.zeros_like(width)
    for _ in range(steps):
        low, high = box.reach(x, width)
        proposed = low + (high - low) * box.random(*x.shape)
        back_low, back_high = box.reach(proposed, width)
        ratio = ((high - low).log() - (back_high - back_low).log()).flatten(2).sum(2)
        there = box.margins(proposed)
        accept = (box.random(*ratio.shape).log() <= ratio) & (there >= level[:, None])
        x = torch.where(accept.view(*accept.shape, *[1] * (x.dim() - 2)), proposed, x)
        margin = torch.where(accept, there, margin)
        accepted += accept
    share = accepted / steps
    return x, margin, torch.where(share > ENOUGH, width * WIDER, width * NARROWER)
