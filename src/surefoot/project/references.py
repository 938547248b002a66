"""Results of earlier steps as a project file refers to them: ``step.quantity``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from surefoot.documents import Keys
from surefoot.project.definition import NAME
from surefoot.project.step import Step

PATTERN = rf"^{NAME}\..+$"
_EXAMPLE = "written step.quantity, for example 'counted.failure probability'"
SHAPES = {
    "one": f"be a result {_EXAMPLE}",
    "many": f"be a mapping of names to results, each {_EXAMPLE}",
    "list": f"be a list of results, each {_EXAMPLE}",
}
_REFERENCE = re.compile(PATTERN)


def step_in(reference: Any) -> str | None:
    """The step that a reference names; None where it is no reference.

    >>> step_in("counted.failure probability"), step_in("counted")
    ('counted', None)
    """
    fits = isinstance(reference, str) and _REFERENCE.match(reference)
    return reference.partition(".")[0] if fits else None


def fits(role: str, value: Any) -> bool:
    """Whether a value has the shape of one result, of a mapping of results, or of a list."""
    if role == "one":
        return isinstance(value, str)
    return bool(value) and isinstance(value, Mapping if role == "many" else list)


def references(role: str, value: Any) -> dict[Keys, Any]:
    """Each result in a value that fits, by the keys that lead to it."""
    if role == "one":
        return {(): value}
    items = value.items() if role == "many" else enumerate(value)
    return {(key,): item for key, item in items}


def needed_steps(step: Step, given: Mapping[str, Any]) -> list[str]:
    """The steps whose results the parameters refer to."""
    values = [(role, given[key]) for key, role in step.estimate_names.items() if key in given]
    texts = [text for role, value in values if fits(role, value) for text in references(role, value).values()]
    return [name for name in map(step_in, texts) if name]
