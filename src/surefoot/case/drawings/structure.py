"""A case as items that are drawn, and a spanning forest of them: each item hangs on one other.

Items are the nodes, by module, with stubs for what another module holds. An item hangs on the deepest of those that
refer to it, so that lines run downwards; further relations, and those that close a circle, are drawn across.
Everything is iterative, because a case may be a chain of thousands of nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from surefoot.case.drawings.nodes import Relation, Stub
from surefoot.case.model import Case, Node, Notation

FEW_BESIDE, MOST_BESIDE = 3, 6
"""How many stand on one side of a node before the other is used too, and at most."""


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


@dataclass(frozen=True, slots=True)
class Across:
    """A relation that is not part of the forest."""

    source: int
    target: int
    relation: Relation
    back: bool


@dataclass(frozen=True, slots=True)
class Forest:
    """For each item how it hangs on its parent, and what stands below, to its left and to its right."""

    parent: list[int | None]
    relation: list[Relation | None]
    below: list[list[int]]
    left: list[list[int]]
    right: list[list[int]]
    across: list[Across]
    roots: list[int]
    order: list[int]
    """All items, each after the one it hangs on."""


def forest(items: Sequence[Item], tops: Sequence[int], notation: Notation) -> Forest:
    """Everything that is drawn, as trees."""
    starts = _starts(items, tops)
    order, back = _downward(items, starts)
    parent, relation = _parents(items, order, back)
    hanging: list[list[int]] = [[] for _ in items]
    across: list[Across] = []
    for place, item in enumerate(items):
        for target, kind in item.links.items():
            if parent[target] == place and (place, target) not in back:
                hanging[place].append(target)
            else:
                across.append(_across(place, target, kind, (place, target) in back))
    roots = [place for place in starts if parent[place] is None]
    below, left, right = _sides(items, hanging, relation, notation)
    return Forest(parent, relation, below, left, right, across, roots, _preorder(roots, hanging))


def _across(place: int, target: int, kind: Relation, back: bool) -> Across:
    """A challenge hangs on what it challenges, and is drawn from the challenger to that."""
    return Across(target, place, kind, back) if kind == "challenges" else Across(place, target, kind, back)


def _starts(items: Sequence[Item], tops: Sequence[int]) -> list[int]:
    referred = {target for item in items for target in item.links}
    free = [place for place in range(len(items)) if place not in referred]
    return list(dict.fromkeys((*tops, *free, *range(len(items)))))


def _downward(items: Sequence[Item], starts: Iterable[int]) -> tuple[list[int], set[tuple[int, int]]]:
    """Items so that each comes after those that refer to it, and the relations that close circles."""
    state = [0] * len(items)
    finished: list[int] = []
    back: set[tuple[int, int]] = set()
    for start in starts:
        if state[start]:
            continue
        state[start] = 1
        waiting = [(start, iter(items[start].links))]
        while waiting:
            place, links = waiting[-1]
            target = next((each for each in links if _unfinished(state, place, each, back)), None)
            if target is None:
                state[place] = 2
                finished.append(place)
                waiting.pop()
            else:
                state[target] = 1
                waiting.append((target, iter(items[target].links)))
    return finished[::-1], back


def _unfinished(state: list[int], place: int, target: int, back: set[tuple[int, int]]) -> bool:
    if state[target] == 1:
        back.add((place, target))
    return state[target] == 0


def _parents(
    items: Sequence[Item], order: Iterable[int], back: set[tuple[int, int]]
) -> tuple[list[int | None], list[Relation | None]]:
    depth = [0] * len(items)
    parent: list[int | None] = [None] * len(items)
    relation: list[Relation | None] = [None] * len(items)
    for place in order:
        for target, kind in items[place].links.items():
            if (place, target) not in back and depth[target] <= depth[place]:
                depth[target], parent[target], relation[target] = depth[place] + 1, place, kind
    return parent, relation


def _preorder(roots: Sequence[int], hanging: Sequence[Sequence[int]]) -> list[int]:
    found: list[int] = []
    waiting = list(reversed(roots))
    while waiting:
        place = waiting.pop()
        found.append(place)
        waiting.extend(reversed(hanging[place]))
    return found


def _sides(
    items: Sequence[Item], hanging: list[list[int]], relation: Sequence[Relation | None], notation: Notation
) -> tuple[list[list[int]], list[list[int]], list[list[int]]]:
    below: list[list[int]] = []
    left: list[list[int]] = []
    right: list[list[int]] = []
    for place, targets in enumerate(hanging):
        aside = [target for target in targets if relation[target] != "supported_by" and not hanging[target]]
        to_left, to_right = _beside(items, aside, notation)
        taken = {*to_left, *to_right}
        supporting = [target for target in targets if relation[target] == "supported_by"]
        others = [target for target in targets if relation[target] != "supported_by" and target not in taken]
        below.append([*_grouped(items, place, supporting), *others])
        left.append(to_left)
        right.append(to_right)
    return below, left, right


def _beside(items: Sequence[Item], aside: Sequence[int], notation: Notation) -> tuple[list[int], list[int]]:
    """In GSN contexts stand to the left and the rest to the right, in CAE a few to the right; many are shared out."""
    contexts = {place for place in aside if notation == "gsn" and items[place].node.kind == "context"}
    to_left = [place for place in aside if place in contexts]
    to_right = [place for place in aside if place not in contexts]
    most = max(FEW_BESIDE, min(MOST_BESIDE, (len(aside) + 1) // 2))
    if len(to_right) > most:
        to_left, to_right = to_left + to_right[most:], to_right[:most]
    elif len(to_left) > most:
        to_left, to_right = to_left[:most], to_right + to_left[most:]
    return to_left[:MOST_BESIDE], to_right[:MOST_BESIDE]


def _grouped(items: Sequence[Item], place: int, supporting: Sequence[int]) -> Iterator[int]:
    """Nodes among which one is chosen stand next to each other."""
    among = {identity: choice for choice in items[place].node.choice for identity in choice.among}
    done: set[int] = set()
    for target in supporting:
        choice = among.get(items[target].node.id)
        members = [target] if choice is None else [each for each in supporting if items[each].node.id in choice.among]
        for each in members:
            if each not in done:
                done.add(each)
                yield each
