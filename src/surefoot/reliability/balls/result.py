"""What an assessment in balls answers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from surefoot.core import Estimate, Summary, Table, validate
from surefoot.reliability.balls.drawn import Census, Drawn, Draws
from surefoot.reliability.balls.evaluated import MOST_SHOWN, EvaluatedBalls
from surefoot.reliability.balls.limits import limits
from surefoot.reliability.balls.problem import BallProblem
from surefoot.reliability.balls.shares import VarianceParts
from surefoot.reliability.balls.statements import Statements
from surefoot.reliability.balls.variances import mean_and_variance
from surefoot.reliability.by_k import settling
from surefoot.reliability.result import Reliability

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class BallReliability(Reliability):
    """Reliability from balls around data points.

    ``pmi`` is that of operation, of which the rows are a random sample. ``by_balls`` is the weighted mean of the rows'
    own balls, and ``cells`` are those that were looked into.
    """

    by_balls: Estimate
    cells: EvaluatedBalls
    drawn: Drawn
    """The draws in their order."""
    stated: Statements
    """What the estimates were made from."""
    problem: BallProblem
    seed: int = 0

    @property
    def variance_parts(self) -> VarianceParts:
        """Where the variance comes from."""
        return self.stated.parts

    @property
    def variance_shares(self) -> Table:
        """Shares of the variance by sampling of balls, risk inside, weights and frame (Assumption 7)."""
        return self.variance_parts.table()

    @cached_property
    def limits(self) -> Table:
        """Upper limits by all methods, side by side."""
        return limits(
            self.drawn,
            self.variance_parts,
            self.stated.families("upper"),
            centres=self.stated.centres,
            tests=self.stated.tests,
            chosen=self.stated.method,
            least=self.stated.tested[0],
        )

    def top(self, most: int = MOST_SHOWN) -> Table:
        """The balls that contribute most."""
        return self.cells.top(most)

    def by_k(self, *, of: str = "pmi", level: float = 0.975) -> Table:
        """The value of ``pmi`` or ``acu`` from the first k draws, for growing k (RAM, Figure 7).

        Upper limits are normal approximations. Where every ball was looked into, they come in random order; where
        ``pmi`` is the mean of the different balls drawn, k counts these.
        """
        flat = validate.choice(of, ("pmi", "acu"), where="by_k", name="of") == "acu"
        sizes, values = self.drawn.sequence(flat=flat)
        if self.stated.mean_of_different and not flat:
            sizes, values = sizes[self.drawn.first], values[self.drawn.first]
        if isinstance(self.drawn, Census):
            order = np.random.default_rng(self.seed).permutation(values.size)
            sizes, values = sizes[order], values[order]
        form = self.drawn.form if isinstance(self.drawn, Draws) and not flat else ""
        z = float(special.ndtri(validate.level(level, where="by_k")))
        return settling(sizes, values, upper_z=z, mean=partial(mean_and_variance, form=form or "linearised"))

    def plot(self, **options: Any) -> Figure:
        """How the answer settles, how the risks of the balls are spread, and how few of them make most of it."""
        from surefoot.reliability.balls.figures import overview

        return overview(self, **options)

    def summary(self, level: float | None = None) -> Summary:
        """What a reader needs to see."""
        shown = self.pmi.summary(level)
        failed, rows = self.stated.centres
        said = "; contradicted by tests" if self.contradicted else ""
        looked = f"{len(self.cells):,} of {rows:,} balls in {self.drawn.risk.size:,} draws"
        more = [
            ("limit by", self.stated.method),
            ("mean of the balls", f"{self.by_balls.value:.6g} ({looked}{said})"),
            ("unweighted", f"{self.acu.value:.6g}"),
            ("centres", f"{failed:,} of {rows:,} fail"),
        ]
        if self.stated.tests:
            more.append(("held-out tests", f"{self.stated.tests[0]:,} of {self.stated.tests[1]:,} fail"))
        kinds = [
            (name, f"{balls:,} balls, {part:.0%} of what they add")
            for name, balls, _, part, _ in self.cells.kinds().rows
        ]
        return Summary(shown.title, [*shown.rows, *more, *kinds])

    @property
    def contradicted(self) -> bool:
        """Whether labelled rows speak against the mean of the balls."""
        return any(caveat.code == "contradicted-by-tests" for caveat in self.by_balls.caveats)

    def __repr__(self) -> str:
        said = ", balls contradicted by tests" if self.contradicted else ""
        return f"BallReliability(pmi={self.pmi.value:.6g}, acu={self.acu.value:.6g}, balls={len(self.cells):,}{said})"
