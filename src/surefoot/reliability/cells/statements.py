"""The estimates of an assessment in cells, the assumptions of RAM behind them, and what the data say about each."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot import bounds
from surefoot.bounds.closed_form import CentralLimitBound
from surefoot.bounds.statement import FAILURE_PROBABILITY, INDEPENDENT, approximate
from surefoot.bounds.statement import REPRESENTATIVE as STATEMENT_REPRESENTATIVE
from surefoot.core import Assumption, Check, Diagnostic, Estimate, Provenance
from surefoot.core.assumption import Status
from surefoot.core.distributions import beta_quantile
from surefoot.core.validate import FloatArray
from surefoot.profile import Profile, representativeness, separation, side_check
from surefoot.reliability.cells.table import CROSS_BOUNDARY, EMPTY, NORMAL, Cells, Grid
from surefoot.reliability.local_risk import Classifier

SEPARATED = Assumption(
    "separated-classes", "Inputs of different classes are further apart than a cell is wide (RAM, Assumption 1)."
)
REPRESENTATIVE = Assumption(
    "labelled-data-represent-operation", "The labelled data of the cells follow the operational profile (Assumption 2)."
)
SINGLE_LABEL = Assumption("single-label-cells", "All inputs in a cell have one and the same label (Assumption 3).")
BETTER_THAN_CHANCE = Assumption(
    "better-than-chance", "In every cell labelled by vote the model is right more often than not (Assumption 4)."
)
UNIFORM = Assumption(
    "uniform-inside", "Inputs are distributed inside each cell as was assumed (Assumption 5).", beyond_tests=True
)
INDEPENDENT_CELLS = Assumption(
    "independent-cells", "Estimates of different cells are independent (Assumption 6; the printed variance needs it)."
)
BY_CELLS = "failure probability by cells alone"
UNASTUTENESS = "average cell unastuteness"
CONTRADICTION_LEVEL = 0.975
REMEDY = "Give held-out labelled data from operation (holdout=), which correct it."
SIGNIFICANCE = 0.01
HELD_OUT_SIGNIFICANCE = 0.001
"""Strict, because the general comparison of inputs is made beside it."""
LARGE_DISTANCE = 0.05
LARGE_RATIO = 1.1
FEWEST = 30
SAME_SIDE = 1e-6


@dataclass(frozen=True, eq=False)
class Statements:
    """Everything that the estimates are made from."""

    found: WeightedSum
    cells: Cells
    printed_sd: float | None
    checked: bool
    profile_caveats: tuple[Diagnostic, ...]
    correction: Correction | None
    assumptions: tuple[Assumption, ...]
    own_failures: tuple[int, int]
    sampling_variance_of_mean: float
    level: float
    params: Mapping[str, Any]
    seed: int

    def pmi(self) -> tuple[Estimate, str]:
        """The failure probability to sign, and the name of its method among all limits."""
        if self.correction is None or self.printed_sd is not None:
            return replace(self.by_cells(), quantity=FAILURE_PROBABILITY), "cells alone, normal approximation"
        found = self.correction.estimate(level=self.level, voted_mass=self.cells.voted_mass, seed=self.seed)
        name = "weighted betting"
        if not self.correction.weighted:
            name = "predicted strata" if found.details["prediction_used"] else "exact binomial"
        return self._checked(found, name), name

    def by_cells(self) -> Estimate:
        """The sum over cells, which rests on votes and on the kernel."""
        sd, n = self.printed_sd or self.found.sd, len(self.found.parts)
        sides = (CentralLimitBound(self.found.value, sd, n, side, "heuristic") for side in ("upper", "lower"))
        return Estimate(
            BY_CELLS,
            self.found.value,
            bounds=tuple(sides),
            assumptions=self._needed(),
            caveats=tuple(self._caveats()),
            details={
                "sd": sd,
                "sd_profile": math.sqrt(self.found.profile_variance),
                "sd_sampling": math.sqrt(self.found.sampling_variance),
                "sd_weights": math.sqrt(self.found.weights_variance),
                "cells": len(self.cells),
                "voted_share_of_operation": self.cells.voted_mass,
                "voted_share_of_result": self.cells.share_resting_on(EMPTY),
                "level": self.level,
            },
            provenance=self._provenance("by_cells"),
        )

    def _needed(self) -> tuple[Assumption, ...]:
        """What the sum over cells rests on; only the printed variance takes cells for independent."""
        return tuple(a for a in self.assumptions if self.printed_sd is not None or a.id != INDEPENDENT_CELLS.id)

    def acu(self) -> Estimate:
        """RAM, Definition 3: the mean risk of all cells, as if operation were flat."""
        value, sd = float(np.mean(self.cells.risk)), math.sqrt(self.sampling_variance_of_mean)
        sides = (CentralLimitBound(value, sd, len(self.cells), side, "heuristic") for side in ("upper", "lower"))
        return Estimate(
            UNASTUTENESS,
            value,
            unit="per cell",
            bounds=tuple(sides),
            assumptions=tuple(a for a in self.assumptions if a.id != INDEPENDENT_CELLS.id),
            caveats=tuple(self._caveats()),
            details={"cells": len(self.cells), "sd": sd, "level": self.level},
            provenance=self._provenance("acu"),
        )

    def _checked(self, found: Estimate, method: str) -> Estimate:
        """The corrected estimate with what the held-out data say about its own assumptions."""
        assert self.correction is not None
        checks = own_checks(self.correction, seed=self.seed) if self.checked else {}
        assumptions = tuple(replace(a, check=checks.get(a.id) or a.check) for a in found.assumptions)
        low = Diagnostic("contradicted-by-tests", f"{self._counted}, more than this limit allows.")
        below = found.upper(CONTRADICTION_LEVEL) < self.tested[0]
        return replace(
            found,
            assumptions=assumptions,
            caveats=(*found.caveats, *([low] if below else []), *contradicted(assumptions), *self._common_caveats),
            details={**found.details, "method": method, "by_cells": self.found.value},
            provenance=self._provenance("pmi"),
        )

    @property
    def _common_caveats(self) -> tuple[Diagnostic, ...]:
        off = Diagnostic("checks-off", "Assumptions were not checked.", hint="Leave out checks=False.")
        return (*self.profile_caveats, *(() if self.checked else (off,)))

    def _caveats(self) -> list[Diagnostic]:
        """What speaks against the sum over cells."""
        text = "No held-out labels have corrected this number"
        voted = self.cells.voted_mass
        text += f"; {voted:.1%} of operation lies in cells that the model's own vote labelled." if voted else "."
        uncorrected = [] if self.correction else [Diagnostic("uncorrected", text, hint=REMEDY)]
        against = self._contradiction()
        return [
            *uncorrected,
            *([against] if against else []),
            *contradicted(self._needed()),
            *self._common_caveats,
            approximate("The normal approximation", "Use the corrected estimate." if self.correction else REMEDY),
        ]

    @cached_property
    def tested(self) -> tuple[float, float]:
        """Limits of the failure probability that labelled rows leave possible; without tests, those of the cells."""
        failed, trials = self.own_failures
        level = CONTRADICTION_LEVEL
        if self.correction:
            found = self.correction.tested(level=level, seed=self.seed)
            return found.lower(level), found.upper(level)
        # Rows that the model was trained on fail less often than others, so they show no upper limit.
        return bounds.clopper_pearson(failed, trials, level=level).lower(level), 1.0

    @property
    def _counted(self) -> str:
        if self.correction:
            return f"{int(self.correction.failed.sum()):,} of {self.correction.failed.size:,} held-out tests failed"
        return f"{self.own_failures[0]:,} of {self.own_failures[1]:,} rows that labelled the cells failed"

    def _contradiction(self) -> Diagnostic | None:
        """Labelled rows that fail more often, or less often, than the cells alone say."""
        least, most = self.tested
        reach = float(special.ndtri(CONTRADICTION_LEVEL)) * (self.printed_sd or self.found.sd)
        low, high = self.found.value - reach, self.found.value + reach
        if high < least:
            text = f"{self._counted}, so at least {least:.4g} fail; the cells alone say at most {high:.4g}."
            hint = "Cells labelled by vote let the model judge itself; use the corrected estimate."
        elif low > most:
            text = f"{self._counted}, so at most {most:.4g} fail; the cells alone say at least {low:.4g}."
            hint = "Smoothing, coarse cells or cells that cross a boundary add risk; use the corrected estimate."
        else:
            return None
        return Diagnostic("contradicted-by-tests", f"{text} Each holds at level {CONTRADICTION_LEVEL:g}.", hint=hint)

    def _provenance(self, part: str) -> Provenance:
        return Provenance(f"reliability.assess_cells.{part}", dict(self.params), seed=self.seed)


def contradicted(assumptions: tuple[Assumption, ...]) -> list[Diagnostic]:
    """A caveat for each assumption that the data speak against."""
    broken = [a for a in assumptions if a.check and a.status == "contradicted"]
    return [
        Diagnostic("assumption-contradicted", f"The data speak against this assumption: {a.text} ({a.check.method})")
        for a in broken
        if a.check
    ]


# Assumptions 1 to 6, each with its check.


@dataclass(frozen=True, eq=False)
class CheckInputs:
    """What the checks look at."""

    points: FloatArray
    labels: NDArray[np.int64]
    cells: Cells
    operation: JudgedByCells | None
    correction: Correction | None
    joint_sd: float
    independent_sd: float
    seed: int


def check_assumptions(data: CheckInputs) -> tuple[Assumption, ...]:
    """Assumptions 1 to 6, each with its check."""
    checks: tuple[tuple[Assumption, Callable[[CheckInputs], Check | None]], ...] = (
        (SEPARATED, _separated),
        (REPRESENTATIVE, _representative),
        (SINGLE_LABEL, _single_label),
        (BETTER_THAN_CHANCE, _better_than_chance),
        (UNIFORM, _uniform),
        (INDEPENDENT_CELLS, _independent_cells),
    )
    return tuple(replace(assumption, check=check(data)) for assumption, check in checks)


def _separated(data: CheckInputs) -> Check | None:
    points, labels = data.points, data.labels
    if data.correction:
        points = np.concatenate([points, data.correction.tests.points])
        labels = np.concatenate([labels, data.correction.labels])
    if np.unique(labels).size < 2:
        return None
    sides = data.cells.grid.sides
    if np.ptp(sides) <= SAME_SIDE * sides.max():
        return side_check(data.cells.grid.side, separation(points, labels))
    check = side_check(1.0, separation(points / sides, labels))
    return replace(check, method=f"{check.method}, measured in cells")


def _representative(data: CheckInputs) -> Check | None:
    if data.operation is None or min(len(data.operation.points), len(data.points)) < 2:
        return None
    return representativeness(data.points, data.operation.points, seed=data.seed)


def _single_label(data: CheckInputs) -> Check:
    """Cells with several labels, and tests whose label is not that of their labelled cell."""
    cells = data.cells
    crossed = int((cells.source == CROSS_BOUNDARY).sum())
    tested = wrong = 0
    if data.correction:
        inside = cells.source[data.correction.tests.cell] == NORMAL
        tested = int(inside.sum())
        wrong = int((cells.label[data.correction.tests.cell] != data.correction.labels)[inside].sum())
    share = float(cells.mass[cells.source == CROSS_BOUNDARY].sum())
    several = int((cells.points > 1).sum())
    figures = {
        "cross_boundary_cells": crossed,
        "cells_with_several_points": several,
        "their_share_of_operation": share,
        "tests_in_labelled_cells": tested,
        "tests_with_another_label": wrong,
    }
    words = f"{crossed:,} of {several:,} cells with several labelled points have several labels"
    words += f"; {wrong:,} of {tested:,} held-out tests in labelled cells have another label" if data.correction else ""
    status: Status = "contradicted" if crossed or wrong else "supported" if several + tested >= FEWEST else "unchecked"
    return Check(status, words, figures, wrong / tested if tested else share)


def _better_than_chance(data: CheckInputs) -> Check | None:
    """Failures of held-out tests in voted cells against what the vote lets one expect."""
    if data.correction is None:
        return None
    cells, correction = data.cells, data.correction
    voted = correction.in_voted(cells)
    tests, failed = int(voted.sum()), int(correction.failed[voted].sum())
    expected = float(cells.risk[correction.tests.cell[voted]].sum())
    chance = 1 / len(cells.classes)
    right_at_most = float(beta_quantile(tests - failed + 1, failed, 1 - SIGNIFICANCE)) if failed else 1.0
    tail = float(special.gammainc(failed, max(expected, 1e-12))) if failed else 1.0
    figures = {
        "tests_in_voted_cells": tests,
        "failures": failed,
        "failures_expected": expected,
        "p_value": tail,
        "right_at_most": right_at_most,
        "chance": chance,
        "share_of_operation": cells.voted_mass,
        "share_of_result": cells.share_resting_on(EMPTY),
    }
    too_kind = tail < SIGNIFICANCE or right_at_most <= chance
    status: Status = "contradicted" if too_kind else "supported" if tests >= FEWEST else "unchecked"
    words = f"{failed:,} of {tests:,} held-out tests in voted cells failed, {expected:.3g} expected from the votes"
    return Check(status, words, figures, failed / tests if tests else None)


def _uniform(data: CheckInputs) -> Check | None:
    """Places inside cells against the uniform distribution, and answers against the risk of their cells."""
    from scipy.stats import kstest

    operation, cells = data.operation, data.cells
    if operation is None or len(operation.points) < FEWEST:
        return None
    rows = len(operation.points)
    lower, upper = cells.grid.corners(operation.cell)
    places = (operation.points - lower) / (upper - lower)
    tests = [kstest(column, "uniform") for column in places.T]
    distance, p = max(t.statistic for t in tests), min(1.0, min(t.pvalue for t in tests) * len(tests))
    risk = cells.risk[operation.cell]
    foretold, expected = int(operation.failure.sum()), float(risk.sum())
    spread = float(np.sqrt((risk * (1 - risk)).sum()))
    score = (foretold - expected) / spread if spread else 0.0
    figures = {
        "inputs": rows,
        "distance_from_uniform": float(distance),
        "p_value": float(p),
        "answers_judged_wrong": foretold,
        "expected_from_cells": expected,
        "standard_score": float(score),
    }
    bent = p < SIGNIFICANCE and distance > LARGE_DISTANCE
    biased = special.ndtr(-abs(score)) * 2 < SIGNIFICANCE and abs(foretold - expected) > LARGE_DISTANCE * expected
    words = f"places of {rows:,} inputs inside their cells, Kolmogorov distance {distance:.2g} from uniform; "
    words += f"{foretold:,} answers judged wrong by their cells, {expected:.3g} expected"
    return Check("contradicted" if bent or biased else "supported", words, figures, float(distance))


def _independent_cells(data: CheckInputs) -> Check | None:
    if not data.independent_sd:
        return None
    ratio = data.joint_sd / data.independent_sd
    figures = {"sd_with_covariances": data.joint_sd, "sd_of_independent_cells": data.independent_sd, "ratio": ratio}
    words = f"the standard deviation with all covariances is {ratio:.3g} times that of independent cells"
    inside = 1 / LARGE_RATIO < ratio < LARGE_RATIO
    return Check("supported" if inside else "contradicted", words, figures, ratio)


# What the held-out tests say about the assumptions that their own use rests on.


def own_checks(tests: Correction, *, seed: int) -> dict[str, Check]:
    """Checks of the corrected estimate, by the id of the assumption."""
    found = {INDEPENDENT.id: bounds.duplicates(tests.tests.points)}
    if min(len(tests.tests.points), len(tests.reference)) > 1 and not tests.weighted:
        found[STATEMENT_REPRESENTATIVE.id] = _flagged_apart(tests) or representativeness(
            tests.tests.points, tests.reference, seed=seed
        )
    return found


def _flagged_apart(tests: Correction) -> Check | None:
    """A contradiction where cells foretell failures more or less often among the tests than in operation."""
    from scipy.stats import fisher_exact

    ours, theirs = tests.tests.failure, tests.operation.failure
    if not theirs.size:
        return None
    counts = [[int(flags.sum()), int((~flags).sum())] for flags in (ours, theirs)]
    p = float(fisher_exact(counts).pvalue)
    if p >= HELD_OUT_SIGNIFICANCE:
        return None
    figures = {
        "tests": ours.size,
        "tests_flagged": counts[0][0],
        "operation": theirs.size,
        "operation_flagged": counts[1][0],
        "p_value": p,
    }
    words = f"cells foretell {counts[0][0]:,} failures among {ours.size:,} tests and {counts[1][0]:,} among "
    words += f"{theirs.size:,} inputs from operation, compared by Fisher's exact test"
    return Check("contradicted", words, figures, abs(float(ours.mean()) - float(theirs.mean())))


WEIGHT_DRAWS = 400
BOOTSTRAP_NUMBERS = 1 << 22


@dataclass(frozen=True, eq=False)
class WeightedSum:
    """The weighted sum of cell risks and where its uncertainty comes from.

    ``parts`` and ``inside`` are, for each point of the profile, the risk and the mass that its kernel sees in the
    domain: the sum is mean(parts) / mean(inside), a ratio of means over independent points.
    """

    value: float
    parts: FloatArray
    inside: FloatArray
    profile_variance: float
    sampling_variance: float
    weights_variance: float

    @property
    def variance(self) -> float:
        """All three sources together."""
        return self.profile_variance + self.sampling_variance + self.weights_variance

    @property
    def sd(self) -> float:
        """Standard deviation of the sum."""
        return math.sqrt(self.variance)


def weighted_sum(profile: Profile, grid: Grid, risk: FloatArray, *, sampling_variance: float, seed: int) -> WeightedSum:
    """Eqn. (11), with the covariances of all cells that Eqn. (12) drops.

    The kernel density is a mean over points, so the sum is a mean over points too, and the variance of a mean of
    independent terms needs no assumption on cells; renormalisation to the domain makes it a ratio.
    """
    weights = profile.weights
    parts = profile.contributions(grid.edges, risk.reshape(grid.shape))
    inside = profile.contributions([edges[[0, -1]] for edges in grid.edges], np.ones((1,) * grid.dimensions))
    value = min(1.0, float((weights * parts).sum() / (weights * inside).sum()))
    deviations = weights * (parts - value * inside)
    draws = profile.weight_draws(WEIGHT_DRAWS, np.random.default_rng(seed))
    return WeightedSum(
        value,
        parts,
        inside,
        float((deviations**2).sum() / (weights * inside).sum() ** 2),
        sampling_variance,
        0.0 if draws is None else float(np.var((draws @ parts) / (draws @ inside), ddof=1)),
    )


def independent_variance(
    masses: FloatArray, mass_variances: FloatArray, risk: FloatArray, risk_variances: FloatArray
) -> float:
    """Eqn. (12): the variance as printed, which takes all cells for independent (Assumption 6)."""
    return float(
        (risk**2 * mass_variances + masses**2 * risk_variances + risk_variances * mass_variances).sum(dtype=float)
    )


def bootstrap_values(found: WeightedSum, weights: FloatArray, *, draws: int, seed: int) -> FloatArray:
    """The sum for redrawn weights of the points, with the error of sampling inside cells added.

    The Bayesian bootstrap: exponential weights in place of resampled points (Rubin 1981, Annals of Statistics 9(1)).
    """
    rng = np.random.default_rng(seed)
    parts, inside = weights * found.parts, weights * found.inside
    values = np.empty(draws)
    step = max(1, BOOTSTRAP_NUMBERS // weights.size)
    for start in range(0, draws, step):
        times = rng.standard_exponential((min(step, draws - start), weights.size))
        values[start : start + step] = (times @ parts) / (times @ inside)
    return values + rng.normal(0, math.sqrt(found.sampling_variance + found.weights_variance), draws)


# Held-out labels put the prediction of the cells right (errata RAM 10).


@dataclass(frozen=True, eq=False)
class JudgedByCells:
    """Inputs, the cells they fall into, and whether the cells say that the model's answer is a failure.

    Inside a cell of one label the answer to an input can be judged without the input's own label.
    """

    points: FloatArray
    cell: NDArray[np.int64]
    answer: NDArray[np.int64]
    failure: NDArray[np.bool_]

    @classmethod
    def of(cls, points: FloatArray, decide: Classifier, cells: Cells, undesired: NDArray[np.bool_]) -> JudgedByCells:
        """Judge the model's answers by the labels of cells."""
        if not len(points):
            nothing = np.empty(0, np.int64)
            return cls(points, nothing, nothing, np.empty(0, bool))
        cell, answer = cells.grid.cell_of(points), decide(points)
        crossed = cells.source[cell] == CROSS_BOUNDARY
        return cls(points, cell, answer, crossed | undesired[cells.label[cell], answer])


