"""Run a plan: find what is stored, compute the rest, keep each result as soon as it is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from surefoot.adapters import Tested
from surefoot.core import Diagnostic, DiagnosticsError, Estimate, Evidence, Executor, Provenance, SurefootError
from surefoot.executors import Dask, Processes, Serial
from surefoot.project import looks as ledger
from surefoot.project.answers import check_references
from surefoot.project.assembly import assemble
from surefoot.project.components import Components
from surefoot.project.conditions import as_assumptions
from surefoot.project.job import Job, Outcome, perform, problems_of
from surefoot.project.plan import Task, plan, quantity_of, step_of
from surefoot.project.project import Project
from surefoot.project.result import Result
from surefoot.project.store import Store

STORE_FOLDER = ".surefoot"


@dataclass(frozen=True)
class Event:
    """What a run is doing, for a progress bar; ``done`` of ``total`` rows while scoring, steps otherwise."""

    kind: Literal["planned", "scoring", "computing", "stored", "finished", "failed"]
    name: str = ""
    done: int = 0
    total: int = 0


Listener = Callable[[Event], None]


def run(
    project: Project,
    *,
    store: Store | str | Path | None = None,
    workers: int | None = None,
    dask: str | None = None,
    progress: Listener | None = None,
    only_stored: bool = False,
) -> Result:
    """Assess a project: compute what the store does not have, and answer every target.

    The store is the folder ``.surefoot`` beside the project file unless given; a project without a file keeps its
    evidence in memory. With ``only_stored`` nothing is computed, and what is missing is an error. Results do not depend
    on ``workers`` (local processes) or ``dask`` (address of a scheduler).
    """
    opened = store if isinstance(store, Store) else Store.open(_location(project, store))
    executor: Executor = Dask(dask) if dask else Processes(workers) if workers and workers > 1 else Serial()
    return _Run(project, Components(project, opened), executor, progress or (lambda event: None)).result(only_stored)


def _location(project: Project, store: str | Path | None) -> str | Path | None:
    return store if store is not None or project.path is None else project.folder / STORE_FOLDER


@dataclass(eq=False)
class _Run:
    project: Project
    components: Components
    executor: Executor
    tell: Listener
    evidence: dict[str, Evidence] = field(default_factory=dict)
    problems: list[Diagnostic] = field(default_factory=list)

    def result(self, only_stored: bool) -> Result:
        tasks = plan(self.project)
        self.tell(Event("planned", total=len(tasks)))
        provenances = self._provenances(tasks)
        self._fetch(tasks, provenances)
        if only_stored:
            self._require_all(tasks)
        self._compute_in_waves(tasks, provenances)
        DiagnosticsError.raise_if_any(dict.fromkeys(self.problems))
        check_references(self.project, self.evidence)
        if not only_stored:
            ledger.record(self.project, tasks, self.evidence, self.components)
        return assemble(
            self.project,
            tasks,
            self.evidence,
            keys={name: provenance.key for name, provenance in provenances.items()},
            components=self.components,
            looks=ledger.count(self.project, tasks, self.components),
            earlier=ledger.earlier_limits(self.project, tasks, self.components),
            caveats=self.components.store.warnings,
        )

    def _provenances(self, tasks: Sequence[Task]) -> dict[str, Provenance]:
        found: dict[str, Provenance] = {}
        for task in tasks:
            digests = self.components.digests(task.component, task.data) if task.component and task.data else {}
            keys = {name: provenance.key for name, provenance in found.items()}
            found[task.name] = task.provenance(self.project, digests, keys)
        return found

    def _fetch(self, tasks: Sequence[Task], provenances: Mapping[str, Provenance]) -> None:
        for task in tasks:
            stored = self.components.store.get(provenances[task.name].key)
            if stored is not None:
                self.evidence[task.name] = stored
                self.tell(Event("stored", task.name, len(self.evidence), len(tasks)))

    def _require_all(self, tasks: Sequence[Task]) -> None:
        missing = [task.name for task in tasks if task.name not in self.evidence]
        if missing:
            raise DiagnosticsError.of(
                "not-assessed",
                f"no evidence is stored yet for {', '.join(missing)}",
                where=self.components.store.location,
                hint="Run surefoot assess first.",
            )

    def _compute_in_waves(self, tasks: Sequence[Task], provenances: Mapping[str, Provenance]) -> None:
        waiting = [task for task in tasks if task.name not in self.evidence]
        while wave := [task for task in waiting if all(name in self.evidence for name in task.needs)]:
            begun = {task.name for task in wave}
            waiting = [task for task in waiting if task.name not in begun]
            jobs = [job for task in wave if (job := self._job(task, provenances[task.name]))]
            self._perform(jobs, len(tasks))

    def _job(self, task: Task, provenance: Provenance) -> Job | None:
        where = self.project.where("evidence", task.name)
        self.tell(Event("computing", task.name))
        try:
            return self._prepared(task, provenance, where)
        except SurefootError as error:
            self._failed(task.name, problems_of(error, where))
            return None

    def _prepared(self, task: Task, provenance: Provenance, where: str) -> Job:
        provided = {name: self._value(task, name, role) for name, role in task.step.roles.items()}
        given = dict(task.values) | {name: value for name, value in provided.items() if value is not None}
        tested = self._tested(task) if "tested" in task.step.roles.values() else None
        return Job(
            task.name,
            task.step.name,
            given,
            provenance,
            where,
            assumptions=as_assumptions(self.project.definition.conditions, tested) if tested else (),
            caveats=tested.caveats if tested else (),
            store=self.components.store.shared_location,
        )

    def _tested(self, task: Task) -> Tested:
        name = f"{task.component}.{task.data}"
        return self.components.tested(
            task.component or "", task.data or "", lambda done, total: self.tell(Event("scoring", name, done, total))
        )

    def _value(self, task: Task, parameter: str, role: str) -> Any:
        component, data = task.component or "", task.data or ""
        makers: dict[str, Callable[[], Any]] = {
            "tested": lambda: self._tested(task),
            "data": lambda: self.components.data(component, data),
            "model": lambda: self.components.model(component),
            "executor": lambda: self.executor,
            "conditions": lambda: self.project.definition.conditions,
            "seed": lambda: self.project.definition.seed,
            "one": lambda: next(iter(self._estimates(task, parameter).values()), None),
            "many": lambda: self._estimates(task, parameter) or None,
            "list": lambda: list(self._estimates(task, parameter).values()) or None,
        }
        return makers[role]()

    def _estimates(self, task: Task, parameter: str) -> dict[str, Estimate]:
        labelled = task.references.get(parameter, {})
        return {label: self.evidence[step_of(text)][quantity_of(text)] for label, text in labelled.items()}

    def _perform(self, jobs: Sequence[Job], total: int) -> None:
        """Jobs that use the executor themselves run here, one by one; the others run where it says."""
        together = []
        for job in jobs:
            if isinstance(self.executor, Serial) or any(value is self.executor for value in job.values.values()):
                self._keep(job, perform(job), total)
            else:
                together.append(job)
        outcomes = self.executor.map(perform, together, seed=0) if together else []
        for job, outcome in zip(together, outcomes, strict=True):
            self._keep(job, outcome, total)

    def _keep(self, job: Job, outcome: Outcome, total: int) -> None:
        if not isinstance(outcome, Evidence):
            self._failed(job.name, outcome)
            return
        if job.store is None:
            self.components.store.put(job.provenance.key, outcome, step=job.name)
        self.evidence[job.name] = outcome
        self.tell(Event("finished", job.name, len(self.evidence), total))

    def _failed(self, name: str, problems: Sequence[Diagnostic]) -> None:
        self.problems.extend(problems)
        self.tell(Event("failed", name))
