"""From the mean of a sampling frame to operation, of which its rows are a random sample.

Two gamblers bet in turn: one on the balls drawn from the frame, against claims about the frame's mean; one on the rows
of the frame, against claims about operation's. A claim about operation is refuted where the product of both capitals
is large enough whatever the frame's mean is. That is tighter than sharing the miss probability between two limits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

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
"""Bets on the rows, as shares of the one that suits coins; none at all keeps a third of what the draws hold."""
MAIN_SHARE = 0.9
"""Of the capital on the draws that bets the way of the limit; the rest bets the other way."""
ROUNDING = 1e-9
TINIEST = 1e-12
"""Sizes below move no capital."""


def operation_bound(
    capitals: Mapping[Side, Capital], sizes: FloatArray, *, side: Side, level: float, kind: Kind
) -> TabulatedBound:
    """Limits of operation's mean risk from bets on draws of a frame, and the ``sizes`` of all its rows.

    Sizes are weights over the largest that operation can bring; where all are 1 the limits are distribution-free. They
    cover the error of the risks inside, because those of all rows are independent values in [0, 1].
    """
    upper = side == "upper"
    seen = min(max(capitals[side].seen, 0.0), 1.0)
    above, below = seen + (1 - seen) * _STEPS, seen * (1 - _STEPS)
    frame = np.concatenate([below[::-1], [seen], above])
    claims = above if upper else below
    bets = log_capital_of_rows(frame, claims, sizes, level, upper)
    refuted_by = (_drawn(capitals, frame, side) + (bets[:, 1:] if upper else bets[:, :-1])).min(axis=1) - ROUNDING
    certain = 1.0 if upper else 0.0

    def limit_at(asked: float) -> float:
        """The claim next to the last one that stands."""
        standing = np.flatnonzero(refuted_by < log_miss(asked))
        place = int(standing[-1]) + 1 if standing.size else 0
        return float(claims[place]) if place < claims.size else certain

    return tabulated(limit_at, level=level, side=side, kind=kind)


def _drawn(capitals: Mapping[Side, Capital], frame: FloatArray, side: Side) -> FloatArray:
    """Least capital of bets on the draws between each two means of the frame.

    Some is bet the other way. Else it loses without bound where the frame's mean lies on the far side of what was seen,
    and the more draws speak against such a mean, the more it would count.
    """
    shares = {each: math.log(MAIN_SHARE if each == side else 1 - MAIN_SHARE) for each in capitals}
    up, low = (capitals[each].final(frame) + shares[each] for each in ("upper", "lower"))
    return np.asarray(np.logaddexp(up[:-1], low[1:]))


def log_capital_of_rows(
    frame: FloatArray, claims: FloatArray, sizes: FloatArray, level: float, upper: bool
) -> FloatArray:
    """Least capital of bets on the rows against each claim, for each mean that they may have."""
    different, counts = np.unique(sizes[sizes > TINIEST], return_counts=True)
    # Large bets against claims near 1 lose most on small rows for their size, which would be taken for all of them.
    least_room = 0.5 if upper and different.size > 1 else ROUNDING
    room = np.maximum(1 - claims if upper else claims, least_room)
    spread = float(counts @ different**2) * np.maximum(claims * (1 - claims), ROUNDING)
    suited = np.sqrt(2 * log_miss(level) / spread)
    logs = []
    for share in STAKES:
        bets = np.minimum(share * suited, CUT / room) * (1 if upper else -1)
        safe, lost = np.array([_ends(*pair, different, counts) for pair in zip(bets, claims, strict=True)]).T
        logs.append(safe[:, None] - frame * lost[:, None])
    return np.asarray(np.logaddexp.reduce(logs, axis=0) - math.log(len(STAKES)))


def _ends(bet: float, claim: float, sizes: FloatArray, counts: NDArray[np.int64]) -> tuple[float, float]:
    """Log capital where all rows are safe, and the most that it falls by until all fail.

    The logarithm of a bet's gain is concave in the risk, so risks of 0 and 1 with the same mean gain least, those of 1
    on the rows that lose most for their size.
    """
    safe, failing = np.log1p(bet * claim * sizes), np.log1p(-bet * (1 - claim) * sizes)
    return float(counts @ safe), float(((safe - failing) / sizes).max() * (counts @ sizes))


def tabulated(limit_at: Callable[[float], float], *, level: float, side: Side, kind: Kind) -> TabulatedBound:
    """A family from a function of the level, exact at the usual ones and at ``level``."""
    levels = np.unique(np.concatenate([-np.expm1(-_LOG_MISSES), USUAL, [level]]))
    limits = np.array([limit_at(each) for each in levels.tolist()])
    return TabulatedBound.widened(levels, limits, side, kind)
