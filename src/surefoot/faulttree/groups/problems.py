"""What is wrong with the common-cause groups of a tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from surefoot.core.diagnostics import Diagnostic
from surefoot.faulttree import quantities
from surefoot.faulttree.groups.base import CommonCause
from surefoot.faulttree.quantities import Quantity

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree


@dataclass(frozen=True)
class Numbers:
    """The quantities of all groups, as if they were events: each has to be a probability or a share."""

    events: Mapping[str, Quantity]
    parameters: Mapping[str, Quantity]


def problems_of(tree: FaultTree) -> Iterator[Diagnostic]:
    """All problems of all groups: members defined elsewhere or twice, factors, parameters, names that are taken."""
    yield from _named_twice(tree)
    yield from _defined_otherwise(tree)
    wrong = list(_wrong_numbers(tree))
    yield from wrong
    values = {} if _any_error(wrong) else _means(tree)
    found = [p for group in tree.groups for p in group.problems(values.get(group.name, {}))]
    yield from found
    if not _any_error(found):
        yield from _taken_names(tree)


def _any_error(diagnostics: Iterable[Diagnostic]) -> bool:
    return any(diagnostic.severity == "error" for diagnostic in diagnostics)


def _wrong_numbers(tree: FaultTree) -> Iterator[Diagnostic]:
    """Problems of the groups' own quantities; those of the parameters are the tree's."""
    numbers = _numbers(tree)
    places = {f"event {name!r}": f"common-cause group {name}" for name in numbers.events}
    for problem in quantities.problems_of(numbers):
        if problem.where in places:
            yield replace(problem, where=places[problem.where])


def _means(tree: FaultTree) -> dict[str, dict[str, float]]:
    """The value of each quantity of each group where every uncertain input has its mean."""
    if _any_error(quantities.problems_of(Numbers({}, tree.parameters))):
        return {}
    found = quantities.probabilities(_numbers(tree))
    return {g.name: {name: float(found[_key(g, name)]) for name in g.quantities} for g in tree.groups}


def _numbers(tree: FaultTree) -> Numbers:
    events = {_key(group, name): q for group in tree.groups for name, q in group.quantities.items()}
    return Numbers(events, tree.parameters)


def _key(group: CommonCause, name: str) -> str:
    return f"{group.name}, {name}"


def _named_twice(tree: FaultTree) -> Iterator[Diagnostic]:
    for name, times in Counter(group.name for group in tree.groups).items():
        if times > 1:
            yield Diagnostic("tree-duplicate", f"{times} common-cause groups have the name {name!r}.", "error")
    seen: dict[str, str] = {}
    for group in tree.groups:
        for member in dict.fromkeys(group.members):
            other = seen.setdefault(member, group.name)
            if other != group.name:
                yield group.error("tree-duplicate", f"shares its member {member!r} with {other!r}.")


def _defined_otherwise(tree: FaultTree) -> Iterator[Diagnostic]:
    for group in tree.groups:
        for member in dict.fromkeys(group.members):
            if member in tree.gates or member in tree.houses:
                kind = "gate" if member in tree.gates else "house event"
                yield group.error("tree-duplicate", f"has the member {member!r}, which is a {kind}.")
            elif tree.events.get(member) is not None:
                text = f"says how its member {member!r} fails, and so does the event itself."
                yield group.error("tree-duplicate", text, "Leave out the event's own probability.")


def _taken_names(tree: FaultTree) -> Iterator[Diagnostic]:
    """Names that an expansion needs and that stand for something else; members are no such thing."""
    taken = {*tree.gates, *tree.events, *tree.houses}
    for group in tree.groups:
        part = group.expansion()
        new = {*part.gates, *part.events} - set(group.members)
        for name in sorted((new & taken) | (part.parameters.keys() & tree.parameters.keys())):
            yield group.error("tree-duplicate", f"needs the name {name!r}, which is taken.", "Use another name.")
        taken |= new
