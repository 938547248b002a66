"""Reliability in cells: partition, profile, risk inside, sum, and correction by held-out labels (RAM, section 4.2)."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import Executor, InvalidInput, array_digest, validate
from surefoot.core.validate import FloatArray
from surefoot.executors import Serial
from surefoot.profile import KDE, Profile
from surefoot.profile.input_arrays import as_table
from surefoot.profile.kde.estimator import Rule
from surefoot.reliability.cells import statements
from surefoot.reliability.cells.result import CellReliability
from surefoot.reliability.cells.statements import (
    CheckInputs,
    Correction,
    JudgedByCells,
    WeightedSum,
    check_assumptions,
    independent_variance,
    weighted_sum,
)
from surefoot.reliability.cells.table import CROSS_BOUNDARY, CellLabels, Cells, Grid, Oracle, ask, label_cells
from surefoot.reliability.local_risk import (
    Classifier,
    LocalEstimator,
    LocalProblem,
    LocalRisk,
    Progress,
    Undesired,
    UniformInside,
    Within,
    undesired_answers,
)
from surefoot.reliability.monte_carlo import MonteCarlo

WHERE = "assess_cells"
BYTES_A_CELL = 120
USABLE = 0.6
"""Share of the free memory that cells may take."""
PRINTED_SAMPLES = 10_000
"""Points a cell behind the printed figures; their error stays part of the printed variance of exact cells."""
TRIES = 512


def assess_cells(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    side: float | ArrayLike,
    domain: ArrayLike,
    profile: Profile | KDE | None = None,
    estimator: LocalEstimator | None = None,
    holdout: tuple[ArrayLike, ArrayLike] | None = None,
    operational: ArrayLike | None = None,
    classes: Sequence[str] = (),
    undesired: Undesired = None,
    oracle: Oracle | None = None,
    within: Within | None = None,
    as_published: bool = False,
    checks: bool = True,
    level: float = 0.95,
    executor: Executor | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> CellReliability:
    """Bound the probability that a classifier fails on its next input, from cells of the input domain.

    For inputs of few features. The domain is cut into cells, each with a label, a mass by the operational profile and
    a risk inside; their weighted sum is the failure probability, which held-out labels correct.

    Parameters
    ----------
    model
        Any classifier: a callable, an estimator of scikit-learn, a torch module or a loaded model.
    X, y
        Inputs and true labels, which label the cells.
    side
        Side of a cell: one number, or one for each feature.
    domain
        Low and high of each feature, or one pair for all.
    profile
        How likely inputs are in operation; one without data is fitted to ``operational``, or to ``X``.
    estimator
        Finds the risk inside cells: ``MonteCarlo()`` for any model, ``ExactTrees()``, ``Interval()``.
    holdout
        Inputs and labels from operation, which correct the sum over cells: cells labelled by vote let the model judge
        itself. Rows that are also in ``X`` are left out there. Without it the answer is the uncorrected sum, marked as
        such.
    operational
        Further inputs from operation, without labels.
    classes
        Names of the columns of scores, where the model does not say them.
    undesired
        From a true label to the answers that count as failures; by default all wrong ones.
    oracle
        From centres of empty cells to their labels, in place of the vote.
    within
        Distribution of inputs inside a cell, by default ``UniformInside()``.
    as_published
        RAM's own form: density at centres, independent cells, half-sized bootstrap.
    checks
        Whether assumptions are checked.
    level
        Confidence of the bound.
    executor
        Where the work is done; here by default.
    seed
        Of all random numbers.
    progress
        Called with the number of cells done and of all.

    Returns
    -------
    CellReliability
        ``pmi`` is the failure probability to sign, ``by_cells`` the sum over cells alone, ``acu`` the mean risk of a
        cell, ``cells`` their table.

    References
    ----------
    RAM section 4.2, Eqns. (11) to (13), Assumptions 1 to 6.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> inputs = np.random.default_rng(0).random((400, 2))
    >>> labels = (inputs.sum(axis=1) > 1).astype(int)
    >>> train, test = (inputs[:200], labels[:200]), (inputs[200:], labels[200:])
    >>> model = DecisionTreeClassifier(random_state=0).fit(*train)
    >>> found = sf.reliability.assess_cells(
    ...     model, *train, side=0.1, domain=(0, 1), profile=sf.profile.KDE(0.1),
    ...     estimator=sf.reliability.ExactTrees(), holdout=test)
    >>> found.pmi.value, round(found.pmi.upper(0.95), 4)
    (0.095, 0.1363)

    """
    given = labelled_points(X, y, name="X")
    require_several_classes(given.labels)
    columns = given.points.shape[1]
    tests = None if holdout is None else _holdout(holdout, columns)
    further = None if operational is None else rows_of(operational, name="operational", columns=columns)
    kept = given if tests is None or as_published else _not_held_out(given, tests)
    classifier, numbers = Classifier.of(model, kept.points, kept.labels, classes=classes)
    grid = Grid.of(domain, side, dimensions=columns)
    require_memory(grid, len(classifier.classes))
    grid.require_inside(kept.points, name="X")
    classifier.require_deterministic(kept.points, grid.some_centres())
    return Assessment(
        model=model,
        classifier=classifier,
        labelled=replace(kept, labels=numbers),
        tests=tests and replace(tests, labels=classifier.numbers(tests.labels, where="holdout")),
        test_labels=None if tests is None else tests.labels,
        grid=grid,
        profile=_fitted(profile, kept.points, further, grid),
        estimator=validate.kind(
            estimator or MonteCarlo(), LocalEstimator, where=WHERE, name="estimator", example="MonteCarlo()"
        ),
        undesired=undesired_answers(undesired, classifier.classes),
        oracle=oracle,
        within=validate.kind(within or UniformInside(), Within, where=WHERE, name="within", example="UniformInside()"),
        as_published=as_published,
        checks=checks,
        level=validate.level(level, where=WHERE),
        executor=validate.kind(
            executor or Serial(), Executor, where=WHERE, name="executor", example="executors.Processes(2)"
        ),
        seed=validate.seed(seed, where=WHERE),
        progress=progress,
    ).result()


def _fitted(profile: Any, points: FloatArray, operational: FloatArray | None, grid: Grid) -> Profile:
    chosen = profile if profile is not None else KDE("cross-validation")
    waits = isinstance(chosen, KDE) and not chosen.is_fitted
    if operational is not None and not waits:
        raise InvalidInput(
            "the profile has its data already, so operational inputs have no place",
            where=WHERE,
            found=repr(profile),
            remedy="Leave operational out, or give a profile without data.",
        )
    fitted = chosen.fit(points if operational is None else operational) if waits else chosen
    if not isinstance(fitted, Profile):
        raise InvalidInput(
            "profile must be an operational profile", where=WHERE, found=repr(profile), remedy="Use profile.KDE(...)."
        )
    rows_of(fitted.points, name="points of the profile", columns=grid.dimensions)
    grid.require_inside(fitted.points, name="the profile")
    return fitted


@dataclass(frozen=True, eq=False)
class Assessment:
    """All parts of an assessment, each computed when it is first needed."""

    model: Any
    classifier: Classifier
    labelled: LabelledPoints
    tests: LabelledPoints | None
    test_labels: NDArray[Any] | None
    """Labels of the tests as they were given, which weights by class know."""
    grid: Grid
    profile: Profile
    estimator: LocalEstimator
    undesired: NDArray[np.bool_]
    oracle: Oracle | None
    within: Within
    as_published: bool
    checks: bool
    level: float
    executor: Executor
    seed: int
    progress: Progress | None

    def result(self) -> CellReliability:
        stated = statements.Statements(
            found=self.assembled,
            cells=self.cells,
            printed_sd=self.independent_sd if self.as_published else None,
            checked=self.checks,
            profile_caveats=tuple(getattr(self.profile, "caveats", ())),
            correction=self.correction,
            assumptions=check_assumptions(self._check_inputs()) if self.checks else (),
            own_failures=self._own_failures(),
            sampling_variance_of_mean=self.cells.sampling_variance(np.full(len(self.grid), 1 / len(self.grid))),
            level=self.level,
            params=self._params(),
            seed=self.seed,
        )
        pmi, chosen = stated.pmi()
        return CellReliability(
            pmi=pmi,
            acu=stated.acu(),
            by_cells=stated.by_cells(),
            cells=self.cells,
            assumptions=stated.assumptions,
            profile=self.profile,
            assembled=self.assembled,
            method=chosen,
            least=stated.tested[0],
            failing=failing_inputs(
                self.cells, self.cells.leading(), self.classifier, self.undesired, self.within, seed=self.seed
            ),
            correction=self.correction,
            seed=self.seed,
        )

    @property
    def rule(self) -> Rule:
        return "centre" if self.as_published else "exact"

    @cached_property
    def _total_mass(self) -> tuple[FloatArray, float]:
        mass = self.profile.grid_mass(self.grid.edges, rule=self.rule).ravel()
        total = float(mass.sum())
        if not total > 0:
            raise InvalidInput("the profile has no mass in the domain", where=WHERE, found=f"{total:g}")
        return mass / total, total

    @property
    def mass(self) -> FloatArray:
        """Probability of each cell; the domain holds everything that operation brings."""
        return self._total_mass[0]

    @cached_property
    def labels_of_cells(self) -> CellLabels:
        found = label_cells(self.grid, self.labelled.points, self.labelled.labels)
        return found if self.oracle is None else ask(self.oracle, self.grid, found, self.classifier.classes)

    @cached_property
    def local(self) -> LocalRisk:
        crossed = self.labels_of_cells.source == CROSS_BOUNDARY
        problem = LocalProblem(
            self.classifier,
            self.model,
            len(self.classifier.classes),
            self.grid,
            self.labels_of_cells.labels,
            self.undesired,
            np.where(crossed, 0.0, self.mass),
            self.within,
        )
        return self.estimator.estimate(problem, executor=self.executor, seed=self.seed, progress=self.progress)

    @cached_property
    def cells(self) -> Cells:
        return Cells.of(self.grid, self.classifier.classes, self.labels_of_cells, self.local, self.mass, self.undesired)

    @cached_property
    def assembled(self) -> WeightedSum:
        found = weighted_sum(
            self.profile,
            self.grid,
            self.cells.risk,
            sampling_variance=self.cells.sampling_variance(self.mass),
            seed=self.seed,
        )
        # The printed sum takes the density in the centres; both differ by the curvature inside a cell.
        return replace(found, value=float(self.mass @ self.cells.risk)) if self.as_published else found

    @cached_property
    def independent_sd(self) -> float:
        """Eqn. (12) with the bootstrap of half as many points, as the printed figures have it (errata RAM 1, 2)."""
        size = max(1, len(self.profile.points) // 2) if self.as_published else None
        variances = self.profile.grid_variance(self.grid.edges, rule=self.rule, size=size).ravel()
        risk, trials = self.cells.risk, self.cells.trials
        if self.as_published:
            trials = np.where(trials, trials, PRINTED_SAMPLES)
        spread = np.divide(risk * (1 - risk), trials - 1, out=np.zeros_like(risk), where=trials > 1)
        total = self._total_mass[1]
        return float(np.sqrt(independent_variance(self.mass, variances / total**2, risk, spread)))

    @cached_property
    def operation(self) -> JudgedByCells:
        """Inputs of the profile that neither label cells nor are held out."""
        points = self.profile.points
        fresh = points[~copies_of(points, self.labelled.points)]
        if self.tests is not None:
            fresh = fresh[~copies_of(fresh, self.tests.points)]
        return self._judged(fresh)

    @cached_property
    def correction(self) -> Correction | None:
        if self.tests is None:
            return None
        self.grid.require_inside(self.tests.points, name="holdout")
        judged = self._judged(self.tests.points)
        weighted = bool(np.ptp(self.profile.weights) > 0) and not self.as_published
        weights = (
            self.profile.weigh(self.tests.points, self.test_labels) if weighted else np.ones(len(self.tests.points))
        )
        failed = self.undesired[self.tests.labels, judged.answer]
        points = self.profile.points
        reference = points[~copies_of(points, self.tests.points)]
        return Correction(judged, self.tests.labels, failed, weights, self.operation, reference, weighted)

    def _judged(self, points: FloatArray) -> JudgedByCells:
        return JudgedByCells.of(points, self.classifier, self.cells, self.undesired)

    def _own_failures(self) -> tuple[int, int]:
        """Failures on the labelled data of the cells, often the training data, and their number."""
        answers = self.classifier(self.labelled.points)
        return int(self.undesired[self.labelled.labels, answers].sum()), len(answers)

    def _check_inputs(self) -> CheckInputs:
        return CheckInputs(
            self.labelled.points,
            self.labelled.labels,
            self.cells,
            self._fresh(),
            self.correction,
            self.assembled.sd,
            self.independent_sd,
            self.seed,
        )

    def _fresh(self) -> JudgedByCells | None:
        """Inputs that neither the model nor the cells need have seen: from operation, or else the held-out ones."""
        if len(self.operation.points):
            return self.operation
        return None if self.correction is None or self.as_published else self.correction.tests

    def _params(self) -> Mapping[str, Any]:
        tests = self.correction
        return {
            "side": [float(np.diff(edges).max()) for edges in self.grid.edges],
            "domain": [self.grid.lower.tolist(), self.grid.upper.tolist()],
            "estimator": repr(self.estimator),
            "profile": repr(self.profile),
            # Evidence knows these distributions by names without the ending.
            "within": repr(self.within).replace("Inside(", "("),
            "as_published": self.as_published,
            "classes": list(self.classifier.classes),
            "undesired": self.undesired.tolist(),
            "points": array_digest(self.labelled.points),
            "labels": array_digest(self.labelled.labels),
            "cells": array_digest(self.labels_of_cells.labels),
            # A model in memory has no file; what it answers is what it is.
            "answers": array_digest(self.local.shares),
            "tests": tests and [array_digest(c) for c in (tests.tests.points, tests.labels, tests.tests.answer)],
            "operation": array_digest(self.profile.points),
            "weights": array_digest(self.profile.weights),
            "level": self.level,
            "seed": self.seed,
        }


def failing_inputs(
    cells: Cells,
    chosen: NDArray[np.int64],
    decide: Callable[[FloatArray], NDArray[np.int64]],
    undesired: NDArray[np.bool_],
    within: Within,
    *,
    seed: int,
) -> dict[int, tuple[float, ...]]:
    """For each chosen cell the first of ``TRIES`` points inside whose answer is a failure by the cell's label."""
    if not chosen.size:
        return {}
    points = within.draw(*cells.grid.corners(chosen), TRIES, np.random.default_rng(seed))
    answers = decide(points.reshape(-1, points.shape[-1])).reshape(len(chosen), TRIES)
    failed = undesired[cells.label[chosen][:, None], answers]
    first = failed.argmax(axis=1)
    return {int(cell): tuple(points[row, first[row]].tolist()) for row, cell in enumerate(chosen) if failed[row].any()}


