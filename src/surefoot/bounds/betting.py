"""Bounds of the mean of losses in [0, 1] by betting: the tightest with a guarantee, also when stopping early."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from surefoot.bounds.closed_form import log_miss
from surefoot.bounds.statement import (
    EXPECTED_LOSS,
    FIXED_SIZE,
    ORDER_FIRST,
    REPRESENTATIVE,
    SAME_MEAN,
    About,
    bound,
    state,
)
from surefoot.core import Estimate, InvalidInput, Kind, Provenance, Side, TabulatedBound, array_digest, validate
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.validate import FloatArray

ORDERS = ("shuffled", "given")
_STEP = 1.025


@bound(step="loss_bound")
def betting(
    losses: ArrayLike,
    *,
    level: float,
    anytime: bool = False,
    order: str = "shuffled",
    shuffles: int = 1,
    seed: int = 0,
    quantity: str = EXPECTED_LOSS,
    unit: str = PER_DEMAND,
    scope: str = "",
) -> Estimate:
    """Bounds of the mean of losses in [0, 1] from the capital of a gambler.

    Bets are tuned to ``level``; limits at other levels come from the same capital and are as valid, a little wider than
    if tuned to them. For a fixed sample the losses are shuffled with ``seed``, so that a file sorted by class does no
    harm; the limit depends on the seed, which is assumed to be chosen before looking. For losses of 0 and 1 and a fixed
    sample ``clopper_pearson`` is tighter.

    Parameters
    ----------
    losses
        Losses in [0, 1], one a trial.
    level
        Confidence to which bets are tuned.
    anytime
        Take the losses in the order of testing, so that the bound holds whenever testing stops, for whatever reason.
    order
        ``"shuffled"``, or ``"given"`` where the order was chosen before the outcomes.
    shuffles
        An odd number; above 1 their median is taken at half the miss probability, which is wider on average and hardly
        depends on the seed.
    seed
        Shuffles the losses.
    quantity, unit, scope
        What the estimate is about, in your words.

    Returns
    -------
    Estimate
        The mean loss with its bounds.

    References
    ----------
    Waudby-Smith and Ramdas (2024), "Estimating means of bounded random variables by betting", JRSS-B 86(1).

    Examples
    --------
    >>> import surefoot as sf
    >>> round(sf.bounds.betting([0.0, 0.5, 0.1, 0.2] * 25, level=0.95).upper(0.95), 3)
    0.243

    """
    where = "betting"
    values = validate.unit_vector(losses, where=where, name="losses")
    level, seed = validate.level(level, where=where), validate.seed(seed, where=where)
    shuffled = validate.choice(order, ORDERS, where=where, name="order") == "shuffled" and not anytime
    count = _checked_shuffles(shuffles, where=where) if shuffled else 1
    params = {"level": level, "anytime": anytime, "order": "shuffled" if shuffled else "given", "shuffles": count}
    capital = _shuffled_capital(values, level, count, seed) if shuffled else _plain_capital(values, level, anytime)
    return state(
        About(quantity, unit, scope),
        float(values.mean()),
        two_sided(capital, level=level, kind="confidence"),
        assumptions=(SAME_MEAN, *([] if anytime else [FIXED_SIZE]), REPRESENTATIVE, ORDER_FIRST),
        details={**params, "trials": values.size, "standard_error": float(values.std() / math.sqrt(values.size))},
        provenance=Provenance(
            "bounds.betting", params, data={"losses": array_digest(values)}, seed=seed if shuffled else None
        ),
    )


def two_sided(
    capital: PluginCapital | MedianCapital | AlternateCapital, *, level: float, kind: Kind
) -> tuple[TabulatedBound, TabulatedBound]:
    """Upper and lower limits of the risk from bets on it and on its complement."""
    turned = capital.turned()
    return (
        tabulate(capital, capital.odds, capital.steps, level=level, side="upper", kind=kind),
        tabulate(turned, turned.odds, turned.steps, level=level, side="lower", kind=kind),
    )


def _plain_capital(values: FloatArray, level: float, anytime: bool) -> PluginCapital:
    return PluginCapital.tuned(values, np.ones(values.size), level=level, anytime=anytime)


def _shuffled_capital(values: FloatArray, level: float, count: int, seed: int) -> PluginCapital | MedianCapital:
    rng = np.random.default_rng(seed)
    if count == 1:
        return _plain_capital(rng.permutation(values), level, anytime=False)
    stricter = 1 - (1 - level) / 2
    orders = (_plain_capital(rng.permutation(values), stricter, anytime=False) for _ in range(count))
    return MedianCapital(tuple(orders))


def _checked_shuffles(shuffles: int, *, where: str) -> int:
    count = validate.count(shuffles, where=where, name="shuffles", at_least=1)
    if count % 2 == 0:
        raise InvalidInput("a median needs an odd number of shuffles", where=where, found=f"{count}")
    return count


@dataclass(frozen=True, eq=False)
class ConfidenceSequence:
    """Limits after each trial; all upper ones hold together at ``level``, and all lower ones do.

    See Also
    --------
    betting_sequence : Gives one, with an example.

    """

    level: float
    upper: FloatArray
    lower: FloatArray

    def stops_at(self, at_most: float) -> int | None:
        """Number of trials after which the upper limit is first at or below ``at_most``, if ever.

        Parameters
        ----------
        at_most
            The limit to be shown.

        Returns
        -------
        int or None
            The number of trials; None where all of them do not show it.

        """
        shown = np.flatnonzero(self.upper <= validate.probability(at_most, where="stops_at", name="at_most"))
        return int(shown[0]) + 1 if shown.size else None


def betting_sequence(losses: ArrayLike, *, level: float) -> ConfidenceSequence:
    """Limits of the mean after each trial, in the order of testing; testing may stop at any time.

    The last limits are those of ``betting(..., anytime=True)``; earlier ones are rounded outward by
    at most 2.5% of their distance from the mean.

    Parameters
    ----------
    losses
        Losses in [0, 1], in the order of testing.
    level
        Confidence with which all upper limits hold together, and all lower ones.

    Returns
    -------
    ConfidenceSequence
        One upper and one lower limit for each trial.

    Examples
    --------
    >>> import surefoot as sf
    >>> sequence = sf.bounds.betting_sequence([0.0] * 100, level=0.95)
    >>> sequence.upper.size, sequence.stops_at(0.1)
    (100, 35)

    """
    where = "betting_sequence"
    values = validate.unit_vector(losses, where=where, name="losses")
    level = validate.level(level, where=where)
    capital = _plain_capital(values, level, anytime=True)
    above, below = (_odds_over_time(c, log_miss(level)) for c in (capital, capital.turned()))
    with np.errstate(divide="ignore"):
        return ConfidenceSequence(level, upper=1 / (1 + 1 / above), lower=1 / (1 + below))


def _odds_over_time(capital: PluginCapital, needed: float) -> FloatArray:
    """Smallest refuted odds after each step, infinite while none is."""
    limits = np.full(capital.steps, np.inf)
    end = limits.size
    for odds, time in _refutations(capital, needed):
        limits[time - 1 : end] = odds
        end = min(end, time - 1)
    return limits


def _refutations(capital: PluginCapital, needed: float) -> Iterator[tuple[float, int]]:
    """Claimed odds, from the final limit upward, and the time at which each is first refuted."""
    odds = smallest_refuted(capital, capital.odds, capital.steps, needed)
    if odds is None:
        return
    origin = capital.odds if odds > capital.odds else 0.0
    earliest = capital.first_refuted(LARGEST_ODDS, needed)
    while (time := capital.first_refuted(odds, needed)) is not None:
        yield odds, time
        if time == earliest:
            return
        odds = origin + (odds - origin) * _STEP


# Capital of a gambler who bets that a risk is smaller than claimed, and the limits it implies.
#
# A claim "the risk is m" is refuted at miss probability alpha once a gambler who starts with 1, and
# could not gain on average if the claim were true, holds 1/alpha (Ville's inequality). The capital
# rises with m here, so the refuted claims lie above one limit.
#
# Each observation is a pair of a size in [0, 1] and a loss in [0, size], and the risk is the mean loss
# over the mean size. Plain losses have size 1; importance weights and groups have other sizes. A
# claim m is written as its odds m / (1 - m), which keeps its digits near 0 and near 1.

LogCapital = Callable[[FloatArray], FloatArray]

CUT = 0.8
"""Largest share of the capital at stake in one bet; 1/2 in the paper, chosen by measurement (docs/bounds.md)."""

_BLOCK = 2**18
_ROUNDING = 1e-9
_HIGHEST_LEVEL = math.nextafter(1.0, 0.0)
_LOG_MISSES: FloatArray = np.geomspace(math.log(2), 15.5 * math.log(10), 144)
LARGEST_ODDS = 1e15
_LARGEST_LOG_CAPITAL = 36.0


@dataclass(frozen=True)
class PluginCapital:
    """Capital under predictable plug-in bets, at its best moment so far.

    Waudby-Smith and Ramdas (2024), JRSS-B 86(1), Section 4: the bet of step t is
    sqrt(2 log(1/alpha) / (n v)) with v the variance of the steps before t, cut off where more than
    the share ``CUT`` of the capital would be at stake. The share ``all_in`` of the starting capital belongs to a second
    gambler who always stakes everything: without losses he wins as much as can be won, the likelihood ratio. Both
    together are a gambler as well, at any time.
    """

    loss: FloatArray
    gain: FloatArray
    bets: FloatArray
    all_in: float

    @classmethod
    def tuned(cls, loss: FloatArray, size: FloatArray, *, level: float, anytime: bool = False) -> Self:
        """Bets tuned to ``level``: to all steps together, or to any number of steps."""
        steps = np.arange(1.0, loss.size + 1)
        horizon = steps * np.log1p(steps) if anytime else loss.size
        variance = _variance_before(loss, size, steps)
        wanted = log_miss(level)
        # What the second gambler has is missing to the first, and is paid back where much must be won.
        all_in = min(wanted / 50, 0.5)
        return cls(loss, size - loss, np.sqrt(2 * wanted / (horizon * variance)), all_in)

    @property
    def odds(self) -> float:
        """Odds of the observed risk."""
        gained = float(self.gain.sum())
        return float(self.loss.sum()) / gained if gained > 0 else math.inf

    @property
    def steps(self) -> int:
        """Number of observations."""
        return self.loss.size

    def turned(self) -> Self:
        """The same bets on one minus the risk, whose upper limits are lower limits of the risk."""
        return type(self)(self.gain, self.loss, self.bets, self.all_in)

    def __call__(self, odds: FloatArray) -> FloatArray:
        """Logarithm of the largest capital so far, for each claimed odds; at least 0."""
        best, totals = np.zeros(odds.size), self._start(odds.size)
        width = max(_BLOCK // odds.size, 1)
        for start in range(0, self.loss.size, width):
            paths = self._paths(odds[:, None], slice(start, start + width)) + totals
            best, totals = np.maximum(best, np.logaddexp(*paths).max(axis=1)), paths[:, :, -1:]
        return best

    def at_last(self, odds: FloatArray) -> FloatArray:
        """Logarithm of the capital after the last step, whose expected value is at most 1 under a right claim."""
        totals, width = self._start(odds.size), max(_BLOCK // odds.size, 1)
        for start in range(0, self.loss.size, width):
            totals = self._paths(odds[:, None], slice(start, start + width))[:, :, -1:] + totals
        return np.asarray(np.logaddexp(*totals)[:, 0])

    def first_refuted(self, odds: float, needed: float) -> int | None:
        """Number of steps after which the log capital first reaches ``needed``, if it does."""
        totals, start, width = self._start(1), 0, 64
        while start < self.loss.size:
            paths = self._paths(np.array([[odds]]), slice(start, start + width)) + totals
            reached = np.flatnonzero(np.logaddexp(*paths)[0] - _ROUNDING >= needed)
            if reached.size:
                return start + int(reached[0]) + 1
            totals, start, width = paths[:, :, -1:], start + width, min(2 * width, _BLOCK)
        return None

    def _start(self, claims: int) -> FloatArray:
        """Logarithms of what both gamblers start with, for each claim."""
        return np.broadcast_to(np.log([1 - self.all_in, self.all_in])[:, None, None], (2, claims, 1))

    def _paths(self, odds: FloatArray, part: slice) -> FloatArray:
        """Logarithms of the growth of both gamblers' capital."""
        stake = np.minimum(self.bets[part] / (1 + odds), CUT)
        won = odds * self.gain[part] - self.loss[part]
        with np.errstate(divide="ignore"):
            return np.cumsum(np.log1p([stake * won, np.maximum(won, -1.0)]), axis=2)


