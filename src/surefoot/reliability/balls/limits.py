"""The upper limits of operation from balls by several methods, side by side, and the one of them to sign."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot import bounds
from surefoot.bounds.betting import CUT
from surefoot.bounds.closed_form import CentralLimitBound, log_miss
from surefoot.core import BoundFamily, Table, TabulatedBound
from surefoot.core.bound import Kind, Side
from surefoot.core.validate import FloatArray
from surefoot.reliability.balls.draws import FORMS, Capital, Drawn, Draws, VarianceParts, mean_and_variance
from surefoot.reliability.cells.result import COLUMNS, LEVELS, judged

OPERATION_BETTING = "operation, distribution-free"
OPERATION_NORMAL = "operation, normal approximation"
OPERATION_WEIGHTED = "operation, bets on weighted rows"
OPERATION_WIDER = "operation, the larger of normal and bets"
LARGER = "the larger of balls and tests"
NAMES = {
    "linearised": "frame, linearised ratio",
    "effective": "frame, effective number of draws",
    "published": "frame, Eqn. (15)",
}
FEW_ROWS = 500
"""Up to so many rows their sum alone (Bentkus) mostly gives tighter limits than bets, which learn the spread."""


@dataclass(frozen=True, eq=False)
class OperationLimits:
    """Limits of operation by their names.

    With equal weights bets hold for any distribution. Unequal ones say how operation differs from the rows; bets then
    take the largest weight seen for the largest there is, so the wider of bets and normal approximation is signed, as
    a heuristic. With held-out tests the wider of balls and tests is signed. The wider of two holds where either does.
    """

    drawn: Drawn
    parts: VarianceParts
    tests: tuple[int, int] | None
    level: float
    seed: int

    @property
    def mean_of_different(self) -> bool:
        """Whether the estimate is the mean of the different balls, a plain sample of operation."""
        return self.drawn.like_operation and self.drawn.equal_weights

    @cached_property
    def value(self) -> float:
        """The estimate of operation."""
        found = self.drawn.risk[self.drawn.first].mean() if self.mean_of_different else self.drawn.mean()[0]
        return min(float(found), 1.0)

    @property
    def ordered(self) -> bool:
        """Whether limits rest on an order of the rows: from the sum of few rows they need none, and are tighter.

        The number of rows decides, which is known before anything is looked at.
        """
        return not self.mean_of_different or self.drawn.first.size > FEW_ROWS

    @property
    def signed(self) -> str:
        """The name of the limits that are signed."""
        return LARGER if self.tests else self._by_balls

    @property
    def kind(self) -> Kind:
        """What the signed limits state."""
        return "confidence" if self.drawn.equal_weights else "heuristic"

    @property
    def _by_balls(self) -> str:
        return OPERATION_BETTING if self.drawn.equal_weights else OPERATION_WIDER

    def families(self, side: Side) -> dict[str, BoundFamily]:
        """Limits of one side."""
        found: dict[str, BoundFamily] = {OPERATION_NORMAL: self._normal(side)}
        if self.drawn.equal_weights:
            found[OPERATION_BETTING] = self._bets(side)
        else:
            found[OPERATION_WEIGHTED] = self._unsure(self._bets(side), side)
            found[OPERATION_WIDER] = self._wider(side, *(family.limit_at for family in found.values()))
        if self.tests:
            tested = bounds.clopper_pearson(*self.tests, level=self.level)
            own = tested.upper if side == "upper" else tested.lower
            found[LARGER] = self._wider(side, found[self._by_balls].limit_at, own)
        return found

    def _normal(self, side: Side) -> BoundFamily:
        sd = math.sqrt(self.parts.of_operation)
        return CentralLimitBound(self.value, sd, self.drawn.risk.size, side, "heuristic")

    def _bets(self, side: Side) -> BoundFamily:
        drawn, kind = self.drawn, self.kind
        if not drawn.like_operation:
            return operation_bound(
                drawn.capitals(self.level), drawn.relative_weights, side=side, level=self.level, kind=kind
            )
        risk, weights = drawn.risk[drawn.first], drawn.own[drawn.first]
        if drawn.equal_weights and self.ordered:
            found = bounds.betting(risk, level=self.level, seed=self.seed)
        elif drawn.equal_weights:
            found = bounds.bentkus(risk, level=self.level)
        else:
            found = bounds.weighted(risk, weights, level=self.level, seed=self.seed)
        return next(family for family in found.bounds if family.side == side)

    def _unsure(self, family: BoundFamily, side: Side) -> BoundFamily:
        """With what is not known of the weights, as an independent error."""
        sd, sign = math.sqrt(self.parts.weights), 1 if side == "upper" else -1

        def limit_at(level: float) -> float:
            reach = math.hypot(family.limit_at(level) - self.value, max(float(special.ndtri(level)), 0.0) * sd)
            return min(max(self.value + sign * reach, 0.0), 1.0)

        return tabulated(limit_at, level=self.level, side=side, kind=family.kind) if sd else family

    def _wider(self, side: Side, *limits: Callable[[float], float]) -> BoundFamily:
        wider = max if side == "upper" else min
        kind = self.kind
        return tabulated(lambda level: wider(limit(level) for limit in limits), level=self.level, side=side, kind=kind)


def limits(
    drawn: Drawn,
    parts: VarianceParts,
    families: dict[str, BoundFamily],
    *,
    centres: tuple[int, int],
    tests: tuple[int, int] | None,
    chosen: str,
    least: float,
) -> Table:
    """Limits of the frame and of operation; the ``chosen`` one is marked, and those that tests contradict.

    ``families`` hold the limits of operation by their names, ``least`` is the least that labelled rows leave possible.
    """
    value, variance = drawn.mean()
    sizes = drawn.expansion * drawn.own
    rows: list[tuple[Any, ...]] = []
    if variance:
        rows += [_normal(NAMES[form], "draws", *mean_and_variance(sizes, drawn.risk, form=form)) for form in FORMS]
    own = "mean of the draws" if isinstance(drawn, Draws) and not drawn.form else "variance of the design"
    rows.append(_normal(f"frame, {own}", "draws, risks inside", value, parts.of_frame))
    betting = drawn.frame_bound("upper", LEVELS[0])
    if betting is not None:
        rows.append(_row("frame, distribution-free", "weights as they are", value, betting))
    rows += [_row(name, _rests_on(name), value, family) for name, family in families.items()]
    unweighted = "" if drawn.equal_weights else "unweighted, "
    rows.append(_counted(f"centres alone, {unweighted}exact binomial", f"{unweighted}labels of the rows", *centres))
    if tests:
        rows.append(_counted("held-out tests, exact binomial", "held-out labels", *tests))
    return Table(COLUMNS, tuple(judged(row, chosen, least) for row in rows))


def _rests_on(name: str) -> str:
    return {
        OPERATION_BETTING: "rows are operation",
        OPERATION_NORMAL: "rows are operation, many draws",
        OPERATION_WEIGHTED: "rows are operation, the largest weight is there",
    }.get(name, "either of them")


def _normal(name: str, rests_on: str, value: float, variance: float) -> tuple[Any, ...]:
    sd = math.sqrt(variance)
    return (name, rests_on, value, *(min(value + sd * float(special.ndtri(level)), 1.0) for level in LEVELS))


def _row(name: str, rests_on: str, value: float, family: BoundFamily) -> tuple[Any, ...]:
    return (name, rests_on, value, *(family.limit_at(level) for level in LEVELS))


def _counted(name: str, rests_on: str, failed: int, trials: int) -> tuple[Any, ...]:
    found = bounds.clopper_pearson(failed, trials, level=LEVELS[0])
    return (name, rests_on, found.value, *(found.upper(level) for level in LEVELS))


# From the mean of a sampling frame to operation, of which its rows are a random sample.
#
# Two gamblers bet in turn: one on the balls drawn from the frame, against claims about the frame's mean; one on the
# rows of the frame, against claims about operation's. A claim about operation is refuted where the product of both
# capitals is large enough whatever the frame's mean is. That is tighter than sharing the miss probability between two
# limits.

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
