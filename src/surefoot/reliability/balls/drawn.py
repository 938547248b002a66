"""What a design drew, in its order, and the weighted means that follow with their variances.

``expansion`` says how many balls a draw stands for: the sum of expansion times f over the draws is unbiased for the
sum of f over all balls, whatever f is (Horvitz and Thompson 1952; Hansen and Hurwitz 1943).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from surefoot.core import TabulatedBound
from surefoot.core.bound import Side
from surefoot.core.validate import FloatArray
from surefoot.reliability.balls.capitals import Capital, ValueCapital, frame_family
from surefoot.reliability.balls.variances import mean_and_variance

SAME = 1e-12
SIDES: tuple[Side, Side] = ("upper", "lower")


def equal(weights: FloatArray) -> bool:
    """Whether all weights are the same, but for rounding."""
    return bool(np.ptp(weights) <= SAME * weights.max())


@dataclass(frozen=True, eq=False)
class Drawn(ABC):
    """Balls drawn from a sampling frame, with the risk found in each; a ball drawn twice is there twice."""

    weights: FloatArray
    """Weight of every ball of the frame; they sum to 1."""
    chosen: NDArray[np.int64]
    """Number of the ball of each draw."""
    risk: FloatArray
    expansion: FloatArray

    @abstractmethod
    def mean(self) -> tuple[float, float]:
        """Weighted mean risk of the frame, and its variance over the draws."""

    @abstractmethod
    def flat_mean(self) -> tuple[float, float]:
        """Mean risk of the frame as if all weights were equal, and its variance."""

    @abstractmethod
    def sequence(self, *, flat: bool) -> tuple[FloatArray, FloatArray]:
        """Sizes and values in the order of drawing, whose mean settles at the one of the frame."""

    @abstractmethod
    def capital(self, side: Side, level: float) -> Capital | None:
        """Bets against claims about the weighted mean of the frame; None where all of it was looked at."""

    @property
    @abstractmethod
    def like_operation(self) -> bool:
        """Whether the different balls drawn are a simple random sample of the frame."""

    def capitals(self, level: float) -> dict[Side, Capital]:
        """Bets of both sides; none where all of the frame was looked at."""
        found = {side: self.capital(side, level) for side in SIDES}
        return {side: capital for side, capital in found.items() if capital is not None}

    def frame_bound(self, side: Side, level: float) -> TabulatedBound | None:
        """Distribution-free limits of the weighted mean of the frame; None where all of it was looked at."""
        capital = self.capital(side, level)
        return None if capital is None else frame_family(capital, level=level)

    @property
    def balls(self) -> int:
        """Balls of the frame."""
        return self.weights.size

    @property
    def own(self) -> FloatArray:
        """Weight of the ball of each draw."""
        return self.weights[self.chosen]

    @property
    def relative_weights(self) -> FloatArray:
        """Weight of every ball of the frame, over the largest."""
        return self.weights / self.weights.max()

    @property
    def equal_weights(self) -> bool:
        """Whether all balls of the frame weigh the same."""
        return equal(self.weights)

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """The draws that brought a ball for the first time."""
        return np.sort(np.unique(self.chosen, return_index=True)[1])

    def inside_variance(self, variance: FloatArray) -> float:
        """Variance of the weighted mean of all balls when each risk has its own, as the draws show it."""
        return float((self.expansion * self.own**2 * variance).sum())

    def given_draws_variance(self, variance: FloatArray) -> float:
        """Variance that the risks inside give to this estimate, once the balls are drawn."""
        parts = np.bincount(self.chosen, self.expansion * self.own, minlength=self.balls)[self.chosen[self.first]]
        return float((parts**2 * variance[self.first]).sum())

    def frame_variance(self) -> float:
        """Linearised variance of the frame's mean as one of a random sample of operation (Cochran 1977, 2.11)."""
        mean = self.mean()[0]
        squares = float((self.expansion * (self.own * (self.risk - mean)) ** 2).sum())
        return squares * self.balls / max(self.balls - 1, 1)

    def weights_variance(self, draws: FloatArray) -> float:
        """Variance of the mean over draws of the weights, one a row."""
        sizes = draws[:, self.chosen] * self.expansion
        return float(np.var((sizes @ self.risk) / sizes.sum(axis=1), ddof=1))


@dataclass(frozen=True, eq=False)
class Census(Drawn):
    """Every ball once."""

    def mean(self) -> tuple[float, float]:
        return float(self.own @ self.risk), 0.0

    def flat_mean(self) -> tuple[float, float]:
        return float(self.risk.mean()), 0.0

    def sequence(self, *, flat: bool) -> tuple[FloatArray, FloatArray]:
        return np.ones(self.risk.size) if flat else self.own, self.risk

    def capital(self, side: Side, level: float) -> Capital | None:
        return None

    @property
    def like_operation(self) -> bool:
        return True


@dataclass(frozen=True, eq=False)
class Draws(Drawn):
    """Independent draws with replacement, or draws whose chances depend on what earlier ones found.

    Each value, weight times risk over chance, has the frame's mean as its expectation given all before it; ``most`` is
    the largest that it could have been.
    """

    most: FloatArray
    form: str = ""
    """The variance of the ratio estimator of Eqn. (14); empty for the mean of the values."""
    by_chance_alone: bool = False
    """Whether each draw took a ball with chances in proportion to weights, or all alike."""
    foreseen: float = 0.0
    """Mean that was expected before the draws."""

    @property
    def values(self) -> FloatArray:
        """What each draw says of the frame's mean."""
        return self.risk.size * self.expansion * self.own * self.risk

    def mean(self) -> tuple[float, float]:
        return mean_and_variance(*self.sequence(flat=False), form=self.form or "linearised")

    def flat_mean(self) -> tuple[float, float]:
        return mean_and_variance(*self.sequence(flat=True))

    def sequence(self, *, flat: bool) -> tuple[FloatArray, FloatArray]:
        if flat and not self.foreseen:
            return self.expansion, self.risk
        if self.form:
            return self.own, self.risk
        # Chances that follow the risk make a ratio unstable, because rare draws of safe balls count for many.
        flat_values = self.risk.size * self.expansion * self.risk / self.balls
        return np.ones(self.risk.size), flat_values if flat else self.values

    def capital(self, side: Side, level: float) -> Capital | None:
        return ValueCapital.tuned(self.values, self.most, level=level, side=side, foreseen=self.foreseen)

    @property
    def like_operation(self) -> bool:
        return self.by_chance_alone and self.equal_weights
