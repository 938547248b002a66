"""Problems of a step's parameters: unknown, missing, of the wrong kind, or the name of a class that is not there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from surefoot.documents import Keys, Problem, closest, did_you_mean, shown
from surefoot.project import words
from surefoot.project.checks.components import component_of
from surefoot.project.definition import EvidenceSource, NamesClass
from surefoot.project.draft import Draft
from surefoot.project.step import Step


def parameter_problems(draft: Draft, source: EvidenceSource, step: Step, at: Keys) -> Iterator[Problem]:
    """Everything about parameters but results of other steps."""
    given = source.parameters
    yield from (_unknown_key(key, step, at) for key in given if key not in step.keys)
    own = {key: value for key, value in given.items() if key in step.fields}
    try:
        step.read(own)
    except ValidationError as error:
        meant = misspelt(given, step)
        for problem in words.problems(error, own, step.parameters, at):
            if problem.code != "missing-key" or problem.path[-1] not in meant:
                yield problem
    component = component_of(draft, source)
    if component and component.classes:
        yield from _class_problems(own, step, component.classes, at)


def misspelt(given: Mapping[str, Any], step: Step) -> set[str | None]:
    """What the unknown keys were probably meant to be."""
    return {closest(key, step.keys) for key in given if key not in step.keys}


def _unknown_key(key: str, step: Step, at: Keys) -> Problem:
    if key in step.roles:
        return Problem("unknown-key", (*at, key), "is provided by Surefoot and cannot be set here.", "Leave it out.")
    return Problem(
        "unknown-key", (*at, key), f"is no parameter of the step {step.name!r}.", did_you_mean(key, step.keys)
    )


def _class_problems(given: Mapping[str, Any], step: Step, classes: list[str], at: Keys) -> Iterator[Problem]:
    for key, value in given.items():
        if _names_class(step.fields[key]):
            for name in value if isinstance(value, list) else [value]:
                if isinstance(name, str) and name not in classes:
                    text = f"names the class {shown(name)}, which the component does not have."
                    yield Problem("unknown-reference", (*at, key), text, did_you_mean(name, classes))


def _names_class(field: FieldInfo) -> bool:
    return NamesClass in field.metadata or _mentions(field.annotation)


def _mentions(kind: Any) -> bool:
    return kind is NamesClass or any(_mentions(part) for part in get_args(kind))
