"""The marks of one node: its shape, its words, its standing and opinion, and the marks of patterns and modules."""

from __future__ import annotations

from collections.abc import Iterator

from surefoot.case.drawings.boxes import Box, Row
from surefoot.case.drawings.looks import SIGNS
from surefoot.case.drawings.metrics import BAR, BOLD, FOOT, HEAD, LEADING, NOTE, PADDING
from surefoot.case.drawings.outlines import CENTRED, insets, outline, polygon, rounded_box, side_at
from surefoot.case.drawings.scene import Anchor, Group, Mark, Path, Text
from surefoot.case.drawings.spoken import label, spoken
from surefoot.case.drawings.words import SIZES, row_height
from surefoot.case.evaluation import Assessed
from surefoot.case.notation import Notation, word
from surefoot.case.words import NOT_REFUTED
from surefoot.drawing import text_width
from surefoot.opinions import Opinion

LETTERS = {"assumption": "A", "justification": "J"}


def node_group(box: Box, notation: Notation, assessed: Assessed | None) -> Group:
    """Everything that is drawn for a node, relative to the upper left corner of its box."""
    standing = box.words.standing or ""
    checked = "unrefuted" if box.words.word == NOT_REFUTED else ""
    classes = " ".join(filter(None, (box.node.kind, standing, checked, box.stub)))
    return Group(
        tuple(_marks(box, notation)),
        f"node {classes}",
        label(box, notation),
        spoken(box, notation, assessed),
        box.id,
        (box.x, box.y),
    )


def _marks(box: Box, notation: Notation) -> Iterator[Mark]:
    words = box.words
    dashed = " dashes" if words.shape == "dashed" else ""
    yield Path(outline(words.shape, words.width, words.height), f"box{dashed}")
    if box.node.defeated:
        yield Path(_strike(words.width, words.height), "strike")
    yield from _words(box)
    if box.stub != "missing":
        yield from _letter(box, notation)
    if not box.stub:
        yield from _foot(box)
        if box.node.public and box.node.module:
            yield Path(_folder(15.0, 11.0), "mark", (words.width - 25.0, -6.0))


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
        yield Text(x, baseline, row.text, "note", anchor)
        if box.words.opinion is not None:
            yield from _bar(box.words.opinion, x, y + NOTE * LEADING + 2.5, right - left, anchor)
    else:
        yield Text(x, baseline, row.text, row.role, anchor)
        if row.role == "head" and anchor == "start" and box.words.word:
            yield from _standing(box, right, baseline)


def _standing(box: Box, right: float, baseline: float) -> Iterator[Mark]:
    """The sign stands to the right of the word, so that no font is too wide for it."""
    yield Text(right - 15.0, baseline, box.words.word, "word", "end")
    yield Path(SIGNS[str(box.words.standing)], "sign", (right - 10.0, baseline - 9.0))


def _bar(opinion: Opinion, x: float, y: float, width: float, anchor: Anchor) -> Iterator[Mark]:
    """Belief from the left, disbelief from the right, uncertainty between; a tick at the projected probability."""
    width = min(width, 150.0) if anchor == "start" else min(0.66 * width, 96.0)
    left = x if anchor == "start" else x - width / 2
    belief, disbelief = float(opinion.belief) * width, float(opinion.disbelief) * width
    yield Path(polygon(_rectangle(width)), "rest", (left, y))
    if belief >= 0.05:
        yield Path(polygon(_rectangle(belief)), "belief", (left, y))
    if disbelief >= 0.05:
        yield Path(polygon(_rectangle(disbelief)), "disbelief", (left + width - disbelief, y))
    yield Path(f"M 0 -2 L 0 {BAR + 2:g}", "tick", (left + float(opinion.probability) * width, y))


def _rectangle(width: float) -> list[tuple[float, float]]:
    return [(0, 0), (width, 0), (width, BAR), (0, BAR)]


def _compartment(box: Box, row: Row, y: float, left: float) -> Iterator[Mark]:
    """The lower part, which names a module."""
    words = box.words
    inset = side_at(words.shape, words.width, words.height, y + 4.0)
    yield Path(f"M {inset[0]:.1f} 0 L {words.width - inset[1]:.1f} 0", "detail", (0.0, y + 4.0))
    if words.shape in CENTRED:
        left = (words.width - text_width(row.text, HEAD) * BOLD - 18.0) / 2
    yield Path(_folder(12.0, 9.0), "mark", (left, y + 10.0))
    yield Text(left + 18.0, y + 8.0 + HEAD * LEADING * 0.76, row.text, "module-name")


def _letter(box: Box, notation: Notation) -> Iterator[Mark]:
    """A or J at the lower right of an oval."""
    letter = LETTERS.get(word(box.node, notation))
    if letter and box.words.shape == "oval":
        yield Text(box.words.width - 3.0, box.words.height - 1.0, letter, "letter", "end")


def _foot(box: Box) -> Iterator[Mark]:
    """A diamond for what is undeveloped, a triangle for what is not instantiated, a diamond with a line for both."""
    if not box.words.foot:
        return
    node, half, top = box.node, FOOT / 2, box.words.height
    at = (box.words.width / 2, top)
    if node.undeveloped:
        yield Path(polygon([(0, 0), (half, half), (0, FOOT), (-half, half)]), "mark", at)
        if node.uninstantiated:
            yield Path(f"M {-half:g} {half:g} L {half:g} {half:g}", "mark", at)
    else:
        yield Path(polygon([(0, 0), (half, 0.8 * FOOT), (-half, 0.8 * FOOT)]), "mark", at)


def _folder(width: float, height: float) -> str:
    tab = 0.3 * height
    return polygon([(0, 0), (0.45 * width, 0), (0.45 * width, tab), (width, tab), (width, height), (0, height)])


def _strike(width: float, height: float) -> str:
    return f"M 2 2 L {width - 2:.1f} {height - 2:.1f} M {width - 2:.1f} 2 L 2 {height - 2:.1f}"


def frame_outline(width: float, height: float) -> str:
    """The frame of a module."""
    return rounded_box(width, height, 10.0)
