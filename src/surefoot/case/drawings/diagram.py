"""A case as a picture, in CAE or GSN: nodes, relations, frames of modules and a legend, as SVG, PDF and PNG."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import cast

from surefoot import drawing
from surefoot.case.drawings.boxes import (
    FOOT,
    FRAME,
    HEAD,
    LEADING,
    MARGIN,
    NOTE,
    PADDING,
    SIZES,
    TEXT,
    TITLE,
    Box,
    Edge,
    Fork,
    Frame,
    Layout,
    Relation,
    Row,
    Words,
    kind,
    label,
    row_height,
    spoken,
)
from surefoot.case.drawings.layout import lay_out
from surefoot.case.evaluation import NOT_CONTRADICTED, Assessed, Evaluation
from surefoot.case.model import KINDS, Case, Kind, Notation, word
from surefoot.documents import hyphenated, shortened, visible
from surefoot.drawing.legend import ROW, Entry, legend
from surefoot.drawing.routing import drawn_once
from surefoot.drawing.scene import Anchor, Group, Letters, Mark, Path, Pen, Point, Scene, Text, Theme
from surefoot.drawing.shapes import (
    CENTRED,
    LONG,
    arrowhead,
    bottom_at,
    circle,
    insets,
    module_symbol,
    moved,
    open_arrowhead,
    outline,
    polygon,
    polyline,
    rectangle,
    rounded_box,
    side_at,
    top_at,
)
from surefoot.drawing.text import BOLD, text_width

NARROWEST = 420.0
"""A drawing with a legend is at least so wide."""
SAMPLE, HIGH = 34.0, 15.0
LETTERS = {"assumption": "A", "justification": "J"}
BALL, DIAMOND = 4.2, 8.0
POINT, CROSS = 8.0, 6.0
"""A claim point, and half of the cross over what is defeated."""
MOST_NAMED = 24
OPTIONAL = ("0..1", "0-1", "optional")
RELATIONS = {"supported_by": "is supported by", "in_context_of": "is in the context of", "challenges": "challenges"}


def svg(
    case: Case,
    *,
    evaluation: Evaluation | None = None,
    notation: Notation | None = None,
    tag: str | None = None,
    cut: Mapping[str, int] | None = None,
    prefix: str = "case",
    theme: Theme = "auto",
    legend: bool = True,
) -> str:
    """The case as one ``<svg>`` element, in its own notation unless another is asked for.

    Each node is a group with ``data-node`` and its full text as title. Give drawings of one page different prefixes:
    ids begin with them. Colours follow the setting of the reader, unless a ``theme`` is asked for. With a ``tag`` only
    nodes that carry it are drawn, and those above them.
    """
    scene = picture(case, evaluation=evaluation, notation=notation, tag=tag, cut=cut, explained=legend)
    return drawing.svg(scene, theme=theme, prefix=prefix)


def pdf(
    case: Case,
    *,
    evaluation: Evaluation | None = None,
    notation: Notation | None = None,
    tag: str | None = None,
    cut: Mapping[str, int] | None = None,
    theme: Theme = "print",
    legend: bool = True,
) -> bytes:
    """The case as PDF with its words as text, on one page as large as it needs; the same bytes for the same case."""
    scene = picture(case, evaluation=evaluation, notation=notation, tag=tag, cut=cut, explained=legend)
    return drawing.pdf(scene, theme=theme)


def png(
    case: Case,
    *,
    evaluation: Evaluation | None = None,
    notation: Notation | None = None,
    tag: str | None = None,
    cut: Mapping[str, int] | None = None,
    theme: Theme = "print",
    legend: bool = True,
) -> bytes:
    """The case as PNG; a very large one is made coarser."""
    scene = picture(case, evaluation=evaluation, notation=notation, tag=tag, cut=cut, explained=legend)
    return drawing.png(scene, theme=theme)


def undrawable(case: Case) -> str:
    """Letters in what nodes say that no font here has, so that PDF and PNG show a box in their place."""
    return drawing.undrawable("".join(visible(f"{node.id}{node.text}{node.module}{node.of}") for node in case))


def picture(
    case: Case,
    *,
    evaluation: Evaluation | None = None,
    notation: Notation | None = None,
    tag: str | None = None,
    cut: Mapping[str, int] | None = None,
    explained: bool = True,
) -> Scene:
    """The whole picture; ``explained`` adds a legend of what stands in it, ``cut`` says how many are left out where."""
    layout = lay_out(case, notation=notation or case.notation, evaluation=evaluation, tag=tag, cut=cut)
    names = {box.id: box for box in layout.boxes}
    assessed = evaluation.nodes if evaluation else {}
    groups = [frame_group(frame) for frame in layout.frames]
    groups += edge_groups(layout.edges, layout.notation, names)
    groups += [fork_group(fork) for fork in layout.forks]
    groups += [node_group(box, layout.notation, assessed.get(box.node.id)) for box in layout.boxes]
    width, height = layout.width, layout.height
    if explained:
        width = max(width, NARROWEST)
        room = {"left": MARGIN, "top": height + 4.0, "width": width - 2 * MARGIN, "sample": SAMPLE + 7.0}
        entries, height = legend(_meanings(layout), SMALL, **room)
        groups += entries
        height += 8.0
    return Scene(tuple(groups), width, height, _title(case, evaluation, tag), _description(layout))


def _title(case: Case, evaluation: Evaluation | None, tag: str | None) -> str:
    top = case.tops[0] if case.tops else None
    name = case.name or (top.text if top else "without a claim at its top")
    found = evaluation.nodes.get(top.id) if evaluation and top else None
    return f"Case: {name}{f' ({found.standing})' if found else ''}{f', {tag}' if tag else ''}"


def _description(layout: Layout) -> str:
    kinds = [word(box.node, layout.notation) for box in layout.boxes if not box.stub]
    counted = ", ".join(f"{kinds.count(kind)} of kind {kind}" for kind in dict.fromkeys(kinds))
    name = "GSN" if layout.notation == "gsn" else "CAE"
    if not kinds:
        return f"An argument in {name} notation without nodes."
    return f"An argument in {name} notation with {len(kinds)} node{'s' if len(kinds) > 1 else ''}: {counted}."


def _meanings(layout: Layout) -> Iterator[Entry]:
    """What shapes, lines and signs mean: only those that stand in the picture."""
    yield from _shapes(layout)
    yield from _lines(layout)
    yield from _patterns(layout)
    standings = {box.words.standing for box in layout.boxes}
    for standing, sign in SIGNS.items():
        if standing in standings:
            yield Entry((Path(sign, sign_pen(standing), (SAMPLE - 16.0, 7.0)),), hyphenated(standing), standing)


def _shapes(layout: Layout) -> Iterator[Entry]:
    seen: set[str] = set()
    for box in sorted(layout.boxes, key=lambda each: (bool(each.stub), KINDS.index(each.node.kind))):
        name = "node of another module" if box.stub == "away" else kind(box, layout.notation)
        if name not in seen:
            seen.add(name)
            yield _shape(box, name)


def _shape(box: Box, name: str) -> Entry:
    shape = box.words.shape
    round_ = name.removeprefix("away ") == "solution" or shape == "circle"
    wide = HIGH if round_ else SAMPLE - 4.0
    times = 4 if shape in ("rounded", "dashed") else 2
    large = outline("circle" if round_ else shape, times * wide, times * HIGH)
    pen = box_pen(box.node.kind, dashed=shape == "dashed" or box.stub == "missing")
    marks: list[Mark] = [Path(moved(large, (SAMPLE - wide) / 2, (ROW - HIGH) / 2, 1 / times), pen)]
    if name.removeprefix("away ") in LETTERS:
        name_of = name.removeprefix("away ")
        marks.append(Text(SAMPLE / 2, ROW / 2 + 3.5, LETTERS[name_of], SMALL, "middle"))
    if name.startswith("away "):
        inset = (SAMPLE - wide) / 2 + (0.5 if round_ else 1.0)
        marks.append(Path(f"M {inset:g} {ROW / 2 + 2:g} L {SAMPLE - inset:g} {ROW / 2 + 2:g}", DETAIL))
    return Entry(tuple(marks), name, f"{box.node.kind} {box.stub}".strip())


def _lines(layout: Layout) -> Iterator[Entry]:
    relations = {edge.relation for edge in layout.edges}
    up = layout.notation == "cae"
    if "supported_by" in relations:
        yield _line("supported_by", "supports" if up else "is supported by")
    if "in_context_of" in relations:
        yield _line("in_context_of", "is beside, and needed for" if up else "is in context of")
    if "challenges" in relations:
        yield _line("challenges", "challenges")
    if any(edge.further and not edge.back for edge in layout.edges):
        yield _line("supported_by", "a node that also hangs elsewhere", further=True)
    if any(edge.back for edge in layout.edges):
        yield _line("supported_by", "closes a circle, which is an error", further=True, back=True)


def _line(relation: Relation, text: str, *, further: bool = False, back: bool = False) -> Entry:
    edge = Edge("", "", relation, (), further, back)
    start, end = (0.0, ROW / 2), (SAMPLE, ROW / 2)
    tip = open_arrowhead(start, end) if relation == "challenges" else arrowhead(start, end)[0]
    length = SAMPLE if relation == "challenges" else SAMPLE - LONG
    stroke = Path(f"M 0 {ROW / 2:g} L {length:g} {ROW / 2:g}", edge_pen(edge))
    return Entry((stroke, Path(tip, tip_pen(edge))), text)


def _patterns(layout: Layout) -> Iterator[Entry]:
    nodes = [box.node for box in layout.boxes if not box.stub]
    middle = (SAMPLE / 2, (ROW - 14.0) / 2)
    diamond, triangle = polygon([(0, 0), (7, 7), (0, 14), (-7, 7)]), polygon([(0, 0), (7, 12), (-7, 12)])
    if any(node.undeveloped and not node.uninstantiated for node in nodes):
        yield Entry((Path(diamond, MARK, middle),), "not developed yet")
    if any(node.uninstantiated and not node.undeveloped for node in nodes):
        yield Entry((Path(triangle, MARK, middle),), "not instantiated yet")
    if any(node.uninstantiated and node.undeveloped for node in nodes):
        marks = (Path(diamond, MARK, middle), Path("M -7 7 L 7 7", MARK, middle))
        yield Entry(marks, "neither developed nor instantiated yet")
    many = {edge.multiplicity.strip().lower() in OPTIONAL for edge in layout.edges if edge.multiplicity}
    for optional, pen, text in ((False, SOLID, "so many of it"), (True, MARK, "optional")):
        if optional in many:
            yield Entry((Path(circle(SAMPLE / 2, ROW / 2, BALL), pen),), text)
    if layout.forks:
        yield Entry((Path(diamond, SOLID, middle),), "a choice")
    if any(node.by_contract for node in nodes):
        symbol = module_symbol(22.0, 14.0, contract=True)
        yield Entry((Path(symbol, MARK, (SAMPLE / 2 - 11.0, (ROW - 14.0) / 2)),), "to be supported by a contract")
    if any(node.public for node in nodes):
        yield Entry((Path(module_symbol(15.0, 11.0), MARK, (SAMPLE / 2 - 7.5, (ROW - 11.0) / 2)),), "public")
    if any(node.claim_points for node in nodes):
        yield Entry((Path(rectangle((SAMPLE - POINT) / 2, (ROW - POINT) / 2, POINT, POINT), SOLID),), "claim point")
    if any(node.defeated or node.defeated_relations for node in nodes):
        yield Entry((Path("M 6 6 L 28 18 M 28 6 L 6 18", STRIKE),), "defeated, or eliminated")


# Nodes, lines and frames as marks: shapes and words, standing, marks of patterns and modules.


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
        if box.node.public:
            x = (0.82 if words.shape in CENTRED else 1.0) * words.width - 25.0
            y = top_at(words.shape, words.width, words.height, x + 7.5)
            yield Path(module_symbol(15.0, 11.0), MARK, (x, y - 6.0))
        yield from _own_points(box)


def _own_points(box: Box) -> Iterator[Mark]:
    """Assurance claim points on the node itself: a solid square on its outline, with their names."""
    names = [name for name, point in box.node.claim_points.items() if not point.on or box.node.id in point.on]
    if names:
        shape, wide, high = box.words.shape, box.words.width, box.words.height
        said, x = visible(", ".join(names))[:MOST_NAMED], 0.16 * wide
        below = shape in CENTRED
        y = high - bottom_at(shape, wide, high, x) if below else top_at(shape, wide, high, x)
        yield Path(rectangle(x - POINT / 2, y - POINT / 2, POINT, POINT), SOLID)
        yield Text(x, y + 15.0, said, SMALL, "middle") if below else Text(x + POINT, y - 4.0, said, SMALL)


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
    else:
        yield Text(x, baseline, row.text, ROW_LETTERS[row.role], anchor)
        if row.role == "head" and anchor == "start" and box.words.word:
            yield from _standing(box, right, baseline)


def _standing(box: Box, right: float, baseline: float) -> Iterator[Mark]:
    """The sign stands to the right of the word, so that no font is too wide for it."""
    shown = standing_shown(box.words)
    yield Text(right - 15.0, baseline, box.words.word, word_letters(shown), "end")
    yield Path(SIGNS[str(box.words.standing)], sign_pen(shown), (right - 10.0, baseline - 9.0))


def _compartment(box: Box, row: Row, y: float, left: float) -> Iterator[Mark]:
    """The lower part, which names a module."""
    words = box.words
    inset = side_at(words.shape, words.width, words.height, y + 4.0)
    yield Path(f"M {inset[0]:.1f} 0 L {words.width - inset[1]:.1f} 0", DETAIL, (0.0, y + 4.0))
    if words.shape in CENTRED:
        left = (words.width - text_width(row.text, HEAD) * BOLD - 18.0) / 2
    yield Path(module_symbol(12.0, 9.0), MARK, (left, y + 10.0))
    yield Text(left + 18.0, y + 8.0 + HEAD * LEADING * 0.76, row.text, MODULE_NAME)


def _letter(box: Box, notation: Notation) -> Iterator[Mark]:
    """A or J at the lower right of an oval, below its line."""
    letter, size = LETTERS.get(word(box.node, notation).removeprefix("away ")), LETTER.size
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
    if node.by_contract:
        yield Path(module_symbol(22.0, FOOT - 3.0, contract=True), MARK, (at[0] - 11.0, top + 3.0))
    elif node.undeveloped:
        yield Path(polygon([(0, 0), (half, half), (0, FOOT), (-half, half)]), MARK, at)
        if node.uninstantiated:
            yield Path(f"M {-half:g} {half:g} L {half:g} {half:g}", MARK, at)
    else:
        yield Path(polygon([(0, 0), (half, 0.8 * FOOT), (-half, 0.8 * FOOT)]), MARK, at)


def _strike(width: float, height: float) -> str:
    return f"M 2 2 L {width - 2:.1f} {height - 2:.1f} M {width - 2:.1f} 2 L 2 {height - 2:.1f}"


def frame_group(frame: Frame) -> Group:
    """The frame of a module with its name, and as much of what it is about as there is room for."""
    name = shortened(visible(frame.name), 80)
    brief = shortened(visible(frame.brief), 400)
    start, room = text_width(name, TITLE) * BOLD + 2 * FRAME, frame.width - 2 * FRAME
    while brief and start + text_width(brief, NOTE) > room:
        brief = brief[:-2].rstrip("…") + "…" if len(brief) > 8 else ""
    marks: list[Mark] = [
        Path(rounded_box(frame.width, frame.height, 10.0), FRAME_LINE),
        Text(FRAME, 22.0, name, TITLE_LETTERS),
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
    marks += _on_relation(edge)
    title = f"{_name(edge.source, names)} {RELATIONS[edge.relation]} {_name(edge.target, names)}"
    if edge.on:
        title += f" -> {_name(edge.on, names)}"
    told = edge.further or edge.on or edge.defeated or edge.claim_points
    return Group(tuple(marks), title if told else "", classes="link")


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


def _on_relation(edge: Edge) -> Iterator[Mark]:
    """A solid square for claim points on a relation, a cross over one that is defeated."""
    if not (edge.claim_points or edge.defeated):
        return
    (x, y), (to_x, to_y) = edge.points[-2], edge.points[-1]
    length = math.dist((x, y), (to_x, to_y)) or 1.0
    level = abs(to_y - y) < abs(to_x - x)
    taken = LONG + 2 * BALL + 4.0 if edge.multiplicity else LONG

    def at(off: float) -> Point:
        share = min(off, length) / length
        return to_x - (to_x - x) * share, to_y - (to_y - y) * share

    if edge.claim_points:
        here = at(taken + POINT / 2 + 1.0)
        yield Path(rectangle(here[0] - POINT / 2, here[1] - POINT / 2, POINT, POINT), SOLID)
        said = visible(", ".join(edge.claim_points))[:MOST_NAMED]
        beside = (here[0], here[1] - POINT, "middle") if level else (here[0] + POINT, here[1] + 3.5, "start")
        yield Text(beside[0], beside[1], said, SMALL, cast(Anchor, beside[2]))
        taken += POINT + 3.0
    if edge.defeated:
        across, down = at(taken + CROSS + 1.0)
        arms = f"M {-CROSS:g} {-CROSS:g} L {CROSS:g} {CROSS:g} M {CROSS:g} {-CROSS:g} L {-CROSS:g} {CROSS:g}"
        yield Path(arms, CROSSED, (across, down))


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
ROW_LETTERS = {
    "head": Letters("head", HEAD, bold=True),
    "label": Letters("label", NOTE, "muted"),
    "says": Letters("says", TEXT),
    "note": Letters("note", NOTE, "muted"),
}
SMALL, TITLE_LETTERS = Letters("small", NOTE, "muted"), Letters("title", TITLE, bold=True)
LETTER, MODULE_NAME = Letters("letter", TEXT, bold=True), Letters("module-name", HEAD, "muted", bold=True)
MARK, SOLID = Pen("mark", "ink", "paper", 1.3), Pen("solid", "ink", "ink", 1.3)
DETAIL, FRAME_LINE = Pen("detail", "line-strong"), Pen("frame", "line-strong")
STRIKE, CROSSED = Pen("strike", "bad-strike", width=1.4), Pen("crossed", "bad", width=1.8)


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
