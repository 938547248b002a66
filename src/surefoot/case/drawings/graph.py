"""The nodes of a case as items that are drawn, by module, with stubs for what another module holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from surefoot.case.case import Case
from surefoot.case.drawings.boxes import Relation, Stub
from surefoot.case.node import Node


@dataclass(slots=True)
class Item:
    """A node or a stub, and what hangs on it: what it refers to, and what speaks against it."""

    node: Node
    module: str
    stub: Stub = ""
    links: dict[int, Relation] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """Unique in the drawing."""
        return f"{self.module}>{self.node.id}" if self.stub else self.node.id


def items(case: Case) -> list[Item]:
    """Nodes in their order, then stubs."""
    found = [Item(node, node.module) for node in case]
    finder = _Finder(case, found)
    for place, node in enumerate(case):
        for target, relation in _links(finder, node):
            found[place].links.setdefault(target, relation)
    for place, node in enumerate(case):
        for challenged in dict.fromkeys(node.challenges):
            against = finder.item(challenged, node.module)
            found[against].links.setdefault(place, "challenges")
    return found


def _links(finder: _Finder, node: Node) -> Iterator[tuple[int, Relation]]:
    for identity in node.supported_by:
        yield finder.item(identity, node.module), "supported_by"
    for identity in node.in_context_of:
        yield finder.item(identity, node.module), "in_context_of"


class _Finder:
    """Finds the item of a node as one module sees it."""

    def __init__(self, case: Case, found: list[Item]) -> None:
        self.case, self.found = case, found
        self.places = {node.id: place for place, node in enumerate(case)}
        self.stubs: dict[tuple[str, str], int] = {}

    def item(self, identity: str, module: str) -> int:
        """The node itself where it is of this module, else a stub."""
        place = self.places.get(identity)
        if place is not None and self.found[place].module == module:
            return place
        key = (module, identity)
        if key not in self.stubs:
            self.stubs[key] = len(self.found)
            self.found.append(self._stub(place, identity, module))
        return self.stubs[key]

    def _stub(self, place: int | None, identity: str, module: str) -> Item:
        if place is None:
            return Item(Node(identity if identity.strip() else "?", "claim", ""), module, "missing")
        node = self.found[place].node
        return Item(replace(node, undeveloped=False, uninstantiated=False), module, "away")
