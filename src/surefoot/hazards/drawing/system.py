"""The system of a worksheet as a picture: nodes in layers from left to right, flows between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from surefoot.core import validate
from surefoot.drawing.layer_layout import GAP, Band
from surefoot.drawing.legend import ROW, legend
from surefoot.drawing.scene import Group, Scene, Text
from surefoot.drawing.svg import svg
from surefoot.drawing.text import LEADING
from surefoot.drawing.theme import Theme
from surefoot.hazards.drawing.cells import BOX, Cell, bands, box_cell, split_nodes
from surefoot.hazards.drawing.graph import Graph, graph
from surefoot.hazards.drawing.risk_matrix import NOTE, QUIET, badges
from surefoot.hazards.drawing.sketch import RING, Sketch, meanings

if TYPE_CHECKING:
    from surefoot.hazards.worksheet.hazop import Hazop

SMALLEST = 0.75
"""How far a picture may be shrunk to the width that is asked for before it is broken into bands."""
MARGIN, BETWEEN, BELOW = 14.0 + RING, 30.0, 16.0
NARROWEST, GRID = 420.0, 672.0
"""Least room across, and room for nodes side by side."""
SAMPLE = 27.0
"""Room for a sign in the legend."""


def draw_system(hazop: Hazop, *, width: float = 960.0, counts: bool = True, theme: Theme = "light") -> str:
    """Nodes and flows as one ``<svg>`` element; see ``system_scene``. It has no ids and no styles."""
    return svg(system_scene(hazop, width=width, counts=counts), theme=theme)


def system_scene(hazop: Hazop, *, width: float = 960.0, counts: bool = True) -> Scene:
    """Nodes and flows, no wider than ``width``.

    ``counts`` puts the number of rows beside each item, in the colour of their worst risk. A system of very many nodes
    is drawn in part: the nodes nearest to learned ones.
    """
    return next(part_scenes(hazop, width=width, counts=counts))


def draw_parts(
    hazop: Hazop, *, width: float = 960.0, counts: bool = True, tallest: float = float("inf")
) -> Iterator[str]:
    """The same in several pictures, as SVG; see ``part_scenes``."""
    yield from map(svg, part_scenes(hazop, width=width, counts=counts, tallest=tallest))


def part_scenes(
    hazop: Hazop, *, width: float = 960.0, counts: bool = True, tallest: float = float("inf")
) -> Iterator[Scene]:
    """The same in several pictures, so that none is higher than ``tallest`` unless a single band is."""
    validate.positive(width, where="draw_system", name="width")
    sketch = Sketch(graph(hazop), badges(hazop) if counts else {}, hazop.matrix)
    joined, alone = split_nodes(sketch.graph)
    found = bands(sketch.graph, joined, sketch.badges, width / SMALLEST - 2 * MARGIN)
    room = max([NARROWEST, *(band.width for band in found), *([min(width - 2 * MARGIN, GRID)] if alone else [])])
    blocks = [*_blocks(sketch, found, alone, room)]
    shrunk = min(1.0, width / (room + 2 * MARGIN))
    for part in _parts(blocks, tallest / shrunk):
        yield _scene(hazop, sketch.graph, part, room + 2 * MARGIN, width)


@dataclass(frozen=True)
class _Block:
    """Something that takes the whole width, drawn below a height."""

    height: float
    draw: Callable[[float], list[Group]]
    above: float = 0.0
    """Room to what stands above it."""
    clings: bool = False
    """Whether it stays with what stands above it."""


def _blocks(sketch: Sketch, found: list[Band[Cell]], alone: list[int], room: float) -> Iterator[_Block]:
    system = sketch.graph
    if not system.complete:
        yield _note(_part(system))
    if not system.nodes:
        yield _note("There are no nodes and flows yet.")
    for band in found:
        yield _Block(band.height, partial(_band, sketch, band), BETWEEN)
    if alone and found:
        yield _note("without flows to other nodes:", BETWEEN)
    columns = max(1, int((room + GAP) / (BOX + GAP)))
    for start in range(0, len(alone), columns):
        yield _side_by_side(sketch, alone[start : start + columns])
    entries = list(meanings(sketch, found))
    if entries:
        explained = partial(legend, entries, QUIET, left=MARGIN, width=room, sample=SAMPLE)
        yield _Block(max(explained(top=0.0)[1], ROW), lambda y: explained(top=y)[0], BELOW, clings=True)


def _band(sketch: Sketch, band: Band[Cell], y: float) -> list[Group]:
    return list(sketch.groups(band, MARGIN, y))


def _note(text: str, above: float = 0.0) -> _Block:
    """A line of small words."""
    line = NOTE * LEADING
    return _Block(line, lambda y: [Group((Text(MARGIN, y + NOTE, text, QUIET),))], above)


def _side_by_side(sketch: Sketch, nodes: list[int]) -> _Block:
    row = [box_cell(sketch.graph, node, 0, 0) for node in nodes]

    def draw(y: float) -> list[Group]:
        places = ((cell, MARGIN + place * (BOX + GAP) + BOX / 2) for place, cell in enumerate(row))
        return [group for cell, x in places for group in sketch.box(cell, x, y + cell.height / 2)]

    return _Block(max((cell.height + cell.room) / 2 for cell in row), draw, BELOW)


def _parts(blocks: list[_Block], tallest: float) -> Iterator[list[_Block]]:
    part, height = list[_Block](), 2 * MARGIN
    for block in blocks:
        if part and not block.clings and height + block.above + block.height > tallest:
            yield part
            part, height = [], 2 * MARGIN
        part.append(block)
        height += block.above + block.height
    yield part


def _scene(hazop: Hazop, system: Graph, part: list[_Block], full: float, width: float) -> Scene:
    y, groups = MARGIN, list[Group]()
    for place, block in enumerate(part):
        y += block.above if place else 0.0
        groups += block.draw(y)
        y += block.height
    said = f"{system.all_nodes:,} nodes and {system.all_flows:,} flows."
    return Scene(tuple(groups), full, y + MARGIN, f"Nodes and flows of {hazop.name}", said, min(full, width))


def _part(system: Graph) -> str:
    nodes = f"{len(system.nodes):,} of {system.all_nodes:,} nodes"
    flows = f"{len(system.flows):,} of {system.all_flows:,} flows"
    return f"{nodes} and {flows} are drawn: those nearest to learned items."
