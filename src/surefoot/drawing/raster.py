"""A scene as PNG: its PDF, painted by PDFium strip by strip, so that a very large picture needs little memory."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Any

from surefoot.documents import shortened, visible
from surefoot.drawing.pdf import TITLE_LENGTH, pdf
from surefoot.drawing.scene import Scene
from surefoot.drawing.theme import Theme

DENSITY = 2.0
"""Dots for each pixel of the scene."""
MOST_DOTS = 20_000
"""Of width and height; a larger scene is made coarser."""
STRIP = 16_000_000
"""About so many dots are painted at a time."""
QUICK = 2
"""How hard dots are packed: of a large picture a fifth more is left than by trying hard, in a third of the time."""
METRE = 72 * DENSITY / 0.0254


def density(scene: Scene) -> float:
    """Dots for each pixel in a PNG; less than 2 where the scene is too large for that."""
    return min(DENSITY, MOST_DOTS / max(scene.width, scene.height))


def png(scene: Scene, *, theme: Theme = "print") -> bytes:
    """The scene as dots, two for each pixel, and fewer where it is too large; see ``density``."""
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
