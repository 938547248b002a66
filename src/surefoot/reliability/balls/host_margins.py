"""Margins of any model that takes arrays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.outputs import score_type
from surefoot.reliability.balls.arrays import Array, Arrays, Host
from surefoot.reliability.balls.problem import BallProblem
from surefoot.reliability.balls.scores import CALL_VALUES, class_scores, margins_from, portions

REACH, TINY = 0.5, 1e-9
MOST_DIFFERENCES = 4096


@dataclass(frozen=True, eq=False)
class HostMargins:
    """Margins of any model that takes arrays."""

    problem: BallProblem
    arrays: Arrays = field(default_factory=Host)

    def __call__(self, balls: NDArray[np.int64], points: Array) -> Array:
        size = max(1, CALL_VALUES // points.shape[2])
        inputs, model = self.problem.balls.as_inputs, self.problem.model
        answers = [model.answers(inputs(rows)) for rows in portions(points, size)]
        joined = np.concatenate(answers)
        scores = class_scores(np, joined.astype(score_type(joined, model.name)), self.problem, model.returns)
        return margins_from(
            np, scores.reshape(*points.shape[:2], -1), self.problem.undesired[self.problem.labels[balls]]
        )

    def slope(self, balls: NDArray[np.int64], points: Array) -> Array:
        """By differences from the mean point over half the particles' spread: such a model has no gradient to give."""
        lower, upper = self.problem.balls.corners(balls)
        middle, spread = points.mean(1), REACH * points.std(1) + TINY
        # Towards the farther face, where the ball goes on.
        steps = np.where(2 * middle > lower + upper, -spread, spread)
        each = (
            self._slope_by_directions if self.problem.balls.dimensions > MOST_DIFFERENCES else self._slope_by_features
        )
        return np.stack([each(*row) for row in zip(balls[:, None], middle, steps, strict=True)])

    def _slope_by_features(self, ball: NDArray[np.int64], middle: Array, steps: Array) -> Array:
        start = self(ball, middle[None, None])[0, 0]
        rises = np.empty_like(middle)
        for part in np.array_split(np.arange(middle.size), -(-(middle.size**2) // CALL_VALUES)):
            moved = np.tile(middle, (part.size, 1))
            moved[np.arange(part.size), part] += steps[part]
            rises[part] = self(ball, moved[None])[0] - start
        return rises / steps

    def _slope_by_directions(self, ball: NDArray[np.int64], middle: Array, steps: Array) -> Array:
        """All features at once in random directions, where one by one would be too many (Spall 1992)."""
        rng, found = np.random.default_rng(0), np.zeros_like(middle)
        for _ in range(MOST_DIFFERENCES // 2):
            step = np.where(rng.random(middle.size) < 0.5, steps, -steps) / np.sqrt(middle.size)
            ahead, behind = self(ball, np.stack([middle + step, middle - step])[None])[0]
            found += (ahead - behind) / step
        return found / MOST_DIFFERENCES

    def slope_calls(self, particles: int) -> int:
        """One at the mean point, and one a feature."""
        return 1 + min(self.problem.balls.dimensions, MOST_DIFFERENCES)

    @contextmanager
    def prepared(self) -> Iterator[None]:
        yield
