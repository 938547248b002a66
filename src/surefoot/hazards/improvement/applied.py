"""Candidates put into a tree: checked against its names, and split into what is logic and what is a number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from surefoot.core import Diagnostic, DiagnosticsError
from surefoot.documents import did_you_mean
from surefoot.faulttree.formula import Formula
from surefoot.faulttree.model import FaultTree
from surefoot.faulttree.quantities import Fixed, Operation, Quantity, as_quantity
from surefoot.hazards.improvement.candidate import Barrier, Candidate, Change, Times
from surefoot.hazards.improvement.combining import factor_of


@dataclass(frozen=True)
class Numbers:
    """Quantities of events and parameters: what ``quantities`` reads of a tree."""

    events: Mapping[str, Quantity | None]
    parameters: Mapping[str, Quantity]


def check(tree: FaultTree, found: Sequence[Candidate]) -> None:
    """Refuse names that the tree does not have and changes that do not fit them; all problems at once."""
    DiagnosticsError.raise_if_any(problem for candidate in found for problem in _problems(tree, candidate))


def names_of(tree: FaultTree) -> dict[str, object]:
    """Everything that a candidate can change, by name."""
    return {**tree.parameters, **tree.houses, **tree.gates, **tree.events}


def in_tree(tree: FaultTree, found: Iterable[Candidate]) -> list[Candidate]:
    """The candidates as far as they change something here: several trees may share a list of them."""
    known = names_of(tree)
    parts = ((each, {name: change for name, change in each.changes.items() if name in known}) for each in found)
    return [replace(each, changes=changes) for each, changes in parts if changes]


def _problems(tree: FaultTree, candidate: Candidate) -> Iterator[Diagnostic]:
    known = names_of(tree)
    for name, change in candidate.changes.items():
        where = f"candidate {candidate.name!r}, {name!r}"
        if name not in known:
            yield Diagnostic(
                "unknown-reference", f"The tree has no {name!r}.", "error", where, did_you_mean(name, list(known)[:200])
            )
        elif wrong := _misfit(tree, name, change):
            yield Diagnostic("wrong-value", wrong, "error", where)


def _misfit(tree: FaultTree, name: str, change: Change) -> str:
    """What is wrong with a change of this name, or nothing."""
    if name in tree.events:
        return _misfit_of_event(tree, name, change)
    if name in tree.gates:
        if isinstance(change, Barrier):
            taken = change.name in {*tree.events, *tree.gates, *tree.houses}
            return f"The name {change.name!r} of the barrier is taken." if taken else ""
        return "" if isinstance(change, bool) else "A gate takes true, false or a barrier."
    if name in tree.houses:
        return "" if isinstance(change, bool) else "A house event takes true or false."
    return "A parameter takes a number, a factor or a quantity." if isinstance(change, bool | Barrier) else ""


def _misfit_of_event(tree: FaultTree, name: str, change: Change) -> str:
    if isinstance(change, Barrier):
        return "A barrier stands at a gate: name the gate above the event, or give a factor."
    if isinstance(change, Times) and tree.events[name] is None:
        return "A factor needs a probability, and the event has none."
    if isinstance(change, int | float) and not 0 <= change <= 1:
        return f"A probability lies between 0 and 1, found {change:g}."
    return ""


def with_numbers(numbers: Numbers, changes: Mapping[str, Sequence[Change]]) -> Numbers:
    """Events and parameters after their changes; other names are left to ``with_logic``."""
    events, parameters = dict(numbers.events), dict(numbers.parameters)
    for name, some in changes.items():
        if name in events:
            events[name] = _changed(events[name], some)
        elif name in parameters:
            parameters[name] = _changed(parameters[name], some) or parameters[name]
    return Numbers(events, parameters)


def _changed(today: Quantity | None, some: Sequence[Change]) -> Quantity | None:
    if isinstance(some[0], Times):
        return None if today is None else Operation("mul", (Fixed(factor_of(some)), today))
    return as_quantity(float(some[0]) if isinstance(some[0], bool) else some[0])


def is_logic(tree: FaultTree, name: str) -> bool:
    """Whether a change of this name changes gates or house events."""
    return name not in tree.events and (name in tree.gates or name in tree.houses)


def with_logic(tree: FaultTree, changes: Mapping[str, Sequence[Change]]) -> FaultTree:
    """The tree with gates and house events changed, and barriers put in."""
    gates, houses, events = dict(tree.gates), dict(tree.houses), dict(tree.events)
    for name, some in changes.items():
        if name in houses:
            houses[name] = bool(some[0])
        elif isinstance(some[0], bool):
            gates[name] = Formula("pass", (some[0],))
        else:
            barriers = {each.name: each.fails for each in some if isinstance(each, Barrier)}
            gates[name] = Formula("and", (gates[name], *barriers))
            events.update(barriers)
    return replace(tree, gates=gates, houses=houses, events=events)
