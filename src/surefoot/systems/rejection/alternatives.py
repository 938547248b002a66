"""Several modules answer the same question: which one to believe, item by item, or the mean of those not rejected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, Table, Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.metrics.tasks import Metric, as_metric
from surefoot.systems.data import Condition
from surefoot.systems.rejection.comparison import (
    FEW,
    check_draws,
    count_of,
    improvements,
    percentiles,
    plain,
    weights_of,
)
from surefoot.systems.rejection.strategies import answered, named, predicted_errors, separate, suspicious_first
from surefoot.systems.tables.inference import Measurements, Row, numbered

WHERE = "average_unless_rejected"
AVERAGE, TRUSTED = "average of all", "average unless rejected"
SWITCHING_WHERE = "switching"
SWITCHED, ORACLE = "lowest predicted error", "lowest error"
"""What a system can do, and what knowing every error would give."""
COLUMNS = ("way", "items", "metric", "low", "high", "improvement", "improvement low", "improvement high")


@validate.arguments
def switching(
    modules: Mapping[str, Measurements],
    *,
    pooled: bool = False,
    folds: int = 5,
    level: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
) -> Table:
    """Each module alone, the module whose error is predicted lowest, and the one whose error is lowest, per condition.

    The error of each is predicted from its own scores by models that were fitted to other units; the first of equal
    ones answers. Improvements are against the best module alone in that condition. Items that one of them has no answer
    to that counts are left out of all.

    Parameters
    ----------
    modules
        Measured on the same items in the same conditions with the same metric.
    pooled
        Whether all conditions together are added.
    folds
        Of ``predicted_errors``.
    level, draws, seed
        Of the intervals.

    Returns
    -------
    Table
        A row for each condition and way.

    Examples
    --------
    >>> import numpy as np
    >>> from surefoot.metrics import tasks
    >>> from surefoot.systems import MemoryColumns, Measurements, Score, conditions
    >>> rng, both = np.random.default_rng(0), conditions(["fog"], [3])
    >>> hard = rng.normal(size=(2, 200)) + [[0], [1]]
    >>> statistics = {c: np.column_stack([np.exp(row), np.ones(200)]) for c, row in zip(both, hard)}
    >>> families = {Score("net", "KDE"): "strangeness", Score("net", "VRO"): "uncertainty"}
    >>> scores = {score: dict(zip(both, hard + rng.normal(size=hard.shape))) for score in families}
    >>> measured = Measurements("camera", tasks.mae(), both, families, MemoryColumns(statistics, scores))
    >>> table = switching({"one": measured, "two": measured})
    >>> [row[3] for row in table.rows[:4]]
    ['one', 'two', 'lowest predicted error', 'lowest error']

    """
    check_draws(draws, level, where=SWITCHING_WHERE)
    _require_alike(modules)
    predicted = {name: predicted_errors(each, folds=folds, seed=seed) for name, each in modules.items()}
    rows: list[Row] = []
    for conditions in separate(answered(*modules.values()), pooled=pooled):
        ways, left_out = _ways(modules, predicted, conditions)
        rows += [
            (*named(conditions), left_out, *row)
            for row in ways.rows(level, draws, validate.seed(seed, where=SWITCHING_WHERE))
        ]
    return Table(("corruption", "severity", "left out", *COLUMNS), tuple(rows))


def _require_alike(modules: Mapping[str, Measurements]) -> None:
    if len(modules) < 2:
        raise InvalidInput("needs at least two modules", where=SWITCHING_WHERE, found=f"{len(modules)}")
    taken = sorted({SWITCHED, ORACLE} & set(modules))
    if taken:
        raise InvalidInput("these names are taken", where=SWITCHING_WHERE, found=", ".join(taken))
    first, *others = modules.values()
    for name, other in zip(list(modules)[1:], others, strict=True):
        differing = {
            "conditions": first.conditions != other.conditions,
            "metrics": first.metric.name != other.metric.name,
            "numbers of items": len(first.statistics()) != len(other.statistics()),
            "units": not _same_units(first.units, other.units),
        }
        wrong = [what for what, differs in differing.items() if differs]
        if wrong:
            problem = f"modules must have been measured alike; their {wrong[0]} differ"
            raise InvalidInput(problem, where=SWITCHING_WHERE, found=f"{next(iter(modules))} and {name}")


def _same_units(one: NDArray[np.int64] | None, other: NDArray[np.int64] | None) -> bool:
    return one is other if one is None or other is None else np.array_equal(one, other)


def _ways(
    modules: Mapping[str, Measurements],
    predicted: Mapping[str, Mapping[Condition, FloatArray]],
    conditions: Sequence[Condition],
) -> tuple[Ways, int]:
    first = next(iter(modules.values()))
    statistics = np.stack([np.concatenate([each.statistics(c) for c in conditions]) for each in modules.values()])
    there = ~np.isnan(statistics).any(axis=(0, 2))
    if not there.any():
        labels = ", ".join(condition.label for condition in conditions)
        raise Undefined("no item has an answer of every module that counts", where=SWITCHING_WHERE, found=labels)
    kept = statistics[:, there]
    guess = np.stack([np.concatenate([predicted[name][c] for c in conditions]) for name in modules])[:, there]
    errors = np.stack([first.metric.error(each) for each in kept])
    items = np.arange(kept.shape[1])
    found = dict(zip(modules, kept, strict=True))
    found[SWITCHED] = kept[chosen_module(guess), items]
    found[ORACLE] = kept[chosen_module(errors), items]
    names = np.arange(len(first.statistics())) if first.units is None else np.asarray(first.units)
    units = numbered(np.tile(names, len(conditions))[there])
    return Ways(first.metric, found, tuple(modules), units), int((~there).sum())


@dataclass(frozen=True, eq=False)
class Ways:
    """Statistics of the metric (items x k) for each way; ``compared`` are those that improvements are against.

    Of several, such as each module alone, the best on these very items counts.
    """

    metric: Metric
    statistics: Mapping[str, FloatArray]
    compared: tuple[str, ...]
    units: NDArray[np.intp]

    def rows(self, level: float, draws: int, seed: int) -> tuple[Row, ...]:
        """The metric of each way and its improvement, with the middle ``level`` of resamples of five units or more."""
        drawn = self._drawn(draws if int(self.units.max()) + 1 >= FEW else 0, seed)
        values = {name: float(self._value(each.sum(axis=0))) for name, each in self.statistics.items()}
        best = self._best(values)
        rows = []
        for name, value in values.items():
            gain = plain(improvements(self.metric, value, values[best]))
            ends = percentiles(improvements(self.metric, drawn[name], drawn[best]), level)
            items = len(self.units)
            rows.append((name, items, plain(value), *percentiles(drawn[name], level), gain, *ends))
        return tuple(rows)

    def _best(self, values: Mapping[str, float]) -> str:
        defined = [name for name in self.compared if np.isfinite(values[name])] or list(self.compared)
        return (min if self.metric.better == "lower" else max)(defined, key=lambda name: values[name])

    def _drawn(self, draws: int, seed: int) -> dict[str, FloatArray]:
        """Each way on the same resamples."""
        found: dict[str, list[FloatArray]] = {name: [np.empty(0)] for name in self.statistics}
        for weights in weights_of(self.units, draws, np.random.default_rng(seed)):
            for name, statistics in self.statistics.items():
                found[name].append(self._value(weights @ statistics))
        return {name: np.concatenate(blocks) for name, blocks in found.items()}

    def _value(self, sums: FloatArray) -> FloatArray:
        return np.asarray(self.metric.value(sums))


def chosen_module(predicted: FloatArray) -> NDArray[np.intp]:
    """For each item, the module (row) of the lowest predicted error; one without a prediction only if none has any.

    Parameters
    ----------
    predicted
        Modules x items.

    Returns
    -------
    ndarray of int
        One row an item.

    Examples
    --------
    >>> chosen_module(np.array([[0.1, np.nan], [0.2, 0.3]]))
    array([0, 1])

    """
    return np.where(np.isnan(predicted), np.inf, predicted).argmin(axis=0)


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

    Each module is rejected on the share ``rate`` of items on which it is most suspicious. Where all are rejected, all
    are averaged.

    Parameters
    ----------
    outputs
        Numbers (modules x items).
    suspicion
        How wrong each is likely to be (modules x items), in a unit that modules share, such as errors predicted by
        ``predicted_errors``; NaN is most suspicious.
    truth
        One number an item.
    rate
        The share that each module is rejected on.
    names
        Of the modules.
    against
        What improvements are against, such as "average of all"; by default the best module alone.
    metric
        By its name or itself.
    units
        Groups of items that are not independent.
    level, draws, seed
        Of the intervals.

    Returns
    -------
    Table
        A row for each way.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noise = rng.normal(size=(2, 100))
    >>> table = average_unless_rejected(noise + 1, np.abs(noise), np.ones(100), rate=0.2)
    >>> [row[0] for row in table.rows][2:4]
    ['average of all', 'average unless rejected']

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


def _titles(names: list[str] | None, count: int) -> list[str]:
    titles = [f"module {number + 1}" for number in range(count)] if names is None else list(names)
    if len(titles) != count or len({*titles, AVERAGE, TRUSTED, SWITCHED, ORACLE}) != count + 4:
        raise InvalidInput("needs one name a module, all different", where=WHERE, found=", ".join(titles))
    return titles
