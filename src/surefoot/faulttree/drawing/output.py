"""Diagrams as text and as files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

from surefoot.core import validate
from surefoot.faulttree.drawing import raster
from surefoot.faulttree.drawing.picture import picture
from surefoot.faulttree.drawing.svg import svg

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree

ENDINGS = (".svg", ".png", ".pdf")


class Options(TypedDict, total=False):
    """What ``draw`` takes beside the tree."""

    highlight: Sequence[str]
    collapse: Iterable[str] | None
    values: Mapping[str, float] | None
    title: str | None
    depth: int | None
    root: str | None
    width: float | None


def draw(
    tree: FaultTree,
    *,
    highlight: Sequence[str] = (),
    collapse: Iterable[str] | None = None,
    values: Mapping[str, float] | None = None,
    title: str | None = None,
    depth: int | None = None,
    root: str | None = None,
    width: float | None = None,
) -> str:
    """The tree as one ``<svg>`` element, which may also stand inside a page.

    A gate that is used several times is drawn once and referred to by a transfer symbol. A gate with many inputs that
    nothing stands below lists them. Events with the attribute ``component`` depend on an ML component and are marked.

    ``highlight`` names events: they are highlighted with every gate that they alone make true on the way to the top.
    With gates among the names, they are a path from the top down, such as a gate and an event below it.

    ``collapse`` names gates to be drawn without what stands below; everything else is then drawn in full. None lets
    the drawing choose what fits ``width`` pixels (1600 unless given); what is highlighted and a way to each ML event
    are always drawn. A drawing that is wider all the same is shown at that width.

    ``values`` are probabilities of events and gates by name, ``title`` is a heading, ``depth`` the most levels of
    gates that are drawn in full, and ``root`` the gate to begin with instead of the top event.
    """
    return svg(
        picture(
            tree,
            highlight=highlight,
            collapse=collapse,
            values=values,
            title=title,
            depth=depth,
            root=root,
            width=width,
        )
    )


def save(tree: FaultTree, path: str | Path, **options: Unpack[Options]) -> Path:
    """Draw into a file: SVG, PNG or PDF by its ending; options as for ``draw``. The file is complete or as it was."""
    from surefoot.documents import write_whole

    ending = ending_of(path)
    scene = picture(tree, **options)
    write_whole(Path(path), svg(scene) if ending == ".svg" else raster.drawn(scene, ending.removeprefix(".")))
    return Path(path)


def ending_of(path: str | Path) -> str:
    """The ending of a name, which is one that can be drawn."""
    return validate.choice(Path(path).suffix.lower(), ENDINGS, where=str(path), name="ending of a drawing")
