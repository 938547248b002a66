"""Problems of targets, and of conditions that look at columns of the data."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from surefoot.core import DiagnosticsError, SurefootError
from surefoot.documents import Keys, Problem, did_you_mean, shown
from surefoot.project.checks.components import component_of
from surefoot.project.checks.results import reference_problems
from surefoot.project.definition import DataSource, TargetSource
from surefoot.project.derived import all_keys, exposure_of, keys_of, reference_of
from surefoot.project.draft import Draft
from surefoot.project.step import find

UNWANTED = re.compile(r"\b(failures?|hazards?|miss(es|ed)?|errors?|risks?|loss(es)?|accidents?)\b", re.IGNORECASE)


def target_problems(draft: Draft) -> Iterator[Problem]:
    """Results that do not exist, and limits that cannot be."""
    for name, source in draft.definition.all_targets.items():
        at: Keys = draft.definition.place_of_target(name)
        yield from reference_problems(draft, source.estimate, (*at, "estimate"))
        yield from _direction_problems(source, at)
        yield from _key_problems(source, at) or _limit_problems(source, at)


def _key_problems(source: TargetSource, at: Keys) -> list[Problem]:
    """Keys that the principle does not take, or that it needs and are not there."""
    given = [key for key in source.model_fields_set if getattr(source, key) is not None]
    every = {key for keys in all_keys().values() for key in keys}
    if source.principle is None:
        hint = "Remove it, or give a principle in place of the limit."
        text = "belongs to a principle, and this target states its limit."
        return [Problem("unknown-key", (*at, key), text, hint) for key in given if key in every]
    taken = keys_of(source.principle)
    unused = f"is no key of the principle {source.principle}."
    missing = f"is missing; the principle {source.principle} needs it."
    return [
        *(
            Problem("unknown-key", (*at, key), unused, did_you_mean(key, list(taken)))
            for key in given
            if key in every - set(taken)
        ),
        *(Problem("missing-key", (*at, key), missing) for key, needed in taken.items() if needed and key not in given),
    ]


def _limit_problems(source: TargetSource, at: Keys) -> Iterator[Problem]:
    """What is wrong with the first part of a limit that is wrong; the others may follow from it."""
    limit = next(key for key in ("at_most", "at_least", "principle") if getattr(source, key) is not None)
    parts: dict[str, Callable[[], object]] = {
        "reference": lambda: reference_of(source.reference),
        "exposure": lambda: exposure_of(source.exposure),
        limit: lambda: source.target,
    }
    for key, made in parts.items():
        try:
            made()
        except SurefootError as error:
            seen = "" if error.found is None else f"; found {error.found}"
            named = _key_named(error, source) if key == limit else key
            yield Problem("wrong-value", (*at, named or limit), f"cannot be: {error.problem}{seen}.", error.remedy)
            return


def _key_named(error: SurefootError, source: TargetSource) -> str | None:
    """The key that an error of a principle begins with, or that it says it is about."""
    words = (error.problem.partition(" ")[0], error.where.partition(" ")[0])
    return next((word for word in words if word in (*source.model_fields_set, "exposure")), None)


def _direction_problems(source: TargetSource, at: Keys) -> Iterator[Problem]:
    """A limit on the wrong side of what should be rare."""
    quantity = source.estimate.partition(".")[2].partition("[")[0]
    if source.at_least is not None and UNWANTED.search(quantity):
        text = f"asks for at least so much of {shown(quantity)}, of which less is better."
        yield Problem("wrong-value", (*at, "at_least"), text, "Did you mean at_most?", "warning")


def condition_problems(draft: Draft) -> Iterator[Problem]:
    """Columns that the tested data do not bring."""
    tested = _tested_data(draft)
    for number, condition in enumerate(draft.definition.conditions.assumptions):
        for name, data in tested.items():
            if condition.column is not None and condition.column not in data.attributes:
                at: Keys = ("conditions", "assumptions", number, "column")
                text = f"names {shown(condition.column)}, which is not among the attributes of {name}."
                hint = did_you_mean(condition.column, data.attributes)
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
