"""What the shapes, lines and signs of a picture mean: only those that stand in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from surefoot.case.drawings.boxes import Box, Layout, Shape
from surefoot.case.drawings.lines import BALL, CHALLENGE_TIP, LONG, OPTIONAL, open_tip
from surefoot.case.drawings.looks import SIGNS
from surefoot.case.drawings.metrics import BAR, NOTE
from surefoot.case.drawings.outlines import outline, polygon
from surefoot.case.drawings.scene import Group, Mark, Path, Text, circle
from surefoot.case.drawings.spoken import kind
from surefoot.case.node import KINDS
from surefoot.drawing import text_width

ROW, SAMPLE, HIGH, BETWEEN = 24.0, 34.0, 15.0, 20.0


@dataclass(frozen=True, slots=True)
class Entry:
    """A sample, drawn in a field of its own, and its meaning."""

    marks: tuple[Mark, ...]
    text: str
    classes: str = ""

    @property
    def width(self) -> float:
        """Of sample and words."""
        return SAMPLE + 7.0 + text_width(self.text, NOTE)


def legend(layout: Layout, left: float, top: float, width: float) -> tuple[list[Group], float]:
    """Entries side by side in as many lines as they need, and the lower end."""
    groups: list[Group] = []
    x, y = left, top
    for entry in _entries(layout):
        if x > left and x + entry.width > left + width:
            x, y = left, y + ROW
        words = Text(SAMPLE + 7.0, ROW / 2 + NOTE * 0.35, entry.text, "small")
        groups.append(Group((*entry.marks, words), f"legend {entry.classes}".strip(), at=(x, y)))
        x += entry.width + BETWEEN
    return groups, y + ROW + 8.0


def _entries(layout: Layout) -> Iterator[Entry]:
    yield from _shapes(layout)
    yield from _lines(layout)
    yield from _patterns(layout)
    standings = {box.words.standing for box in layout.boxes}
    for standing, sign in SIGNS.items():
        if standing in standings:
            yield Entry((Path(sign, "sign", (SAMPLE - 16.0, 7.0)),), standing, standing)
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
    shape: Shape = box.words.shape
    round_ = name == "solution" or shape == "circle"
    wide = HIGH if round_ else SAMPLE - 4.0
    times = 4 if shape in ("rounded", "dashed") else 2
    large = outline("circle" if round_ else shape, times * wide, times * HIGH)
    small = " ".join(f"{float(step) / times:g}" if step not in "MLCZ" else step for step in large.split())
    dashed = " dashes" if shape == "dashed" else ""
    marks: list[Mark] = [Path(small, f"box{dashed}", ((SAMPLE - wide) / 2, (ROW - HIGH) / 2))]
    if name in ("assumption", "justification"):
        marks.append(Text(SAMPLE / 2, ROW / 2 + 3.5, name[0].upper(), "small", "middle"))
    return Entry(tuple(marks), name, f"{box.node.kind} {box.stub}".strip())


def _lines(layout: Layout) -> Iterator[Entry]:
    relations = {edge.relation for edge in layout.edges}
    up = layout.notation == "cae"
    if "supported_by" in relations:
        yield Entry((_stroke("edge"), _head("tip")), "supports" if up else "is supported by")
    if "in_context_of" in relations:
        yield Entry((_stroke("edge"), _head("tip hollow")), "is beside, and needed for" if up else "is in context of")
    if "challenges" in relations:
        tip = Path(open_tip((0, 0), (SAMPLE, 0)), f"tip {CHALLENGE_TIP}", (0.0, ROW / 2))
        yield Entry((_stroke("edge challenges", SAMPLE), tip), "challenges")
    if any(edge.further and not edge.back for edge in layout.edges):
        yield Entry((_stroke("edge further"), _head("tip further-tip")), "a node that also hangs elsewhere")
    if any(edge.back for edge in layout.edges):
        yield Entry((_stroke("edge further back"), _head("tip further-tip")), "closes a circle, which is an error")


def _stroke(role: str, length: float = SAMPLE - LONG) -> Path:
    return Path(f"M 0 0 L {length:g} 0", role, (0.0, ROW / 2))


def _head(role: str) -> Path:
    return Path(polygon([(SAMPLE, 0), (SAMPLE - LONG, 3.8), (SAMPLE - LONG, -3.8)]), role, (0.0, ROW / 2))


def _patterns(layout: Layout) -> Iterator[Entry]:
    nodes = [box.node for box in layout.boxes if not box.stub]
    middle = (SAMPLE / 2, (ROW - 14.0) / 2)
    diamond, triangle = polygon([(0, 0), (7, 7), (0, 14), (-7, 7)]), polygon([(0, 0), (7, 12), (-7, 12)])
    if any(node.undeveloped and not node.uninstantiated for node in nodes):
        yield Entry((Path(diamond, "mark", middle),), "not developed yet")
    if any(node.uninstantiated and not node.undeveloped for node in nodes):
        yield Entry((Path(triangle, "mark", middle),), "not instantiated yet")
    if any(node.uninstantiated and node.undeveloped for node in nodes):
        marks = (Path(diamond, "mark", middle), Path("M -7 7 L 7 7", "mark", middle))
        yield Entry(marks, "neither developed nor instantiated yet")
    many = {edge.multiplicity.strip().lower() in OPTIONAL for edge in layout.edges if edge.multiplicity}
    if False in many:
        yield Entry((Path(circle(SAMPLE / 2, ROW / 2, BALL), "solid"),), "so many of it")
    if True in many:
        yield Entry((Path(circle(SAMPLE / 2, ROW / 2, BALL), "mark"),), "optional")
    if layout.forks:
        yield Entry((Path(diamond, "solid", middle),), "a choice")
    if any(node.defeated for node in nodes):
        yield Entry((Path("M 6 6 L 28 18 M 28 6 L 6 18", "strike"),), "defeated, or eliminated")


def _bar() -> Entry:
    wide, y = SAMPLE, (ROW - BAR) / 2
    shares = ((0.0, wide, "rest"), (0.0, 0.6 * wide, "belief"), (0.85 * wide, 0.15 * wide, "disbelief"))
    bars = tuple(Path(polygon([(0, 0), (w, 0), (w, BAR), (0, BAR)]), role, (x, y)) for x, w, role in shares)
    tick = Path(f"M 0 -2 L 0 {BAR + 2:g}", "tick", (0.72 * wide, y))
    return Entry((*bars, tick), "belief, uncertainty u, disbelief; tick at the probability P")
