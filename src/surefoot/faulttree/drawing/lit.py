"""What is highlighted: a cut set with the gates that it makes true, or the ways from a gate down to an event."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from surefoot.core import validate
from surefoot.core.errors import InvalidInput
from surefoot.faulttree.drawing.graph import Graph, Item

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree


def lit(tree: FaultTree, graph: Graph, highlight: Sequence[str]) -> frozenset[int]:
    """The items to highlight; an edge is, where both its ends are.

    Names of events only are a cut set. With a gate among them, the names are stations of a path, from the top down.
    """
    known = (*tree.gates, *tree.events, *tree.houses)
    for name in highlight:
        validate.choice(name, known, where="highlight", name="name")
    if any(name in tree.gates for name in highlight):
        return _path(graph, highlight)
    return _cut_set(graph, {graph.index[name] for name in highlight if name in graph.index})


def _path(graph: Graph, stations: Sequence[str]) -> frozenset[int]:
    places = [graph.index[name] for name in stations if name in graph.index]
    found = set(places)
    for (upper, lower), names in zip(pairwise(places), pairwise(stations), strict=False):
        between = graph.below([upper]) & graph.above([lower])
        if not between:
            raise InvalidInput(
                f"{names[1]!r} does not stand below {names[0]!r}",
                where="highlight",
                found=", ".join(stations),
                remedy="Name the gates of a path from the top down, then the event.",
            )
        found |= between
    return frozenset(found)


def _cut_set(graph: Graph, events: set[int]) -> frozenset[int]:
    """The events and the gates that are true with them and false without; if the top is, only those on the way."""
    before, after = truth(graph, set()), truth(graph, events)
    changed = {place for place, item in enumerate(graph.items) if item.is_gate and after[place] and not before[place]}
    if 0 not in changed:
        return frozenset(changed | events)
    on_the_way = {0}
    waiting = [0]
    while waiting:
        for child in graph.items[waiting.pop()].inputs:
            if child in changed and child not in on_the_way:
                on_the_way.add(child)
                waiting.append(child)
    return frozenset(on_the_way | events)


def truth(graph: Graph, events: set[int]) -> list[bool]:
    """Which items are true when these events happen and no others."""
    truth = [False] * len(graph.items)
    for place in graph.bottom_up:
        item = graph.items[place]
        known = [truth[child] for child in item.inputs]
        truth[place] = _holds(item, known) if item.is_gate else item.state or place in events
    return truth


def _holds(item: Item, inputs: list[bool]) -> bool:
    count, formula = sum(inputs), item.formula
    assert formula is not None
    match item.kind:
        case "or" | "pass":
            return count > 0
        case "and" | "inhibit" | "pand":
            return count == len(inputs)
        case "nor" | "not":
            return count == 0
        case "nand":
            return count < len(inputs)
        case "xor":
            return count % 2 == 1
        case "iff":
            return inputs[0] == inputs[1]
        case "imply":
            return inputs[1] or not inputs[0]
    return (formula.minimum or 0) <= count <= (len(inputs) if formula.maximum is None else formula.maximum)
