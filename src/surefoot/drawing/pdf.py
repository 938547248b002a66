"""A scene as PDF on one page: lines and areas as such, words as text to be searched, in fonts of this machine.

DejaVu Sans comes with matplotlib, so that there is a font on a machine that has none.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from io import BytesIO
from itertools import groupby
from typing import TYPE_CHECKING, Any

from surefoot.core import validate
from surefoot.documents import shortened, visible
from surefoot.drawing.scene import DASHES, SHEET, Group, Mark, Path, Pen, Scene, Text, Theme, colour, fixed
from surefoot.drawing.shapes import short

if TYPE_CHECKING:
    from matplotlib.font_manager import FontEntry


LONGEST = 14_400.0
"""Readers of PDF show no page longer than this, in points; a larger scene is drawn smaller."""
TITLE_LENGTH = 200
OPERATORS = {"M": ("m", 2), "L": ("l", 2), "C": ("c", 6), "Z": ("h", 0)}
LAP = 1.0
"""How far a piece of a line reaches into what was drawn of it already, so that no seam shows."""
MOST_MAPPED = 100
"""So many letters may stand in one block of a table that maps glyphs to letters."""
Place = tuple[str, str]
Span = tuple[float, float]


@validate.arguments
def pdf(scene: Scene, *, theme: Theme = "print") -> bytes:
    """A scene as one page as large as it, a point for each pixel; words can be searched and copied.

    Parameters
    ----------
    scene
        What is drawn.
    theme
        Its colours.

    Returns
    -------
    bytes
        The content of a file, the same for the same scene and fonts.

    Examples
    --------
    >>> import surefoot as sf
    >>> pdf(sf.drawing.Scene((), 100.0, 50.0, "Nothing", ""))[:8]
    b'%PDF-1.7'

    """
    scale = min(1.0, LONGEST / max(scene.width, scene.height))
    page = _Page(fixed(theme))
    content = page.content(scene, scale)
    size = f"{scene.width * scale:.2f} {scene.height * scale:.2f}"
    fonts = [part for face, number in page.fonts.items() for part in _font(face, page.used[face], _first(number))]
    names = " ".join(f"/F{number} {_first(number)} 0 R" for number in page.fonts.values())
    return _file(
        b"<</Type/Catalog/Pages 2 0 R/ViewerPreferences<</DisplayDocTitle true>>>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 {size}]/Resources<</Font<<{names}>>>>/Contents 4 0 R>>".encode(),
        _stream(content),
        f"<</Title{_words(shortened(visible(scene.title), TITLE_LENGTH))}>>".encode(),
        *fonts,
    )


class _Page:
    """Writes the content of a page and knows which letters of which fonts it has used."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self.fonts: dict[Face, int] = {}
        self.used: dict[Face, dict[str, int]] = {}
        self._looks: dict[Pen, tuple[str, str]] = {}
        self._ways: dict[str, str] = {}
        self._lines = _Lines()

    def content(self, scene: Scene, scale: float) -> bytes:
        """Everything on the page; places count downwards, as in the scene."""
        edges = f"M 0 0 H {short(scene.width)} V {short(scene.height)} H 0 Z"
        marks = [self._mark(Path(edges, SHEET)), *(part for group in scene.groups for part in self._group(group))]
        return "\n".join([f"{scale:.6f} 0 0 {-scale:.6f} 0 {scene.height * scale:.2f} cm", *marks]).encode("ascii")

    def _group(self, group: Group) -> Iterator[str]:
        first = group.marks[0] if group.marks and group.at == (0.0, 0.0) else None
        link = isinstance(first, Path) and first.pen.fill == "none"
        if not link:
            self._lines.forget()
        yield f"q 1 0 0 1 {short(group.at[0])} {short(group.at[1])} cm"
        yield from filter(None, (self._mark(mark, link=link) for mark in group.marks))
        yield "Q"

    def _mark(self, mark: Mark, *, link: bool = False) -> str:
        """What draws a mark; of a line of a link only what was not drawn yet."""
        if isinstance(mark, Text):
            return " ".join(self._text(mark))
        placed, steps = mark.at != (0.0, 0.0), mark.steps
        if link and not placed and mark.pen.fill == "none" and not mark.pen.dashed:
            steps = self._lines.rest(mark.pen, steps)
        if not steps:
            return ""
        look, paint = self._pen(mark.pen)
        drawn = f"{look} {self._way(steps)} {paint}"
        return f"q 1 0 0 1 {short(mark.at[0])} {short(mark.at[1])} cm {drawn} Q" if placed else drawn

    def _pen(self, pen: Pen) -> tuple[str, str]:
        """How a path is painted, and the operator that does it."""
        if pen not in self._looks:
            filled, drawn = pen.fill != "none", pen.stroke != "none"
            parts = [f"{_rgb(colour(pen.fill, self.theme))} rg"] if filled else []
            if drawn:
                parts.append(f"{_rgb(colour(pen.stroke, self.theme))} RG {pen.width:g} w")
                parts.append(f"[{DASHES if pen.dashed else ''}] 0 d {int(pen.rounded)} J {int(pen.rounded)} j")
            self._looks[pen] = (
                " ".join(parts),
                {(True, True): "B", (True, False): "f", (False, True): "S"}[filled, drawn],
            )
        return self._looks[pen]

    def _way(self, steps: str) -> str:
        if steps not in self._ways:
            self._ways[steps] = " ".join(_converted(steps.split()))
        return self._ways[steps]

    def _text(self, mark: Text) -> Iterator[str]:
        text, letters = visible(mark.text), mark.letters
        if not text:
            return
        runs = [(face, *self._encoded(face, part)) for face, part in faces(bold=letters.bold).runs(text)]
        wide = sum(width for _, _, width in runs) * letters.size
        x = mark.x - {"start": 0.0, "middle": wide / 2, "end": wide}[mark.anchor]
        yield f"BT {_rgb(colour(letters.colour, self.theme))} rg 1 0 0 -1 {x:.2f} {mark.y:.2f} Tm"
        for face, code, _ in runs:
            yield f"/F{self.fonts[face]} {letters.size * face.scale:.4g} Tf <{code}> Tj"
        yield "ET"

    def _encoded(self, face: Face, text: str) -> tuple[str, float]:
        """Numbers of the glyphs, and how wide they are at size 1."""
        if face not in self.fonts:
            self.fonts[face] = len(self.fonts)
            self.used[face] = {}
        used, widths = self.used[face], face.measures.widths
        for letter in text:
            if letter not in used:
                used[letter] = face.glyphs.get(ord(letter), 0)
        wide = sum(widths[used[letter]] for letter in text) / UNITS * face.scale
        return "".join([f"{used[letter]:04x}" for letter in text]), wide