# The data of an assessment, checked once: labelled points, held-out tests, inputs from operation.


@dataclass(frozen=True, eq=False)
class LabelledPoints:
    """Points and their labels as they were given."""

    points: FloatArray
    labels: NDArray[Any]

    def without(self, rows: NDArray[np.bool_]) -> LabelledPoints:
        """All rows but these."""
        return LabelledPoints(self.points[~rows], self.labels[~rows])


def labelled_points(points: Any, labels: Any, *, name: str, columns: int | None = None) -> LabelledPoints:
    """Rows of finite features and one label each."""
    checked, given = rows_of(points, name=name, columns=columns), np.asarray(labels)
    if given.ndim != 1 or len(given) != len(checked):
        raise InvalidInput(
            f"{name} needs one label for each of its {len(checked):,} rows",
            where=WHERE,
            found=f"labels of shape {given.shape}",
        )
    return LabelledPoints(checked, _one_kind(given, name))


def _one_kind(labels: NDArray[Any], name: str) -> NDArray[Any]:
    """Labels that can be told apart and sorted."""
    if labels.dtype != object:
        return labels
    missing = [row for row, label in enumerate(labels) if label is None]
    if missing:
        raise InvalidInput(f"row {missing[0]} of {name} has no label", where=WHERE, found=f"{len(missing)} such rows")
    return np.asarray([str(label) for label in labels]) if any(isinstance(v, str) for v in labels) else labels


