"""From a case to a program that every calculus can run: its units, and what several of them rest on.

A unit is a node as one statement. What several branches rest on is carried along as a set of shared units and applied
where all its uses meet, so that it is counted once.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from surefoot.case.confidence.calculi import NOTHING, UNKNOWN, Components, Program
from surefoot.case.model import GIVEN, STANDING_IN, Case, Kind, Node, Number
from surefoot.case.shared_conditions import References, Shared, results_beside
from surefoot.core import Diagnostic

UNDERCUT = ("argument", "evidence")
"""Kinds whose challengers take their force away; those of other kinds speak against what they say."""


class Held(NamedTuple):
    """A unit: what it shares with nobody, and the sets of shared parts and shared warrants, as bits."""

    core: int | None
    parts: int = 0
    warrants: int = 0


@dataclass
class Field:
    """What operation says of claims, by the number of their unit."""

    opinions: dict[int, Components] = field(default_factory=dict)
    fallen: dict[int, str] = field(default_factory=dict)
    """Claims that operation contradicts, and how."""
    worse: set[int] = field(default_factory=set)
    """Claims of which operation is worse than the tests showed."""
    findings: list[Diagnostic] = field(default_factory=list)


class Compiler:
    """Writes the program; on claims that operation speaks against, nothing that tests seemed to show counts."""

    def __init__(
        self,
        graph: Graph,
        leaves: Mapping[int, Components],
        undeveloped: Components,
        operated: Field,
        *,
        counting_once: bool,
    ) -> None:
        self.graph, self._leaves, self._undeveloped = graph, leaves, undeveloped
        self._field, self._alone = operated.opinions, {*operated.fallen, *operated.worse}
        self.program = Program()
        self._held: list[Held] = []
        self._sets = SharedSets(self.program, len(graph.units))
        self._counting_once = counting_once
        self._places = meeting_places(graph.users) if counting_once else []
        self._alike = {} if counting_once else alike(graph)

    def compile(self) -> Program:
        """The whole program."""
        for index, unit in enumerate(self.graph.units):
            self._sets.reach(index)
            below = self._below(index, unit)
            held = self._warranted(index, unit, below)
            contraries = [] if unit.node.kind in UNDERCUT else self._contraries(index, unit)
            if contraries:
                held = held._replace(core=self.program.conjunction([*self._present(held.core), *contraries]))
            shown = self._shown(unit, below, held, contraries)
            self.program.shown.append(shown)
            self._held.append(self._offered(index, held if held.parts or held.warrants else Held(shown)))
        return self.program

    def _below(self, index: int, unit: Unit) -> Held:
        held = self._combined(index, unit)
        if index not in self._field:
            return held
        field = self.program.field[index] = self.program.add("leaf", data=self._field[index])
        if index in self._alone:
            return Held(field)
        self._note_open(index, held.parts | held.warrants)
        return Held(self.program.add("fuse", (self._whole(held), field), index))

    def _combined(self, index: int, unit: Unit) -> Held:
        if unit.leaf:
            self.program.leaves[index] = self.program.add("leaf", data=self._leaves[index])
            return Held(self.program.leaves[index])
        extra = [self._gap(index, UNKNOWN) for _ in range(unit.missing)]
        if unit.node.undeveloped:
            extra.append(self._gap(index, self._undeveloped))
        if unit.node.combining == "legs" and len(unit.parts) + len(extra) > 1:
            return self._fused(index, unit, extra)
        together = [self._held[each] for each in unit.parts]
        held = self._united([*together, *map(Held, extra)])
        stated = unit.node.stated
        if unit.node.combining != "deduction" or stated is None or stated.given_true is None:
            return held
        self._note_open(index, held.parts | held.warrants)
        conditionals = tuple(
            Components.of(each) for each in (stated.given_true, stated.given_false) if each is not None
        )
        return Held(self.program.add("deduce", (self._whole(held),), conditionals))

    def _gap(self, index: int, opinion: Components) -> int:
        place = self.program.add("leaf", data=opinion)
        self.program.gaps.setdefault(index, []).append(place)
        return place

    def _united(self, held: Sequence[Held]) -> Held:
        cores = [each.core for each in held if each.core is not None]
        parts = warrants = 0
        for each in held:
            parts |= each.parts
            warrants |= each.warrants
        return Held(self.program.conjunction(cores) if cores else None, parts, warrants)

    def _fused(self, index: int, unit: Unit, extra: Sequence[int]) -> Held:
        seen = 0
        for each in unit.parts:
            shared = self._held[each].parts | self._held[each].warrants
            if shared & seen:
                self.program.common[index] = None
            seen |= shared
        self._note_open(index, seen)
        legs = [self._used(each) for each in unit.parts]
        return Held(self.program.add("fuse", (*legs, *extra), index))

    def _warranted(self, index: int, unit: Unit, below: Held) -> Held:
        """With its warrants: those that nothing else rests on are applied, unless shared parts are still to come."""
        own = [self._held[each] for each in unit.warrants]
        alone = [each.core for each in own if each.core is not None]
        alone += [self._gap(index, UNKNOWN) for _ in range(unit.missing_warrants)]
        if unit.node.kind in UNDERCUT:
            alone += self._contraries(index, unit)
        warrants = below.warrants
        for each in own:
            warrants |= each.parts | each.warrants
        closing = below.parts & self._sets.closing[index]
        warrants &= ~below.parts
        core, parts = below.core, below.parts & ~closing
        if closing:
            core = self._conjunction(core, closing)
        if parts or core is None:
            for place in alone:
                warrants |= self._sets.add(place, index)
            return Held(core, parts, warrants)
        now = warrants & self._sets.closed
        if alone or now:
            trust = self.program.conjunction([*alone, *([self._sets.product(now)] if now else ())])
            core = self.program.add("discount", (core, trust), index)
        return Held(core, parts, warrants & ~now)

    def _contraries(self, index: int, unit: Unit) -> list[int]:
        for each in unit.challengers:
            self._note_open(index, self._held[each].parts | self._held[each].warrants, here=False)
        return [self._contrary(each) for each in unit.challengers]

    def _contrary(self, challenger: int) -> int:
        place = self.program.add("not", (self._used(challenger),))
        self.program.contraries.setdefault(challenger, []).append(place)
        return place

    def _shown(self, unit: Unit, below: Held, held: Held, contraries: Sequence[int]) -> int:
        place = self._whole(held)
        if below.warrants and unit.parts and unit.node.combining == "all":
            trusts = [self.program.shown[each] for each in unit.warrants]
            trust = self.program.conjunction(trusts) if trusts else NOTHING
            place = self.program.add("raise", (place, trust, *(self.program.shown[each] for each in unit.parts)))
        return self.program.add("raise", (place, NOTHING, *contraries)) if contraries and held.warrants else place

    def _used(self, index: int) -> int:
        """A unit as a whole, where its shared parts are not carried on."""
        core = self._held[index].core
        return self.program.shown[index] if self._counting_once or core is None else core

    def _whole(self, held: Held) -> int:
        place = self._conjunction(held.core, held.parts) if held.parts else held.core
        assert place is not None, "a unit has a core or shared parts"
        return (
            self.program.add("discount", (place, self._sets.product(held.warrants)), NOTHING)
            if held.warrants
            else place
        )

    def _offered(self, index: int, held: Held) -> Held:
        """What the units above get: of a shared unit the core is one member of the set of shared parts."""
        if len(self.graph.users[index]) < 2 or held.core is None:
            return held
        if self._counting_once:
            return Held(None, held.parts | self._sets.add(held.core, self._places[index]), held.warrants)
        group = self._alike.get(index, (index,))
        if index != group[-1]:
            return Held(None)
        together = self.program.conjunction([self.program.shown[each] for each in group])
        return Held(self.program.add("share", (together,)))

    def _conjunction(self, core: int | None, parts: int) -> int:
        return self.program.conjunction([*self._present(core), self._sets.product(parts)])

    @staticmethod
    def _present(core: int | None) -> Iterable[int]:
        return () if core is None else (core,)

    def _note_open(self, index: int, shared: int, *, here: bool = True) -> None:
        if shared & ~(self._sets.closed if here else 0):
            self.program.inexact[index] = None


# Where what several branches rest on comes together again.
#
# The meeting place of a unit is the lowest one that every way from the top down to it passes through: its immediate
# dominator (Cooper, Harvey and Kennedy 2001, "A simple, fast dominance algorithm"; in a graph without circles one pass
# suffices). Skip pointers make each step logarithmic in the depth.


def meeting_places(users: Sequence[Sequence[int]]) -> list[int]:
    """For each unit where all uses of it meet; ``len(users)`` where they never do.

    Users have larger numbers than what they use.

    >>> meeting_places([(1, 2), (3,), (3,), ()])
    [3, 3, 3, 4]
    """
    root = len(users)
    above, skip, depth = [root] * (root + 1), [root] * (root + 1), [0] * (root + 1)

    def met(one: int, other: int) -> int:
        if depth[one] < depth[other]:
            one, other = other, one
        while depth[one] > depth[other]:
            one = skip[one] if depth[skip[one]] >= depth[other] else above[one]
        while one != other:
            apart = skip[one] != skip[other]
            one, other = (skip[one], skip[other]) if apart else (above[one], above[other])
        return one

    for unit in range(root - 1, -1, -1):
        place = users[unit][0] if users[unit] else root
        for user in users[unit][1:]:
            place = met(place, user)
        above[unit], depth[unit] = place, depth[place] + 1
        far = skip[place]
        skip[unit] = skip[far] if depth[place] - depth[far] == depth[far] - depth[skip[far]] else place
    return above[:root]


# Sets of results that several branches rest on, kept as the bits of whole numbers.

MOST_RECENT = 4


class SharedSets:
    """The members of sets, where the uses of each meet, and the conjunctions of sets that were needed so far."""

    def __init__(self, program: Program, units: int) -> None:
        self._program = program
        self._members: list[int] = []
        self._products: dict[int, int] = {}
        self._recent: deque[int] = deque(maxlen=MOST_RECENT)
        self._reached = 0
        self.closing = [0] * units
        """For each unit the members whose uses meet there."""
        self.closed = 0
        """The members whose uses have met."""

    def reach(self, unit: int) -> None:
        """The program comes to a unit."""
        self._reached = unit
        self.closed |= self.closing[unit]

    def add(self, place: int, meeting: int) -> int:
        """The set of one new member: a result whose uses meet at a unit, or nowhere in the case."""
        bit = 1 << len(self._members)
        self._members.append(place)
        self._products[bit] = place
        if meeting < len(self.closing):
            self.closing[meeting] |= bit
            if meeting <= self._reached:
                self.closed |= bit
        return bit

    def product(self, mask: int) -> int:
        """The conjunction of a set, made from the largest set within it that was just used."""
        if mask not in self._products:
            within = [each for each in self._recent if each & mask == each]
            known = max(within, key=int.bit_count, default=0)
            rest = [self._members[each] for each in bits(mask & ~known)]
            self._products[mask] = self._program.conjunction([*([self._products[known]] if known else ()), *rest])
        self._recent.append(mask)
        return self._products[mask]


def bits(mask: int) -> Iterator[int]:
    """The places of the bits that are set.

    >>> list(bits(0b1101))
    [0, 2, 3]
    """
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


# The case as a graph of units: what is combined with what, and by which number evidence is judged.
#
# A unit is a node, except that evidence and arguments under claims with different numbers are one unit for each number:
# "at most 1%" and "at most 2%" are two statements about one measurement. Units come so that what one rests on comes
# before it. A condition that arguments about different results share is one unit for each of these. References to
# nothing, and those that would close a circle, count as missing parts. Side-warrants warrant the argument they stand
# beside; an argument that rests on nothing else is held up by them. A sub-case that stands for
# evidence or an argument of another module speaks about the number above it, as those do.

INHERITING: tuple[Kind, ...] = ("argument", "evidence")
"""Kinds that speak about the number of the claim above them."""


@dataclass(frozen=True, slots=True)
class Context:
    """What a unit speaks about: a number or none, and whether it speaks against it."""

    number: Number | None = None
    against: bool = False
    about: References = ()
    """Of a condition that arguments share: the results of those that it is judged for here."""


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


def graph(case: Case, *, settled: Callable[[Node, References], bool] = lambda node, about: False) -> Graph:
    """The units of a case; ``settled`` nodes are decided by themselves, whatever holds them up."""
    kinds, shared = _kinds(case), results_beside(case)
    speaking = frozenset(identity for identity, kind in kinds.items() if kind in INHERITING)
    contexts, making = _contexts(case, speaking, shared), _Making(case, kinds, speaking, settled, shared)
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


def _contexts(case: Case, speaking: frozenset[str], shared: Shared) -> dict[str, tuple[Context, ...]]:
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
            inherited = context if _passing_on(node, speaking) else Context(node.number)
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

    def unit(self, node: Node, context: Context, index: Mapping[tuple[str, Context], int]) -> Unit:
        """The unit of a node in a context; ``index`` has those before it."""

        def places(identities: Iterable[str], inherited: Context) -> list[int | None]:
            return [index.get(self._key(each, inherited, node.id)) for each in dict.fromkeys(identities)]

        if self.settled(node, context.about):
            return Unit(node, context)
        held_up_by = _held_up_by(self.case, node)
        warranting = tuple(each for each in node.in_context_of if self.kinds.get(each) not in GIVEN) + node.confidence
        if node.kind == "argument" and not held_up_by and not node.undeveloped:
            held_up_by, warranting = warranting, ()
        inherited = context if _passing_on(node, self.speaking) else Context(node.number)
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
            return identity, inherited
        return identity, Context(self.case.nodes[identity].number)


def _known(places: list[int | None]) -> tuple[int, ...]:
    return tuple(each for each in places if each is not None)


# Shared units that are always used together, which a network may treat as one.


def alike(graph: Graph) -> dict[int, tuple[int, ...]]:
    """Groups of shared units that the same users need in the same role, for each of their members.

    Only roles count in which all of a group must hold: needed parts, and warrants.
    """
    roles: dict[int, list[tuple[int, bool]]] = defaultdict(list)
    apart: set[int] = set()
    for index, unit in enumerate(graph.units):
        for each in unit.parts:
            roles[each].append((index, True))
        for each in unit.warrants:
            roles[each].append((index, False))
        apart.update(unit.challengers)
        if unit.node.combining == "legs":
            apart.update(unit.parts)
    groups: dict[tuple[tuple[int, bool], ...], list[int]] = defaultdict(list)
    for each, uses in sorted(roles.items()):
        if len(uses) > 1 and each not in apart:
            groups[tuple(sorted(uses))].append(each)
    return {each: tuple(group) for group in groups.values() for each in group}
