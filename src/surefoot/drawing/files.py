"""Pictures written to files: SVG, PNG or PDF by the ending of the name, in the colours of a theme.

A PNG is the PDF, painted by PDFium strip by strip, so that a very large picture needs little memory.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surefoot.core import InvalidInput, validate
from surefoot.documents import shortened, visible, write_whole
from surefoot.drawing.charts import save_figure
from surefoot.drawing.pdf import TITLE_LENGTH, pdf
from surefoot.drawing.scene import (
    COLOURS,
    SHEET,
    Group,
    Letters,
    Mark,
    Pen,
    Point,
    Scene,
    Theme,
    dark_variables,
    known,
    properties,
)
from surefoot.drawing.scene import Path as ScenePath
from surefoot.drawing.shapes import short

if TYPE_CHECKING:
    from matplotlib.figure import Figure


DENSITY = 2.0
"""Dots for each pixel of the scene."""
MOST_DOTS = 20_000
"""Of width and height; a larger scene is made coarser."""
STRIP = 16_000_000
"""About so many dots are painted at a time."""
QUICK = 2
"""How hard dots are packed: of a large picture a fifth more is left than by trying hard, in a third of the time."""
METRE = 72 * DENSITY / 0.0254


@validate.arguments
def save(picture: Scene | Figure, path: str | Path, *, theme: Theme | None = None) -> Path:
    """Write a picture by the ending of its name: .svg, .png or .pdf. A diagram is written whole, or not at all.

    Parameters
    ----------
    picture
        A scene, such as ``FaultTree.scene()`` or ``Case.scene()`` gives it, or a figure of matplotlib.
    path
        Where it is written.
    theme
        Colours of a scene: ``light``, ``dark``, ``print``, or ``auto``, which in SVG follows the setting of the reader
        and elsewhere is ``print``. Unless given, SVG is light, and PNG and PDF are for print.

    Returns
    -------
    Path
        Where it was written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import surefoot as sf
    >>> scene = sf.drawing.Scene((), 100.0, 50.0, "Nothing", "An empty picture.")
    >>> with TemporaryDirectory() as folder:
    ...     sf.drawing.save(scene, Path(folder, "nothing.svg")).suffix
    '.svg'

    """
    target = Path(path)
    if not isinstance(picture, Scene):
        if theme is not None:
            raise InvalidInput(
                "a chart has colours of its own", where="save", found=repr(theme), remedy="Leave it out."
            )
        return save_figure(picture, target)
    ending = ending_of(target)
    write_whole(target, WRITERS[ending](picture, theme or ("light" if ending == ".svg" else "print")))
    return target


@validate.arguments
def ending_of(path: str | Path) -> str:
    """The ending of a name, which is one that a scene can be written as.

    Parameters
    ----------
    path
        A file.

    Returns
    -------
    str
        With its dot, in small letters.

    Examples
    --------
    >>> ending_of("Tree.SVG")
    '.svg'

    """
    ending = Path(path).suffix.lower()
    if ending not in WRITERS:
        problem, remedy = "unknown ending of a drawing", f"Use one of {', '.join(WRITERS)}."
        raise InvalidInput(problem, where=str(path), found=repr(ending), remedy=remedy)
    return ending


@validate.arguments
def png(scene: Scene, *, theme: Theme = "print") -> bytes:
    """A scene as PNG: two dots for each pixel, and fewer where it is too large.

    Parameters
    ----------
    scene
        What is drawn.
    theme
        Its colours.

    Returns
    -------
    bytes
        The content of a file; a side has at most ``MOST_DOTS`` dots.

    Examples
    --------
    >>> import surefoot as sf
    >>> png(sf.drawing.Scene((), 100.0, 50.0, "Nothing", ""))[1:4]
    b'PNG'

    """
    wide, high = (max(1, round(size * density(scene))) for size in (scene.width, scene.height))
    packer = zlib.compressobj(QUICK)
    packed = [packer.compress(rows) for rows in _rows(pdf(scene, theme=theme), wide, high)]
    title = shortened(visible(scene.title), TITLE_LENGTH).encode()
    return b"".join(
        [
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)),
            _chunk(b"pHYs", struct.pack(">IIB", round(METRE), round(METRE), 1)),
            _chunk(b"iTXt", b"Title\0\0\0\0\0" + title),
            _chunk(b"IDAT", b"".join(packed) + packer.flush()),
            _chunk(b"IEND", b""),
        ]
    )


def density(scene: Scene) -> float:
    """Dots for each pixel in a PNG; less than 2 where the scene is too large for that."""
    return min(DENSITY, MOST_DOTS / max(scene.width, scene.height))


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _rows(content: bytes, wide: int, high: int) -> Iterator[bytes]:
    """Lines of dots as PNG packs them: a zero, which says that they stand as they are, and the dots."""
    import numpy as np

    for strip in _strips(content, wide, high):
        yield np.pad(strip, ((0, 0), (1, 0))).tobytes()


def _strips(content: bytes, wide: int, high: int) -> Iterator[Any]:
    import pypdfium2
    from pypdfium2 import raw

    document = pypdfium2.PdfDocument(content)
    try:
        page = document[0]
        step = max(1, min(high, STRIP // wide))
        bitmap = pypdfium2.PdfBitmap.new_native(wide, step, raw.FPDFBitmap_BGR, rev_byteorder=True)
        for top in range(0, high, step):
            bitmap.fill_rect((255, 255, 255, 255), 0, 0, wide, step)
            raw.FPDF_RenderPageBitmap(bitmap, page, 0, -top, wide, high, 0, raw.FPDF_REVERSE_BYTE_ORDER)
            yield bitmap.to_numpy()[: high - top].reshape(-1, 3 * wide)
    finally:
        document.close()


FAMILY = "-apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif"
LONGEST_TITLE = 2000


@validate.arguments
def svg(scene: Scene, *, theme: Theme = "light", prefix: str = "") -> str:
    """A scene as one ``<svg>`` element, the same text for the same scene.

    Parameters
    ----------
    scene
        What is drawn.
    theme
        ``light``, ``dark`` or ``print`` write every look into attributes, so that the drawing can stand anywhere;
        ``auto`` brings a style sheet that follows the setting of the reader.
    prefix
        Where ids are wanted, what they begin with: give drawings of one page different ones.

    Returns
    -------
    str
        Markup that can stand in a page or in a file.

    Examples
    --------
    >>> import surefoot as sf
    >>> svg(sf.drawing.Scene((), 100.0, 50.0, "Nothing", ""))[:4]
    '<svg'

    """
    return "".join(_Writer(known(theme), escape(visible(prefix))).parts(scene))


class _Writer:
    """Writes one scene and knows which looks it has met."""

    def __init__(self, theme: Theme, prefix: str) -> None:
        self.theme, self.prefix = theme, prefix
        self.looks: dict[int, str] = {}
        """Attributes by identity of pen or letters, which live as long as the scene."""
        self.classes: dict[str, Pen | Letters] = {}

    def parts(self, scene: Scene) -> Iterator[str]:
        sheet = f'<rect width="{scene.width:.0f}" height="{scene.height:.0f}"{self._look(SHEET)}/>'
        groups = [part for place, group in enumerate(scene.groups) for part in self._group(group, place)]
        yield self._opened(scene)
        named = [f' id="{self.prefix}-{name}"' if self.prefix else "" for name in ("title", "desc")]
        yield f"<title{named[0]}>{_full(scene.title)}</title><desc{named[1]}>{_full(scene.description)}</desc>"
        if self.theme == "auto":
            yield f"<style>\n{self._style_sheet()}</style>"
        yield sheet
        yield from groups
        yield "</svg>\n"

    def _opened(self, scene: Scene) -> str:
        shown = scene.width if scene.shown is None else scene.shown
        size = f'width="{shown:.0f}" height="{scene.height * shown / scene.width:.0f}"'
        heard = any(group.label for group in scene.groups)
        named = f' aria-labelledby="{self.prefix}-title {self.prefix}-desc"' if self.prefix else ""
        styled = ' class="sf-graph"' if self.theme == "auto" else ""
        role = "group" if heard else "img"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg"{styled} viewBox="0 0 {scene.width:.0f} {scene.height:.0f}" '
            f'{size} role="{role}"{named} font-family="{escape(FAMILY)}">'
        )

    def _group(self, group: Group, place: int) -> Iterator[str]:
        own = f' class="{escape(group.classes)}"' if group.classes else ""
        if group.node:
            identity = f' id="{self.prefix}-{place}"' if self.prefix else ""
            own += f'{identity} data-node="{escape(visible(group.node))}"'
        if group.label:
            own += f' role="group" aria-label="{_full(group.label)}"'
        yield f"\n<g{own}{_moved(group.at)}>{f'<title>{_full(group.title)}</title>' if group.title else ''}"
        yield from map(self._mark, group.marks)
        yield "</g>"

    def _mark(self, mark: Mark) -> str:
        if isinstance(mark, ScenePath):
            return f'<path{self._look(mark.pen)}{_moved(mark.at)} d="{mark.steps}"/>'
        anchor = "" if mark.anchor == "start" else f' text-anchor="{mark.anchor}"'
        words = escape(visible(mark.text), quote=False)
        return f'<text{self._look(mark.letters)} x="{short(mark.x)}" y="{short(mark.y)}"{anchor}>{words}</text>'

    def _look(self, style: Pen | Letters) -> str:
        found = self.looks.get(id(style))
        if found is None:
            found = self.looks[id(style)] = self._attributes(style)
        return found

    def _attributes(self, style: Pen | Letters) -> str:
        if self.theme != "auto":
            return "".join(f' {name}="{value}"' for name, value in properties(style, self.theme).items())
        name, number = style.name, 1
        while self.classes.setdefault(name, style) != style:
            number += 1
            name = f"{style.name} {style.name.split()[0]}-{number}"
        return f' class="{name}"'

    def _style_sheet(self) -> str:
        """A rule for each look; the class names of a look are all in its selector, so its own rule weighs most."""
        rules = []
        for name, style in self.classes.items():
            said = properties(style, "auto")
            if "font-size" in said:
                said["font-size"] += "px"
            body = ";".join(f"{key}:{value}" for key, value in said.items())
            rules.append(f".sf-graph .{name.replace(' ', '.')}{{{body}}}\n")
        used = {name for style in self.classes.values() for name in _colours(style) if name in COLOURS}
        return "".join(rules) + dark_variables(used)


def _colours(style: Pen | Letters) -> tuple[str, ...]:
    return (style.colour,) if isinstance(style, Letters) else (style.stroke, style.fill)


def _moved(at: Point) -> str:
    return f' transform="translate({short(at[0])} {short(at[1])})"' if at != (0.0, 0.0) else ""


def _full(text: str) -> str:
    return escape(shortened(visible(text), LONGEST_TITLE))


WRITERS: dict[str, Callable[[Scene, Theme], str | bytes]] = {
    ".svg": lambda scene, theme: svg(scene, theme=theme),
    ".png": lambda scene, theme: png(scene, theme=theme),
    ".pdf": lambda scene, theme: pdf(scene, theme=theme),
}
