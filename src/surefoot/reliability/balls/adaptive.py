"""Draws in rounds, each where earlier ones show that the limit gains most."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.bounds.capital import CUT
from surefoot.core import validate
from surefoot.core.validate import FloatArray
from surefoot.reliability.balls.capitals import TINY
from surefoot.reliability.balls.designs import Look, SamplingFrame, draw_by
from surefoot.reliability.balls.drawn import Drawn, Draws, equal
from surefoot.reliability.balls.groups import tail_groups

GROUPS = 12
PRIOR = 1.0
"""Draws that the guess is worth in a group."""
SHARES: FloatArray = np.linspace(0, 1, 9)
"""Shares by weight that are tried, on the way from the least to all."""
LOG_MISS = math.log(20)
"""The limit that the draws are spent for has level 0.95."""


@dataclass(frozen=True)
class Adaptive:
    """Draws in ``rounds``, by weight times the risk that earlier rounds found beside what was predicted.

    Balls are grouped by predicted risk, and each group's mean square risk is put right by the draws so far. A share of
    each round, at least ``defence``, goes by weight alone. Chances depend on earlier rounds only, so each draw has the
    frame's mean as its expectation given all before it.

    ``aim``: ``"limit"`` chooses that share so that the limit to be signed comes out least. With equal weights it is
    distribution-free, and has to allow for failures in balls that few draws reach. ``"value"`` makes the standard
    error least.
    """

    rounds: int = 8
    defence: float = 0.2
    aim: Literal["limit", "value"] = "limit"

    def __post_init__(self) -> None:
        validate.count(self.rounds, where="Adaptive", name="rounds", at_least=1)
        validate.fraction(self.defence, where="Adaptive", name="defence")
        validate.choice(self.aim, ("limit", "value"), where="Adaptive", name="aim")

    def draw(self, frame: SamplingFrame, look: Look, budget: int, rng: np.random.Generator) -> Drawn:
        """Balls in rounds."""
        known = _Known.foreseen(frame)
        foreseen = known.total
        for_limit = self.aim == "limit" and equal(frame.weights)
        chosen, risk, chance, most = [], [], [], []
        for part in np.array_split(np.arange(budget), min(self.rounds, budget)):
            ratio = known.chances_over_weights(self.defence, budget if for_limit else None)
            drawn = draw_by(frame.weights * ratio[known.group], part.size, rng)
            found = look(drawn)
            chosen.append(drawn)
            risk.append(found)
            chance.append(frame.weights[drawn] * ratio[known.group[drawn]])
            most.append(np.full(part.size, 1 / ratio[known.mass > 0].min()))
            known = known.with_draws(drawn, found)
        expansion = 1 / (budget * np.concatenate(chance))
        columns = np.concatenate(chosen), np.concatenate(risk), expansion, np.concatenate(most)
        return Draws(frame.weights, *columns, foreseen=foreseen)


@dataclass(frozen=True, eq=False)
class _Known:
    """Mean and mean square of the risk in each group, from the guess and from the draws so far."""

    group: NDArray[np.int64]
    mass: FloatArray
    draws: FloatArray
    sums: FloatArray
    squares: FloatArray

    @classmethod
    def foreseen(cls, frame: SamplingFrame) -> _Known:
        group = tail_groups(frame.predicted, GROUPS)
        mass = np.asarray(np.bincount(group, frame.weights), float)
        shared = np.maximum(mass, np.finfo(float).tiny)
        means = np.bincount(group, frame.weights * frame.predicted) / shared
        squares = np.bincount(group, frame.weights * frame.predicted**2) / shared
        return cls(group, mass, np.full(mass.size, PRIOR), PRIOR * means, PRIOR * squares)

    def with_draws(self, drawn: NDArray[np.int64], risk: FloatArray) -> _Known:
        group, size = self.group[drawn], self.mass.size
        return _Known(
            self.group,
            self.mass,
            self.draws + np.bincount(group, minlength=size),
            self.sums + np.bincount(group, risk, size),
            self.squares + np.bincount(group, risk**2, size),
        )

    @property
    def total(self) -> float:
        """Foreseen mean of the frame."""
        return float(self.mass @ (self.sums / self.draws))

    def chances_over_weights(self, defence: float, budget: int | None) -> FloatArray:
        """Chance of a ball over its weight, by group, that makes the variance or, with a budget, the limit least."""
        square = self.squares / self.draws
        root = np.sqrt(square)
        by_risk = root / float(self.mass @ root)
        options = np.outer(1 - SHARES, by_risk) * (1 - defence) + (defence + SHARES * (1 - defence))[:, None]
        return np.asarray(options[np.argmin(self._costs(options, square, budget))])

    def _costs(self, ratios: FloatArray, square: FloatArray, budget: int | None) -> FloatArray:
        """Variance of a draw, or how far above the mean the limit comes to lie by the bets of ``ValueCapital``."""
        variance = np.maximum((square / ratios) @ self.mass - self.total**2, TINY)
        if budget is None:
            return np.asarray(variance)
        bets = np.minimum(np.sqrt(2 * LOG_MISS / (budget * variance)), CUT * ratios[:, self.mass > 0].min(axis=1))
        return LOG_MISS / (budget * bets) + bets * variance / 2
