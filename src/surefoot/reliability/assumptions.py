"""The assumptions of RAM as data, each with what the data at hand say about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.core import Assumption, Check
from surefoot.core.assumption import Status
from surefoot.core.validate import FloatArray
from surefoot.profile import representativeness, separation, side_check
from surefoot.reliability.cells import Cells
from surefoot.reliability.correction import Correction, Foretold
from surefoot.reliability.labelling import CROSS_BOUNDARY, EMPTY, NORMAL

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
SIGNIFICANCE = 0.01
LARGE_DISTANCE = 0.05
LARGE_RATIO = 1.1
FEWEST = 30
SAME_SIDE = 1e-6


@dataclass(frozen=True, eq=False)
class Examined:
    """What the checks look at."""

    points: FloatArray
    labels: NDArray[np.int64]
    cells: Cells
    operation: Foretold | None
    correction: Correction | None
    joint_sd: float
    independent_sd: float
    seed: int


def examine(data: Examined) -> tuple[Assumption, ...]:
    """Assumptions 1 to 6, each with its check."""
    checks: tuple[tuple[Assumption, Callable[[Examined], Check | None]], ...] = (
        (SEPARATED, _separated),
        (REPRESENTATIVE, _representative),
        (SINGLE_LABEL, _single_label),
        (BETTER_THAN_CHANCE, _better_than_chance),
        (UNIFORM, _uniform),
        (INDEPENDENT_CELLS, _independent_cells),
    )
    return tuple(replace(assumption, check=check(data)) for assumption, check in checks)


def _separated(data: Examined) -> Check | None:
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


def _representative(data: Examined) -> Check | None:
    if data.operation is None or min(len(data.operation.points), len(data.points)) < 2:
        return None
    return representativeness(data.points, data.operation.points, seed=data.seed)


def _single_label(data: Examined) -> Check:
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


def _better_than_chance(data: Examined) -> Check | None:
    """Failures of held-out tests in voted cells against what the vote lets one expect."""
    if data.correction is None:
        return None
    cells, correction = data.cells, data.correction
    voted = correction.in_voted(cells)
    tests, failed = int(voted.sum()), int(correction.failed[voted].sum())
    expected = float(cells.risk[correction.tests.cell[voted]].sum())
    chance = 1 / len(cells.classes)
    right_at_most = float(special.betaincinv(tests - failed + 1, failed, 1 - SIGNIFICANCE)) if failed else 1.0
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


def _uniform(data: Examined) -> Check | None:
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


def _independent_cells(data: Examined) -> Check | None:
    if not data.independent_sd:
        return None
    ratio = data.joint_sd / data.independent_sd
    figures = {"sd_with_covariances": data.joint_sd, "sd_of_independent_cells": data.independent_sd, "ratio": ratio}
    words = f"the standard deviation with all covariances is {ratio:.3g} times that of independent cells"
    inside = 1 / LARGE_RATIO < ratio < LARGE_RATIO
    return Check("supported" if inside else "contradicted", words, figures, ratio)
