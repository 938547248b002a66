"""A threshold of a score below which the error of accepted answers is shown to keep a target."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from surefoot.bounds import grouped, hoeffding
from surefoot.bounds.betting import PluginCapital
from surefoot.bounds.dependence import INDEPENDENT_GROUPS
from surefoot.bounds.statement import FIXED_SIZE, INDEPENDENT, INDEPENDENT_LOSSES, ORDER_FIRST, approximate
from surefoot.core import (
    Assumption,
    Bound,
    Diagnostic,
    Estimate,
    InvalidInput,
    Kind,
    Provenance,
    Table,
    Undefined,
    array_digest,
    validate,
)
from surefoot.core.validate import FloatArray
from surefoot.documents import counted
from surefoot.monitors.evaluation.intervals import TWO_VALUED
from surefoot.monitors.thresholds.choice import FITTED_ELSEWHERE, GRID_FIRST
from surefoot.monitors.thresholds.risk_control import fixed_sequence, units_needed
from surefoot.systems.rejection.strategies import ErrorModel, Rows, as_scores, fold_of
from surefoot.systems.tables.inference import Measurements, Score, numbered

ERROR, COVERAGE = "error of accepted answers", "share of answers accepted"
CALIBRATED_MIX = Assumption(
    "calibrated-mix",
    "Valid for the calibrated mix of conditions: operation meets inputs and conditions as often as these rows do.",
)
WHERE = "accept_below"
POINTS = 50
SET_ASIDE = 0.2
PREDICTED_WHERE = "accept_below_predicted"
STRICT = 2 / 3
"""Part of delta for the walk from the strictest threshold that can pass."""
SPARE = 1.5
"""Standard deviations by which more rows should be accepted than are needed, because their number scatters."""


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
    """The loosest threshold shown to keep the error of accepted answers within a target.

    Thresholds are tested from the strictest to the loosest, and the first that fails ends it. Without a ``grid`` there
    are two such walks, which share ``delta``: one begins where just enough rows are accepted to show the target, one
    where rows set aside speak most for it. What is kept is the error among accepted answers, not among all. Rows are
    for calibration alone: where the score, or a model behind it, was fitted to them, nothing is guaranteed.

    Parameters
    ----------
    scores
        Higher for more suspicious; a row without one (NaN) is never accepted.
    losses
        In [0, 1], such as 1 for failed.
    target
        The largest mean loss of accepted answers.
    delta
        1 - the level at which it is shown.
    units
        Groups of rows that are not independent, such as the versions of an item in all conditions.
    max_group_size
        The largest group that can occur; without it the largest seen stands in and the bound is heuristic.
    grid
        Thresholds that were fixed beforehand; without it a fifth of the rows, drawn by ``seed``, is set aside to place
        them.
    seed
        Of the rows set aside.
    scope
        Of the estimates.

    Returns
    -------
    Acceptance
        The threshold, with the error and the share of accepted answers.

    Raises
    ------
    Undefined
        Where no threshold is shown to keep the target.

    References
    ----------
    Geifman and El-Yaniv (2017); Maurer, Hothorn and Lehmacher (1995); Angelopoulos et al. (2021), "Learn then test".

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.uniform(size=2000)
    >>> found = accept_below(scores, rng.uniform(size=2000) < scores / 5, target=0.05)
    >>> found.error.upper(0.95), bool(found.threshold < 0.5)
    (0.05, True)

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


@dataclass(frozen=True, eq=False)
class Acceptance:
    """A threshold: answers whose score is at most that are accepted.

    Parameters
    ----------
    threshold
        Of the score.
    error
        The mean loss of accepted answers, with the bound that is shown.
    coverage
        The share of answers that are accepted.
    tests
        Every threshold that was tried.

    See Also
    --------
    accept_below

    """

    threshold: float
    error: Estimate
    coverage: Estimate
    tests: Table

    def accepts(self, scores: ArrayLike) -> NDArray[np.bool_]:
        """Which answers are accepted; one without a score never is."""
        return as_scores(scores, where="accepts", name="scores") <= self.threshold


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