@dataclass(frozen=True)
class MedianCapital:
    """Half the median capital over several orders of the same observations, an odd number of them.

    A right claim is refuted at alpha/2 in at least half of the orders with probability at most alpha
    (Markov's inequality), so half the median may be read as one capital.
    """

    orders: tuple[PluginCapital, ...]

    @property
    def odds(self) -> float:
        """Odds of the observed risk."""
        return self.orders[0].odds

    @property
    def steps(self) -> int:
        """Number of observations."""
        return self.orders[0].steps

    def turned(self) -> Self:
        """The same bets on one minus the risk."""
        return type(self)(tuple(order.turned() for order in self.orders))

    def __call__(self, odds: FloatArray) -> FloatArray:
        """Logarithm of half the median capital for each claimed odds."""
        return np.asarray(np.median([order(odds) for order in self.orders], axis=0) - math.log(2))


@dataclass(frozen=True)
class AlternateCapital:
    """Mean capital of two gamblers after their last step, each on observations that are independent of each other.

    Of a right claim neither can be expected to hold more than 1 then, and so the mean of both cannot, however what the
    one bets on depends on what the other does (Vovk and Wang 2021, Ann. Statist. 49(3)): it holds 1/alpha with
    probability at most alpha (Markov's inequality). The best moment of each has no such expectation.
    """

    even: PluginCapital
    odd: PluginCapital

    @property
    def odds(self) -> float:
        """Odds of the observed risk."""
        gained = float(self.even.gain.sum() + self.odd.gain.sum())
        return float(self.even.loss.sum() + self.odd.loss.sum()) / gained if gained > 0 else math.inf

    @property
    def steps(self) -> int:
        """Number of observations."""
        return self.even.steps + self.odd.steps

    def turned(self) -> Self:
        """The same bets on one minus the risk."""
        return type(self)(self.even.turned(), self.odd.turned())

    def __call__(self, odds: FloatArray) -> FloatArray:
        """Logarithm of the mean capital for each claimed odds, each share by its observations; at least 0."""
        share = self.even.steps / self.steps
        even, odd = self.even.at_last(odds) + math.log(share), self.odd.at_last(odds) + math.log1p(-share)
        return np.maximum(np.logaddexp(even, odd), 0.0)


