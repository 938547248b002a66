"""Which balls are looked into: designs that draw at random, by weight, by risk, in groups, or in rounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from surefoot.bounds.betting import CUT
from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.reliability.balls.draws import FORMS, TINY, Drawn, Draws, GroupDraws, equal

Look = Callable[[NDArray[np.int64]], FloatArray]
"""Finds the risk in the balls with these numbers."""
GROUPS = 12
PRIOR = 1.0
"""Draws that the guess is worth in a group."""
SHARES: FloatArray = np.linspace(0, 1, 9)
"""Shares by weight that are tried, on the way from the least to all."""
LOG_MISS = math.log(20)
"""The limit that the draws are spent for has level 0.95."""
FEWEST = 4
"""Balls in the group at the top, at least; draws of each group are at least half as many."""


@runtime_checkable
class Design(Protocol):
    """Draws balls from a sampling frame and looks into them; ``repr`` shows its parameters.

    See Also
    --------
    AtRandom, ByWeight, ByRisk, Stratified, Adaptive, WithReplacement

    """

    def draw(self, frame: SamplingFrame, look: Look, budget: int, rng: np.random.Generator) -> Drawn:
        """At most ``budget`` different balls."""
        ...


@dataclass(frozen=True, eq=False)
class SamplingFrame:
    """Balls that can be drawn: their weights, and a cheap guess of their risks.

    Parameters
    ----------
    weights
        Of the balls; they sum to 1.
    predict
        Guesses the risk of each ball; asked by designs that follow the risk.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> risk = np.linspace(0, 0.2, 200) ** 2
    >>> frame = sf.reliability.SamplingFrame(np.full(200, 1 / 200), lambda: risk + 0.001)
    >>> len(frame), frame.predicted.max().round(2)
    (200, np.float64(0.04))

    """

    weights: FloatArray
    predict: Callable[[], FloatArray]

    def __len__(self) -> int:
        return self.weights.size

    @cached_property
    def predicted(self) -> FloatArray:
        """Guessed risk of each ball; asked for by designs that use it."""
        return self.predict()


@dataclass(frozen=True)
class AtRandom:
    """Every ball with the same chance, none twice: the rows drawn are themselves a random sample of operation.

    Limits of operation then need no step from the frame to operation. With equal weights that mostly makes them
    tighter than those of designs that follow the risk (measured in ``benchmarks.coverage_balls``).

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> risk = np.linspace(0, 0.2, 200) ** 2
    >>> frame = sf.reliability.SamplingFrame(np.full(200, 1 / 200), lambda: risk + 0.001)
    >>> drawn = sf.reliability.AtRandom().draw(frame, lambda chosen: risk[chosen], 40, np.random.default_rng(0))
    >>> round(float(drawn.mean()[0]), 4), round(float(risk.mean()), 4)
    (0.0139, 0.0134)

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

    Parameters
    ----------
    variance
        ``"linearised"``, ``"effective"`` or ``"published"``, which is Eqn. (15) and too small where weights differ
        (errata RAM 8).

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> risk = np.linspace(0, 0.2, 200) ** 2
    >>> frame = sf.reliability.SamplingFrame(np.full(200, 1 / 200), lambda: risk + 0.001)
    >>> drawn = sf.reliability.WithReplacement().draw(frame, lambda chosen: risk[chosen], 40, np.random.default_rng(0))
    >>> round(float(drawn.mean()[0]), 4), round(float(risk.mean()), 4)
    (0.0133, 0.0134)

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
    """Each ball with a chance in proportion to its weight, so that the mean of the risks is that of the frame.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> risk = np.linspace(0, 0.2, 200) ** 2
    >>> frame = sf.reliability.SamplingFrame(np.full(200, 1 / 200), lambda: risk + 0.001)
    >>> drawn = sf.reliability.ByWeight().draw(frame, lambda chosen: risk[chosen], 40, np.random.default_rng(0))
    >>> round(float(drawn.mean()[0]), 4), round(float(risk.mean()), 4)
    (0.0152, 0.0134)

    """

    def draw(self, frame: SamplingFrame, look: Look, budget: int, rng: np.random.Generator) -> Drawn:
        """Balls by their weights."""
        chosen = draw_by(frame.weights, budget, rng)
        expansion = 1 / (budget * frame.weights[chosen])
        return Draws(frame.weights, chosen, look(chosen), expansion, np.ones(budget), by_chance_alone=True)


