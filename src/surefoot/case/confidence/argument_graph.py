"""The case as a graph of units: what is combined with what, which number judges evidence, raw counts pooled.

A unit is a node, except that evidence and arguments under claims with different numbers are one unit for each number:
"at most 1%" and "at most 2%" are two statements about one measurement. Units come so that what one rests on comes
before it. A condition that arguments about different results share is one unit for each of these. References to
nothing, and those that would close a circle, count as missing parts. Side-warrants warrant the argument they stand
beside; an argument that rests on nothing else is held up by them. A sub-case that stands for evidence or an argument of
another module speaks about the number above it, as those do.

Two reports of tests of the same thing are not two chances to be right: 2 failures in 1,000 trials and 9 in another
1,000 are 11 in 2,000, with one exact bound (Clopper and Pearson 1934; events in hours: Garwood 1936). Counts are pooled
where quantity, unit and scope agree and the data are not the same; where models are known, they must be one. That the
counts come from one population is an assumption of the pooled number.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from surefoot.case.evaluation import Measured, References, Shared, results_beside
from surefoot.case.model import GIVEN, STANDING_IN, Case, Kind, Node, Number
from surefoot.core import Assumption, Beta, BoundFamily, Diagnostic, Estimate, Provenance, QuantileBound, certain, union
from surefoot.core.canonical import FrozenMap
from surefoot.core.distributions import Gamma
from surefoot.core.estimate import PER_DEMAND
from surefoot.documents import listed

UNDERCUT = ("argument", "evidence")
"""Kinds whose challengers take their force away; those of other kinds speak against what they say."""
INHERITING: tuple[Kind, ...] = ("argument", "evidence")
"""Kinds that speak about the number of the claim above them."""


@dataclass(frozen=True, slots=True)
class Context:
    """What a unit speaks about: a number or none, whether it speaks against it, and what is pooled under its claim."""

    number: Number | None = None
    against: bool = False
    pools: tuple[Pool, ...] = ()
    about: References = ()
    """Of a condition that arguments share: the results of those that it is judged for here."""

    def pool(self, identity: str) -> Pool | None:
        """The pool that a piece of evidence belongs to here."""
        return next((pool for pool in self.pools if identity in pool.nodes), None)


@dataclass(frozen=True, slots=True)
class Unit:
    """A node as one statement, with the indices of the units that it rests on."""

    node: Node
    context: Context
    parts: tuple[int, ...] = ()
    warrants: tuple[int, ...] = ()
    challengers: tuple[int, ...] = ()
    missing: int = 0
    missing_warrants: int = 0

    @property
    def leaf(self) -> bool:
        """Whether nothing is below it."""
        return not self.parts and not self.missing


@dataclass(frozen=True)
class Graph:
    """All units of a case, from below upward."""

    case: Case
    units: tuple[Unit, ...]
    of: Mapping[str, tuple[int, ...]]
    """The units of each node."""
    users: tuple[tuple[int, ...], ...]
    """For each unit those that rest on it, one entry a use."""
    speaking: frozenset[str] = frozenset()
    """Nodes that speak about the number of the claim above them."""

    def first(self, identity: str) -> int:
        """The unit of a node that has only one, as claims have."""
        return self.of[identity][0]

    def legs(self, unit: Unit) -> tuple[tuple[int, ...], ...]:
        """The parts of a unit so that any one group of them suffices; legs that share pooled counts are one.

        Of a unit that needs all its parts this is one group.
        """
        if unit.node.combining != "legs":
            return (unit.parts,)
        groups: list[tuple[set[int], list[int]]] = []
        for part in unit.parts:
            pooled, members = set(self._pooled[part]), [part]
            apart = []
            for group in groups:
                if group[0] & pooled:
                    pooled |= group[0]
                    members = group[1] + members
                else:
                    apart.append(group)
            groups = [*apart, (pooled, members)]
        return tuple(tuple(members) for _, members in groups)

    @cached_property
    def _pooled(self) -> list[frozenset[int]]:
        """For each unit the pooled evidence that it speaks by."""
        found: list[frozenset[int]] = []
        for index, unit in enumerate(self.units):
            if unit.node.id not in self.speaking:
                found.append(frozenset())
            elif unit.leaf:
                pool = unit.context.pool(unit.node.id)
                found.append(frozenset((index,) if pool is not None and len(pool.references) > 1 else ()))
            else:
                found.append(frozenset().union(*(found[each] for each in unit.parts)))
        return found


@dataclass(frozen=True, eq=False)
class Pool:
    """Pieces of evidence under one claim that make one statement.

    Two pools are equal that say the same of the same nodes.
    """

    nodes: tuple[str, ...]
    """Ids of evidence, sorted; the first stands for all."""
    estimate: Estimate
    text: str = ""
    """What was pooled, in words."""
    references: tuple[str, ...] = ()
    """The results that were pooled."""
    operated: bool = False
    """Whether operation was pooled with tests."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pool) and (self.nodes, self.estimate.key) == (other.nodes, other.estimate.key)

    def __hash__(self) -> int:
        return hash(self.nodes)


