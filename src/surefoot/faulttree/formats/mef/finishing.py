"""A fault tree from a draft: all of it, or what belongs to the top event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from surefoot.core.diagnostics import Diagnostic
from surefoot.faulttree.formats.building import Parts, wrong_numbers
from surefoot.faulttree.formats.mef.draft import Draft, Names
from surefoot.faulttree.formats.mef.exact import take_other_words
from surefoot.faulttree.formats.mef.tops import Chosen
from surefoot.faulttree.gate_problems import input_names
from surefoot.faulttree.problems import structure_problems
from surefoot.faulttree.quantities import Quantity

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree

LEFT_OUT = "left out"
"""The attribute of the top event that says what the tree does not hold."""
CONTAINER = "container"
"""The attribute with the path of the container of a public name, where that is not the tree's own."""


def finished(draft: Draft, chosen: Chosen, top: str) -> FaultTree:
    """The tree under ``top``; problems of the file outside it count as well."""
    parts = Parts(draft.findings[0], top=top, name=chosen.name)
    parts.marks, parts.place_of = dict(draft.events.places), str
    parts.other_marks = {f"parameter {name!r}": place for name, place in draft.shared.places.items()}
    parts.other_marks |= {f"common-cause group {name!r}": place for name, place in draft.grouped.places.items()}
    parts.groups, parts.gates, parts.events = draft.groups, draft.gates, draft.basic
    parts.houses, parts.parameters = draft.houses, draft.parameters
    if not chosen.whole:
        raise_problems(draft, structure_of(draft, top))
        _restrict(parts, top)
    _describe(parts, draft, chosen)
    return parts.tree()


def raise_problems(draft: Draft, structure: Iterable[Diagnostic]) -> None:
    """One error with everything that is wrong, the numbers included, where anything is."""
    findings = draft.findings
    wrong = [problem for problem in structure if problem.severity == "error"]
    if wrong or any(found.errors for found in findings):
        more = [error for found in findings[1:] for error in found.errors]
        findings[0].raise_if_any([*more, *wrong, *_numbers_of(draft)])


def _numbers_of(draft: Draft) -> Iterator[Diagnostic]:
    said = Parts(draft.findings[0], events=draft.basic, parameters=draft.parameters)
    shared = {f"parameter {name!r}": place for name, place in draft.shared.places.items()}
    unread = [f"parameter {name!r}" for name in draft.shared.places if name not in draft.parameters]
    events = {f"event {name!r}": place for name, place in draft.events.places.items()}
    yield from wrong_numbers(said, shared | events, unread)


def structure_of(draft: Draft, top: str) -> Iterator[Diagnostic]:
    """Problems of names and gates of the whole model; what was named and could not be read is not undefined."""
    defined = {*draft.gates, *draft.basic, *draft.houses}
    others = [name for name in draft.events.kinds if name not in defined]
    shape = top, draft.gates, draft.basic, draft.houses
    yield from structure_problems(*shape, members=others, places=draft.events.places)


def _restrict(parts: Parts, top: str) -> None:
    """Keep what the top event depends on."""
    kept = _below(parts, top)
    parts.groups = [group for group in parts.groups if kept & set(group.members)]
    parts.gates = {name: formula for name, formula in parts.gates.items() if name in kept}
    parts.events = {name: quantity for name, quantity in parts.events.items() if name in kept}
    parts.houses = {name: value for name, value in parts.houses.items() if name in kept}
    grouped = [quantity for group in parts.groups for quantity in group.quantities.values()]
    needed = _needed(parts, [*filter(None, parts.events.values()), *grouped])
    parts.parameters = {name: quantity for name, quantity in parts.parameters.items() if name in needed}


def _below(parts: Parts, top: str) -> set[str]:
    found, stack = {top}, [top]
    while stack:
        formula = parts.gates.get(stack.pop())
        for name in input_names(formula) if formula else ():
            if name not in found:
                found.add(name)
                stack.append(name)
    return found


def _needed(parts: Parts, quantities: Iterable[Quantity]) -> set[str]:
    found: set[str] = set()
    stack = list(quantities)
    while stack:
        for name in stack.pop().references():
            if name not in found and name in parts.parameters:
                found.add(name)
                stack.append(parts.parameters[name])
    return found


def _describe(parts: Parts, draft: Draft, chosen: Chosen) -> None:
    """Labels and attributes of what is kept; what concerns the whole goes with the top event."""
    members = {member for group in parts.groups for member in group.members}
    kept = {*parts.gates, *parts.events, *parts.houses, *members}
    main = draft.main or chosen.name
    _take(parts, draft.events, {name: name for name in kept}, main)
    _take(parts, draft.shared, {n: f"parameter {n}" if n in kept else n for n in parts.parameters}, main)
    _take(parts, draft.grouped, {group.name: group.name for group in parts.groups}, main)
    take_other_words(parts, draft.stated)
    if chosen.label:
        parts.labels[chosen.top] = chosen.label
    if draft.left_out:
        draft.about[LEFT_OUT] = "; ".join(draft.left_out)
    if draft.about.get("model") == chosen.name:
        del draft.about["model"]
    homes = {draft.events.homes[name].path for name in kept if name in draft.events.homes}
    for path, said in draft.containers.items():
        if not path or any(f"{home}.".startswith(f"{path}.") for home in homes):
            draft.about |= said
    if draft.about and parts.top:
        parts.attributes.setdefault(parts.top, {}).update(draft.about)


def _take(parts: Parts, names: Names, kept: dict[str, str], main: str) -> None:
    """Labels and attributes of names, under the names in ``kept``, and the container of those not in ``main``."""
    parts.labels |= {kept[name]: label for name, label in names.labels.items() if name in kept}
    for name, said in names.attributes.items():
        if name in kept:
            parts.attributes.setdefault(kept[name], {}).update(said)
    for name, scope in names.homes.items():
        if scope.path != main and scope.path and name in kept and name not in names.private:
            parts.attributes.setdefault(kept[name], {})[CONTAINER] = scope.path
