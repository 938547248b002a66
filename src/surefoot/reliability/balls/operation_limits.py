"""The limits of operation from balls by several methods, and the one of them to sign."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from scipy import special

from surefoot import bounds
from surefoot.bounds.families import CentralLimitBound
from surefoot.core import BoundFamily
from surefoot.core.bound import Kind, Side
from surefoot.reliability.balls.drawn import Drawn
from surefoot.reliability.balls.limits import (
    LARGER,
    OPERATION_BETTING,
    OPERATION_NORMAL,
    OPERATION_WEIGHTED,
    OPERATION_WIDER,
)
from surefoot.reliability.balls.operation import operation_bound, tabulated
from surefoot.reliability.balls.shares import VarianceParts

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
