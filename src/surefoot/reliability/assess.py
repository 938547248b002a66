"""Reliability in cells: partition, profile, risk inside, sum, and correction by held-out labels (RAM, section 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike

from surefoot.core import Executor, InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.executors import Serial
from surefoot.profile import KDE, Profile
from surefoot.reliability import inputs
from surefoot.reliability.assessment import Assessment
from surefoot.reliability.classifier import Classifier
from surefoot.reliability.failures import Undesired, undesired_answers
from surefoot.reliability.grid import Grid
from surefoot.reliability.inputs import WHERE, Labelled
from surefoot.reliability.labelling import Oracle
from surefoot.reliability.local import LocalEstimator, Progress
from surefoot.reliability.monte_carlo import MonteCarlo
from surefoot.reliability.result import CellReliability
from surefoot.reliability.within import Uniform, Within


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

    ``X`` and ``y`` label the cells of ``side`` that ``domain`` (low and high of each feature) is cut into. ``profile``
    says how likely inputs are in operation; one without data is fitted to ``operational``, or to ``X``. ``estimator``
    finds the risk inside cells: ``MonteCarlo()`` for any model, ``ExactTrees()``, ``Interval()``.

    ``holdout`` (inputs, labels) from operation corrects the sum over cells, because cells labelled by vote let the
    model judge itself. Rows of it that are also in ``X`` are left out there. Without it, the answer is the uncorrected
    sum, marked as such. ``as_published`` gives RAM's own form: density at centres, independent cells, half-sized
    bootstrap.

    ``classes`` names the columns of scores where the model does not, ``undesired`` maps a true label to the answers
    that count as failures, ``oracle`` maps centres of empty cells to labels in place of the vote, ``within`` is the
    distribution inside a cell.
    """
    given = inputs.labelled(X, y, name="X")
    inputs.require_several_classes(given.labels)
    columns = given.points.shape[1]
    tests = None if holdout is None else _holdout(holdout, columns)
    further = None if operational is None else inputs.rows_of(operational, name="operational", columns=columns)
    kept = given if tests is None or as_published else _not_held_out(given, tests)
    classifier, numbers = Classifier.of(model, kept.points, kept.labels, classes=classes)
    grid = Grid.of(domain, side, dimensions=columns)
    inputs.require_memory(grid, len(classifier.classes))
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
        within=validate.kind(within or Uniform(), Within, where=WHERE, name="within", example="Uniform()"),
        as_published=as_published,
        checks=checks,
        level=validate.level(level, where=WHERE),
        executor=validate.kind(
            executor or Serial(), Executor, where=WHERE, name="executor", example="executors.Processes(2)"
        ),
        seed=validate.seed(seed, where=WHERE),
        progress=progress,
    ).result()


def _holdout(holdout: Any, columns: int) -> Labelled:
    if not isinstance(holdout, tuple | list) or len(holdout) != 2:
        raise InvalidInput("holdout must be (inputs, labels)", where=WHERE, found=type(holdout).__name__)
    return inputs.labelled(*holdout, name="holdout", columns=columns)


def _not_held_out(given: Labelled, tests: Labelled) -> Labelled:
    """Labels that shall put the cells right must not make them."""
    kept = given.without(inputs.copies_of(given.points, tests.points))
    if not len(kept.points):
        raise InvalidInput(
            "every row of X is held out, so no labels are left for the cells",
            where=WHERE,
            found=f"{len(given.points):,} rows",
            remedy="Hold out a part of the data only.",
        )
    inputs.require_several_classes(kept.labels)
    return kept


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
    inputs.rows_of(fitted.points, name="points of the profile", columns=grid.dimensions)
    grid.require_inside(fitted.points, name="the profile")
    return fitted
