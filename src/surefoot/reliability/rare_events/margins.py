"""How near inputs are to failing: the score of the best undesired answer, less that of the best allowed one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.adapters import LoadedModel
from surefoot.adapters.answers import is_label, put, score_type, settle
from surefoot.adapters.python_models import evaluating
from surefoot.core import Diagnostic, DiagnosticsError, Executor
from surefoot.core.validate import FloatArray
from surefoot.reliability.local_risk import UniformInside
from surefoot.reliability.rare_events.devices import Array, Arrays, Host, Tensors
from surefoot.reliability.rare_events.problem import BallPart, BallProblem, VariedBalls

CALL_VALUES = 1 << 24
"""Numbers in the rows that one call of the model is given in memory."""
REACH, TINY = 0.5, 1e-9
MOST_DIFFERENCES = 4096
GRADIENTS = 32
"""Particles of each ball whose gradients show the slope."""
POINTS = 16
LEAST = 1e-12
FAILING_CENTRE = 0.5
ROUNDING = 1e-9
VALUES = 1 << 22
"""Numbers in the points that are held at once."""
MANY = 0.01
"""Share of inputs whose scores may say nothing."""


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


def best_margins(problem: BallProblem) -> Margins:
    """By the torch module behind the model where there is one, else by what the model answers to arrays."""
    require_scores(problem.model, problem.balls.as_inputs(problem.balls.centres[:1]))
    if isinstance(problem.balls, VariedBalls):
        return HostMargins(problem, Host(np.float64))
    module = torch_module(problem.model)
    if module is not None:
        weight = next(module.parameters())
        margins = TorchMargins(problem, module, Tensors(weight.device, weight.dtype))
        if margins.has_gradient():
            return margins
    return HostMargins(problem, Host(problem.balls.centres.dtype.type))


def margins_of(problem: BallProblem) -> Callable[[NDArray[np.int64], FloatArray], FloatArray]:
    """Margins from arrays to arrays: (balls,) numbers and (balls, m, features) points give (balls, m)."""
    margins = best_margins(problem)

    def of(balls: NDArray[np.int64], points: FloatArray) -> FloatArray:
        with margins.prepared():
            return np.asarray(margins.arrays.host(margins(balls, margins.arrays.of(points))), float)

    return of


@dataclass(frozen=True, eq=False)
class HostMargins:
    """Margins of any model that takes arrays."""

    problem: BallProblem
    arrays: Arrays = field(default_factory=Host)

    def __call__(self, balls: NDArray[np.int64], points: Array) -> Array:
        size = max(1, CALL_VALUES // self.problem.balls.width)
        inputs, model = self.problem.balls.inputs_at, self.problem.model
        answers = [
            model.answers(inputs(ball, rows))
            for ball, inside in zip(balls.tolist(), points, strict=True)
            for rows in portions(inside[None], size)
        ]
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


def torch_module(model: LoadedModel) -> Any:
    """The torch module behind a model, with weights in single or double precision; None where there is none.

    Numbers of half precision are too few to be uniform in a ball.
    """
    torch, module = sys.modules.get("torch"), model.source
    if torch is None or not isinstance(module, torch.nn.Module):
        return None
    weights = list(module.parameters())
    return module if weights and all(weight.dtype in (torch.float32, torch.float64) for weight in weights) else None


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


# A cheap guess of the risk in every ball, which says where to look; a wrong one costs precision only.


def predicted_risk(problem: BallProblem, executor: Executor, seed: int) -> FloatArray:
    """Guessed risk of all balls, from a few uniform points and the centre of each."""
    count = len(problem.balls)
    size = max(1, VALUES // ((POINTS + 1) * problem.balls.width))
    parts = [problem.part(np.arange(start, min(start + size, count))) for start in range(0, count, size)]
    return np.concatenate(executor.map(partial(_guess, problem.shell()), parts, seed=seed))


def _guess(shell: BallProblem, part: BallPart, rng: np.random.Generator) -> FloatArray:
    problem, balls = shell.of(part), np.arange(len(part))
    points = UniformInside().draw(*problem.balls.corners(balls), POINTS, rng)
    if isinstance(problem.balls, VariedBalls):
        plain = replace(problem, balls=problem.balls.unvaried)
        centres = margins_of(plain)(balls, part.centres[:, None].astype(float))[:, 0]
        return risk_of_margins(margins_of(problem)(balls, points), centres)
    found = margins_of(problem)(balls, np.concatenate([points, part.centres[:, None, :]], axis=1))
    return risk_of_margins(found[:, :-1], found[:, -1])


def risk_of_margins(inside: FloatArray, centre: FloatArray) -> FloatArray:
    """Chance that a normal margin reaches 0, at least the share of points where it does; high where a centre fails."""
    finite = np.asarray(np.isfinite(inside).all(axis=1))
    known = np.where(finite[:, None], inside, -1.0)
    mean = known.mean(axis=1)
    spread = known.std(axis=1, ddof=1) + ROUNDING * np.abs(mean) + np.finfo(float).tiny
    normal = np.where(finite, special.ndtr(mean / spread), LEAST)
    guess = np.maximum(normal, (inside >= 0).mean(axis=1))
    return np.clip(np.maximum(guess, np.where(centre >= 0, FAILING_CENTRE, 0.0)), LEAST, 1.0)


# Whether a model's scores tell how far an input is from failing.


def require_scores(model: LoadedModel, inputs: NDArray[Any] | None = None) -> None:
    """The model returns scores, as far as it is known or as the given inputs show."""
    labels = model.returns == "label" if inputs is None else is_label(model.answers(inputs), model.returns)
    if labels:
        raise DiagnosticsError.of(
            "scores-needed",
            "splitting needs scores, which say how far an input is from failing; the model returns labels.",
            where=model.name,
            hint="Let the model return logits or probabilities, or count failures: estimator=MonteCarlo(...).",
        )


def saturated(model: LoadedModel, answers: NDArray[Any]) -> tuple[Diagnostic, ...]:
    """A caveat where the two highest scores are equal, or all probabilities but one are 0, for many inputs."""
    if is_label(answers, model.returns):
        return ()
    flat = _says_nothing(model, answers)
    share = float(flat.mean())
    if share <= MANY:
        return ()
    return (
        Diagnostic(
            "scores-saturate",
            f"at {share:.0%} of {len(flat):,} inputs the highest scores tie or all probabilities but one are 0, so "
            "scores do not tell how close these inputs are to failing.",
            where=model.name,
            hint="Let the model return logits, in double precision where they are large.",
        ),
    )


def _says_nothing(model: LoadedModel, answers: NDArray[Any]) -> NDArray[np.bool_]:
    single = answers.ndim == 1
    scores = np.zeros((len(answers), 2 if single else answers.shape[1]), score_type(answers, model.name))
    put(scores, answers)
    returns = settle(scores, single=single, returns=model.returns, usual=model.usual)
    if single:
        scores[:, 0] = 1 - scores[:, 1] if returns == "probability" else 0
    top = np.sort(scores, axis=1)[:, -2:]
    tied = top[:, 1] == top[:, 0]
    return np.asarray(tied | (top[:, 0] == 0) if returns == "probability" else tied)
