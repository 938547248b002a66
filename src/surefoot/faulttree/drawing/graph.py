"""A tree as numbered items, so that gates with and without a name, events and constants are handled alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from surefoot.core import validate
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
