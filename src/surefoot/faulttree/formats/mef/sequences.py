"""A sequence of event trees as a gate: a disjunction over its ways, each the conjunction of what it collected."""

from __future__ import annotations

from itertools import chain, count
from typing import Literal

from surefoot.faulttree.formats.mef.draft import Draft
from surefoot.faulttree.formats.mef.elements import Element
from surefoot.faulttree.formats.mef.event_trees import stop
from surefoot.faulttree.formats.mef.formulas import renamed
from surefoot.faulttree.formats.mef.instructions import Houses, Truth, Way
from surefoot.faulttree.formula import Formula
from surefoot.faulttree.gate_problems import input_names
from surefoot.faulttree.quantities import Fixed, Operation, Parameter, Quantity


def add_sequence(draft: Draft, sequence: str, ways: list[Way]) -> str:
    """Add the gate of a sequence to a draft, and return its name.

    Ways exclude each other. So the probability of a sequence of expressions is the sum over its ways of the product
    of what each collected, and it becomes one basic event. Formulas and expressions cannot be mixed, as in SCRAM.
    """
    expressions = [(way, element) for way in ways for _, element in way.expressions]
    top = free_name(draft, sequence, f"{ways[0].tree}.{sequence}")
    if expressions and any(way.formulas for way in ways):
        way, element = expressions[0]
        text = f"the ways to the sequence {sequence!r} collect formulas and expressions."
        stop(way.scope, "tree-unsupported", text, element, "Collect one kind only.")
    if expressions:
        event = free_name(draft, f"{sequence}-ways")
        draft.basic[event] = _total("add", tuple(_product(draft, way) for way in ways))
        draft.gates[top] = Formula("pass", (event,))
    else:
        draft.gates[top] = _joined("or", _collected(draft, ways))
    return top


def _collected(draft: Draft, ways: list[Way]) -> list[Truth]:
    """The conjunction of what each way collected, each once."""
    settings = {houses for way in ways for _, houses in way.formulas}
    if len(settings) == 1:
        draft.houses.update(settings.pop())
        found = [[formula for formula, _ in way.formulas] for way in ways]
    else:
        names = {houses: _names_under(draft, houses) for houses in settings}
        found = [[_named(formula, names[houses]) for formula, houses in way.formulas] for way in ways]
    return list(dict.fromkeys(_joined("and", formulas or [True]) for formulas in found))


def free_name(draft: Draft, *wishes: str) -> str:
    """The first wish that is no name yet, or the last with a number."""
    taken = (draft.gates, draft.basic, draft.houses, draft.parameters, draft.events.kinds)
    numbered = (f"{wishes[-1]}-{number}" for number in count(2))
    return next(name for name in chain(wishes, numbered) if not any(name in names for names in taken))


def _joined(kind: Literal["and", "or"], parts: list[Truth]) -> Formula:
    if len(parts) > 1:
        return Formula(kind, tuple(parts))
    return parts[0] if isinstance(parts[0], Formula) else Formula("pass", (parts[0],))


def _product(draft: Draft, way: Way) -> Quantity:
    """The probability of a way; 1 where nothing was collected."""
    return _total("mul", tuple(_shared(draft, *each) for each in way.expressions) or (Fixed(1.0),))


def _total(name: str, parts: tuple[Quantity, ...]) -> Quantity:
    return parts[0] if len(parts) == 1 else Operation(name, parts)


def _shared(draft: Draft, value: Quantity, element: Element) -> Quantity:
    """An uncertain expression that several ways collect is one number, so it becomes a parameter."""
    if not any(node.uncertain for node in value.nodes()):
        return value
    name = f"collected at line {element.line}"
    while draft.parameters.get(name, value) != value:
        name += "'"
    draft.parameters[name] = value
    return Parameter(name)


def _names_under(draft: Draft, houses: Houses) -> dict[str, str]:
    """Names of the copies of house events and gates that hold where house events are set."""
    words = ", ".join(f"{name}={str(value).lower()}" for name, value in houses)
    names = {name: f"{name}={str(value).lower()}" for name, value in houses}
    changed = _dependent(draft, set(names))
    names |= {gate: f"{gate} [{words}]" for gate in changed}
    draft.houses.update({names[name]: value for name, value in houses})
    draft.gates.update({names[gate]: renamed(draft.gates[gate], names) for gate in changed})
    return names


def _named(found: Truth, names: dict[str, str]) -> Truth:
    if isinstance(found, str):
        return names.get(found, found)
    return found if isinstance(found, bool) else renamed(found, names)


def _dependent(draft: Draft, names: set[str]) -> list[str]:
    """Gates with one of these names somewhere below."""
    users: dict[str, list[str]] = {}
    for gate, formula in draft.gates.items():
        for name in input_names(formula):
            users.setdefault(name, []).append(gate)
    found: dict[str, None] = {}
    stack = sorted(names)
    while stack:
        for gate in users.get(stack.pop(), ()):
            if gate not in found:
                found[gate] = None
                stack.append(gate)
    return list(found)