@dataclass(frozen=True, eq=False)
class Trials:
    """Calibration rows: the score and the loss of each, and the independent group it belongs to, if rows have one.

    A row is accepted at a threshold where its score is at most that; a row without a score never is.
    """

    scores: FloatArray
    losses: FloatArray
    groups: NDArray[np.intp] | None
    largest: int
    """The largest group there can be."""

    @cached_property
    def exact(self) -> bool:
        """Whether rows are independent and have failed or not, with nothing between."""
        return self.groups is None and bool(np.isin(self.losses, (0, 1)).all())

    def part(self, rows: NDArray[np.bool_]) -> Trials:
        """Some of the rows."""
        groups = None if self.groups is None else self.groups[rows]
        return Trials(self.scores[rows], self.losses[rows], groups, self.largest)

    def accepted(self, threshold: float) -> NDArray[np.bool_]:
        """Rows at or below a threshold."""
        return self.scores <= threshold

    def p_values(self, grid: FloatArray, target: float, delta: float, seed: int) -> FloatArray:
        """For each threshold, the evidence against a mean loss of accepted rows above the target.

        Given how many rows are accepted, they are independent draws from those that operation would accept, so that
        their failures are binomial: exact. Losses between 0 and 1, and rows in groups, by betting (Waudby-Smith and
        Ramdas 2024) on losses over accepted rows.
        """
        if self.exact:
            counts = [(self.losses[rows].sum(), rows.sum()) for rows in map(self.accepted, grid)]
            return np.array([special.bdtr(lost, n, target) if n else 1.0 for lost, n in counts])
        return np.fromiter(self._bets(grid, target, delta, seed), dtype=np.float64, count=grid.size)

    def _bets(self, grid: FloatArray, target: float, delta: float, seed: int) -> Iterator[float]:
        groups = np.arange(self.scores.size) if self.groups is None else self.groups
        order = np.random.default_rng(seed).permutation(int(groups.max()) + 1)
        for threshold in grid:
            rows = self.accepted(threshold)
            sizes = np.bincount(groups[rows], minlength=order.size)[order] / self.largest
            losses = np.bincount(groups[rows], self.losses[rows], minlength=order.size)[order] / self.largest
            some = sizes > 0
            if not some.any():
                yield 1.0
                continue
            capital = PluginCapital.tuned(np.minimum(losses, sizes)[some], sizes[some], level=1 - delta)
            yield math.exp(-float(capital(np.array([target / (1 - target)]))[0]))

    def grid(self, points: int) -> FloatArray:
        """Thresholds at even shares of these scores."""
        scores = self.scores[~np.isnan(self.scores)]
        if not scores.size:
            return scores
        return np.unique(np.quantile(scores, np.linspace(0, 1, points), method="higher"))

    def starts(self, grid: FloatArray, target: float, delta: float, tested: int) -> dict[int, float]:
        """Where walks over thresholds begin, with their parts of ``delta``; none of these rows is ``tested``.

        One where enough rows will be accepted to show the target without a loss: the strictest that can pass. One where
        these rows speak most for the target, counting one loss more than seen: stricter ones are in the way where
        failures do not thin out. So tests are ordered by rows that are not tested (split fixed-sequence testing,
        Angelopoulos et al. 2021).
        """
        accepted = self.scores[:, None] <= grid
        counts, losses = accepted.sum(axis=0) / self.largest, self.losses @ accepted / self.largest
        likely = int(((target - (losses + 1) / (counts + 1)) * np.sqrt(counts)).argmax())
        needed = units_needed(0.0, target, STRICT * delta, two_valued=self.exact) or math.inf
        enough = np.flatnonzero(counts * tested / self.scores.size >= needed + SPARE * math.sqrt(needed))
        if not enough.size or enough[0] == likely:
            return {likely: delta}
        return {int(enough[0]): STRICT * delta, likely: (1 - STRICT) * delta}


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


def shown(p: FloatArray, starts: Mapping[int, float]) -> NDArray[np.bool_]:
    """Which thresholds are shown by walks, each with its part of delta; a walk ends at the first that fails."""
    found = np.zeros(p.size, bool)
    for start, part in starts.items():
        found[start:] |= fixed_sequence(p[start:], part)
    return found


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


