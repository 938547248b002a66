"""Nodes, lines and frames as marks: shapes and words, standing and opinion, and the marks of patterns and modules."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from surefoot.case.drawings.nodes import (
    BAR,
    FOOT,
    HEAD,
    LEADING,
    NOTE,
    PADDING,
    SIZES,
    TEXT,
    TITLE,
    Box,
    Edge,
    Fork,
    Frame,
    Row,
    Words,
    label,
    row_height,
    spoken,
)
from surefoot.case.drawings.nodes import FRAME as BOXES_FRAME
from surefoot.case.evaluation import Assessed
from surefoot.case.model import Kind, Notation, word
from surefoot.case.wording import NOT_CONTRADICTED
from surefoot.documents import hyphenated, shortened, visible
from surefoot.drawing.routing import drawn_once
from surefoot.drawing.scene import Anchor, Group, Letters, Mark, Path, Pen, Point, Text
from surefoot.drawing.shapes import (
    CENTRED,
    LONG,
    arrowhead,
    bottom_at,
    circle,
    insets,
    open_arrowhead,
    outline,
    polygon,
    polyline,
    rectangle,
    rounded_box,
    side_at,
)
from surefoot.drawing.text import BOLD, text_width
from surefoot.opinions import Opinion

LETTERS = {"assumption": "A", "justification": "J"}
BALL, DIAMOND = 4.2, 8.0
OPTIONAL = ("0..1", "0-1", "optional")
RELATIONS = {"supported_by": "is supported by", "in_context_of": "is in the context of", "challenges": "challenges"}


def node_group(box: Box, notation: Notation, assessed: Assessed | None) -> Group:
    """Everything that is drawn for a node, relative to the upper left corner of its box."""
    standing = hyphenated(box.words.standing or "")
    checked = hyphenated(NOT_CONTRADICTED) if box.words.word == NOT_CONTRADICTED else ""
    classes = " ".join(filter(None, (box.node.kind, standing, checked, box.stub)))
    return Group(
        tuple(_marks(box, notation)),
        spoken(box, notation, assessed),
        label(box, notation),
        f"node {classes}",
        box.id,
        (box.x, box.y),
    )


def _marks(box: Box, notation: Notation) -> Iterator[Mark]:
    words = box.words
    dashed = words.shape == "dashed" or box.stub == "missing"
    pen = box_pen(box.node.kind, standing_shown(words), dashed=dashed)
    yield Path(outline(words.shape, words.width, words.height), pen)
    if box.node.defeated:
        yield Path(_strike(words.width, words.height), STRIKE)
    yield from _words(box)
    if box.stub != "missing":
        yield from _letter(box, notation)
    if not box.stub:
        yield from _foot(box)
        if box.node.public and box.node.module:
            yield Path(_folder(15.0, 11.0), MARK, (words.width - 25.0, -6.0))


def _words(box: Box) -> Iterator[Mark]:
    words = box.words
    centred = words.shape in CENTRED
    side, above, _ = insets(words.shape)
    left, right = PADDING + side, words.width - PADDING - side
    high = sum(map(row_height, words.rows))
    y = (words.height - high) / 2 if centred else above + PADDING - 2.0
    x = words.width / 2 if centred else left
    anchor: Anchor = "middle" if centred else "start"
    for row in words.rows:
        yield from _row(box, row, x, y, anchor, left, right)
        y += row_height(row)


def _row(box: Box, row: Row, x: float, y: float, anchor: Anchor, left: float, right: float) -> Iterator[Mark]:
    size = SIZES[row.role]
    baseline = y + size * LEADING * 0.76
    if row.role == "module":
        yield from _compartment(box, row, y, left)
    elif row.role == "standing":
        yield from _standing(box, x + text_width(row.text, HEAD) * BOLD / 2 + 7.0, baseline)
    elif row.role == "opinion":
        yield Text(x, baseline, row.text, PENS_LETTERS["note"], anchor)
        if box.words.opinion is not None:
            yield from _bar(box.words.opinion, x, y + NOTE * LEADING + 2.5, right - left, anchor)
    else:
        yield Text(x, baseline, row.text, PENS_LETTERS[row.role], anchor)
        if row.role == "head" and anchor == "start" and box.words.word:
            yield from _standing(box, right, baseline)


def _standing(box: Box, right: float, baseline: float) -> Iterator[Mark]:
    """The sign stands to the right of the word, so that no font is too wide for it."""
    shown = standing_shown(box.words)
    yield Text(right - 15.0, baseline, box.words.word, word_letters(shown), "end")
    yield Path(SIGNS[str(box.words.standing)], sign_pen(shown), (right - 10.0, baseline - 9.0))


def _bar(opinion: Opinion, x: float, y: float, width: float, anchor: Anchor) -> Iterator[Mark]:
    """Belief from the left, disbelief from the right, uncertainty between; a tick at the projected probability."""
    width = min(width, 150.0) if anchor == "start" else min(0.66 * width, 96.0)
    left = x if anchor == "start" else x - width / 2
    belief, disbelief = float(opinion.belief) * width, float(opinion.disbelief) * width
    yield Path(rectangle(0, 0, width, BAR), REST, (left, y))
    if belief >= 0.05:
        yield Path(rectangle(0, 0, belief, BAR), BELIEF, (left, y))
    if disbelief >= 0.05:
        yield Path(rectangle(0, 0, disbelief, BAR), DISBELIEF, (left + width - disbelief, y))
    yield Path(f"M 0 -2 L 0 {BAR + 2:g}", TICK, (left + float(opinion.probability) * width, y))


def _compartment(box: Box, row: Row, y: float, left: float) -> Iterator[Mark]:
    """The lower part, which names a module."""
    words = box.words
    inset = side_at(words.shape, words.width, words.height, y + 4.0)
    yield Path(f"M {inset[0]:.1f} 0 L {words.width - inset[1]:.1f} 0", DETAIL, (0.0, y + 4.0))
    if words.shape in CENTRED:
        left = (words.width - text_width(row.text, HEAD) * BOLD - 18.0) / 2
    yield Path(_folder(12.0, 9.0), MARK, (left, y + 10.0))
    yield Text(left + 18.0, y + 8.0 + HEAD * LEADING * 0.76, row.text, MODULE_NAME)


def _letter(box: Box, notation: Notation) -> Iterator[Mark]:
    """A or J at the lower right of an oval, below its line."""
    letter, size = LETTERS.get(word(box.node, notation)), LETTER.size
    if letter and box.words.shape == "oval":
        wide, high = box.words.width, box.words.height
        line = high - bottom_at("oval", wide, high, wide - 3.0 - 0.7 * size)
        yield Text(wide - 3.0, max(high - 1.0, line + 0.75 * size + 1.5), letter, LETTER, "end")


def _foot(box: Box) -> Iterator[Mark]:
    """A diamond for what is undeveloped, a triangle for what is not instantiated, a diamond with a line for both."""
    if not box.words.foot:
        return
    node, half, top = box.node, FOOT / 2, box.words.height
    at = (box.words.width / 2, top)
    if node.undeveloped:
        yield Path(polygon([(0, 0), (half, half), (0, FOOT), (-half, half)]), MARK, at)
        if node.uninstantiated:
            yield Path(f"M {-half:g} {half:g} L {half:g} {half:g}", MARK, at)
    else:
        yield Path(polygon([(0, 0), (half, 0.8 * FOOT), (-half, 0.8 * FOOT)]), MARK, at)


def _folder(width: float, height: float) -> str:
    tab = 0.3 * height
    return polygon([(0, 0), (0.45 * width, 0), (0.45 * width, tab), (width, tab), (width, height), (0, height)])


def _strike(width: float, height: float) -> str:
    return f"M 2 2 L {width - 2:.1f} {height - 2:.1f} M {width - 2:.1f} 2 L 2 {height - 2:.1f}"


def frame_group(frame: Frame) -> Group:
    """The frame of a module with its name, and as much of what it is about as there is room for."""
    name = shortened(visible(frame.name), 80)
    brief = shortened(visible(frame.brief), 400)
    start, room = text_width(name, TITLE) * BOLD + 2 * BOXES_FRAME, frame.width - 2 * BOXES_FRAME
    while brief and start + text_width(brief, NOTE) > room:
        brief = brief[:-2].rstrip("…") + "…" if len(brief) > 8 else ""
    marks: list[Mark] = [
        Path(rounded_box(frame.width, frame.height, 10.0), FRAME),
        Text(BOXES_FRAME, 22.0, name, TITLE_LETTERS),
    ]
    if brief:
        marks.append(Text(start, 22.0, brief, SMALL))
    return Group(tuple(marks), label=f"module {name}", classes="module", at=(frame.x, frame.y))


def edge_groups(edges: Sequence[Edge], notation: Notation, names: Mapping[str, Box]) -> Iterator[Group]:
    """Lines with their arrowheads; where several run along one way it is drawn once.

    In GSN an arrow leads to what supports; in CAE it leads to what is supported, and so do challenges in both.
    """
    # Lines across the drawing come first: where one has to pass behind another, the argument itself stays whole.
    yield from (_edge_group(edge, edge.points, notation, names) for edge in edges if edge.further)
    families: dict[tuple[Point, str], list[Edge]] = {}
    for edge in edges:
        if not edge.further:
            families.setdefault((_hold(edge)[0], edge.relation), []).append(edge)
    for family in families.values():
        for number, points in drawn_once([_hold(edge) for edge in family]):
            edge = family[number]
            yield _edge_group(edge, points[::-1] if edge.relation == "challenges" else points, notation, names)


def _hold(edge: Edge) -> tuple[Point, ...]:
    """The way from the node that others hang on."""
    return edge.points[::-1] if edge.relation == "challenges" else edge.points


def _edge_group(edge: Edge, way: Sequence[Point], notation: Notation, names: Mapping[str, Box]) -> Group:
    upwards = notation == "cae" and edge.relation != "challenges"
    points = list(way[::-1] if upwards else way)
    marks: list[Mark] = []
    if points[-1] == (edge.points[0] if upwards else edge.points[-1]):
        tip, back = arrowhead(points[-2], points[-1])
        if edge.relation == "challenges":
            tip = open_arrowhead(points[-2], points[-1])
        else:
            points[-1] = back
        marks.append(Path(tip, tip_pen(edge)))
    marks.insert(0, Path(polyline(points), edge_pen(edge)))
    marks += _multiplicity(edge)
    title = f"{_name(edge.source, names)} {RELATIONS[edge.relation]} {_name(edge.target, names)}"
    return Group(tuple(marks), title if edge.further else "", classes="link")


def _name(identity: str, names: Mapping[str, Box]) -> str:
    return names[identity].node.id if identity in names else identity


def _multiplicity(edge: Edge) -> Iterator[Mark]:
    """A ball before what there will be several of; hollow where there may be none."""
    if not edge.multiplicity:
        return
    (x, y), (to_x, to_y) = edge.points[-2], edge.points[-1]
    length = math.dist((x, y), (to_x, to_y)) or 1.0
    away = min(LONG + BALL + 2.0, length)
    at = (to_x - (to_x - x) * away / length, to_y - (to_y - y) * away / length)
    optional = edge.multiplicity.strip().lower() in OPTIONAL
    yield Path(circle(*at, BALL), MARK if optional else SOLID)
    if not optional:
        said = visible(edge.multiplicity)[:12]
        level = abs(to_y - y) < abs(to_x - x)
        yield (
            Text(at[0], at[1] - BALL - 3.5, said, SMALL, "middle")
            if level
            else Text(at[0] + BALL + 3.0, at[1] + 3.0, said, SMALL)
        )


def fork_group(fork: Fork) -> Group:
    """A diamond where a choice branches, and how many are to be chosen."""
    x, y, half = fork.x, fork.y, DIAMOND
    shape = polygon([(x, y - half), (x + half, y), (x, y + half), (x - half, y)])
    marks = Path(shape, SOLID), Text(x + half + 5.0, y + 3.5, fork.text, SMALL)
    return Group(marks, label=fork.text, classes="fork")


# How nodes, lines and words of a case look.
#
# Standings differ in colour, sign, word and strength of line, so that nobody has to tell green from red.

TONES = {"supported": "good", "not shown": "warn", "contradicted": "bad"}
CIRCLE = "M 5 0.9 C 7.3 0.9 9.1 2.7 9.1 5 C 9.1 7.3 7.3 9.1 5 9.1 C 2.7 9.1 0.9 7.3 0.9 5 C 0.9 2.7 2.7 0.9 5 0.9 Z"
SIGNS = {
    "supported": "M 0 5 L 3.2 8.4 L 9.6 1.4",
    "not shown": CIRCLE,
    "contradicted": "M 1 1 L 9 9 M 9 1 L 1 9",
}
PENS_LETTERS = {
    "head": Letters("head", HEAD, bold=True),
    "label": Letters("label", NOTE, "muted"),
    "says": Letters("says", TEXT),
    "note": Letters("note", NOTE, "muted"),
}
SMALL, TITLE_LETTERS = Letters("small", NOTE, "muted"), Letters("title", TITLE, bold=True)
LETTER, MODULE_NAME = Letters("letter", TEXT, bold=True), Letters("module-name", HEAD, "muted", bold=True)
MARK, SOLID = Pen("mark", "ink", "paper", 1.3), Pen("solid", "ink", "ink", 1.3)
DETAIL, FRAME = Pen("detail", "line-strong"), Pen("frame", "line-strong")
STRIKE = Pen("strike", "bad-strike", width=1.4)
REST, TICK = Pen("rest", "line-strong", "line", 0.6), Pen("tick", "ink", width=1.6)
BELIEF, DISBELIEF = Pen("belief", "none", "link"), Pen("disbelief", "none", "bad")


def standing_shown(words: Words) -> str:
    """The standing whose colour a node has; an assumption that is not contradicted has none."""
    return "" if words.word == NOT_CONTRADICTED else words.standing or ""


@cache
def box_pen(kind: Kind, standing: str = "", *, dashed: bool = False) -> Pen:
    """The outline of a node."""
    name = " ".join(filter(None, ("box", hyphenated(standing), "dashes" if dashed else "")))
    if standing:
        tone = TONES[standing]
        return Pen(name, tone, f"{tone}-tint", 2.4 if tone == "bad" else 1.4, dashed)
    if kind == "argument":
        return Pen(f"{name} argument", "muted", "subtle", 1.4, dashed)
    return Pen(name, "muted", "paper", 1.4, dashed)


@cache
def sign_pen(standing: str) -> Pen:
    """The sign of a standing."""
    return Pen(f"sign {hyphenated(standing)}".strip(), TONES.get(standing, "muted"), width=1.9, rounded=True)


@cache
def word_letters(standing: str) -> Letters:
    """The word for a standing."""
    return Letters(f"word {hyphenated(standing)}".strip(), HEAD, TONES.get(standing, "muted"), bold=True)


def edge_pen(edge: Edge) -> Pen:
    """The line of a relation."""
    return _edge_pen(edge.relation, edge.further, edge.back)


def tip_pen(edge: Edge) -> Pen:
    """Its arrowhead: hollow for what is beside, open for what challenges."""
    return _tip_pen(edge.relation, edge.further)


@cache
def _edge_pen(relation: str, further: bool, back: bool) -> Pen:
    name = " ".join(filter(None, ("edge", relation, "further" if further else "", "back" if back else "")))
    challenges = relation == "challenges"
    stroke = "bad" if challenges else "link" if further else "muted"
    return Pen(name, stroke, width=1.1 if further else 1.2, dashed=back or challenges)


@cache
def _tip_pen(relation: str, further: bool) -> Pen:
    if relation == "challenges":
        return Pen("tip challenges-tip vee", "bad", rounded=True)
    colour = "link" if further else "muted"
    hollow = relation == "in_context_of"
    name = " ".join(filter(None, ("tip", "further-tip" if further else "", "hollow" if hollow else "")))
    return Pen(name, colour, "paper" if hollow else colour, rounded=True)
