"""Problems of targets, and of conditions that look at columns of the data."""

from __future__ import annotations

import re
from collections.abc import Iterator

from surefoot.adapters.wording import suggestion
from surefoot.core import DiagnosticsError, InvalidInput
from surefoot.project.checks.components import component_of
from surefoot.project.checks.results import reference_problems
from surefoot.project.definition import DataSource, TargetSource
from surefoot.project.draft import Draft
from surefoot.project.problem import Keys, Problem, found
from surefoot.project.step import find

UNWANTED = re.compile(r"\b(failures?|hazards?|miss(es|ed)?|errors?|risks?|loss(es)?|accidents?)\b", re.IGNORECASE)


def target_problems(draft: Draft) -> Iterator[Problem]:
    """Results that do not exist, and limits that cannot be."""
    for name, source in draft.definition.all_targets.items():
        at: Keys = draft.definition.place_of_target(name)
        yield from reference_problems(draft, source.estimate, (*at, "estimate"))
        yield from _direction_problems(source, at)
        try:
            source.target  # noqa: B018
        except InvalidInput as error:
            limit = "at_most" if source.at_most is not None else "at_least"
            text = f"cannot be: {error.problem}; found {error.found}."
            yield Problem("wrong-value", (*at, limit), text, error.remedy)


def _direction_problems(source: TargetSource, at: Keys) -> Iterator[Problem]:
    """A limit on the wrong side of what should be rare."""
    quantity = source.estimate.partition(".")[2].partition("[")[0]
    if source.at_least is not None and UNWANTED.search(quantity):
        text = f"asks for at least so much of {found(quantity)}, of which less is better."
        yield Problem("wrong-value", (*at, "at_least"), text, "Did you mean at_most?", "warning")


def condition_problems(draft: Draft) -> Iterator[Problem]:
    """Columns that the tested data do not bring."""
    tested = _tested_data(draft)
    for number, condition in enumerate(draft.definition.conditions.assumptions):
        for name, data in tested.items():
            if condition.column is not None and condition.column not in data.attributes:
                at: Keys = ("conditions", "assumptions", number, "column")
                text = f"names {found(condition.column)}, which is not among the attributes of {name}."
                hint = suggestion(condition.column, data.attributes)
                yield Problem("unknown-reference", at, text, hint or f"Add attributes: [{condition.column}] to it.")


def _tested_data(draft: Draft) -> dict[str, DataSource]:
    """The data sets that steps are tested on, as far as they can be read."""
    tested: dict[str, DataSource] = {}
    for source in draft.definition.steps.values():
        component = component_of(draft, source)
        name = source.component or next(iter(draft.component_names), "")
        if component and source.on in component.data and _is_tested(source.step):
            tested[f"components.{name}.data.{source.on}"] = component.data[source.on]
    return tested


def _is_tested(step: str) -> bool:
    try:
        return "tested" in find(step).roles.values()
    except DiagnosticsError:
        return False