def _variance_before(loss: FloatArray, size: FloatArray, steps: FloatArray) -> FloatArray:
    """Regularised variance of loss minus risk times size, of the steps before each step."""
    risk = (0.5 + np.cumsum(loss)) / (1 + np.cumsum(size))
    prior = (1 + np.cumsum(size**2)) / (1 + steps) / 4
    variance = (prior + np.cumsum((loss - risk * size) ** 2)) / (1 + steps)
    return np.concatenate([[0.25], variance[:-1]])


def tabulate(capital: LogCapital, odds: float, steps: int, *, level: float, side: Side, kind: Kind) -> TabulatedBound:
    """Limits at many levels from one capital curve: exact at ``level``, rounded outward elsewhere.

    ``odds`` are those of the observed risk, or of one minus the risk for lower limits.
    """
    claimed, log_capital = _curve(capital, odds, steps)
    levels, limits = list(-np.expm1(-log_capital)), list(claimed)
    exact = _exact(capital, odds, claimed, log_capital, log_miss(level))
    if exact is not None:
        levels.append(level)
        limits.append(exact)
    return _table(np.array(levels), np.array(limits), side, kind)


def smallest_refuted(capital: LogCapital, odds: float, steps: int, needed: float) -> float | None:
    """Smallest claimed odds whose log capital reaches ``needed``, if any does."""
    return _exact(capital, odds, *_curve(capital, odds, steps), needed)


