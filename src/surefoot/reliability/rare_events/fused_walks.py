"""Reflected moves of a two-layer perceptron on a GPU, all moves of a level in one kernel.

A move changes one block of features, so the hidden layer changes by a product with that block of the weights alone. It
stays in registers for the whole level, and only the block's features pass through memory. Factors are rounded to half
precision for the tensor cores, as many digits as their TF32 has, and sums are single; margins are computed anew in full
precision after each level, so that rounding does not gather and has no part in what counts as a failure.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.reliability.rare_events.devices import Array, Stream
from surefoot.reliability.rare_events.margins import Margins, TorchMargins
from surefoot.reliability.rare_events.walks import Particles, box_of, uniform_particles

ROWS = 64
"""Particles that one program moves."""
BLOCK = 64
"""Features of a block."""
WIDEST = 256
MOST_CLASSES = 16
HALF_RANGE = 1 << 14
"""Half numbers are complete from its inverse to twice as much."""


@dataclass(frozen=True, eq=False)
class Perceptron:
    """Weights as the kernel reads them: by features first, padded with zeros, in the middle of what half numbers hold.

    The hidden layer is divided by ``unit``, and so are the scores that come out, which changes no order.
    """

    weight: Any
    offset: Any
    """Of the hidden layer, in single precision."""
    first: Any
    second: Any
    second_offset: Any
    unit: float
    """Of margins: what the kernel's must be multiplied by."""

    @classmethod
    def of(cls, first: Any, second: Any, largest_input: float) -> Perceptron:
        """Two linear layers with a ReLU between them, for inputs up to a size."""
        features, hidden = -(-first.in_features // BLOCK) * BLOCK, max(16, _power_of_two(first.out_features))
        offset, second_offset = _offset(first), _offset(second)
        inward, outward = first.weight.detach(), second.weight.detach()
        most = inward.abs().sum(1) * largest_input + offset.abs()
        inner, outer = float(most.max()) / HALF_RANGE or 1.0, float(outward.abs().max()) or 1.0
        weight = _padded(inward.T / inner, features, hidden)
        return cls(
            weight,
            _padded(offset / inner, hidden),
            weight.half(),
            _padded(outward.T / outer, hidden, MOST_CLASSES).half(),
            _padded(second_offset / (inner * outer), MOST_CLASSES),
            inner * outer,
        )


@dataclass(frozen=True, eq=False)
class FusedWalk:
    """As ``ReflectedWalk``, with random numbers of the kernel's own for each ball."""

    margins: TorchMargins
    network: Perceptron

    def start(self, balls: NDArray[np.int64], streams: list[Stream], count: int) -> Particles:
        kinds = self._blocks * -(-count // ROWS)
        return uniform_particles(self.margins, balls, streams, count, kinds=kinds)

    def move(self, particles: Particles, levels: Array, count: int) -> int:
        from surefoot.reliability.rare_events.triton_kernel import moved

        lower, span = box_of(self.margins, particles.balls)
        torch = self.margins.arrays.xp
        hidden = particles.positions @ self.network.weight[: particles.positions.shape[2]] + self.network.offset
        moved(
            particles.positions,
            hidden,
            self.network,
            lower=lower.contiguous(),
            span=span.contiguous(),
            levels=levels / self.network.unit,
            undesired=self._undesired(particles.balls),
            seeds=torch.as_tensor(self._seeds(particles), device=self.margins.arrays.device),
            steps=particles.steps,
            count=count,
            blocks=self._blocks,
        )
        particles.margins = self.margins(particles.balls, particles.positions)
        return (count + 1) * particles.positions.shape[1]

    @cached_property
    def _blocks(self) -> int:
        return len(self.network.first) // BLOCK

    def _undesired(self, balls: NDArray[np.int64]) -> Any:
        """1 for an undesired answer, 0 for an allowed one, -1 for a column that is none; in the model's order."""
        problem, torch = self.margins.problem, self.margins.arrays.xp
        rows = problem.undesired[problem.labels[balls]]
        table = np.full((len(balls), MOST_CLASSES), -1, np.int32)
        table[:, list(problem.columns) or slice(rows.shape[1])] = rows
        return torch.as_tensor(table, device=self.margins.arrays.device)

    def _seeds(self, particles: Particles) -> NDArray[np.int64]:
        """A seed for each ball and turn, mixed as by Steele, Lea and Flood (2014)."""
        own = np.asarray([stream.initial_seed() for stream in particles.streams], np.uint64)
        mixed = own + (particles.turns.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return ((mixed ^ (mixed >> np.uint64(31))) >> np.uint64(33)).astype(np.int64)


def fused(margins: Margins) -> FusedWalk | None:
    """The walk for this model, where it is a two-layer perceptron in single precision on a GPU."""
    if not isinstance(margins, TorchMargins) or margins.arrays.device.type != "cuda":
        return None
    torch = margins.arrays.xp
    layers = _layers(margins.module, torch)
    known = [torch.nn.Linear, torch.nn.ReLU, torch.nn.Linear]
    if layers is None or [type(layer) for layer in layers] != known or margins.arrays.dtype != torch.float32:
        return None
    fits = layers[0].out_features <= WIDEST and 2 <= layers[2].out_features <= MOST_CLASSES
    logits = margins.problem.model.returns in (None, "logit", "score")
    if not (fits and logits and importlib.util.find_spec("triton")):
        return None
    balls = margins.problem.balls
    return FusedWalk(margins, Perceptron.of(layers[0], layers[2], max(abs(balls.low), abs(balls.high))))


def _layers(module: Any, torch: Any) -> list[Any] | None:
    """What a plain sequence does to an input, one after the other; None where hooks or other modules play a part."""
    if type(module) is not torch.nn.Sequential:
        return None
    idle = (torch.nn.Flatten, torch.nn.Identity, torch.nn.Dropout)
    parts = [module, *module]
    if any(part._forward_hooks or part._forward_pre_hooks for part in parts):
        return None
    return [part for part in module if type(part) not in idle]


def _padded(values: Any, *shape: int) -> Any:
    wide = values.new_zeros(shape)
    wide[tuple(slice(size) for size in values.shape)] = values
    return wide


def _offset(layer: Any) -> Any:
    return layer.weight.new_zeros(layer.out_features) if layer.bias is None else layer.bias.detach()


def _power_of_two(count: int) -> int:
    return 1 << (count - 1).bit_length()
