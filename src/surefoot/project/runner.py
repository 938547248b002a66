"""Run a plan: find what is stored, compute the rest, keep each result as soon as it is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from traceback import extract_tb
from typing import Any, Literal

import numpy as np

from surefoot.adapters import Data, Frame, LoadedModel, Tested
from surefoot.core import (
    Assumption,
    Diagnostic,
    DiagnosticsError,
    Estimate,
    Evidence,
    Executor,
    MissingExtra,
    Provenance,
    SurefootError,
    Table,
    union,
    validate,
)
from surefoot.core.errors import is_memory_error
from surefoot.executors import Checkpointed, Dask, OrderedExecutor, Processes, Serial, WithProgress
from surefoot.project.answers import assemble, check_references
from surefoot.project.components import Components, Progress, as_assumptions
from surefoot.project.history import History
from surefoot.project.inputs import documents_at, file_digests, files_at, functions_at, obstacle
from surefoot.project.looks import Ledger, Place
from surefoot.project.plan import Task, plan, quantity_of, step_of
from surefoot.project.project import Project, require_confined
from surefoot.project.registry import find
from surefoot.project.result import Result
from surefoot.project.store import Store

STORE_FOLDER = ".surefoot"
COLUMNS_OF_INPUTS = "columns of the inputs"
Judge = Callable[[Ledger, Mapping[str, Evidence]], dict[str, Place]]


@validate.arguments
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

    Parameters
    ----------
    project
        As ``load`` or ``Project.of`` gives it.
    store
        Where evidence is kept: a folder, a URL or a ``Store``; by default the folder ``.surefoot`` beside the project
        file, and memory for a project without a file.
    workers
        Local processes to run steps in; results do not depend on it.
    dask
        Address of a Dask scheduler to run steps on; results do not depend on it.
    progress
        Told what the run is doing.
    only_stored
        Compute nothing; what is missing is an error.

    Returns
    -------
    Result
        Evidence, answers to the targets, and the assurance case.

    Raises
    ------
    DiagnosticsError
        What went wrong in all steps; what others found is kept.

    Examples
    --------
    >>> from pathlib import Path
    >>> import surefoot as sf
    >>> by = {"name": "A. Berg", "date": "2026-05-01", "reason": "No log has more."}
    >>> said = {"step": "stated", "quantity": "demand rate", "value": 0.01, "source": "logs", "answered_by": by}
    >>> asked = {"estimate": "demands.demand rate", "at_most": 0.02}
    >>> file = {"version": 1, "system": {"name": "gate"}, "evidence": {"demands": said}, "targets": {"rare": asked}}
    >>> project = sf.project.from_data(file, folder=Path())
    >>> result = sf.run(project)
    >>> result["demands.demand rate"].value, result.met
    (0.01, True)

    """
    require_confined(project)
    opened = store if isinstance(store, Store) else Store.open(store_location(project, store))
    executor = Dask(dask) if dask else Processes(workers) if workers and workers > 1 else Serial()
    return _Run(project, Components(project, opened), executor, progress or (lambda event: None)).result(only_stored)


def run_anew(
    project: Project,
    judge: Judge,
    progress: Listener | None = None,
    *,
    given: Mapping[str, Evidence] | None = None,
    digests: Mapping[str, str] | None = None,
) -> Result:
    """Assess a project from nothing but its files, with places in the ledger that ``judge`` knows.

    Steps whose results are ``given`` are not computed, nor are data sets made whose ``digests`` are given; where any
    step is given, no code of the project runs.
    """
    components = Components(project, Store.open(None), known=digests or {}, code=not given)
    known = dict(given or {})
    return _Run(project, components, Serial(), progress or (lambda event: None), known, frozenset(known)).result(
        judge=judge
    )


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
    aside: frozenset[str] = frozenset()
    """Steps whose results were given beforehand."""
    problems: list[Diagnostic] = field(default_factory=list)

    @property
    def preparation(self) -> Preparation:
        return Preparation(self.project, self.components, self.executor, self.tell, self.evidence)

    def result(self, only_stored: bool = False, judge: Judge | None = None) -> Result:
        tasks = plan(self.project)
        self.tell(Event("planned", total=len(tasks)))
        provenances = self._provenances(tasks)
        for name in self.aside:
            self.evidence[name] = replace(self.evidence[name], provenance=provenances[name])
        self._fetch(tasks, provenances)
        if only_stored:
            self._require_all(tasks)
        self._compute_in_waves(tasks, provenances)
        DiagnosticsError.raise_if_any(dict.fromkeys(self.problems))
        check_references(self.project, self.evidence)
        history = History.of(self.project, self.components.store)
        ledger = Ledger(self.project, tasks, self.components, self.aside)
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
        except (SurefootError, MemoryError) as error:
            self._failed(task.name, problems_of(error, where, doing=f"while preparing the step {task.name}"))
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


