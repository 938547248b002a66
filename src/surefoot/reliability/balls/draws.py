"""What a design drew, in its order, and the weighted means that follow with their variances.

``expansion`` says how many balls a draw stands for: the sum of expansion times f over the draws is unbiased for the
sum of f over all balls, whatever f is (Horvitz and Thompson 1952; Hansen and Hurwitz 1943).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from surefoot.bounds.betting import CUT, tabulate
from surefoot.bounds.closed_form import log_miss
from surefoot.core import Table, TabulatedBound
from surefoot.core.bound import Side
from surefoot.core.validate import FloatArray
from surefoot.reliability.cells.result import weighted_mean

SAME = 1e-12
SIDES: tuple[Side, Side] = ("upper", "lower")
FORMS = ("linearised", "effective", "published")


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
    """Every ball once.

    Parameters
    ----------
    weights
        Weight of every ball of the frame; they sum to 1.
    chosen
        Number of the ball of each draw.
    risk
        Found in each draw.
    expansion
        How many balls each draw stands for.

    See Also
    --------
    assess_balls

    """

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

    Each value, weight times risk over chance, has the frame's mean as its expectation given all before it. A design of
    your own returns it.

    Parameters
    ----------
    weights, chosen, risk, expansion
        As for ``Census``.
    most
        The largest that each value could have been.
    form
        The variance of the ratio estimator of Eqn. (14); empty for the mean of the values.
    by_chance_alone
        Whether each draw took a ball with chances in proportion to weights, or all alike.
    foreseen
        Mean that was expected before the draws.

    See Also
    --------
    ByWeight, ByRisk

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


@dataclass(frozen=True, eq=False)
class GroupDraws(Drawn):
    """Groups of the frame, some balls of each without replacement; what a design of your own may return.

    Parameters
    ----------
    weights, chosen, risk, expansion
        As for ``Census``.
    group
        Group of each draw.
    sizes
        Balls in each group of the frame.
    heaviest
        Largest weight in each group of the frame.

    See Also
    --------
    AtRandom, Stratified

    """

    group: NDArray[np.int64]
    """Group of each draw."""
    sizes: NDArray[np.int64]
    """Balls in each group of the frame."""
    heaviest: FloatArray
    """Largest weight in each group of the frame."""

    def mean(self) -> tuple[float, float]:
        return self._total(self.own * self.risk)

    def flat_mean(self) -> tuple[float, float]:
        return self._total(self.risk / self.balls)

    def _total(self, parts: FloatArray) -> tuple[float, float]:
        """Sum over the frame, with the variance of stratified sampling (Cochran 1977, Theorem 5.3)."""
        total = variance = 0.0
        for group, size in enumerate(self.sizes):
            seen = parts[self.group == group]
            total += size * float(seen.mean())
            variance += size * (size - seen.size) * (float(seen.var(ddof=1)) if seen.size > 1 else 0.0) / seen.size
        return total, variance

    def sequence(self, *, flat: bool) -> tuple[FloatArray, FloatArray]:
        return self.expansion, self.risk if flat else self.balls * self.own * self.risk

    def capital(self, side: Side, level: float) -> Capital | None:
        heaviest = self.heaviest[self.group]
        values, sizes = self.own * self.risk / np.maximum(heaviest, TINY), self.expansion * heaviest
        return GroupCapital.tuned(values, sizes, level=level, side=side)

    @property
    def like_operation(self) -> bool:
        return self.sizes.size == 1


def equal(weights: FloatArray) -> bool:
    """Whether all weights are the same, but for rounding."""
    return bool(np.ptp(weights) <= SAME * weights.max())


# Variances of the weighted mean: the printed one and those that hold (errata RAM 8), and where they come from.


def mean_and_variance(sizes: FloatArray, values: FloatArray, *, form: str = "linearised") -> tuple[float, float]:
    """Eqn. (14), and its variance in one of three forms.

    ``"published"`` is Eqn. (15), too small where weights differ or go with risk. ``"effective"`` puts Kish's (1965)
    effective number of draws in place of their number. ``"linearised"`` is that of a ratio (Cochran 1977, 6.4).
    """
    mean, variance = weighted_mean(sizes, values)
    if form == "linearised":
        return mean, variance
    total = float(sizes.sum())
    spread = max(float(sizes @ values**2) / total - mean**2, 0.0)
    draws = sizes.size if form == "published" else total**2 / float((sizes**2).sum())
    return mean, spread / (draws - 1) if draws > 1 else spread


@dataclass(frozen=True)
class VarianceParts:
    """Parts of the variance of the weighted mean risk.

    ``draws`` is what the design states; it holds part of the error of the risks inside. ``frame`` takes the rows for a
    random sample of operation.
    """

    draws: float
    inside: float
    """Of the mean of all balls, were each looked into."""
    given_draws: float
    """Of this estimate, by the error of the risks of the balls drawn."""
    weights: float
    frame: float

    @classmethod
    def of(cls, drawn: Drawn, variance: FloatArray, weight_draws: FloatArray | None) -> VarianceParts:
        """From the draws, the variance of each risk and draws of the weights."""
        return cls(
            drawn.mean()[1],
            drawn.inside_variance(variance),
            drawn.given_draws_variance(variance),
            0.0 if weight_draws is None else drawn.weights_variance(weight_draws),
            drawn.frame_variance(),
        )

    @property
    def sampling(self) -> float:
        """By the sampling of balls alone."""
        return max(self.draws + self.inside - self.given_draws, 0.0) if self.draws else 0.0

    @property
    def of_frame(self) -> float:
        """Of the frame's own number, its weights taken as they are."""
        return self.draws + self.inside

    @property
    def of_operation(self) -> float:
        """Of operation.

        How the rows of the frame differ holds the error of the risks inside, unless all look the same by that error.
        """
        return self.draws + max(self.frame, self.inside) + self.weights

    @property
    def not_sampling(self) -> float:
        """Share that Assumption 7 takes for negligible: of risks inside and weights, beside the sampling of balls."""
        total = self.sampling + self.given_draws + self.weights
        return (self.given_draws + self.weights) / total if total else 0.0

    def table(self) -> Table:
        """Each part with its standard deviation and its share."""
        parts = (
            ("sampling of balls", self.sampling),
            ("risk inside balls", self.given_draws),
            ("weights", self.weights),
            ("frame as a sample of operation", self.frame),
        )
        total = sum(value for _, value in parts)
        rows = tuple((name, math.sqrt(value), value / total if total else 0.0) for name, value in parts)
        return Table(("variance from", "sd", "share"), rows)


