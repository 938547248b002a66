"""A gallery of corruptions: what each does to a picture, a sound and a text, to look at and to listen to.

``built_in`` has inputs of our own making, and ``read_image``, ``read_sound`` and ``read_text`` take those of users;
``chapter`` corrupts one; ``html`` shows chapters as a page that loads nothing and runs no script, ``png`` as one
picture. May import ``core`` and ``drawing``.
"""

from __future__ import annotations

import inspect
import warnings
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput
from surefoot.core.errors import require
from surefoot.corruptions.audio import checked_rate
from surefoot.corruptions.catalogue import LEVELS, SEVERITIES, corrupt, function_of
from surefoot.documents import visible
from surefoot.drawing import GREY, INK

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

__all__ = [
    "Chapter",
    "Example",
    "Row",
    "about",
    "built_in",
    "chapter",
    "html",
    "png",
    "read_image",
    "read_sound",
    "read_text",
]
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
    options: dict[str, Any] = {"rate": example.rate} if example.domain == "audio" else {}

    def row(name: str) -> Row:
        tell(name)
        found = (corrupt(example.item, name, severity, seed=seed, **options) for severity in SEVERITIES)
        return Row(name, about(name), tuple(found))

    return Chapter(example, tuple(map(row, names)))


# The gallery as one HTML file that needs no network and runs no script.

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
    return files("surefoot.corruptions").joinpath("templates", name).read_text(encoding="utf-8")


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


# Pictures, sounds and texts of users, cut to what fits on a page.

MOST_PIXELS = 160
"""Most pixels along a side of a picture."""
SECONDS = 4
CHARACTERS = 400


def read_image(path: Path) -> Example:
    """A picture of any format that Pillow knows, the right way up, in colour, with at most 160 pixels a side."""
    from PIL import Image, ImageOps

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(path) as opened:
                shown = ImageOps.exif_transpose(opened).convert("RGB")
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise _unreadable(path, "picture", "it is too large", "Make it smaller first.") from error
    except (OSError, ValueError, SyntaxError) as error:
        raise _refused(path, "picture", error, "Give a PNG, JPEG or WebP file.") from error
    shown.thumbnail((MOST_PIXELS, MOST_PIXELS))
    return Example("image", np.asarray(shown), path.name)


def read_sound(path: Path) -> Example:
    """The first seconds of a WAV file, or of any that soundfile knows; channels are averaged."""
    samples, rate = _wave(path) if path.suffix.lower() == ".wav" else _other(path)
    if not samples.size:
        raise _unreadable(path, "sound", "it has no samples", "Give a recording that is not empty.")
    mono = samples.mean(axis=1) if samples.ndim == 2 else samples
    cut = len(mono) > SECONDS * checked_rate(rate, where=str(path))
    title = f"{path.name}, its first {SECONDS} seconds" if cut else path.name
    return Example("audio", mono[: SECONDS * rate], title, rate)


def read_text(text: str, title: str = "your text") -> Example:
    """The beginning of a text, up to a space."""
    if len(text) <= CHARACTERS:
        return Example("text", text, title)
    cut = text[:CHARACTERS].rpartition(" ")[0] or text[:CHARACTERS]
    return Example("text", cut, f"{title}, its first {len(cut)} characters")


def _wave(path: Path) -> tuple[NDArray[np.float64], int]:
    from scipy.io import wavfile

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", wavfile.WavFileWarning)
            rate, samples = wavfile.read(path, mmap=False)
    except (OSError, ValueError, EOFError) as error:
        raise _refused(path, "sound", error, "Give a WAV file with plain samples, or FLAC.") from error
    part = samples[: SECONDS * rate + 1]
    return _shares(part), int(rate)


def _other(path: Path) -> tuple[NDArray[np.float64], int]:
    soundfile = require("soundfile", extra="audio", purpose=f"Reading {path.name}")
    try:
        with soundfile.SoundFile(path) as opened:
            rate = int(opened.samplerate)
            return opened.read(SECONDS * rate + 1, dtype="float64"), rate
    except (OSError, RuntimeError, ValueError) as error:
        raise _refused(path, "sound", error, "Give a WAV, FLAC, OGG or MP3 file.") from error