Pools = Mapping[str, tuple[Pool, ...]]
"""By the ids of claims what is pooled under them."""
NOT_POOLED: Pools = FrozenMap()


def graph(
    case: Case,
    *,
    settled: Callable[[Node, References], bool] = lambda node, about: False,
    pooled: Pools = NOT_POOLED,
) -> Graph:
    """The units of a case; ``settled`` nodes are decided by themselves, whatever holds them up."""
    kinds, shared = _kinds(case), results_beside(case)
    speaking = _speaking(kinds)
    contexts = _contexts(case, speaking, shared, pooled)
    making = _Making(case, kinds, speaking, settled, shared, pooled)
    index: dict[tuple[str, Context], int] = {}
    units: list[Unit] = []
    of: dict[str, tuple[int, ...]] = {}
    for identity in case.upward:
        places = []
        for context in contexts[identity]:
            key = _standing_for(identity, context)
            if key not in index:
                units.append(making.unit(case.nodes[key[0]], context, index))
                index[key] = len(units) - 1
            places.append(index[key])
        of[identity] = tuple(places)
    return Graph(case, tuple(units), of, _users(units), speaking)


def _speaking(kinds: Mapping[str, Kind]) -> frozenset[str]:
    return frozenset(identity for identity, kind in kinds.items() if kind in INHERITING)


def _standing_for(identity: str, context: Context) -> tuple[str, Context]:
    """The node that stands for all that is pooled with it."""
    pool = context.pool(identity) if context.pools else None
    return (pool.nodes[0] if pool is not None else identity), context


def _users(units: list[Unit]) -> tuple[tuple[int, ...], ...]:
    users: list[list[int]] = [[] for _ in units]
    for place, unit in enumerate(units):
        for each in (*unit.parts, *unit.warrants, *unit.challengers):
            users[each].append(place)
    return tuple(map(tuple, users))


def _kinds(case: Case) -> dict[str, Kind]:
    """What each node is; of a sub-case what it stands for, as far as that is here."""
    return {node.id: _stands_for(case, node).kind for node in case}


def _stands_for(case: Case, node: Node) -> Node:
    seen: set[str] = set()
    while node.kind in STANDING_IN and node.id not in seen:
        seen.add(node.id)
        node = case.nodes[case.resolved(node.id)]
    return node


def _contexts(case: Case, speaking: frozenset[str], shared: Shared, pooled: Pools) -> dict[str, tuple[Context, ...]]:
    """By which numbers, or for which results, each node is judged, found from above."""
    found: dict[str, dict[Context, None]] = {identity: {} for identity in case.nodes}
    for identity in reversed(case.upward):
        node = case.nodes[identity]
        if identity in shared:
            found[identity] = dict.fromkeys(Context(about=each) for each in shared[identity].values() or ((),))
        elif identity not in speaking:
            found[identity] = {Context(node.number): None}
        elif not found[identity]:
            found[identity] = {Context(): None}
        for context in found[identity]:
            inherited = context if _passing_on(node, speaking) else _heard_by(node, pooled)
            for below in _held_up_by(case, node):
                if below in speaking:
                    found[below].setdefault(inherited, None)
        for beside in (*node.in_context_of, *node.confidence):
            if beside in speaking:
                found[beside].setdefault(Context(), None)
        for challenger in case.challengers.get(identity, ()):
            if challenger in speaking:
                found[challenger].setdefault(Context(node.number, against=True), None)
    return {identity: tuple(contexts) for identity, contexts in found.items()}


def _heard_by(node: Node, pooled: Pools) -> Context:
    """What speaks to a claim speaks about its number."""
    return Context(node.number, pools=pooled.get(node.id, ()))


def _passing_on(node: Node, speaking: frozenset[str]) -> bool:
    """Whether what holds it up speaks about the same number: arguments, and sub-cases that stand for what speaks."""
    return node.kind == "argument" or (node.kind in STANDING_IN and node.id in speaking)


