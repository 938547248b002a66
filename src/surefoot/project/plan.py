"""The plan: which steps there are, what each waits for, and the key of each, known before any work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import Any

from surefoot.core import Provenance
from surefoot.project.asked import Asked
from surefoot.project.definition import Definition
from surefoot.project.project import Project
from surefoot.project.step import Step, find
from surefoot.project.step_files import Place, files_named
from surefoot.project.versions import reading_versions, step_versions


@dataclass(frozen=True)
class Task:
    """One step of one project."""

    name: str
    step: Step
    parameters: Mapping[str, Any]
    """What the project file says, and defaults, as plain data."""
    values: Mapping[str, Any]
    """The same as the types that the step's signature names."""
    references: Mapping[str, Mapping[str, str]]
    """For each parameter that takes results of earlier steps: label to ``step.quantity``."""
    component: str | None
    data: str | None
    named: Mapping[str, str]
    """For each parameter whose data set is named: its name."""
    asked: Asked
    """What targets ask of the step's results."""

    @property
    def needs(self) -> tuple[str, ...]:
        """Names of the steps whose results go in."""
        found = (step_of(text) for labelled in self.references.values() for text in labelled.values())
        return tuple(dict.fromkeys(found))

    @property
    def files(self) -> dict[Place, str]:
        """For each parameter that names a file of the project: the file as it was written."""
        return {place: text for place, (text, _) in files_named(self.step.fields, self.parameters).items()}

    def provenance(self, project: Project, digests: Mapping[str, str], inputs: Mapping[str, str]) -> Provenance:
        """Everything that determines the result; its key is the task's key."""
        definition = project.definition
        shown = dict(self.parameters) | {name: dict(labelled) for name, labelled in self.references.items()}
        if "asked" in self.step.roles.values():
            shown["asked"] = self.asked.content
        if self.component and self.data:
            shown["component"] = self.component
            shown["reading"] = how_read(definition, self.component, self.data)
            shown["conditions"] = definition.conditions.model_dump(mode="json", exclude_defaults=True)
            shown |= {name: how_read(definition, self.component, data)["data"] for name, data in self.named.items()}
        return Provenance(
            f"step.{self.step.name}",
            shown,
            tuple(inputs[name] for name in self.needs),
            digests,
            definition.seed if "seed" in self.step.roles.values() else None,
            dict(reading_versions()) | dict(step_versions(self.step)),
        )


def how_read(definition: Definition, component: str, data: str) -> dict[str, Any]:
    """How model and data are read, beside the content of their files: columns, methods, classes."""
    part = definition.components[component]
    aside = {"path", "weights", "files", "batch_size", "time_limit"}
    model = part.model.model_dump(mode="json", exclude=aside) if part.model else None
    rows = part.data[data].model_dump(mode="json", exclude={"path", "rows", "block"})
    if part.data[data].rows != "independent":
        rows |= {"rows": part.data[data].rows, "block": part.data[data].block}
    return {"model": model, "data": rows, "classes": list(part.classes)}


def step_of(reference: str) -> str:
    """The step in ``step.quantity``."""
    return reference.partition(".")[0]


def quantity_of(reference: str) -> str:
    """The quantity in ``step.quantity``."""
    return reference.partition(".")[2]


def plan(project: Project) -> tuple[Task, ...]:
    """All steps, each after those it waits for, otherwise in the order of the file."""
    tasks = {name: _task(project, name) for name in project.definition.steps}
    order = TopologicalSorter({name: task.needs for name, task in tasks.items()}).static_order()
    return tuple(tasks[name] for name in order)


def _task(project: Project, name: str) -> Task:
    source = project.definition.steps[name]
    step = find(source.step)
    given = source.parameters
    references = {
        parameter: _labelled(given[parameter]) for parameter in step.estimate_names if given.get(parameter) is not None
    }
    named = {key: given[key] for key in step.data_sets if given.get(key) is not None}
    own = {key: value for key, value in given.items() if key not in step.estimate_names and key not in step.data_sets}
    checked = step.read(own)
    values = {field: getattr(checked, field) for field in step.fields}
    component = project.component_of(name) if step.uses_component else None
    on = source.on if component else None
    asked = Asked.of_step(project.definition, name)
    return Task(name, step, checked.model_dump(mode="json"), values, references, component, on, named, asked)


def _labelled(value: Any) -> dict[str, str]:
    """References by label, however they were written: one, a list, or a mapping."""
    if isinstance(value, str):
        return {"": value}
    if isinstance(value, Mapping):
        return dict(value)
    return {str(number): text for number, text in enumerate(value)}
