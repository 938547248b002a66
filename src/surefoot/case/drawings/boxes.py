"""What a layout consists of: boxes with their words and edges with their way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from surefoot.case.evaluation import Standing
from surefoot.case.node import Node
from surefoot.case.notation import Notation
from surefoot.opinions import Opinion

Shape = Literal[
    "rounded", "soft", "rectangle", "dashed", "slanted", "circle", "oval", "stadium", "folder", "contract", "octagon"
]
Relation = Literal["supported_by", "in_context_of", "challenges"]
Role = Literal["head", "label", "says", "note", "standing", "opinion", "module"]
Stub = Literal["", "away", "missing"]
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a box."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Words:
    """All lines of a box, and the size of the box around them."""

    shape: Shape
    rows: tuple[Row, ...]
    width: float
    height: float
    foot: float
    standing: Standing | None = None
    """How it looks: of what challenges something, the other way round."""
    word: str = ""
    """How the standing is said."""
    opinion: Opinion | None = None


@dataclass(frozen=True, slots=True)
class Box:
    """A node with its place; a stub stands for a node that is drawn in another module, or that does not exist."""

    id: str
    node: Node
    stub: Stub
    words: Words
    x: float
    y: float

    @property
    def width(self) -> float:
        """Of the shape."""
        return self.words.width

    @property
    def height(self) -> float:
        """Of the shape, without marks below it."""
        return self.words.height

    @property
    def lines(self) -> tuple[str, ...]:
        """The node's text, line by line; the last one ends with an ellipsis where there was no room for all."""
        return tuple(row.text for row in self.words.rows if row.role == "says")

    @property
    def axis(self) -> float:
        """The middle, where edges come and go."""
        return self.x + self.words.width / 2

    @property
    def middle(self) -> float:
        """Half-way down the shape."""
        return self.y + self.words.height / 2

    @property
    def right(self) -> float:
        """Right end."""
        return self.x + self.words.width

    @property
    def bottom(self) -> float:
        """Lower end, marks below the shape included."""
        return self.y + self.words.height + self.words.foot


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation: from the node that refers to the one that is referred to, and the way its line takes."""

    source: str
    target: str
    relation: Relation
    points: tuple[Point, ...]
    """From the source to the target."""
    further: bool = False
    """The target already hangs on another node, and the line crosses the drawing."""
    back: bool = False
    """It closes a circle."""
    multiplicity: str = ""


@dataclass(frozen=True, slots=True)
class Fork:
    """Where a choice branches: so many of the nodes below are to be developed."""

    x: float
    y: float
    text: str


@dataclass(frozen=True, slots=True)
class Frame:
    """A module with everything in it."""

    name: str
    brief: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything stands, and the size of the whole."""

    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]
    width: float
    height: float
    notation: Notation
    forks: tuple[Fork, ...] = ()
    frames: tuple[Frame, ...] = ()
