"""A scene as SVG, to be written to a file, put into a page, or turned into PNG and PDF."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from surefoot.documents import shortened, visible
from surefoot.drawing.scene import Group, Letters, Mark, Path, Pen, Point, Scene
from surefoot.drawing.shapes import short
from surefoot.drawing.theme import COLOURS, SHEET, Theme, dark_variables, known, properties

FAMILY = "-apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif"
TITLE_LENGTH = 2000


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
        if isinstance(mark, Path):
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
    return escape(shortened(visible(text), TITLE_LENGTH))
