"""Fault trees from a draft: all of it, or what belongs to a top event."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from surefoot.core.diagnostics import Diagnostic
from surefoot.documents import shown
from surefoot.faulttree.formats.building import Parts, wrong_numbers
from surefoot.faulttree.formats.mef.draft import Draft, Names
from surefoot.faulttree.formats.mef.exact import take_other_words
from surefoot.faulttree.formats.mef.sequences import add_sequence
from surefoot.faulttree.formats.mef.substitutions import with_substitutions
from surefoot.faulttree.formats.mef.tops import Top
from surefoot.faulttree.problems import structure_problems

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree

CONTAINER = "container"
"""The attribute with the path of the container of a public name, where that is not the tree's own."""


class Finisher:
    """Makes the trees of top events from one draft, each at the cost of what belongs to it."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.whole = whole = Parts(draft.findings[0], marks=draft.events.places, place_of=str)
        whole.other_marks = {f"parameter {name!r}": place for name, place in draft.shared.places.items()}
        whole.other_marks |= {f"common-cause group {name!r}": place for name, place in draft.grouped.places.items()}
        whole.groups, whole.gates, whole.events = draft.groups, draft.gates, draft.basic
        whole.houses, whole.parameters, whole.left_out = draft.houses, draft.parameters, draft.left_out
        self.checked = False

    @cached_property
    def places(self) -> dict[str, int]:
        """The order of names in the model."""
        return self.whole.places()

    def tree(self, top: Top) -> FaultTree:
        """The tree of a top event; problems of the file outside it count as well."""
        if not top.whole and not self.checked:
            raise_problems(self.draft)
            self.checked = True
        draft = _draft_for(self.draft, top)
        under = with_substitutions(draft, add_sequence(draft, top.sequence, list(top.ways)) if top.ways else top.gate)
        parts = replace(
            self.whole,
            top=under,
            name=top.tree,
            gates=draft.gates,
            events=draft.basic,
            houses=draft.houses,
            parameters=draft.parameters,
            labels={},
            attributes={},
        )
        if not top.whole:
            parts = parts.below(under, self.places)
            if under != top.gate and draft.gates is self.draft.gates:
                del draft.gates[under]
        _describe(parts, draft, top)
        return parts.tree()


def _draft_for(draft: Draft, top: Top) -> Draft:
    """A draft in which what holds for this top event only can be set."""
    own = replace(draft, about=dict(draft.about))
    if top.phase is not None:
        own.houses = draft.houses | top.phase.houses
        own.about |= {"phase": f"{top.phase.alignment}: {top.phase}", "time fraction": repr(top.phase.share)}
        own.about.pop(f"alignment {top.phase.alignment}", None)
    if top.ways or (top.whole and draft.conditions):
        own.gates, own.basic, own.parameters = dict(draft.gates), dict(draft.basic), dict(draft.parameters)
        own.houses = dict(own.houses)
    if top.ways:
        own.about["initiating event"] = top.initiating
    return own


def unknown_attributes(draft: Draft) -> Iterator[str]:
    """What files say in attributes that Open-PSA does not have, each with its first place."""
    for (tag, name), (place, times) in draft.foreign.items():
        more = f" and {times - 1:,} more" if times > 1 else ""
        yield f"{place}{more}: the attribute {shown(name)} of <{tag}>, which the format does not have."


def raise_problems(draft: Draft) -> None:
    """One error with everything that is wrong, the numbers included, where anything is."""
    findings = draft.findings
    structure = structure_of(draft, next(iter(draft.gates))) if draft.gates else ()
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


def _describe(parts: Parts, draft: Draft, top: Top) -> None:
    """Labels and attributes of what is kept; what concerns the whole goes with the top event."""
    members = [member for group in parts.groups for member in group.members]
    kept = dict.fromkeys([*parts.gates, *parts.events, *parts.houses, *members])
    main = draft.main or top.tree
    _take(parts, draft.events, {name: name for name in kept}, main)
    _take(parts, draft.shared, {n: f"parameter {n}" if n in kept else n for n in parts.parameters}, main)
    _take(parts, draft.grouped, {group.name: group.name for group in parts.groups}, main)
    take_other_words(parts, draft.stated)
    if top.label and parts.top:
        parts.labels[parts.top] = top.label
    if draft.about.get("model") == top.tree:
        del draft.about["model"]
    homes = {draft.events.homes[name].path for name in kept if name in draft.events.homes}
    for path in sorted({outer for home in homes for outer in _outward(home)} & draft.containers.keys()):
        draft.about |= draft.containers[path]
    if draft.about and parts.top:
        parts.attributes.setdefault(parts.top, {}).update(draft.about)


def _outward(path: str) -> Iterator[str]:
    """A container and all around it, the model last."""
    while path:
        yield path
        path = path.rpartition(".")[0]
    yield ""


def _take(parts: Parts, names: Names, kept: dict[str, str], main: str) -> None:
    """Labels and attributes of names, under the names in ``kept``, and the container of those not in ``main``."""
    for name, final in kept.items():
        if name in names.labels:
            parts.labels[final] = names.labels[name]
        said = names.attributes.get(name)
        if said is not None:
            parts.attributes.setdefault(final, {}).update(said)
        scope = names.homes.get(name)
        if scope is not None and scope.path != main and scope.path and name not in names.private:
            parts.attributes.setdefault(final, {})[CONTAINER] = scope.path
