"""What is wrong with gates and probabilities beside chains, once the chains say which events there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from surefoot.core.diagnostics import Diagnostic
from surefoot.faulttree.formats.building import Parts, wrong_numbers
from surefoot.faulttree.problems import structure_problems

if TYPE_CHECKING:
    from surefoot.hazards.scenarios.model import Scenarios


def section_problems(scenarios: Scenarios, parts: Parts) -> Iterator[Diagnostic]:
    """Errors with the lines that ``parts`` know; loops are left to the chains, which know more of them."""
    formulas = scenarios.merged
    members = [member for group in scenarios.groups for member in group.members]
    told = (name for scenario in scenarios.chains for name in scenario.events)
    events = {name for name in (*scenarios.events, *told) if name not in formulas and name not in scenarios.houses}
    places = {name: _place(mark, parts) for name, mark in parts.marks.items()}
    found = structure_problems(
        next(iter(formulas)), formulas, dict.fromkeys(events), scenarios.houses, members=members, places=places
    )
    for problem in found:
        if problem.severity == "error" and problem.code != "tree-cycle":
            yield replace(problem, where=problem.where or parts.findings.file)
    quantities = {f"event {name!r}": place for name, place in places.items() if name in scenarios.events}
    others = {what: _place(mark, parts) for what, mark in parts.other_marks.items()}
    yield from wrong_numbers(parts, quantities | others, ())


def _place(mark: object, parts: Parts) -> str:
    return parts.findings.file if parts.place_of is None else parts.place_of(mark)
