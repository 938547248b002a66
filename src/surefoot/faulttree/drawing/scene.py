"""What a picture is made of: lines and areas, circles, words, and groups of them with a title."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from surefoot.drawing import COLOURS, GREY, INK, PALE, RED

MUTED = "#55616e"
MACHINE_LEARNING = COLOURS[4]


@dataclass(frozen=True, slots=True)
class Ink:
    """Line and filling."""

    stroke: str = INK
    fill: str = "none"
    width: float = 1.2
    dashed: bool = False


LINE, LIT_LINE = Ink("#66707b", width=1.1), Ink(RED, width=2.4)
CONDITION_LINE, LIT_CONDITION_LINE = Ink("#66707b", width=1.1, dashed=True), Ink(RED, width=2.4, dashed=True)
BOX, LIT_BOX = Ink("#aab2bc", "#ffffff", 1.0), Ink(RED, "#fdeef0", 1.8)
GATE, EVENT, FOLDED = Ink(INK, "#eaf1f8", 1.3), Ink(INK, "#ffffff", 1.3), Ink(GREY, PALE, 1.2)
LIT_SYMBOL = Ink(RED, "#fbd9de", 2.2)
RING = Ink(MACHINE_LEARNING, width=2.2)
TAG = Ink(MACHINE_LEARNING, MACHINE_LEARNING, 1.0)
DETAIL, LIT_DETAIL = Ink(INK, width=1.3), Ink(RED, width=1.8)


@dataclass(frozen=True, slots=True)
class Path:
    """Steps M, L, H, V, C and Z of SVG paths, in absolute places."""

    steps: str
    ink: Ink


@dataclass(frozen=True, slots=True)
class Circle:
    """A circle."""

    x: float
    y: float
    radius: float
    ink: Ink


@dataclass(frozen=True, slots=True)
class Text:
    """A line of words on a baseline."""

    x: float
    y: float
    text: str
    size: float
    anchor: Literal["start", "middle", "end"] = "middle"
    colour: str = INK
    bold: bool = False


Mark = Path | Circle | Text


@dataclass(frozen=True, slots=True)
class Group:
    """Marks that belong together, with a title for those who point at them."""

    marks: tuple[Mark, ...]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """A whole picture; ``shown`` is the width at which it is shown."""

    groups: tuple[Group, ...]
    width: float
    height: float
    title: str
    description: str
    shown: float
