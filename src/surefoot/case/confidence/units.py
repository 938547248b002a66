"""The case as a graph of units: what is combined with what, and by which number evidence is judged.

A unit is a node, except that evidence and arguments under claims with different numbers are one unit for each number:
"at most 1%" and "at most 2%" are two statements about one measurement. Units come so that what one rests on comes
before it. References to nothing, and those that would close a circle, count as missing parts. Side-claims warrant the
argument they stand beside; an argument that rests on nothing else is held up by them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from surefoot.case.case import Case
from surefoot.case.node import Kind, Node
from surefoot.case.number import Number

INHERITING: tuple[Kind, ...] = ("argument", "evidence")
"""Kinds that speak about the number of the claim above them."""
GIVEN: tuple[Kind, ...] = ("context", "justification")
"""Kinds that explain and are not judged."""


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

    def first(self, identity: str) -> int:
        """The unit of a node that has only one, as claims have."""
        return self.of[identity][0]


def graph(case: Case, *, settled: Iterable[str] = ()) -> Graph:
    """The units of a case; ``settled`` nodes are decided by themselves, whatever holds them up."""
    contexts, alone = _contexts(case), frozenset(settled)
    index: dict[tuple[str, Context], int] = {}
    units: list[Unit] = []
    of: dict[str, tuple[int, ...]] = {}
    for identity in case.upward:
        made = [_unit(case, case.nodes[identity], context, index, alone) for context in contexts[identity]]
        of[identity] = tuple(range(len(units), len(units) + len(made)))
        index |= {(identity, unit.context): len(units) + place for place, unit in enumerate(made)}
        units += made
    return Graph(case, tuple(units), of, _users(units))


def _users(units: list[Unit]) -> tuple[tuple[int, ...], ...]:
    users: list[list[int]] = [[] for _ in units]
    for place, unit in enumerate(units):
        for each in (*unit.parts, *unit.warrants, *unit.challengers):
            users[each].append(place)
    return tuple(map(tuple, users))


def _contexts(case: Case) -> dict[str, tuple[Context, ...]]:
    """By which numbers each node is judged, found from above."""
    found: dict[str, dict[Context, None]] = {identity: {} for identity in case.nodes}
    for identity in reversed(case.upward):
        node = case.nodes[identity]
        if node.kind not in INHERITING:
            found[identity] = {Context(node.number): None}
        elif not found[identity]:
            found[identity] = {Context(): None}
        for context in found[identity]:
            for below in node.supported_by:
                if below in case.nodes and case.nodes[below].kind in INHERITING:
                    found[below].setdefault(_below(node, context), None)
        for beside in node.in_context_of:
            if beside in case.nodes and case.nodes[beside].kind in INHERITING:
                found[beside].setdefault(Context(), None)
        for challenger in case.challengers.get(identity, ()):
            if case.nodes[challenger].kind == "evidence":
                found[challenger].setdefault(Context(node.number, against=True), None)
    return {identity: tuple(contexts) for identity, contexts in found.items()}


def _below(node: Node, context: Context) -> Context:
    return context if node.kind == "argument" else Context(node.number)


def _unit(
    case: Case, node: Node, context: Context, index: Mapping[tuple[str, Context], int], settled: frozenset[str]
) -> Unit:
    def places(identities: Iterable[str], inherited: Context) -> list[int | None]:
        return [index.get(_key(case, each, inherited)) for each in dict.fromkeys(identities)]

    held_up_by = _held_up_by(case, node)
    warranting = [each for each in node.in_context_of if each not in case.nodes or case.nodes[each].kind not in GIVEN]
    if node.kind == "argument" and not held_up_by and not node.undeveloped:
        held_up_by, warranting = tuple(warranting), []
    below = [] if node.id in settled else places(held_up_by, _below(node, context))
    beside = [] if node.id in settled else places(warranting, Context())
    against = [each for each in case.challengers.get(node.id, ()) if not case.nodes[each].defeated]
    return Unit(
        node,
        context,
        parts=_known(below),
        warrants=_known(beside),
        challengers=() if node.id in settled else _known(places(against, Context(node.number, against=True))),
        missing=below.count(None),
        missing_warrants=beside.count(None),
    )


def _known(places: list[int | None]) -> tuple[int, ...]:
    return tuple(each for each in places if each is not None)


def _held_up_by(case: Case, node: Node) -> tuple[str, ...]:
    stands_for = case.resolved(node.id)
    return node.supported_by if stands_for == node.id else (stands_for,)


def _key(case: Case, identity: str, inherited: Context) -> tuple[str, Context]:
    node = case.nodes.get(identity)
    if node is None or node.kind in INHERITING:
        return identity, inherited
    return identity, Context(node.number)
