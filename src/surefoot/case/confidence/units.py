"""The case as a graph of units: what is combined with what, and by which number evidence is judged.

A unit is a node, except that evidence and arguments under claims with different numbers are one unit for each number:
"at most 1%" and "at most 2%" are two statements about one measurement. Units come so that what one rests on comes
before it. References to nothing, and those that would close a circle, count as missing parts. Side-claims warrant the
argument they stand beside; an argument that rests on nothing else is held up by them. A sub-case that stands for
evidence or an argument of another module speaks about the number above it, as those do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from surefoot.case.case import Case
from surefoot.case.node import GIVEN, STANDING_IN, Kind, Node
from surefoot.case.number import Number

INHERITING: tuple[Kind, ...] = ("argument", "evidence")
"""Kinds that speak about the number of the claim above them."""


@dataclass(frozen=True, slots=True)
class Context:
    """What a unit speaks about: a number or none, and whether it speaks against it."""

    number: Number | None = None
    against: bool = False


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


def graph(case: Case, *, settled: Iterable[str] = ()) -> Graph:
    """The units of a case; ``settled`` nodes are decided by themselves, whatever holds them up."""
    kinds = _kinds(case)
    speaking = frozenset(identity for identity, kind in kinds.items() if kind in INHERITING)
    contexts, making = _contexts(case, speaking), _Making(case, kinds, speaking, frozenset(settled))
    index: dict[tuple[str, Context], int] = {}
    units: list[Unit] = []
    of: dict[str, tuple[int, ...]] = {}
    for identity in case.upward:
        made = [making.unit(case.nodes[identity], context, index) for context in contexts[identity]]
        of[identity] = tuple(range(len(units), len(units) + len(made)))
        index |= {(identity, unit.context): len(units) + place for place, unit in enumerate(made)}
        units += made
    return Graph(case, tuple(units), of, _users(units), speaking)


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


def _contexts(case: Case, speaking: frozenset[str]) -> dict[str, tuple[Context, ...]]:
    """By which numbers each node is judged, found from above."""
    found: dict[str, dict[Context, None]] = {identity: {} for identity in case.nodes}
    for identity in reversed(case.upward):
        node = case.nodes[identity]
        if identity not in speaking:
            found[identity] = {Context(node.number): None}
        elif not found[identity]:
            found[identity] = {Context(): None}
        for context in found[identity]:
            inherited = context if _passing_on(node, speaking) else Context(node.number)
            for below in _held_up_by(case, node):
                if below in speaking:
                    found[below].setdefault(inherited, None)
        for beside in node.in_context_of:
            if beside in speaking:
                found[beside].setdefault(Context(), None)
        for challenger in case.challengers.get(identity, ()):
            if challenger in speaking:
                found[challenger].setdefault(Context(node.number, against=True), None)
    return {identity: tuple(contexts) for identity, contexts in found.items()}


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
    settled: frozenset[str]

    def unit(self, node: Node, context: Context, index: Mapping[tuple[str, Context], int]) -> Unit:
        """The unit of a node in a context; ``index`` has those before it."""

        def places(identities: Iterable[str], inherited: Context) -> list[int | None]:
            return [index.get(self._key(each, inherited)) for each in dict.fromkeys(identities)]

        if node.id in self.settled:
            return Unit(node, context)
        held_up_by = _held_up_by(self.case, node)
        warranting = tuple(each for each in node.in_context_of if self.kinds.get(each) not in GIVEN)
        if node.kind == "argument" and not held_up_by and not node.undeveloped:
            held_up_by, warranting = warranting, ()
        inherited = context if _passing_on(node, self.speaking) else Context(node.number)
        below, beside = places(held_up_by, inherited), places(warranting, Context())
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

    def _key(self, identity: str, inherited: Context) -> tuple[str, Context]:
        if identity not in self.case.nodes or identity in self.speaking:
            return identity, inherited
        return identity, Context(self.case.nodes[identity].number)


def _known(places: list[int | None]) -> tuple[int, ...]:
    return tuple(each for each in places if each is not None)
