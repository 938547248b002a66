"""Trust chains: a primary metric discounted by what is known about its calibration, data and input space.

Any statement about a model rests on the data it was tested on, and any statement about the data rests on the
description of the input space (Herd & Burton, SAC 2024, Figure 1 and section 4).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from numpy.typing import ArrayLike

from surefoot.core import validate
from surefoot.core.canonical import reading
from surefoot.core.errors import InvalidInput, Undefined
from surefoot.core.validate import FloatArray
from surefoot.opinions import checks
from surefoot.opinions.fusion import Fusion, fuse
from surefoot.opinions.metrics import coverage
from surefoot.opinions.opinion import Discounting, Opinion

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Layer = Literal["model", "data", "input space"]
LAYERS: tuple[str, ...] = get_args(Layer)


@dataclass(frozen=True)
class Link:
    """A secondary opinion with its name and the layer it speaks about.

    Parameters
    ----------
    name
        What it is called.
    layer
        ``"model"``, ``"data"`` or ``"input space"``.
    opinion
        The opinion.

    Examples
    --------
    >>> import surefoot as sf
    >>> from surefoot.opinions import Link
    >>> links = [Link("labels", "data", sf.Opinion(0.9, 0.1, 0)), Link("ODD", "input space", sf.Opinion(0.5, 0.5, 0))]
    >>> round(float(sf.opinions.chain(sf.Opinion(0.9, 0.1, 0), *links).uncertainty), 3)
    0.55

    """

    name: str
    layer: Layer
    opinion: Opinion

    def __post_init__(self) -> None:
        where = f"Link {self.name!r}"
        validate.choice(self.layer, LAYERS, where=where, name="layer")
        checks.fitting(where, self.opinion, kind="binomial")


def chain(primary: Opinion, *secondary: Opinion | Link, how: Discounting = "uncertainty") -> Opinion:
    """The primary opinion discounted by each secondary one, innermost first.

    Parameters
    ----------
    primary
        Opinion about a metric of the model.
    secondary
        What is known about its calibration, data and input space. Links must ascend from model to data to input space;
        plain opinions stand where they are put.
    how
        The discounting operator; see ``Opinion.discounted_by``.

    Returns
    -------
    Opinion
        What is left of the primary one.

    References
    ----------
    Herd and Burton (2024), Eqns. (27) and (28).

    Examples
    --------
    >>> calibration, data = Opinion(0.99, 0.01, 0), Opinion(0.9, 0.1, 0)
    >>> round(float(chain(Opinion(0.97, 0.02, 0.01), calibration, data).uncertainty), 5)
    0.11791

    """
    return chain_steps(primary, *secondary, how=how)[-1]


def chain_steps(primary: Opinion, *secondary: Opinion | Link, how: Discounting = "uncertainty") -> tuple[Opinion, ...]:
    """The primary opinion and what is left of it after each link of the chain.

    Parameters
    ----------
    primary, secondary, how
        As for ``chain``.

    Returns
    -------
    tuple of Opinion
        One more than there are links.

    Examples
    --------
    >>> import surefoot as sf
    >>> steps = sf.opinions.chain_steps(sf.Opinion(0.8, 0.2, 0), sf.Opinion(0.5, 0.5, 0))
    >>> [float(step.uncertainty) for step in steps]
    [0.0, 0.5]

    """
    _check_order(secondary)
    trusts = [link.opinion if isinstance(link, Link) else link for link in secondary]
    checks.fitting("chain", primary, *trusts, kind="binomial")
    steps = [primary]
    for trust in trusts:
        steps.append(steps[-1].discounted_by(trust, how=how))
    return tuple(steps)


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """How a discounted opinion's interval moves with the coverage that is missing, in arrays of one length.

    See Also
    --------
    coverage_sensitivity : Gives one, with an example.

    """

    loss: FloatArray
    lower: FloatArray
    mean: FloatArray
    upper: FloatArray
    level: float

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Mean and interval against the coverage that is missing."""
        from surefoot.opinions.plots import sensitivity_curve

        return sensitivity_curve(self, ax=ax)


def coverage_sensitivity(opinion: Opinion, loss: ArrayLike, *, level: float = 0.95) -> Sensitivity:
    """Discount ``opinion`` by coverages of 1 - ``loss`` without uncertainty (Herd & Burton 2024, Figure 3).

    Parameters
    ----------
    opinion
        A primary opinion.
    loss
        Shares of the input space that are not covered.
    level
        Probability of the interval.

    Returns
    -------
    Sensitivity
        Mean and interval for each loss.

    References
    ----------
    Herd and Burton (2024), Figure 3.

    Examples
    --------
    >>> import surefoot as sf
    >>> found = sf.opinions.coverage_sensitivity(sf.opinions.recall(470, 10), [0.01, 0.5])
    >>> found.mean.round(3).tolist()
    [0.972, 0.739]

    """
    where = "coverage_sensitivity"
    losses = validate.unit_vector(loss, where=where, name="loss").copy()
    result = chain(opinion, coverage(1 - losses, 1.0, prior_weight=0))
    checked = validate.level(level, where=where)
    lower, upper = result.interval(checked)
    return Sensitivity(losses, lower, result.probability, upper, checked)


