"""Pictures written to files: SVG, PNG or PDF by the ending of the name, in the colours of a theme.

A PNG is the PDF, painted by PDFium strip by strip, so that a very large picture needs little memory.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surefoot.core import InvalidInput
from surefoot.documents import shortened, visible, write_whole
from surefoot.drawing.charts import save_figure
from surefoot.drawing.pdf import TITLE_LENGTH, pdf
from surefoot.drawing.scene import Scene
from surefoot.drawing.svg import svg
from surefoot.drawing.theme import Theme

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
WRITERS: dict[str, Callable[[Scene, Theme], str | bytes]] = {
    ".svg": lambda scene, theme: svg(scene, theme=theme),
    ".png": lambda scene, theme: png(scene, theme=theme),
    ".pdf": lambda scene, theme: pdf(scene, theme=theme),
}


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