# From a task to a job: everything that its step is handed.


@dataclass(frozen=True, eq=False)
class Preparation:
    """What jobs are made from."""

    project: Project
    components: Components
    executor: OrderedExecutor
    tell: Listener
    evidence: Mapping[str, Evidence]
    """What earlier steps gave; grows while a run goes on."""

    def job(self, task: Task, provenance: Provenance, where: str) -> Job:
        """The step with the values of its parameters."""
        provided = {name: self._value(task, name, role, provenance) for name, role in task.step.roles.items()}
        files = files_at(task.files, self.project.folder)
        given = (
            dict(task.values)
            | files
            | documents_at(task.values, self.project.folder)
            | functions_at(task.step.fields, task.values, self.project.folder)
            | {name: value for name, value in provided.items() if value is not None}
        )
        tested = self._tested(task) if "tested" in task.step.roles.values() else None
        return Job(
            task.name,
            task.step.name,
            given,
            provenance,
            where,
            assumptions=as_assumptions(self.project.definition.conditions, tested) if tested else (),
            caveats=tested.caveats if tested else (),
            failure=tested.failure if tested else "",
            inputs=_columns(tested) if tested else None,
            store=self.components.store.shared_location,
            alone="executor" in task.step.roles.values(),
        )

    def _value(self, task: Task, parameter: str, role: str, provenance: Provenance) -> Any:
        makers: dict[str, Callable[[], Any]] = {
            "tested": lambda: self._tested(task),
            "data": lambda: self._data(task, parameter),
            "model": lambda: self._model(task),
            "executor": lambda: self._executor(task, provenance.key),
            "conditions": lambda: self.project.definition.conditions,
            "asked": lambda: task.asked,
            "seed": lambda: self.project.definition.seed,
            "one": lambda: next(iter(self._estimates(task, parameter).values()), None),
            "many": lambda: self._estimates(task, parameter) or None,
            "list": lambda: list(self._estimates(task, parameter).values()) or None,
        }
        return makers[role]()

    def _model(self, task: Task) -> LoadedModel:
        """The model; a step that was told which columns to take puts them in the model's order itself."""
        if task.parameters.get("columns") is not None:
            return self.components.model(task.component or "")
        return self.components.model_on(task.component or "", task.data or "")

    def _tested(self, task: Task) -> Tested:
        scoring = self._scoring(f"{task.component}.{task.data}")
        return self.components.tested(task.component or "", task.data or "", scoring)

    def _scoring(self, name: str) -> Progress:
        return lambda done, total: self.tell(Event("scoring", name, done, total))

    def _data(self, task: Task, parameter: str) -> Data | None:
        """The data set that is named; else that of ``on`` for a parameter that needs one."""
        usual = task.data if task.step.data_sets[parameter].required else None
        name = task.named.get(parameter, usual)
        if name is None:
            return None
        if task.step.data_sets[parameter].scored:
            return self.components.answers(task.component or "", name, self._scoring(f"{task.component}.{name}"))
        return self.components.data(task.component or "", name)

    def _executor(self, task: Task, key: str) -> Executor:
        """One that goes on where an interrupted run stopped, and tells how far it is."""
        place = self._place_for(task)
        folder = self.components.store.unfinished_work(key)
        remembering = place if folder is None else Checkpointed(place, folder)
        return WithProgress(remembering, lambda done, total: self.tell(Event("computing", task.name, done, total)))

    def _place_for(self, task: Task) -> OrderedExecutor:
        if isinstance(self.executor, Serial) or "model" not in task.step.roles.values():
            return self.executor
        why = obstacle(self.components.model(task.component or ""), self.executor)
        if why:
            text = f"{task.name}: the model cannot be sent to other processes, so this step runs in one ({why})."
            self.tell(Event("note", text))
        return Serial() if why else self.executor

    def _estimates(self, task: Task, parameter: str) -> dict[str, Estimate]:
        labelled = task.references.get(parameter, {})
        return {label: self.evidence[step_of(text)][quantity_of(text)] for label, text in labelled.items()}


# One step with everything it needs, ready to run in this process or in another.


