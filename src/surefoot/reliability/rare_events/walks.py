"""Moves inside balls that leave the uniform distribution there as it is, some of them fused into one kernel of a GPU.

A move is proposed for every particle and taken where its margin stays above the level, so that particles go on being
uniform among the points above it (Metropolis). Positions have the shape (balls, particles, features).

A move changes one block of features, so the hidden layer changes by a product with that block of the weights alone. It
stays in registers for the whole level, and only the block's features pass through memory. Factors are rounded to half
precision for the tensor cores, as many digits as their TF32 has, and sums are single; margins are computed anew in full
precision after each level, so that rounding does not gather and has no part in what counts as a failure.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from surefoot.reliability.rare_events.devices import Array, Arrays, Stream
from surefoot.reliability.rare_events.margins import Margins, TorchMargins

WANTED = 0.3
"""Share of proposals to be taken: fewer lose time, more go too short a way."""
SHORTEST = 1e-12
BLOCKS = 8
FEWEST_FEATURES = 8
"""In a block."""


@dataclass(eq=False)
class Particles:
    """Particles of several balls: where they are, how near to failing, and how far they step."""

    balls: NDArray[np.int64]
    streams: list[Stream]
    positions: Array
    margins: Array
    steps: Array
    """Length of a step in each ball, relative to the largest that makes sense, for each kind of move."""
    turns: NDArray[np.int64]
    """Levels at which each ball was moved."""


class Walk(Protocol):
    """Moves particles."""

    @property
    def margins(self) -> Margins:
        """How near points are to failing."""
        ...

    def start(self, balls: NDArray[np.int64], streams: list[Stream], count: int) -> Particles:
        """Uniform particles in each ball."""
        ...

    def move(self, particles: Particles, levels: Array, count: int) -> int:
        """So many moves above the levels (balls,), in place; answers how many calls of the model a ball took."""
        ...


def walk_named(name: str, margins: Margins) -> Walk:
    """The walk of that name; reflected moves in one kernel where there is one for the model."""
    if name == "informed":
        return InformedWalk(margins)
    return fused(margins) or ReflectedWalk(margins)


@dataclass(frozen=True, eq=False)
class ReflectedWalk:
    """A random walk, folded back at the faces of the box, in one block of features after the other.

    A block is a fraction of the features. Its steps may be longer for the same change of the margin, so that a round
    through all blocks mixes like as many moves of everything, at a fraction of the random numbers. Features of a block
    lie apart: those that matter most often lie together, and moves of the other blocks would leave the margin as it is.
    """

    margins: Margins
    most_blocks: int = BLOCKS

    def start(self, balls: NDArray[np.int64], streams: list[Stream], count: int) -> Particles:
        return uniform_particles(self.margins, balls, streams, count, kinds=len(self.blocks))

    def move(self, particles: Particles, levels: Array, count: int) -> int:
        box = box_of(self.margins, particles.balls)
        for number in range(count):
            self.step(particles, levels, number, box)
        return count * particles.positions.shape[1]

    def step(
        self, particles: Particles, levels: Array, number: int, box: tuple[Array, Array], first_kind: int = 0
    ) -> None:
        """One move, in the block whose turn it is."""
        arrays, block = self.margins.arrays, number % len(self.blocks)
        there, kind = self.blocks[block], block + first_kind
        lower, span = box[0][:, :, there], box[1][:, :, there]
        before = particles.positions[:, :, there] + 0
        noise = arrays.uniforms(particles.streams, *before.shape[1:])
        after = folded(before + particles.steps[:, kind, None, None] * span * (2 * noise - 1), lower, span)
        particles.positions[:, :, there] = after
        margins = self.margins(particles.balls, particles.positions)
        taken = margins > levels[:, None]
        particles.positions[:, :, there] = arrays.xp.where(taken[:, :, None], after, before)
        particles.margins = arrays.xp.where(taken, margins, particles.margins)
        particles.steps[:, kind] = _adapted(particles.steps[:, kind], taken, arrays)

    @property
    def blocks(self) -> list[slice]:
        """Features that are moved together."""
        features = self.margins.problem.balls.dimensions
        count = max(1, min(self.most_blocks, features // FEWEST_FEATURES))
        return [slice(start, None, count) for start in range(count)]


@dataclass(frozen=True, eq=False)
class InformedWalk:
    """Exchanges between pairs of features that leave the margin as it is to first order, and short reflected steps.

    Of two features, one moves up by as much as the other moves down, in units of the margin's slope, along the chord
    through the box. All features are paired anew, at random, for each move: a few of them reach every place at the
    same margin, however thin the layer above the level is. Steps along a chord are folded at its ends, which keeps
    the uniform distribution. Reflected steps in between change the margin. They move all features: where a few of them
    decide, those of most blocks would not change it, and copies would stay together.
    """

    margins: Margins

    def start(self, balls: NDArray[np.int64], streams: list[Stream], count: int) -> Particles:
        return uniform_particles(self.margins, balls, streams, count, kinds=1 + len(self._reflected.blocks))

    def move(self, particles: Particles, levels: Array, count: int) -> int:
        box = box_of(self.margins, particles.balls)
        slope = self.margins.slope(particles.balls, particles.positions)[:, None, :] * box[1]
        for number in range(count):
            if number % 2 or self.margins.problem.balls.dimensions == 1:
                self._reflected.step(particles, levels, number // 2, box, first_kind=1)
            else:
                self._exchange(particles, levels, number, box, slope)
        size = particles.positions.shape[1]
        return count * size + self.margins.slope_calls(size)

    @property
    def _reflected(self) -> ReflectedWalk:
        return ReflectedWalk(self.margins, most_blocks=1)

    def _exchange(
        self, particles: Particles, levels: Array, number: int, box: tuple[Array, Array], slope: Array
    ) -> None:
        arrays, (lower, span) = self.margins.arrays, box
        first, second = (arrays.whole(part) for part in pairs(self.margins.problem.balls.dimensions, number))
        points = particles.positions + 0
        step = particles.steps[:, 0, None, None] * (
            2 * arrays.uniforms(particles.streams, points.shape[1], len(first)) - 1
        )
        faces = [(arrays.features(lower, of), arrays.features(span, of)) for of in (first, second)]
        x, y = (
            shares(arrays.features(points, of), *face, arrays.xp)
            for of, face in zip((first, second), faces, strict=True)
        )
        along = direction(arrays.features(slope, first), arrays.features(slope, second), arrays.xp)
        x, y = exchanged(x, y, *along, step, arrays.xp)
        points[:, :, first] = faces[0][0] + faces[0][1] * x
        points[:, :, second] = faces[1][0] + faces[1][1] * y
        margins = self.margins(particles.balls, points)
        taken = margins > levels[:, None]
        particles.positions = arrays.xp.where(taken[:, :, None], points, particles.positions)
        particles.margins = arrays.xp.where(taken, margins, particles.margins)
        particles.steps[:, 0] = _adapted(particles.steps[:, 0], taken, arrays)


def uniform_particles(
    margins: Margins, balls: NDArray[np.int64], streams: list[Stream], count: int, *, kinds: int
) -> Particles:
    """Uniform particles in each ball, which so many kinds of moves are to carry on."""
    positions = scattered(margins, balls, streams, count)
    steps = margins.arrays.of(np.ones((len(balls), kinds)))
    return Particles(balls, streams, positions, margins(balls, positions), steps, np.zeros(len(balls), np.int64))


def scattered(margins: Margins, balls: NDArray[np.int64], streams: list[Stream], count: int) -> Array:
    """Uniform points in each ball, (balls, count, features)."""
    lower, span = box_of(margins, balls)
    return lower + span * margins.arrays.uniforms(streams, count, lower.shape[2])


def streams_of(margins: Margins, seed: int, balls: NDArray[np.int64]) -> list[Stream]:
    """Random numbers of each ball, by its name alone."""
    names = margins.problem.numbers
    return [margins.arrays.stream((seed, int(name))) for name in (balls if names is None else names[balls])]


def box_of(margins: Margins, balls: NDArray[np.int64]) -> tuple[Array, Array]:
    """Lower corners and widths of balls, (balls, 1, features) each; their sum, too, is rounded into the ball."""
    of = margins.arrays.of
    lower, upper = margins.problem.balls.corners(balls)
    kind = margins.arrays.host(of(0.0)).dtype
    low, high = lower.astype(kind), upper.astype(kind)
    low = np.where(low < lower, np.nextafter(low, np.inf, dtype=kind), low)
    high = np.where(high > upper, np.nextafter(high, -np.inf, dtype=kind), high)
    span = np.maximum(high - low, 0)
    span = np.where(low + span > high, np.nextafter(span, 0, dtype=kind), span)
    return of(low)[:, None, :], of(span)[:, None, :]


def folded(values: Array, lower: Array, span: Array) -> Array:
    """Values at most one width outside, back between the faces."""
    above = abs(values - lower)
    # Rounding may take a value a little more than one width outside.
    return lower + abs(span - abs(span - above))


def _adapted(steps: Array, taken: Array, arrays: Arrays) -> Array:
    rate = arrays.of(taken).mean(1)
    return arrays.xp.clip(steps * arrays.xp.exp(rate - WANTED), SHORTEST, 1.0)


# Two features exchanged along a chord of the unit square, on which a linear margin stays as it is.


def pairs(features: int, number: int) -> NDArray[np.int64]:
    """Two rows of features to be exchanged; one is left out where their number is odd."""
    order = np.random.default_rng((features, number)).permutation(features)
    return order[: features // 2 * 2].reshape(2, -1)


def shares(points: Array, lower: Array, span: Array, xp: Any) -> Array:
    """How far points are from one face to the other, from 0 to 1; 0 where both are one."""
    return xp.clip((points - lower) / xp.where(span > 0, span, 1 + 0 * span), 0, 1)


def direction(slope_x: Array, slope_y: Array, xp: Any) -> tuple[Array, Array]:
    """Along which a linear margin stays: its larger part is 1, and one too small to be felt is 0."""
    flat = (slope_x == 0) & (slope_y == 0)
    dx, dy = xp.where(flat, 1 + 0 * slope_y, slope_y), xp.where(flat, 1 + 0 * slope_x, -slope_x)
    largest = xp.maximum(abs(dx), abs(dy))
    dx, dy = dx / largest, dy / largest
    felt = xp.finfo(dx.dtype).eps
    return xp.where(abs(dx) < felt, 0 * dx, dx), xp.where(abs(dy) < felt, 0 * dy, dy)


def exchanged(x: Array, y: Array, dx: Array, dy: Array, step: Array, xp: Any) -> tuple[Array, Array]:
    """Points (x, y) of the unit square moved along (dx, dy), by a share of the chord, folded at its ends.

    Arrays are used again where they can be: fresh ones cost more than what is done with them.
    """
    low, high = _reach(x, dx, xp)
    other_low, other_high = _reach(y, dy, xp)
    xp.maximum(low, other_low, out=low)
    length = xp.minimum(high, other_high, out=high)
    length -= low
    xp.clip(length, 0, None, out=length)
    away = xp.multiply(step, length, out=other_low)
    away -= low
    xp.abs(away, out=away)
    away -= length
    xp.abs(away, out=away)
    length += low
    length -= away
    return _clipped(x, xp.multiply(length, dx, out=other_high), xp), _clipped(y, xp.multiply(length, dy, out=low), xp)


def _clipped(x: Array, change: Array, xp: Any) -> Array:
    change += x
    return xp.clip(change, 0, 1, out=change)


def _reach(x: Array, dx: Array, xp: Any) -> tuple[Array, Array]:
    """How far x may go back and forth along dx within [0, 1].

    What depends on directions alone is worked out first: there are far fewer of them than points.
    """
    still, back = dx == 0, dx < 0
    nothing = 0 * dx
    far = nothing + xp.finfo(x.dtype).max / 4
    slowness = xp.where(still, nothing, 1 / xp.where(still, 1 + nothing, dx))
    first = xp.where(still, -far, xp.where(back, slowness, nothing))
    last = xp.where(still, far, xp.where(back, nothing, slowness))
    gone = x * slowness
    end = last - gone
    return xp.subtract(first, gone, out=gone), end


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
