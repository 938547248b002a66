"""The riskiest inputs, and for each an input inside its ball that fails."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Table
from surefoot.core.validate import FloatArray
from surefoot.project.steps.ball_pictures import Neighbour
from surefoot.reliability.balls.evaluated import EvaluatedBalls
from surefoot.reliability.balls.neighbours import failing_neighbours
from surefoot.reliability.balls.problem import BELOW, BallProblem
from surefoot.reliability.balls.result import BallReliability
from surefoot.reliability.classifier import Classifier
from surefoot.reliability.within import Uniform

MOST_FEATURES = 8
TRIES = 512


def neighbours(found: BallReliability, most: int) -> list[Neighbour]:
    """The riskiest inputs, the riskiest first; at most half of them such that are answered wrongly themselves."""
    balls, problem = found.cells, found.problem
    places = riskiest(balls, problem.undesired[balls.label, balls.answer], most)
    if not places.size:
        return []
    numbers = balls.number[places]
    failing = _failing(problem, numbers, found.seed)
    there: NDArray[np.bool_] = np.asarray(np.isfinite(failing).all(axis=1))
    inputs = problem.balls.as_inputs(np.where(there[:, None], failing, problem.balls.centres[numbers]))
    answers = Classifier(problem.model, balls.classes)(inputs.astype(problem.balls.centres.dtype))
    return [
        Neighbour(
            row=int(balls.number[place]),
            truth=balls.classes[balls.label[place]],
            answer=balls.classes[balls.answer[place]],
            failed=bool(problem.undesired[balls.label[place], balls.answer[place]]),
            log10_risk=float(balls.log_risk[place]) / math.log(10),
            centre=np.asarray(problem.balls.centres[balls.number[place]], float),
            failing=failing[i] if met else None,
            failing_answer=balls.classes[answers[i]] if met else "",
        )
        for i, (place, met) in enumerate(zip(places, there.tolist(), strict=True))
    ]


def _failing(problem: BallProblem, numbers: NDArray[np.int64], seed: int) -> FloatArray:
    """A failing input of each ball, by splitting; a model that answers with labels is only tried at random points."""
    if problem.decide is None or problem.model.returns != "label":
        return failing_neighbours(problem, numbers, seed=seed)
    points = Uniform().draw(*problem.balls.corners(numbers), TRIES, np.random.default_rng(seed))
    answers = problem.decide(problem.balls.as_inputs(points.reshape(-1, problem.balls.dimensions)))
    fails = problem.undesired[problem.labels[numbers][:, None], answers.reshape(len(numbers), TRIES)]
    first = points[np.arange(len(numbers)), fails.argmax(axis=1)]
    return np.where(fails.any(axis=1, keepdims=True), first, np.nan)


def riskiest(balls: EvaluatedBalls, failed: NDArray[np.bool_], most: int) -> NDArray[np.int64]:
    """Places of balls in which failures were found, the highest risk first; at most half of them fail at the centre.

    Where too few others are there, more of those are taken.
    """
    order = np.lexsort((balls.number, -balls.log_risk))
    order = order[np.isfinite(balls.log_risk[order]) & (balls.how[order] != BELOW)]
    few = ~failed[order] | (np.cumsum(failed[order]) <= most // 2)
    wanted = np.concatenate([np.flatnonzero(few), np.flatnonzero(~few)])[:most]
    return order[np.sort(wanted)]


def neighbour_table(found: Sequence[Neighbour]) -> Table:
    """The same for inputs that are no pictures."""
    columns = ("row", "true class", "answer", "log10 risk", "answer to a failing neighbour", "input", "neighbour")
    rows = [
        (
            each.row,
            each.truth,
            each.answer,
            each.log10_risk,
            each.failing_answer or "none found",
            _features(each.centre),
            "" if each.failing is None else _features(each.failing),
        )
        for each in found
    ]
    return Table(columns, tuple(rows))


def _features(values: FloatArray) -> str:
    few = ", ".join(f"{value:.4g}" for value in np.ravel(values)[:MOST_FEATURES])
    return few if np.size(values) <= MOST_FEATURES else f"{few}, ..."
