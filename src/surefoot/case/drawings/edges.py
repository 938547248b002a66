"""The ways of edges: down along a bus line to what stands below, sideways to what stands beside, across to the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from surefoot.case.drawings.boxes import CHOICE_DROP, DROP, SIDE, Box, Edge, Fork, Relation
from surefoot.case.drawings.numbers import amount
from surefoot.case.drawings.structure import Forest, Item
from surefoot.case.node import Choice
from surefoot.drawing.routing import Router
from surefoot.drawing.scene import Point
from surefoot.drawing.tree_layout import TRUNK, Part

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
        return (*found, *self._across())

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
        many = self.items[place].node.multiplicity.get(self.items[child].node.id, "")
        if relation == "challenges":
            return Edge(self.items[child].id, self.items[place].id, relation, tuple(points[::-1]))
        return Edge(self.items[place].id, self.items[child].id, relation, tuple(points), multiplicity=many)

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
        return CHOICE_DROP if self.items[place].node.choice else 0.0

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
            many = source.node.multiplicity.get(target.node.id, "")
            yield Edge(source.id, target.id, link.relation, tuple(points), True, link.back, many)
