"""Run a plan: find what is stored, compute the rest, keep each result as soon as it is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from surefoot.core import Diagnostic, DiagnosticsError, Evidence, Provenance, SurefootError
from surefoot.executors import Dask, Processes, Serial
from surefoot.executors.tasks import OrderedExecutor
from surefoot.project.answers import check_references
from surefoot.project.assembly import assemble
from surefoot.project.components import Components
from surefoot.project.events import Event, Listener
from surefoot.project.iterations.history import History
from surefoot.project.job import Job, Outcome, perform, problems_of
from surefoot.project.looks import Ledger, Place
from surefoot.project.plan import Task, plan
from surefoot.project.preparation import Preparation
from surefoot.project.project import Project
from surefoot.project.result import Result
from surefoot.project.step_files import file_digests
from surefoot.project.store import Store

STORE_FOLDER = ".surefoot"
Judge = Callable[[Ledger, Mapping[str, Evidence]], dict[str, Place]]


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
    opened = store if isinstance(store, Store) else Store.open(store_location(project, store))
    executor = Dask(dask) if dask else Processes(workers) if workers and workers > 1 else Serial()
    return _Run(project, Components(project, opened), executor, progress or (lambda event: None)).result(only_stored)


def run_anew(project: Project, judge: Judge, progress: Listener | None = None) -> Result:
    """Assess a project from nothing but its files, with places in the ledger that ``judge`` knows."""
    components = Components(project, Store.open(None))
    return _Run(project, components, Serial(), progress or (lambda event: None)).result(judge=judge)


def store_location(project: Project, store: str | Path | None) -> str | Path | None:
    """Where the evidence of a project is kept: as somebody says, else beside its file; None for memory."""
    return store if store is not None or project.path is None else project.folder / STORE_FOLDER


@dataclass(eq=False)
class _Run:
    project: Project
    components: Components
    executor: OrderedExecutor
    tell: Listener
    evidence: dict[str, Evidence] = field(default_factory=dict)
    problems: list[Diagnostic] = field(default_factory=list)

    @property
    def preparation(self) -> Preparation:
        return Preparation(self.project, self.components, self.executor, self.tell, self.evidence)

    def result(self, only_stored: bool = False, judge: Judge | None = None) -> Result:
        tasks = plan(self.project)
        self.tell(Event("planned", total=len(tasks)))
        provenances = self._provenances(tasks)
        self._fetch(tasks, provenances)
        if only_stored:
            self._require_all(tasks)
        self._compute_in_waves(tasks, provenances)
        DiagnosticsError.raise_if_any(dict.fromkeys(self.problems))
        check_references(self.project, self.evidence)
        history = History.of(self.project, self.components.store)
        ledger = Ledger(self.project, tasks, self.components)
        result = assemble(
            self.project,
            tasks,
            self.evidence,
            keys={name: provenance.key for name, provenance in provenances.items()},
            components=self.components,
            ledger=ledger,
            places=ledger.record(self.evidence) if judge is None else judge(ledger, self.evidence),
        )
        return history.told(result, keep=not only_stored)

    def _provenances(self, tasks: Sequence[Task]) -> dict[str, Provenance]:
        found: dict[str, Provenance] = {}
        for task in tasks:
            keys = {name: provenance.key for name, provenance in found.items()}
            found[task.name] = task.provenance(self.project, self._digests(task), keys)
        return found

    def _digests(self, task: Task) -> dict[str, str]:
        """Digests of model, data and files; a model in memory is known by its answers on each parameter's data set."""
        files = file_digests(task.files, self.project.folder)
        found = {f"file of {parameter}": digest for parameter, digest in files.items()}
        if not (task.component and task.data):
            return found
        found |= self.components.digests(task.component, task.data)
        for parameter, data in task.named.items():
            digests = self.components.digests(task.component, data)
            found |= {f"{what} of {parameter}": digest for what, digest in digests.items()}
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
        where = self.project.where(*self.project.definition.place_of_step(task.name))
        self.tell(Event("computing", task.name))
        try:
            return self.preparation.job(task, provenance, where)
        except SurefootError as error:
            self._failed(task.name, problems_of(error, where))
            return None

    def _perform(self, jobs: Sequence[Job], total: int) -> None:
        """Jobs that use the executor themselves run here, one by one; the others run where it says."""
        together = []
        for job in jobs:
            if job.alone or isinstance(self.executor, Serial):
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
        if job.alone:
            self.components.store.drop_unfinished_work(job.provenance.key)
        self.evidence[job.name] = outcome
        self.tell(Event("finished", job.name, len(self.evidence), total))

    def _failed(self, name: str, problems: Sequence[Diagnostic]) -> None:
        self.problems.extend(problems)
        self.tell(Event("failed", name))
