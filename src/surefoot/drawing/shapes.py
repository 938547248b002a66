"""Shapes as steps of SVG paths: boxes and outlines, circles, lines with round corners, arrowheads.

Steps are M, L, H, V, C and Z with a space between every two of them, all in absolute places.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal

from surefoot.drawing.scene import Point

Shape = Literal[
    "rounded", "soft", "rectangle", "dashed", "slanted", "circle", "oval", "stadium", "folder", "contract", "octagon"
]
CENTRED: tuple[Shape, ...] = ("circle", "oval")
"""Shapes whose lines of words stand in the middle."""
SKEW, TAB, BULGE, CHAMFER, ROUND = 15.0, 9.0, 13.0, 12.0, 20.0
"""Slant, height of a tab, round ends of a stadium, cut corners of an octagon, round corners."""
CORNERS: dict[Shape, float] = {"rounded": ROUND, "dashed": ROUND, "soft": 6.0, "rectangle": 0.0}
CIRCLE, OVAL = 0.5523, 0.76
"""How full the corners of a circle and of an oval are, as shares of the way of a control point."""
OVAL_ROOM = (4 + 3 * OVAL) / 8
"""Share of an oval's sides that words can take."""
CORNER = 6.0
"""Radius of the corners of a line."""
LONG, HALF, WIDE = 8.5, 3.8, 5.0
"""An arrowhead, half of its width, and half of the width of an open one."""


def short(value: float) -> str:
    """A coordinate to a tenth of a pixel, without needless digits."""
    return f"{round(value, 1) + 0.0:g}" if abs(value) < 1e5 else f"{value:.1f}"


@lru_cache(maxsize=4096)
def outline(shape: Shape, width: float, height: float) -> str:
    """A shape in a box that begins at (0, 0)."""
    if shape in CORNERS:
        return rounded_box(width, height, CORNERS[shape])
    if shape in CENTRED:
        return _oval(width, height, CIRCLE if shape == "circle" else OVAL)
    if shape == "stadium":
        return _stadium(width, height)
    if shape in ("folder", "contract"):
        return _tabbed(shape, width, height)
    return polygon(_corners(shape, width, height))


def insets(shape: Shape) -> tuple[float, float, float]:
    """How much of the room inside a box the shape takes: at each side, above, below."""
    return {
        "rounded": (2.0, 0.0, 0.0),
        "dashed": (2.0, 0.0, 0.0),
        "slanted": (SKEW, 0.0, 0.0),
        "stadium": (BULGE * 0.6, 0.0, 0.0),
        "folder": (0.0, TAB, 0.0),
        "contract": (0.0, TAB, TAB),
        "octagon": (4.0, 0.0, 0.0),
    }.get(shape, (0.0, 0.0, 0.0))


def side_at(shape: Shape, width: float, height: float, y: float) -> tuple[float, float]:
    """How far the outline lies inside its box at a height, on the left and on the right."""
    if shape == "slanted":
        return SKEW * (1.0 - y / height), SKEW * y / height
    inset = _curved(shape, height, width, y - height / 2)
    return inset, inset


def top_at(shape: Shape, width: float, height: float, x: float) -> float:
    """How far the outline lies below the top of its box at a place across."""
    if shape in ("folder", "contract"):
        return TAB if x > _tab(width) else 0.0
    return 0.0 if shape == "stadium" else _curved(shape, width, height, x - width / 2)


def bottom_at(shape: Shape, width: float, height: float, x: float) -> float:
    """How far the outline lies above the bottom of its box at a place across."""
    if shape == "contract":
        return TAB if x < width - _tab(width) else 0.0
    return 0.0 if shape == "stadium" else _curved(shape, width, height, x - width / 2)


def _curved(shape: Shape, along: float, across: float, off: float) -> float:
    """How far a round outline lies inside its box at a distance from the middle of a side that is ``along`` long."""
    reach = {"circle": across / 2, "oval": across / 2, "stadium": BULGE}.get(shape, 0.0)
    if not reach:
        return 0.0
    power = 3.0 if shape == "oval" else 2.0
    share = min(abs(off) / (along / 2), 1.0)
    return float(reach * (1.0 - (1.0 - share**power) ** (1.0 / power)))


def polygon(points: Sequence[Point]) -> str:
    """A closed line through points."""
    return "M " + " L ".join(map(_at, points)) + " Z"


def rectangle(x: float, y: float, width: float, height: float) -> str:
    """A box whose upper left corner is at a point."""
    return polygon([(x, y), (x + width, y), (x + width, y + height), (x, y + height)])


def pill(x: float, y: float, width: float, height: float) -> str:
    """A box with round ends."""
    return rounded_box(width, height, height / 2, (x, y))


def circle(x: float, y: float, radius: float) -> str:
    """A circle around a point."""
    return _oval(2 * radius, 2 * radius, CIRCLE, (x - radius, y - radius))


def rounded_box(width: float, height: float, radius: float, at: Point = (0.0, 0.0)) -> str:
    """A box with round corners."""
    r = min(radius, height / 2, width / 2)
    if not r:
        return rectangle(*at, width, height)
    k = r * (1 - CIRCLE)
    right, low = width - r, height - r
    points = [(r, 0.0), (right, 0.0), (width - k, 0.0), (width, k), (width, r)]
    points += [(width, low), (width, height - k), (width - k, height), (right, height)]
    points += [(r, height), (k, height), (0.0, height - k), (0.0, low), (0.0, r), (0.0, k), (k, 0.0), (r, 0.0)]
    return _written("MLCLCLCLC", points, at)