def rows_of(points: Any, *, name: str, columns: int | None = None) -> FloatArray:
    """A table of finite numbers with at least one row."""
    table = as_table(points, where=WHERE, name=name, columns=columns)
    if 0 in table.shape:
        raise InvalidInput(f"{name} must have rows of features", where=WHERE, found=f"shape {table.shape}")
    return table


def _holdout(holdout: Any, columns: int) -> LabelledPoints:
    if not isinstance(holdout, tuple | list) or len(holdout) != 2:
        raise InvalidInput("holdout must be (inputs, labels)", where=WHERE, found=type(holdout).__name__)
    return labelled_points(*holdout, name="holdout", columns=columns)


def _not_held_out(given: LabelledPoints, tests: LabelledPoints) -> LabelledPoints:
    """Labels that shall put the cells right must not make them."""
    kept = given.without(copies_of(given.points, tests.points))
    if not len(kept.points):
        raise InvalidInput(
            "every row of X is held out, so no labels are left for the cells",
            where=WHERE,
            found=f"{len(given.points):,} rows",
            remedy="Hold out a part of the data only.",
        )
    require_several_classes(kept.labels)
    return kept


def require_several_classes(labels: NDArray[Any]) -> None:
    """At least two different labels."""
    distinct = np.unique(labels)
    if distinct.size < 2:
        raise InvalidInput(
            "the labelled data have one class only",
            where=WHERE,
            found=f"{len(labels):,} rows of {distinct.tolist()!r}",
            remedy="Add rows of the other classes: without them nothing says where their cells are.",
        )