@dataclass(frozen=True, eq=False)
class Correction:
    """Labelled tests that no cell has seen, and unlabelled inputs from operation, judged by the cells."""

    tests: JudgedByCells
    labels: NDArray[np.int64]
    failed: NDArray[np.bool_]
    weights: FloatArray
    operation: JudgedByCells
    reference: FloatArray
    """All inputs of the profile but the tests: what the tests should look like."""

    weighted: bool
    """Whether operation weighs inputs differently than the data do."""

    def in_voted(self, cells: Cells) -> NDArray[np.bool_]:
        """Tests that fall into cells labelled by vote."""
        return np.asarray(cells.source[self.tests.cell] == EMPTY)

    def estimate(self, *, level: float, voted_mass: float, seed: int) -> Estimate:
        """The failure probability in operation, valid whatever the cells say."""
        if self.weighted:
            return bounds.weighted(
                self.failed.astype(float),
                self.weights,
                level=level,
                seed=seed,
                quantity=bounds.statement.FAILURE_PROBABILITY,
            )
        return bounds.predicted_failures(
            self.failed, self.tests.failure, self.operation.failure, level=level, unpredictable=voted_mass
        )

    def exact(self, *, level: float) -> Estimate:
        """The exact binomial bound on the held-out labels alone."""
        return bounds.clopper_pearson(int(self.failed.sum()), self.failed.size, level=level)

    def tested(self, *, level: float, seed: int) -> Estimate:
        """What the held-out labels alone say about operation."""
        return self.estimate(level=level, voted_mass=0.0, seed=seed) if self.weighted else self.exact(level=level)
