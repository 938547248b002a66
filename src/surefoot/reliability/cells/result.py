"""What an assessment in cells answers: its estimates, all upper limits side by side, and how the sum settles."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from surefoot import bounds
from surefoot.core import Assumption, Estimate, Summary, Table
from surefoot.core.validate import FloatArray
from surefoot.profile import Profile
from surefoot.reliability.cells.statements import Correction, WeightedSum, bootstrap_values
from surefoot.reliability.cells.table import MOST_SHOWN, Cells

if TYPE_CHECKING:
    from matplotlib.figure import Figure


LEVELS = (0.95, 0.975)
DRAWS = 500
CELLS_ALONE = "cells alone"
COLUMNS = ("upper limit by", "rests on", "value", *(f"at {level:g}" for level in LEVELS), "labelled rows")
WeightedMean = Callable[[FloatArray, FloatArray], tuple[float, float]]
STEPS = 40
FEWEST = 10


@dataclass(frozen=True, eq=False, repr=False)
class Reliability(ABC):
    """Failure probability of the next input (pmi), what it rests on, and where it sits.

    ``acu`` is the failure probability in a cell or ball on average (RAM, Definition 3: average
    unastuteness). ``assumptions`` are those of RAM, with checks; ``pmi`` lists those that it needs.

    See Also
    --------
    assess_cells, assess_balls

    """

    pmi: Estimate
    acu: Estimate
    assumptions: tuple[Assumption, ...]

    @property
    @abstractmethod
    def limits(self) -> Table:
        """Upper limits by all methods, side by side."""

    @abstractmethod
    def top(self, most: int = MOST_SHOWN) -> Table:
        """The cells or balls that contribute most."""

    @abstractmethod
    def plot(self, **options: Any) -> Figure:
        """Where the risk sits."""

    @abstractmethod
    def summary(self, level: float | None = None) -> Summary:
        """What a reader needs to see."""

    def __str__(self) -> str:
        return str(self.summary())

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()


@dataclass(frozen=True, eq=False, repr=False)
class CellReliability(Reliability):
    """Reliability from cells: ``by_cells`` is the sum over cells alone, ``pmi`` is it put right by held-out labels.

    See Also
    --------
    assess_cells

    """

    by_cells: Estimate
    cells: Cells
    profile: Profile
    assembled: WeightedSum
    """The sum over cells, with what each point of the profile adds to it."""
    method: str
    """Which of the ``limits`` the answer uses."""
    least: float
    """The least failure probability that labelled rows leave possible, at level 0.975."""
    failing: Mapping[int, tuple[float, ...]]
    """An input that fails, for the cells that contribute most."""
    correction: Correction | None = None
    seed: int = 0

    @cached_property
    def limits(self) -> Table:
        """Upper limits by all methods, side by side."""
        return limits(
            self.assembled,
            self.profile.weights,
            self.correction,
            sd=self.by_cells.details["sd"],
            reach=self.cells.sampling_reach,
            chosen=self.method,
            least=self.least,
            seed=self.seed,
        )

    def top(self, most: int = MOST_SHOWN) -> Table:
        """The cells that contribute most, each with an input that fails where one was found."""
        cells = self.cells.top(most)
        points = (self.failing.get(row[0], ()) for row in cells.rows)
        rows = [(*row, ", ".join(f"{v:.6g}" for v in point)) for row, point in zip(cells.rows, points, strict=True)]
        return Table((*cells.columns, "an input that fails"), tuple(rows))

    def by_k(self, *, level: float = 0.975, most: int | None = None) -> Table:
        """The sum over cells from k of them only, in random order, for growing k (RAM, Figure 7).

        Parameters
        ----------
        level
            Of the upper limits, which are normal approximations.
        most
            The largest k; by default all cells.

        Returns
        -------
        Table
            k, mean, standard deviation and upper limit.

        """
        z = float(special.ndtri(level))
        return by_k(self.cells.mass, self.cells.risk, upper_z=z, seed=self.seed, most=most)

    def plot(self, **options: Any) -> Figure:
        """Maps of the operational profile, of the risk inside cells, and of what each cell contributes.

        Parameters
        ----------
        **options
            Those of ``figures.maps``: names of the features, blocks along each, how many cells are ringed.

        Returns
        -------
        Figure
            Of matplotlib, as wide as a report.

        """
        from surefoot.reliability.cells.maps import maps

        return maps(self, **options)

    def summary(self, level: float | None = None) -> Summary:
        """What a reader needs to see."""
        shown = self.pmi.summary(level)
        kinds = [
            (name, f"{part:.3g} ({share:.0%} of the sum over cells)")
            for name, _, _, part, share in self.cells.evidence_kinds().rows
        ]
        said = "; contradicted by tests" if self.contradicted else ""
        alone = [
            ("corrected by", self.method if self.corrected else "nothing"),
            ("sum over cells", f"{self.by_cells.value:.6g} ({len(self.cells):,} cells{said})"),
        ]
        if self.corrected and self.correction and not len(self.correction.operation.points):
            alone.append(("", "unlabelled inputs from operation would let the cells tighten the limit"))
        return Summary(shown.title, [*shown.rows, *alone, *kinds])

    @property
    def corrected(self) -> bool:
        """Whether held-out labels made the answer."""
        return not self.method.startswith(CELLS_ALONE)

    @property
    def contradicted(self) -> bool:
        """Whether labelled rows speak against the sum over cells."""
        return any(caveat.code == "contradicted-by-tests" for caveat in self.by_cells.caveats)

    def __repr__(self) -> str:
        said = ", cells contradicted by tests" if self.contradicted else ""
        return f"Reliability(pmi={self.pmi.value:.6g}, acu={self.acu.value:.6g}, cells={len(self.cells):,}{said})"


# Upper limits of the failure probability by several methods, each by its name.


def limits(
    found: WeightedSum,
    weights: FloatArray,
    correction: Correction | None,
    *,
    sd: float,
    reach: Callable[[float], float],
    chosen: str,
    least: float,
    seed: int,
) -> Table:
    """Limits of the cells alone and, with held-out labels, of the corrected estimate; ``chosen`` is marked.

    ``sd`` is the standard deviation that the cells alone state, ``reach`` how far sampling inside cells may have left
    them too low at a level, ``least`` what labelled rows say is the least.
    """
    normal = (found.value + sd * float(special.ndtri(level)) for level in LEVELS)
    values = bootstrap_values(found, weights, draws=DRAWS, seed=seed)
    bootstrap = (float(np.quantile(values, level)) for level in LEVELS)
    rows: list[tuple[Any, ...]] = [
        (f"{CELLS_ALONE}, normal approximation", "votes, kernel", found.value, *normal),
        (f"{CELLS_ALONE}, bootstrap", "votes, kernel", found.value, *bootstrap),
        (f"{CELLS_ALONE}, distribution-free", "votes, kernel", found.value, *_bernstein(found, weights, reach)),
    ]
    if correction is not None:
        rows += _corrected(correction, seed)
    return Table(COLUMNS, tuple(judged(row, chosen, least) for row in rows))


def judged(row: tuple[Any, ...], chosen: str, least: float) -> tuple[Any, ...]:
    """The row with a mark where it is used, and where the tests speak against its last limit."""
    name = f"{row[0]} (used)" if row[0] == chosen else row[0]
    return (name, *row[1:], "contradict it" if row[-1] < least else "")


def _bernstein(found: WeightedSum, weights: FloatArray, reach: Callable[[float], float]) -> tuple[float, ...]:
    """Empirical Bernstein limits of mean(parts) and mean(inside) and one of sampling, the miss probability shared."""
    highest = max(float(weights.max()), 1.0)
    parts, inside = weights * found.parts / highest, weights * found.inside / highest
    answers = []
    for level in LEVELS:
        third = 1 - (1 - level) / 3
        top = bounds.empirical_bernstein(np.clip(parts, 0, 1), level=third).upper(third)
        bottom = bounds.empirical_bernstein(np.clip(inside, 0, 1), level=third).lower(third)
        answers.append(min(1.0, (top / bottom if bottom > 0 else 1.0) + reach(third)))
    return tuple(answers)


def _corrected(correction: Correction, seed: int) -> list[tuple[Any, ...]]:
    """Limits that held-out labels justify."""
    if correction.weighted:
        weighed = correction.tested(level=LEVELS[0], seed=seed)
        return [_row("weighted betting", "held-out labels, weights", weighed)]
    rows: list[tuple[Any, ...]] = [
        _row("exact binomial", "held-out labels", correction.exact(level=LEVELS[0])),
    ]
    if not len(correction.operation.points):
        return rows
    tests, operation = correction.tests.failure, correction.operation.failure
    normal = bounds.difference_estimator(correction.failed, tests, operation, level=LEVELS[0])
    strata = bounds.predicted_failures(correction.failed, tests, operation, level=LEVELS[0], always=True)
    return [
        *rows,
        _row("predicted strata", "held-out labels, operation", strata),
        _row("difference, normal approximation", "held-out labels, operation", normal),
        ("difference, bootstrap", "held-out labels, operation", normal.value, *_resampled(correction, seed)),
        ("difference, distribution-free", "held-out labels, operation", normal.value, *_betting(correction, seed)),
    ]


def _row(name: str, rests_on: str, estimate: Estimate) -> tuple[Any, ...]:
    return (name, rests_on, estimate.value, *(estimate.upper(level) for level in LEVELS))


def _resampled(correction: Correction, seed: int) -> tuple[float, ...]:
    """Percentiles over resampled tests and resampled operation; both are counts of a few kinds of rows."""
    rng = np.random.default_rng(seed)
    gaps = correction.failed.astype(int) - correction.tests.failure
    shares = np.array([(gaps == gap).mean() for gap in (-1, 0, 1)])
    tests = rng.multinomial(gaps.size, shares, DRAWS) @ np.array([-1, 0, 1]) / gaps.size
    n = len(correction.operation.points)
    operation = rng.binomial(n, correction.operation.failure.mean(), DRAWS) / n
    sums = np.clip(tests + operation, 0, 1)
    return tuple(float(np.quantile(sums, level)) for level in LEVELS)


def _betting(correction: Correction, seed: int) -> tuple[float, ...]:
    """A betting bound of the mean difference and an exact one of the share foretold, the miss probability shared."""
    halves = (correction.failed.astype(float) - correction.tests.failure + 1) / 2
    foretold = int(correction.operation.failure.sum())
    answers = []
    for level in LEVELS:
        half = 1 - (1 - level) / 2
        gap = 2 * bounds.betting(halves, level=half, seed=seed).upper(half) - 1
        share = bounds.clopper_pearson(foretold, len(correction.operation.points), level=half).upper(half)
        answers.append(min(max(gap + share, 0.0), 1.0))
    return tuple(answers)


# How the mean settles as more regions are looked at (RAM, Eqns. (14) and (15), with errata RAM 8).


def by_k(weights: FloatArray, risk: FloatArray, *, upper_z: float, seed: int, most: int | None = None) -> Table:
    """Weighted mean, its standard deviation and upper limit for the first k of all regions in random order.

    Each region comes once, so the curve ends at the sum over all; Eqn. (14) draws with replacement, for which the
    standard deviation is stated. It starts where the first failure was found: before, there is none to speak of.
    """
    drawn = np.random.default_rng(seed).permutation(weights.size)[:most]
    return settling(weights[drawn], risk[drawn], upper_z=upper_z)


def weighted_mean(weights: FloatArray, risk: FloatArray) -> tuple[float, float]:
    """Eqn. (14), and its linearised variance k / (k - 1) sum(w^2 (risk - mean)^2) / sum(w)^2.

    Eqn. (15) is too small where weights differ or go with risk.
    """
    k, total = weights.size, float(weights.sum())
    mean = float(weights @ risk) / total
    return mean, k / (k - 1) * float((weights**2 * (risk - mean) ** 2).sum()) / total**2


def settling(sizes: FloatArray, values: FloatArray, *, upper_z: float, mean: WeightedMean = weighted_mean) -> Table:
    """The mean of the first k values, its standard deviation and upper limit, for growing k."""
    counts = np.unique(np.geomspace(min(FEWEST, values.size), values.size, STEPS).astype(int))
    rows = []
    for k in counts[counts > 1].tolist():
        if (sizes[:k] * values[:k]).any():
            found, variance = mean(sizes[:k], values[:k])
            sd = math.sqrt(variance)
            rows.append((k, found, sd, found + upper_z * sd))
    return Table(("k", "mean", "sd", "upper"), tuple(rows))
