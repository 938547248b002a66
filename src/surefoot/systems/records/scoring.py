"""Scores: errors, out-of-distribution scores and uncertainty of recorded items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import digest
from surefoot.core.validate import FloatArray
from surefoot.metrics.distances import as_distance
from surefoot.metrics.tasks import Metric
from surefoot.monitors.detectors.base import Detector
from surefoot.monitors.uncertainty import variation_ratio, variation_ratio_original
from surefoot.systems.data.items import in_memory
from surefoot.systems.graph.identity import version_of
from surefoot.systems.graph.ports import batch_of
from surefoot.systems.graph.system import System
from surefoot.systems.records import store
from surefoot.systems.records.columns import column_of, matrix_of, rows_of, values_of
from surefoot.systems.records.passes import Passes
from surefoot.systems.tables.measured import Family, Score

VARIATION, VARIATION_ORIGINAL = "VR", "VRO"
"""Names of the scores of Eqns. (5) and (6) of paper SYS."""
FEWEST_PASSES = 2
FORMAT = 2


@dataclass(frozen=True, eq=False)
class Judges:
    """What recorded items are judged by."""

    metric: Metric
    places: tuple[str, ...]
    """Places whose values the metric judges."""
    detectors: Mapping[Score, Detector]
    """Fitted to what each module usually sees."""
    fitted: str
    """Digest of the detectors and of what they were fitted to."""
    own: Mapping[Score, str]
    """Scores that are an output of a module, by place."""
    passes: Passes

    def families(self, system: System) -> dict[Score, Family]:
        """Every score there will be, with its family, in the order of the modules."""
        found: dict[Score, Family] = dict.fromkeys(self.detectors, "strangeness")
        if self.passes.count >= FEWEST_PASSES:
            modules = self.passes.judged(system)
            found |= {Score(m, n): "uncertainty" for m in modules for n in (VARIATION, VARIATION_ORIGINAL)}
        found |= dict.fromkeys(self.own, "uncertainty")
        order = list(system.modules)
        return dict(sorted(found.items(), key=lambda item: order.index(item[0].module)))

    @cached_property
    def version(self) -> str:
        """Digest of all but what is recorded."""
        metric = self.metric
        return digest(
            {
                "format": FORMAT,
                "metric": [metric.name, metric.meaning, list(metric.columns), version_of(metric.empty)],
                "statistics": version_of(metric.statistics),
                "places": list(self.places),
                "detectors": [self.fitted, *(score.label for score in self.detectors)],
                "own": {score.label: place for score, place in self.own.items()},
            }
        )


@dataclass(frozen=True, eq=False)
class Scoring:
    """What is to be scored: a recorded part with the truth about it, and its judges."""

    system: System
    recorded: store.Part
    truth: Sequence[Any]
    truth_digest: str
    judges: Judges
    folder: Path

    @cached_property
    def key(self) -> str:
        """Digest of what decides the content of the file."""
        judged = self.judges.passes.judged(self.system)
        return digest(
            {
                "recorded": self.recorded.key,
                "truth": self.truth_digest,
                "judges": self.judges.version,
                "distances": {name: version_of(self.system.modules[name].distance) for name in judged},
            }
        )

    @property
    def part(self) -> store.Part:
        """Where it is kept."""
        return store.Part(self.folder / self.recorded.path.name, self.key, self.recorded.start, self.recorded.stop)


def score(task: Scoring, rng: np.random.Generator) -> store.Done:
    """Read a recorded part, and write its errors and scores."""
    table, metric, truth = store.read(task.recorded), task.judges.metric, in_memory(task.truth)
    columns: dict[str, Any] = {name: table[name] for name in ("item", "fault", "pass fault")}
    for place in task.judges.places:
        outputs = values_of(task.system.kinds[place], table[f"output:{place}"])
        statistics = statistics_of(metric, outputs, truth)
        columns[f"answered:{place}"] = [value is not None for value in outputs]
        columns[f"statistics:{place}"] = matrix_of(list(statistics), statistics.shape[1], where=metric.name)
    for score, values in {**_strangeness(task, table), **_uncertainty(task, table), **_own(task, table)}.items():
        columns[column_name(score)] = column_of("number", _nulls(values), where=score.label)
    store.write(task.part, columns, {"system": task.system.name, "metric": metric.name})
    return store.Done()


def column_name(score: Score) -> str:
    """The column of a score; names of modules have no dot."""
    return f"score:{score.module}.{score.name}"


def statistics_of(metric: Metric, outputs: Sequence[Any], truth: Sequence[Any]) -> FloatArray:
    """Statistics of the metric; an item without an answer counts with the empty one, or not at all (NaN)."""
    answered = [metric.empty if value is None else value for value in outputs]
    there = [i for i, value in enumerate(answered) if value is not None]
    if not there:
        return np.full((len(outputs), len(metric.columns)), np.nan)
    found = np.asarray(metric.statistics([answered[i] for i in there], [truth[i] for i in there]))
    whole = np.full((len(outputs), found.shape[1]), np.nan)
    whole[there] = found
    return whole


def _strangeness(task: Scoring, table: Any) -> dict[Score, FloatArray]:
    found = {}
    for score, detector in task.judges.detectors.items():
        name = f"features:{score.module}"
        whole = np.full(table.num_rows, np.nan)
        if name in table.column_names:
            rows = rows_of(table[name])
            there = np.isfinite(rows).all(axis=1)
            whole[there] = detector.decision_function(rows[there])
        found[score] = whole
    return found


def _own(task: Scoring, table: Any) -> dict[Score, FloatArray]:
    return {
        score: np.array([np.nan if v is None else v for v in values_of("number", table[f"output:{place}"])])
        for score, place in task.judges.own.items()
    }


def _uncertainty(task: Scoring, table: Any) -> dict[Score, FloatArray]:
    """VR and VRO of every module that repeated passes are judged by."""
    passes = task.judges.passes
    if passes.count < FEWEST_PASSES:
        return {}
    found: dict[Score, FloatArray] = {}
    for name, place in passes.judged(task.system).items():
        usual, *again = [
            values_of(task.system.kinds[place], table[column])
            for column in (f"output:{place}", *(f"pass {turn}:{place}" for turn in range(passes.count)))
        ]
        found |= variation(task.system, name, usual, again)
    return found


def variation(system: System, name: str, usual: list[Any], again: list[list[Any]]) -> dict[Score, FloatArray]:
    """VR and VRO of each item of a module, from its usual answers and those of repeated passes (Eqns. (5), (6))."""
    module = system.modules[name]
    kind, distance = next(iter(module.ports.values())), as_distance(module.distance or "label")
    there = [i for i, value in enumerate(usual) if value is not None and all(one[i] is not None for one in again)]
    spread, apart = np.full((2, len(usual)), np.nan)
    if there:
        passes = _stack(kind, [[one[i] for i in there] for one in again])
        spread[there] = variation_ratio(passes, distance)
        apart[there] = variation_ratio_original(passes, _stack(kind, [[usual[i] for i in there]])[0], distance)
    return {Score(name, VARIATION): spread, Score(name, VARIATION_ORIGINAL): apart}


def _stack(kind: str, passes: list[list[Any]]) -> Any:
    """Passes as one array where all have one shape, otherwise as lists."""
    batches = [batch_of(kind, one) for one in passes]
    alike = all(isinstance(b, np.ndarray) and b.shape == batches[0].shape for b in batches)
    return np.stack(batches) if alike else batches


def _nulls(values: NDArray[np.float64]) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]
