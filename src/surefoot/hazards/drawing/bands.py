"""A graph as bands: its layers from left to right, in several bands one below the other where they are too many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from surefoot.hazards.drawing.cells import BOX, GAP, LABEL, Builder
from surefoot.hazards.drawing.graph import Graph
from surefoot.hazards.drawing.layers import backward, layers
from surefoot.hazards.drawing.placing import Band, placed
from surefoot.hazards.drawing.risks import Badge


def split_nodes(graph: Graph) -> tuple[list[int], list[int]]:
    """Nodes with flows to others, and nodes without."""
    joined = {end for flow in graph.flows if flow.source != flow.target for end in (flow.source, flow.target)}
    nodes = range(len(graph.nodes))
    return [node for node in nodes if node in joined], [node for node in nodes if node not in joined]


def bands(graph: Graph, joined: list[int], badges: Mapping[str, Badge], room: float) -> list[Band]:
    """All in one band where it fits into the room, else in several of about equal length."""
    if not joined:
        return []
    back, layer = _layered(graph, joined)
    count = max(layer[node] for node in joined) + 1
    for split in ([(0, count - 1)], _split(count, room)):
        found = []
        for first, last in split:
            builder = Builder(graph, layer, badges, first, last).build(joined, back)
            found.append(placed(builder.cells, builder.chains))
        if found[0].width <= room:
            break
    return found


def _layered(graph: Graph, joined: list[int]) -> tuple[frozenset[int], list[int]]:
    """Flows that lead back, and the layer of each node."""
    pairs = [(flow.source, flow.target) for flow in graph.flows]
    proper = [place for place, (source, target) in enumerate(pairs) if source != target]
    found = backward(len(graph.nodes), [pairs[place] for place in proper])
    back = frozenset(proper[place] for place in found)
    forward = [pairs[place][::-1] if place in back else pairs[place] for place in proper]
    number = {node: place for place, node in enumerate(joined)}
    level = layers(len(joined), [(number[source], number[target]) for source, target in forward])
    return back, [level[number[node]] if node in number else 0 for node in range(len(graph.nodes))]


def _split(count: int, room: float) -> Iterator[tuple[int, int]]:
    """First and last layer of each of several bands, with room for what leads elsewhere."""
    fitting = int((room + LABEL + 2 * GAP) / (BOX + LABEL + 2 * GAP)) - 2
    parts = -(-count // max(1, fitting))
    for part in range(parts):
        yield part * count // parts, (part + 1) * count // parts - 1
