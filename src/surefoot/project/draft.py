"""What of a project could be read, so that everything else can be checked although a part is wrong."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from surefoot.core import DiagnosticsError
from surefoot.documents import Keys, Problem, shown
from surefoot.project import words
from surefoot.project.definition import (
    COMPUTED,
    HAZARDS,
    MODEL,
    SCENARIOS,
    TREE,
    VERSION,
    Component,
    Conditions,
    DataSource,
    Definition,
    EvidenceSource,
    HazardsSource,
    ModelSource,
    ScenariosSource,
    TargetSource,
    TreeSource,
)
from surefoot.project.step import find

Entry = TypeVar("Entry", bound=BaseModel)
Source = ModelSource | DataSource


@dataclass(frozen=True)
class Draft:
    """The readable part of a definition, and the names of all that was written, readable or not."""

    definition: Definition
    sources: Mapping[Keys, Source]
    """Readable models and data sets by their keys, also those of components that are wrong elsewhere."""
    component_names: Collection[str]
    step_names: Collection[str]
    folder: Path
    objects: Mapping[str, Any]

    @classmethod
    def of(cls, definition: Definition, folder: Path, objects: Mapping[str, Any]) -> Draft:
        """The draft of a whole definition."""
        sources: dict[Keys, Source] = {}
        for name, component in definition.components.items():
            if component.model is not None:
                sources["components", name, MODEL] = component.model
            sources |= {("components", name, "data", title): source for title, source in component.data.items()}
        return cls(definition, sources, definition.components, definition.steps, folder, objects)


def read(data: Mapping[str, Any], folder: Path, objects: Mapping[str, Any]) -> tuple[Draft, list[Problem]]:
    """Validate data against the definition: what could be read, and what is wrong with the rest."""
    problems = _version_problems(data)
    if any(problem.code == "unsupported-version" for problem in problems):
        return _Readable({}, frozenset()).draft(folder, objects), problems
    problems += _missing_parts(data)
    try:
        return Draft.of(_validated(Definition, data), folder, objects), problems
    except ValidationError as error:
        problems += [p for p in words.problems(error, data, Definition) if p.path != ("version",)]
    wrong = frozenset(problem.path[:depth] for problem in problems for depth in range(len(problem.path) + 1))
    return _Readable(data, wrong).draft(folder, objects), problems


def _version_problems(data: Mapping[str, Any]) -> list[Problem]:
    version = data.get("version")
    if version == VERSION and type(version) is int:
        return []
    if version is None:
        return [Problem("missing-key", ("version",), "is missing.", f"Write version: {VERSION} in the first line.")]
    if type(version) is not int:
        return [Problem("wrong-value", ("version",), f"must be {VERSION}; found {shown(version)}.")]
    text = f"is {shown(version)}, and this Surefoot reads version {VERSION}."
    hint = "Run: pip install --upgrade surefoot" if version > VERSION else f"Write version: {VERSION} and check again."
    return [Problem("unsupported-version", ("version",), text, hint)]


def _missing_parts(data: Mapping[str, Any]) -> list[Problem]:
    """What only some projects may leave out: whatever is computed, and the components that steps work on."""
    if not any(key in data for key in COMPUTED):
        return [Problem("missing-key", ("evidence",), "is missing.", f"Or add one of {', '.join(COMPUTED[1:])}.")]
    evidence = data.get("evidence")
    steps = evidence.values() if isinstance(evidence, Mapping) else ()
    if "components" not in data and any(map(_works_on_component, steps)):
        return [Problem("missing-key", ("components",), "is missing.", "Name the model and its data.")]
    return []


def _works_on_component(said: Any) -> bool:
    name = said.get("step") if isinstance(said, Mapping) else None
    try:
        return isinstance(name, str) and find(name).uses_component
    except DiagnosticsError:
        return False


@dataclass(frozen=True)
class _Readable:
    """Data of which some parts are known to be wrong."""

    data: Mapping[str, Any]
    wrong: frozenset[Keys]

    def draft(self, folder: Path, objects: Mapping[str, Any]) -> Draft:
        definition = Definition.model_construct(
            conditions=Conditions() if ("conditions",) in self.wrong else self._value(Conditions, "conditions"),
            components=self._entries(Component, "components"),
            evidence=self._entries(EvidenceSource, "evidence"),
            targets=self._entries(TargetSource, "targets"),
            tree=self._section(TreeSource, TREE),
            hazards=self._section(HazardsSource, HAZARDS),
            scenarios=self._section(ScenariosSource, SCENARIOS),
        )
        components = self._at("components")
        tops = self._at(SCENARIOS, "tops") or [name for name in (SCENARIOS,) if name in self.data]
        sections = [name for name in (TREE, HAZARDS) if name in self.data]
        steps = {**self._at("evidence"), **dict.fromkeys((*sections, *tops))}
        return Draft(definition, self._sources(components), components, steps, folder, objects)

    def _section(self, kind: type[Entry], name: str) -> Entry | None:
        return self._value(kind, name) if self.data.get(name) and (name,) not in self.wrong else None

    def _sources(self, components: Collection[str]) -> dict[Keys, Source]:
        found: dict[Keys, Source] = {}
        for name in components:
            at = ("components", name)
            if self._at(*at).get(MODEL) is not None and (*at, MODEL) not in self.wrong:
                found[*at, MODEL] = self._value(ModelSource, *at, MODEL)
            data = self._entries(DataSource, *at, "data")
            found |= {(*at, "data", title): source for title, source in data.items()}
        return found

    def _entries(self, kind: type[Entry], *path: str) -> dict[str, Entry]:
        return {name: self._value(kind, *path, name) for name in self._at(*path) if (*path, name) not in self.wrong}

    def _value(self, kind: type[Entry], *path: str) -> Entry:
        return _validated(kind, self._at(*path[:-1]).get(path[-1], {}))

    def _at(self, *path: str) -> Mapping[str, Any]:
        """The mapping that the keys lead to; empty where there is none."""
        value: Any = self.data
        for key in path:
            value = value.get(key) if isinstance(value, Mapping) else None
        return value if isinstance(value, Mapping) else {}


def _validated(kind: type[Entry], value: Any) -> Entry:
    # As JSON, because there a list may become a tuple while nothing else changes its type.
    return kind.model_validate_json(json.dumps(value))
