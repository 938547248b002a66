"""The parts of an assessment in balls: frame, draws, risk inside, means and their limits (RAM, section 4.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Assumption, Diagnostic, Executor, array_digest
from surefoot.core.validate import FloatArray
from surefoot.reliability.balls.assumptions import Examined, examine, unexamined
from surefoot.reliability.balls.designs import Design, SamplingFrame
from surefoot.reliability.balls.drawn import Census, Drawn
from surefoot.reliability.balls.estimators import usual_estimator
from surefoot.reliability.balls.evaluated import EvaluatedBalls
from surefoot.reliability.balls.inputs import Frame
from surefoot.reliability.balls.looking import Looked
from surefoot.reliability.balls.predicted import FAILING_CENTRE, predicted_risk
from surefoot.reliability.balls.problem import BELOW, SPLIT, BallEstimator, BallProblem, BallRisks
from surefoot.reliability.balls.repeated import REACHED, examined
from surefoot.reliability.balls.result import BallReliability
from surefoot.reliability.balls.shares import VarianceParts
from surefoot.reliability.balls.statements import Statements
from surefoot.reliability.local import Progress

CHECKS_OFF = Diagnostic("checks-off", "Assumptions were not checked.", hint="Leave out checks=False.")
FAR_FROM_FAILING = 0.01
"""Guessed risk of balls whose centre does not fail, where a model gives no scores to tell more."""
GUESS, DRAW = 0, 1


@dataclass(frozen=True, eq=False)
class BallAssessment:
    """Everything that is given, checked."""

    problem: BallProblem
    frame: Frame
    classes: tuple[str, ...]
    answers: NDArray[np.int64]
    """What the model answers at each centre."""
    weights: FloatArray
    weight_draws: FloatArray | None
    estimator: BallEstimator | None
    """None for the one that the predicted risk calls for."""
    design: Design
    budget: int | None
    tests: tuple[int, int] | None
    operational: NDArray[np.floating] | None
    caveats: tuple[Diagnostic, ...]
    checks: bool
    level: float
    executor: Executor
    seed: int
    progress: Progress | None

    def with_radius(self, radius: float) -> BallAssessment:
        """The same with balls of another radius."""
        frame = replace(self.frame, radius=radius)
        return replace(self, frame=frame, problem=replace(self.problem, balls=frame.balls))

    def result(self) -> BallReliability:
        """Draw, look, and state."""
        looked = Looked(self.problem, self._estimator, self.executor, self.seed, self._balls_asked, self.progress)
        drawn = self._drawn(looked)
        risks = looked.risks_of(drawn.chosen)
        parts = VarianceParts.of(drawn, risks.variance, self.weight_draws)
        stated = Statements(
            drawn=drawn,
            variance=risks.variance,
            below=risks.how == BELOW,
            parts=parts,
            centres=(int(self._failing.sum()), self._failing.size),
            tests=self.tests,
            assumptions=(*self._assumptions(drawn, parts), *self._reached(looked)),
            caveats=(*self.caveats, *(() if self.checks else (CHECKS_OFF,))),
            level=self.level,
            params=self._params(drawn, risks),
            seed=self.seed,
        )
        return BallReliability(
            pmi=stated.pmi(),
            acu=stated.acu(),
            assumptions=stated.assumptions,
            by_balls=stated.by_balls(),
            cells=self._evaluated(drawn, looked),
            drawn=drawn,
            stated=stated,
            problem=self.problem,
            seed=self.seed,
        )

    @property
    def _failing(self) -> NDArray[np.bool_]:
        return self.problem.undesired[self.problem.labels, self.answers]

    @property
    def _balls_asked(self) -> int:
        return len(self.frame) if self.budget is None else min(self.budget, len(self.frame))

    def _drawn(self, look: Looked) -> Drawn:
        count = len(self.frame)
        if self._balls_asked == count:
            everything = np.arange(count)
            return Census(self.weights, everything, look(everything), np.ones(count))
        frame = SamplingFrame(self.weights, lambda: self._guess)
        return self.design.draw(frame, look, self._balls_asked, np.random.default_rng([self.seed, DRAW]))

    @cached_property
    def _estimator(self) -> BallEstimator:
        if self.estimator is not None:
            return self.estimator
        return usual_estimator(float(self.weights @ self._guess), self._balls_asked, self.problem)

    @cached_property
    def _guess(self) -> FloatArray:
        if self.problem.model.returns == "label":
            return np.where(self._failing, FAILING_CENTRE, FAR_FROM_FAILING)
        seed = int(np.random.SeedSequence([self.seed, GUESS]).generate_state(1, np.uint64)[0])
        return predicted_risk(self.problem, self.executor, seed)

    def _assumptions(self, drawn: Drawn, parts: VarianceParts) -> tuple[Assumption, ...]:
        if not self.checks:
            return unexamined()
        return examine(Examined(self.frame, drawn, parts, self.operational, self.caveats, self.seed))

    def _reached(self, looked: Looked) -> tuple[Assumption, ...]:
        """What splitting rests on, where it had a part."""
        numbers = np.sort(looked.numbers)
        risks, weights = looked.risks_of(numbers), self.weights[numbers]
        if not self.checks:
            return (REACHED,) if np.isin(risks.how, (SPLIT, BELOW)).any() else ()
        return examined(self.problem, self._estimator, numbers, risks, weights, executor=self.executor, seed=self.seed)

    def _evaluated(self, drawn: Drawn, looked: Looked) -> EvaluatedBalls:
        numbers = np.sort(looked.numbers)
        return EvaluatedBalls(
            self.classes,
            numbers,
            self.problem.labels[numbers],
            self.answers[numbers],
            self.weights[numbers],
            np.bincount(drawn.chosen, minlength=len(self.frame))[numbers],
            looked.risks_of(numbers),
        )

    def _params(self, drawn: Drawn, risks: BallRisks) -> Mapping[str, Any]:
        return {
            "radius": self.frame.radius,
            "input_range": [self.frame.low, self.frame.high],
            "estimator": repr(self._estimator),
            "design": repr(self.design) if self._balls_asked < len(self.frame) else "all balls",
            "budget": self._balls_asked,
            "classes": list(self.classes),
            "undesired": self.problem.undesired.tolist(),
            "points": array_digest(self.frame.rows),
            "labels": array_digest(self.problem.labels),
            "weights": array_digest(self.weights),
            # A model in memory has no file; what it answers is what it is.
            "answers": [array_digest(self.answers), array_digest(drawn.chosen), array_digest(risks.log_risk)],
            "tests": None if self.tests is None else list(self.tests),
            "level": self.level,
            "seed": self.seed,
        }
