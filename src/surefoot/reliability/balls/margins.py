"""How near each point is to failing: the score of the best undesired answer, less that of the best allowed one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import LoadedModel
from surefoot.adapters.outputs import score_type
from surefoot.adapters.torch_model import evaluating
from surefoot.core import DiagnosticsError
from surefoot.core.validate import FloatArray
from surefoot.reliability.balls.arrays import Array, Arrays, Host, Tensors
from surefoot.reliability.balls.problem import BallProblem
from surefoot.reliability.balls.score_quality import require_scores
from surefoot.reliability.balls.scores import class_scores, margins_from

CALL_VALUES = 1 << 24
"""Numbers in the rows that one call of the model is given in memory."""

GRADIENTS = 32
"""Particles of each ball whose gradients show the slope."""
REACH, TINY = 0.5, 1e-9
MOST_DIFFERENCES = 4096


class Margins(Protocol):
    """Margins of points in many balls at once: a failure is where one is at least 0."""

    @property
    def problem(self) -> BallProblem:
        """What is asked."""
        ...

    @property
    def arrays(self) -> Arrays:
        """Where points and margins live."""
        ...

    def __call__(self, balls: NDArray[np.int64], points: Array) -> Array:
        """``points`` (balls, m, features) give margins (balls, m)."""
        ...

    def slope(self, balls: NDArray[np.int64], points: Array) -> Array:
        """Mean slope of the margin at the points of each ball, (balls, features)."""
        ...

    def slope_calls(self, particles: int) -> int:
        """Forward passes that the slope in a ball with so many particles takes; a gradient counts as two more."""
        ...

    def prepared(self) -> Any:
        """A context in which the model answers as in operation."""
        ...


@dataclass(frozen=True, eq=False)
class HostMargins:
    """Margins of any model that takes arrays."""

    problem: BallProblem
    arrays: Arrays = field(default_factory=Host)

    def __call__(self, balls: NDArray[np.int64], points: Array) -> Array:
        size = max(1, CALL_VALUES // points.shape[2])
        inputs, model = self.problem.balls.as_inputs, self.problem.model
        answers = [model.answers(inputs(rows)) for rows in _portions(points, size)]
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


@dataclass(eq=False)
class TorchMargins:
    """Margins of a torch module, where its weights are, without a detour through numpy."""

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
        portions = _portions(points if host else points.reshape(1, -1, points.shape[2]), self.rows)
        answers = [self._answers(rows.reshape(-1, *self.problem.balls.shape)) for rows in portions]
        scores = class_scores(torch, torch.cat(answers), self.problem, self.problem.model.returns)
        if not bool(torch.isfinite(scores).all()):
            raise _not_finite(self.problem.model.name)
        undesired = torch.as_tensor(self.problem.undesired[self.problem.labels[balls]], device=self.arrays.device)
        return margins_from(torch, scores.reshape(*points.shape[:2], -1), undesired)

    def _answers(self, inputs: Array) -> Array:
        answer = self.module(inputs)
        answer = getattr(answer, "logits", answer)
        return answer.reshape(len(inputs), -1)


def margins_of(problem: BallProblem) -> Callable[[NDArray[np.int64], FloatArray], FloatArray]:
    """Margins from arrays to arrays: (balls,) numbers and (balls, m, features) points give (balls, m)."""
    margins = best_margins(problem)

    def of(balls: NDArray[np.int64], points: FloatArray) -> FloatArray:
        with margins.prepared():
            return np.asarray(margins.arrays.host(margins(balls, margins.arrays.of(points))), float)

    return of


def best_margins(problem: BallProblem) -> Margins:
    """By the torch module behind the model where there is one, else by what the model answers to arrays."""
    require_scores(problem.model, problem.balls.as_inputs(problem.balls.centres[:1]))
    module = torch_module(problem.model)
    if module is not None:
        weight = next(module.parameters())
        margins = TorchMargins(problem, module, Tensors(weight.device, weight.dtype))
        if margins.has_gradient():
            return margins
    return HostMargins(problem, Host(problem.balls.centres.dtype.type))


def torch_module(model: LoadedModel) -> Any:
    """The torch module behind a model, with weights in single or double precision; None where there is none.

    Numbers of half precision are too few to be uniform in a ball.
    """
    torch, module = sys.modules.get("torch"), model.source
    if torch is None or not isinstance(module, torch.nn.Module):
        return None
    weights = list(module.parameters())
    return module if weights and all(weight.dtype in (torch.float32, torch.float64) for weight in weights) else None


def _portions(points: Array, size: int) -> Iterator[Array]:
    """Rows for one call each, none from two balls: sums depend on how many rows there are in their last bits."""
    return (rows[i : i + size] for rows in points for i in range(0, len(rows), size))


def _not_finite(name: str) -> DiagnosticsError:
    text = "the model returned NaN or infinity for inputs inside a ball."
    hint = "It must return one row of finite scores for each input of the stated range."
    return DiagnosticsError.of("model-output", text, where=name, hint=hint)
