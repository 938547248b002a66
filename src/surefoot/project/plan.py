"""The plan: which steps there are, what each waits for, and the key of each, known before any work.

A key knows the code that computes by versions of meaning, and registered things, such as detectors, by their names.
"""

from __future__ import annotations

import hashlib
import inspect
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from importlib.metadata import PackageNotFoundError, version
from inspect import signature
from pathlib import Path
from typing import Any, get_args

from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, PydanticKnownError, core_schema

from surefoot.core import InvalidInput, Provenance, validate
from surefoot.core.canonical import FrozenDict
from surefoot.core.registry import Entry, Registry, Unloadable
from surefoot.project.definition import Definition
from surefoot.project.definition.system import KEPT
from surefoot.project.inputs import Place, files_named
from surefoot.project.project import Project
from surefoot.project.registry import Asked, Step, find, version_of
from surefoot.version import __version__


@dataclass(frozen=True)
class Task:
    """One step of one project, as ``plan`` gives it.

    See Also
    --------
    plan : All steps of a project.

    """

    name: str
    step: Step
    parameters: Mapping[str, Any]
    """What the project file says, and defaults, as plain data; without those of parameters that came ``Later``."""
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

    @property
    def named_entries(self) -> tuple[tuple[str, Entry[Any]], ...]:
        """Registered things that the parameters name, such as a detector: the kind and the entry of each."""
        return tuple(named_entries(self.step.fields, self.parameters))

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
            dict(reading_versions()) | dict(step_versions(self.step, shown)) | dict(named_versions(self.named_entries)),
        )


def how_read(definition: Definition, component: str, data: str) -> dict[str, Any]:
    """How model and data are read, beside the content of their files: columns, methods, classes."""
    part = definition.components[component]
    aside = {"path", "weights", "files", "batch_size", "time_limit", *KEPT}
    if part.model and part.model.detector is None:
        aside.add("detector")
    aside |= {"takes"} if part.model and part.model.takes is None else set()
    model = part.model.model_dump(mode="json", exclude=aside) if part.model else None
    task = {} if part.classifies else {"task": part.judging}
    return {"model": model, "data": part.data[data].identity, "classes": list(part.classes)} | task


def step_of(reference: str) -> str:
    """The step in ``step.quantity``."""
    return reference.partition(".")[0]


def quantity_of(reference: str) -> str:
    """The quantity in ``step.quantity``."""
    return reference.partition(".")[2]


@validate.arguments
def plan(project: Project) -> tuple[Task, ...]:
    """All steps, each after those it waits for, otherwise in the order of the file.

    Parameters
    ----------
    project
        Without problems.

    Returns
    -------
    tuple of Task
        Each with its parameters, and the results of earlier steps that it needs.

    Examples
    --------
    >>> from pathlib import Path
    >>> import surefoot as sf
    >>> by = {"name": "A. Berg", "date": "2026-05-01", "reason": "No log has more."}
    >>> said = {"step": "stated", "quantity": "demand rate", "value": 0.01, "source": "logs", "answered_by": by}
    >>> asked = {"estimate": "demands.demand rate", "at_most": 0.02}
    >>> file = {"version": 1, "system": {"name": "gate"}, "evidence": {"demands": said}, "targets": {"rare": asked}}
    >>> project = sf.project.from_data(file, folder=Path())
    >>> [(task.name, task.step.name, task.needs) for task in sf.project.plan(project)]
    [('demands', 'stated', ())]

    """
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
    stated = {key: value for key, value in checked.model_dump(mode="json").items() if not _unsaid(step, key, value)}
    return Task(name, step, stated, values, references, component, on, named, asked)


class Later:
    """In the annotation of a parameter that was added to a step later: unless it is stated, keys stay as they were."""


def _unsaid(step: Step, parameter: str, value: Any) -> bool:
    return value is None and any(isinstance(each, Later) for each in step.fields[parameter].metadata)


def _labelled(value: Any) -> dict[str, str]:
    """References by label, however they were written: one, a list, or a mapping."""
    if isinstance(value, str):
        return {"": value}
    if isinstance(value, Mapping):
        return dict(value)
    return {str(number): text for number, text in enumerate(value)}


# By what a key knows the code that computes: versions of meaning, and of the libraries computed with.
#
# A version of meaning is raised when results change, and stays when code moves, so that evidence of yesterday is still
# found. The frozen record of the tests fails where results changed and the version did not.

READING = 1
"""How files become rows, and rows become answers of a model."""
COMPUTED_WITH = ("numpy", "scipy")
RECORDED = (*COMPUTED_WITH, "scikit-learn", "matplotlib", "pydantic", "joblib")


@cache
def reading_versions() -> FrozenDict:
    """Part of every key: the version of how files are read, and the libraries that compute."""
    return FrozenDict({"reading": str(READING), **{name: version(name) for name in COMPUTED_WITH}})


