"""``Measured``: errors and scores of every item in every condition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.metrics.tasks import Metric
from surefoot.systems.data.conditions import CLEAN, Condition

Family = Literal["strangeness", "uncertainty"]
"""What a score tells: how far an input lies from what a module was trained on, or how unsure the module is."""
Row = tuple[Any, ...]
"""A row of a table."""


class Score(NamedTuple):
    """A score of a module, such as ``encoder KDE``."""

    module: str
    name: str

    @property
    def label(self) -> str:
        """Module and name."""
        return f"{self.module} {self.name}"


class Columns(Protocol):
    """Where columns come from; each is read when it is asked for."""

    def statistics(self, condition: Condition) -> FloatArray:
        """Sufficient statistics of the metric (items x k); NaN where an item has no answer that counts."""

    def score(self, score: Score, condition: Condition) -> FloatArray:
        """Values of a score (items); NaN where there is none."""

    def faulty(self, condition: Condition) -> NDArray[np.bool_]:
        """Items on which a module raised."""


@dataclass(frozen=True, eq=False)
class Kept:
    """Columns in memory."""

    of_statistics: Mapping[Condition, FloatArray]
    of_scores: Mapping[Score, Mapping[Condition, FloatArray]]
    of_faults: Mapping[Condition, NDArray[np.bool_]] = field(default_factory=dict)

    def statistics(self, condition: Condition) -> FloatArray:
        """Sufficient statistics of the metric."""
        return np.asarray(self.of_statistics[condition], dtype=np.float64)

    def score(self, score: Score, condition: Condition) -> FloatArray:
        """Values of a score."""
        return np.asarray(self.of_scores[score][condition], dtype=np.float64)

    def faulty(self, condition: Condition) -> NDArray[np.bool_]:
        """Items on which a module raised."""
        found = self.of_faults.get(condition)
        return np.zeros(len(self.statistics(condition)), bool) if found is None else np.asarray(found, bool)


@dataclass(frozen=True, eq=False)
class Measured:
    """What a system did: the same items in every condition, clean first.

    ``scores`` says of every score of every module which family it belongs to, in the order of the modules. ``units``
    are groups of items that are not independent, as numbers.
    """

    system: str
    metric: Metric
    conditions: tuple[Condition, ...]
    scores: Mapping[Score, Family]
    columns: Columns
    units: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        if not self.conditions or not self.conditions[0].clean:
            found = ", ".join(c.label for c in self.conditions) or "none"
            raise InvalidInput("the first condition must be clean", where=f"system {self.system!r}", found=found)

    @property
    def corrupted(self) -> tuple[Condition, ...]:
        """All conditions but clean."""
        return self.conditions[1:]

    @property
    def modules(self) -> tuple[str, ...]:
        """Modules that have scores, in their order."""
        return tuple(dict.fromkeys(score.module for score in self.scores))

    def of_family(self, family: Family) -> tuple[Score, ...]:
        """Scores of a family."""
        return tuple(score for score, each in self.scores.items() if each == family)

    def statistics(self, condition: Condition = CLEAN) -> FloatArray:
        """Sufficient statistics of the metric (items x k); NaN where an item has no answer that counts."""
        return self.columns.statistics(condition)

    def errors(self, condition: Condition = CLEAN) -> FloatArray:
        """The error of each item, higher for worse; NaN where it has none."""
        return np.asarray(self.metric.error(self.statistics(condition)))

    def score(self, score: Score, condition: Condition = CLEAN) -> FloatArray:
        """Values of a score; NaN where there is none."""
        return self.columns.score(score, condition)

    def faulty(self, condition: Condition = CLEAN) -> NDArray[np.bool_]:
        """Items on which a module raised."""
        return self.columns.faulty(condition)

    def less_severe(self, condition: Condition) -> Condition:
        """The next milder condition of the same corruption, or clean: what SYS compares level 2 and level 1 with."""
        same = [c for c in self.corrupted if c.corruption == condition.corruption and c.severity < condition.severity]
        return max(same, key=lambda c: c.severity, default=CLEAN)


def failed(measured: Measured, condition: Condition, *, limit: float = 0.0) -> NDArray[np.bool_]:
    """Items that the system fails in a condition: their error is above the limit, or they have no answer."""
    return measured.faulty(condition) | ~(measured.errors(condition) <= limit)
