"""What a layout consists of: boxes with their words, edges with their way, and the sizes of all that, in pixels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from surefoot.case.evaluation import Standing
from surefoot.case.node import Node
from surefoot.case.notation import Notation
from surefoot.drawing import shapes
from surefoot.drawing.scene import Point
from surefoot.drawing.shapes import Shape
from surefoot.opinions import Opinion

Relation = Literal["supported_by", "in_context_of", "challenges"]
Role = Literal["head", "label", "says", "note", "standing", "opinion", "module"]
Stub = Literal["", "away", "missing"]

HEAD, TEXT, NOTE, TITLE = 11.0, 12.5, 10.5, 15.0
"""Letters: id and standing, what a node says, notes, the name of a module."""
LEADING = 1.34
PADDING = 11.0
MOST_LINES = 9
MOST_NOTES = 4
ROOMS = (172.0, 216.0, 264.0)
"""Room for words in a box, the narrowest in which a text takes few lines."""
SMALL_ROOMS = (136.0, 172.0, 216.0)
"""The same for evidence and for what stands beside."""
FEW_LINES = 5
CIRCLE_ROOMS = (88.0, 112.0, 136.0, 172.0, 216.0)
"""The same for words in a circle."""
FOOT = 17.0
"""Room below a node for the mark of what is undeveloped or not instantiated."""
BAR = 5.0
DROP, CHOICE_DROP = 46.0, 26.0
"""Between a node and what holds it up, and what a choice takes more."""
SIDE, STACK = 34.0, 10.0
"""Between a node and what stands beside it, and between those."""
APART, FRAME, FRAME_HEAD = 44.0, 18.0, 30.0
"""Between trees, between a module and its frame, and room for its name."""
MARGIN = 16.0


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

    def top_at(self, x: float) -> float:
        """The height of the upper outline at a place across."""
        return self.y + shapes.top_at(self.words.shape, self.width, self.height, x - self.x)

    def bottom_at(self, x: float) -> float:
        """Where a line leaves below: under the mark in the middle, if there is one, otherwise at the outline."""
        if self.words.foot and abs(x - self.axis) <= FOOT / 2:
            return self.bottom
        return self.y + self.height - shapes.bottom_at(self.words.shape, self.width, self.height, x - self.x)

    def side_at(self, y: float, sign: int) -> float:
        """The place of the outline at a height, on the left (-1) or on the right (1)."""
        left, right = shapes.side_at(self.words.shape, self.width, self.height, y - self.y)
        return self.right - right if sign > 0 else self.x + left


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
