"""Nodes and flows of a worksheet as a graph to draw; of a huge system, the part around learned items."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from surefoot.hazards.worksheet.item import Item

if TYPE_CHECKING:
    from surefoot.hazards.worksheet.hazop import Hazop

MOST_NODES, MOST_FLOWS = 60, 150


@dataclass(frozen=True)
class Flow:
    """A flow between two places of ``Graph.nodes``."""

    item: Item
    source: int
    target: int


@dataclass(frozen=True)
class Graph:
    """What is drawn, and how much there is in all; ``undescribed`` are ends of flows that no node describes."""

    nodes: tuple[Item, ...]
    flows: tuple[Flow, ...]
    undescribed: frozenset[str]
    all_nodes: int
    all_flows: int

    @property
    def complete(self) -> bool:
        """Whether everything is drawn."""
        return len(self.nodes) == self.all_nodes and len(self.flows) == self.all_flows


def graph(hazop: Hazop) -> Graph:
    """All nodes and flows, or the most important of too many."""
    flows = [item for item in hazop.items if item.kind == "flow"]
    nodes = {item.name: item for item in hazop.items if item.kind == "node"}
    ends = dict.fromkeys(end for item in flows for end in (item.source, item.target))
    undescribed = frozenset(name for name in ends if name not in nodes)
    nodes |= {name: Item(name) for name in ends if name not in nodes}
    chosen = _chosen(nodes, flows) if len(nodes) > MOST_NODES else list(nodes)
    place = {name: number for number, name in enumerate(chosen)}
    between = [item for item in flows if item.source in place and item.target in place]
    return Graph(
        tuple(nodes[name] for name in chosen),
        tuple(Flow(item, place[item.source], place[item.target]) for item in between[:MOST_FLOWS]),
        undescribed.intersection(place),
        len(nodes),
        len(flows),
    )


def _chosen(nodes: dict[str, Item], flows: list[Item]) -> list[str]:
    """The nodes nearest to learned ones, or to the first, in their own order."""
    beside: dict[str, list[str]] = {name: [] for name in nodes}
    for flow in flows:
        beside[flow.source].append(flow.target)
        beside[flow.target].append(flow.source)
    learned = {end for flow in flows if flow.learned for end in (flow.source, flow.target)}
    starts = [name for name, node in nodes.items() if node.learned or name in learned]
    reached = _nearest((*starts, *nodes), beside)
    return [name for name in nodes if name in reached]


def _nearest(starts: Iterable[str], beside: dict[str, list[str]]) -> set[str]:
    reached: set[str] = set()
    for start in starts:
        waiting = deque([start])
        while waiting and len(reached) < MOST_NODES:
            name = waiting.popleft()
            if name not in reached:
                reached.add(name)
                waiting.extend(beside[name])
    return reached
