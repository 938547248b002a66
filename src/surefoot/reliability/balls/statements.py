"""The estimates of an assessment in balls, each with what it rests on and what speaks against it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import bounds
from surefoot.bounds.families import CentralLimitBound
from surefoot.bounds.statement import FIXED_SIZE, ORDER_FIRST
from surefoot.core import Assumption, BoundFamily, Diagnostic, Estimate, Provenance
from surefoot.core.bound import Side
from surefoot.core.validate import FloatArray
from surefoot.reliability.balls import doubts
from surefoot.reliability.balls.assumptions import NORMAL, SAMPLING_DOMINATES, UNIFORM
from surefoot.reliability.balls.doubts import Compared
from surefoot.reliability.balls.drawn import SIDES, Drawn
from surefoot.reliability.balls.operation_limits import OperationLimits
from surefoot.reliability.balls.shares import VarianceParts
from surefoot.reliability.statements import CONTRADICTION_LEVEL, contradicted

NEAR_OPERATION = "failure probability within radius r of operational inputs"
NEAR_ROWS = "failure probability within radius r of the rows"
UNASTUTENESS = "average ball unastuteness"


def scope_of_radius(radius: float) -> str:
    """What a scope says of the radius.

    >>> scope_of_radius(0.2)
    'r = 0.2'
    """
    return f"r = {radius:.4g}"


@dataclass(frozen=True, eq=False)
class Statements:
    """Everything that the estimates are made from."""

    drawn: Drawn
    variance: FloatArray
    """Of the risk of each draw."""
    below: NDArray[np.bool_]
    """Draws whose risk is known to be below the one stated, and no more."""
    parts: VarianceParts
    centres: tuple[int, int]
    """Centres of the frame that fail, and their number."""
    tests: tuple[int, int] | None
    assumptions: tuple[Assumption, ...]
    caveats: tuple[Diagnostic, ...]
    level: float
    params: Mapping[str, Any]
    seed: int

    def pmi(self) -> Estimate:
        """The failure probability near operation's inputs, which is the one to sign."""
        families = tuple(self.families(side)[self.method] for side in SIDES)
        compared = self._compared(*families)
        assumptions = self._assumptions(normal=not self.drawn.equal_weights, compared=compared)
        return Estimate(
            NEAR_OPERATION,
            self.value,
            scope=self.scope,
            bounds=families,
            assumptions=assumptions,
            caveats=(
                *compared.caveats,
                *contradicted(assumptions),
                *self.caveats,
                *doubts.of_weights(self.drawn),
                *doubts.of_floor(self.value, self._from_0.value),
                *(() if self.drawn.equal_weights else (doubts.APPROXIMATE,)),
            ),
            details={
                "method": self.method,
                "sd": math.sqrt(self.parts.of_operation),
                "rows": self.drawn.balls,
                "by_balls": self.drawn.mean()[0],
                **self._counts,
            },
            provenance=self._provenance("pmi"),
        )

    def by_balls(self) -> Estimate:
        """The weighted mean of the frame itself, with the error of the draws and of the risks inside."""
        compared = self._compared(*self._normal_of_frame)
        assumptions = self._assumptions(normal=True, compared=compared)
        return Estimate(
            NEAR_ROWS,
            self.drawn.mean()[0],
            scope=self.scope,
            bounds=self._normal_of_frame,
            assumptions=assumptions,
            caveats=(
                *compared.caveats,
                *contradicted(assumptions),
                *self.caveats,
                *doubts.of_floor(self.drawn.mean()[0], self._from_0.drawn.mean()[0]),
                doubts.APPROXIMATE,
            ),
            details={
                "sd": math.sqrt(self.parts.of_frame),
                "sd_draws": math.sqrt(self.parts.draws),
                "sd_inside": math.sqrt(self.parts.inside),
                "rows": self.drawn.balls,
                **self._counts,
            },
            provenance=self._provenance("by_balls"),
        )

    def acu(self) -> Estimate:
        """RAM, Definition 3: the mean risk of all balls of the frame, as if their weights were equal."""
        value, variance = self.drawn.flat_mean()
        least = self._from_0.drawn.flat_mean()[0]
        variance += float((self.drawn.expansion * self.variance).sum()) / self.drawn.balls**2
        return Estimate(
            UNASTUTENESS,
            value,
            unit="per ball",
            scope=self.scope,
            bounds=self._normal(value, least, variance),
            assumptions=self._assumptions(normal=True),
            caveats=(
                *contradicted(self._assumptions(normal=True)),
                *self.caveats,
                *doubts.of_floor(value, least),
                doubts.APPROXIMATE,
            ),
            details={"sd": math.sqrt(variance), **self._counts},
            provenance=self._provenance("acu"),
        )

    @cached_property
    def _operation(self) -> OperationLimits:
        return OperationLimits(self.drawn, self.parts, self.tests, self.level, self.seed)

    @cached_property
    def _from_0(self) -> Statements:
        """With 0 in balls that are below the floor, as lower limits need it."""
        if not self.below.any():
            return self
        drawn = replace(self.drawn, risk=np.where(self.below, 0.0, self.drawn.risk))
        return replace(self, drawn=drawn, below=np.zeros_like(self.below))

    @property
    def value(self) -> float:
        """The estimate of operation."""
        return self._operation.value

    @property
    def mean_of_different(self) -> bool:
        """Whether that is the mean of the different balls drawn."""
        return self._operation.mean_of_different

    @property
    def method(self) -> str:
        """The name of the limits that are signed."""
        return self._operation.signed

    def families(self, side: Side) -> dict[str, BoundFamily]:
        """Limits of operation by their names."""
        return (self if side == "upper" else self._from_0)._operation.families(side)

    @property
    def _normal_of_frame(self) -> tuple[BoundFamily, ...]:
        return self._normal(self.drawn.mean()[0], self._from_0.drawn.mean()[0], self.parts.of_frame)

    def _normal(self, value: float, least: float, variance: float) -> tuple[BoundFamily, ...]:
        draws, sd = self.drawn.risk.size, math.sqrt(variance)
        return tuple(
            CentralLimitBound(mean, sd, draws, side, "heuristic")
            for mean, side in zip((value, least), SIDES, strict=True)
        )

    @property
    def scope(self) -> str:
        """The radius, without which the numbers say nothing."""
        return scope_of_radius(self.params["radius"])

    def _assumptions(self, *, normal: bool, compared: Compared | None = None) -> tuple[Assumption, ...]:
        """What a number rests on; only the printed variance takes the sampling of balls for all there is."""
        left_out = {SAMPLING_DOMINATES.id, *(() if normal else (NORMAL.id,))}
        against = compared.check if compared else None
        kept = tuple(
            replace(a, check=against) if against and a.id == UNIFORM.id else a
            for a in self.assumptions
            if a.id not in left_out
        )
        return kept if normal else (*kept, FIXED_SIZE, *((ORDER_FIRST,) if self._operation.ordered else ()))

    @cached_property
    def tested(self) -> tuple[float, float]:
        """Limits of the failure probability at inputs as they were collected, by labelled rows.

        Centres of the frame count where its rows are operation as they are.
        """
        level = CONTRADICTION_LEVEL
        found = [bounds.clopper_pearson(*each, level=level) for each in self._labelled.values()]
        lower, upper = [e.lower(level) for e in found], [e.upper(level) for e in found]
        return max(lower, default=0.0), min(upper, default=1.0)

    @property
    def _labelled(self) -> dict[str, tuple[int, int]]:
        """Failures and number of labelled inputs, by what they are."""
        centres = {"centres": self.centres} if self.drawn.equal_weights else {}
        return {**centres, **({"held-out tests": self.tests} if self.tests else {})}

    def _compared(self, *families: BoundFamily) -> Compared:
        """Upper and lower limits from balls beside labelled inputs."""
        upper, lower = (family.limit_at(CONTRADICTION_LEVEL) for family in families)
        return Compared((lower, upper), self.tested, self._labelled, CONTRADICTION_LEVEL)

    @property
    def _counts(self) -> dict[str, Any]:
        return {
            "draws": self.drawn.risk.size,
            "balls": self.drawn.first.size,
            "centres_failing": self.centres[0],
            "level": self.level,
        }

    def _provenance(self, part: str) -> Provenance:
        return Provenance(f"reliability.assess_balls.{part}", dict(self.params), seed=self.seed)
