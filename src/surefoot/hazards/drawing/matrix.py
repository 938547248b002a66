"""The risk matrix of a worksheet, with the rows in each of its cells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surefoot.core import validate
from surefoot.drawing import text_width, wrapped
from surefoot.faulttree.drawing.marks import rectangle
from surefoot.faulttree.drawing.metrics import LEADING, MAIN, NOTE
from surefoot.faulttree.drawing.scene import MUTED, Group, Ink, Mark, Scene, Text
from surefoot.faulttree.drawing.svg import svg
from surefoot.hazards.drawing.risks import colour, letters_on

if TYPE_CHECKING:
    from surefoot.hazards.worksheet.hazop import Hazop

WIDE, TALL, MARGIN = 118.0, 62.0, 14.0
HEAD = 40.0
"""Above the cells: name and words of the scale of severity."""
COUNT = 17.0
MOST_SHOWN = 3
EDGE = "#ffffff"

Rows = dict[tuple[str, str], list[str]]


def draw_matrix(hazop: Hazop, *, width: float = 760.0) -> str:
    """The matrix as one ``<svg>`` element: class, number of rows and the first of them in each cell."""
    validate.positive(width, where="draw_matrix", name="width")
    return svg(_scene(hazop, _rows(hazop), width))


def _rows(hazop: Hazop) -> Rows:
    """Ids of the rows with each severity and likelihood."""
    found: Rows = {}
    for row in hazop.rows:
        if hazop.matrix.knows(row.severity, row.likelihood):
            found.setdefault((row.severity, row.likelihood), []).append(row.id)
    return found


def _scene(hazop: Hazop, rows: Rows, width: float) -> Scene:
    matrix = hazop.matrix
    side = max(text_width(word, MAIN) for word in ("likelihood ↑", *matrix.likelihoods)) + 12.0
    left, top = MARGIN + min(side, 160.0), MARGIN + HEAD
    full = left + len(matrix.severities) * WIDE + MARGIN
    bottom = top + len(matrix.likelihoods) * TALL
    rated = sum(map(len, rows.values()))
    note = f"{rated:,} of {len(hazop.rows):,} rows have a severity and a likelihood."
    below = f"{note} Scales and classes: {matrix.source}." if matrix.source else note
    lines = wrapped(below, full - 2 * MARGIN, NOTE, most=3)
    groups = [Group(tuple(_scales(hazop, left, top))), *_cells(hazop, rows, left, top)]
    groups.append(Group(tuple(_note(lines, bottom + 8.0))))
    height = bottom + 8.0 + len(lines) * NOTE * LEADING + MARGIN
    return Scene(tuple(groups), full, height, f"Risk matrix of {hazop.name}", note, min(full, width))


def _scales(hazop: Hazop, left: float, top: float) -> Iterator[Mark]:
    matrix = hazop.matrix
    yield Text(left + len(matrix.severities) * WIDE / 2, top - 26.0, "severity →", MAIN, colour=MUTED)
    yield Text(left - 8.0, top - 8.0, "likelihood ↑", MAIN, "end", MUTED)
    for place, word in enumerate(matrix.severities):
        line = wrapped(word, WIDE - 8.0, MAIN, most=1)[0]
        yield Text(left + (place + 0.5) * WIDE, top - 8.0, line, MAIN, bold=True)
    for place, word in enumerate(reversed(matrix.likelihoods)):
        line = wrapped(word, left - MARGIN - 8.0, MAIN, most=1)[0]
        yield Text(left - 8.0, top + (place + 0.5) * TALL + MAIN * 0.35, line, MAIN, "end", bold=True)


def _cells(hazop: Hazop, rows: Rows, left: float, top: float) -> Iterator[Group]:
    matrix = hazop.matrix
    for down, likelihood in enumerate(reversed(matrix.likelihoods)):
        for across, severity in enumerate(matrix.severities):
            risk, names = matrix.risk(severity, likelihood), rows.get((severity, likelihood), [])
            x, y = left + across * WIDE, top + down * TALL
            box = rectangle(x, y, WIDE, TALL, Ink(EDGE, colour(matrix, risk), 2.0))
            words = _words(risk, names, letters_on(matrix, risk), x + WIDE / 2, y)
            title = f"{severity}, {likelihood}: {risk}, {len(names):,} row{'' if len(names) == 1 else 's'}"
            yield Group((box, *words), f"{title}: {', '.join(names)}" if names else title)


def _words(risk: str, names: list[str], ink: str, x: float, y: float) -> Iterator[Mark]:
    """The class above; below it the count, and the first rows."""
    yield Text(x, y + 15.0, wrapped(risk, WIDE - 8.0, NOTE, most=1)[0], NOTE, colour=ink)
    if names:
        yield Text(x, y + 36.0, f"{len(names):,}", COUNT, colour=ink, bold=True)
        more = ", …" if len(names) > MOST_SHOWN else ""
        shown = wrapped(", ".join(names[:MOST_SHOWN]) + more, WIDE - 8.0, NOTE, most=1)
        yield Text(x, y + 52.0, shown[0], NOTE, colour=ink)


def _note(lines: list[str], top: float) -> Iterator[Mark]:
    for place, line in enumerate(lines):
        yield Text(MARGIN, top + (place + 0.8) * NOTE * LEADING, line, NOTE, "start", MUTED)