def _shares(samples: NDArray[Any]) -> NDArray[np.float64]:
    """Samples of any width as shares of full scale; bytes have their middle at 128."""
    if samples.dtype.kind == "f":
        return samples.astype(np.float64)
    if samples.dtype.kind == "u":
        return (samples.astype(np.float64) - 128) / 128
    return samples / -float(np.iinfo(samples.dtype).min)


def _refused(path: Path, kind: str, error: Exception, remedy: str) -> Exception:
    if isinstance(error, OSError) and error.strerror:
        return error
    return _unreadable(path, kind, str(error) or type(error).__name__, remedy)


def _unreadable(path: Path, kind: str, why: str, remedy: str) -> InvalidInput:
    return InvalidInput(f"this {kind} cannot be read", where=str(path), found=why, remedy=remedy)


# Inputs of our own making: a street, a sung phrase, a sentence.

MELODY_RATE = 12_000
SENTENCE = (
    "Please believe me: the 8 o'clock train from platform 12 will definitely leave on Wednesday, "
    "and you will receive 2 separate tickets before tomorrow evening."
)
NOTES = (
    (147.0, (730, 1_090, 2_440)),
    (175.0, (270, 2_290, 3_010)),
    (196.0, (570, 840, 2_410)),
    (131.0, (530, 1_840, 2_480)),
)
"""Pitches in Hz, and the formants of vowels that men say in hod, heed, hawed and head (Peterson and Barney 1952)."""
NOTE, HISS = 0.22, 0.08
"""Seconds of a vowel, and of the s that ends the phrase."""


def built_in(domain: str) -> Example:
    """The example of a domain."""
    if domain == "image":
        return Example(domain, street(120, 160), "a street, drawn for this page")
    if domain == "audio":
        return Example(domain, melody(), "four vowels and an s, sung by arithmetic", MELODY_RATE)
    return Example(domain, SENTENCE, "a sentence")


def melody() -> NDArray[np.float64]:
    """Four sung vowels and an s; a second of sound."""
    rng = np.random.default_rng(0)
    hiss = np.diff(rng.standard_normal(round(HISS * MELODY_RATE) + 1)) * np.hanning(round(HISS * MELODY_RATE))
    phrase = np.concatenate([*(_vowel(*note) for note in NOTES), 0.15 * hiss])
    return 0.8 * phrase / np.abs(phrase).max()


def _vowel(pitch: float, formants: tuple[int, ...]) -> NDArray[np.float64]:
    """Harmonics of a falling source, stronger near each formant, with vibrato, swelling and fading."""
    time = np.arange(round(NOTE * MELODY_RATE)) / MELODY_RATE
    harmonics = np.arange(1, int(0.45 * MELODY_RATE / pitch))
    frequencies = harmonics * pitch
    heights = sum(1 / (1 + ((frequencies - formant) / 90) ** 2) for formant in formants) / np.sqrt(harmonics)
    phase = 2 * np.pi * pitch * (time + 0.0004 * np.sin(2 * np.pi * 6 * time))
    envelope = np.minimum(1, np.minimum(time, time[::-1]) / 0.03)
    return np.asarray(envelope * (heights @ np.sin(harmonics[:, None] * phase)))


FINER = 4
"""Points along each side of a pixel, averaged for smooth edges."""
HORIZON = 0.46
Layer = NDArray[np.float64]
Mask = NDArray[np.bool_]


def street(height: int, width: int) -> NDArray[np.uint8]:
    """A picture in bytes with large and fine structure, bright and dark parts, and strong colours."""
    y, x = np.mgrid[0 : height * FINER, 0 : width * FINER].astype(float)
    y, x = (y + 0.5) / (height * FINER), (x + 0.5) / (width * FINER)
    picture = _landscape(y, x)
    for where, colour in (*_road(y, x), *_houses(y, x), *_sign(y, x), *_car(y, x)):
        picture[where] = colour
    return _averaged(picture, height, width)


