"""What a picture is made of: lines and areas, words, and groups of them with what is said of them.

Pens and letters name colours of the theme, so that one scene is drawn for light and dark screens and for print.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Pen:
    """How a line or area looks; ``name`` becomes its class in a style sheet.

    A colour is a name of the theme, ``none``, or hexadecimal where it carries a meaning of its own.
    """

    name: str
    stroke: str = "ink"
    fill: str = "none"
    width: float = 1.2
    dashed: bool = False
    rounded: bool = False
    """Whether ends and corners of the line are round."""


@dataclass(frozen=True, slots=True)
class Letters:
    """How words look."""

    name: str
    size: float
    colour: str = "ink"
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Path:
    """Steps M, L, H, V, C and Z of SVG in absolute places, relative to ``at`` and to the group."""

    steps: str
    pen: Pen
    at: Point = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Text:
    """A line of words on a baseline."""

    x: float
    y: float
    text: str
    letters: Letters
    anchor: Anchor = "start"


Mark = Path | Text


@dataclass(frozen=True, slots=True)
class Group:
    """Marks that belong together, with what is said of them."""

    marks: tuple[Mark, ...]
    title: str = ""
    """Everything, for those who point at it."""
    label: str = ""
    """A short name, for those who hear the picture."""
    classes: str = ""
    node: str = ""
    """What the group stands for, by its own id."""
    at: Point = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Scene:
    """A whole picture: groups in the order in which they are painted."""

    groups: tuple[Group, ...]
    width: float
    height: float
    title: str
    description: str
    shown: float | None = None
    """The width at which it is shown, where that is another."""