def _check_order(secondary: tuple[Opinion | Link, ...]) -> None:
    links = [link for link in secondary if isinstance(link, Link)]
    for inner, outer in pairwise(links):
        if LAYERS.index(inner.layer) > LAYERS.index(outer.layer):
            raise InvalidInput(
                "links must ascend from model to data to input space",
                where="chain",
                found=f"{inner.name!r} ({inner.layer}) before {outer.name!r} ({outer.layer})",
                remedy="Give the innermost link first.",
            )


# ``TrustNetwork``: who trusts whom, who believes what, and what follows for one of them.

Edge = tuple[str, str]
FIELDS = ("trust", "opinions")


@dataclass(frozen=True)
class TrustNetwork:
    """Trust between agents and their opinions about statements.

    Parameters
    ----------
    trust
        Opinions about the trustworthiness of whom, by (who, whom).
    opinions
        Opinions by (agent, statement).

    References
    ----------
    Jøsang (2016), chapter 15.

    Examples
    --------
    >>> import surefoot as sf
    >>> network = sf.opinions.TrustNetwork(
    ...     {("me", "lab"): sf.Opinion(0.5, 0.5, 0)}, {("lab", "model is safe"): sf.Opinion(0.8, 0.2, 0)}
    ... )
    >>> network.opinion("me", "model is safe")
    Opinion(belief=0.4, disbelief=0.1, uncertainty=0.5, base_rate=0.5)

    """

    trust: Mapping[Edge, Opinion]
    opinions: Mapping[Edge, Opinion] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in FIELDS:
            object.__setattr__(self, name, MappingProxyType(_edges(getattr(self, name), name)))
        statements = {statement for _, statement in self.opinions}
        agents = {name for edge in self.trust for name in edge} | {agent for agent, _ in self.opinions}
        if statements & agents:
            raise InvalidInput(
                "a name stands for an agent or for a statement, not for both",
                where="TrustNetwork",
                found=sorted(statements & agents),
                remedy="Rename one of them.",
            )

    def __hash__(self) -> int:
        return hash((frozenset(self.trust.items()), frozenset(self.opinions.items())))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (dict(self.trust), dict(self.opinions))

    def opinion(
        self,
        source: str,
        statement: str,
        *,
        how: Fusion = "cumulative",
        discount: Discounting = "uncertainty",
    ) -> Opinion:
        """The opinion of ``source`` about ``statement``: discounted along paths, fused where paths meet.

        The paths must form a directed series-parallel graph (Jøsang 2016, section 15.3), in which every edge is
        used once: paths that share an edge are fused before that edge. Other graphs would use an edge
        in two paths and count its evidence twice, which is optimistic, and are refused; so are
        cycles. Along a path the opinion next to the statement is discounted first (definition 14.7).

        Parameters
        ----------
        source, statement
            Their names.
        how
            How paths are fused; see ``fuse``.
        discount
            The discounting operator; see ``Opinion.discounted_by``.

        Returns
        -------
        Opinion
            Of the source, about the statement.

        """
        where = "TrustNetwork.opinion"
        validate.choice(how, get_args(Fusion), where=where, name="how")
        validate.choice(discount, get_args(Discounting), where=where, name="discount")
        if not isinstance(source, str) or not isinstance(statement, str):
            raise InvalidInput("source and statement are names", where=where, found=f"{source!r}, {statement!r}")
        edges = self._edges_between(source, statement)
        order = _topological(edges)
        graph = {edge: [opinion] for edge, opinion in edges.items()}
        while True:
            graph = {edge: [fuse(*ways, how=how)] if len(ways) > 1 else ways for edge, ways in graph.items()}
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
        return {name: [[*edge, opinion.to_dict()] for edge, opinion in getattr(self, name).items()] for name in FIELDS}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        where = "TrustNetwork.from_dict"
        fields = checks.fields(data, FIELDS, where=where)
        with reading("trust network"):
            return cls(*(_recorded_edges(fields[name], where) for name in FIELDS))


def _recorded_edges(rows: Iterable[tuple[str, str, Mapping[str, Any]]], where: str) -> dict[Edge, Opinion]:
    edges = [((a, b), Opinion.from_dict(opinion)) for a, b, opinion in rows]
    checks.distinct((edge for edge, _ in edges), where=where, what="an edge")
    return dict(edges)


def _edges(edges: Mapping[Edge, Opinion], name: str) -> dict[Edge, Opinion]:
    where = f"TrustNetwork, {name}"
    for edge, opinion in checks.mapping(edges, where=where, name=name).items():
        if not isinstance(edge, tuple) or len(edge) != 2 or not all(isinstance(end, str) and end for end in edge):
            raise InvalidInput("an edge is a pair of names", where=where, found=repr(edge))
        if not isinstance(opinion, Opinion):
            raise InvalidInput("an edge needs an Opinion", where=f"{where} {edge}", found=type(opinion).__name__)
        if edge[0] == edge[1]:
            raise InvalidInput("an agent's trust in itself is no edge", where=where, found=f"{edge}")
    return dict(edges)


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


def _linked(graph: Mapping[Edge, list[Opinion]], name: str, discount: Discounting) -> dict[Edge, list[Opinion]]:
    """The graph with the two edges at ``name`` replaced by one."""
    (into,) = (edge for edge in graph if edge[1] == name)
    (out,) = (edge for edge in graph if edge[0] == name)
    derived = graph[out][0].discounted_by(graph[into][0], how=discount)
    rest = {edge: list(parallel) for edge, parallel in graph.items() if edge not in (into, out)}
    rest.setdefault((into[0], out[1]), []).append(derived)
    return rest