@dataclass(frozen=True, eq=False)
class Job:
    """A step, the values of its parameters, and what its results rest on beside the step's own assumptions."""

    name: str
    step: str
    values: Mapping[str, Any]
    provenance: Provenance
    where: str
    assumptions: tuple[Assumption, ...] = ()
    caveats: tuple[Diagnostic, ...] = ()
    failure: str = ""
    """What counts as a failure on demand, where the task says so."""
    store: str | None = None
    """Where to keep the evidence as soon as it is there; None where only the caller can."""
    inputs: Table | None = None
    """What the columns of a frame hold; None where inputs are arrays."""
    alone: bool = False
    """Whether the step uses the executor itself, and so runs in the main process."""


Outcome = Evidence | tuple[Diagnostic, ...]


def perform(job: Job, rng: np.random.Generator | None = None) -> Outcome:
    """The evidence, or what went wrong; a step that fails does not stop the others."""
    try:
        evidence = _finished(find(job.step).function(**job.values), job)
        if job.store is not None:
            Store.open(job.store).put(job.provenance.key, evidence, step=job.name)
    except Exception as error:
        return problems_of(error, job.where, doing=f"in the step {job.name}")
    return evidence


def problems_of(error: Exception, where: str, *, doing: str) -> tuple[Diagnostic, ...]:
    """An exception as coded problems."""
    if isinstance(error, DiagnosticsError) and error.diagnostics:
        return tuple(d if d.where else replace(d, where=where) for d in error.diagnostics)
    if is_memory_error(error):
        return DiagnosticsError.out_of_memory(error, doing, where=where).diagnostics
    if isinstance(error, MissingExtra):
        return (Diagnostic("missing-extra", str(error), "error", where),)
    if isinstance(error, SurefootError):
        return (Diagnostic("step-failed", str(error), "error", where),)
    frames = extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return (Diagnostic("step-failed", f"{type(error).__name__}: {error}{place}", "error", where),)


def _finished(returned: Any, job: Job) -> Evidence:
    """What the step returned, with what the step could not know."""
    if isinstance(returned, Evidence):
        found = returned
    else:
        found = Evidence((returned,) if isinstance(returned, Estimate) else tuple(returned))
    return replace(
        found,
        estimates=tuple(_traced(estimate, job) for estimate in found.estimates),
        tables=found.tables if job.inputs is None else {**found.tables, COLUMNS_OF_INPUTS: job.inputs},
        assumptions=union(found.assumptions, job.assumptions),
        provenance=job.provenance,
    )


def _traced(estimate: Estimate, job: Job) -> Estimate:
    data = {**estimate.provenance.data, **job.provenance.data}
    return replace(
        estimate,
        details={"failure_on_demand": job.failure, **estimate.details} if job.failure else estimate.details,
        assumptions=union(estimate.assumptions, job.assumptions),
        caveats=(*estimate.caveats, *(c for c in job.caveats if c not in estimate.caveats)),
        provenance=replace(estimate.provenance, data=data),
    )


def _columns(tested: Tested) -> Table | None:
    """What the columns of a frame hold, for people."""
    if not isinstance(tested.inputs, Frame):
        return None
    return Table(("column", "holds", "values", "missing"), tested.inputs.summary)


# What a run tells whoever watches it.


@dataclass(frozen=True)
class Event:
    """What a run is doing, for a progress bar.

    Parameters
    ----------
    kind
        What happened.
    name
        The step, or the data set that is scored; of a note its text.
    done, total
        Rows while scoring, parts of the work while a long step is computing, and steps otherwise.

    Examples
    --------
    >>> from pathlib import Path
    >>> import surefoot as sf
    >>> by = {"name": "A. Berg", "date": "2026-05-01", "reason": "No log has more."}
    >>> said = {"step": "stated", "quantity": "demand rate", "value": 0.01, "source": "logs", "answered_by": by}
    >>> asked = {"estimate": "demands.demand rate", "at_most": 0.02}
    >>> file = {"version": 1, "system": {"name": "gate"}, "evidence": {"demands": said}, "targets": {"rare": asked}}
    >>> project = sf.project.from_data(file, folder=Path())
    >>> told = []
    >>> result = sf.run(project, progress=told.append)
    >>> [event.kind for event in told]
    ['planned', 'computing', 'finished']

    """

    kind: Literal["planned", "scoring", "computing", "stored", "finished", "failed", "note"]
    name: str = ""
    done: int = 0
    total: int = 0


Listener = Callable[[Event], None]