def _landscape(y: Layer, x: Layer) -> Layer:
    sky = np.stack([0.45 + 0.75 * y, 0.66 + 0.5 * y, 0.93 + 0.1 * y], axis=-1)
    sky[np.hypot((x - 0.82) * 4 / 3, y - 0.13) < 0.06] = (1, 0.95, 0.7)
    hills = y > HORIZON - 0.1 - 0.05 * np.sin(7 * x) - 0.03 * np.sin(17 * x + 1)
    sky[hills] = (0.36, 0.5, 0.47)
    blades = 0.06 * np.sin(310 * x + 40 * np.sin(9 * y)) * np.sin(230 * y)
    grass = np.stack([0.33 + blades, 0.52 + 0.1 * (1 - y) + blades, 0.2 + blades], axis=-1)
    return np.asarray(np.where((y > HORIZON)[..., None], grass, sky))


def _road(y: Layer, x: Layer) -> list[tuple[Mask, tuple[float, ...]]]:
    depth = np.maximum(y - HORIZON, 1e-9) / (1 - HORIZON)
    across = (x - 0.5) / (0.02 + 0.46 * depth)
    below = y > HORIZON
    dashes = (np.abs(across) < 0.03) & (np.sin(9 / (depth + 0.12)) > 0)
    return [
        (below & (np.abs(across) < 1), (0.3, 0.31, 0.34)),
        (below & (np.abs(np.abs(across) - 0.92) < 0.03), (0.93, 0.92, 0.86)),
        (below & dashes, (0.95, 0.94, 0.88)),
    ]


def _houses(y: Layer, x: Layer) -> list[tuple[Mask, tuple[float, ...]]]:
    wall = _box(y, x, 0.2, 0.52, 0.03, 0.27)
    panes = wall & (np.sin(75 * x - 2) > 0.2) & (np.sin(62 * y + 2.2) > 0.1)
    roof = (y > 0.09) & (y < 0.2) & (np.abs(x - 0.15) < 0.02 + 1.15 * (y - 0.09))
    return [(wall, (0.78, 0.63, 0.47)), (panes, (0.2, 0.27, 0.38)), (roof, (0.52, 0.2, 0.16))]


def _sign(y: Layer, x: Layer) -> list[tuple[Mask, tuple[float, ...]]]:
    far = np.hypot((x - 0.86) * 4 / 3, y - 0.4)
    return [
        (_box(y, x, 0.4, 0.74, 0.853, 0.867), (0.55, 0.57, 0.6)),
        (far < 0.115, (0.78, 0.09, 0.1)),
        (far < 0.085, (0.97, 0.97, 0.95)),
        (_box(y, x, 0.37, 0.43, 0.815, 0.905), (0.1, 0.1, 0.12)),
    ]


def _car(y: Layer, x: Layer) -> list[tuple[Mask, tuple[float, ...]]]:
    cabin = (y > 0.53) & (y < 0.64) & (np.abs(x - 0.6) < 0.055 + 0.3 * (y - 0.53))
    glass = (y > 0.548) & (y < 0.625) & (np.abs(x - 0.6) < 0.04 + 0.3 * (y - 0.53))
    wheels = (y > 0.7) & (y < 0.79) & (np.abs(np.abs(x - 0.6) - 0.085) < 0.02)
    lights = (np.abs(y - 0.67) < 0.017) & (np.abs(np.abs(x - 0.6) - 0.085) < 0.018)
    body = _box(y, x, 0.63, 0.75, 0.485, 0.715)
    plate = _box(y, x, 0.69, 0.72, 0.565, 0.635)
    return [
        (_box(y, x, 0.76, 0.8, 0.475, 0.725), (0.17, 0.17, 0.19)),
        (wheels, (0.06, 0.06, 0.07)),
        (cabin, (0.09, 0.3, 0.55)),
        (glass, (0.62, 0.74, 0.8)),
        (body, (0.11, 0.36, 0.64)),
        (lights, (0.95, 0.2, 0.12)),
        (plate, (0.95, 0.93, 0.75)),
    ]


def _box(y: Layer, x: Layer, top: float, bottom: float, left: float, right: float) -> Mask:
    return (y > top) & (y < bottom) & (x > left) & (x < right)


def _averaged(picture: Layer, height: int, width: int) -> NDArray[np.uint8]:
    fine = np.clip(picture, 0, 1).reshape(height, FINER, width, FINER, 3)
    return np.rint(255 * fine.mean(axis=(1, 3))).astype(np.uint8)
