"""The threshold of a monitor: stated, or chosen on calibration rows under a budget."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.monitors.returns.stakes import Stakes
from surefoot.monitors.thresholds import Choice, by_availability, by_hazard, grid_of
from surefoot.project.steps.monitor_stakes import calibration_rows

CALIBRATE, DELTA = 0.5, 0.1
GRID_SHARE = 0.2
"""Share of the calibration rows whose scores make the grid of thresholds, which the others then test."""


@dataclass(frozen=True, eq=False)
class Judged:
    """Alarms of the rows that judge a monitor, and how its threshold came about."""

    rows: NDArray[np.bool_]
    """Which of the tested rows judge."""
    alarms: NDArray[np.bool_]
    threshold: float | None = None
    choice: Choice | None = None


@dataclass(frozen=True)
class Budget:
    """What a project file says of the threshold."""

    where: str
    threshold: float | None
    availability: float | None
    hazard: float | None
    mode: str | None
    delta: float | None
    calibrate: float | None
    seed: int

    def __post_init__(self) -> None:
        stated = [name for name in ("threshold", "availability", "hazard") if getattr(self, name) is not None]
        if len(stated) != 1:
            raise InvalidInput(
                "says how the threshold comes about exactly once",
                where=self.where,
                found=" and ".join(f"{name}:" for name in stated) or "nothing",
                remedy="Give one of threshold:, availability: and hazard:, such as availability: 0.05.",
            )
        if self.threshold is not None and (self.mode, self.delta, self.calibrate) != (None, None, None):
            raise self._idle("mode:, delta: and calibrate: say how a threshold is chosen, and threshold: states it")
        if self.delta is not None and self.mode != "probability":
            raise self._idle("delta: goes with mode: probability")

    def _idle(self, problem: str) -> InvalidInput:
        return InvalidInput(problem, where=self.where, remedy="Leave out what has no effect.")

    def judged(self, stakes: Stakes, scores: FloatArray) -> Judged:
        """Rows that judge, and their alarms."""
        if self.threshold is not None:
            return Judged(np.ones(scores.size, dtype=bool), scores > self.threshold, self.threshold)
        if stakes.unit_count < 4:
            found, remedy = f"{stakes.unit_count} independent", "Add rows, or state threshold:."
            problem = "too few rows to choose a threshold on some of them and to judge it on others"
            raise InvalidInput(problem, where=self.where, found=found, remedy=remedy)
        chooses = calibration_rows(stakes, self.calibrate or CALIBRATE, self.seed)
        choice = self.choice(stakes.chosen(chooses), scores[chooses])
        judges = ~chooses
        return Judged(judges, scores[judges] > choice.threshold, choice.threshold, choice)

    def choice(self, stakes: Stakes, scores: FloatArray) -> Choice:
        """The threshold that keeps the budget on calibration rows."""
        choose, budget = (by_hazard, self.hazard) if self.hazard is not None else (by_availability, self.availability)
        assert budget is not None
        if self.mode != "probability":
            return choose(stakes, scores, budget=budget, mode="expectation")
        grid = calibration_rows(stakes, GRID_SHARE, self.seed + 1)
        thresholds = grid_of(scores[grid])
        rest = stakes.chosen(~grid)
        return choose(
            rest, scores[~grid], budget=budget, mode="probability", delta=self.delta or DELTA, thresholds=thresholds
        )
