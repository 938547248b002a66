"""From a task to a job: everything that its step is handed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from surefoot.adapters import Data, Tested
from surefoot.core import Estimate, Evidence, Executor, Provenance
from surefoot.executors import Remembered, Serial, Watched
from surefoot.executors.tasks import OrderedExecutor
from surefoot.project.components import Components
from surefoot.project.conditions import as_assumptions
from surefoot.project.events import Event, Listener
from surefoot.project.job import Job
from surefoot.project.plan import Task, quantity_of, step_of
from surefoot.project.project import Project
from surefoot.project.scores import Progress
from surefoot.project.sending import obstacle
from surefoot.project.step_files import files_at


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
        given = dict(task.values) | files | {name: value for name, value in provided.items() if value is not None}
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
            alone="executor" in task.step.roles.values(),
        )

    def _value(self, task: Task, parameter: str, role: str, provenance: Provenance) -> Any:
        makers: dict[str, Callable[[], Any]] = {
            "tested": lambda: self._tested(task),
            "data": lambda: self._data(task, parameter),
            "model": lambda: self.components.model(task.component or ""),
            "executor": lambda: self._executor(task, provenance.key),
            "conditions": lambda: self.project.definition.conditions,
            "asked": lambda: task.asked,
            "seed": lambda: self.project.definition.seed,
            "one": lambda: next(iter(self._estimates(task, parameter).values()), None),
            "many": lambda: self._estimates(task, parameter) or None,
            "list": lambda: list(self._estimates(task, parameter).values()) or None,
        }
        return makers[role]()

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
        remembering = place if folder is None else Remembered(place, folder)
        return Watched(remembering, lambda done, total: self.tell(Event("computing", task.name, done, total)))

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
