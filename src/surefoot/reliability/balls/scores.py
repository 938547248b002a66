"""Margins from what a model answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from surefoot.reliability.balls.arrays import Array
from surefoot.reliability.balls.problem import BallProblem

CALL_VALUES = 1 << 24
"""Numbers in the rows that one call of the model is given in memory."""


def class_scores(xp: Any, answers: Array, problem: BallProblem, returns: str | None) -> Array:
    """A column a class; of probabilities their logarithms, which do not saturate where the answer is clear."""
    answers = answers.reshape(len(answers), -1)
    if answers.shape[1] == 1:
        first = 1 - answers if returns == "probability" else 0 * answers
        answers = xp.concatenate([first, answers], axis=1) if xp is np else xp.cat([first, answers], dim=1)
    if returns == "probability":
        answers = xp.log(xp.clip(answers, xp.finfo(answers.dtype).tiny, None))
    return answers[:, list(problem.columns)] if problem.columns else answers


def margins_from(xp: Any, scores: Array, undesired: Array) -> Array:
    """``scores`` (balls, m, classes), ``undesired`` (balls, classes)."""
    bad, low = undesired[:, None, :], -xp.inf
    worst = xp.where(bad, scores, low)
    allowed = xp.where(bad, low, scores)
    if xp is np:
        return worst.max(axis=2) - allowed.max(axis=2)
    return xp.amax(worst, dim=2) - xp.amax(allowed, dim=2)


def portions(points: Array, size: int) -> Iterator[Array]:
    """Rows for one call each, none from two balls: sums depend on how many rows there are in their last bits."""
    return (rows[i : i + size] for rows in points for i in range(0, len(rows), size))
