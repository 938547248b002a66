"""The gallery as one picture: a contact sheet of images and spectrograms."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING

from surefoot.core import InvalidInput
from surefoot.corruptions.gallery.page import LABELS
from surefoot.corruptions.gallery.rows import Chapter, Row
from surefoot.corruptions.gallery.shown import Picture, longest_of, picture_of
from surefoot.drawing import GREY, INK

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

MARGIN, GAP, NAMES, CELL, LINE = 16, 8, 150, 160, 22
"""Pixels around the sheet, between its cells, of the column of names, of a cell and of a line of text."""
SIZE = 14


def png(chapters: Sequence[Chapter]) -> bytes:
    """A contact sheet as the bytes of a PNG file: a row for each corruption, a column for each severity."""
    from PIL import Image, ImageDraw

    if any(chapter.example.domain == "text" for chapter in chapters):
        raise InvalidInput(
            "a contact sheet has pictures only",
            where="gallery",
            found="texts",
            remedy="Write .html, or leave texts out with --image, --audio or --only.",
        )
    rows = [(row, _cells(chapter, row)) for chapter in chapters for row in chapter.rows]
    heights = [max(cell.shape[0] for cell in cells) for _, cells in rows]
    width = 2 * MARGIN + NAMES + (1 + len(LABELS)) * (CELL + GAP)
    sheet = Image.new("RGB", (width, 2 * MARGIN + LINE + sum(heights) + GAP * len(rows)), "white")
    pen = ImageDraw.Draw(sheet)
    for column, label in enumerate(("clean", *LABELS)):
        _write(pen, (_left(column), MARGIN), label, GREY)
    top = MARGIN + LINE
    for (row, cells), height in zip(rows, heights, strict=True):
        _write(pen, (MARGIN, top), row.name, INK)
        _paste(sheet, cells, top)
        top += height + GAP
    held = BytesIO()
    sheet.save(held, "PNG", optimize=True)
    return held.getvalue()


def _cells(chapter: Chapter, row: Row) -> list[Picture]:
    longest = longest_of(chapter.example, row.items)
    return [picture_of(chapter.example, item, longest=longest) for item in (chapter.example.item, *row.items)]


def _paste(sheet: Image, cells: Sequence[Picture], top: int) -> None:
    from PIL import Image

    for column, cell in enumerate(cells):
        sheet.paste(Image.fromarray(cell), (_left(column), top))


def _left(column: int) -> int:
    return MARGIN + NAMES + column * (CELL + GAP)


def _write(pen: ImageDraw, place: tuple[int, int], text: str, colour: str) -> None:
    from PIL import ImageFont

    pen.text(place, text, fill=colour, font=ImageFont.load_default(SIZE))
