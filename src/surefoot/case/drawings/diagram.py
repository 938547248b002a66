"""A case as a picture, in CAE or GSN: nodes, relations, frames of modules and a legend, as SVG, PDF and PNG."""

from __future__ import annotations

from collections.abc import Iterator

from surefoot import drawing
from surefoot.case.drawings import marks as pens
from surefoot.case.drawings.layout import lay_out
from surefoot.case.drawings.marks import BALL, OPTIONAL, edge_groups, fork_group, frame_group, node_group
from surefoot.case.drawings.nodes import BAR, MARGIN, Box, Edge, Layout, Relation, kind
from surefoot.case.evaluation import Evaluation
from surefoot.case.model import KINDS, Case, Notation, word
from surefoot.documents import hyphenated, visible
from surefoot.drawing.legend import ROW, Entry, legend
from surefoot.drawing.scene import Mark, Path, Pen, Scene, Text
from surefoot.drawing.shapes import LONG, arrowhead, circle, moved, open_arrowhead, outline, polygon, rectangle
from surefoot.drawing.theme import Theme

NARROWEST = 420.0
"""A drawing with a legend is at least so wide."""
SAMPLE, HIGH = 34.0, 15.0


def svg(
    case: Case,
    *,
    evaluation: Evaluation | None = None,
    notation: Notation | None = None,
    tag: str | None = None,
    prefix: str = "case",
    theme: Theme = "auto",
    legend: bool = True,
) -> str:
    """The case as one ``<svg>`` element, in its own notation unless another is asked for.

    Each node is a group with ``data-node`` and its full text as title. Give drawings of one page different prefixes:
    ids begin with them. Colours follow the setting of the reader, unless a ``theme`` is asked for. With a ``tag`` only
    nodes that carry it are drawn, and those above them.
    """
    scene = picture(case, evaluation=evaluation, notation=notation, tag=tag, explained=legend)
    return drawing.svg(scene, theme=theme, prefix=prefix)


def pdf(
    case: Case,
    *,
    evaluation: Evaluation | None = None,
    notation: Notation | None = None,
    tag: str | None = None,
    theme: Theme = "print",
    legend: bool = True,
) -> bytes:
    """The case as PDF with its words as text, on one page as large as it needs; the same bytes for the same case."""
    scene = picture(case, evaluation=evaluation, notation=notation, tag=tag, explained=legend)
    return drawing.pdf(scene, theme=theme)


def png(
    case: Case,
    *,
    evaluation: Evaluation | None = None,
    notation: Notation | None = None,
    tag: str | None = None,
    theme: Theme = "print",
    legend: bool = True,
) -> bytes:
    """The case as PNG; a very large one is made coarser."""
    scene = picture(case, evaluation=evaluation, notation=notation, tag=tag, explained=legend)
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
    explained: bool = True,
) -> Scene:
    """The whole picture; ``explained`` adds a legend of what stands in it."""
    layout = lay_out(case, notation=notation or case.notation, evaluation=evaluation, tag=tag)
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
        entries, height = legend(_meanings(layout), pens.SMALL, **room)
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
    for standing, sign in pens.SIGNS.items():
        if standing in standings:
            yield Entry((Path(sign, pens.sign_pen(standing), (SAMPLE - 16.0, 7.0)),), hyphenated(standing), standing)
    if any(box.words.opinion is not None for box in layout.boxes):
        yield _bar()


def _shapes(layout: Layout) -> Iterator[Entry]:
    seen: set[str] = set()
    for box in sorted(layout.boxes, key=lambda each: (bool(each.stub), KINDS.index(each.node.kind))):
        name = "node of another module" if box.stub == "away" else kind(box, layout.notation)
        if name not in seen:
            seen.add(name)
            yield _shape(box, name)


def _shape(box: Box, name: str) -> Entry:
    shape = box.words.shape
    round_ = name == "solution" or shape == "circle"
    wide = HIGH if round_ else SAMPLE - 4.0
    times = 4 if shape in ("rounded", "dashed") else 2
    large = outline("circle" if round_ else shape, times * wide, times * HIGH)
    pen = pens.box_pen(box.node.kind, dashed=shape == "dashed" or box.stub == "missing")
    marks: list[Mark] = [Path(moved(large, (SAMPLE - wide) / 2, (ROW - HIGH) / 2, 1 / times), pen)]
    if name in ("assumption", "justification"):
        marks.append(Text(SAMPLE / 2, ROW / 2 + 3.5, name[0].upper(), pens.SMALL, "middle"))
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
    stroke = Path(f"M 0 {ROW / 2:g} L {length:g} {ROW / 2:g}", pens.edge_pen(edge))
    return Entry((stroke, Path(tip, pens.tip_pen(edge))), text)


def _patterns(layout: Layout) -> Iterator[Entry]:
    nodes = [box.node for box in layout.boxes if not box.stub]
    middle = (SAMPLE / 2, (ROW - 14.0) / 2)
    diamond, triangle = polygon([(0, 0), (7, 7), (0, 14), (-7, 7)]), polygon([(0, 0), (7, 12), (-7, 12)])
    if any(node.undeveloped and not node.uninstantiated for node in nodes):
        yield Entry((Path(diamond, pens.MARK, middle),), "not developed yet")
    if any(node.uninstantiated and not node.undeveloped for node in nodes):
        yield Entry((Path(triangle, pens.MARK, middle),), "not instantiated yet")
    if any(node.uninstantiated and node.undeveloped for node in nodes):
        marks = (Path(diamond, pens.MARK, middle), Path("M -7 7 L 7 7", pens.MARK, middle))
        yield Entry(marks, "neither developed nor instantiated yet")
    many = {edge.multiplicity.strip().lower() in OPTIONAL for edge in layout.edges if edge.multiplicity}
    for optional, pen, text in ((False, pens.SOLID, "so many of it"), (True, pens.MARK, "optional")):
        if optional in many:
            yield Entry((Path(circle(SAMPLE / 2, ROW / 2, BALL), pen),), text)
    if layout.forks:
        yield Entry((Path(diamond, pens.SOLID, middle),), "a choice")
    if any(node.defeated for node in nodes):
        yield Entry((Path("M 6 6 L 28 18 M 28 6 L 6 18", pens.STRIKE),), "defeated, or eliminated")


def _bar() -> Entry:
    y = (ROW - BAR) / 2
    shares: tuple[tuple[float, float, Pen], ...] = (
        (0.0, SAMPLE, pens.REST),
        (0.0, 0.6 * SAMPLE, pens.BELIEF),
        (0.85 * SAMPLE, 0.15 * SAMPLE, pens.DISBELIEF),
    )
    bars = tuple(Path(rectangle(x, y, wide, BAR), pen) for x, wide, pen in shares)
    tick = Path(f"M {0.72 * SAMPLE:g} {y - 2:g} L {0.72 * SAMPLE:g} {y + BAR + 2:g}", pens.TICK)
    return Entry((*bars, tick), "belief, uncertainty u, disbelief; tick at the probability P")