def moved(steps: str, x: float, y: float, scale: float = 1.0) -> str:
    """Steps M, L, C and Z made larger and then moved; numbers come in pairs."""
    return " ".join(_moved(steps, (x, y), scale))


def _moved(steps: str, to: Point, scale: float) -> Iterator[str]:
    side = 0
    for step in steps.split():
        if step in "MLCZ":
            yield step
        else:
            yield short(float(step) * scale + to[side])
            side = 1 - side


def polyline(points: Sequence[Point], *, corner: float = CORNER) -> str:
    """An open line through points, its corners rounded."""
    steps = [f"M {_at(points[0])}"]
    for before, here, after in zip(points, points[1:], points[2:], strict=False):
        radius = min(corner, _apart(before, here) / 2, _apart(here, after) / 2)
        if radius < 0.5:
            steps.append(f"L {_at(here)}")
            continue
        start, end = _towards(here, before, radius), _towards(here, after, radius)
        near = _towards(here, before, radius * 0.45), _towards(here, after, radius * 0.45)
        steps.append(f"L {_at(start)} C {_at(near[0])} {_at(near[1])} {_at(end)}")
    steps.append(f"L {_at(points[-1])}")
    return " ".join(steps)


def arrowhead(before: Point, end: Point, *, long: float = LONG, half: float = HALF) -> tuple[str, Point]:
    """A closed arrowhead at the end of a line that comes from ``before``, and where the line stops for it."""
    back, one, two = _barbs(before, end, long, half)
    return polygon([end, one, two]), back


def open_arrowhead(before: Point, end: Point) -> str:
    """Two strokes, as GSN gives challenges; the line runs on to their point."""
    _, one, two = _barbs(before, end, LONG, WIDE)
    return polyline([one, end, two], corner=0.0)


def _barbs(before: Point, end: Point, long: float, half: float) -> tuple[Point, Point, Point]:
    length = math.dist(before, end) or 1.0
    dx, dy = (end[0] - before[0]) / length, (end[1] - before[1]) / length
    x, y = end[0] - long * dx, end[1] - long * dy
    return (x, y), (x - half * dy, y + half * dx), (x + half * dy, y - half * dx)


def _corners(shape: Shape, width: float, height: float) -> list[Point]:
    if shape == "slanted":
        return [(SKEW, 0), (width, 0), (width - SKEW, height), (0, height)]
    cut = min(CHAMFER, height / 3)
    right, low = width - cut, height - cut
    return [(cut, 0), (right, 0), (width, cut), (width, low), (right, height), (cut, height), (0, low), (0, cut)]


def _tabbed(shape: Shape, width: float, height: float, tab: float = TAB) -> str:
    """A box with a small one at its upper left, as GSN has modules; of a contract one at its lower right too."""
    across, contract = _tab(width), shape == "contract"
    boxes = [rectangle(0.0, tab, width, height - (2 if contract else 1) * tab), rectangle(0.0, 0.0, across, tab)]
    if contract:
        boxes.append(rectangle(width - across, height - tab, across, tab))
    return " ".join(boxes)


def module_symbol(width: float, height: float, *, contract: bool = False) -> str:
    """The symbol of a module or of a contract between modules, small."""
    return _tabbed("contract" if contract else "folder", width, height, 0.3 * height)


def _tab(width: float) -> float:
    return min(64.0, 0.4 * width)


def _oval(width: float, height: float, fullness: float, at: Point = (0.0, 0.0)) -> str:
    a, b = width / 2, height / 2
    p, q = a * (1 - fullness), b * (1 - fullness)
    points = [(a, 0.0), (width - p, 0.0), (width, q), (width, b), (width, height - q), (width - p, height), (a, height)]
    points += [(p, height), (0.0, height - q), (0.0, b), (0.0, q), (p, 0.0), (a, 0.0)]
    return _written("MCCCC", points, at)


def _stadium(width: float, height: float) -> str:
    """A box whose sides bulge."""
    b, k, right = height / 2, BULGE * (1 - CIRCLE), width - BULGE
    q = b * (1 - CIRCLE)
    points = [(BULGE, 0.0), (right, 0.0), (width - k, 0.0), (width, q), (width, b), (width, height - q)]
    points += [(width - k, height), (right, height), (BULGE, height), (k, height), (0.0, height - q), (0.0, b)]
    points += [(0.0, q), (k, 0.0), (BULGE, 0.0)]
    return _written("MLCCLCC", points, (0.0, 0.0))


def _written(kinds: str, points: Sequence[Point], at: Point) -> str:
    """A closed path: a curve takes three points, the other steps one."""
    rest = iter(points)
    steps = []
    for kind in kinds:
        steps.append(kind)
        for _ in range(3 if kind == "C" else 1):
            x, y = next(rest)
            steps.append(_at((at[0] + x, at[1] + y)))
    return f"{' '.join(steps)} Z"


def _apart(a: Point, b: Point) -> float:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def _towards(here: Point, there: Point, distance: float) -> Point:
    length = _apart(here, there)
    return here[0] + (there[0] - here[0]) * distance / length, here[1] + (there[1] - here[1]) * distance / length


def _at(point: Point) -> str:
    return f"{short(point[0])} {short(point[1])}"
