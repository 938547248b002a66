"""Colours of classes of risk, from light to dark so that they differ without colour too, and how risky an item is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from surefoot.drawing import INK, text_width
from surefoot.faulttree.drawing.marks import oval
from surefoot.faulttree.drawing.scene import Ink, Mark, Text
from surefoot.hazards.worksheet.matrix import RiskMatrix
from surefoot.hazards.worksheet.progress import risk_class

if TYPE_CHECKING:
    from surefoot.hazards.worksheet.hazop import Hazop

RAMP = ((228, 238, 246), (241, 196, 98), (217, 122, 30), (116, 22, 22))
UNRATED = "#ffffff"
BADGE, LETTERS = 12.0, 8.5
_DARK = 120.0


@dataclass(frozen=True)
class Badge:
    """How many rows an item has, and the worst class of risk among them; empty where none is rated."""

    rows: int
    risk: str

    @property
    def text(self) -> str:
        """What is written in it."""
        return f"{self.rows:,}"


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


def colour(matrix: RiskMatrix, risk: str) -> str:
    """Of a class of risk, between the ends of the ramp."""
    if not risk:
        return UNRATED
    return "#{:02x}{:02x}{:02x}".format(*_shade(matrix, risk))


def letters_on(matrix: RiskMatrix, risk: str) -> str:
    """The colour in which letters are legible on that of a class."""
    red, green, blue = _shade(matrix, risk) if risk else (255, 255, 255)
    return "#ffffff" if 0.299 * red + 0.587 * green + 0.114 * blue < _DARK else INK


def badge_marks(text: str, risk: str, matrix: RiskMatrix, x: float, y: float) -> list[Mark]:
    """A few letters around a point, in the colour of a class."""
    width = badge_width(text)
    ink = Ink("#55616e", colour(matrix, risk), 0.8, dashed=not risk)
    words = Text(x, y + LETTERS * 0.36, text, LETTERS, colour=letters_on(matrix, risk), bold=True)
    return [oval(x - width / 2, y - BADGE / 2, width, BADGE, ink), words]


def badge_width(text: str) -> float:
    """Room that the letters take."""
    return max(16.0, text_width(text, LETTERS) + 10.0)


def _shade(matrix: RiskMatrix, risk: str) -> tuple[int, int, int]:
    steps = len(matrix.order) - 1
    at = matrix.order.index(risk) / steps * (len(RAMP) - 1) if steps else 0.0
    low = min(int(at), len(RAMP) - 2)
    share = at - low
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(RAMP[low], RAMP[low + 1], strict=True))
    return red, green, blue
