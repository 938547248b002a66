"""The estimates of an assessment in balls, each with what it rests on and what speaks against it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from surefoot import bounds
from surefoot.bounds.families import CentralLimitBound
from surefoot.bounds.statement import FAILURE_PROBABILITY, FIXED_SIZE, ORDER_FIRST, approximate
from surefoot.core import Assumption, BoundFamily, Diagnostic, Estimate, Provenance
from surefoot.core.bound import Side
from surefoot.core.validate import FloatArray
from surefoot.reliability.balls.assumptions import NORMAL, SAMPLING_DOMINATES
from surefoot.reliability.balls.drawn import Drawn
from surefoot.reliability.balls.limits import LARGER, OPERATION_BETTING, OPERATION_NORMAL
from surefoot.reliability.balls.operation import operation_bound, tabulated
from surefoot.reliability.balls.shares import VarianceParts
from surefoot.reliability.statements import CONTRADICTION_LEVEL, contradicted

BY_BALLS = "failure probability by balls alone"
UNASTUTENESS = "average ball unastuteness"
SIDES: tuple[Side, Side] = ("upper", "lower")


@dataclass(frozen=True, eq=False)
class Statements:
    """Everything that the estimates are made from."""

    drawn: Drawn
    variance: FloatArray
    """Of the risk of each draw."""
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
        """The failure probability of operation, which is the one to sign."""
        return Estimate(
            FAILURE_PROBABILITY,
            self.value,
            bounds=tuple(self.families(side)[self.method] for side in SIDES),
            assumptions=self._assumptions(normal=not self.drawn.equal_weights),
            caveats=(
                *contradicted(self._assumptions(normal=not self.drawn.equal_weights)),
                *self.caveats,
                *(() if self.drawn.equal_weights else (_APPROXIMATE,)),
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
        against = self._contradiction()
        return Estimate(
            BY_BALLS,
            self.drawn.mean()[0],
            bounds=self._normal(self.drawn.mean()[0], self.parts.of_frame),
            assumptions=self._assumptions(normal=True),
            caveats=(
                *([against] if against else []),
                *contradicted(self._assumptions(normal=True)),
                *self.caveats,
                _APPROXIMATE,
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
        variance += float((self.drawn.expansion * self.variance).sum()) / self.drawn.balls**2
        return Estimate(
            UNASTUTENESS,
            value,
            unit="per ball",
            bounds=self._normal(value, variance),
            assumptions=self._assumptions(normal=True),
            caveats=(*contradicted(self._assumptions(normal=True)), *self.caveats, _APPROXIMATE),
            details={"sd": math.sqrt(variance), **self._counts},
            provenance=self._provenance("acu"),
        )

    @cached_property
    def value(self) -> float:
        """The estimate of operation; where draws are like operation, the mean of the different balls."""
        found = self.drawn.risk[self.drawn.first].mean() if self._alike else self.drawn.mean()[0]
        return min(float(found), 1.0)

    @property
    def method(self) -> str:
        """The name of the limits that are signed."""
        return LARGER if self.tests else self._by_balls_method

    @property
    def _by_balls_method(self) -> str:
        return OPERATION_BETTING if self.drawn.equal_weights else OPERATION_NORMAL

    @property
    def _alike(self) -> bool:
        return self.drawn.like_operation and self.drawn.equal_weights

    def families(self, side: Side) -> dict[str, BoundFamily]:
        """Limits of operation by their names.

        Weights say how operation differs from the rows, so with unequal ones no distribution-free limit is known.
        With held-out tests the wider of both limits is signed, which holds where either does.
        """
        normal = CentralLimitBound(
            self.value, math.sqrt(self.parts.of_operation), self.drawn.risk.size, side, "heuristic"
        )
        found: dict[str, BoundFamily] = {OPERATION_NORMAL: normal}
        if self.drawn.equal_weights:
            found[OPERATION_BETTING] = self._distribution_free(side)
        if self.tests:
            found[LARGER] = self._wider(found[self._by_balls_method], side)
        return found

    def _distribution_free(self, side: Side) -> BoundFamily:
        if not self._alike:
            capital = self.drawn.capital(side, self.level)
            assert capital is not None
            return operation_bound(capital, self.drawn.balls, self.level)
        alike = bounds.betting(self.drawn.risk[self.drawn.first], level=self.level, seed=self.seed)
        return next(family for family in alike.bounds if family.side == side)

    def _wider(self, family: BoundFamily, side: Side) -> BoundFamily:
        assert self.tests is not None
        tested = bounds.clopper_pearson(*self.tests, level=self.level)
        own = tested.upper if side == "upper" else tested.lower
        wider = max if side == "upper" else min
        return tabulated(
            lambda level: wider(family.limit_at(level), own(level)), level=self.level, side=side, kind=family.kind
        )

    def _normal(self, value: float, variance: float) -> tuple[BoundFamily, ...]:
        draws, sd = self.drawn.risk.size, math.sqrt(variance)
        return tuple(CentralLimitBound(value, sd, draws, side, "heuristic") for side in SIDES)

    def _assumptions(self, *, normal: bool) -> tuple[Assumption, ...]:
        """What a number rests on; only the printed variance takes the sampling of balls for all there is."""
        left_out = {SAMPLING_DOMINATES.id, *(() if normal else (NORMAL.id,))}
        kept = tuple(a for a in self.assumptions if a.id not in left_out)
        return kept if normal else (*kept, FIXED_SIZE, ORDER_FIRST)

    @cached_property
    def least(self) -> float:
        """The least failure probability that labelled rows leave possible.

        Centres of the frame count where its rows are operation as they are.
        """
        counts = [self.tests] if self.tests else []
        counts += [self.centres] if self.drawn.equal_weights else []
        level = CONTRADICTION_LEVEL
        return max((bounds.clopper_pearson(*each, level=level).lower(level) for each in counts), default=0.0)

    def _contradiction(self) -> Diagnostic | None:
        """Labelled rows that fail more often than the balls say."""
        upper = self._normal(self.drawn.mean()[0], self.parts.of_frame)[0].limit_at(CONTRADICTION_LEVEL)
        if upper >= self.least:
            return None
        shown = [f"{self.centres[0]:,} of {self.centres[1]:,} centres failed"]
        if self.tests:
            shown.append(f"{self.tests[0]:,} of {self.tests[1]:,} held-out tests failed")
        text = f"{' and '.join(shown)}, so at least {self.least:.4g} fail; the balls alone say at most {upper:.4g}."
        return Diagnostic(
            "contradicted-by-tests",
            f"{text} Each holds at level {CONTRADICTION_LEVEL:g}.",
            hint="Rows that the model was trained on fail less often than others; use held-out rows for the balls.",
        )

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


_APPROXIMATE = approximate("The normal approximation", "With equal weights pmi has a limit that needs none.")
