"""Pictures written to files: SVG, PNG or PDF by the ending of the name, in the colours of a theme."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.core import InvalidInput
from surefoot.documents import write_whole
from surefoot.drawing.charts import save_figure
from surefoot.drawing.pdf import pdf
from surefoot.drawing.raster import png
from surefoot.drawing.scene import Scene
from surefoot.drawing.svg import svg
from surefoot.drawing.theme import Theme

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
    """The ending of a name, which is one that a scene can be written as."""
    ending = Path(path).suffix.lower()
    if ending not in WRITERS:
        problem, remedy = "unknown ending of a drawing", f"Use one of {', '.join(WRITERS)}."
        raise InvalidInput(problem, where=str(path), found=repr(ending), remedy=remedy)
    return ending
