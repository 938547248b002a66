"""What a picture is made of: lines and areas, circles and words, each with a role that decides its look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from surefoot.case.drawings.boxes import Point
from surefoot.case.drawings.outlines import short

Anchor = Literal["start", "middle", "end"]
CORNER = 6.0


@dataclass(frozen=True, slots=True)
class Path:
    """Steps M, L, C and Z in absolute places, relative to the group."""

    steps: str
    role: str
    at: Point = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Text:
    """A line of words on a baseline."""

    x: float
    y: float
    text: str
    role: str
    anchor: Anchor = "start"


Mark = Path | Text


@dataclass(frozen=True, slots=True)
class Group:
    """Marks that belong together, with what is said of them."""

    marks: tuple[Mark, ...]
    classes: str = ""
    label: str = ""
    """A short name, for those who hear the picture."""
    title: str = ""
    """Everything, for those who point at it."""
    node: str = ""
    at: Point = (0.0, 0.0)


def line(points: Sequence[Point], *, corner: float = CORNER) -> str:
    """Steps of a line through points, its corners rounded."""
    steps = [f"M {_at(points[0])}"]
    for before, here, after in zip(points, points[1:], points[2:], strict=False):
        room = min(_apart(before, here), _apart(here, after)) / 2
        radius = min(corner, room)
        if radius < 0.5:
            steps.append(f"L {_at(here)}")
            continue
        start, end = _towards(here, before, radius), _towards(here, after, radius)
        near = _towards(here, before, radius * 0.45), _towards(here, after, radius * 0.45)
        steps.append(f"L {_at(start)} C {_at(near[0])} {_at(near[1])} {_at(end)}")
    steps.append(f"L {_at(points[-1])}")
    return " ".join(steps)


def circle(x: float, y: float, radius: float) -> str:
    """Steps of a circle."""
    k = 0.5523 * radius
    quarters = (
        ((x + k, y - radius), (x + radius, y - k), (x + radius, y)),
        ((x + radius, y + k), (x + k, y + radius), (x, y + radius)),
        ((x - k, y + radius), (x - radius, y + k), (x - radius, y)),
        ((x - radius, y - k), (x - k, y - radius), (x, y - radius)),
    )
    return f"M {_at((x, y - radius))} " + " ".join("C " + " ".join(map(_at, quarter)) for quarter in quarters) + " Z"


def _apart(a: Point, b: Point) -> float:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def _towards(here: Point, there: Point, distance: float) -> Point:
    length = _apart(here, there)
    return here[0] + (there[0] - here[0]) * distance / length, here[1] + (there[1] - here[1]) * distance / length


def _at(point: Point) -> str:
    return f"{short(point[0])} {short(point[1])}"
