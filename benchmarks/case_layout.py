"""Layout of assurance cases against ``grandalf``, which draws layered graphs (Sugiyama's method).

The peer gets boxes whose words are wrapped already, and only places them; ours wraps the words too.
"""

from __future__ import annotations

from grandalf.graphs import Edge, Graph, Vertex
from grandalf.layouts import SugiyamaLayout

from benchmarks.harness import Row, in_turn
from surefoot.case.drawings import Layout, lay_out
from surefoot.case.model import Case, Node

SIZES = (300, 4_000)
"""At 10,000 nodes the peer runs into Python's limit of recursion, and its time grows with the square."""
CHILDREN = 4
PEER = "grandalf"


class _View:
    """What the peer needs of a box."""

    def __init__(self, width: float, height: float) -> None:
        self.w, self.h = width, height


def measure() -> list[Row]:
    """Rows for a case of a usual size and for a very large one."""
    return [_row(size) for size in SIZES]


def _row(size: int) -> Row:
    case = _case(size)
    layout = lay_out(case, notation="gsn")
    timed = in_turn(lambda: lay_out(case, notation="gsn"), lambda: _peer(layout), rounds=3)
    note = f"ours wraps the words too; one thread each; {timed}; at 10,000 nodes the peer fails (RecursionError)"
    return Row(f"layout of a case of {size:,} nodes", timed.seconds[0], PEER, timed.seconds[1], note)


def _case(size: int) -> Case:
    """A tree of claims with evidence at its leaves."""
    nodes = []
    for number in range(size):
        below = tuple(f"N{CHILDREN * number + k}" for k in range(1, CHILDREN + 1) if CHILDREN * number + k < size)
        text = f"Claim {number} holds under all conditions that the operational design domain names."
        nodes.append(Node(f"N{number}", "claim" if below else "evidence", text, below))
    return Case.of(nodes)


def _peer(layout: Layout) -> None:
    vertices = {box.id: Vertex(box.id) for box in layout.boxes}
    for box in layout.boxes:
        vertices[box.id].view = _View(box.width, box.height)
    edges = [Edge(vertices[edge.source], vertices[edge.target]) for edge in layout.edges]
    placed = SugiyamaLayout(Graph(list(vertices.values()), edges).C[0])
    placed.init_all(roots=[vertices[layout.boxes[0].id]])
    placed.draw()


if __name__ == "__main__":
    for row in measure():
        print(f"{row.task:45} {row.seconds:8.3f} s  {row.ratio:8.1f} times {row.peer}")
