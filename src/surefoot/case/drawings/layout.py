"""Where everything of a case stands: an argument flows downwards, what is beside a node stands beside it.

What is drawn are items: the nodes, by module, with stubs for what another module holds. In a spanning forest each item
hangs on the deepest of those that refer to it, so that lines run downwards; further relations, and those that close a
circle, are drawn across. Everything is iterative, because a case may be a chain of thousands of nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from surefoot.case.drawings.boxes import (
    APART,
    CHOICE_DROP,
    DOUBT_DROP,
    DROP,
    FRAME,
    FRAME_HEAD,
    MARGIN,
    MARKED_SIDE,
    SIDE,
    STACK,
    TITLE,
    Box,
    Edge,
    Fork,
    Frame,
    Layout,
    Relation,
    Stub,
    Words,
    Writer,
    amount,
)
from surefoot.case.evaluation import Evaluation
from surefoot.case.extensions import Choice, Module
from surefoot.case.model import NOTATIONS, Case, Node, Notation
from surefoot.case.parts import tagged
from surefoot.core import validate
from surefoot.drawing.routing import Router
from surefoot.drawing.scene import Point
from surefoot.drawing.text import BOLD, text_width
from surefoot.drawing.tree_layout import TRUNK, Part, Placement, place_tree, shape_cost


def lay_out(
    case: Case,
    *,
    notation: Notation,
    evaluation: Evaluation | None = None,
    tag: str | None = None,
    cut: Mapping[str, int] | None = None,
) -> Layout:
    """Where every node of the case stands, no two boxes touching.

    With a ``tag`` only nodes that carry it are drawn, and those above them; ``cut`` says of nodes how many below them
    were left out.
    """
    validate.choice(notation, NOTATIONS, where="lay_out", name="notation")
    case = case if tag is None else tagged(case, tag)
    drawn = items(case)
    places = {node.id: place for place, node in enumerate(case)}
    trees = forest(drawn, [places[node.id] for node in case.tops], notation)
    writer = Writer(case, notation, evaluation, cut)
    words = [writer.words(item.node, item.stub) for item in drawn]
    return _Placed(case, drawn, trees, words, notation).layout()


@dataclass(slots=True)
class _Placed:
    """Parts are numbered as the items; modules and the whole come after them."""

    case: Case
    items: list[Item]
    trees: Forest
    words: list[Words]
    notation: Notation

    def layout(self) -> Layout:
        parts, names = self._parts()
        placed = place_tree(parts, len(parts) - 1, cost=shape_cost)
        boxes = self._boxes(placed)
        frames = tuple(self._frames(parts, placed, names))
        lowest = max([box.bottom for box in boxes] + [frame.y + frame.height for frame in frames], default=0.0)
        widest = max([box.right for box in boxes] + [frame.x + frame.width for frame in frames], default=0.0)
        drawn = Edges(self.items, self.trees, boxes, parts, placed.rows)
        edges, forks = drawn.edges(), drawn.forks()
        ends = [point for edge in edges if edge.further for point in edge.points]
        widest = max([widest, *(x for x, _ in ends)])
        lowest = max([lowest, *(y for _, y in ends)])
        return Layout(tuple(boxes), edges, widest + MARGIN, lowest + MARGIN, self.notation, forks, frames)

    def _parts(self) -> tuple[list[Part], list[str]]:
        parts = [self._part(place) for place in range(len(self.items))]
        names = list(dict.fromkeys(self.items[root].module for root in self.trees.roots))
        count, framed = len(parts), len(names) > 1 or names not in ([], [""])
        for name in names:
            roots = [root for root in self.trees.roots if self.items[root].module == name]
            head = text_width(_heading(self.case.modules.get(name), name), TITLE) * BOLD / 2 + FRAME if framed else 0.0
            high = FRAME_HEAD if framed else 0.0
            part = Part(head, head, high, roots, gap=APART, trunk=0.0, frame=FRAME if framed else 0.0)
            parts.append(part)
        parts.append(Part(0.0, 0.0, 0.0, list(range(count, count + len(names))), gap=APART, trunk=0.0))
        parts[-1].drop = MARGIN
        for part in parts[count:-1]:
            part.drop = 0.0 if len(part.below) == 1 else APART / 4
        return parts, names

    def _part(self, place: int) -> Part:
        own, node = self.words[place], self.items[place].node
        half = own.width / 2
        left, right = self._stack(self.trees.left[place]), self._stack(self.trees.right[place])
        height = max(own.height + own.foot, left[1], right[1])
        below = self.trees.below[place]
        drop = DROP + (CHOICE_DROP if node.choice and below else 0.0)
        drop += DOUBT_DROP if self.items[place].doubted else 0.0
        side = self._side(place)
        sides = [half + (side + width if width else 0.0) for width, _ in (left, right)]
        return Part(sides[0], sides[1], height, below, drop)

    def _side(self, place: int) -> float:
        """Room between a node and what stands beside it; more where the relation bears marks, or is doubted."""
        item = self.items[place]
        beside = {self.items[each].node.id for each in (*self.trees.left[place], *self.trees.right[place])}
        named = {each for point in item.node.claim_points.values() for each in point.on}
        named |= {*item.node.defeated_relations, *(self.items[each].node.id for each in item.doubted.values())}
        return SIDE + (MARKED_SIDE if beside & named else 0.0)

    def _stack(self, places: Sequence[int]) -> tuple[float, float]:
        """Width and height of what stands on one side."""
        if not places:
            return 0.0, 0.0
        high = sum(self.words[place].height + self.words[place].foot for place in places)
        return max(self.words[place].width for place in places), high + STACK * (len(places) - 1)

    def _boxes(self, placed: Placement) -> list[Box]:
        found: list[Box | None] = [None] * len(self.items)
        for place in self.trees.order:
            if found[place] is not None:
                continue
            own = self.words[place]
            box = self._box(place, placed.axes[place] + MARGIN - own.width / 2, placed.tops[place])
            found[place] = box
            for side, sign in ((self.trees.left[place], -1), (self.trees.right[place], 1)):
                for beside, x, y in self._beside(box, side, sign, self._side(place)):
                    found[beside] = self._box(beside, x, y)
        return [box for box in found if box is not None]

    def _beside(self, box: Box, places: Sequence[int], sign: int, room: float) -> Iterator[tuple[int, float, float]]:
        """Beside a higher node in the middle, beside a lower one from the top down."""
        _, height = self._stack(places)
        y = box.y + max(0.0, (box.height - height) / 2)
        for place in places:
            own = self.words[place]
            yield place, box.right + room if sign > 0 else box.x - room - own.width, y
            y += own.height + own.foot + STACK

    def _box(self, place: int, x: float, y: float) -> Box:
        item = self.items[place]
        return Box(item.id, item.node, item.stub, self.words[place], x, y)

    def _frames(self, parts: Sequence[Part], placed: Placement, names: Sequence[str]) -> Iterator[Frame]:
        count = len(self.items)
        for place, name in enumerate(names, start=count):
            if not parts[place].frame:
                continue
            left, right = self._reach(place, parts, placed)
            module = self.case.modules.get(name)
            heading = _heading(module, name)
            axis = placed.axes[place]
            x = min(left - FRAME, axis - parts[place].left)
            end = max(right + FRAME, axis + parts[place].right)
            brief = module.brief if module else ""
            yield Frame(heading, brief, x + MARGIN, placed.tops[place], end - x, placed.reach[place])

    def _reach(self, place: int, parts: Sequence[Part], placed: Placement) -> tuple[float, float]:
        """Leftmost and rightmost end of a tree."""
        left, right = float("inf"), -float("inf")
        waiting = [child for row in placed.rows[place] for child in row]
        while waiting:
            child = waiting.pop()
            trunk = parts[child].trunk if len(placed.rows[child]) > 1 else 0.0
            left = min(left, placed.axes[child] - parts[child].left - trunk)
            right = max(right, placed.axes[child] + parts[child].right)
            waiting.extend(each for row in placed.rows[child] for each in row)
        return left, right


def _heading(module: Module | None, name: str) -> str:
    """What nodes call a module, and its name where that is another one."""
    called = module.name if module else ""
    return f"{name}: {called}" if name and called and called != name else name or called or "main module"


# Items and the spanning forest of them.

FEW_BESIDE, MOST_BESIDE = 3, 6
"""How many stand on one side of a node before the other is used too, and at most."""


@dataclass(slots=True)
class Item:
    """A node or a stub, and what hangs on it: what it refers to, and what speaks against it."""

    node: Node
    module: str
    stub: Stub = ""
    links: dict[int, Relation] = field(default_factory=dict)
    also_challenged_by: list[int] = field(default_factory=list)
    """Items that hang on it already, and speak against it too."""
    doubted: dict[int, int] = field(default_factory=dict)
    """For items that speak against a relation of it where that leads."""

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
            doubted = case.relation(challenged)
            against = finder.item(challenged if doubted is None else doubted.source, node.module)
            if found[against].links.setdefault(place, "challenges") != "challenges":
                found[against].also_challenged_by.append(place)
            elif doubted is not None:
                leads = (each for each in found[against].links if _is_end(case, found[each].node, doubted.target))
                found[against].doubted |= dict.fromkeys([place], next(leads, place))
    return found


def _is_end(case: Case, node: Node, identity: str) -> bool:
    """Whether a node is the one of that id, or stands for it."""
    return identity in (node.id, case.resolved(node.id))


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
        across += [_across(place, challenger, "challenges", False) for challenger in item.also_challenged_by]
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
        doubting = items[place].doubted
        aside = [
            target
            for target in targets
            if relation[target] != "supported_by" and not hanging[target] and target not in doubting
        ]
        to_left, to_right = _beside(items, aside, notation)
        taken = {*to_left, *to_right}
        supporting = [target for target in targets if relation[target] == "supported_by"]
        others = [target for target in targets if relation[target] != "supported_by" and target not in taken]
        below.append(list(_beside_doubted([*_grouped(items, place, supporting), *others], doubting)))
        left.append(to_left)
        right.append(to_right)
    return below, left, right


def _beside_doubted(below: list[int], doubting: Mapping[int, int]) -> Iterator[int]:
    """What speaks against a relation stands to the right of where that leads."""
    moved = {target: [each for each in below if doubting.get(each) == target] for target in doubting.values()}
    gone = {each for target, doubts in moved.items() if target in below for each in doubts}
    for target in below:
        if target not in gone:
            yield target
            yield from (each for each in moved.get(target, ()) if each in gone)


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


# The ways of edges: down along a bus line to what stands below, sideways to what stands beside, across to the rest.

BUS = DROP * 0.48
"""From the bus line down to what hangs on it."""
APART_FROM_BUS = 9.0
FROM_CORNERS = 16.0
OFF_AXIS = 0.3
"""Where what does not hold a node up is fastened to it, as a share of its width."""


class Edges:
    """All edges of a layout; items and boxes are numbered alike."""

    def __init__(
        self,
        items: Sequence[Item],
        trees: Forest,
        boxes: Sequence[Box],
        parts: Sequence[Part],
        rows: Sequence[Sequence[Sequence[int]]],
    ) -> None:
        self.items, self.trees, self.boxes, self.parts, self.rows = items, trees, boxes, parts, rows
        self._router = Router(boxes, len(trees.across))

    def edges(self) -> tuple[Edge, ...]:
        """Those of the trees first."""
        found = [edge for place in self.trees.order for edge in self._hanging(place)]
        return tuple(self._doubts([*found, *self._across()]))

    def _doubts(self, found: Sequence[Edge]) -> Iterator[Edge]:
        """All edges; what speaks against a relation ends on its line, where that can be reached."""
        numbers = {item.id: place for place, item in enumerate(self.items)}
        lines = {(edge.source, edge.target): edge for edge in found if edge.relation != "challenges"}
        for edge in found:
            place = numbers[edge.target]
            doubted = self.items[place].doubted.get(numbers[edge.source]) if edge.relation == "challenges" else None
            line = None if doubted is None else lines.get((edge.target, self.items[doubted].id))
            way = None if line is None or edge.further else self._to_line(numbers[edge.source], line)
            yield edge if line is None or way is None else replace(edge, points=tuple(way), on=line.target)

    def _to_line(self, place: int, line: Edge) -> list[Point] | None:
        """From above a box to the last piece of a line beside it, or to one that runs sideways above it."""
        box, (before, end) = self.boxes[place], line.points[-2:]
        top = (box.axis, box.top_at(box.axis))
        if before[0] == end[0] and before[1] < end[1] <= box.y + BUS and not line.further:
            height = before[1] + 0.42 * (end[1] - before[1])
            return [top, (top[0], height), (end[0], height)] if before[1] < height < box.y else None
        if before[1] == end[1] < box.y - DROP / 2 and not line.further:
            across = before[0] + 0.42 * (end[0] - before[0])
            height = box.y - BUS - DOUBT_DROP - APART_FROM_BUS
            return [top, (top[0], height), (across, height), (across, end[1])]
        return None

    def forks(self) -> tuple[Fork, ...]:
        """Where choices branch, once for each row."""
        found: list[Fork] = []
        for place, item in enumerate(self.items):
            for row in self.rows[place] if item.node.choice else ():
                for choice in item.node.choice:
                    members = self._members(row, choice)
                    if members:
                        x = self._fork(members)
                        found.append(Fork(x, self._bus(row[0]) - CHOICE_DROP + 11.0, amount(choice)))
        return tuple(found)

    def _hanging(self, place: int) -> Iterator[Edge]:
        for side, sign in ((self.trees.left[place], -1), (self.trees.right[place], 1)):
            leave = self._leave(place, side)
            for child in side:
                yield self._edge(place, child, self._sideways(place, child, sign, leave))
        rows = self.rows[place]
        trunk = self._trunk(rows) if len(rows) > 1 else None
        for number, row in enumerate(rows):
            forks = self._choices(place, row)
            for child in row:
                way = self._down(place, child, trunk if number else None, forks.get(child))
                yield self._edge(place, child, way)

    def _edge(self, place: int, child: int, points: list[Point]) -> Edge:
        relation: Relation = self.trees.relation[child] or "supported_by"
        if relation == "challenges":
            return Edge(self.items[child].id, self.items[place].id, relation, tuple(points[::-1]))
        return self._marked(Edge(self.items[place].id, self.items[child].id, relation, tuple(points)), place, child)

    def _marked(self, edge: Edge, place: int, child: int) -> Edge:
        """With how many there will be, claim points on it, and whether it is defeated."""
        node, target = self.items[place].node, self.items[child].node
        if not (node.multiplicity or node.claim_points or node.defeated_relations):
            return edge
        ids = (target.id, self._stands_for(target))
        points = (name for name, point in node.claim_points.items() if any(each in point.on for each in ids))
        defeated = any(each in node.defeated_relations for each in ids)
        many = node.multiplicity.get(target.id, "")
        return replace(edge, multiplicity=many, claim_points=tuple(points), defeated=defeated)

    def _stands_for(self, node: Node) -> str:
        return node.of.partition("/")[2] if node.kind == "sub-case" else node.id

    def _leave(self, place: int, side: Sequence[int]) -> float:
        """The height at which lines that turn leave a node: that of a straight one, if there is one."""
        middle = self.boxes[place].middle
        straight = (self.boxes[child].middle for child in side if self._straight(place, child))
        return min(straight, key=lambda height: abs(height - middle), default=middle)

    def _straight(self, place: int, child: int) -> bool:
        parent = self.boxes[place]
        return abs(parent.middle - self.boxes[child].middle) < max(0.5, parent.height / 2 - FROM_CORNERS)

    def _sideways(self, place: int, child: int, sign: int, leave: float) -> list[Point]:
        parent, box = self.boxes[place], self.boxes[child]
        height = self._level(place, child, leave)
        into = box.side_at(height, -sign)
        if self._straight(place, child) or height == leave:
            return [(parent.side_at(height, sign), height), (into, height)]
        start, turn = parent.side_at(leave, sign), (parent.right if sign > 0 else parent.x) + sign * SIDE * 0.45
        return [(start, leave), (turn, leave), (turn, height), (into, height)]

    def _level(self, place: int, child: int, leave: float) -> float:
        """The height at which a line reaches what stands beside: that of leaving, where one alone stands there."""
        box = self.boxes[child]
        alone = any(tuple(side) == (child,) for side in (self.trees.left[place], self.trees.right[place]))
        near = abs(leave - box.middle) < box.height / 2 - FROM_CORNERS
        return leave if alone and near and not self._straight(place, child) else box.middle

    def _down(self, place: int, child: int, trunk: float | None, fork: float | None) -> list[Point]:
        parent, box = self.boxes[place], self.boxes[child]
        holding = self.trees.relation[child] == "supported_by" or self._alone(place)
        start = parent.axis if holding else parent.axis + OFF_AXIS * parent.width
        off = self._more(place) + (0.0 if holding else APART_FROM_BUS)
        first, bus = self._bus(self.rows[place][0][0]) - off, self._bus(child) - off
        points = [(start, parent.bottom_at(start)), (start, first)]
        if trunk is not None:
            trunk -= 0.0 if holding else APART_FROM_BUS / 2
            points += [(trunk, first), (trunk, bus)]
        if fork is not None:
            points += [(fork, bus), (fork, bus + CHOICE_DROP - 2.0)]
        end = (box.axis, box.top_at(box.axis))
        return [*points, (end[0], points[-1][1] if fork is not None else bus), end]

    def _alone(self, place: int) -> bool:
        """Whether all that hangs below a node is of one relation, so that its lines can leave in the middle."""
        return len({self.trees.relation[child] for row in self.rows[place] for child in row}) == 1

    def _bus(self, child: int) -> float:
        return self.boxes[child].y - BUS

    def _more(self, place: int) -> float:
        more = CHOICE_DROP if self.items[place].node.choice else 0.0
        return more + (DOUBT_DROP if self.items[place].doubted else 0.0)

    def _trunk(self, rows: Sequence[Sequence[int]]) -> float:
        return min(self._lefts[child] for row in rows for child in row) - TRUNK * 0.55

    @cached_property
    def _lefts(self) -> dict[int, float]:
        """Leftmost end of every tree."""
        found: dict[int, float] = {}
        for place in reversed(self.trees.order):
            part, rows = self.parts[place], self.rows[place]
            below = min((found[child] for row in rows for child in row), default=float("inf"))
            found[place] = min(self.boxes[place].axis - part.left, below - (TRUNK if len(rows) > 1 else 0.0))
        return found

    def _members(self, row: Sequence[int], choice: Choice) -> list[int]:
        among = set(choice.among)
        holding = (child for child in row if self.trees.relation[child] == "supported_by")
        return [child for child in holding if self.items[child].node.id in among]

    def _fork(self, members: Sequence[int]) -> float:
        return (self.boxes[members[0]].axis + self.boxes[members[-1]].axis) / 2

    def _choices(self, place: int, row: Sequence[int]) -> dict[int, float]:
        """Where the way to a node among which is chosen branches."""
        found: dict[int, float] = {}
        for choice in self.items[place].node.choice:
            members = self._members(row, choice)
            found |= dict.fromkeys(members, self._fork(members)) if members else {}
        return found

    def _across(self) -> Iterator[Edge]:
        beside = {place for sides in (self.trees.left, self.trees.right) for side in sides for place in side}
        for link in self.trees.across:
            points = self._router.way(link.source, link.target, aside=link.target in beside)
            source, target = self.items[link.source], self.items[link.target]
            edge = Edge(source.id, target.id, link.relation, tuple(points), True, link.back)
            yield edge if link.relation == "challenges" else self._marked(edge, link.source, link.target)
