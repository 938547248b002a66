"""Fonts of this machine for PDF and PNG: a sans-serif one first, then whichever has a letter the first ones lack.

DejaVu Sans comes with matplotlib, so that there is a font on a machine that has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from io import BytesIO
from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.font_manager import FontEntry

FAMILIES = ("Liberation Sans", "Arial", "Helvetica", "DejaVu Sans")
NARROWER = {"DejaVu Sans": 0.95}
"""Its letters are wider than those of the fonts that browsers take."""
UNITS = 1000.0
KEPT = {"GlyphOrder", "glyf", "loca", "hmtx", "hhea", "head", "maxp", "cvt ", "fpgm", "prep"}
"""Tables of a font that a PDF needs."""
BOXES = "Last Resort"
"""A font that has every letter, and shows most as boxes."""


@dataclass(frozen=True)
class Measures:
    """What a PDF says of a font, lengths in thousandths of its size."""

    name: str
    widths: list[float]
    """Of every glyph."""
    box: tuple[float, float, float, float]
    rise: float
    fall: float


@dataclass(frozen=True, eq=False)
class Face:
    """One font of a file, with what is asked of it."""

    path: str
    index: int
    scale: float

    @cached_property
    def glyphs(self) -> Mapping[int, int]:
        """Number of the glyph of every letter it has; empty where its glyphs cannot be taken over."""
        with self._opened() as font:
            if "glyf" not in font or (table := font.getBestCmap()) is None:
                return {}
            order = font.getReverseGlyphMap()
            return {letter: order[name] for letter, name in table.items()}

    @cached_property
    def measures(self) -> Measures:
        """Name and lengths."""
        with self._opened() as font:
            head, line, metrics = font["head"], font["hhea"], font["hmtx"].metrics
            unit = UNITS / head.unitsPerEm
            said = font["name"].getDebugName(6) or ""
            return Measures(
                "".join(letter for letter in said if letter.isascii() and letter.isalnum()) or "Font",
                [metrics[name][0] * unit for name in font.getGlyphOrder()],
                (head.xMin * unit, head.yMin * unit, head.xMax * unit, head.yMax * unit),
                line.ascent * unit,
                line.descent * unit,
            )

    def subset(self, glyphs: Iterable[int]) -> bytes:
        """A font file with only these glyphs, which keep their numbers."""
        from fontTools import subset

        options = subset.Options(retain_gids=True, notdef_outline=True, glyph_names=False, layout_features=[])
        content = BytesIO()
        with self._opened() as font:
            for table in {*font.keys()} - KEPT:
                del font[table]
            reduced = subset.Subsetter(options)
            reduced.populate(gids=sorted(glyphs))
            reduced.subset(font)
            font.save(content, reorderTables=None)
        return content.getvalue()

    def _opened(self) -> Any:
        from fontTools.ttLib import TTFont

        return TTFont(self.path, fontNumber=self.index, lazy=True, recalcTimestamp=False)


class Faces:
    """The fonts of one weight, with the letters that were asked for so far."""

    def __init__(self, *, bold: bool) -> None:
        self.weight = "bold" if bold else "normal"
        self.usual = list(_usual(self.weight))
        self._known: dict[str, Face] = {}

    def runs(self, text: str) -> Iterator[tuple[Face, str]]:
        """The text in pieces of one font each."""
        known = self._known
        if len({known.get(letter) or self._face(letter) for letter in text}) == 1:
            yield known[text[0]], text
            return
        for face, letters in groupby(text, key=known.__getitem__):
            yield face, "".join(letters)

    def has(self, letter: str) -> bool:
        """Whether any font has it."""
        return ord(letter) in self._face(letter).glyphs

    def _face(self, letter: str) -> Face:
        if letter not in self._known:
            every = (*self.usual, *_others())
            self._known[letter] = next((face for face in every if ord(letter) in face.glyphs), self.usual[0])
        return self._known[letter]


@cache
def faces(*, bold: bool) -> Faces:
    """The fonts of a weight, found once."""
    return Faces(bold=bold)


def undrawable(text: str) -> str:
    """Letters of a text that no font here has, so that PDF and PNG show a box in their place.

    Parameters
    ----------
    text
        Any.

    Returns
    -------
    str
        Each of them once.

    Examples
    --------
    >>> undrawable("plain text")
    ''

    """
    wanted = {letter for letter in text if not letter.isascii() and not letter.isspace()}
    return "".join(sorted(letter for letter in wanted if not faces(bold=False).has(letter)))


def _usual(weight: str) -> Iterator[Face]:
    from matplotlib import font_manager

    for family in FAMILIES:
        with suppress(ValueError):
            wanted = font_manager.FontProperties(family=[family], weight=weight)
            path = font_manager.findfont(wanted, fallback_to_default=False)
            yield Face(str(path), getattr(path, "face_index", 0), NARROWER.get(family, 1.0))


@cache
def _others() -> tuple[Face, ...]:
    """Every other upright font of this machine, plain ones first."""
    from matplotlib import font_manager

    def order(entry: FontEntry) -> tuple[bool, bool, str]:
        return "sans" not in entry.name.lower(), str(entry.weight) not in ("400", "normal"), entry.fname

    upright = [
        entry for entry in font_manager.fontManager.ttflist if entry.style == "normal" and BOXES not in entry.name
    ]
    return tuple(Face(entry.fname, getattr(entry, "index", 0), 1.0) for entry in sorted(upright, key=order))
