"""Several modules give a number for the same item: the mean of those that are not rejected."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, Table, validate
from surefoot.core.validate import FloatArray
from surefoot.metrics.tasks import Metric, as_metric
from surefoot.systems.rejection.contest import count_of
from surefoot.systems.rejection.intervals import check_draws
from surefoot.systems.rejection.strategies import suspicious_first
from surefoot.systems.rejection.switching import ORACLE, SWITCHED, chosen_module
from surefoot.systems.rejection.ways import COLUMNS, Ways
from surefoot.systems.tables.pairs import numbered

WHERE = "average_unless_rejected"
AVERAGE, TRUSTED = "average of all", "average unless rejected"


@dataclass(frozen=True, eq=False)
class Combined:
    """Numbers of several modules (modules x items) made into one an item."""

    outputs: FloatArray
    suspicion: FloatArray
    rejected: NDArray[np.bool_]
    truth: FloatArray

    @cached_property
    def average(self) -> FloatArray:
        """Of all modules."""
        return np.asarray(self.outputs.mean(axis=0))

    @cached_property
    def trusted(self) -> FloatArray:
        """Of the modules that are not rejected; of all where every one is."""
        kept = ~self.rejected | self.rejected.all(axis=0)
        return np.asarray(np.where(kept, self.outputs, 0.0).sum(axis=0) / kept.sum(axis=0))

    @cached_property
    def switched(self) -> FloatArray:
        """That of the least suspicious module."""
        return self._of(chosen_module(self.suspicion))

    @cached_property
    def closest(self) -> FloatArray:
        """The number nearest to the truth."""
        return self._of(np.abs(self.outputs - self.truth).argmin(axis=0))

    def _of(self, module: NDArray[np.intp]) -> FloatArray:
        return np.asarray(self.outputs[module, np.arange(module.size)])


def average_unless_rejected(
    outputs: ArrayLike,
    suspicion: ArrayLike,
    truth: ArrayLike,
    *,
    rate: float = 0.05,
    names: list[str] | None = None,
    against: str | None = None,
    metric: str | Metric = "rmse",
    units: ArrayLike | None = None,
    level: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
) -> Table:
    """Each module alone, the average of all, the average of those not rejected, the least suspicious, the closest.

    ``outputs`` are numbers (modules x items), ``suspicion`` how wrong each is likely to be (modules x items), in a unit
    that modules share, such as errors predicted by ``learned``; NaN is most suspicious. Each module is rejected on the
    share ``rate`` of items on which it is most suspicious. Where all are rejected, all are averaged. Improvements are
    ``against`` one of these ways, such as "average of all", by default against the best module alone; ``units`` are
    groups of items that are not independent.
    """
    check_draws(draws, level, where=WHERE)
    combined = _combined(outputs, suspicion, truth, validate.probability(rate, where=WHERE, name="rate"))
    chosen, size = as_metric(metric), combined.truth.size
    groups = np.arange(size) if units is None else np.asarray(units)
    validate.same_length(WHERE, units=groups, items=combined.truth)
    titles = _titles(names, len(combined.outputs))
    answers = dict(zip(titles, combined.outputs, strict=True)) | {
        AVERAGE: combined.average,
        TRUSTED: combined.trusted,
        SWITCHED: combined.switched,
        ORACLE: combined.closest,
    }
    statistics = {name: np.asarray(chosen.statistics(each, combined.truth)) for name, each in answers.items()}
    compared = titles if against is None else [validate.choice(against, answers, where=WHERE, name="way")]
    ways = Ways(chosen, statistics, tuple(compared), numbered(groups))
    return Table(COLUMNS, ways.rows(level, draws, validate.seed(seed, where=WHERE)))


def _combined(outputs: ArrayLike, suspicion: ArrayLike, truth: ArrayLike, rate: float) -> Combined:
    numbers = validate.numbers(outputs, where=WHERE, name="outputs")
    doubts = np.asarray(suspicion, dtype=np.float64)
    if numbers.ndim != 2 or len(numbers) < 2 or numbers.shape != doubts.shape:
        found = f"shapes {numbers.shape} and {doubts.shape}"
        raise InvalidInput(
            "outputs and suspicion must be modules x items, of two modules or more", where=WHERE, found=found
        )
    real = validate.vector(truth, where=WHERE, name="truth")
    validate.same_length(WHERE, truth=real, items=numbers[0])
    rejected = np.zeros(doubts.shape, dtype=bool)
    count = int(count_of(rate, np.array(float(real.size))))
    for row, doubt in zip(rejected, doubts, strict=True):
        row[suspicious_first(doubt)[:count]] = True
    return Combined(numbers, doubts, rejected, real)


def _titles(names: list[str] | None, count: int) -> list[str]:
    titles = [f"module {number + 1}" for number in range(count)] if names is None else list(names)
    if len(titles) != count or len({*titles, AVERAGE, TRUSTED, SWITCHED, ORACLE}) != count + 4:
        raise InvalidInput("needs one name a module, all different", where=WHERE, found=", ".join(titles))
    return titles
