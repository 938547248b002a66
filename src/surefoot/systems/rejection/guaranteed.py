"""``accept_below``: a threshold of a score below which the error of accepted answers is shown to keep a target."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import InvalidInput, Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.documents import counted
from surefoot.monitors.thresholds.p_values import units_needed
from surefoot.systems.rejection.acceptance import Acceptance, Stated, tests_table
from surefoot.systems.rejection.sequence import Trials, shown
from surefoot.systems.rejection.strategies import as_scores
from surefoot.systems.tables.pairs import numbered

WHERE = "accept_below"
POINTS = 50
SET_ASIDE = 0.2


def accept_below(
    scores: ArrayLike,
    losses: ArrayLike,
    *,
    target: float,
    delta: float = 0.05,
    units: ArrayLike | None = None,
    max_group_size: int | None = None,
    grid: ArrayLike | None = None,
    seed: int = 0,
    scope: str = "",
) -> Acceptance:
    """The loosest threshold shown to keep the error of accepted answers within ``target``, at level 1 - ``delta``.

    Selective prediction with guaranteed risk (Geifman and El-Yaniv 2017) by fixed-sequence testing (Maurer, Hothorn and
    Lehmacher 1995; Angelopoulos et al. 2021, "Learn then test"): thresholds are tested from the strictest to the
    loosest, and the first that fails ends it. Without a ``grid`` there are two such walks, which share ``delta``: one
    begins where just enough rows are accepted to show the target, one where rows set aside speak most for it. What is
    kept is the error among accepted answers, not among all.

    Rows are for calibration alone: where the score, or a model behind it, was fitted to them, nothing is guaranteed.
    ``losses`` lie in [0, 1], such as 1 for failed. ``units`` are groups of rows that are not independent, such as the
    versions of an item in all conditions; ``max_group_size`` is the largest that can occur, without it the largest seen
    stands in and the bound is heuristic. ``grid`` are thresholds that were fixed beforehand; without it a fifth of the
    rows, drawn by ``seed``, is set aside to place them. A score is higher for more suspicious; a row without one (NaN)
    is never accepted.
    """
    target = validate.fraction(target, where=WHERE, name="target")
    delta = validate.fraction(delta, where=WHERE, name="delta")
    seed = validate.seed(seed, where=WHERE)
    trials = _trials(scores, losses, units, max_group_size)
    if grid is not None:
        thresholds, starts, tested = _given(grid), {0: delta}, trials
    else:
        thresholds, starts, tested = _set_aside(trials, target, delta, seed)
    if not thresholds.size or not tested.scores.size:
        raise Undefined("no row has a score to be accepted on", where=WHERE, found=f"{trials.scores.size} rows")
    p = tested.p_values(thresholds, target, delta, seed)
    passed = shown(p, starts)
    if not passed.any():
        best = min(starts, key=lambda start: float(p[start]) / starts[start])
        raise _nothing_shown(tested, float(thresholds[best]), float(p[best]), target, starts[best])
    at = int(np.flatnonzero(passed)[-1])
    params = {"target": target, "delta": delta, "max_group_size": max_group_size, "grid": grid is not None}
    stated = Stated(tested, thresholds, at, params, seed, scope, max_group_size)
    return Acceptance(
        stated.threshold, stated.error(p[at]), stated.coverage, tests_table(tested, thresholds, p, passed)
    )


def _trials(scores: ArrayLike, losses: ArrayLike, units: ArrayLike | None, max_group_size: int | None) -> Trials:
    values = as_scores(scores, where=WHERE, name="scores")
    lost = validate.unit_vector(losses, where=WHERE, name="losses")
    validate.same_length(WHERE, scores=values, losses=lost)
    if units is None:
        return Trials(values, lost, None, 1)
    labels = np.asarray(units)
    validate.same_length(WHERE, scores=values, units=labels)
    groups = numbered(labels)
    seen = int(np.bincount(groups).max())
    largest = seen if max_group_size is None else validate.count(max_group_size, where=WHERE, name="max_group_size")
    if largest < seen:
        remedy = "State the largest group possible in operation, at least the largest seen."
        raise InvalidInput("a group exceeds the stated largest size", where=WHERE, found=f"{seen}", remedy=remedy)
    return Trials(values, lost, groups, largest)


def _given(grid: ArrayLike) -> FloatArray:
    thresholds = validate.numbers(grid, where=WHERE, name="grid", finite=False)
    if thresholds.ndim != 1 or not thresholds.size:
        raise InvalidInput("grid must be a list of thresholds", where=WHERE, found=f"shape {thresholds.shape}")
    return np.unique(thresholds)


def _set_aside(trials: Trials, target: float, delta: float, seed: int) -> tuple[FloatArray, dict[int, float], Trials]:
    """Thresholds from some units, where to begin, and the rows of all others."""
    units = np.arange(trials.scores.size) if trials.groups is None else trials.groups
    count = int(units.max()) + 1
    order = np.random.default_rng(seed).permutation(count)
    aside = np.isin(units, order[: max(round(SET_ASIDE * count), 1)])
    tested = trials.part(~aside)
    if trials.groups is not None:
        tested = Trials(tested.scores, tested.losses, numbered(units[~aside]), trials.largest)
    placing = trials.part(aside)
    grid = placing.grid(POINTS)
    starts = placing.starts(grid, target, delta, tested.scores.size) if grid.size else {}
    first = min(starts, default=0)
    return grid[first:], {start - first: part for start, part in starts.items()}, tested


def _nothing_shown(trials: Trials, threshold: float, p: float, target: float, delta: float) -> Undefined:
    accepted = trials.accepted(threshold)
    error = float(trials.losses[accepted].mean()) if accepted.any() else 0.0
    more = units_needed(error, target, delta, two_valued=trials.exact)
    remedy = "If the error of accepted answers is as measured there, no number of rows shows it below the target."
    if more is not None:
        rows = counted(more * trials.largest, "new accepted row")
        remedy = f"About {rows} there show it if just this error is found again; these do not count again."
    return Undefined(
        f"no threshold is shown to keep the error of accepted answers within {target:g}",
        where=WHERE,
        found=f"a p-value of {p:.3g} where {delta:g} is needed, at the threshold {threshold:.6g}, "
        f"with an error of {error:.4g} of {counted(int(accepted.sum()), 'accepted row')}",
        remedy=remedy,
    )