def _held_up_by(case: Case, node: Node) -> tuple[str, ...]:
    stands_for = case.resolved(node.id)
    return node.supported_by if stands_for == node.id else tuple(dict.fromkeys((stands_for, *node.supported_by)))


@dataclass(frozen=True)
class _Making:
    """Makes units; ``settled`` nodes are decided by themselves."""

    case: Case
    kinds: Mapping[str, Kind]
    speaking: frozenset[str]
    settled: Callable[[Node, References], bool]
    shared: Shared
    pooled: Pools

    def unit(self, node: Node, context: Context, index: Mapping[tuple[str, Context], int]) -> Unit:
        """The unit of a node in a context; ``index`` has those before it."""

        def places(identities: Iterable[str], inherited: Context) -> list[int | None]:
            keys = dict.fromkeys(self._key(each, inherited, node.id) for each in dict.fromkeys(identities))
            return [index.get(key) for key in keys]

        if self.settled(node, context.about):
            return Unit(node, context)
        held_up_by = _held_up_by(self.case, node)
        warranting = tuple(each for each in node.in_context_of if self.kinds.get(each) not in GIVEN) + node.confidence
        if node.kind == "argument" and not held_up_by and not node.undeveloped:
            held_up_by, warranting = warranting, ()
        inherited = context if _passing_on(node, self.speaking) else _heard_by(node, self.pooled)
        # What a relation that is defeated leads to holds nothing up, and is missing.
        defeated = set(node.defeated_relations)
        below = places((each for each in held_up_by if each not in defeated), inherited)
        below += [None for each in dict.fromkeys(held_up_by) if each in defeated]
        beside = places(warranting, Context())
        against = [each for each in self.case.challengers.get(node.id, ()) if not self.case.nodes[each].defeated]
        return Unit(
            node,
            context,
            parts=_known(below),
            warrants=_known(beside),
            challengers=_known(places(against, Context(node.number, against=True))),
            missing=below.count(None),
            missing_warrants=beside.count(None),
        )

    def _key(self, identity: str, inherited: Context, user: str) -> tuple[str, Context]:
        if identity in self.shared:
            return identity, Context(about=self.shared[identity].get(user, ()))
        if identity not in self.case.nodes or identity in self.speaking:
            return _standing_for(identity, inherited)
        return identity, Context(self.case.nodes[identity].number)


def _known(places: list[int | None]) -> tuple[int, ...]:
    return tuple(each for each in places if each is not None)


# Evidence that speaks to a claim with a number, and what of it may be pooled.


@dataclass(frozen=True)
class Heard:
    """The evidence under one claim with a number, by the results that it names."""

    all: Mapping[str, str]
    poolable: Mapping[str, str]
    """What stands by itself: nothing is held against it, and where it is one of several legs, its leg needs nothing
    but evidence and assumptions."""


def heard(case: Case, broken: Callable[[Node], bool]) -> dict[str, Heard]:
    """For each claim with a number the evidence that speaks about it, through arguments alone.

    ``broken`` says of an assumption whether something contradicts it.
    """
    speaking = _speaking(_kinds(case))
    bare = _bare(case, speaking, broken) if any(node.combining == "legs" for node in case) else frozenset()
    return {node.id: _heard(case, node, speaking, bare) for node in case if node.number is not None}


def _heard(case: Case, claim: Node, speaking: frozenset[str], bare: Collection[str]) -> Heard:
    found, poolable = dict[str, str](), dict[str, str]()
    seen: set[tuple[str, bool]] = set()
    todo = [(claim, True)]
    while todo:
        node, free = todo.pop()
        forked = node.combining == "legs" and len(set(node.supported_by)) > 1
        for below in _held_up_by(case, node):
            if below in speaking and below not in node.defeated_relations and (below, free) not in seen:
                seen.add((below, free))
                part, still_free = case.nodes[below], free and (not forked or below in bare)
                if part.kind == "evidence" and part.rests_on and not part.assumption:
                    found[below] = part.rests_on
                    if still_free and _alone(case, part):
                        poolable[below] = part.rests_on
                elif _passing_on(part, speaking):
                    todo.append((part, still_free))
    return Heard(found, poolable)


