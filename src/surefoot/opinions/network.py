"""``TrustNetwork``: who trusts whom, who believes what, and what follows for one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Any, Self

from surefoot.core.errors import InvalidInput, Undefined
from surefoot.opinions import discounting, fusion
from surefoot.opinions.opinion import Opinion

Edge = tuple[str, str]


@dataclass(frozen=True)
class TrustNetwork:
    """Trust between agents and their opinions about statements (Josang 2016, chapter 15).

    ``trust`` maps (who, whom) to an opinion about the trustworthiness of whom; ``opinions`` maps
    (agent, statement) to an opinion.
    """

    trust: Mapping[Edge, Opinion]
    opinions: Mapping[Edge, Opinion] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "trust", dict(self.trust))
        object.__setattr__(self, "opinions", dict(self.opinions))
        statements = {statement for _, statement in self.opinions}
        agents = {name for edge in self.trust for name in edge} | {agent for agent, _ in self.opinions}
        _require_edges({**self.trust, **self.opinions})
        if statements & agents:
            raise InvalidInput(
                "a name stands for an agent or for a statement, not for both",
                where="TrustNetwork",
                found=sorted(statements & agents),
                remedy="Rename one of them.",
            )

    def opinion(
        self,
        source: str,
        statement: str,
        *,
        how: fusion.How = "cumulative",
        discount: discounting.How = "uncertainty",
    ) -> Opinion:
        """The opinion of ``source`` about ``statement``: discounted along paths, fused where paths meet.

        The paths must form a directed series-parallel graph (Josang 2016, section 15.3), in which every edge is
        used once: paths that share an edge are fused before that edge. Other graphs would use an edge
        in two paths and count its evidence twice, which is optimistic, and are refused; so are
        cycles. Along a path the opinion next to the statement is discounted first (definition 14.7).
        """
        edges = self._edges_between(source, statement)
        order = _topological(edges)
        graph = {edge: [opinion] for edge, opinion in edges.items()}
        while True:
            graph = {edge: [fusion.fuse(*ways, how=how)] if len(ways) > 1 else ways for edge, ways in graph.items()}
            middle = next((name for name in reversed(order[1:-1]) if _is_link(graph, name)), None)
            if middle is None:
                break
            graph = _linked(graph, middle, discount)
        if set(graph) != {(source, statement)}:
            raise InvalidInput(
                "the paths are not series-parallel: fusing them would count evidence twice",
                where=f"TrustNetwork, {source!r} about {statement!r}",
                found=f"entangled edges {', '.join(f'{a} -> {b}' for a, b in sorted(graph))}",
                remedy="Leave out an edge of an entangled path, the least certain one first.",
            )
        return graph[source, statement][0]

    def _edges_between(self, source: str, statement: str) -> dict[Edge, Opinion]:
        """Edges on some path from source to statement."""
        stated = {edge: opinion for edge, opinion in self.opinions.items() if edge[1] == statement}
        edges = {**self.trust, **stated}
        after = _closure(source, list(edges))
        before = _closure(statement, [(b, a) for a, b in edges])
        used = {(a, b): opinion for (a, b), opinion in edges.items() if a in after and b in before and b != source}
        if not used:
            raise Undefined(
                f"no path of trust leads from {source!r} to an opinion about {statement!r}",
                where="TrustNetwork",
                remedy="Add the trust or the opinion that is missing.",
            )
        return used

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            name: [[*edge, opinion.to_dict()] for edge, opinion in getattr(self, name).items()]
            for name in ("trust", "opinions")
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        if set(data) != {"trust", "opinions"}:
            raise InvalidInput("a trust network has the fields ['opinions', 'trust']", found=sorted(data))
        return cls(*({(a, b): Opinion.from_dict(o) for a, b, o in data[name]} for name in ("trust", "opinions")))


def _require_edges(edges: Mapping[Edge, Opinion]) -> None:
    for edge, opinion in edges.items():
        if not isinstance(opinion, Opinion):
            raise InvalidInput("an edge needs an Opinion", where=f"TrustNetwork, {edge}", found=type(opinion).__name__)
        if edge[0] == edge[1]:
            raise InvalidInput("an agent's trust in itself is no edge", where="TrustNetwork", found=f"{edge}")


def _closure(start: str, edges: list[Edge]) -> set[str]:
    reached, frontier = {start}, [start]
    while frontier:
        name = frontier.pop()
        fresh = {b for a, b in edges if a == name} - reached
        reached |= fresh
        frontier += sorted(fresh)
    return reached


def _topological(edges: Mapping[Edge, Opinion]) -> list[str]:
    """Names in an order in which every edge leads forward; a cycle has none."""
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for a, b in sorted(edges):
        sorter.add(b, a)
    try:
        return list(sorter.static_order())
    except CycleError as error:
        raise InvalidInput(
            "trust runs in a circle",
            where="TrustNetwork",
            found=" -> ".join(reversed(error.args[1])),
            remedy="Leave out one edge of the circle: an agent must not back up its own opinion.",
        ) from None


def _is_link(graph: Mapping[Edge, list[Opinion]], name: str) -> bool:
    return sum(a == name for a, _ in graph) == 1 == sum(b == name for _, b in graph)


def _linked(graph: Mapping[Edge, list[Opinion]], name: str, discount: discounting.How) -> dict[Edge, list[Opinion]]:
    """The graph with the two edges at ``name`` replaced by one."""
    (into,) = (edge for edge in graph if edge[1] == name)
    (out,) = (edge for edge in graph if edge[0] == name)
    derived = graph[out][0].discounted_by(graph[into][0], how=discount)
    rest = {edge: list(parallel) for edge, parallel in graph.items() if edge not in (into, out)}
    rest.setdefault((into[0], out[1]), []).append(derived)
    return rest
