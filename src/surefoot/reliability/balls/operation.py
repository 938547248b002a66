"""From the mean of a frame to operation, of which its rows are a random sample.

Two gamblers bet in turn: one on the balls drawn from the frame, against claims about the frame's mean; one on the rows
of the frame, against claims about operation's. A claim about operation is refuted where the product of both capitals
is large enough whatever the frame's mean is. That is tighter than sharing the miss probability between two limits.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from surefoot.bounds.capital import CUT
from surefoot.bounds.families import log_miss
from surefoot.core import TabulatedBound
from surefoot.core.bound import Kind, Side
from surefoot.core.validate import FloatArray
from surefoot.reliability.balls.capitals import Capital

USUAL = (0.8, 0.9, 0.95, 0.975, 0.99, 0.995, 0.999)
_LOG_MISSES: FloatArray = np.geomspace(math.log(2), 12 * math.log(10), 64)
_STEPS: FloatArray = np.geomspace(1e-6, 1, 250)
STAKES = (0.0, 0.5, 1.0)
"""Bets on the rows, as shares of the one that suits coins; none at all keeps half of what the draws alone refute."""
ROUNDING = 1e-9


def operation_bound(capital: Capital, rows: int, level: float) -> TabulatedBound:
    """Distribution-free limits of operation's mean risk from draws of a frame of ``rows`` equally weighted balls.

    It covers the error of the risks inside, because those of all rows together are independent values in [0, 1] with
    operation's mean.
    """
    upper = capital.side == "upper"
    seen = min(max(capital.seen, 0.0), 1.0)
    above, below = seen + (1 - seen) * _STEPS, seen * (1 - _STEPS)
    frame = np.concatenate([below[::-1], [seen], above])
    claims = above if upper else below
    refuted_by = _product(capital.final(frame), frame, claims, rows, level, upper) - ROUNDING
    certain = 1.0 if upper else 0.0

    def limit_at(asked: float) -> float:
        """The claim next to the last one that stands."""
        standing = np.flatnonzero(refuted_by < log_miss(asked))
        place = int(standing[-1]) + 1 if standing.size else 0
        return float(claims[place]) if place < claims.size else certain

    return tabulated(limit_at, level=level, side=capital.side, kind="confidence")


def _product(
    drawn: FloatArray, frame: FloatArray, claims: FloatArray, rows: int, level: float, upper: bool
) -> FloatArray:
    """Logarithm of the smallest product of both capitals over all means of the frame, for each claim.

    Between two means of the grid each capital is at least the smaller of its two ends.
    """
    bets = _log_capital(frame, claims[:, None], rows, level, upper)
    left, right = (drawn[:-1], bets[:, 1:]) if upper else (drawn[1:], bets[:, :-1])
    return np.asarray((left + right).min(axis=1))


def _log_capital(frame: FloatArray, claim: FloatArray, rows: int, level: float, upper: bool) -> FloatArray:
    """Least capital of bets on the rows against each claim, for each mean that they may have.

    The logarithm of a bet's gain is concave in the value, so values of 0 and 1 with the same mean gain least.
    """
    room = np.maximum(1 - claim if upper else claim, ROUNDING)
    suited = np.sqrt(2 * log_miss(level) / (rows * np.maximum(claim * (1 - claim), ROUNDING)))
    logs = []
    for share in STAKES:
        bet = np.minimum(share * suited, CUT / room) * (1 if upper else -1)
        logs.append(rows * ((1 - frame) * np.log1p(bet * claim) + frame * np.log1p(-bet * (1 - claim))))
    return np.asarray(np.logaddexp.reduce(logs, axis=0) - math.log(len(STAKES)))


def tabulated(limit_at: Callable[[float], float], *, level: float, side: Side, kind: Kind) -> TabulatedBound:
    """A family from a function of the level, exact at the usual ones and at ``level``."""
    levels = np.unique(np.concatenate([-np.expm1(-_LOG_MISSES), USUAL, [level]]))
    limits = np.array([limit_at(each) for each in levels.tolist()])
    widest = np.maximum.accumulate(limits) if side == "upper" else np.minimum.accumulate(limits)
    return TabulatedBound(tuple(levels.tolist()), tuple(widest.tolist()), side, kind)