@dataclass(frozen=True)
class ByRisk:
    """Each ball with a chance in proportion to weight times predicted risk (Hansen and Hurwitz 1943).

    Parameters
    ----------
    defence
        Share of the draws that goes by weight alone. A wrong guess then costs precision, never validity, and no draw
        counts for more than 1/defence.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> risk = np.linspace(0, 0.2, 200) ** 2
    >>> frame = sf.reliability.SamplingFrame(np.full(200, 1 / 200), lambda: risk + 0.001)
    >>> drawn = sf.reliability.ByRisk().draw(frame, lambda chosen: risk[chosen], 40, np.random.default_rng(0))
    >>> round(float(drawn.mean()[0]), 4), round(float(risk.mean()), 4)
    (0.0133, 0.0134)

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

    Balls of a group are drawn without replacement.

    Parameters
    ----------
    strata
        Number of groups, at most.
    allocation
        How many balls of a group: in proportion to its weight (``"proportional"``), or to its size times the spread
        that the guess foresees (``"neyman"``; Neyman 1934).
    defence
        Share of the draws that follows the weight all the same.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> risk = np.linspace(0, 0.2, 200) ** 2
    >>> frame = sf.reliability.SamplingFrame(np.full(200, 1 / 200), lambda: risk + 0.001)
    >>> drawn = sf.reliability.Stratified().draw(frame, lambda chosen: risk[chosen], 40, np.random.default_rng(0))
    >>> round(float(drawn.mean()[0]), 4), round(float(risk.mean()), 4)
    (0.0129, 0.0134)

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


@dataclass(frozen=True)
class Adaptive:
    """Draws in rounds, by weight times the risk that earlier rounds found beside what was predicted.

    Balls are grouped by predicted risk, and each group's mean square risk is put right by the draws so far. Chances
    depend on earlier rounds only, so each draw has the frame's mean as its expectation given all before it.

    Parameters
    ----------
    rounds
        How often chances are put right.
    defence
        Share of each round, at least, that goes by weight alone.
    aim
        ``"limit"`` chooses that share so that the limit to be signed comes out least: with equal weights it is
        distribution-free, and has to allow for failures in balls that few draws reach. ``"value"`` makes the standard
        error least.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> risk = np.linspace(0, 0.2, 200) ** 2
    >>> frame = sf.reliability.SamplingFrame(np.full(200, 1 / 200), lambda: risk + 0.001)
    >>> design = sf.reliability.Adaptive(aim="value")
    >>> drawn = design.draw(frame, lambda chosen: risk[chosen], 40, np.random.default_rng(0))
    >>> round(float(drawn.mean()[0]), 4), round(float(risk.mean()), 4)
    (0.0128, 0.0134)

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
        known = _RiskByGroup.foreseen(frame)
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
class _RiskByGroup:
    """Mean and mean square of the risk in each group, from the guess and from the draws so far."""

    group: NDArray[np.int64]
    mass: FloatArray
    draws: FloatArray
    sums: FloatArray
    squares: FloatArray

    @classmethod
    def foreseen(cls, frame: SamplingFrame) -> _RiskByGroup:
        group = tail_groups(frame.predicted, GROUPS)
        mass = np.asarray(np.bincount(group, frame.weights), float)
        shared = np.maximum(mass, np.finfo(float).tiny)
        means = np.bincount(group, frame.weights * frame.predicted) / shared
        squares = np.bincount(group, frame.weights * frame.predicted**2) / shared
        return cls(group, mass, np.full(mass.size, PRIOR), PRIOR * means, PRIOR * squares)

    def with_draws(self, drawn: NDArray[np.int64], risk: FloatArray) -> _RiskByGroup:
        group, size = self.group[drawn], self.mass.size
        return _RiskByGroup(
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


def tail_groups(scores: FloatArray, most: int) -> NDArray[np.int64]:
    """Number of each ball's group: 0 for the lower half, 1 for the next quarter, and so on to the top."""
    count = scores.size
    groups = min(most, max(1, int(math.log2(count / FEWEST)) + 1)) if count >= FEWEST else 1
    rank = np.empty(count, np.int64)
    rank[np.argsort(-scores, kind="stable")] = np.arange(count)
    starts = count // 2 ** np.arange(1, groups)
    return np.asarray((rank[:, None] < starts).sum(axis=1))


def allocated(shares: FloatArray, sizes: NDArray[np.int64], budget: int) -> NDArray[np.int64]:
    """Whole numbers near to shares of the budget, at least 2 of a group that has them and at most all of it."""
    least = np.minimum(sizes, FEWEST // 2)
    counts = least.copy()
    while (left := budget - int(counts.sum())) > 0:
        open_ = counts < sizes
        parts = np.where(open_, shares, 0.0)
        parts = parts / parts.sum() if parts.sum() > 0 else open_ / open_.sum()
        wanted = np.maximum(parts * budget - counts, 0.0) * open_
        wanted = wanted / wanted.sum() * left if wanted.sum() > 0 else parts * left
        more = np.minimum(np.floor(wanted).astype(np.int64), sizes - counts)
        if not more.any():
            more[np.argmax(np.where(open_, wanted, -1.0))] = 1
        counts += more
    return counts