@dataclass(frozen=True, eq=False)
class Stated:
    """What is said about a threshold."""

    trials: Trials
    thresholds: FloatArray
    at: int
    params: Mapping[str, Any]
    seed: int
    scope: str
    max_group_size: int | None

    @property
    def threshold(self) -> float:
        """The one that was chosen."""
        return float(self.thresholds[self.at])

    def error(self, p_value: float) -> Estimate:
        """The mean loss of accepted rows, and the target that is shown to hold for others."""
        rows = self.trials.accepted(self.threshold)
        target, delta = self.params["target"], self.params["delta"]
        guessed = self.trials.groups is not None and self.max_group_size is None
        kind: Kind = "heuristic" if guessed else "confidence"
        details = {
            "threshold": self.threshold,
            "level": 1 - delta,
            "trials": int(rows.sum()),
            "p_value": float(p_value),
        }
        return Estimate(
            ERROR,
            float(self.trials.losses[rows].mean()),
            "per accepted answer",
            self.scope,
            (Bound(target, "upper", delta, kind),),
            assumptions=tuple(self._assumptions()),
            caveats=tuple(self._caveats(guessed)),
            details=details,
            provenance=Provenance("systems.accept_below", self.params, data=self._data, seed=self.seed),
        )

    @property
    def coverage(self) -> Estimate:
        """Without groups, limits that hold at all thresholds at once (Massart 1990), so for the one chosen as well."""
        accepted, level = self.trials.accepted(self.threshold).astype(np.float64), 1 - self.params["delta"]
        if self.trials.groups is None:
            return hoeffding(accepted, level=level, quantity=COVERAGE, scope=self.scope)
        found = grouped(
            accepted,
            self.trials.groups,
            level=level,
            max_group_size=self.max_group_size,
            seed=self.seed,
            quantity=COVERAGE,
            scope=self.scope,
        )
        caveat = approximate("A bound at a threshold that was chosen on the same rows", "Count accepted answers anew.")
        return replace(found, caveats=(*found.caveats, caveat))

    @property
    def _data(self) -> dict[str, str]:
        groups = {} if self.trials.groups is None else {"units": array_digest(self.trials.groups)}
        rows = {"scores": self.trials.scores, "losses": self.trials.losses, "thresholds": self.thresholds}
        return {name: array_digest(values) for name, values in rows.items()} | groups

    def _assumptions(self) -> Iterable[Assumption]:
        yield CALIBRATED_MIX
        yield FITTED_ELSEWHERE
        if self.params["grid"]:
            yield Assumption(GRID_FIRST, "Thresholds to test were fixed without a look at the calibration rows.")
        if self.trials.groups is not None:
            yield INDEPENDENT_GROUPS
        else:
            yield from (INDEPENDENT, TWO_VALUED) if self.trials.exact else (INDEPENDENT_LOSSES,)
        yield FIXED_SIZE
        if not (self.trials.exact and self.params["grid"]):
            yield ORDER_FIRST

    def _caveats(self, guessed: bool) -> Iterable[Diagnostic]:
        if guessed:
            text = f"The largest possible group was taken from the data ({self.trials.largest})."
            yield Diagnostic("weights-estimated", text, hint="State max_group_size to have a guarantee.")


def tests_table(trials: Trials, grid: FloatArray, p: FloatArray, passed: NDArray[np.bool_]) -> Table:
    """Every threshold with the rows it accepts, their error, its p-value, and whether the target is shown there."""
    rows = []
    for threshold, value, shown in zip(grid, p, passed, strict=True):
        accepted = trials.accepted(float(threshold))
        error = float(trials.losses[accepted].mean()) if accepted.any() else None
        rows.append((float(threshold), int(accepted.sum()), error, float(value), bool(shown)))
    return Table(("threshold", "accepted", "error", "p", "shown"), tuple(rows))


@validate.arguments
def accept_below_predicted(
    measured: Measurements,
    *,
    target: float,
    limit: float = 0.0,
    delta: float = 0.05,
    scores: Sequence[Score] | None = None,
    max_group_size: int | None = None,
    seed: int = 0,
) -> tuple[ErrorModel, Acceptance]:
    """A model of errors, and the predicted error below which at most a share ``target`` of accepted answers fail.

    The model is fitted to one half of the units and the threshold is placed on the other. All conditions count the
    same, and the guarantee is about that mix. The versions of an item are one group, as large as there are conditions.

    Parameters
    ----------
    measured
        The system.
    target, delta
        As for ``accept_below``.
    limit
        An answer has failed where its error is above it.
    scores
        By default all scores of all modules.
    max_group_size
        The largest number of items in a unit, where items come in units of their own.
    seed
        Of the halves and the model.

    Returns
    -------
    tuple of ErrorModel and Acceptance
        The model, and the threshold of its predictions.

    Examples
    --------
    >>> import numpy as np
    >>> from surefoot.metrics import tasks
    >>> from surefoot.systems import MemoryColumns, Measurements, Score, conditions
    >>> rng, both = np.random.default_rng(0), conditions(["fog"], [3])
    >>> hard = rng.normal(size=(2, 200)) + [[0], [1]]
    >>> statistics = {c: np.column_stack([np.exp(row), np.ones(200)]) for c, row in zip(both, hard)}
    >>> families = {Score("net", "KDE"): "strangeness", Score("net", "VRO"): "uncertainty"}
    >>> scores = {score: dict(zip(both, hard + rng.normal(size=hard.shape))) for score in families}
    >>> measured = Measurements("camera", tasks.mae(), both, families, MemoryColumns(statistics, scores))
    >>> model, found = accept_below_predicted(measured, limit=2, target=0.4)
    >>> found.error.value < 0.4
    True

    """
    validate.at_least_zero(limit, where=PREDICTED_WHERE, name="limit")
    half = fold_of(measured, folds=2, seed=seed) == 0
    model = ErrorModel.fit(measured, half, scores=scores, seed=seed)
    rows = Rows.of(measured, measured.conditions)
    predicted = rows.column(lambda condition: model.predict(measured, condition), name="predicted error")
    held = rows.column(lambda _: (~half).astype(np.float64), name="held out") > 0
    items = 1 if measured.units is None else max_group_size
    found = accept_below(
        predicted[held],
        (rows.errors > limit)[held].astype(np.float64),
        target=target,
        delta=delta,
        units=rows.units[held],
        max_group_size=None if items is None else items * len(measured.conditions),
        seed=seed,
        scope=measured.system,
    )
    return model, found
