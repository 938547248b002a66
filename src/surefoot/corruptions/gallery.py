"""The gallery as one HTML file that needs no network and runs no script."""

from __future__ import annotations

import inspect
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput
from surefoot.corruptions.catalogue import LEVELS, SEVERITIES, corrupt, function_of
from surefoot.documents import visible
from surefoot.drawing import GREY, INK

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw


# Each corruption at each severity, of one input.

RATE = 16_000


@dataclass(frozen=True)
class Example:
    """An input of a domain, what it is called, and how many samples a second it has where it is a sound."""

    domain: str
    item: Any
    title: str
    rate: int = RATE


@dataclass(frozen=True)
class Row:
    """What a corruption makes of an input at severities 1 to 5."""

    name: str
    about: str
    items: tuple[Any, ...]


@dataclass(frozen=True)
class Chapter:
    """An input and its corruptions."""

    example: Example
    rows: tuple[Row, ...]


def about(name: str) -> str:
    """What a corruption does, in a line."""
    return (inspect.getdoc(function_of(name)) or "").partition("\n")[0].replace("``", "")


def chapter(
    example: Example, names: Sequence[str], *, seed: int = 0, tell: Callable[[str], None] = lambda name: None
) -> Chapter:
    """Corruptions of an input at all severities; ``tell`` hears the name of each."""
    options = {"rate": example.rate} if example.domain == "audio" else {}

    def row(name: str) -> Row:
        tell(name)
        found = (corrupt(example.item, name, severity, seed=seed, **options) for severity in SEVERITIES)
        return Row(name, about(name), tuple(found))

    return Chapter(example, tuple(map(row, names)))


# The gallery as one picture: a contact sheet of images and spectrograms.

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


# Items made visible: sounds as spectrograms, changed characters marked, bytes as addresses that hold them.

QUALITY = 76
DECIBELS = 65
"""Range of a spectrogram below its loudest tone."""
FRAME = 0.032
HEIGHT, WIDTH = 84, 160
"""Pixels of the spectrogram of the longest sound."""
Picture = NDArray[np.uint8]
Piece = tuple[str, str]


def picture_of(example: Example, item: Any, *, longest: int) -> Picture:
    """The picture of an image or a sound; sounds are as wide as they last, beside the ``longest`` of them."""
    if example.domain == "image":
        return np.asarray(item)
    width = max(2, round(WIDTH * len(item) / longest))
    loudest = _tones(example.item, example.rate, WIDTH).max()
    return _coloured(_tones(item, example.rate, 2 * width) / (loudest or 1), width)


def longest_of(example: Example, items: tuple[Any, ...]) -> int:
    """Samples of the longest of some sounds and the one they come from."""
    return max(map(len, (example.item, *items)))


def _tones(sound: NDArray[np.floating[Any]], rate: int, count: int) -> NDArray[np.floating[Any]]:
    """Strength of tones (low ones last) at moments spread over a sound."""
    size = 1 << round(np.log2(FRAME * rate))
    starts = np.linspace(0, len(sound) - 1, count).astype(int)
    frames = np.pad(sound, (size // 2, size))[starts[:, None] + np.arange(size)]
    return np.abs(np.fft.rfft(frames * np.hanning(size))).T[::-1]


def _coloured(tones: NDArray[np.floating[Any]], width: int) -> Picture:
    """A spectrogram in colours from black to yellow; 1 is the loudest."""
    from matplotlib import colormaps
    from PIL import Image

    shares = np.clip(1 + 20 * np.log10(np.maximum(tones, 1e-9)) / DECIBELS, 0, 1)
    colours = Image.fromarray(np.rint(255 * colormaps["magma"](shares)[..., :3]).astype(np.uint8))
    return np.asarray(colours.resize((width, HEIGHT), Image.Resampling.BOX))


def picture_address(picture: Picture) -> str:
    """A picture as an address that holds it."""
    from PIL import Image

    held = BytesIO()
    Image.fromarray(picture).save(held, "JPEG", quality=QUALITY, optimize=True)
    return f"data:image/jpeg;base64,{b64encode(held.getvalue()).decode()}"


def sound_address(sound: NDArray[np.floating[Any]], rate: int) -> str:
    """A sound as an address that holds it, 16 bits a sample."""
    from scipy.io import wavfile

    held = BytesIO()
    wavfile.write(held, rate, np.rint(np.clip(sound, -1, 1) * 32_767).astype(np.int16))
    return f"data:audio/wav;base64,{b64encode(held.getvalue()).decode()}"


def marked(before: str, after: str) -> list[Piece]:
    """A text in pieces that stayed (``same``), came, alone or for others (``new``), or went (``gone``)."""
    steps = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    kinds = {"equal": "same", "delete": "gone"}
    return [
        (kinds.get(what, "new"), visible(before[a:b] if what == "delete" else after[c:d])) for what, a, b, c, d in steps
    ]


POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:; base-uri 'none'"
TITLES = {"image": "Images", "audio": "Sounds", "text": "Texts"}
NAMED = {severity: level for level, severity in LEVELS.items()}
LABELS = tuple(f"{severity} {NAMED.get(severity, '')}".strip() for severity in SEVERITIES)


def html(chapters: Sequence[Chapter], *, seed: int) -> str:
    """The page of some chapters."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(_asset("gallery.html"))
    return template.render(
        chapters=[_chapter(each) for each in chapters],
        style=Markup(_asset("gallery.css")),
        policy=POLICY,
        labels=LABELS,
        seed=seed,
    )


def _asset(name: str) -> str:
    return files("surefoot.corruptions.gallery").joinpath("templates", name).read_text(encoding="utf-8")


def _chapter(chapter: Chapter) -> dict[str, Any]:
    example = chapter.example
    known = {"domain": example.domain, "title": TITLES[example.domain], "what": visible(example.title)}
    if example.domain == "text":
        rows = [{**_named(row), "texts": [marked(example.item, item) for item in row.items]} for row in chapter.rows]
        return {**known, "text": visible(example.item), "rows": rows}
    picture = picture_of(example, example.item, longest=len(example.item))
    found = {**known, "picture": picture_address(picture), "shape": f"{picture.shape[1]} / {picture.shape[0]}"}
    if example.domain == "audio":
        found["sound"] = sound_address(example.item, example.rate)
    return {**found, "rows": [_pictured(chapter, row) for row in chapter.rows]}


def _named(row: Row) -> dict[str, Any]:
    return {"name": row.name, "about": row.about}


def _pictured(chapter: Chapter, row: Row) -> dict[str, Any]:
    example = chapter.example
    longest = longest_of(example, row.items)
    cells = []
    for item in row.items:
        cell = {
            "picture": picture_address(picture_of(example, item, longest=longest)),
            "width": round(100 * len(item) / longest) if example.domain == "audio" else 100,
        }
        if example.domain == "audio":
            cell["sound"] = sound_address(item, example.rate)
        cells.append(cell)
    clean = round(100 * len(example.item) / longest) if example.domain == "audio" else 100
    return {**_named(row), "cells": cells, "clean": clean}
