"""What a picture is made of: lines and areas, words, groups of them with what is said of them, and colours by name.

Pens and letters name colours of the theme, so that one scene is drawn for light and dark screens and for print.

The names are those of the variables (``--sf-ink``, ...) with which a report is styled, so that a drawing inside a page
takes the colours of the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast, get_args

from surefoot.core import validate

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


Theme = Literal["auto", "light", "dark", "print"]
"""``auto`` follows the setting of the reader, by a style sheet; the others are written into every mark."""
THEMES: tuple[Theme, ...] = get_args(Theme)

COLOURS = {
    "ink": ("#17212b", "#e7ecf2"),
    "muted": ("#55616e", "#a3afbb"),
    "paper": ("#ffffff", "#18202a"),
    "subtle": ("#f3f5f8", "#1f2934"),
    "line-strong": ("#aab4c0", "#56636f"),
    "line": ("#dbe1e8", "#2d3844"),
    "link": ("#1a5c8f", "#83bdec"),
    "good": ("#1a7546", "#62cc94"),
    "good-tint": ("#e7f4ec", "#14291f"),
    "warn": ("#8a5a00", "#e3b457"),
    "warn-tint": ("#fcf2dc", "#2c2413"),
    "bad": ("#b3261e", "#ff9187"),
    "bad-tint": ("#fcebe9", "#341c1a"),
    "bad-strike": ("#dca09c", "#8f5550"),
    "symbol": ("#eaf1f8", "#22303d"),
    "highlight": ("#d1495b", "#ff8a97"),
    "highlight-tint": ("#fbd9de", "#4a2430"),
    "highlight-faint": ("#fdeef0", "#2e1d23"),
    "learned": ("#6a4c93", "#c3a9e8"),
    "learned-tint": ("#f4f0fa", "#2a2338"),
}
"""Light and dark."""
PALETTES = {
    "light": {name: light for name, (light, _) in COLOURS.items()},
    "dark": {name: dark for name, (_, dark) in COLOURS.items()},
}
PALETTES["print"] = PALETTES["light"] | {"ink": "#000000"}
SHEET = Pen("sheet", "none", "paper", 0.0)
"""The ground of a whole picture."""
DASHES = "5 4"


def known(theme: str) -> Theme:
    """A theme by its name; others are refused."""
    return cast("Theme", validate.choice(theme, THEMES, where="drawing", name="theme"))


def fixed(theme: str) -> Theme:
    """A theme for what no reader can restyle, where ``auto`` is ``print``."""
    return "print" if known(theme) == "auto" else known(theme)


def colour(name: str, theme: Theme) -> str:
    """A colour as it is written into a drawing."""
    if name not in COLOURS:
        return name
    return f"var(--sf-{name},{COLOURS[name][0]})" if theme == "auto" else PALETTES[theme][name]


def properties(style: Pen | Letters, theme: Theme) -> dict[str, str]:
    """Properties of SVG that make up a pen or letters."""
    if isinstance(style, Letters):
        weight = {"font-weight": "600"} if style.bold else {}
        return {"font-size": f"{style.size:.4g}", "fill": colour(style.colour, theme), **weight}
    found = {"fill": colour(style.fill, theme)}
    if style.stroke == "none":
        return found
    found |= {"stroke": colour(style.stroke, theme), "stroke-width": f"{style.width:g}"}
    if style.dashed:
        found["stroke-dasharray"] = DASHES
    if style.rounded:
        found |= {"stroke-linecap": "round", "stroke-linejoin": "round"}
    return found


def dark_variables(names: set[str]) -> str:
    """A rule that gives these colours their dark values, on screens of readers who want that."""
    values = ";".join(f"--sf-{name}:{dark}" for name, (_, dark) in COLOURS.items() if name in names)
    return f"@media screen and (prefers-color-scheme:dark){{.sf-graph{{{values}}}}}\n"
