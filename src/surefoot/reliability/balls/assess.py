"""Reliability in balls: a sampling frame of inputs, balls drawn from it, the risk inside, their mean (RAM, 4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from surefoot.core import Executor
from surefoot.reliability.balls.designs import Design
from surefoot.reliability.balls.given import around, prepared
from surefoot.reliability.balls.inputs import ball_inputs
from surefoot.reliability.balls.result import BallReliability
from surefoot.reliability.failures import Undesired
from surefoot.reliability.local import Progress


def assess_balls(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    radius: float,
    weights: Any = None,
    estimator: Any = None,
    budget: int | None = None,
    design: Design | None = None,
    holdout: tuple[ArrayLike, ArrayLike] | None = None,
    operational: ArrayLike | None = None,
    undesired: Undesired = None,
    classes: Sequence[str] = (),
    input_range: Sequence[float] = (0, 1),
    centres: ArrayLike | None = None,
    checks: bool = True,
    level: float = 0.95,
    executor: Executor | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> BallReliability:
    """Bound the probability that a classifier fails within ``radius`` of its next input, from balls around data points.

    ``X`` are inputs of any shape with true labels ``y``. Balls of ``radius`` in the maximum norm, cut to
    ``input_range``, lie around them, or around ``centres``, one for each row, such as their decoded images (RAM,
    Remark 4). ``weights`` say how often each row's like comes in operation: equal ones where nothing is said, one
    number a row, or ``profile.LatentWeights``, which carry their uncertainty.

    ``budget`` is the number of balls that ``design`` may draw (``AtRandom()``, the default with equal weights,
    ``Adaptive()``, the default with others, ``ByWeight()``, ``ByRisk()``, ``Stratified()``, ``WithReplacement()``);
    without it every ball is looked into. ``estimator`` finds the risk inside:
    ``MultilevelSplitting()``, ``MonteCarlo()``, ``Interval()``; without one, failures are counted where they are
    frequent enough for the mean, and else split as far down as adds to it.

    Give rows that the model was not trained on. Where ``X`` are such that it was, ``holdout`` (inputs, labels) from
    operation keeps the answer honest: the wider of both limits is signed. ``operational`` inputs let the assumption
    be checked that the rows represent operation.
    """
    return prepared(
        model,
        ball_inputs(around(X, centres), y, radius=radius, input_range=input_range),
        weights=weights,
        estimator=estimator,
        budget=budget,
        design=design,
        holdout=holdout,
        operational=operational,
        undesired=undesired,
        classes=classes,
        checks=checks,
        level=level,
        executor=executor,
        seed=seed,
        progress=progress,
    ).result()
