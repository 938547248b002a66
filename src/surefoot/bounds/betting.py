"""Bounds of the mean of losses in [0, 1] by betting: the tightest with a guarantee, also when stopping early."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from surefoot.bounds.capital import LARGEST_ODDS, MedianCapital, PluginCapital, smallest_refuted, tabulate
from surefoot.bounds.families import log_miss
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
from surefoot.core import Estimate, InvalidInput, Kind, Provenance, TabulatedBound, array_digest, validate
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

    Waudby-Smith and Ramdas (2024), "Estimating means of bounded random variables by betting",
    JRSS-B 86(1). Bets are tuned to ``level``; limits at other levels come from the same capital and
    are as valid, a little wider than if tuned to them.

    For a fixed sample the losses are shuffled with ``seed``, so that a file sorted by class does no
    harm. The limit depends on the seed, which is assumed to be chosen before looking; an odd number of
    ``shuffles`` above 1 takes their median at half the miss probability, which is wider on average
    and hardly depends on the seed. With ``anytime=True`` they are taken in the order
    of testing, and the bound holds whenever testing stops, for whatever reason.

    For losses of 0 and 1 and a fixed sample ``clopper_pearson`` is tighter.
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
    capital: PluginCapital | MedianCapital, *, level: float, kind: Kind
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
    """Limits after each trial; all upper ones hold together at ``level``, and all lower ones do."""

    level: float
    upper: FloatArray
    lower: FloatArray

    def stops_at(self, at_most: float) -> int | None:
        """Number of trials after which the upper limit is first at or below ``at_most``, if ever."""
        shown = np.flatnonzero(self.upper <= validate.probability(at_most, where="stops_at", name="at_most"))
        return int(shown[0]) + 1 if shown.size else None


def betting_sequence(losses: ArrayLike, *, level: float) -> ConfidenceSequence:
    """Limits of the mean after each trial, in the order of testing; testing may stop at any time.

    The last limits are those of ``betting(..., anytime=True)``; earlier ones are rounded outward by
    at most 2.5% of their distance from the mean.
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
