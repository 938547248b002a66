"""The marks of edges: lines, arrowheads, balls for multiplicity, diamonds for choices."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from surefoot.case.drawings.boxes import Box, Edge, Fork, Point
from surefoot.case.drawings.outlines import polygon
from surefoot.case.drawings.scene import CORNER, Group, Mark, Path, Text, circle, line
from surefoot.case.notation import Notation
from surefoot.drawing import visible

LONG, HALF, WIDE = 8.5, 3.8, 5.0
"""An arrowhead, and half of how wide an open one is."""
CHALLENGE_TIP = "challenges-tip vee"
BALL, DIAMOND = 4.2, 8.0
OPTIONAL = ("0..1", "0-1", "optional")


def edge_groups(edges: Sequence[Edge], notation: Notation, names: Mapping[str, Box]) -> Iterator[Group]:
    """Lines with their arrowheads; where several run along one way it is drawn once.

    In GSN an arrow leads to what supports; in CAE it leads to what is supported, and so do challenges in both.
    """
    # Lines across the drawing come first: where one has to pass behind another, the argument itself stays whole.
    further = [edge for edge in edges if edge.further]
    yield from (_edge_group(edge, edge.points, notation, names) for edge in further)
    families: dict[tuple[Point, str], list[Edge]] = {}
    for edge in edges:
        if not edge.further:
            families.setdefault((_hold(edge)[0], edge.relation), []).append(edge)
    for family in families.values():
        drawn = Drawn()
        for edge in sorted(family, key=_length):
            points = drawn.rest(_hold(edge))
            yield _edge_group(edge, points[::-1] if edge.relation == "challenges" else points, notation, names)


def _hold(edge: Edge) -> tuple[Point, ...]:
    """The way from the node that others hang on."""
    return edge.points[::-1] if edge.relation == "challenges" else edge.points


def _length(edge: Edge) -> float:
    return sum(math.dist(*ends) for ends in pairwise(edge.points))


class Drawn:
    """How far ways from one point have been drawn already, by corner and direction."""

    def __init__(self) -> None:
        self.reached: dict[tuple[Point, Point], float] = {}

    def rest(self, points: Sequence[Point]) -> tuple[Point, ...]:
        """The part of a way that is not drawn yet; it begins a corner earlier, since corners are round."""
        found: tuple[Point, ...] = ()
        before: tuple[Point, ...] = ()
        for place, (here, there) in enumerate(pairwise(points)):
            length = math.dist(here, there)
            if not length:
                continue
            dx, dy = (there[0] - here[0]) / length, (there[1] - here[1]) / length
            key = here, (round(dx), round(dy))
            reached = self.reached.get(key, 0.0)
            if not found and reached < length:
                start = max(0.0, reached - CORNER)
                found = (*(before if not start else ()), (here[0] + dx * start, here[1] + dy * start))
                found += tuple(points[place + 1 :])
            self.reached[key] = max(reached, length)
            back = min(CORNER, length)
            before = ((there[0] - dx * back, there[1] - dy * back),)
        return found or tuple(points[-2:])


def _edge_group(edge: Edge, way: Sequence[Point], notation: Notation, names: Mapping[str, Box]) -> Group:
    roles = " ".join(filter(None, (edge.relation, "further" if edge.further else "", "back" if edge.back else "")))
    upwards = notation == "cae" and edge.relation != "challenges"
    points = list(way[::-1] if upwards else way)
    marks: list[Mark] = []
    if points[-1] == (edge.points[0] if upwards else edge.points[-1]):
        tip, back = _tip(points[-2], points[-1])
        if edge.relation == "challenges":
            tip = open_tip(points[-2], points[-1])
        else:
            points[-1] = back
        marks.append(Path(tip, _tip_role(edge)))
    marks.insert(0, Path(line(points), f"edge {roles}"))
    marks += _multiplicity(edge)
    title = f"{_name(edge.source, names)} {WORDS[edge.relation]} {_name(edge.target, names)}"
    return Group(tuple(marks), "link", title=title if edge.further else "")


def _tip_role(edge: Edge) -> str:
    colour = CHALLENGE_TIP if edge.relation == "challenges" else "further-tip" if edge.further else ""
    hollow = "hollow" if edge.relation == "in_context_of" else ""
    return " ".join(filter(None, ("tip", colour, hollow)))


WORDS = {"supported_by": "is supported by", "in_context_of": "is in the context of", "challenges": "challenges"}


def _name(identity: str, names: Mapping[str, Box]) -> str:
    return names[identity].node.id if identity in names else identity


def _tip(before: Point, end: Point) -> tuple[str, Point]:
    """An arrowhead at the end, and where the line stops before it."""
    length = math.dist(before, end) or 1.0
    dx, dy = (end[0] - before[0]) / length, (end[1] - before[1]) / length
    back = (end[0] - LONG * dx, end[1] - LONG * dy)
    sides = [(back[0] - HALF * dy, back[1] + HALF * dx), (back[0] + HALF * dy, back[1] - HALF * dx)]
    return polygon([end, *sides]), back


def open_tip(before: Point, end: Point) -> str:
    """The open arrowhead that GSN gives challenges; the line runs on to its point."""
    length = math.dist(before, end) or 1.0
    dx, dy = (end[0] - before[0]) / length, (end[1] - before[1]) / length
    x, y = end[0] - LONG * dx, end[1] - LONG * dy
    sides = (x - WIDE * dy, y + WIDE * dx), (x + WIDE * dy, y - WIDE * dx)
    return line([sides[0], end, sides[1]], corner=0.0)


def _multiplicity(edge: Edge) -> Iterator[Mark]:
    """A ball before what there will be several of; hollow where there may be none."""
    if not edge.multiplicity:
        return
    (x, y), (to_x, to_y) = edge.points[-2], edge.points[-1]
    length = math.dist((x, y), (to_x, to_y)) or 1.0
    away = min(LONG + BALL + 2.0, length)
    at = (to_x - (to_x - x) * away / length, to_y - (to_y - y) * away / length)
    optional = edge.multiplicity.strip().lower() in OPTIONAL
    yield Path(circle(*at, BALL), "mark" if optional else "solid")
    if not optional:
        said = visible(edge.multiplicity)[:12]
        level = abs(to_y - y) < abs(to_x - x)
        yield (
            Text(at[0], at[1] - BALL - 3.5, said, "small", "middle")
            if level
            else Text(at[0] + BALL + 3.0, at[1] + 3.0, said, "small")
        )


def fork_group(fork: Fork) -> Group:
    """A diamond where a choice branches, and how many are to be chosen."""
    x, y, half = fork.x, fork.y, DIAMOND
    shape = polygon([(x, y - half), (x + half, y), (x, y + half), (x - half, y)])
    return Group((Path(shape, "solid"), Text(x + half + 5.0, y + 3.5, fork.text, "small")), "fork", fork.text)
