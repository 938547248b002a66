"""Scores: errors, strangeness and uncertainty of recorded items."""

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
from surefoot.systems.data.items import values_digest
from surefoot.systems.graph.ports import batch_of
from surefoot.systems.graph.system import System
from surefoot.systems.records import store
from surefoot.systems.records.columns import column_of, matrix_of, rows_of, values_of
from surefoot.systems.records.recording import judged_by
from surefoot.systems.tables.measured import Family, Score

VARIATION, VARIATION_ORIGINAL = "VR", "VRO"
"""Names of the scores of Eqns. (5) and (6) of paper SYS."""
FORMAT = 1


@dataclass(frozen=True, eq=False)
class Scoring:
    """What is to be scored: a recorded part, with what judges it."""

    system: System
    recorded: store.Part
    truth: Sequence[Any]
    metric: Metric
    outputs: tuple[str, ...]
    """Places whose values are judged by the metric."""
    detectors: Mapping[Score, Detector]
    """Fitted to what each module usually sees."""
    own: Mapping[Score, str]
    """Scores that are an output of a module, by place."""
    fitted: str
    """Digest of what the detectors were fitted to."""
    passes: int
    folder: Path

    @cached_property
    def key(self) -> str:
        """Digest of what decides the content of the file."""
        return digest(
            {
                "format": FORMAT,
                "recorded": self.recorded.key,
                "truth": values_digest(self.truth),
                "metric": self.metric.name,
                "outputs": list(self.outputs),
                "detectors": {s.label: [d.name, repr(d.parameters)] for s, d in self.detectors.items()},
                "own": {s.label: place for s, place in self.own.items()},
                "fitted": self.fitted,
            }
        )

    @property
    def part(self) -> store.Part:
        """Where it is kept."""
        return store.Part(self.folder / self.recorded.path.name, self.key, self.recorded.start, self.recorded.stop)


def score(task: Scoring, rng: np.random.Generator) -> None:
    """Read a recorded part, and write its errors and scores."""
    table = store.read(task.recorded.path)
    columns: dict[str, Any] = {"item": table["item"], "fault": table["fault"]}
    for place in task.outputs:
        statistics = statistics_of(
            task.metric, values_of(task.system.kinds[place], table[f"output:{place}"]), task.truth
        )
        columns[f"statistics:{place}"] = matrix_of(list(statistics), statistics.shape[1])
    for score, values in {**_strangeness(task, table), **_own(task, table), **_uncertainty(task, table)}.items():
        columns[f"score:{score.label}"] = column_of("number", _nulls(values), where=score.label)
    store.write(task.part.path, task.key, columns, {"system": task.system.name, "metric": task.metric.name})


def score_families(
    system: System, detectors: Mapping[Score, Any], own: Mapping[Score, str], passes: int
) -> dict[Score, Family]:
    """Every score there will be, with its family, in the order of the modules."""
    found: dict[Score, Family] = dict.fromkeys(detectors, "strangeness")
    if passes > 1:
        found |= {Score(m, n): "uncertainty" for m in judged_by(system) for n in (VARIATION, VARIATION_ORIGINAL)}
    found |= dict.fromkeys(own, "uncertainty")
    order = list(system.modules)
    return dict(sorted(found.items(), key=lambda item: order.index(item[0].module)))


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
    for score, detector in task.detectors.items():
        name = f"features:{score.module}"
        whole = np.full(table.num_rows, np.nan)
        if name in table.column_names:
            rows = rows_of(table[name])
            there = ~np.isnan(rows).any(axis=1)
            whole[there] = detector.decision_function(rows[there])
        found[score] = whole
    return found


def _own(task: Scoring, table: Any) -> dict[Score, FloatArray]:
    return {
        score: np.array([np.nan if v is None else v for v in values_of("number", table[f"output:{place}"])])
        for score, place in task.own.items()
    }


def _uncertainty(task: Scoring, table: Any) -> dict[Score, FloatArray]:
    """VR and VRO of every module that repeated passes are judged by."""
    if task.passes < 2:
        return {}
    found: dict[Score, FloatArray] = {}
    for name, place in judged_by(task.system).items():
        kind = task.system.kinds[place]
        distance = as_distance(task.system.modules[name].distance or "label")
        usual = values_of(kind, table[f"output:{place}"])
        passes = [values_of(kind, table[f"pass {turn}:{place}"]) for turn in range(task.passes)]
        there = np.array(
            [i for i, v in enumerate(usual) if v is not None and all(p[i] is not None for p in passes)], int
        )
        for score in (VARIATION, VARIATION_ORIGINAL):
            found[Score(name, score)] = np.full(len(usual), np.nan)
        if there.size:
            again = _stack(kind, [[one[i] for i in there] for one in passes])
            found[Score(name, VARIATION)][there] = variation_ratio(again, distance)
            original = _stack(kind, [[usual[i] for i in there]])[0]
            found[Score(name, VARIATION_ORIGINAL)][there] = variation_ratio_original(again, original, distance)
    return found


def _stack(kind: str, passes: list[list[Any]]) -> Any:
    """Passes as one array where all have one shape, otherwise as lists."""
    batches = [batch_of(kind, one) for one in passes]
    alike = all(isinstance(b, np.ndarray) and b.shape == batches[0].shape for b in batches)
    return np.stack(batches) if alike else batches


def _nulls(values: NDArray[np.float64]) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]