def step_versions(step: Step, shown: Mapping[str, Any]) -> FrozenDict:
    """The version of what a step means; of one from elsewhere its distribution, and its sources if it states none."""
    version = step.version
    if version is not None and step.when is not None and not step.when(shown):
        version -= 1
    return FrozenDict(_meant(f"step {step.name}", step.function, step.distribution, version))


def named_versions(entries: Iterable[tuple[str, Entry[Any]]]) -> FrozenDict:
    """The same for detectors, bounds and so on from elsewhere that a step is told to use; ours are part of the step."""
    found: dict[str, str] = {}
    for kind, entry in entries:
        if entry.module.partition(".")[0] != "surefoot":
            thing = entry.load()
            found |= _meant(f"{kind} {entry.name}", thing, entry.distribution, version_of(thing))
    return FrozenDict(found)


def _meant(name: str, thing: Any, distribution: str, stated: int | None) -> dict[str, str]:
    module = thing.__module__
    package = module.partition(".")[0]
    if package == "surefoot" or stated is not None:
        return {name: f"{distribution.rpartition(' ')[0]} {stated or 1}".strip()}
    file = _file(inspect.unwrap(thing))
    if file is None:
        return {name: hashlib.sha256(_source(name, thing).encode()).hexdigest()[:16]}
    root = file.parents[module.count(".")] if file.name != "__init__.py" else file.parents[module.count(".") + 1]
    files = sorted((root / package).rglob("*.py")) if (root / package).is_dir() else [file]
    return {name: f"{distribution} {_digest(files, root)}".strip()}


def _file(thing: Any) -> Path | None:
    try:
        file = Path(inspect.getsourcefile(thing) or "")
    except TypeError:
        return None
    return file if file.is_file() else None


def _source(name: str, thing: Any) -> str:
    """The source of what a notebook defines."""
    try:
        return inspect.getsource(inspect.unwrap(thing))
    except (OSError, TypeError) as error:
        remedy = "Put it into a file, so that evidence knows when it changes."
        raise InvalidInput("has no source that could be read", where=name, remedy=remedy) from error


@cache
def library_versions() -> FrozenDict:
    """What the report lists and the lock file compares."""
    found = {"python": platform.python_version(), "surefoot": __version__}
    for name in RECORDED:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return FrozenDict(found)


def _digest(files: Iterable[Path], root: Path) -> str:
    total = hashlib.sha256()
    for path in files:
        total.update(f"{path.relative_to(root).as_posix()}\0".encode())
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()[:16]


# Names of registered things as parameters of steps: what is registered is what a project file may write.


class NameOf:
    """In the annotation of a parameter: the name of something registered, of which the facts are true.

    ``also`` are words beside the names, such as ``auto``.
    """

    def __init__(self, registry: Registry[Any], *also: str, **facts: Any) -> None:
        self.registry, self.also, self.facts = registry, also, facts

    @property
    def words(self) -> tuple[str, ...]:
        """What a project file may write."""
        return (*self.also, *self.registry.names(**self.facts))

    def choice(self, word: str, *, where: str, name: str) -> str:
        """A word that a project file may write, or the name of what was defined here; a slip gets a suggestion."""
        return word if self._knows(word) else validate.choice(word, self.words, where=where, name=name)

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self._checked)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: Any) -> dict[str, Any]:
        return {"enum": list(self.words), "type": "string"}

    def _knows(self, word: Any) -> bool:
        return isinstance(word, str) and (word in self.also or self.registry.knows(word, **self.facts))

    def _checked(self, word: Any) -> str:
        if not self._knows(word):
            *most, last = map(repr, self.words)
            raise PydanticKnownError("literal_error", {"expected": f"{', '.join(most)} or {last}" if most else last})
        return str(word)

    def described(self, *text: str) -> str:
        """A description of the parameter, with a word on those names that it leaves out."""
        said = " ".join(text)
        entries = self.registry.entries(**self.facts).items()
        return " ".join([said, *(f"`{name}`: {_summary(entry)}" for name, entry in entries if f"`{name}`" not in said)])


def named_entries(fields: Mapping[str, FieldInfo], parameters: Mapping[str, Any]) -> Iterator[tuple[str, Entry[Any]]]:
    """The kind and the entry of everything that parameters name."""
    for name, about in fields.items():
        value = parameters.get(name)
        for each in value if isinstance(value, list) else [value]:
            for place in _places(about.annotation, *about.metadata):
                if isinstance(each, str) and place.registry.knows(each):
                    yield place.registry.kind, place.registry.find(each)


def made_with(make: Callable[..., Any], offered: Mapping[str, Any]) -> Any:
    """What a class or function makes of those of the offered arguments that it takes."""
    return make(**{name: value for name, value in offered.items() if name in signature(make).parameters})


def _places(annotation: Any, *metadata: Any) -> Iterator[NameOf]:
    yield from (each for each in metadata if isinstance(each, NameOf))
    for inner in get_args(annotation):
        yield from _places(inner, *getattr(inner, "__metadata__", ()))


def _summary(entry: Entry[Any]) -> str:
    try:
        return entry.summary
    except Unloadable as error:
        return str(error)
