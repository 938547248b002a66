"""Margins of a torch module, where its weights are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.torch_model import evaluating
from surefoot.core import DiagnosticsError
from surefoot.reliability.balls.arrays import Array, Tensors
from surefoot.reliability.balls.problem import BallProblem
from surefoot.reliability.balls.scores import CALL_VALUES, class_scores, margins_from, portions

GRADIENTS = 32
"""Particles of each ball whose gradients show the slope."""


@dataclass(eq=False)
class TorchMargins:
    """Margins without a detour through numpy."""

    problem: BallProblem
    module: Any
    arrays: Tensors
    rows: int = 0
    """Rows in a call."""

    def __post_init__(self) -> None:
        host = self.arrays.device.type == "cpu"
        most = CALL_VALUES if host else CALL_VALUES << 6
        self.rows = self.rows or max(1, most // self.problem.balls.dimensions)

    def __call__(self, balls: NDArray[np.int64], points: Array) -> Array:
        with self.arrays.xp.no_grad():
            return self._margins(balls, points)

    def slope(self, balls: NDArray[np.int64], points: Array) -> Array:
        """By the gradients of some particles."""
        torch = self.arrays.xp
        with torch.enable_grad():
            leaf = points[:, :GRADIENTS].detach().clone().requires_grad_()
            (slopes,) = torch.autograd.grad(self._margins(balls, leaf).sum(), leaf)
        # Where a gradient is no number, such as that of a root at 0, it says nothing.
        return torch.nan_to_num(slopes, 0.0, 0.0, 0.0).mean(1)

    def slope_calls(self, particles: int) -> int:
        """A forward and a backward pass for each particle that is looked at."""
        return 3 * min(GRADIENTS, particles)

    def has_gradient(self) -> bool:
        """Whether scores depend on inputs in a way that torch can follow; a module may forbid it."""
        torch, balls = self.arrays.xp, self.problem.balls
        leaf = self.arrays.of(balls.as_inputs(np.array(balls.centres[:1]))).requires_grad_()
        with torch.enable_grad(), evaluating(self.module):
            scores = self._answers(leaf).sum()
            return scores.requires_grad and torch.autograd.grad(scores, leaf, allow_unused=True)[0] is not None

    @contextmanager
    def prepared(self) -> Iterator[None]:
        torch = self.arrays.xp
        threads = torch.get_num_threads()
        with evaluating(self.module):
            if self.arrays.device.type == "cpu":
                # Sums depend on the number of threads in their last bits, and a chain of moves does not forget them.
                torch.set_num_threads(1)
            try:
                yield
            finally:
                torch.set_num_threads(threads)

    def _margins(self, balls: NDArray[np.int64], points: Array) -> Array:
        torch = self.arrays.xp
        host = self.arrays.device.type == "cpu"
        by_ball = points if host else points.reshape(1, -1, points.shape[2])
        answers = [self._answers(rows.reshape(-1, *self.problem.balls.shape)) for rows in portions(by_ball, self.rows)]
        scores = class_scores(torch, torch.cat(answers), self.problem, self.problem.model.returns)
        if not bool(torch.isfinite(scores).all()):
            raise _not_finite(self.problem.model.name)
        undesired = torch.as_tensor(self.problem.undesired[self.problem.labels[balls]], device=self.arrays.device)
        return margins_from(torch, scores.reshape(*points.shape[:2], -1), undesired)

    def _answers(self, inputs: Array) -> Array:
        answer = self.module(inputs)
        answer = getattr(answer, "logits", answer)
        return answer.reshape(len(inputs), -1)


def _not_finite(name: str) -> DiagnosticsError:
    text = "the model returned NaN or infinity for inputs inside a ball."
    hint = "It must return one row of finite scores for each input of the stated range."
    return DiagnosticsError.of("model-output", text, where=name, hint=hint)
