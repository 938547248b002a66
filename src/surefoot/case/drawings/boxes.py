"""What stands in the boxes: id, standing, text and numbers, wrapped to the room there is; and what is said.

Shapes of CAE after Bloomfield and Netkachova (2014), of GSN after the GSN Community Standard, version 3, parts 1:2 to
1:5.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from surefoot.case.evaluation import Assessed, Evaluation, Standing, for_the_case, standing_word
from surefoot.case.extensions import Choice
from surefoot.case.model import BESIDE, STANDING_IN, Case, Kind, Node, Notation, word
from surefoot.case.wording import in_short, known_by
from surefoot.core import Bound, Estimate
from surefoot.core.canonical import thaw
from surefoot.documents import flow, percent, shortened, significant, visible
from surefoot.drawing import shapes
from surefoot.drawing.scene import Point
from surefoot.drawing.shapes import CENTRED, OVAL_ROOM, Shape, insets
from surefoot.drawing.text import BOLD, fitted, text_width, wrapped

# What a layout consists of: boxes with their words, edges with their way, and the sizes of all that, in pixels.

Relation = Literal["supported_by", "in_context_of", "challenges"]
Role = Literal["head", "label", "says", "note", "standing", "module"]
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
DROP, CHOICE_DROP, DOUBT_DROP = 46.0, 26.0, 24.0
"""Between a node and what holds it up, and what a choice takes more, or a doubt about a relation."""
SIDE, MARKED_SIDE, STACK = 34.0, 26.0, 10.0
"""Between a node and what stands beside it, how much more where relations bear marks, and between those."""
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
    called: str = ""
    """What the node is called in the notation."""


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
    claim_points: tuple[str, ...] = ()
    """Names of assurance claim points on it."""
    defeated: bool = False
    on: str = ""
    """Of a challenge to a relation: where that leads, since the line ends on it."""


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


CAE: dict[Kind, Shape] = {
    "claim": "rounded",
    "argument": "soft",
    "evidence": "rectangle",
    "side-claim": "dashed",
    "justification": "oval",
    "context": "stadium",
    "sub-case": "folder",
    "contract": "contract",
    "defeater": "octagon",
}
GSN: dict[str, Shape] = {
    "goal": "rectangle",
    "strategy": "slanted",
    "solution": "circle",
    "assumption": "oval",
    "justification": "oval",
    "context": "rounded",
    "away goal": "rectangle",
    "away solution": "circle",
    "away context": "rounded",
    "away assumption": "oval",
    "away justification": "oval",
    "module": "folder",
    "contract": "contract",
    "defeater": "rectangle",
}
SIZES = {"head": HEAD, "label": NOTE, "says": TEXT, "note": NOTE, "standing": HEAD, "module": HEAD}
MOST_LETTERS = 700
LABEL_LENGTH = 160
STEP = 14.0
"""Circles come in few sizes, so that they stand in columns."""
WIDER = 1.1
"""How much wider the letters of a reader may be than those reckoned with."""
SIGN = 15.0
"""Room for the sign of a standing."""


def row_height(row: Row) -> float:
    """How much a line takes; a module's name has a line above."""
    extra = {"head": 2.0, "module": 8.0}.get(row.role, 0.0)
    return SIZES[row.role] * LEADING + extra


