"""Which balls are looked into: designs that draw at random, by weight, by risk, or in groups."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.reliability.balls.drawn import Drawn, Draws
from surefoot.reliability.balls.group_draws import GroupDraws
from surefoot.reliability.balls.groups import allocated, tail_groups
from surefoot.reliability.balls.variances import FORMS

Look = Callable[[NDArray[np.int64]], FloatArray]
"""Finds the risk in the balls with these numbers."""


@dataclass(frozen=True, eq=False)
class SamplingFrame:
    """Balls that can be drawn: their weights, which sum to 1, and a cheap guess of their risks."""

    weights: FloatArray
    predict: Callable[[], FloatArray]

    def __len__(self) -> int:
        return self.weights.size

    @cached_property
    def predicted(self) -> FloatArray:
        """Guessed risk of each ball; asked for by designs that use it."""
        return self.predict()


@runtime_checkable
class Design(Protocol):
    """Draws balls from a sampling frame and looks into them; ``repr`` shows its parameters."""

    def draw(self, frame: SamplingFrame, look: Look, budget: int, rng: np.random.Generator) -> Drawn:
        """At most ``budget`` different balls."""
        ...


@dataclass(frozen=True)
class AtRandom:
    """Every ball with the same chance, none twice: the rows drawn are themselves a random sample of operation.

    Limits of operation then need no step from the frame to operation. With equal weights that mostly makes them
    tighter than those of designs that follow the risk (measured in ``benchmarks.coverage_balls``).
    """

    def draw(self, frame: SamplingFrame, look: Look, budget: int, rng: np.random.Generator) -> Drawn:
        """Balls at random."""
        chosen = rng.choice(len(frame), budget, replace=False)
        if not frame.weights[chosen].any():
            raise _all_weightless("AtRandom", budget)
        expansion, heaviest = np.full(budget, len(frame) / budget), np.array([frame.weights.max()])
        group = np.zeros(budget, np.int64)
        return GroupDraws(frame.weights, chosen, look(chosen), expansion, group, np.array([len(frame)]), heaviest)


@dataclass(frozen=True)
class WithReplacement:
    """Every ball with the same chance in each draw, with the ratio estimator of Eqn. (14).

    ``variance``: ``"linearised"``, ``"effective"`` or ``"published"``, which is Eqn. (15) and too small where weights
    differ (errata RAM 8).
    """

    variance: Literal["linearised", "effective", "published"] = "linearised"

    def __post_init__(self) -> None:
        validate.choice(self.variance, FORMS, where="WithReplacement", name="variance")

    def draw(self, frame: SamplingFrame, look: Look, budget: int, rng: np.random.Generator) -> Drawn:
        """Balls at random."""
        chosen = rng.integers(len(frame), size=budget)
        if not frame.weights[chosen].any():
            raise _all_weightless("WithReplacement", budget)
        expansion = np.full(budget, len(frame) / budget)
        most = np.full(budget, len(frame) * frame.weights.max())
        return Draws(frame.weights, chosen, look(chosen), expansion, most, self.variance, by_chance_alone=True)


@dataclass(frozen=True)
class ByWeight:
    """Each ball with a chance in proportion to its weight, so that the mean of the risks is that of the frame."""

    def draw(self, frame: SamplingFrame, look: Look, budget: int, rng: np.random.Generator) -> Drawn:
        """Balls by their weights."""
        chosen = draw_by(frame.weights, budget, rng)
        expansion = 1 / (budget * frame.weights[chosen])
        return Draws(frame.weights, chosen, look(chosen), expansion, np.ones(budget), by_chance_alone=True)


@dataclass(frozen=True)
class ByRisk:
    """Each ball with a chance in proportion to weight times predicted risk (Hansen and Hurwitz 1943).

    The share ``defence`` of the draws goes by weight alone. A wrong guess then costs precision, never validity, and no
    draw counts for more than 1/defence.
    """

    defence: float = 0.25

    def __post_init__(self) -> None:
        validate.fraction(self.defence, where="ByRisk", name="defence")

    def draw(self, frame: SamplingFrame, look: Look, budget: int, rng: np.random.Generator) -> Drawn:
        """Balls by weight and guessed risk."""
        guessed = frame.weights * frame.predicted
        foreseen = float(guessed.sum())
        chances = (1 - self.defence) * guessed / foreseen + self.defence * frame.weights
        chosen = draw_by(chances, budget, rng)
        most = np.full(budget, largest_ratio(frame.weights, chances))
        expansion = 1 / (budget * chances[chosen])
        return Draws(frame.weights, chosen, look(chosen), expansion, most, foreseen=foreseen)


@dataclass(frozen=True)
class Stratified:
    """Groups by weight times predicted risk, each half as large as the one below it, and some balls of each.

    Balls of a group are drawn without replacement. Their number follows the weight of the group (``"proportional"``)
    or its size times the spread that the guess foresees (``"neyman"``; Neyman 1934), of which the share ``defence``
    follows the weight all the same.
    """

    strata: int = 8
    allocation: Literal["neyman", "proportional"] = "neyman"
    defence: float = 0.25

    def __post_init__(self) -> None:
        validate.count(self.strata, where="Stratified", name="strata", at_least=1)
        validate.choice(self.allocation, ("neyman", "proportional"), where="Stratified", name="allocation")
        validate.fraction(self.defence, where="Stratified", name="defence")

    def draw(self, frame: SamplingFrame, look: Look, budget: int, rng: np.random.Generator) -> Drawn:
        """Some balls of each group, in random order."""
        weights = frame.weights
        group = tail_groups(weights * frame.predicted, min(self.strata, max(budget // 4, 1)))
        sizes = np.bincount(group)
        counts = allocated(self._shares(frame, group, sizes), sizes, budget)
        parts = [rng.choice(np.flatnonzero(group == g), count, replace=False) for g, count in enumerate(counts)]
        chosen = rng.permutation(np.concatenate(parts))
        expansion = (sizes / counts)[group[chosen]]
        heaviest = np.array([weights[group == g].max() for g in range(sizes.size)])
        return GroupDraws(weights, chosen, look(chosen), expansion, group[chosen], sizes, heaviest)

    def _shares(self, frame: SamplingFrame, group: NDArray[np.int64], sizes: NDArray[np.int64]) -> FloatArray:
        plain = np.asarray(np.bincount(group, frame.weights), float)
        if self.allocation == "proportional":
            return plain
        spread = np.sqrt(np.bincount(group, frame.weights**2 * frame.predicted) * sizes)
        return (1 - self.defence) * spread / spread.sum() + self.defence * plain


def _all_weightless(design: str, budget: int) -> InvalidInput:
    return InvalidInput(
        "all balls drawn have weight 0", where=design, found=f"{budget:,} draws", remedy="Use ByWeight()."
    )


def draw_by(chances: FloatArray, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Numbers drawn with replacement; what has no chance is never drawn."""
    return np.asarray(rng.choice(chances.size, count, p=chances / chances.sum()))


def largest_ratio(weights: FloatArray, chances: FloatArray) -> float:
    """The most that a draw can count for."""
    present = weights > 0
    return float((weights[present] / chances[present]).max())