def _bare(case: Case, speaking: frozenset[str], broken: Callable[[Node], bool]) -> frozenset[str]:
    """What needs nothing but evidence, and assumptions that nothing holds up and nothing contradicts."""
    found: set[str] = set()
    for identity in case.upward:
        node = case.nodes[identity]
        plain = not (node.undeveloped or node.defeated or node.defeated_relations or identity in case.challengers)
        below = all(each in found for each in _held_up_by(case, node))
        beside = (case.nodes.get(each) for each in (*node.in_context_of, *node.confidence))
        if identity in speaking and plain and below and all(each and _sound(case, each, broken) for each in beside):
            found.add(identity)
    return frozenset(found)


def _sound(case: Case, node: Node, broken: Callable[[Node], bool]) -> bool:
    return node.kind in GIVEN or not (
        node.supported_by or node.undeveloped or node.id in case.challengers or broken(node)
    )


def _alone(case: Case, node: Node) -> bool:
    """Whether evidence needs nothing else, and nothing is held against it."""
    held = node.defeated or node.undeveloped or node.below or node.challenges
    return not held and node.id not in case.challengers


ONE_POPULATION = Assumption("one-population", "All pooled counts come from one population and one operational profile.")
MODEL = "model"
"""Digests of models are told apart from those of data by this word in their names."""
EVENTS, HOURS = ("events", "incidents", "failures"), ("hours", "exposure")


@dataclass(frozen=True)
class Count:
    """So many events in so many trials, or in so much exposure."""

    events: int
    exposure: float
    trials: bool
    """Whether the exposure is a number of trials, each of which fails or not."""

    @classmethod
    def of(cls, estimate: Estimate) -> Count | None:
        """What was counted, where the estimate says that and no more: its bound is the exact one of these counts."""
        upper = next((each for each in estimate.bounds if each.side == "upper" and each.kind == "confidence"), None)
        details = estimate.details
        if not isinstance(upper, QuantileBound):
            return None
        if isinstance(upper.dist, Beta):
            k, n = details.get("failures"), details.get("trials")
            if isinstance(k, int) and isinstance(n, int) and upper.dist == Beta(k + 1, n - k):
                return cls(k, float(n), True)
        if isinstance(upper.dist, Gamma):
            k = next((details[name] for name in EVENTS if isinstance(details.get(name), int)), None)
            hours = next((details[name] for name in HOURS if isinstance(details.get(name), int | float)), None)
            if k is not None and hours and math.isclose(upper.dist.shape, k + 1) and _is_rate(upper.dist, hours):
                return cls(k, float(hours), False)
        return None

    def __add__(self, other: Count) -> Count:
        return Count(self.events + other.events, self.exposure + other.exposure, self.trials)

    def __str__(self) -> str:
        return f"{self.events:,} in {self.exposure:,.10g}"

    def bounds(self) -> tuple[BoundFamily, BoundFamily]:
        """Exact limits of a probability or of a rate."""
        k, n = self.events, self.exposure
        if self.trials:
            upper, lower = Beta(k + 1, round(n) - k), Beta(k, round(n) - k + 1)
            return QuantileBound(upper, "upper", "confidence"), QuantileBound(lower, "lower", "confidence")
        below: BoundFamily = QuantileBound(Gamma(k, 1 / n), "lower", "confidence") if k else certain(0.0, "lower")
        return QuantileBound(Gamma(k + 1, 1 / n), "upper", "confidence"), below

    def estimate(
        self,
        quantity: str,
        unit: str = PER_DEMAND,
        scope: str = "",
        *,
        assumptions: Iterable[Assumption] = (),
        caveats: Iterable[Diagnostic] = (),
        inputs: Sequence[str] = (),
        method: str = "case.pooled",
    ) -> Estimate:
        """The estimate of what was counted."""
        amount = round(self.exposure) if self.trials else self.exposure
        names = ("failures", "trials") if self.trials else ("events", "exposure")
        details = dict(zip(names, (self.events, amount), strict=True))
        return Estimate(
            quantity,
            self.events / self.exposure,
            unit,
            scope,
            bounds=self.bounds(),
            assumptions=tuple(assumptions),
            caveats=tuple(caveats),
            details=details,
            provenance=Provenance(method, details, tuple(inputs)),
        )


def _is_rate(dist: Gamma, hours: float) -> bool:
    return math.isclose(dist.mean, dist.shape / hours, rel_tol=1e-9)