class Writer:
    """Words of the nodes of one case."""

    def __init__(
        self, case: Case, notation: Notation, evaluation: Evaluation | None, cut: Mapping[str, int] | None = None
    ) -> None:
        self.case, self.notation, self.evaluation, self.cut = case, notation, evaluation, cut or {}
        self.points: dict[str, list[str]] = {}
        """For claims of confidence the claim points that they argue."""
        for node in case:
            for name, point in node.claim_points.items():
                self.points.setdefault(point.argued_by, []).append(name)

    def words(self, node: Node, stub: Stub = "") -> Words:
        """Everything that is said in the box of a node, and how large that is."""
        assessed = self.evaluation.nodes.get(node.id) if self.evaluation and stub != "missing" else None
        called = word(node, self.notation, self.case.stands_for(node))
        shape = shape_of(node, self.notation, stub, called)
        said = standing_word(node, assessed)
        room = self._room(node, shape)
        if shape != "circle":
            words = self._boxed(node, shape, self._rows(node, stub, shape, room, assessed), room, assessed, said)
            return replace(words, called=called)
        # What a solution says is broken so that its circle is as small as it can be.
        least = _longest_word(node.text[:MOST_LETTERS])
        rooms = [each for each in CIRCLE_ROOMS if least <= each <= room] or [room]
        tried = [(each, self._rows(node, stub, shape, each, assessed)) for each in rooms]
        boxed = [self._boxed(node, shape, rows, each, assessed, said) for each, rows in tried]
        return replace(min(boxed, key=lambda words: (_cut(words), words.width)), called=called)

    def _rows(self, node: Node, stub: Stub, shape: Shape, room: float, assessed: Assessed | None) -> list[Row]:
        said, centred = standing_word(node, assessed), shape in CENTRED
        head_room = room if centred or not said else room - text_width(said, HEAD) * BOLD - SIGN - 14.0
        rows = [Row("head", fitted(node.id, max(head_room, 24.0), HEAD))]
        rows += [Row("label", text) for text in _labels(node, stub)]
        if not stub and node.id in self.points:
            rows.append(Row("label", fitted(f"confidence at {', '.join(self.points[node.id])}", room, NOTE)))
        rows += [Row("says", line) for line in wrapped(node.text[:MOST_LETTERS], room, TEXT, most=MOST_LINES)]
        if not stub:
            notes = (line for text in number_lines(node, assessed) for line in wrapped(text, room, NOTE, most=2))
            rows += [Row("note", line) for line, _ in zip(notes, range(MOST_NOTES), strict=False)]
        if not stub and self.cut.get(node.id):
            rows.append(Row("note", f"… {self.cut[node.id]:,} more below"))
        if centred and said:
            rows.append(Row("standing", said))
        return [*rows, *(Row("module", text) for text in _module(node, stub, room))]

    def _room(self, node: Node, shape: Shape) -> float:
        small = node.kind in (*BESIDE, "evidence") or shape in CENTRED
        rooms = SMALL_ROOMS if small else ROOMS
        wanted = _about(visible(node.text[:MOST_LETTERS]))
        return next((room for room in rooms if wanted <= 0.9 * FEW_LINES * room), rooms[-1])

    def _boxed(
        self, node: Node, shape: Shape, rows: list[Row], room: float, assessed: Assessed | None, said: str
    ) -> Words:
        high = sum(map(row_height, rows))
        shape, width, height = _around(shape, rows, room, high)
        foot = FOOT if node.undeveloped or node.uninstantiated or node.by_contract else 0.0
        standing = for_the_case(self.case, node, assessed)
        return Words(shape, tuple(rows), width, height, foot, standing, said)


def _around(shape: Shape, rows: list[Row], room: float, high: float) -> tuple[Shape, float, float]:
    if shape == "circle":
        widest = max(text_width(row.text, SIZES[row.role]) for row in rows)
        across = math.ceil((math.hypot(min(widest, room), high) + 8.0) / STEP) * STEP
        return "circle", across, across
    if shape == "oval":
        return "oval", (room + 8.0) / OVAL_ROOM, (high + 6.0) / OVAL_ROOM
    side, above, below = insets(shape)
    return shape, room + 2 * (PADDING + side), high + 2 * PADDING - 4.0 + above + below


def _longest_word(text: str) -> float:
    """How wide it is, so that no word is broken for the sake of a smaller circle."""
    return max((text_width(word, TEXT) for word in visible(text).split()), default=0.0)


def _cut(words: Words) -> bool:
    """Whether there was no room for all that a node says."""
    return any(row.text.endswith("…") for row in words.rows if row.role in ("says", "note"))


def _about(text: str) -> float:
    """Roughly how wide a text is in one line, found quickly where it is plain."""
    return len(text) * 0.57 * TEXT if text.isascii() else text_width(text, TEXT)


def _labels(node: Node, stub: Stub) -> Iterator[str]:
    if stub == "missing":
        yield "not in this case"
    if node.kind == "argument" and node.block:
        yield node.block
    if node.kind == "argument" and node.combining == "legs":
        yield "independent legs"
    if node.kind == "defeater":
        yield "defeater, eliminated" if node.defeated else "defeater"
    elif node.defeated:
        yield "defeated"


