"""Ways to get one answer from several modules, compared on the same items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.metrics.tasks import Metric
from surefoot.systems.rejection.intervals import FEW, improvements, percentiles, plain
from surefoot.systems.rejection.resampled import weights_of
from surefoot.systems.tables.measured import Row

COLUMNS = ("way", "items", "metric", "low", "high", "improvement", "improvement low", "improvement high")


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
