"""How surely all targets under a claim hold together, given what is taken as given: 1 less all that may miss.

A bound at level 1 - a misses with probability at most a, whatever the truth. Where a claim needs k of them, all k hold
together with confidence at least 1 - sum of a (the union bound), whatever they share. Each bound counts once, however
many branches rest on it; limits of one estimate on one side are nested, so that of several levels the lowest alone
counts. A judgement with a stated doubt d, such as "this assumption is wrong with probability at most d", adds d (Adams
1975: a conclusion is no more uncertain than its premises together). What nobody can put a number to is given, and
listed.

Results that speak about one number. Where all of them are needed and all show it, the claim is wrong only if every one
of them misses: any single one is proof, and the best is counted. Where one suffices (legs), chance has as many tries as
there are legs, and looking for the one that succeeded costs something: the legs are put in order by the miss
probability they declared before anything was seen, and the number is that of testing them in this order, each after the
failure of those before (fixed sequence); legs with the same miss probability a are one group, of which s of m
succeeded, and by Markov's inequality so many succeed falsely with probability at most m a / s. The probability that a
false claim gets a confidence of 1 - g or more is then at most g, whatever depends on what (``tests`` go through the
worst dependence).

References: Adams (1975), The Logic of Conditionals; Bonferroni (1936); Holm (1979) for sequences.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from math import fsum
from operator import or_
from typing import NamedTuple

import numpy as np

from surefoot.case.confidence.argument_graph import Graph, Unit
from surefoot.case.confidence.judgement import Leaf, UnitStanding, judged, rests_on_more
from surefoot.case.evaluation import Ids, Measured, checks, results_of
from surefoot.case.model import GIVEN, Node
from surefoot.core import Assumption

MOST_PROOFS = 64
"""Of more ways to prove a claim the surest by themselves are kept."""
DIGITS = 15


class Proof(NamedTuple):
    """One way to show a unit, as sets of bits: bounds that may miss, judgements that may be wrong, and so on."""

    risks: int = 0
    doubts: int = 0
    given: int = 0
    targets: int = 0
    open: int = 0

    def __or__(self, other: Proof) -> Proof:
        if other is NONE:
            return self
        return Proof(*map(or_, self, other))


NONE = Proof()
NOTHING_NEEDED = (NONE,)


class Shown(NamedTuple):
    """A unit: alternative proofs of the number it speaks about, what is needed beside, and what was tried."""

    proofs: tuple[Proof, ...] = ()
    """Of the number; none where nothing speaks about one."""
    needed: tuple[Proof, ...] = NOTHING_NEEDED
    tried: int = 0
    """All bounds at or below it that were looked at, whatever they showed."""
    falsely: int = 0
    """Bounds of which one misses where it is shown falsely: of evidence that has to show one number together, one."""
    open: int = 0
    """What keeps it from being shown, whatever is assumed."""
    assumed: int = 0
    """Assumptions that keep it from being shown as long as nobody checks them."""


@dataclass(frozen=True)
class Sure:
    """What the union bound says of one unit."""

    confidence: float | None
    proof: Proof


class UnionBound:
    """Reckons every unit of a case from below upward.

    Parameters
    ----------
    graph, leaves, stood
        The case, what is known of its leaves, and how its units stand.
    measured
        What was measured, by which assumptions are told that no node of the case states.
    fallen
        Claims that operation contradicts.
    """

    def __init__(
        self,
        graph: Graph,
        leaves: Mapping[int, Leaf],
        stood: Sequence[UnitStanding],
        measured: Measured,
        fallen: Iterable[int] = (),
    ) -> None:
        self._graph, self._leaves, self._stood, self._fallen = graph, leaves, stood, frozenset(fallen)
        self._risks, self._doubts = Atoms(), Atoms()
        self._given, self._targets, self._open = Atoms(), Atoms(), Atoms()
        self._measured, self._assumed = measured, _Assumed(graph, measured)
        self._shown: list[Shown] = []
        for index, unit in enumerate(graph.units):
            self._shown.append(self._unit(index, unit))

    def of(self, index: int) -> Sure:
        """How surely a unit holds, and what by."""
        shown = self._shown[index]
        best = self._lightest_known(shown)
        if self._stood[index].standing != "supported":
            lacking = shown.open | best.open or shown.assumed or self._open.bit(self._graph.units[index].node.id)
            return Sure(None, Proof(open=lacking))
        if best.open:
            return Sure(None, best)
        return Sure(max(round(1.0 - self._weight(best), DIGITS), 0.0), best)

    def given(self, proof: Proof) -> Ids:
        """What a proof takes as given."""
        return Ids(proof.given, self._given.names)

    def open(self, proof: Proof) -> Ids:
        """What is not known."""
        return Ids(proof.open, self._open.names)

    def is_open(self, identity: str, proof: Proof) -> bool:
        """Whether this is one of the things that are not known."""
        return bool(self._open.bit(identity) & proof.open)

    def _weight(self, proof: Proof) -> float:
        return self._risks.sum(proof.risks) + self._doubts.sum(proof.doubts)

    def _ways(self, shown: Shown) -> tuple[Proof, ...]:
        return _each_with_each((shown.proofs or NOTHING_NEEDED, shown.needed), self._weight)

    def _lightest_known(self, shown: Shown) -> Proof:
        ways = self._ways(shown)
        return ways[0] if len(ways) == 1 else min(ways, key=self._rank)

    def _rank(self, way: Proof) -> tuple[int, float, int]:
        return way.open.bit_count(), self._weight(way), way.given.bit_count()

    def _unit(self, index: int, unit: Unit) -> Shown:
        below = self._leaf(unit, self._leaves[index]) if unit.leaf else self._of_parts(index, unit)
        opened = below.open | (self._open.bit(unit.node.id) if index in self._fallen else 0)
        beside = Proof(open=self._open.bit(unit.node.id)) if unit.missing_warrants else NONE
        tried, falsely = below.tried, below.falsely
        for each in unit.warrants:
            beside |= self._warrant(each)
            tried |= self._shown[each].tried
            falsely |= self._shown[each].falsely
            opened |= self._broken(each)
        for each in unit.challengers:
            tried |= self._shown[each].tried
            falsely |= self._shown[each].tried
            if self._stood[each].standing == "contradicted":
                # A challenge that evidence eliminated is gone as surely as that evidence.
                beside |= Proof(self._shown[each].tried)
            else:
                opened |= self._open.bit(self._graph.units[each].node.id)
        proofs = tuple(dict.fromkeys(each | beside for each in below.proofs))
        needed = below.needed if proofs else tuple(dict.fromkeys(each | beside for each in below.needed))
        if proofs and unit.node.id not in self._graph.speaking:
            key = (unit.node.number, frozenset(each.risks for each in proofs))
            target = Proof(targets=self._targets.bit(key) if unit.node.number is not None else 0)
            needed = _each_with_each((tuple(each | target for each in proofs), needed), self._weight)
            proofs = ()
        if self._stood[index].standing != "supported" and not (opened or below.assumed):
            opened = self._open.bit(unit.node.id)
        return Shown(proofs, needed, tried, falsely, opened, below.assumed)

    def _broken(self, index: int) -> int:
        if self._stood[index].standing != "contradicted":
            return 0
        return self._shown[index].open or self._open.bit(self._graph.units[index].node.id)

    def _warrant(self, index: int) -> Proof:
        """What stands beside: nobody has to prove an assumption, but what is argued for is shown or not."""
        shown = self._shown[index]
        return Proof(open=shown.open) if shown.open else self._lightest_known(shown)

    def _leaf(self, unit: Unit, leaf: Leaf) -> Shown:
        node = unit.node
        if leaf.basis == "number":
            assert leaf.estimate is not None, "a number was measured"
            risks = self._risks.each(leaf.risks)
            proof = Proof(risks) | self._taken(unit, leaf.estimate.assumptions)
            if rests_on_more(leaf):
                proof |= Proof(given=self._given.bit(node.id))
            lacking = 0 if leaf.standing == "supported" else self._open.bit(node.id)
            return Shown((proof, *self._by_pieces(unit)), tried=risks, falsely=risks, open=lacking)
        lacking = 0 if leaf.standing == "supported" else self._open.bit(node.id)
        assumed = node.kind == "side-claim" and leaf.standing == "not shown" and leaf.basis != "open"
        opened, soft = (0, lacking) if assumed else (lacking, 0)
        if leaf.basis == "given":
            proof = Proof(given=0 if node.kind in GIVEN else self._given.bit(node.id))
            return Shown(needed=(proof,), open=opened, assumed=soft)
        if leaf.basis == "stated":
            proof = Proof(doubts=self._doubts.each([(node.id, leaf.doubt)]), given=self._given.bit(node.id))
            return Shown(needed=(proof,), open=opened, assumed=soft)
        return Shown(open=0 if node.defeated else opened)

    def _by_pieces(self, unit: Unit) -> Iterator[Proof]:
        """Pooled counts of which one alone shows the number are proved by that too, as where they stood apart."""
        pool, number = unit.context.pool(unit.node.id), unit.context.number
        if pool is not None and pool.text and number is not None and not unit.context.against:
            for reference in pool.references:
                estimate = self._measured.estimate(reference)
                alone = None if estimate is None else judged(estimate, number)
                if estimate is not None and alone is not None and alone.standing == "supported":
                    risks = Proof(self._risks.each(alone.risks))
                    yield risks | self._taken(unit, estimate.assumptions)

    def _taken(self, unit: Unit, assumptions: Iterable[Assumption]) -> Proof:
        """What a number assumes: by the nodes that state it, and by its own id where no node does."""
        found = Proof()
        for assumption in assumptions:
            names = self._assumed.nodes(unit.node.rests_on, assumption)
            for identity in names:
                leaf = self._leaves.get(self._graph.of[identity][0])
                if leaf is not None and leaf.basis == "stated":
                    found |= Proof(doubts=self._doubts.each([(identity, leaf.doubt)]))
            name = min(names, default=f"{assumption.id}[{assumption.scope}]" if assumption.scope else assumption.id)
            found |= Proof(given=self._given.bit(name))
        return found

    def _of_parts(self, index: int, unit: Unit) -> Shown:
        groups = self._graph.legs(unit)
        legs = [self._together([self._shown[each] for each in group]) for group in groups]
        gap = self._open.bit(unit.node.id) if unit.missing or unit.node.undeveloped else 0
        if unit.node.combining == "legs" and len(legs) + bool(gap) > 1:
            shown = [self._supported(group) for group in groups]
            supporting = [leg for leg, stands in zip(legs, shown, strict=True) if stands]
            return self._legs(legs, supporting or [leg for leg in legs if not leg.open], gap, assumed=not supporting)
        found = self._together(legs)
        found = found._replace(open=found.open | gap)
        if unit.node.combining == "deduction" and unit.node.stated is not None and not found.open:
            return self._deduced(index, unit, found)
        return found

    def _supported(self, group: Iterable[int]) -> bool:
        return all(self._stood[each].above == "supported" for each in group)

    def _together(self, parts: Sequence[Shown]) -> Shown:
        """All are needed: of proofs of one number any, of everything else all."""
        if len(parts) == 1:
            return parts[0]
        proofs = tuple(dict.fromkeys(each for part in parts for each in part.proofs))
        needed = _each_with_each([part.needed for part in parts], self._weight)
        speaking = [part.falsely for part in parts if part.proofs]
        falsely = min(speaking, key=lambda each: (self._risks.sum(each), self._risks.name(each)), default=0)
        tried = opened = assumed = 0
        for part in parts:
            tried |= part.tried
            falsely |= 0 if part.proofs else part.falsely
            opened |= part.open
            assumed |= part.assumed
        return Shown(_lightest(proofs, self._weight), needed, tried, falsely, opened, assumed)

    def _legs(self, legs: Sequence[Shown], supporting: Sequence[Shown], gap: int, *, assumed: bool) -> Shown:
        tried = reduce(or_, (leg.tried for leg in legs), 0)
        falsely = reduce(or_, (leg.falsely for leg in legs), 0)
        if not supporting:
            return Shown(tried=tried, falsely=falsely, open=reduce(or_, (leg.open for leg in legs), gap))
        ways = self._one_suffices(legs, supporting)
        lacking = reduce(or_, (leg.assumed for leg in supporting), 0) if assumed else 0
        if any(leg.proofs for leg in supporting):
            return Shown(ways, tried=tried, falsely=falsely, assumed=lacking)
        return Shown(needed=ways, tried=tried, falsely=falsely, assumed=lacking)

    def _one_suffices(self, legs: Sequence[Shown], supporting: Sequence[Shown]) -> tuple[Proof, ...]:
        """The ways to prove a claim by one of several legs, each with what the choice among them costs.

        The same data tried twice count once, and legs without bounds, which chance has no part in, cost nothing.
        """
        alphas = {leg.falsely: round(self._risks.sum(leg.falsely), DIGITS) for leg in legs}
        succeeded = {leg.falsely for leg in supporting}
        key = ("choice", tuple(sorted(alphas)), tuple(sorted(succeeded)))
        found = dict[Proof, None]()
        for leg in supporting:
            alpha = alphas[leg.falsely]
            before = fsum(each for each in alphas.values() if each < alpha)
            alike = [bounds for bounds, each in alphas.items() if each == alpha]
            least = before + len(alike) * alpha / sum(each in succeeded for each in alike)
            for way in self._ways(leg):
                cost = before if len(alike) == 1 else max(least - self._risks.sum(way.risks), 0.0)
                found[way | Proof(self._risks.each([(key, cost)]))] = None
        return _lightest(tuple(found), self._weight)

    def _deduced(self, index: int, unit: Unit, below: Shown) -> Shown:
        stated = unit.node.stated
        assert stated is not None, "a deduction has its conditionals"
        unlikely = self._stood[index].standing != "supported" and not below.assumed
        if stated.given_true is None or unlikely:
            return Shown(tried=below.tried, falsely=below.falsely, open=self._open.bit(unit.node.id))
        doubt = min(max(1.0 - float(stated.given_true.belief), 0.0), 1.0)
        proof = Proof(doubts=self._doubts.each([(unit.node.id, doubt)]), given=self._given.bit(unit.node.id))
        needed = tuple(each | proof for each in self._ways(below))
        return Shown(needed=needed, tried=below.tried, falsely=below.falsely, assumed=below.assumed)


Weigh = Callable[[Proof], float]


def _each_with_each(groups: Sequence[tuple[Proof, ...]], weigh: Weigh) -> tuple[Proof, ...]:
    """One way of each group together, for all choices; where there are very many, the lightest."""
    found: tuple[Proof, ...] = NOTHING_NEEDED
    for group in groups:
        if len(group) == 1:
            found = tuple(each | group[0] for each in found)
        else:
            found = _lightest(tuple(dict.fromkeys(one | other for one, other in product(found, group))), weigh)
    return found


def _lightest(ways: tuple[Proof, ...], weigh: Weigh) -> tuple[Proof, ...]:
    if len(ways) <= MOST_PROOFS:
        return ways
    return tuple(sorted(ways, key=lambda way: (way.open.bit_count(), weigh(way)))[:MOST_PROOFS])


class _Assumed:
    """The nodes of a case that state an assumption of what was measured."""

    def __init__(self, graph: Graph, measured: Measured) -> None:
        self._nodes: dict[Assumption, list[Node]] = defaultdict(list)
        self._known: dict[tuple[int, str], tuple[str, ...]] = {}
        for node in graph.case:
            if node.kind == "side-claim" and node.assumption:
                for each in checks(measured, results_of(graph.case, node), node.assumption):
                    self._nodes[each.assumption].append(node)

    def nodes(self, reference: str, assumption: Assumption) -> tuple[str, ...]:
        """Ids of the nodes beside the same step, or else of those anywhere."""
        step = reference.partition(".")[0]
        key = (id(assumption), step)
        if key not in self._known:
            stating = self._nodes.get(assumption, [])
            beside = [node.id for node in stating if node.rests_on.partition(".")[0] in ("", step)]
            self._known[key] = tuple(beside or [node.id for node in stating])
        return self._known[key]


class Atoms:
    """Things that are counted once, each known by a bit; some with a weight, of which sets have a sum."""

    def __init__(self) -> None:
        self._places: dict[Hashable, int] = {}
        self._keys: list[Hashable] = []
        self._weights: list[float] = []
        self._sums: dict[int, float] = {0: 0.0}
        self._weighted: set[Hashable] = set()
        self._several = False
        """Whether one thing has several weights."""

    @property
    def names(self) -> Sequence[str]:
        """Things by their places, where these are ids."""
        return self._keys  # type: ignore[return-value]

    def bit(self, key: Hashable) -> int:
        """The set of one thing without a weight."""
        return self._bit(key, key, 0.0)

    def each(self, weighted: Iterable[tuple[Hashable, float]]) -> int:
        """The set of several things with weights; of one thing with several weights the largest counts."""
        return reduce(or_, (self._bit((key, weight), key, weight) for key, weight in weighted if weight > 0), 0)

    def _bit(self, entry: Hashable, key: Hashable, weight: float) -> int:
        place = self._places.get(entry)
        if place is None:
            place = self._places[entry] = len(self._keys)
            self._several = self._several or key in self._weighted
            self._weighted.add(key)
            self._keys.append(key)
            self._weights.append(weight)
        return 1 << place

    def name(self, mask: int) -> str:
        """A set in words, by which sets have an order that does not depend on when its things came up."""
        return repr(sorted(repr(self._keys[place]) for place in _places(mask)))

    def sum(self, mask: int) -> float:
        """What a set weighs: exactly rounded, so that no order matters."""
        if mask not in self._sums:
            places = _places(mask)
            if self._several:
                largest: dict[Hashable, float] = {}
                for place in places:
                    key = self._keys[place]
                    largest[key] = max(largest.get(key, 0.0), self._weights[place])
                self._sums[mask] = fsum(largest.values())
            else:
                self._sums[mask] = fsum(self._weights[place] for place in places)
        return self._sums[mask]


def _places(mask: int) -> list[int]:
    octets = np.frombuffer(mask.to_bytes((mask.bit_length() + 7) // 8, "little"), np.uint8)
    return np.flatnonzero(np.unpackbits(octets, bitorder="little")).tolist()
