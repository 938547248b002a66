"""Mending and redundancy: what mending a module gives, which configurations to combine, and a vote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, Table, validate
from surefoot.core.validate import FloatArray
from surefoot.metrics.tasks import Metric
from surefoot.systems.data import Condition, Items
from surefoot.systems.graph.module import Module, as_kind, version_of
from surefoot.systems.tables.inference import (
    Figure,
    Figured,
    Measurements,
    PairedRuns,
    cells_of,
    failed,
    few_units_notes,
    heads_of,
)

WHERE = "advise"
MOST = 8
"""Configurations that are combined in every way."""
VOTES_WHERE = "vote"
MEDIANS = ("number", "vector")
Filter = Callable[[Any], Any]


@validate.arguments
def advise(
    systems: Mapping[str, Measurements],
    *,
    limit: float = 0.0,
    weights: Mapping[Condition, float] | None = None,
    level: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
) -> Advice:
    """Every combination of configurations measured on the same items: how often its members fail together.

    A configuration fails an item whose error is above ``limit``, or on which a module raised. What a vote of their
    answers really gives is for ``vote`` and the metric to say. Where right answers are all alike, or numbers within
    ``limit``, how often half or more fail is the most a vote can lose; texts that differ although their errors are
    within ``limit`` may be outvoted more often.

    Parameters
    ----------
    systems
        What was measured of each configuration.
    limit
        The largest error that is no failure.
    weights
        Of conditions, by default equal.
    level, draws, seed
        Of the intervals.

    Returns
    -------
    Advice
        Combinations, those that fail together least often first.

    References
    ----------
    Wang et al. (2022), SYS, section 5.

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
    >>> found = advise({"one": measured, "two": measured}, limit=5, draws=100)
    >>> found.combinations[0].name, round(found.combinations[0].all_fail.value, 3)
    ('one + two', 0.15)

    """
    names = list(systems)
    if not 2 <= len(names) <= MOST:
        raise InvalidInput(f"combines 2 to {MOST} configurations", where=WHERE, found=str(len(names)))
    validate.at_least_zero(limit, where=WHERE, name="limit")
    first = systems[names[0]]
    shares = _shares(first, weights)
    failing = _failing(systems, shares, limit)
    everyone = [tuple(some) for count in range(2, len(names) + 1) for some in combinations(range(len(names)), count)]
    columns = _columns(failing, shares, everyone)
    runs = PairedRuns.of([columns], first.units, draws=draws, seed=seed, where=WHERE)
    alone = {name: runs.figure(_share(place), level=level) for place, name in enumerate(names)}
    found = [_combination(names, everyone, number, runs, alone, level) for number in range(len(everyone))]
    ordered = sorted(found, key=lambda c: (c.all_fail.value or 0, c.most_fail.value or 0, len(c.members)))
    return Advice(alone, tuple(ordered), limit, level, runs.items, runs.units)


@dataclass(frozen=True, eq=False)
class Advice:
    """Combinations of configurations, those that fail together least often first.

    Parameters
    ----------
    alone
        How often each fails.
    combinations
        How often too many of each fail together.
    limit, level, items, units
        What a failure is, the level of the intervals, and what they rest on.

    See Also
    --------
    advise

    """

    alone: Mapping[str, Figured]
    combinations: tuple[Combination, ...]
    limit: float
    level: float
    items: int
    units: int

    @property
    def table(self) -> Table:
        """One row a combination."""
        heads = heads_of("all fail", "half or more fail", "dependence")
        rows = [
            (c.name, len(c.members), *cells_of(c.all_fail, c.most_fail, c.factor), c.best_alone)
            for c in self.combinations
        ]
        return Table(("configurations", "number", *heads, "best alone"), tuple(rows))

    def __str__(self) -> str:
        return "\n".join([str(self.table), *few_units_notes(self.units)])


@dataclass(frozen=True)
class Combination:
    """Configurations run beside each other: how often too many of them fail together.

    ``all_fail``: no answer is right. ``most_fail``: half of them or more fail, so that a vote may be lost. ``factor``:
    how many times more often all fail than if they failed independently.
    """

    members: tuple[str, ...]
    all_fail: Figured
    most_fail: Figured
    factor: Figured
    best_alone: float

    @property
    def name(self) -> str:
        """The members."""
        return " + ".join(self.members)


def _shares(measured: Measurements, weights: Mapping[Condition, float] | None) -> dict[Condition, float]:
    given = dict.fromkeys(measured.conditions, 1.0) if weights is None else dict(weights)
    total = sum(given.values())
    if not total > 0 or min(given.values()) < 0 or not set(given) <= set(measured.conditions):
        found = ", ".join(f"{condition.label}: {weight}" for condition, weight in given.items()) or "none"
        raise InvalidInput(
            "weights must be of measured conditions, none negative and not all 0", where=WHERE, found=found
        )
    return {condition: weight / total for condition, weight in given.items() if weight}


def _failing(
    systems: Mapping[str, Measurements], shares: Mapping[Condition, float], limit: float
) -> dict[Condition, NDArray[np.bool_]]:
    """For each condition, configurations x items."""
    found = {}
    for name, each in systems.items():
        missing = [condition.label for condition in shares if condition not in each.conditions]
        if missing:
            raise InvalidInput(f"{name!r} was not measured in a condition", where=WHERE, found=", ".join(missing))
    for condition in shares:
        rows = [failed(each, condition, limit=limit) for each in systems.values()]
        if len({len(row) for row in rows}) != 1:
            raise InvalidInput("configurations must have the same items", where=WHERE, found=condition.label)
        found[condition] = np.array(rows)
    return found


def _columns(
    failing: Mapping[Condition, NDArray[np.bool_]],
    shares: Mapping[Condition, float],
    everyone: Sequence[tuple[int, ...]],
) -> FloatArray:
    """For each item, weighed over conditions: each fails; all of a set fail; half or more of a set fail; and 1."""
    configurations, count = next(iter(failing.values())).shape
    whole = np.zeros((count, configurations + 2 * len(everyone) + 1))
    for condition, rows in failing.items():
        together = [rows[list(some)].all(axis=0) for some in everyone]
        half = [2 * rows[list(some)].sum(axis=0) >= len(some) for some in everyone]
        whole += shares[condition] * np.column_stack([*rows, *together, *half, np.ones(count, bool)])
    return whole


def _share(place: int) -> Figure:
    def figure(sums: FloatArray) -> FloatArray:
        return np.asarray(sums[..., 0, place] / sums[..., 0, -1])

    return figure


def _combination(
    names: Sequence[str],
    everyone: Sequence[tuple[int, ...]],
    number: int,
    runs: PairedRuns,
    alone: Mapping[str, Figured],
    level: float,
) -> Combination:
    some = everyone[number]
    together, half = len(names) + number, len(names) + len(everyone) + number

    def factor(sums: FloatArray) -> FloatArray:
        rates = sums[..., 0, list(some)] / sums[..., 0, -1:]
        apart = rates.prod(axis=-1)
        joint = sums[..., 0, together] / sums[..., 0, -1]
        return np.divide(joint, apart, out=np.full(apart.shape, np.nan), where=apart > 0)

    members = tuple(names[place] for place in some)
    all_fail, most_fail, more_often = (
        runs.figure(figure, level=level) for figure in (_share(together), _share(half), factor)
    )
    return Combination(members, all_fail, most_fail, more_often, min(alone[name].value or 0.0 for name in members))


def vote(answers: Mapping[str, Sequence[Any]], kind: str) -> list[Any]:
    """For each item one answer from those of several configurations, the most trusted first.

    Numbers and vectors: the median. Everything else: the answer that most give; where no answer has more than all
    others, that of the most trusted among them.

    Parameters
    ----------
    answers
        By configuration one an item; None is none.
    kind
        Of the answers, as of ports.

    Returns
    -------
    list
        One an item; None where no configuration has an answer.

    Examples
    --------
    >>> [float(each) for each in vote({"a": [1.0, None], "b": [2.0, 5.0], "c": [4.0, 7.0]}, "number")]
    [2.0, 6.0]
    >>> vote({"a": ["left"], "b": ["right"], "c": ["right"]}, "label")
    ['right']

    """
    as_kind(kind, where=VOTES_WHERE)
    columns = [list(column) for column in answers.values()]
    lengths = {len(column) for column in columns}
    if len(columns) < 2 or len(lengths) != 1:
        found = f"{len(columns)} with lengths {sorted(lengths)}"
        raise InvalidInput("needs two or more configurations with the same items", where=VOTES_WHERE, found=found)
    chosen = _median if kind in MEDIANS else _plurality
    return [chosen([a for a in row if a is not None]) for row in zip(*columns, strict=True)]


def _median(answers: list[Any]) -> Any:
    if not answers:
        return None
    shapes = sorted({np.shape(answer) for answer in answers})
    if len(shapes) > 1:
        found = ", ".join(map(str, shapes))
        raise InvalidInput(
            "vectors must be of one length", where=VOTES_WHERE, found=found, remedy="Vote with kind='array'."
        )
    return np.median(np.asarray(answers, dtype=np.float64), axis=0)


def _plurality(answers: list[Any]) -> Any:
    if not answers:
        return None
    counts = Counter(map(_hashable, answers))
    most = max(counts.values())
    return next(answer for answer in answers if counts[_hashable(answer)] == most)


def _hashable(answer: Any) -> Any:
    return answer if isinstance(answer, str | int | float | np.generic) else version_of(answer)


@validate.arguments
def improvement(
    before: Measurements, after: Measurements, *, level: float = 0.95, draws: int = 2000, seed: int = 0
) -> Improvement:
    """A system before and after a module was mended, on the same items and conditions, with paired intervals.

    Parameters
    ----------
    before, after
        What was measured, by one metric in the same conditions.
    level, draws, seed
        Of the intervals.

    Returns
    -------
    Improvement
        A row a condition.

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
    >>> abs(improvement(measured, measured, draws=100).gains[0].gain.value)
    0.0

    """
    where, metric = "improvement", before.metric
    if after.metric.name != metric.name or set(after.conditions) != set(before.conditions):
        raise InvalidInput("both must have one metric and the same conditions", where=where)
    sign = 1.0 if metric.better == "higher" else -1.0

    def gain(sums: FloatArray) -> FloatArray:
        values = np.asarray(metric.value(sums))
        return sign * (values[..., 1] - values[..., 0])

    def value_of(run: int, sums: FloatArray) -> FloatArray:
        return np.asarray(metric.value(sums))[..., run]

    gains, units = [], 0
    for condition in before.conditions:
        rows = [before.statistics(condition), after.statistics(condition)]
        if len(rows[0]) != len(rows[1]):
            raise InvalidInput("both must have the same items", where=where, found=f"{len(rows[0])} and {len(rows[1])}")
        runs = PairedRuns.of(rows, before.units, draws=draws, seed=seed, where=where)
        figures = [runs.figure(figure, level=level) for figure in (partial(value_of, 0), partial(value_of, 1), gain)]
        gains.append(Gain(condition, figures[0], figures[1], figures[2], runs.items))
        units = runs.units
    return Improvement(metric, tuple(gains), level, units)


@dataclass(frozen=True, eq=False)
class Improvement:
    """What mending a module gave.

    Parameters
    ----------
    metric
        What judged it.
    gains
        One a condition.
    level, units
        Of the intervals, and the independent units they rest on.

    See Also
    --------
    improvement

    """

    metric: Metric
    gains: tuple[Gain, ...]
    level: float
    units: int

    @property
    def table(self) -> Table:
        """One row a condition."""
        name = self.metric.name
        heads = heads_of(f"{name} before", f"{name} after", "gain")
        rows = [(*g.condition.corruption_and_severity, *cells_of(g.before, g.after, g.gain)) for g in self.gains]
        return Table(("corruption", "severity", *heads), tuple(rows))

    def __str__(self) -> str:
        return "\n".join([str(self.table), *few_units_notes(self.units)])


@dataclass(frozen=True)
class Gain:
    """A condition before and after, and the difference: above 0 where the system does better."""

    condition: Condition
    before: Figured
    after: Figured
    gain: Figured
    items: int


@validate.arguments
def corrupted_copies(
    items: Items, conditions: Sequence[Condition], kinds: Mapping[str, str], *, seed: int = 0
) -> Items:
    """Items to train on: one copy for each condition, with the truth of the clean ones.

    Parameters
    ----------
    items
        Clean items.
    conditions
        One copy each.
    kinds
        Kinds of the inputs, such as ``system.inputs``.
    seed
        Another than the study's, so that the very corruptions it tests are not trained on.

    Returns
    -------
    Items
        The copies one after the other.

    Examples
    --------
    >>> from surefoot.systems import conditions
    >>> items = Items({"frame": np.full((3, 8, 8, 1), 0.5)}, truth=[1, 2, 3])
    >>> len(corrupted_copies(items, conditions(["brightness"], [1]), {"frame": "image"}, seed=7))
    6

    """
    if not conditions:
        raise InvalidInput("needs at least one condition", where="corrupted_copies")
    copies = [condition.applied(items.read(), kinds, seed=seed, first=0) for condition in conditions]
    inputs = {name: _joined([copy[name] for copy in copies]) for name in items.inputs}
    truth, groups = (
        None if column is None else _joined([column] * len(copies)) for column in (items.truth, items.groups)
    )
    names = [f"{items.name_of(i)} {condition.label}" for condition in conditions for i in range(len(items))]
    return Items(inputs, truth, names, groups)


def _joined(columns: Sequence[Any]) -> Any:
    if all(isinstance(column, np.ndarray) and column.shape[1:] == columns[0].shape[1:] for column in columns):
        return np.concatenate(columns)
    return [value for column in columns for value in column]


@validate.arguments
def filtered(module: Module, filters: Mapping[str, Filter]) -> Module:
    """The module with filters before its inputs.

    Parameters
    ----------
    module
        The module as it is.
    filters
        By input port a function of a batch.

    Returns
    -------
    Module
        With a version of its own.

    Examples
    --------
    >>> module = Module("double", lambda x: 2 * x, {"x": "number"}, gives="number")
    >>> filtered(module, {"x": lambda batch: np.clip(batch, 0, 1)}).run(x=np.array([0.5, 9.0]))
    array([1., 2.])

    """
    for port in filters:
        validate.choice(port, module.inputs, where=f"module {module.name!r}", name="input port")
    noisy = None if module.noisy is None else _Filtered(module.noisy, dict(filters))
    version = version_of([module.version, dict(filters)])
    return replace(module, run=_Filtered(module.run, dict(filters)), noisy=noisy, version=version)


@dataclass(frozen=True, eq=False)
class _Filtered:
    run: Callable[..., Any]
    filters: Mapping[str, Filter]

    def __call__(self, *seed: int, **inputs: Any) -> Any:
        clear = {port: self.filters[port](batch) if port in self.filters else batch for port, batch in inputs.items()}
        return self.run(*seed, **clear)