def _curve(capital: LogCapital, odds: float, steps: int) -> tuple[FloatArray, FloatArray]:
    """Claimed odds above the observed ones and the logarithm of their capital, both increasing."""
    claimed, log_capital = np.empty(0), np.empty(0)
    distance: FloatArray = (1 + odds) / steps / 32 * np.exp2(np.arange(8.0))
    while math.isfinite(odds) and distance[0] < LARGEST_ODDS * (1 + odds):
        claimed = np.append(claimed, odds + distance)
        log_capital = np.append(log_capital, capital(odds + distance) - _ROUNDING)
        if log_capital[-1] >= _LOG_MISSES[-1]:
            break
        distance = distance * 2.0**8
    if not claimed.size or log_capital[-1] <= 0:
        return np.empty(0), np.empty(0)
    wanted = _LOG_MISSES[log_capital[-1] > _LOG_MISSES]
    between = odds + np.exp(np.interp(wanted, log_capital, np.log(claimed - odds)))
    claimed = np.append(claimed, between)
    log_capital = np.append(log_capital, capital(between) - _ROUNDING) if between.size else log_capital
    order = np.argsort(claimed)
    kept = order[(log_capital[order] > 0) & (log_capital[order] < _LARGEST_LOG_CAPITAL)]
    return claimed[kept], log_capital[kept]


