"""Rare failures in balls of digits: how well moves find them at equal numbers of calls."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.digits import DigitWorld, threads
from benchmarks.harness import Row
from benchmarks.plain_splitting import Split, batched_plain
from surefoot.core.validate import FloatArray
from surefoot.executors import Serial
from surefoot.reliability.rare_events.splitting import FLOOR, MultilevelSplitting

SEED = 3
RADIUS = 0.3
BALLS, REPEATS = 8, 5
PARTICLES, STEPS = 100, MultilevelSplitting().steps
RAREST, MOST_FREQUENT = -80.0, -10.0
LOOKED_AT, ROUGH_PARTICLES = 60, 50

Found = tuple[FloatArray, float]
"""Logarithms of the risks, and the calls of a ball."""


@dataclass(frozen=True)
class Tried:
    """How one kind of moves did."""

    seconds: float
    calls: float
    spread: float
    """Standard deviation of the logarithm between repeats."""
    mean: float

    @classmethod
    def of(cls, look: Callable[[DigitWorld], Found], world: DigitWorld) -> Tried:
        """In balls that come several times each."""
        start = time.perf_counter()
        logs, calls = look(world)
        seconds, table = time.perf_counter() - start, logs.reshape(BALLS, REPEATS)
        return cls(seconds, calls, math.sqrt(table.var(axis=1, ddof=1).mean()), float(table.mean()))

    def to_spread(self, spread: float) -> Tried:
        """With as many particles as that spread takes."""
        more = (self.spread / spread) ** 2
        return Tried(self.seconds * more, self.calls * more, spread, self.mean)


def rare_failures(world: DigitWorld) -> list[Row]:
    """Informed moves against others, scaled to the same spread of the estimates."""
    again = world.rows(np.repeat(_rare_rows(world), REPEATS))
    ours = Tried.of(lambda w: _split(w, "informed"), again)
    peers = {"reflected": Tried.of(lambda w: _split(w, "reflected"), again), "plain": Tried.of(_plainly_split, again)}
    return [_row(ours, name, peer) for name, peer in peers.items()]


def _row(ours: Tried, name: str, peer: Tried) -> Row:
    equal = peer.to_spread(ours.spread)
    note = (
        f"radius {RADIUS}, {PARTICLES} particles, {STEPS} moves; standard deviation of the logarithm over {REPEATS} "
        f"repeats {ours.spread:.2f} with {ours.calls:,.0f} calls a ball, of the peer {peer.spread:.2f} with "
        f"{peer.calls:,.0f}, so {equal.calls / ours.calls:.1f} times the calls; "
        f"its mean lies {peer.mean - ours.mean:+.1f} away"
    )
    task = f"{BALLS} balls with risks of e{ours.mean:.0f} on average, informed moves"
    return Row(task, ours.seconds, f"{name} moves, to the same spread", equal.seconds, note)


def _rare_rows(world: DigitWorld) -> NDArray[np.int64]:
    """Rows with rare failures, from the rarest to the most frequent."""
    rows = world.right[:LOOKED_AT]
    method = MultilevelSplitting(particles=ROUGH_PARTICLES, floor=RAREST)
    found = method.risks(world.problem(RADIUS), rows, executor=Serial(), seed=SEED).log_risk
    rare = rows[np.argsort(found)][np.sum(found < RAREST) : np.sum(found < MOST_FREQUENT)]
    return rare[np.linspace(0, rare.size - 1, BALLS).round().astype(int)]


def _split(world: DigitWorld, moves: str) -> Found:
    method = MultilevelSplitting(particles=PARTICLES, steps=STEPS, moves=moves)
    found = method.risks(world.problem(RADIUS), np.arange(len(world.inputs)), executor=Serial(), seed=SEED)
    return found.log_risk, float(found.calls.mean())


def _plainly_split(world: DigitWorld) -> Found:
    generator, found = torch.Generator().manual_seed(SEED), list[Split]()
    with threads(1):
        for part in np.array_split(np.arange(len(world.inputs)), BALLS):
            centres, labels = torch.from_numpy(world.inputs[part]), torch.from_numpy(world.labels[part])
            settings = {"particles": PARTICLES, "steps": STEPS, "floor": FLOOR, "generator": generator}
            found += batched_plain(world.network, centres, labels, RADIUS, **settings)
    return np.array([split.log_probability for split in found]), float(np.mean([split.calls for split in found]))
