"""Mending a module, and what the system gains: training on corrupted data, a filter before it, before and after."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from surefoot.core import InvalidInput, Table, validate
from surefoot.core.validate import FloatArray
from surefoot.metrics.tasks import Metric
from surefoot.systems.data.conditions import Condition
from surefoot.systems.data.items import Items
from surefoot.systems.graph.identity import version_of
from surefoot.systems.graph.module import Module
from surefoot.systems.repair.paired import Figured, PairedRuns, cells_of, heads_of
from surefoot.systems.tables.measured import Measured
from surefoot.systems.tables.resampling import few_units_notes

Filter = Callable[[Any], Any]


def corrupted_copies(
    items: Items, conditions: Sequence[Condition], kinds: Mapping[str, str], *, seed: int = 0
) -> Items:
    """Items to train on: one copy for each condition, with the truth of the clean ones.

    ``kinds`` are the kinds of the inputs, such as ``system.inputs``. Use another seed than the study's, so that the
    very corruptions it tests are not trained on.
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


def filtered(module: Module, filters: Mapping[str, Filter]) -> Module:
    """The module with filters before its inputs: each a function of a batch, by input port."""
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


@dataclass(frozen=True)
class Gain:
    """A condition before and after, and the difference: above 0 where the system does better."""

    condition: Condition
    before: Figured
    after: Figured
    gain: Figured
    items: int


@dataclass(frozen=True, eq=False)
class Improvement:
    """What mending gave."""

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


def improvement(
    before: Measured, after: Measured, *, level: float = 0.95, draws: int = 2000, seed: int = 0
) -> Improvement:
    """A system before and after a module was mended, on the same items and conditions, with paired intervals."""
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