# Distribution-free limits of the frame's mean from drawn balls.
#
# A claim "the mean is m" is refuted once a gambler who could not gain on average if it were true holds enough
# (Waudby-Smith and Ramdas 2024, JRSS-B 86(1)); see ``surefoot.bounds.betting``.

BLOCK = 1 << 20
LARGEST_STAKE = 0.98
NEXT_TO_1 = math.nextafter(1.0, 0.0)
TINY = 1e-300
SPREAD = 4.0
"""Variance of values drawn by a fair guess of the risk, in squares of their mean, that the first bets expect."""


class Capital(Protocol):
    """Logarithm of the capital against claimed odds, of the mean or, for lower limits, of one minus it."""

    @property
    def side(self) -> Side: ...

    @property
    def steps(self) -> int:
        """Number of draws."""
        ...

    @property
    def seen(self) -> float:
        """The mean that the draws show."""
        ...

    def __call__(self, odds: FloatArray) -> FloatArray:
        """The largest so far, for which claims are refuted; at least 0."""
        ...

    def final(self, claims: FloatArray) -> FloatArray:
        """At the end, which has an expectation of at most 1 under a true claim and may be multiplied with others."""
        ...


def frame_family(capital: Capital, *, level: float) -> TabulatedBound:
    """Limits of the frame's mean at many levels."""
    inside = min(max(capital.seen, 0.0), NEXT_TO_1)
    seen, rest = (inside, 1 - inside) if capital.side == "upper" else (1 - inside, inside)
    odds = seen / rest if rest else math.inf
    return tabulate(capital, odds, capital.steps, level=level, side=capital.side, kind="confidence")


def _claims(odds: FloatArray, side: Side) -> FloatArray:
    return odds / (1 + odds) if side == "upper" else 1 / (1 + odds)