@dataclass(frozen=True)
class _Piece:
    """One result under a claim, with the evidence that names it."""

    reference: str
    estimate: Estimate
    nodes: tuple[str, ...]
    count: Count | None
    source: Provenance

    @property
    def data(self) -> frozenset[str]:
        return frozenset(value for name, value in self.source.data.items() if not name.startswith(MODEL))

    @property
    def population(self) -> tuple[object, ...]:
        """What must agree so that counts may be pooled."""
        assert self.count is not None, "only counts have a population"
        model = next((value for name, value in sorted(self.source.data.items()) if name.startswith(MODEL)), "")
        return self.estimate.quantity, self.estimate.unit, self.estimate.scope, self.count.trials, model

    def repeats(self, other: _Piece) -> bool:
        """Whether it is the same result under another name."""
        return self.estimate.digest == other.estimate.digest and (
            self.source.key == other.source.key or bool(self.data and self.data == other.data)
        )


def pools(
    evidence: Mapping[str, str], measured: Measured, operation: Count | None = None, *, unit: str = ""
) -> Iterator[Pool]:
    """The pools under one claim.

    ``evidence`` has the result of each node that may be pooled; ``operation`` is what was counted in the field, for the
    one quantity of the claim.
    """
    pieces = list(_distinct(_pieces(evidence, measured)))
    groups: dict[tuple[object, ...], list[_Piece]] = defaultdict(list)
    for piece in pieces:
        if piece.count is not None:
            groups[piece.population].append(piece)
    fitting = [key for key in groups if operation is not None and key[1] == unit and key[3] == operation.trials]
    pooled: set[str] = set()
    for key, group in groups.items():
        together = list(_apart(group))
        field = operation if len(fitting) == 1 and key == fitting[0] else None
        if len(together) > 1 or field is not None:
            pooled |= {piece.reference for piece in together}
            yield _pooled(together, field)
    for piece in pieces:
        if piece.reference not in pooled and len(piece.nodes) > 1:
            yield Pool(piece.nodes, piece.estimate, "", (piece.reference,))


def _pieces(evidence: Mapping[str, str], measured: Measured) -> Iterator[_Piece]:
    named: dict[str, list[str]] = defaultdict(list)
    for node, reference in evidence.items():
        named[reference].append(node)
    for reference in sorted(named):
        estimate = measured.estimate(reference)
        if estimate is not None:
            sound = all(each.status != "contradicted" for each in estimate.assumptions)
            source = measured.source(reference) or estimate.provenance
            count = Count.of(estimate) if sound else None
            yield _Piece(reference, estimate, tuple(sorted(named[reference])), count, source)


def _distinct(pieces: Iterable[_Piece]) -> Iterator[_Piece]:
    """What is there under several names, once."""
    found: list[_Piece] = []
    for piece in pieces:
        place = next((number for number, each in enumerate(found) if piece.repeats(each)), None)
        if place is None:
            found.append(piece)
        else:
            found[place] = replace(found[place], nodes=tuple(sorted((*found[place].nodes, *piece.nodes))))
    yield from found


def _apart(group: Sequence[_Piece]) -> Iterator[_Piece]:
    """Counts of data that have nothing in common; of counts of the same data the largest."""
    seen: set[str] = set()
    for piece in sorted(group, key=_largest_first):
        if not piece.data & seen:
            seen |= piece.data
            yield piece


def _largest_first(piece: _Piece) -> tuple[float, int, str]:
    assert piece.count is not None, "only counts are compared"
    return -piece.count.exposure, -piece.count.events, piece.estimate.digest


def _pooled(pieces: Sequence[_Piece], field: Count | None) -> Pool:
    first, counts = pieces[0].estimate, [piece.count for piece in pieces if piece.count is not None]
    total = sum([*counts[1:], *([] if field is None else [field])], counts[0])
    nodes = tuple(sorted(node for piece in pieces for node in piece.nodes))
    said = [f"{piece.count} ({piece.reference})" for piece in sorted(pieces, key=lambda each: each.reference)]
    said += [] if field is None else [f"{field} (operation)"]
    estimate = total.estimate(
        first.quantity,
        first.unit,
        first.scope,
        assumptions=union(*(piece.estimate.assumptions for piece in pieces), (ONE_POPULATION,)),
        caveats=dict.fromkeys(caveat for piece in pieces for caveat in piece.estimate.caveats),
        inputs=sorted(piece.estimate.key for piece in pieces),
    )
    text = f"Pooled: {listed(said)} make {total}"
    return Pool(nodes, estimate, text, tuple(sorted(piece.reference for piece in pieces)), field is not None)
