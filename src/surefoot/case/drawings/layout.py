"""The layout of a case: an argument flows downwards, contexts and side-claims stand beside their node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from surefoot.case.case import Case, Module
from surefoot.case.drawings.boxes import (
    APART,
    CHOICE_DROP,
    DROP,
    FRAME,
    FRAME_HEAD,
    MARGIN,
    SIDE,
    STACK,
    TITLE,
    Box,
    Frame,
    Layout,
    Words,
)
from surefoot.case.drawings.edges import Edges
from surefoot.case.drawings.structure import Forest, Item, forest, items
from surefoot.case.drawings.words import Writer
from surefoot.case.evaluation import Evaluation
from surefoot.case.filtering import tagged
from surefoot.case.notation import NOTATIONS, Notation
from surefoot.core import validate
from surefoot.drawing.text import BOLD, text_width
from surefoot.drawing.tree_layout import Part, Placement, place_tree, shape_cost


def lay_out(case: Case, *, notation: Notation, evaluation: Evaluation | None = None, tag: str | None = None) -> Layout:
    """Where every node of the case stands, no two boxes touching.

    With a ``tag`` only nodes that carry it are drawn, and those above them.
    """
    validate.choice(notation, NOTATIONS, where="lay_out", name="notation")
    case = case if tag is None else tagged(case, tag)
    drawn = items(case)
    places = {node.id: place for place, node in enumerate(case)}
    trees = forest(drawn, [places[node.id] for node in case.tops], notation)
    writer = Writer(case, notation, evaluation)
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
        sides = [half + (SIDE + width if width else 0.0) for width, _ in (left, right)]
        return Part(sides[0], sides[1], height, below, drop)

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
                for beside, x, y in self._beside(box, side, sign):
                    found[beside] = self._box(beside, x, y)
        return [box for box in found if box is not None]

    def _beside(self, box: Box, places: Sequence[int], sign: int) -> Iterator[tuple[int, float, float]]:
        """Beside a higher node in the middle, beside a lower one from the top down."""
        _, height = self._stack(places)
        y = box.y + max(0.0, (box.height - height) / 2)
        for place in places:
            own = self.words[place]
            yield place, box.right + SIDE if sign > 0 else box.x - SIDE - own.width, y
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
