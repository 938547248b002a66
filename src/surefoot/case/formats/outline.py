"""The order in which an outline shows the nodes of a case: each once, no deeper than twelve levels."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from surefoot.case.case import Case
from surefoot.case.node import Node

LEVELS = 12
Under = Literal["supported_by", "in_context_of", "challengers"]


@dataclass
class Item:
    """One line of an outline."""

    id: str
    depth: int
    relation: Under
    again: bool = False
    """Its place is elsewhere: met before, or in another module."""
    goes_on: bool = False
    """What is below it stands in a section of its own."""
    many: str = ""
    """How many there will be of it, in a pattern."""


@dataclass
class Section:
    """Items under one heading: of a module, or of what is below a node."""

    module: str
    below: str = ""
    items: list[Item] = field(default_factory=list)


def outline(case: Case) -> list[Section]:
    """The main module first, then the others as they were written."""
    seen: set[str] = set()
    of_module: dict[str, list[Node]] = {"": []}
    for node in case:
        of_module.setdefault(node.module, []).append(node)
    found: list[Section] = []
    for module, nodes in of_module.items():
        if nodes:
            found += _module(case, module, nodes, seen)
    return found


def _module(case: Case, module: str, nodes: list[Node], seen: set[str]) -> list[Section]:
    tops = [node for node in nodes if not _above(case, node)]
    first = Section(module)
    found, waiting = [first], deque[Section]()
    # Nodes on a circle are below each other; whichever comes first begins.
    for node in (*tops, *nodes):
        if node.id not in seen:
            _fill(case, first, [Item(node.id, 0, "supported_by")], seen, waiting)
    while waiting:
        section = waiting.popleft()
        found.append(section)
        _fill(case, section, list(_below(case, case[section.below], 0)), seen, waiting)
    return found


def _fill(case: Case, section: Section, items: list[Item], seen: set[str], waiting: deque[Section]) -> None:
    stack = items[::-1]
    while stack:
        item = stack.pop()
        section.items.append(item)
        node = case.nodes.get(item.id)
        if node is None:
            continue
        item.again = item.id in seen or node.module != section.module
        if item.again:
            continue
        seen.add(item.id)
        below = list(_below(case, node, item.depth + 1))
        item.goes_on = bool(below) and item.depth + 1 >= LEVELS
        if item.goes_on:
            waiting.append(Section(section.module, node.id))
        else:
            stack += reversed(below)


def _below(case: Case, node: Node, depth: int) -> Iterator[Item]:
    many = node.multiplicity
    for each in dict.fromkeys(node.supported_by):
        yield Item(each, depth, "supported_by", many=many.get(each, ""))
    for each in dict.fromkeys(node.in_context_of):
        yield Item(each, depth, "in_context_of", many=many.get(each, ""))
    yield from (Item(each, depth, "challengers") for each in case.challengers.get(node.id, ()))


def _above(case: Case, node: Node) -> bool:
    """Whether something in its module has it below."""
    above = (*case.parents[node.id], *(each for each in node.challenges if each in case))
    return any(case[each].module == node.module and each != node.id for each in above)
