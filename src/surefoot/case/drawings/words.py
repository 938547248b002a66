"""What stands in the boxes: id, standing, text, numbers and opinion, wrapped to the room there is; and what is said.

Shapes of CAE after Bloomfield and Netkachova (2014), of GSN after the GSN Community Standard, version 3, parts 1:2 to
1:5.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from surefoot.case.case import Case
from surefoot.case.drawings.boxes import (
    BAR,
    CIRCLE_ROOMS,
    FEW_LINES,
    FOOT,
    HEAD,
    LEADING,
    MOST_LINES,
    MOST_NOTES,
    NOTE,
    PADDING,
    ROOMS,
    SMALL_ROOMS,
    TEXT,
    Box,
    Row,
    Stub,
    Words,
)
from surefoot.case.drawings.numbers import number_lines, share
from surefoot.case.evaluation import Assessed, Evaluation
from surefoot.case.node import BESIDE, GIVEN, STANDING_IN, Kind, Node
from surefoot.case.notation import Notation, word
from surefoot.case.words import for_the_case, standing_word
from surefoot.documents import shortened, visible
from surefoot.drawing.shapes import CENTRED, OVAL_ROOM, Shape, insets
from surefoot.drawing.text import BOLD, fitted, text_width, wrapped

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
    "context": "stadium",
    "away goal": "rectangle",
    "module": "folder",
    "contract": "contract",
    "defeater": "rectangle",
}
SIZES = {"head": HEAD, "label": NOTE, "says": TEXT, "note": NOTE, "standing": HEAD, "opinion": NOTE, "module": HEAD}
MOST_LETTERS = 700
LABEL_LENGTH = 160
STEP = 14.0
"""Circles come in few sizes, so that they stand in columns."""
WIDER = 1.1
"""How much wider the letters of a reader may be than those reckoned with."""
SIGN = 15.0
"""Room for the sign of a standing."""


def row_height(row: Row) -> float:
    """How much a line takes; an opinion has a bar below its words, a module's name a line above."""
    extra = {"head": 2.0, "opinion": BAR + 6.0, "module": 8.0}.get(row.role, 0.0)
    return SIZES[row.role] * LEADING + extra


class Writer:
    """Words of the nodes of one case."""

    def __init__(self, case: Case, notation: Notation, evaluation: Evaluation | None) -> None:
        self.case, self.notation, self.evaluation = case, notation, evaluation

    def words(self, node: Node, stub: Stub = "") -> Words:
        """Everything that is said in the box of a node, and how large that is."""
        assessed = self.evaluation.nodes.get(node.id) if self.evaluation and stub != "missing" else None
        shape = shape_of(node, self.notation, stub)
        said = standing_word(node, assessed)
        room = self._room(node, shape)
        if shape != "circle":
            return self._boxed(node, shape, self._rows(node, stub, shape, room, assessed), room, assessed, said)
        # What a solution says is broken so that its circle is as small as it can be.
        least = _longest_word(node.text[:MOST_LETTERS])
        rooms = [each for each in CIRCLE_ROOMS if least <= each <= room] or [room]
        tried = [(each, self._rows(node, stub, shape, each, assessed)) for each in rooms]
        boxed = [self._boxed(node, shape, rows, each, assessed, said) for each, rows in tried]
        return min(boxed, key=lambda words: (_cut(words), words.width))

    def _rows(self, node: Node, stub: Stub, shape: Shape, room: float, assessed: Assessed | None) -> list[Row]:
        said, centred = standing_word(node, assessed), shape in CENTRED
        head_room = room if centred or not said else room - text_width(said, HEAD) * BOLD - SIGN - 14.0
        rows = [Row("head", fitted(node.id, max(head_room, 24.0), HEAD))]
        rows += [Row("label", text) for text in _labels(node, stub)]
        rows += [Row("says", line) for line in wrapped(node.text[:MOST_LETTERS], room, TEXT, most=MOST_LINES)]
        if not stub:
            notes = (line for text in number_lines(node, assessed) for line in wrapped(text, room, NOTE, most=2))
            rows += [Row("note", line) for line, _ in zip(notes, range(MOST_NOTES), strict=False)]
        if centred and said:
            rows.append(Row("standing", said))
        if assessed is not None and not stub and node.kind not in GIVEN:
            said = opinion_text(assessed)
            brief = centred or text_width(said, NOTE) * WIDER > room
            rows.append(Row("opinion", opinion_text(assessed, brief=True) if brief else said))
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
        foot = FOOT if node.undeveloped or node.uninstantiated else 0.0
        standing = for_the_case(node, assessed)
        opinion = assessed.opinion if assessed and any(row.role == "opinion" for row in rows) else None
        return Words(shape, tuple(rows), width, height, foot, standing, said, opinion)


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


def opinion_text(assessed: Assessed, *, brief: bool = False) -> str:
    """Projected probability and uncertainty."""
    opinion = assessed.opinion
    unsure = "u" if brief else "uncertainty"
    return f"P {share(float(opinion.probability))}, {unsure} {share(float(opinion.uncertainty))}"


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


def shape_of(node: Node, notation: Notation, stub: Stub = "") -> Shape:
    """The shape of a node; one of another module keeps it in GSN, with a lower part that names the module."""
    if stub == "missing" or (stub and notation == "cae"):
        return "rounded" if stub == "away" else "rectangle"
    return CAE[node.kind] if notation == "cae" else GSN[word(node, notation)]


def label(box: Box, notation: Notation) -> str:
    """Kind, id, standing and the beginning of the text."""
    said = f", {box.words.word}" if box.words.word else ""
    return shortened(f"{kind(box, notation)} {box.node.id}{said}: {box.node.text}", LABEL_LENGTH)


def kind(box: Box, notation: Notation) -> str:
    """What the node is called."""
    if box.stub == "missing":
        return "missing node"
    name = word(box.node, notation)
    return f"{name} of another module" if box.stub == "away" and not name.startswith("away") else name


def spoken(box: Box, notation: Notation, assessed: Assessed | None) -> str:
    """Everything that is known of the node."""
    return " ".join(filter(None, _said(box, notation, assessed)))


def _said(box: Box, notation: Notation, assessed: Assessed | None) -> Iterator[str]:
    node = box.node
    yield f"{kind(box, notation).capitalize()} {node.id}: {node.text}"
    yield from (f"[{text}]" for text in number_lines(node, assessed))
    if assessed is not None:
        yield f"[{box.words.word}; {opinion_text(assessed)}]"
        yield assessed.why
    if node.undeveloped:
        yield "[undeveloped]"
    if node.uninstantiated:
        yield "[not instantiated]"
    if node.defeated:
        yield "[eliminated]" if node.kind == "defeater" else "[defeated]"
    yield node.note
    if node.tags:
        yield f"[{'; '.join(node.tags)}]"
