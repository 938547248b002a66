"""What the signs in the picture of a system mean: only those that stand in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from surefoot.drawing import shortened, visible
from surefoot.faulttree.drawing.legend import MOST_CHARACTERS, Entry
from surefoot.faulttree.drawing.marks import oval, rectangle
from surefoot.faulttree.drawing.scene import RING, Mark, Path
from surefoot.hazards.drawing.placing import Band
from surefoot.hazards.drawing.risks import badge_marks
from surefoot.hazards.drawing.sketch import BACK, ELSEWHERE, LEARNED_BOX, UNDESCRIBED, Sketch
from surefoot.hazards.worksheet.matrix import RiskMatrix


def entries(sketch: Sketch, bands: Sequence[Band]) -> Iterator[Entry]:
    """One entry for each kind of sign."""
    graph = sketch.graph
    items = [*graph.nodes, *(flow.item for flow in graph.flows)]
    if any(item.learned for item in items):
        yield Entry(_learned, "ML: comes from machine learning")
    if any(chain.back for band in bands for chain in band.chains):
        yield Entry(lambda x, y: [Path(f"M {x - 11:.1f} {y + 9:.1f} H {x + 11:.1f}", BACK)], "leads back")
    if any(cell.kind == "elsewhere" for band in bands for cell in band.cells):
        yield Entry(lambda x, y: [oval(x - 11, y + 3, 22, 12, ELSEWHERE)], "is drawn elsewhere")
    if graph.undescribed:
        yield Entry(lambda x, y: [rectangle(x - 11, y + 2, 22, 14, UNDESCRIBED)], "named by a flow, not described")
    shown = {sketch.badges[item.name].risk for item in items if item.name in sketch.badges}
    yield from (_risk(sketch.matrix, risk) for risk in (*sketch.matrix.order, "") if risk in shown)


def _learned(x: float, y: float) -> list[Mark]:
    return [rectangle(x - 11, y + 1, 22, 16, RING), rectangle(x - 8, y + 4, 16, 10, LEARNED_BOX)]


def _risk(matrix: RiskMatrix, risk: str) -> Entry:
    text = f"n rows, worst risk {risk}" if risk else "n rows, risk not rated"
    return Entry(lambda x, y: badge_marks("n", risk, matrix, x, y + 9), shortened(visible(text), MOST_CHARACTERS))