@dataclass(frozen=True, eq=False)
class ValueCapital:
    """Bets on values that have the same mean given those before, each in [0, ``most``] of its own draw.

    The bet of step t is sqrt(2 log(1/alpha) / (n v)) with v the variance before t, cut off where more than the share
    ``CUT`` of the capital would be at stake. ``most`` must be known before the draw; it may change from draw to draw.
    """

    values: FloatArray
    most: FloatArray
    bets: FloatArray
    side: Side

    @classmethod
    def tuned(cls, values: FloatArray, most: FloatArray, *, level: float, side: Side, foreseen: float) -> Self:
        """Bets tuned to ``level`` and, at first, to the mean that was ``foreseen``."""
        guess = min(max(foreseen, 1 / values.size), 0.5) if foreseen else 0.5
        widest = float(most[0]) ** 2 / 4
        variance = _variance_before(values, guess, min(SPREAD * guess**2, widest) if foreseen else widest)
        return cls(values, most, np.sqrt(2 * log_miss(level) / (values.size * variance)), side)

    @property
    def steps(self) -> int:
        return self.values.size

    @property
    def seen(self) -> float:
        return float(self.values.mean())

    def __call__(self, odds: FloatArray) -> FloatArray:
        return self._best_and_final(_claims(odds, self.side))[0]

    def final(self, claims: FloatArray) -> FloatArray:
        return self._best_and_final(claims)[1]

    def _best_and_final(self, claims: FloatArray) -> tuple[FloatArray, FloatArray]:
        best, total = np.zeros(claims.size), np.zeros(claims.size)
        width = max(BLOCK // claims.size, 1)
        for start in range(0, self.steps, width):
            path = np.cumsum(self._gains(claims[:, None], slice(start, start + width)), axis=1) + total[:, None]
            best, total = np.maximum(best, path.max(axis=1)), path[:, -1]
        return best, total

    def _gains(self, claim: FloatArray, part: slice) -> FloatArray:
        gap = claim - self.values[part]
        with np.errstate(divide="ignore"):
            cut = CUT / (np.maximum(self.most[part] - claim, 0.0) if self.side == "upper" else claim)
        bets = np.minimum(self.bets[part], cut)
        return np.log1p(bets * gap if self.side == "upper" else -bets * gap)


def _variance_before(values: FloatArray, mean: float, variance: float) -> FloatArray:
    """Variance of the values before each step, one draw of the given mean and variance added."""
    steps = np.arange(2.0, values.size + 2)
    means = (mean + np.cumsum(values)) / steps
    found = (variance + np.cumsum((values - means) ** 2)) / steps
    return np.concatenate([[variance], found[:-1]])


@dataclass(frozen=True, eq=False)
class GroupCapital:
    """Constant bets, several gamblers together, on values in [0, 1] of balls drawn without replacement in groups.

    Draw i stands for ``sizes[i]``, and sizes times values sum to the frame's mean on average. The expected capital of a
    constant bet b is the product of 1 + b a_i (m - p_i), with a_i the sizes, p_i the groups' means and m the mean of p
    weighted by a: at most 1, being a product of numbers whose mean is 1, whatever the groups' means are; draws without
    replacement are negatively associated (Joag-Dev and Proschan 1983), which makes it no larger.
    """

    values: FloatArray
    sizes: FloatArray
    side: Side
    smallest_stake: float

    @classmethod
    def tuned(cls, values: FloatArray, sizes: FloatArray, *, level: float, side: Side) -> Self:
        """Stakes from the largest down to what values of one half, or for lower limits very few, ask for."""
        a_draw = log_miss(level) / float(((sizes / sizes.max()) ** 2).sum())
        least = math.sqrt(8 * a_draw) if side == "upper" else a_draw
        return cls(values, sizes, side, min(least, LARGEST_STAKE))

    @property
    def steps(self) -> int:
        return self.values.size

    @property
    def seen(self) -> float:
        return float(self.sizes @ self.values)

    def __call__(self, odds: FloatArray) -> FloatArray:
        return np.maximum(self.final(_claims(odds, self.side)), 0.0)

    def final(self, claims: FloatArray) -> FloatArray:
        ranks = np.arange(1.0 + math.ceil(math.log2(LARGEST_STAKE / self.smallest_stake)))
        shares = np.log(1 / (ranks + 1)) - math.log(float((1 / (ranks + 1)).sum()))
        stakes = LARGEST_STAKE * np.exp2(-ranks)
        alike = claims / float(self.sizes.sum())
        return np.array([np.logaddexp.reduce(self._alone(claim, stakes) + shares) for claim in alike])

    def _alone(self, claim: float, stakes: FloatArray) -> FloatArray:
        """Each gambler's log capital when every draw has the mean ``claim``."""
        gap = (claim - self.values) * self.sizes / self.sizes.max()
        bets = stakes / (1 - min(claim, 0.5)) if self.side == "upper" else -stakes / max(claim, TINY)
        return np.log1p(bets[:, None] * gap).sum(axis=1)
