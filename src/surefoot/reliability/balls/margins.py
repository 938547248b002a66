"""How near each point is to failing: the score of the best undesired answer, less that of the best allowed one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import LoadedModel
from surefoot.core.validate import FloatArray
from surefoot.reliability.balls.arrays import Array, Arrays, Host, Tensors
from surefoot.reliability.balls.host_margins import HostMargins
from surefoot.reliability.balls.problem import BallProblem
from surefoot.reliability.balls.score_quality import require_scores
from surefoot.reliability.balls.torch_margins import TorchMargins


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
