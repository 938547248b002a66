"""``Study``: a system on clean and corrupted inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from pickle import PicklingError
from typing import Any

from surefoot.core import Executor, InvalidInput, validate
from surefoot.executors import Serial
from surefoot.metrics.tasks import Metric, as_metric
from surefoot.monitors.detectors.base import Detector
from surefoot.systems.data.conditions import CLEAN, Condition
from surefoot.systems.data.items import Items
from surefoot.systems.graph.module import module_of
from surefoot.systems.graph.system import System
from surefoot.systems.records import store
from surefoot.systems.records.passes import Passes, Through
from surefoot.systems.records.recording import Recording, record
from surefoot.systems.records.scoring import Judges, Scoring, score
from surefoot.systems.records.stored import Stored
from surefoot.systems.study import checks
from surefoot.systems.study.findings import Findings
from surefoot.systems.study.folder import Folder
from surefoot.systems.study.usual import fitted_detectors, require_usable, usual_detectors
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
    time, and modules with a distance that they reach get the scores VR and VRO. ``own_scores`` are scores that modules
    give themselves: by name the place, or one place for each of several modules. ``outputs`` are further places that
    answer the same question as the system, such as its modules in parallel. ``folder`` keeps the recordings: a study
    that was interrupted goes on there, and one that changed records anew what the change concerns. Two studies that
    differ overwrite each other's recordings in one folder.
    """

    system: System
    items: Items
    conditions: Sequence[Condition]
    metric: str | Metric
    training: Items | None = None
    detectors: Mapping[str, Detector] | None = None
    passes: int = 10
    through: Through = "system"
    own_scores: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    outputs: Mapping[str, str] = field(default_factory=dict)
    folder: str | Path | None = None
    chunk: int = 256
    seed: int = 0
    executor: Executor = field(default_factory=Serial)

    def __post_init__(self) -> None:
        store.require_parquet()
        checks.system(self.system)
        where = f"study of {self.system.name!r}"
        object.__setattr__(self, "conditions", tuple(self.conditions))
        object.__setattr__(self, "metric", as_metric(self.metric))
        validate.count(self.passes, where=where, name="passes")
        validate.count(self.chunk, where=where, name="chunk", at_least=1)
        validate.seed(self.seed, where=where)
        validate.choice(self.through, ("system", "module"), where=where, name="through")
        require_usable(self.detectors or {})
        checks.data(self.system, self.items, self.training, self.detectors, where=where)
        checks.conditions(self.system, self.conditions, where=where)
        checks.places(self.system, self.outputs, self._own, where=where)

    def run(self, progress: Progress | None = None) -> Findings:
        """Record what is not recorded yet, score it, and give the tables."""
        parts = _parts(self.items, self.chunk)
        recorded = self._recorded(parts, progress)
        judges = self._judges(progress)
        scored = self._scored(recorded, [items for _, items in parts], judges, progress)
        families = judges.families(self.system)
        whole = Measured(
            self.system.name,
            judges.metric,
            tuple(self.conditions),
            families,
            Stored(scored, self.system.output),
            self.items.units,
        )
        further = {name: _of_place(whole, name, place) for name, place in self.outputs.items()}
        return Findings({self.system.name: whole, **further}, self.system, self._kept, recorded, seed=self.seed)

    @property
    def _places(self) -> dict[str, str]:
        """What is judged by the metric: the system, and further places."""
        return {self.system.name: self.system.output, **self.outputs}

    @property
    def _own(self) -> dict[Score, str]:
        """Scores that modules give themselves."""
        given = {name: [some] if isinstance(some, str) else some for name, some in self.own_scores.items()}
        return {Score(module_of(place), name): place for name, places in given.items() for place in places}

    @cached_property
    def _passes(self) -> Passes:
        """Passes are worth their time where a module is judged by them."""
        passes = Passes(self.passes, self.through)
        return passes if passes.judged(self.system) else Passes()

    @cached_property
    def _kept(self) -> Folder:
        """Where recordings lie."""
        return Folder(self.folder)

    def _place(self, kind: str, condition: str) -> Path:
        return self._kept.path / store.slug(self.system.name) / kind / store.slug(condition)

    def _recorded(self, parts: list[tuple[int, Items]], progress: Progress | None) -> Parts:
        tasks = {c: [self._recording(c, c.label, *part, self._passes) for part in parts] for c in self.conditions}
        self._run("recording", record, [task for each in tasks.values() for task in each], progress)
        return {condition: [task.part for task in each] for condition, each in tasks.items()}

    def _recording(self, condition: Condition, label: str, start: int, items: Items, passes: Passes) -> Recording:
        return Recording(self.system, items, condition, start, passes, self.seed, self._place("recorded", label))

    def _judges(self, progress: Progress | None) -> Judges:
        detectors, fitted = self._detectors(progress)
        places = tuple(dict.fromkeys(self._places.values()))
        return Judges(as_metric(self.metric), places, detectors, fitted, self._own, self._passes)

    def _detectors(self, progress: Progress | None) -> tuple[dict[Score, Detector], str]:
        if self.training is None:
            return {}, ""
        parts = _parts(self.training, self.chunk)
        tasks = [self._recording(CLEAN, "training", start, items, Passes()) for start, items in parts]
        self._run("recording training data", record, tasks, progress)
        chosen = usual_detectors() if self.detectors is None else dict(self.detectors)
        return fitted_detectors(chosen, [task.part for task in tasks])

    def _scored(self, recorded: Parts, items: Sequence[Items], judges: Judges, progress: Progress | None) -> Parts:
        def scoring(condition: Condition, part: store.Part, some: Items) -> Scoring:
            truth: Any = some.truth
            return Scoring(self.system, part, truth, some.truth_digest, judges, self._place("scored", condition.label))

        tasks = {
            condition: [scoring(condition, part, some) for part, some in zip(parts, items, strict=True)]
            for condition, parts in recorded.items()
        }
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
            try:
                self.executor.map(function, missing, seed=self.seed, progress=tell)
            except PicklingError as error:
                remedy = "Leave locks, open files and the like out of modules, or say executor=Serial()."
                # A worker sends its traceback as text; the last line says what it was.
                found = str(error.__cause__ or error).strip('"\n ').splitlines()[-1]
                where = f"study of {self.system.name!r}"
                raise InvalidInput(
                    "cannot be sent to other processes", where=where, found=found, remedy=remedy
                ) from error


def _of_place(whole: Measured, name: str, place: str) -> Measured:
    """What was measured of a further place, with the scores of the module that gives it."""
    own = {score: family for score, family in whole.scores.items() if score.module == module_of(place)}
    return replace(whole, system=name, scores=own, columns=replace(whole.columns, place=place))  # type: ignore[type-var]


def _parts(items: Items, chunk: int) -> list[tuple[int, Items]]:
    return [(start, items.part(start, min(start + chunk, len(items)))) for start in range(0, len(items), chunk)]