def _module(node: Node, stub: Stub, room: float) -> Iterator[str]:
    """What an away element or a module names in its lower part."""
    if stub == "away":
        yield fitted(node.module or "main module", room - 18.0, HEAD)
    elif node.kind in STANDING_IN and node.of:
        yield fitted(node.of, room - 18.0, HEAD)


def shape_of(node: Node, notation: Notation, stub: Stub = "", called: str = "") -> Shape:
    """The shape of a node; one of another module keeps it in GSN, with a lower part that names the module."""
    if stub == "missing" or (stub and notation == "cae"):
        return "rounded" if stub == "away" else "rectangle"
    return CAE[node.kind] if notation == "cae" else GSN[called or word(node, notation)]


def label(box: Box, notation: Notation) -> str:
    """Kind, id, standing and the beginning of the text."""
    said = f", {box.words.word}" if box.words.word else ""
    return shortened(f"{kind(box, notation)} {box.node.id}{said}: {box.node.text}", LABEL_LENGTH)


def kind(box: Box, notation: Notation) -> str:
    """What the node is called."""
    if box.stub == "missing":
        return "missing node"
    name = box.words.called or word(box.node, notation)
    return f"{name} of another module" if box.stub == "away" and not name.startswith("away") else name


def spoken(box: Box, notation: Notation, assessed: Assessed | None) -> str:
    """Everything that is known of the node."""
    return " ".join(filter(None, _said(box, notation, assessed)))


def _said(box: Box, notation: Notation, assessed: Assessed | None) -> Iterator[str]:
    node = box.node
    yield f"{kind(box, notation).capitalize()} {node.id}: {node.text}"
    yield from (f"[{text}]" for text in number_lines(node, assessed))
    if assessed is not None:
        yield f"[{box.words.word}]" if box.words.word else ""
        yield assessed.why
    if node.undeveloped:
        yield "[undeveloped]"
    if node.by_contract:
        yield "[to be supported by a contract]"
    if node.uninstantiated:
        yield "[not instantiated]"
    if node.defeated:
        yield "[eliminated]" if node.kind == "defeater" else "[defeated]"
    for name, point in node.claim_points.items():
        argued = f", argued by {point.argued_by}" if point.argued_by else ""
        yield f"[claim point {name} on {', '.join(point.on) or 'itself'}{argued}]"
    for key, value in thaw(node.attributes).items():
        yield f"[{key}: {value if isinstance(value, str) else flow(value)}]"
    yield node.note
    if node.tags:
        yield f"[{'; '.join(node.tags)}]"


# Numbers that boxes show: what a claim asks for, what was shown of it, what evidence measured.


def amount(choice: Choice) -> str:
    """How many are to be chosen.

    >>> amount(Choice(("C2", "C3"))), amount(Choice(("C2", "C3", "C4"), least=1, most=2))
    ('1 of 2', '1 to 2 of 3')
    """
    least, most, of = choice.least, choice.most, len(choice.among)
    return f"{least} of {of}" if least == most else f"{least} to {most} of {of}"


def number_lines(node: Node, assessed: Assessed | None) -> Iterator[str]:
    """Short lines about the number of a claim or of evidence."""
    if node.number is not None:
        target = node.number.target
        limit = significant(target.limit)
        yield f"claimed: {target.relation} {limit} {target.counted}, level {percent(target.level)}"
    if assessed is None:
        return
    if assessed.verdict is not None:
        bound = assessed.verdict.bound
        by = ", ".join(assessed.verdict.answered_by)
        yield f"{assessed.verdict.status}: {_bounded(bound)}" if bound else f"{assessed.verdict.status}: no bound"
        if by:
            yield f"on what is stated; {by} answers for it"
    if assessed.estimate is not None:
        yield _measured(assessed.estimate)
    if node.kind == "claim" and assessed.confidence is not None and assessed.targets:
        yield in_short(assessed)


def _bounded(bound: Bound) -> str:
    side = "at most" if bound.side == "upper" else "at least"
    limit = significant(bound.limit, rounding="up" if bound.side == "upper" else "down")
    return f"{side} {limit} shown"


def _measured(estimate: Estimate) -> str:
    return f"{known_by(estimate)}: {significant(estimate.value)} {estimate.unit}"
