"""A picture as SVG. Everything is said by attributes, so that it can stand inside a page."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from surefoot.drawing import shortened, visible
from surefoot.faulttree.drawing.scene import Circle, Group, Ink, Mark, Path, Scene

FAMILY = "-apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif"
TITLE_LENGTH = 600


def svg(scene: Scene) -> str:
    """One ``<svg>`` element."""
    height = scene.height * scene.shown / scene.width
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {scene.width:.0f} {scene.height:.0f}" '
        f'width="{scene.shown:.0f}" height="{height:.0f}" role="img" font-family="{escape(FAMILY)}">',
        f"<title>{_full(scene.title)}</title><desc>{_full(scene.description)}</desc>",
        f'<rect width="{scene.width:.0f}" height="{scene.height:.0f}" fill="#ffffff"/>',
        *(part for group in scene.groups for part in _group(group)),
        "</svg>",
    ]
    return "".join(parts)


def _group(group: Group) -> Iterator[str]:
    yield f"<g><title>{_full(group.title)}</title>" if group.title else "<g>"
    yield from map(_mark, group.marks)
    yield "</g>"


def _mark(mark: Mark) -> str:
    if isinstance(mark, Path):
        return f'<path d="{mark.steps}" {_ink(mark.ink)}/>'
    if isinstance(mark, Circle):
        return f'<circle cx="{mark.x:.1f}" cy="{mark.y:.1f}" r="{mark.radius:.1f}" {_ink(mark.ink)}/>'
    anchor = "" if mark.anchor == "start" else f' text-anchor="{mark.anchor}"'
    bold = ' font-weight="600"' if mark.bold else ""
    return (
        f'<text x="{mark.x:.1f}" y="{mark.y:.1f}" font-size="{mark.size:.4g}" fill="{mark.colour}"{anchor}{bold}>'
        f"{escape(mark.text, quote=False)}</text>"
    )


def _ink(ink: Ink) -> str:
    dash = ' stroke-dasharray="5 4"' if ink.dashed else ""
    return f'fill="{ink.fill}" stroke="{ink.stroke}" stroke-width="{ink.width:g}"{dash}'


def _full(text: str) -> str:
    return escape(shortened(visible(text), TITLE_LENGTH))
