"""What the upper bound of a top event is computed from: joint draws of its inputs, or the corner of their bounds.

The same numbers as ``top_event``: where every uncertain input has a distribution, the bound is a quantile of the draws;
otherwise each input stands at its own bound, and all of them share the miss probability.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from surefoot.core import Estimate, LevelUnavailable, Point
from surefoot.core.bound import MIN_TAIL_DRAWS, Side
from surefoot.core.propagation import joint_draws, limit_at, takes_a_share
from surefoot.core.validate import FloatArray
from surefoot.faulttree.model import FaultTree
from surefoot.faulttree.uncertainty import directions, event_matrix, relevant_inputs

MOST_VALUES = 2_000_000
Change = Callable[[FloatArray], None]


@dataclass(frozen=True, eq=False)
class Ground:
    """A tree, the level of its bound, and how its inputs are drawn."""

    tree: FaultTree
    level: float
    draws: int
    seed: int

    @cached_property
    def inputs(self) -> dict[str, Estimate]:
        """The inputs on which the top event depends."""
        return relevant_inputs(self.tree)

    @cached_property
    def uncertain(self) -> frozenset[str]:
        """Those that are not known exactly."""
        return frozenset(name for name, estimate in self.inputs.items() if not isinstance(estimate.dist, Point))

    @cached_property
    def sampled(self) -> bool:
        """Whether inputs are drawn."""
        return bool(self.uncertain) and all(estimate.dist is not None for estimate in self.inputs.values())

    @property
    def size(self) -> int:
        """How many joint values there are."""
        return self.draws if self.sampled else 1

    def counted(self, names: Collection[str]) -> int:
        """How many of these inputs share the miss probability where inputs stand at their bounds."""
        return 0 if self.sampled else sum(takes_a_share(self.inputs[n], self._sides[n]) for n in names)

    def bound(self, tops: FloatArray) -> float:
        """The upper bound of the top event from one probability a joint value."""
        return quantile(tops, self.level)

    def drawn(self, *, known: Collection[str] = (), fewer: int = 0) -> dict[str, FloatArray]:
        """Values of the inputs; ``known`` ones have their mean, and ``fewer`` says how many others no longer count."""
        found = dict(self._draws) if self.sampled else self._corner(known, fewer)
        return found | {name: np.full(self.size, mean_of(self.inputs[name])) for name in known}

    def tops(self, drawn: dict[str, FloatArray], change: Change | None = None) -> FloatArray:
        """The top event for each joint value, after a change of the rows of events."""
        found = np.empty(self.size)
        for block in self.blocks():
            p = self.rows(drawn, block)
            if change is not None:
                change(p)
            found[block] = self.tree.compiled.probability(p)
        return found

    def rows(self, drawn: dict[str, FloatArray], block: slice) -> FloatArray:
        """Probabilities of all events, one column a joint value."""
        part = {name: values[block] for name, values in drawn.items()}
        return event_matrix(self.tree, part, block.stop - block.start)

    def blocks(self) -> Iterator[slice]:
        """Joint values in blocks of bounded memory."""
        step = max(1, MOST_VALUES // max(len(self.tree.compiled.events), 1))
        return (slice(start, min(start + step, self.size)) for start in range(0, self.size, step))

    @cached_property
    def _draws(self) -> dict[str, FloatArray]:
        return joint_draws(self.inputs, draws=self.draws, seed=self.seed, where=f"top event {self.tree.top!r}")

    @cached_property
    def _sides(self) -> dict[str, Side]:
        """The bound of each input that is worse for the top event."""
        signs = directions(self.tree)
        return {name: "lower" if name in self.uncertain and signs[name] < 0 else "upper" for name in self.inputs}

    def _corner(self, known: Collection[str], fewer: int) -> dict[str, FloatArray]:
        left = {name: estimate for name, estimate in self.inputs.items() if name not in known}
        count = self.counted(left) - fewer
        share = 1 - (1 - self.level) / max(count, 1)
        return {name: np.array([limit_at(e, self._sides[name], share)]) for name, e in left.items()}


def require_draws(draws: int, level: float, *, where: str) -> None:
    """Refuse draws that are too few for a bound at this level, as bounds of estimates do."""
    if draws * (1 - level) < MIN_TAIL_DRAWS * (1 - 1e-9):
        remedy = f"Use at least {math.ceil(MIN_TAIL_DRAWS / (1 - level) - 1e-6):,} draws."
        raise LevelUnavailable(f"{draws:,} draws do not resolve level {level:.12g}", where=where, remedy=remedy)


def quantile(values: FloatArray, level: float) -> float:
    """The quantile as ``Empirical`` defines it, without sorting."""
    rank = min(max(needed_rank(len(values), level) - 1, 0), len(values) - 1)
    return float(np.partition(values, rank)[rank])


def needed_rank(count: int, level: float) -> int:
    """How many of the values must lie at or below a limit for the quantile to."""
    return math.ceil(level * count - 1e-9)


def mean_of(estimate: Estimate) -> float:
    """What an input would be if it were known and no better: the mean of what is believed about it.

    Counts without a distribution have the mean that Jeffreys' prior gives, as a share of 0 failures would be perfect.
    """
    if estimate.dist is not None:
        return estimate.dist.mean
    counts = counts_of(estimate)
    return estimate.value if counts is None else (counts[0] + 0.5) / (counts[1] + 1)


def counts_of(estimate: Estimate) -> tuple[int, int] | None:
    """Failures and trials that an estimate rests on, where it says so in whole numbers."""
    counts = [estimate.details.get(name) for name in ("failures", "trials")]
    whole = [int(number) for number in counts if isinstance(number, int | float) and number == int(number)]
    return (whole[0], whole[1]) if len(whole) == 2 and whole[1] > 0 else None
