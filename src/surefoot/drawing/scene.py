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
    """How a line or area looks.

    Parameters
    ----------
    name
        Becomes its class in a style sheet.
    stroke, fill
        A name of the theme, ``none``, or hexadecimal where the colour carries a meaning of its own.
    width
        Of the line, in pixels.
    dashed, rounded
        Whether it is broken, and whether its ends and corners are round.

    See Also
    --------
    Scene

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
    """How words look.

    Parameters
    ----------
    name
        Becomes their class in a style sheet.
    size
        In pixels.
    colour
        As of a ``Pen``.
    bold
        Whether they are.

    See Also
    --------
    Scene

    """

    name: str
    size: float
    colour: str = "ink"
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Path:
    """A line or an area.

    Parameters
    ----------
    steps
        M, L, H, V, C and Z of SVG in absolute places, relative to ``at`` and to the group.
    pen
        How it looks.
    at
        Where its origin is.

    See Also
    --------
    Scene

    """

    steps: str
    pen: Pen
    at: Point = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Text:
    """A line of words on a baseline.

    Parameters
    ----------
    x, y
        Where it begins, or its middle or end by ``anchor``.
    text
        The words.
    letters
        How they look.
    anchor
        ``start``, ``middle`` or ``end``.

    See Also
    --------
    Scene

    """

    x: float
    y: float
    text: str
    letters: Letters
    anchor: Anchor = "start"


Mark = Path | Text


@dataclass(frozen=True, slots=True)
class Group:
    """Marks that belong together, with what is said of them.

    Parameters
    ----------
    marks
        Paths and texts.
    title
        Everything, for those who point at it.
    label
        A short name, for those who hear the picture.
    classes
        Of the style sheet.
    node
        What the group stands for, by its own id.
    at
        Where its origin is.

    See Also
    --------
    Scene

    """

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
    """A whole picture: groups in the order in which they are painted.

    Parameters
    ----------
    groups
        What is painted.
    width, height
        In pixels.
    title, description
        For those who point at it or hear it.
    shown
        The width at which it is shown, where that is another.

    Examples
    --------
    >>> import surefoot as sf
    >>> words = sf.drawing.Text(10.0, 20.0, "safe distance is lost", sf.drawing.Letters("name", 12.0))
    >>> scene = sf.drawing.Scene((sf.drawing.Group((words,)),), 200.0, 40.0, "Tree", "One event.")
    >>> "safe distance is lost" in sf.drawing.svg(scene)
    True

    """

    groups: tuple[Group, ...]
    width: float
    height: float
    title: str
    description: str
    shown: float | None = None
    """The width at which it is shown, where that is another."""