class _Lines:
    """What was drawn of lines, until something else may cover it: hundreds of links can run along one way."""

    def __init__(self) -> None:
        self._spans: dict[tuple[Pen, int, str], list[Span]] = {}
        self._pieces: set[tuple[Pen, tuple[str, ...]]] = set()

    def forget(self) -> None:
        """Begin anew."""
        self._spans.clear()
        self._pieces.clear()

    def rest(self, pen: Pen, steps: str) -> str:
        """The steps M, L and C of a line without those that were drawn with this pen."""
        way = steps.split()
        if not {"H", "V", "Z"}.isdisjoint(way):
            return steps
        found: list[str] = []
        here = stands = ("", "")
        place = 0
        while place < len(way):
            step, end = way[place], place + 1 + OPERATORS[way[place]][1]
            numbers, place = way[place + 1 : end], end
            if step != "M":
                for start, piece in self._undrawn(pen, here, step, numbers):
                    found += piece if start == stands else ["M", *start, *piece]
                    stands = piece[-2], piece[-1]
            here = numbers[-2], numbers[-1]
        return " ".join(found)

    def _undrawn(self, pen: Pen, here: Place, step: str, numbers: Sequence[str]) -> Iterator[tuple[Place, list[str]]]:
        """Pieces of a step, each with where it begins."""
        level = here[1] == numbers[1]
        if step != "L" or level == (here[0] == numbers[0]):
            piece = pen, (*here, step, *numbers)
            if piece not in self._pieces:
                self._pieces.add(piece)
                yield here, [step, *numbers]
            return
        along = 0 if level else 1
        start, end = float(here[along]), float(numbers[along])
        gaps = self._gaps((pen, along, here[1 - along]), min(start, end), max(start, end))
        said = {start: here[along], end: numbers[along]}
        for gap in gaps if start < end else gaps[::-1]:
            first, last = (said.get(value) or short(value) for value in (gap if start < end else gap[::-1]))
            yield ((first, here[1]), ["L", last, here[1]]) if level else ((here[0], first), ["L", here[0], last])

    def _gaps(self, line: tuple[Pen, int, str], low: float, high: float) -> list[Span]:
        """What is not drawn yet of a straight line between two places, and is from now on."""
        gaps, apart = list[Span](), list[Span]()
        begin, end, at = low, high, low
        for first, last in self._spans.get(line, ()):
            if first <= low and high <= last:
                return []
            if last < low or first > high:
                apart.append((first, last))
                continue
            if first > at:
                gaps.append((max(low, at - LAP), min(high, first + LAP)))
            begin, end, at = min(begin, first), max(end, last), max(at, last)
        if at < high:
            gaps.append((max(low, at - LAP), high))
        self._spans[line] = sorted([*apart, (begin, end)])
        return gaps


