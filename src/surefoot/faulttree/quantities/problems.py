"""What is wrong with the numbers of a tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

import numpy as np

from surefoot.core.diagnostics import Diagnostic
from surefoot.documents import did_you_mean
from surefoot.faulttree.quantities.base import Given, Quantity, Value, leaf_names
from surefoot.faulttree.quantities.evaluation import Numbers, parameter_owner
from surefoot.faulttree.quantities.leaves import DEFAULT_MISSION_TIME, MISSION_TIME
from surefoot.faulttree.quantities.order import walked

OUTSIDE = "The probability must lie in [0, 1], and is {:g}."


def problems_of(tree: Numbers) -> Iterator[Diagnostic]:
    """All problems of the parameters and of the events' quantities.

    Undefined parameters, circles, arguments that cannot be, and probabilities outside [0, 1] where every input has
    its mean. What rests on something undefined is not judged.
    """
    events = {name: quantity for name, quantity in tree.events.items() if quantity is not None}
    composed = {name: quantity for name, quantity in events.items() if quantity.constant is None}
    walk = walked(tree.parameters, tree.parameters)
    yield from _undefined(tree, composed)
    yield from (_circle(cycle) for cycle in walk.cycles)
    yield from _clashes(tree, composed)
    known: dict[str, Value] = {}
    for name in walk.order:
        found, value = _judged(tree.parameters[name], known)
        yield from (_error(text, f"parameter {name!r}") for text in found)
        if value is not None:
            known[name] = value
    for name, quantity in events.items():
        found, value = ([], quantity.constant) if name not in composed else _judged(quantity, known)
        outside = [] if value is None or found or 0 <= value <= 1 else [OUTSIDE.format(value)]
        yield from (_error(text, f"event {name!r}") for text in (*found, *outside))


def _undefined(tree: Numbers, composed: Mapping[str, Quantity]) -> Iterator[Diagnostic]:
    places = {f"parameter {name!r}": quantity for name, quantity in tree.parameters.items()}
    places |= {f"event {name!r}": quantity for name, quantity in composed.items()}
    missing = [(p, n) for p, q in places.items() for n in q.references() if n not in tree.parameters]
    for place, name in missing:
        if name != MISSION_TIME:
            hint = did_you_mean(name, tree.parameters, "Define it.") or "Define it."
            yield Diagnostic("tree-undefined", f"The parameter {name!r} is not defined.", "error", place, hint)
    waiting = [place for place, name in missing if name == MISSION_TIME]
    if waiting:
        text = f"No mission time is given; {DEFAULT_MISSION_TIME:g} hours are assumed."
        hint = f"Set the parameter {MISSION_TIME!r}."
        yield Diagnostic("tree-probability", text, "note", waiting[0], hint)


def _circle(cycle: tuple[str, ...]) -> Diagnostic:
    text = f"Parameters refer to each other in a circle: {' -> '.join([*cycle, cycle[0]])}."
    return Diagnostic("tree-cycle", text, "error", f"parameter {cycle[0]!r}", "Break the circle.")


def _clashes(tree: Numbers, composed: Mapping[str, Quantity]) -> Iterator[Diagnostic]:
    """Names such as ``pump/2`` that an event has and the second uncertain part of ``pump`` would have too."""
    owners = {parameter_owner(tree, name): quantity for name, quantity in tree.parameters.items()} | dict(composed)
    taken = set(owners)
    for owner, quantity in owners.items():
        parts = sum(node.uncertain for node in quantity.nodes())
        for name in islice(leaf_names(owner), 1, parts):
            if name in taken:
                text = f"{name!r} is also the name of an uncertain part of {owner!r}."
                yield Diagnostic("tree-duplicate", text, "error", name, "Give it another name.")


def _judged(quantity: Quantity, known: Mapping[str, Value]) -> tuple[list[str], float | None]:
    """What is wrong in a quantity, and its value; no value where it rests on something undefined."""
    if any(name not in known and name != MISSION_TIME for name in quantity.references()):
        return [], None
    found: list[str] = []
    with np.errstate(all="ignore"):
        value = _inspected(quantity, known, found)
    if not found and not np.isfinite(value):
        found.append(f"{quantity} is not a number.")
    return found, None if found else value


def _inspected(node: Quantity, known: Mapping[str, Value], found: list[str]) -> float:
    if not node.arguments:
        return float(node.value_given(Given({}, known, leaf_names(""))))
    values = [_inspected(argument, known, found) for argument in node.arguments]
    found.extend(f"{node.title}: {fault}." for fault in node.faults(*values))
    return float("nan") if found else float(node.combine(*values))


def _error(text: str, where: str) -> Diagnostic:
    return Diagnostic("tree-probability", text, "error", where, "Correct the value.")
