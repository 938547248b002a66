"""From the units of a case to a program (see ``program``)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from surefoot.case.confidence.calculus import Components
from surefoot.case.confidence.dominance import meeting_places
from surefoot.case.confidence.program import NOTHING, UNKNOWN, Program
from surefoot.case.confidence.shared_sets import SharedSets
from surefoot.case.confidence.sharing import alike
from surefoot.case.confidence.units import Graph, Unit

UNDERCUT = ("argument", "evidence")
"""Kinds whose challengers take their force away; those of other kinds speak against what they say."""


class Held(NamedTuple):
    """A unit: what it shares with nobody, and the sets of shared parts and shared warrants, as bits."""

    core: int | None
    parts: int = 0
    warrants: int = 0


class Compiler:
    """Writes the program.

    ``field`` holds opinions of operation on claims; on those in ``alone`` nothing else counts, since operation speaks
    against what the tests seemed to show.
    """

    def __init__(
        self,
        graph: Graph,
        leaves: Mapping[int, Components],
        undeveloped: Components,
        field: Mapping[int, Components],
        alone: Collection[int] = (),
        *,
        counting_once: bool,
    ) -> None:
        self.graph, self._leaves, self._undeveloped, self._field = graph, leaves, undeveloped, field
        self._alone = alone
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
