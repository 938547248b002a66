"""The risk matrix of a worksheet with the rows in each of its cells, and the colours of its classes of risk.

Colours go from light to dark, so that classes differ without colour too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from surefoot.core import validate
from surefoot.drawing.files import svg
from surefoot.drawing.scene import Group, Letters, Mark, Path, Pen, Scene, Text, Theme
from surefoot.drawing.shapes import pill, rectangle
from surefoot.drawing.text import LEADING, text_width, wrapped
from surefoot.hazards.completeness import risk_class
from surefoot.hazards.worksheet import RiskMatrix

if TYPE_CHECKING:
    from surefoot.hazards.worksheet import Hazop

MAIN, NOTE = 11.0, 9.5
"""Sizes of letters."""
SCALE, QUIET = Letters("scale", MAIN, bold=True), Letters("note", NOTE, "muted")
QUIET_SCALE = Letters("quiet", MAIN, "muted")
WIDE, TALL, MARGIN = 118.0, 62.0, 14.0
HEAD = 40.0
"""Above the cells: name and words of the scale of severity."""
COUNT = 17.0
MOST_SHOWN = 3
Rows = dict[tuple[str, str], list[str]]
RAMP = ((228, 238, 246), (241, 196, 98), (217, 122, 30), (116, 22, 22))
UNRATED, DARK_INK = "#ffffff", "#17212b"
BADGE, LETTERS = 12.0, 8.5
_DARK = 120.0


def draw_matrix(hazop: Hazop, *, width: float = 760.0, theme: Theme = "light") -> str:
    """The risk matrix with the rows in its cells as one ``<svg>`` element.

    Parameters
    ----------
    hazop, width
        As for ``matrix_scene``.
    theme
        ``light`` or ``dark``.

    Returns
    -------
    str
        SVG without ids and styles.

    Examples
    --------
    >>> from surefoot.hazards import start
    >>> draw_matrix(start("vehicle"))[:4]
    '<svg'

    """
    return svg(matrix_scene(hazop, width=width), theme=theme)


def matrix_scene(hazop: Hazop, *, width: float = 760.0) -> Scene:
    """The risk matrix: class, number of rows and the first of them in each cell.

    Parameters
    ----------
    hazop
        The worksheet.
    width
        The most it may take, in CSS pixels.

    Returns
    -------
    Scene
        For ``surefoot.drawing.save`` to write.

    Examples
    --------
    >>> from surefoot.hazards import start
    >>> matrix_scene(start("vehicle")).title
    'Risk matrix of vehicle'

    """
    validate.positive(width, where="draw_matrix", name="width")
    return _scene(hazop, _rows(hazop), width)


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
    heights = (bottom + 8.0 + (place + 0.8) * NOTE * LEADING for place in range(len(lines)))
    groups.append(Group(tuple(Text(MARGIN, y, line, QUIET) for y, line in zip(heights, lines, strict=True))))
    height = bottom + 8.0 + len(lines) * NOTE * LEADING + MARGIN
    return Scene(tuple(groups), full, height, f"Risk matrix of {hazop.name}", note, min(full, width))


def _scales(hazop: Hazop, left: float, top: float) -> Iterator[Mark]:
    matrix = hazop.matrix
    yield Text(left + len(matrix.severities) * WIDE / 2, top - 26.0, "severity →", QUIET_SCALE, "middle")
    yield Text(left - 8.0, top - 8.0, "likelihood ↑", QUIET_SCALE, "end")
    for place, word in enumerate(matrix.severities):
        line = wrapped(word, WIDE - 8.0, MAIN, most=1)[0]
        yield Text(left + (place + 0.5) * WIDE, top - 8.0, line, SCALE, "middle")
    for place, word in enumerate(reversed(matrix.likelihoods)):
        line = wrapped(word, left - MARGIN - 8.0, MAIN, most=1)[0]
        yield Text(left - 8.0, top + (place + 0.5) * TALL + MAIN * 0.35, line, SCALE, "end")


def _cells(hazop: Hazop, rows: Rows, left: float, top: float) -> Iterator[Group]:
    matrix = hazop.matrix
    for down, likelihood in enumerate(reversed(matrix.likelihoods)):
        for across, severity in enumerate(matrix.severities):
            risk, names = matrix.risk(severity, likelihood), rows.get((severity, likelihood), [])
            x, y = left + across * WIDE, top + down * TALL
            box = Path(rectangle(x, y, WIDE, TALL), Pen("cell", "paper", colour(matrix, risk), 2.0))
            words = _words(risk, names, letters_on(matrix, risk), x + WIDE / 2, y)
            title = f"{severity}, {likelihood}: {risk}, {len(names):,} row{'' if len(names) == 1 else 's'}"
            yield Group((box, *words), f"{title}: {', '.join(names)}" if names else title)


def colour(matrix: RiskMatrix, risk: str) -> str:
    """Of a class of risk, between the ends of the ramp."""
    if not risk:
        return UNRATED
    return "#{:02x}{:02x}{:02x}".format(*_shade(matrix, risk))


def _shade(matrix: RiskMatrix, risk: str) -> tuple[int, int, int]:
    steps = len(matrix.order) - 1
    at = matrix.order.index(risk) / steps * (len(RAMP) - 1) if steps else 0.0
    low = min(int(at), len(RAMP) - 2)
    share = at - low
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(RAMP[low], RAMP[low + 1], strict=True))
    return red, green, blue


def _words(risk: str, names: list[str], ink: str, x: float, y: float) -> Iterator[Mark]:
    """The class above; below it the count, and the first rows."""
    small = Letters("rows", NOTE, ink)
    yield Text(x, y + 15.0, wrapped(risk, WIDE - 8.0, NOTE, most=1)[0], small, "middle")
    if names:
        yield Text(x, y + 36.0, f"{len(names):,}", Letters("count", COUNT, ink, bold=True), "middle")
        more = ", …" if len(names) > MOST_SHOWN else ""
        shown = wrapped(", ".join(names[:MOST_SHOWN]) + more, WIDE - 8.0, NOTE, most=1)
        yield Text(x, y + 52.0, shown[0], small, "middle")


def letters_on(matrix: RiskMatrix, risk: str) -> str:
    """The colour in which letters are legible on that of a class."""
    red, green, blue = _shade(matrix, risk) if risk else (255, 255, 255)
    return "#ffffff" if 0.299 * red + 0.587 * green + 0.114 * blue < _DARK else DARK_INK


def _rows(hazop: Hazop) -> Rows:
    """Ids of the rows with each severity and likelihood."""
    found: Rows = {}
    for row in hazop.rows:
        if hazop.matrix.knows(row.severity, row.likelihood):
            found.setdefault((row.severity, row.likelihood), []).append(row.id)
    return found


# Badges: how many rows an item has, in the colour of their worst risk.


def badges(hazop: Hazop) -> dict[str, Badge]:
    """The badge of each item that somebody worked on."""
    rank = {name: place for place, name in enumerate(("", *hazop.matrix.order))}
    found: dict[str, Badge] = {}
    for row in hazop.rows:
        if not row.blank:
            earlier = found.get(row.item, Badge(0, ""))
            worst = max(earlier.risk, risk_class(hazop, row), key=rank.__getitem__)
            found[row.item] = Badge(earlier.rows + 1, worst)
    return found


@dataclass(frozen=True)
class Badge:
    """How many rows an item has, and the worst class of risk among them; empty where none is rated."""

    rows: int
    risk: str

    @property
    def text(self) -> str:
        """What is written in it."""
        return f"{self.rows:,}"


def badge_marks(text: str, risk: str, matrix: RiskMatrix, x: float, y: float) -> list[Mark]:
    """A few letters around a point, in the colour of a class."""
    width = badge_width(text)
    pen = Pen("badge", "#55616e", colour(matrix, risk), 0.8, dashed=not risk)
    letters = Letters("count", LETTERS, letters_on(matrix, risk), bold=True)
    words = Text(x, y + LETTERS * 0.36, text, letters, "middle")
    return [Path(pill(x - width / 2, y - BADGE / 2, width, BADGE), pen), words]


def badge_width(text: str) -> float:
    """Room that the letters take."""
    return max(16.0, text_width(text, LETTERS) + 10.0)
