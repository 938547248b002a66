"""The balls that were looked into, as columns, and the few of them that people look at."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Table, validate
from surefoot.core.validate import FloatArray
from surefoot.reliability.balls.problem import KINDS, BallRisks

MOST_SHOWN = 20
LEVEL = 0.95
COLUMNS = ("number", "label", "answer", "weight", "draws", "risk", "log_risk", "how", "calls", "contribution")
SHOWN = (
    "ball",
    "label",
    "answer at centre",
    "weight",
    "draws",
    "log10 risk",
    "from",
    "to",
    "found",
    "calls",
    "contribution",
)


@dataclass(frozen=True, eq=False)
class EvaluatedBalls:
    """One entry a ball in every column, in the order of their numbers."""

    classes: tuple[str, ...]
    number: NDArray[np.int64]
    """The row of the inputs around which it lies."""
    label: NDArray[np.int64]
    answer: NDArray[np.int64]
    """What the model answers at the centre."""
    weight: FloatArray
    """Share of the frame."""
    draws: NDArray[np.int64]
    risks: BallRisks

    def __len__(self) -> int:
        return len(self.number)

    def __getitem__(self, column: str) -> NDArray[Any]:
        """A column by its name."""
        return np.asarray(getattr(self, validate.choice(column, COLUMNS, where="balls", name="column")))

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return COLUMNS

    @property
    def risk(self) -> FloatArray:
        """Probability of a failure inside."""
        return self.risks.risk

    @property
    def log_risk(self) -> FloatArray:
        """Natural logarithm of the risk."""
        return self.risks.log_risk

    @property
    def how(self) -> NDArray[np.uint8]:
        """How the risk was found, as a number into ``KINDS``."""
        return self.risks.how

    @property
    def calls(self) -> NDArray[np.int64]:
        """Forward passes of the model."""
        return self.risks.calls

    @property
    def contribution(self) -> FloatArray:
        """What each ball adds to the failure probability of the frame."""
        return self.weight * self.risk

    def leading(self, most: int = MOST_SHOWN) -> NDArray[np.int64]:
        """Places of the balls that add most, the largest first."""
        order = np.lexsort((self.number, -self.contribution))
        return order[: min(most, int((self.contribution > 0).sum()))]

    def top(self, most: int = MOST_SHOWN) -> Table:
        """The balls that add most to the failure probability."""
        return self.table(self.leading(most))

    def table(self, chosen: NDArray[np.int64] | None = None) -> Table:
        """The chosen places as a table for people, with intervals at level 0.95; all where nothing is said."""
        chosen = np.arange(len(self)) if chosen is None else chosen
        lower, upper = self.risks.take(chosen).interval(LEVEL)
        rows = [
            (
                int(self.number[ball]),
                self.classes[self.label[ball]],
                self.classes[self.answer[ball]],
                float(self.weight[ball]),
                int(self.draws[ball]),
                float(self.log_risk[ball]) / math.log(10),
                float(low),
                float(high),
                KINDS[self.how[ball]],
                int(self.calls[ball]),
                float(self.contribution[ball]),
            )
            for ball, low, high in zip(chosen.tolist(), lower, upper, strict=True)
        ]
        return Table(SHOWN, tuple(rows))

    def kinds(self) -> Table:
        """Balls, share of the frame and failure probability by how the risk was found."""
        total = max(float(self.contribution.sum()), np.finfo(float).tiny)
        rows = []
        for how, name in enumerate(KINDS):
            chosen = self.how == how
            if chosen.any():
                part = float(self.contribution[chosen].sum())
                calls = int(self.calls[chosen].sum())
                rows.append((name, int(chosen.sum()), float(self.weight[chosen].sum()), part / total, calls))
        return Table(("found", "balls", "share of the frame", "share of what they add", "calls"), tuple(rows))
