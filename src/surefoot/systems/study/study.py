"""``Study``: a system on clean and corrupted inputs."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from surefoot.core import Executor, InvalidInput, validate
from surefoot.executors import Serial
from surefoot.metrics.tasks import Metric, as_metric
from surefoot.monitors.detectors.base import Detector
from surefoot.systems.data.conditions import CLEAN, Condition
from surefoot.systems.data.items import Items
from surefoot.systems.graph.system import System
from surefoot.systems.records import store
from surefoot.systems.records.recording import Recording, Through, judged_by, record
from surefoot.systems.records.scoring import Scoring, score, score_families
from surefoot.systems.records.stored import Stored
from surefoot.systems.study.findings import Findings
from surefoot.systems.study.usual import fitted_detectors, usual_detectors
from surefoot.systems.tables.measured import Measured, Score

Progress = Callable[[str, int, int], None]
"""What is being done, how many parts of it are, and how many there are."""
Parts = dict[Condition, list[store.Part]]


@dataclass(frozen=True, eq=False)
class Study:
    """What is studied: a system, items with their truth, and the conditions they are met in, clean first.

    ``training`` are inputs as the modules were trained on; ``detectors`` learn from them what features are usual, by
    default the Mahalanobis distance and the kernel density of paper SYS (section 3.2), named Maha-d and KDE. ``passes``
    repeated passes shake modules that have random numbers, ``through`` the whole system together or one module at a
    time, and modules with a distance get the scores VR and VRO. ``own_scores`` are scores that a module gives itself,
    by name the place. ``outputs`` are further places that answer the same question as the system, such as its modules
    in parallel. ``folder`` keeps the recordings: a study that was interrupted goes on there, and one that changed
    records anew what the change concerns.
    """

    system: System
    items: Items
    conditions: Sequence[Condition]
    metric: str | Metric
    training: Items | None = None
    detectors: Mapping[str, Detector] | None = None
    passes: int = 10
    through: Through = "system"
    own_scores: Mapping[str, str] = field(default_factory=dict)
    outputs: Mapping[str, str] = field(default_factory=dict)
    folder: str | Path | None = None
    chunk: int = 256
    seed: int = 0
    executor: Executor = field(default_factory=Serial)

    def __post_init__(self) -> None:
        store.require_parquet()
        where = f"study of {self.system.name!r}"
        if self.items.truth is None:
            raise InvalidInput("items need their truth", where=where, remedy="Say Items(inputs, truth=...).")
        validate.count(self.passes, where=where, name="passes")
        validate.count(self.chunk, where=where, name="chunk", at_least=1)
        validate.seed(self.seed, where=where)
        validate.choice(self.through, ("system", "module"), where=where, name="through")
        labels = [condition.label for condition in self.conditions]
        if len(set(labels)) != len(labels) or not self.conditions or not self.conditions[0].clean:
            raise InvalidInput("conditions must differ, and start with clean", where=where, found=", ".join(labels))
        for condition in self.conditions:
            condition.touched(self.system.inputs)
        for place in (*self.own_scores.values(), *self.outputs.values()):
            validate.choice(place, self.system.kinds, where=where, name="place")
        for name, place in self.own_scores.items():
            if self.system.kinds[place] != "number":
                raise InvalidInput(f"the score {name!r} must be a number", where=where, found=self.system.kinds[place])

    def run(self, progress: Progress | None = None) -> Findings:
        """Record what is not recorded yet, score it, and give the tables."""
        recorded = self._recorded(progress)
        detectors, fitted = self._detectors(progress)
        own = {Score(place.partition(".")[0], name): place for name, place in self.own_scores.items()}
        scored = self._scored(recorded, detectors, own, fitted, progress)
        families = score_families(self.system, detectors, own, self._passes)
        measured = {
            name: Measured(
                name, self._metric, tuple(self.conditions), families, Stored(scored, place), self.items.units
            )
            for name, place in self._places.items()
        }
        return Findings(measured, self.system, keep=self._kept)

    @property
    def _places(self) -> dict[str, str]:
        """What is judged by the metric: the system, and further places."""
        return {self.system.name: self.system.output, **self.outputs}

    @cached_property
    def _metric(self) -> Metric:
        return as_metric(self.metric)

    @cached_property
    def _passes(self) -> int:
        """Passes are worth their time where one module is shaken and one is judged."""
        shaken = any(module.noisy is not None for module in self.system.modules.values())
        return self.passes if shaken and judged_by(self.system) else 0

    @cached_property
    def _kept(self) -> Any:
        """Where recordings lie; a folder of its own goes away with the findings."""
        return Path(self.folder) if self.folder is not None else tempfile.TemporaryDirectory(prefix="surefoot-")

    def _place(self, kind: str, condition: str) -> Path:
        root = self._kept if isinstance(self._kept, Path) else Path(self._kept.name)
        return root / store.slug(self.system.name) / kind / store.slug(condition)

    def _recorded(self, progress: Progress | None) -> Parts:
        parts = _parts(self.items, self.chunk)
        tasks = {c: [self._recording(c, c.label, *part, self._passes) for part in parts] for c in self.conditions}
        self._run("recording", record, [task for each in tasks.values() for task in each], progress)
        return {condition: [task.part for task in each] for condition, each in tasks.items()}

    def _recording(self, condition: Condition, label: str, start: int, items: Items, passes: int) -> Recording:
        folder = self._place("recorded", label)
        return Recording(self.system, items, condition, start, passes, self.through, self.seed, folder)

    def _detectors(self, progress: Progress | None) -> tuple[dict[Score, Detector], str]:
        if self.training is None:
            return {}, ""
        parts = _parts(self.training, self.chunk)
        tasks = [self._recording(CLEAN, "training", start, items, 0) for start, items in parts]
        self._run("recording training data", record, tasks, progress)
        chosen = usual_detectors() if self.detectors is None else dict(self.detectors)
        return fitted_detectors(chosen, [task.part for task in tasks])

    def _scored(
        self,
        recorded: Parts,
        detectors: Mapping[Score, Detector],
        own: Mapping[Score, str],
        fitted: str,
        progress: Progress | None,
    ) -> Parts:
        truth: Any = self.items.truth

        def scoring(condition: Condition, part: store.Part) -> Scoring:
            return Scoring(
                self.system,
                part,
                truth[part.start : part.stop],
                self._metric,
                tuple(dict.fromkeys(self._places.values())),
                detectors,
                own,
                fitted,
                self._passes,
                self._place("scored", condition.label),
            )

        tasks = {condition: [scoring(condition, part) for part in parts] for condition, parts in recorded.items()}
        self._run("scoring", score, [task for each in tasks.values() for task in each], progress)
        return {condition: [task.part for task in each] for condition, each in tasks.items()}

    def _run(self, doing: str, function: Callable[..., Any], tasks: list[Any], progress: Progress | None) -> None:
        """Do what is not there yet."""
        missing = [task for task in tasks if not task.part.there]
        done = len(tasks) - len(missing)

        def tell(now: int, _: int) -> None:
            if progress is not None:
                progress(doing, done + now, len(tasks))

        tell(0, 0)
        if missing:
            self.executor.map(function, missing, seed=self.seed, progress=tell)


def _parts(items: Items, chunk: int) -> list[tuple[int, Items]]:
    return [(start, items.part(start, min(start + chunk, len(items)))) for start in range(0, len(items), chunk)]
