"""What an assessment in balls found, as evidence: estimates with their checks, tables and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from surefoot.adapters import Tested
from surefoot.bounds.checks import IDENTICAL
from surefoot.bounds.statement import INDEPENDENT
from surefoot.core import Assumption, Check, Estimate, Evidence, Table
from surefoot.profile import LatentWeights, radius_check
from surefoot.project.steps import figures, tables
from surefoot.project.steps.ball_figures import by_radius
from surefoot.project.steps.ball_neighbours import neighbour_table
from surefoot.project.steps.ball_pictures import Neighbour, pictures
from surefoot.project.steps.ball_spaces import BallSpace, frame_table, weights_table
from surefoot.project.steps.checks import drift, examined, independence
from surefoot.project.steps.rows import Sets, failures, scope_of
from surefoot.reliability.balls.assumptions import REPRESENTATIVE, SINGLE_LABEL
from surefoot.reliability.balls.result import BallReliability

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_BALLS = 10


@dataclass(frozen=True, eq=False)
class BallEvidence:
    """Everything that is shown."""

    tested: Tested
    undesired: Sets
    space: BallSpace
    found: BallReliability
    weights: LatentWeights | None
    decoded: bool
    radius: float
    radii: Table | None
    neighbours: Sequence[Neighbour]
    picture: tuple[int, ...] | None
    """Shape of the picture that an input shows; None where inputs are no pictures."""

    def evidence(self) -> Evidence:
        """All of it."""
        return Evidence(
            tuple(self._about(estimate) for estimate in self._estimates()),
            tables=self._tables(),
            artefacts={name: figures.drawn(figure) for name, figure in self._figures().items()},
            assumptions=tuple(replace(self._checked(a), scope=self._scope) for a in self.found.assumptions),
        )

    @property
    def _scope(self) -> str:
        return scope_of(self.tested, undesired=self.undesired)

    def _about(self, estimate: Estimate) -> Estimate:
        scoped = tuple(replace(assumption, scope=self._scope) for assumption in estimate.assumptions)
        return replace(estimate, scope=f"{self._scope}, {estimate.scope}", assumptions=scoped)

    def _estimates(self) -> list[Estimate]:
        """The three numbers, each with what the data say against it; only the first speaks about operation."""
        failed = failures(self.tested, self.undesired)
        rows = {IDENTICAL.id: drift(failed, self.tested.labels), INDEPENDENT.id: independence(self.tested, failed)}
        pmi = examined(self.found.pmi, {**self._checks, **rows}, also=[INDEPENDENT, IDENTICAL])
        return [pmi, *(examined(estimate, self._checks) for estimate in (self.found.by_balls, self.found.acu))]

    @cached_property
    def _checks(self) -> Mapping[str, Check | None]:
        """What more rows say than those of the frame alone: labelled ones on the radius, operational ones on it all."""
        rows = self.space.rows
        separated = None if rows.further is None else radius_check(self.radius, rows.separation)
        return {SINGLE_LABEL.id: separated, REPRESENTATIVE.id: self._represented()}

    def _represented(self) -> Check | None:
        """Weights are there because rows differ from operation."""
        return self.space.frame.representative if self.space.frame and self.weights is None else None

    def _checked(self, assumption: Assumption) -> Assumption:
        return replace(assumption, check=self._checks.get(assumption.id) or assumption.check)

    def _tables(self) -> dict[str, Table]:
        found = self.found
        shown: dict[str, Table | None] = {
            "upper limits": found.limits,
            "evidence": found.cells.kinds(),
            "variance": found.variance_shares,
            "balls that add most": found.top(MOST_BALLS),
            "riskiest inputs": neighbour_table(self.neighbours) if self.neighbours and not self.picture else None,
            "weights": weights_table(self.weights) if self.weights else None,
            "frame and operation": frame_table(self.space.frame) if self.space.frame else None,
            "rows and their decoded images": self.space.centres_table(self.radius) if self.decoded else None,
            "by radius": self.radii,
            "answers": tables.answers(self.tested),
        }
        return {name: table for name, table in shown.items() if table is not None}

    def _figures(self) -> dict[str, Figure]:
        from surefoot.reliability.limit_figures import limits_figure

        rows, shown = self.space.rows, {}
        if self.picture and self.neighbours:
            shown["riskiest inputs"] = pictures(self.neighbours, self.picture, low=rows.low, high=rows.high)
        shown["balls"] = self.found.plot()
        shown["upper limits"] = limits_figure(self.found.limits, *self.found.stated.centres)
        if self.radii is not None:
            shown["by radius"] = by_radius(self.radii, self.radius)
        return shown
