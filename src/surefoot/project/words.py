"""Findings of pydantic in the words of a project file: no jargon, one sentence for each mistake."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from surefoot.core import SurefootError
from surefoot.documents import Keys, Problem, closest, did_you_mean, shown
from surefoot.project.definition import NAME
from surefoot.project.vocabulary import keys_at

EXPECTED = {
    "string_type": "text",
    "string_too_short": "text with at least {min_length} characters",
    "string_too_long": "text with at most {max_length} characters",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "none_required": "empty",
    "list_type": "a list",
    "tuple_type": "a list",
    "set_type": "a list",
    "frozen_set_type": "a list",
    "missing": "longer",
    "too_short": "at least {min_length} long",
    "too_long": "at most {max_length} long",
    "dict_type": "a mapping of keys and values",
    "mapping_type": "a mapping of keys and values",
    "model_type": "a mapping of keys and values",
    "literal_error": "{expected}",
    "enum": "{expected}",
    "greater_than": "above {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "below {lt}",
    "less_than_equal": "at most {le}",
    "string_pattern_mismatch": "text that matches {pattern}",
    "multiple_of": "a multiple of {multiple_of}",
}

KEY_ITSELF = "[key]"
"""The last part of a location where a key is wrong, not its value."""


@dataclass(frozen=True)
class _Finding:
    """One error of pydantic: where in the data, and whether it is one branch of an either-or."""

    path: Keys
    branch: bool
    error: Mapping[str, Any]

    @property
    def kind(self) -> str:
        return str(self.error["type"])

    @property
    def context(self) -> Mapping[str, Any]:
        return self.error.get("ctx", {})


def problems(error: ValidationError, data: Mapping[str, Any], model: type[BaseModel], at: Keys = ()) -> list[Problem]:
    """All findings as problems; ``data`` is what was validated against ``model`` and stands at ``at``."""
    findings = [_Finding(*_path(data, e), e) for e in error.errors(include_url=False)]
    misspelt = _misspelt(findings, model)
    told = [f for f in _furthest(findings) if not (f.kind == "missing" and f.path in misspelt)]
    return [_problem(group, model, at) for group in _by_path(told)]


def _path(data: Any, error: Mapping[str, Any]) -> tuple[Keys, bool]:
    """The part of a location that stands in the data, or is missing there; the rest names branches of a union."""
    location = error["loc"]
    path: list[str | int] = []
    passed = 0
    for number, key in enumerate(location, start=1):
        if _has(data, key):
            data = data[key]
            path.append(key)
        elif key == KEY_ITSELF:
            passed += 1
        elif number == len(location) and error["type"] == "missing" and isinstance(data, dict):
            path.append(key)
    return tuple(path), len(path) + passed < len(location)


def _has(data: Any, key: str | int) -> bool:
    if isinstance(data, dict):
        return key in data
    return isinstance(data, list) and isinstance(key, int) and key < len(data)


def _misspelt(findings: Iterable[_Finding], model: type[BaseModel]) -> set[Keys]:
    """Paths of the keys that unknown keys were probably meant to be."""
    unknown = [f.path for f in findings if f.kind == "extra_forbidden"]
    return {(*path[:-1], closest(str(path[-1]), keys_at(model, path[:-1])) or "") for path in unknown}


def _furthest(findings: list[_Finding]) -> list[_Finding]:
    """Of an either-or only the branch that got furthest says what was meant."""
    passed = {finding.path[:depth] for finding in findings for depth in range(len(finding.path))}
    return [finding for finding in findings if not (finding.branch and finding.path in passed)]


def _by_path(findings: Iterable[_Finding]) -> Iterable[list[_Finding]]:
    groups: dict[Keys, list[_Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.path, []).append(finding)
    return groups.values()


def _problem(group: list[_Finding], model: type[BaseModel], at: Keys) -> Problem:
    first = group[0]
    path = (*at, *first.path)
    if first.kind == "missing" and isinstance(first.error["loc"][-1], str):
        close = closest(str(path[-1]), [key for key in first.error["input"] if isinstance(key, str)])
        return Problem("missing-key", path, "is missing.", f"Is {close!r} meant to be it?" if close else "")
    if first.kind == "extra_forbidden":
        known = keys_at(model, first.path[:-1])
        return Problem("unknown-key", path, "is no key that is known here.", did_you_mean(str(path[-1]), known))
    if first.kind == "value_error":
        return _from_validator(first.context["error"], path)
    value = first.error["input"]
    expected = " or ".join(dict.fromkeys(_expected(finding) for finding in group))
    return Problem("wrong-value", path, f"must be {expected}; found {shown(value)}.", _hint(group, value))


def _from_validator(raised: Exception, path: Keys) -> Problem:
    if isinstance(raised, SurefootError):
        seen = "" if raised.found is None else f"; found {raised.found}"
        return Problem("wrong-value", path, f"is not possible: {raised.problem}{seen}.", raised.remedy)
    return Problem("wrong-value", path, f"{raised}.")


def _expected(finding: _Finding) -> str:
    if finding.context.get("min_length") == 1:
        return "more than empty"
    if finding.context.get("pattern") == f"^{NAME}$":
        return "a name: a letter, then letters, digits, - and _"
    if finding.kind in EXPECTED:
        return EXPECTED[finding.kind].format(**{key: _number(value) for key, value in finding.context.items()})
    text = str(finding.error["msg"])
    return text.partition(" should be ")[2] or f"acceptable ({text})"


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _hint(group: list[_Finding], value: Any) -> str:
    if any(finding.kind == "string_type" for finding in group) and isinstance(value, bool | int | float):
        return "Put it in quotes."
    allowed = [word for f in group for word in re.findall(r"'([^']*)'", f.context.get("expected", ""))]
    close = closest(value, allowed) if isinstance(value, str) else None
    return f"Did you mean {close!r}?" if close else ""