def _exact(
    capital: LogCapital, odds: float, claimed: FloatArray, log_capital: FloatArray, needed: float
) -> float | None:
    """Bisection between the last claim that stands and the first that is refuted; the latter is kept.

    A claim below the observed ``odds`` may be refuted by an early run of luck; it counts as standing, because nobody
    would sign a limit that the data exceed, and a wider limit holds as well.
    """
    refuted = np.flatnonzero(log_capital >= needed)
    if not refuted.size:
        return None
    high = float(claimed[refuted[0]])
    low = float(claimed[refuted[0] - 1]) if refuted[0] else odds
    while high - low > 1e-10 * high:
        middle = (low + high) / 2
        if capital(np.array([middle]))[0] - _ROUNDING >= needed:
            high = middle
        else:
            low = middle
    return high


def _table(levels: FloatArray, odds: FloatArray, side: Side, kind: Kind) -> TabulatedBound:
    """Rows sorted by level, closed by the limit that always holds."""
    order = np.lexsort((odds, levels))
    levels, odds = np.append(levels[order], _HIGHEST_LEVEL), np.append(odds[order], np.inf)
    first = np.concatenate([[True], np.diff(levels) > 0])
    odds = np.maximum.accumulate(odds)[first]
    with np.errstate(divide="ignore"):
        limits = 1 / (1 + odds) if side == "lower" else 1 / (1 + 1 / odds)
    return TabulatedBound(tuple(levels[first].tolist()), tuple(limits.tolist()), side, kind)
