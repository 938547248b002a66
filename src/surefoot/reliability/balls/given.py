"""What an assessment in balls is given, checked once and put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.adapters import as_model
from surefoot.adapters.columns import agreed
from surefoot.core import Diagnostic, Executor, InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.executors import Serial
from surefoot.reliability.balls.adaptive import Adaptive
from surefoot.reliability.balls.assessment import BallAssessment
from surefoot.reliability.balls.designs import AtRandom, Design
from surefoot.reliability.balls.drawn import equal
from surefoot.reliability.balls.estimators import as_ball_estimator
from surefoot.reliability.balls.inputs import WHERE, Frame, ball_inputs
from surefoot.reliability.balls.layout import require_accepted_shape
from surefoot.reliability.balls.problem import BallProblem
from surefoot.reliability.balls.soundness import require_sound_model
from surefoot.reliability.classifier import Classifier
from surefoot.reliability.failures import Undesired, undesired_answers
from surefoot.reliability.local import Progress

WEIGHT_DRAWS = 200


def prepared(
    model: Any,
    frame: Frame,
    *,
    design: Design | None = None,
    weights: Any = None,
    estimator: Any = None,
    budget: int | None = None,
    holdout: tuple[ArrayLike, ArrayLike] | None = None,
    operational: ArrayLike | None = None,
    undesired: Undesired = None,
    classes: Sequence[str] = (),
    checks: bool = True,
    level: float = 0.95,
    executor: Executor | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> BallAssessment:
    """An assessment that can be run, or an error that says what is wrong with what was given."""
    seed = validate.seed(seed, where=WHERE)
    shares, draws, doubts = weights_of(weights, len(frame), seed)
    require_accepted_shape(as_model(model), frame)
    classifier, labels = Classifier.of(model, frame.inputs(), frame.labels, classes=classes)
    sound = require_sound_model(classifier.model, frame, classes=classifier.classes, seed=seed)
    table = undesired_answers(undesired, classifier.classes)
    return BallAssessment(
        problem=BallProblem(classifier.model, frame.balls, labels, table, _columns(classifier), classifier),
        frame=frame,
        classes=classifier.classes,
        answers=classifier(frame.inputs()),
        weights=shares,
        weight_draws=draws,
        estimator=None if estimator is None else as_ball_estimator(estimator),
        design=validate.kind(
            design or (AtRandom() if equal(shares) else Adaptive()),
            Design,
            where=WHERE,
            name="design",
            example="Adaptive()",
        ),
        budget=None if budget is None else validate.count(budget, where=WHERE, name="budget", at_least=2),
        tests=None if holdout is None else _tests(holdout, classifier, table, frame),
        operational=None if operational is None else _alike(operational, frame, "operational"),
        caveats=(*frame.caveats, *sound, *doubts),
        checks=checks,
        level=validate.level(level, where=WHERE),
        executor=validate.kind(
            executor or Serial(), Executor, where=WHERE, name="executor", example="executors.Processes(2)"
        ),
        seed=seed,
        progress=progress,
    )


def around(X: Any, centres: Any) -> Any:
    """The centres of the balls: the inputs, or what is given in their place."""
    if centres is None:
        return X
    if np.shape(centres) != np.shape(X):
        raise InvalidInput(
            "centres must have the shape of X", where=WHERE, found=f"{np.shape(centres)} and {np.shape(X)}"
        )
    return centres


def weights_of(given: Any, count: int, seed: int) -> tuple[FloatArray, FloatArray | None, tuple[Diagnostic, ...]]:
    """Weights that sum to 1, draws of them where they are uncertain, and what not to trust in them."""
    if given is None:
        return np.full(count, 1 / count), None, ()
    values = validate.vector(getattr(given, "values", given), where=WHERE, name="weights")
    if values.size != count or (values < 0).any() or not values.max() > 0:
        raise InvalidInput(
            f"weights must be {count:,} numbers of at least 0, one for each row and not all 0",
            where=WHERE,
            found=f"{values.size:,} numbers from {values.min():g} to {values.max():g}",
            remedy="Compute them from log-densities less their maximum where densities underflow.",
        )
    scaled = values / values.max()
    draws = given.draws(WEIGHT_DRAWS, np.random.default_rng(seed)) if hasattr(given, "draws") else None
    return scaled / scaled.sum(), draws, tuple(getattr(given, "caveats", ()))


def _columns(classifier: Classifier) -> tuple[int, ...]:
    """Which column of scores each class has; empty where they are in order."""
    names = classifier.classes
    found = agreed(names, classifier.model.classes, len(names), where=classifier.model.name)
    return found.order if found.moved else ()


def _alike(inputs: Any, frame: Frame, name: str) -> NDArray[np.floating]:
    """Further inputs as rows with the features of the frame."""
    array = np.asarray(inputs)
    if array.ndim < 2 or not len(array) or array.shape[1:] != frame.shape:
        raise InvalidInput(
            f"{name} must hold inputs of the shape of those in X",
            where=WHERE,
            found=f"shape {array.shape}, X has {frame.shape} an input",
        )
    return array.reshape(len(array), -1)


def _tests(holdout: Any, classifier: Classifier, undesired: NDArray[np.bool_], frame: Frame) -> tuple[int, int]:
    """Failures on held-out inputs, and their number."""
    if not isinstance(holdout, tuple | list) or len(holdout) != 2:
        raise InvalidInput("holdout must be (inputs, labels)", where=WHERE, found=type(holdout).__name__)
    _alike(holdout[0], frame, "holdout")
    tests = ball_inputs(*holdout, radius=frame.radius, input_range=(frame.low, frame.high))
    failed = undesired[classifier.numbers(tests.labels, where="holdout"), classifier(tests.inputs())]
    return int(failed.sum()), len(tests)
