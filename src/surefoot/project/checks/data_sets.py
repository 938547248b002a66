"""Problems of the data sets that a step names."""

from __future__ import annotations

from collections.abc import Iterator

from surefoot.documents import Keys, Problem, did_you_mean, shown
from surefoot.project.checks.components import component_of
from surefoot.project.checks.parameters import misspelt
from surefoot.project.data_sets import DataParameter
from surefoot.project.definition import EvidenceSource
from surefoot.project.draft import Draft
from surefoot.project.step import Step


def data_set_problems(draft: Draft, source: EvidenceSource, step: Step, at: Keys) -> Iterator[Problem]:
    """Names that are no data set of the component, and names that are missing."""
    component = component_of(draft, source)
    known = list(component.data) if component else []
    for key, parameter in step.data_sets.items():
        if key in source.parameters:
            yield from _named(source.parameters[key], parameter, source.on, known, (*at, key))
        elif parameter.another and key not in misspelt(source.parameters, step):
            others = [name for name in known if name != source.on]
            yield Problem("missing-key", (*at, key), "is missing.", _which(source.on, others))


def _named(value: object, parameter: DataParameter, on: str, known: list[str], at: Keys) -> Iterator[Problem]:
    if value is None and not parameter.required:
        return
    if not isinstance(value, str):
        yield Problem("wrong-value", at, f"must be the name of a data set; found {shown(value)}.")
    elif known and value not in known:
        text = f"names the data set {shown(value)}, which the component does not have."
        yield Problem("unknown-reference", at, text, did_you_mean(value, known))
    elif parameter.another and value == on:
        others = [name for name in known if name != on]
        yield Problem("wrong-value", at, f"names the data set {shown(value)}, which is that of on.", _which(on, others))


def _which(on: str, others: list[str]) -> str:
    there = f" ({', '.join(others)})" if others else ", and add it to the component"
    return f"Name another data set of the component than {on}{there}."