def copies_of(points: FloatArray, others: FloatArray) -> NDArray[np.bool_]:
    """Which points are copies of the others, each of which has at most one; rounding to single precision is let pass.

    Values of coarse features repeat by chance. Taking away one point for each of the others leaves a fair sample then.
    """
    waiting = Counter(_keys(others))
    found = np.zeros(len(points), dtype=bool)
    for row, key in enumerate(_keys(points)):
        if waiting[key] > 0:
            waiting[key] -= 1
            found[row] = True
    return found


def _keys(points: FloatArray) -> list[bytes]:
    """Equal for rows that are equal in single precision; adding 0 makes -0.0 the same as 0.0."""
    with np.errstate(over="ignore"):
        rounded = np.ascontiguousarray(points, dtype=np.float32) + np.float32(0)
    return [row.tobytes() for row in rounded]


def require_memory(grid: Grid, classes: int) -> None:
    """All cells fit into the memory that is free."""
    needed, free = len(grid) * (BYTES_A_CELL + 8 * classes), _free_memory()
    if needed > USABLE * free:
        most = int(USABLE * free / (BYTES_A_CELL + 8 * classes))
        factor = (len(grid) / most) ** (1 / grid.dimensions)
        raise InvalidInput(
            f"{len(grid):,} cells need about {needed / 1e9:.1f} GB",
            where=WHERE,
            found=f"room for about {most:,} cells in {free / 1e9:.1f} GB of free memory",
            remedy=f"Use a side {factor:.2g} times as large, fewer features, or a narrower domain.",
        )


def _free_memory() -> float:
    try:
        return float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (ValueError, OSError, AttributeError):
        return 4e9
