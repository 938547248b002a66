"""A tree as numbered items, so that gates with and without a name, events and constants are handled alike.

With that goes what is highlighted: a cut set with the gates that it makes true, or the ways from a gate to an event.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from surefoot.core import InvalidInput, validate
from surefoot.faulttree.formula import Formula

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree


@dataclass(frozen=True, slots=True)
class Item:
    """A gate, a formula without a name, a basic event, a house event or a constant.

    ``kind`` is the kind of the formula, or event, undeveloped (an event without a quantity), house or constant.
    """

    kind: str
    name: str = ""
    label: str = ""
    component: str = ""
    formula: Formula | None = None
    state: bool = False
    inputs: tuple[int, ...] = ()

    @property
    def is_gate(self) -> bool:
        """Whether something can stand below."""
        return self.formula is not None


@dataclass(frozen=True)
class Graph:
    """Everything below one gate, level by level; the first item is that gate."""

    items: tuple[Item, ...]

    @cached_property
    def index(self) -> dict[str, int]:
        """Items by name."""
        return {item.name: place for place, item in enumerate(self.items) if item.name}

    @cached_property
    def parents(self) -> tuple[tuple[int, ...], ...]:
        """Which gates have the item as an input."""
        above: list[list[int]] = [[] for _ in self.items]
        for place, item in enumerate(self.items):
            for child in item.inputs:
                above[child].append(place)
        return tuple(map(tuple, above))

    @cached_property
    def bottom_up(self) -> tuple[int, ...]:
        """Every item after its inputs."""
        missing = [len(item.inputs) for item in self.items]
        ready = [place for place, count in enumerate(missing) if not count]
        for place in ready:
            for parent in self.parents[place]:
                missing[parent] -= 1
                if not missing[parent]:
                    ready.append(parent)
        return tuple(ready)

    def below(self, start: Iterable[int]) -> set[int]:
        """The items and all that stands below them."""
        return _reached(start, [item.inputs for item in self.items])

    def above(self, start: Iterable[int]) -> set[int]:
        """The items and all that stands above them."""
        return _reached(start, self.parents)

    def ways(self, ends: Iterable[int]) -> set[int]:
        """A shortest way from the first item to each of these; items are numbered by their distance from the first."""
        found: set[int] = set()
        for end in ends:
            place = end
            while place not in found:
                found.add(place)
                place = min(self.parents[place], default=place)
        return found


def graph(tree: FaultTree, root: str | None = None) -> Graph:
    """The tree from a gate downwards; the top event is the default."""
    first = tree.top if root is None else validate.choice(root, tree.gates, where="draw", name="gate")
    contents: list[str | bool | Formula] = [first]
    places: dict[str, int] = {first: 0}
    items: list[Item] = []
    for content in contents:
        formula = _formula(tree, content)
        inputs = tuple(_place(child, contents, places) for child in formula.inputs) if formula else ()
        items.append(_item(tree, content, formula, inputs))
    return Graph(tuple(items))


def _place(content: str | bool | Formula, contents: list[str | bool | Formula], places: dict[str, int]) -> int:
    if isinstance(content, str) and content in places:
        return places[content]
    contents.append(content)
    if isinstance(content, str):
        places[content] = len(contents) - 1
    return len(contents) - 1


def _formula(tree: FaultTree, content: str | bool | Formula) -> Formula | None:
    if isinstance(content, str):
        return tree.gates.get(content)
    return content if isinstance(content, Formula) else None


def _item(tree: FaultTree, content: str | bool | Formula, formula: Formula | None, inputs: tuple[int, ...]) -> Item:
    if not isinstance(content, str):
        return Item(formula.kind if formula else "constant", formula=formula, state=content is True, inputs=inputs)
    label = tree.labels.get(content, "")
    component = tree.attributes.get(content, {}).get("component", "")
    if formula:
        return Item(formula.kind, content, label, component, formula, inputs=inputs)
    if content in tree.houses:
        return Item("house", content, label, component, state=tree.houses[content])
    known = tree.events.get(content) is not None or any(content in group.members for group in tree.groups)
    return Item("event" if known else "undeveloped", content, label, component)


def _reached(start: Iterable[int], steps: Sequence[Sequence[int]]) -> set[int]:
    waiting = list(start)
    found = set(waiting)
    while waiting:
        for place in steps[waiting.pop()]:
            if place not in found:
                found.add(place)
                waiting.append(place)
    return found


def highlighted(tree: FaultTree, graph: Graph, highlight: Sequence[str]) -> frozenset[int]:
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