def _converted(steps: Sequence[str]) -> Iterator[str]:
    """Steps of SVG as those of PDF, which has neither H nor V."""
    x, y, place = "0", "0", 0
    while place < len(steps):
        step, place = steps[place], place + 1
        if step in "HV":
            x, y = (steps[place], y) if step == "H" else (x, steps[place])
            yield f"{x} {y} l"
            place += 1
            continue
        operator, count = OPERATORS[step]
        numbers = steps[place : place + count]
        yield " ".join([*numbers, operator])
        x, y = numbers[-2:] if numbers else (x, y)
        place += count


def _rgb(text: str) -> str:
    return " ".join(f"{int(text[place : place + 2], 16) / 255:.3g}" for place in (1, 3, 5))


def _first(number: int) -> int:
    """The first object of a font: five stand before those of all fonts, and each font takes five."""
    return 6 + 5 * number


def _font(face: Face, used: Mapping[str, int], first: int) -> Iterator[bytes]:
    """The objects of a font with the letters that were used: glyphs are called by their numbers."""
    measures = face.measures
    name = f"SUREFT+{measures.name}"
    widths = "".join(f"{glyph}[{measures.widths[glyph]:.4g}]" for glyph in sorted(set(used.values())))
    box = " ".join(f"{value:.0f}" for value in measures.box)
    yield (
        f"<</Type/Font/Subtype/Type0/BaseFont/{name}/Encoding/Identity-H/DescendantFonts[{first + 1} 0 R]"
        f"/ToUnicode {first + 4} 0 R>>"
    ).encode()
    yield (
        f"<</Type/Font/Subtype/CIDFontType2/BaseFont/{name}/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)"
        f"/Supplement 0>>/FontDescriptor {first + 2} 0 R/W[{widths}]/CIDToGIDMap/Identity>>"
    ).encode()
    yield (
        f"<</Type/FontDescriptor/FontName/{name}/Flags 4/FontBBox[{box}]/ItalicAngle 0/Ascent {measures.rise:.0f}"
        f"/Descent {measures.fall:.0f}/CapHeight {measures.rise:.0f}/StemV 80/FontFile2 {first + 3} 0 R>>"
    ).encode()
    content = face.subset(used.values())
    yield _stream(content, f"/Length1 {len(content)}")
    yield _stream(_letters(used))


def _letters(used: Mapping[str, int]) -> bytes:
    """The table by which readers copy and search text: glyphs and the letters they stand for."""
    pairs = sorted({glyph: letter for letter, glyph in used.items()}.items())
    lines = [f"<{glyph:04x}><{letter.encode('utf-16-be').hex()}>" for glyph, letter in pairs]
    blocks = [lines[start : start + MOST_MAPPED] for start in range(0, len(lines), MOST_MAPPED)]
    mapped = "".join(f"{len(block)} beginbfchar\n{chr(10).join(block)}\nendbfchar\n" for block in blocks)
    return (
        "/CIDInit/ProcSet findresource begin 12 dict begin begincmap/CMapName/Letters def/CMapType 2 def\n"
        f"1 begincodespacerange<0000><ffff>endcodespacerange\n{mapped}endcmap end end"
    ).encode()


def _words(text: str) -> str:
    return f"<{(chr(0xFEFF) + text).encode('utf-16-be').hex()}>"


def _stream(content: bytes, more: str = "") -> bytes:
    packed = zlib.compress(content, 6)
    return b"<</Length %d/Filter/FlateDecode%s>>stream\n%s\nendstream" % (len(packed), more.encode(), packed)


def _file(*objects: bytes) -> bytes:
    """Objects, numbered from 1, and the table of where they begin; the first is the root, the fifth names the file."""
    parts, places, length = [b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"], [], 15
    for number, content in enumerate(objects, 1):
        places.append(length)
        parts.append(b"%d 0 obj\n%s\nendobj\n" % (number, content))
        length += len(parts[-1])
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(objects) + 1
    parts.append(b"xref\n0 %d\n0000000000 65535 f \n%s" % (count, table))
    parts.append(b"trailer\n<</Size %d/Root 1 0 R/Info 5 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (count, length))
    return b"".join(parts)


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


@validate.arguments
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
