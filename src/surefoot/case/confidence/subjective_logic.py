"""Every node of a case by subjective logic: a view that weighs what is not known by its base rate.

Opinions are multiplied where all parts are needed (Jøsang 2016, definition 7.1), fused where one of several legs
suffices (12.3), deduced by stated conditionals (9.1), and discounted by what warrants an argument (14.6). A value is
(p, q, a): probability p = b + a u, what is not disbelieved q = 1 - d, and base rate a. So written, multiplication
multiplies all three, and discounting mixes with the vacuous opinion.

What several branches rest on is counted once: each unit is a core, in which nothing is shared, and two sets of shared
units, parts that it needs and warrants that it stands under. Sets are united where branches come together, and applied
where all uses of a unit meet or where the unit itself is shown. Where a shared warrant stands over some branches only,
the branches together count as not shown when it fails, and disbelief in a needed part is put back.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import NamedTuple

from surefoot.case.confidence.argument_graph import UNDERCUT, Graph, Unit
from surefoot.case.confidence.judgement import UNKNOWN, Components, Leaf
from surefoot.case.model import Discounting
from surefoot.opinions import Opinion

PRIOR_WEIGHT = 2.0
MARGIN = 1e-8
"""Base rates of 1 leave the split of belief and uncertainty open; they are kept this far away from 0 and 1."""
LEAST_UNCERTAINTY = 1e-13


class Value(NamedTuple):
    """What is held of one statement."""

    probability: float
    not_disbelieved: float
    base_rate: float

    @classmethod
    def of(cls, opinion: Components) -> Value:
        """An opinion as it is stated or measured."""
        belief, disbelief, uncertainty, base_rate = opinion
        kept = min(max(base_rate, MARGIN), 1.0 - MARGIN)
        return cls(belief + kept * uncertainty, 1.0 - disbelief, kept)

    @property
    def disbelief(self) -> float:
        """What speaks against it."""
        return 1.0 - self.not_disbelieved

    @property
    def uncertainty(self) -> float:
        """What speaks neither way."""
        return (self.not_disbelieved - self.probability) / (1.0 - self.base_rate)

    @property
    def belief(self) -> float:
        """What speaks for it."""
        return self.not_disbelieved - self.uncertainty

    @property
    def opinion(self) -> Opinion:
        """As an opinion."""
        disbelief = min(max(self.disbelief, 0.0), 1.0)
        uncertainty = min(max(self.uncertainty, 0.0), 1.0 - disbelief)
        belief = 1.0 - disbelief - uncertainty
        return Opinion._trusted(belief, disbelief, uncertainty, self.base_rate, PRIOR_WEIGHT)  # type: ignore[arg-type]


class Held(NamedTuple):
    """A unit: what it shares with nobody, and the sets of shared parts and shared warrants, as bits."""

    core: Value | None
    parts: int = 0
    warrants: int = 0


class SubjectiveLogic:
    """All units of a case, from below upward.

    Parameters
    ----------
    graph, leaves
        The case, and what is known of its leaves.
    undeveloped
        The opinion on what is not argued yet.
    discounting
        By the probability of warrants, or by belief in them alone.
    field, alone
        What operation says of claims, by their unit; those on which it alone counts.
    """

    def __init__(
        self,
        graph: Graph,
        leaves: Mapping[int, Leaf],
        undeveloped: Components,
        discounting: Discounting,
        field: Mapping[int, Components],
        alone: Iterable[int],
    ) -> None:
        self._graph, self._leaves, self._undeveloped = graph, leaves, Value.of(undeveloped)
        self._by_belief = discounting == "uncertainty"
        self._field, self._alone = field, frozenset(alone)
        self._places = meeting_places(graph.users)
        self._sets = SharedSets(len(graph.units))
        self._held: list[Held] = []
        self.values: list[Value] = []
        for index, unit in enumerate(graph.units):
            self._unit(index, unit)

    def _unit(self, index: int, unit: Unit) -> None:
        self._sets.reach(index)
        below = self._below(index, unit)
        held = self._warranted(index, unit, below)
        contraries = [] if unit.node.kind in UNDERCUT else self._contraries(unit)
        if contraries:
            held = held._replace(core=conjunction([*_present(held.core), *contraries]))
        shown = self._shown(unit, below, held, contraries)
        self.values.append(shown)
        self._held.append(self._offered(index, held if held.parts or held.warrants else Held(shown)))

    def _below(self, index: int, unit: Unit) -> Held:
        if index in self._alone:
            return Held(Value.of(self._field[index]))
        held = self._combined(unit, index)
        if index not in self._field:
            return held
        return Held(fused([self._whole(held), Value.of(self._field[index])]))

    def _combined(self, unit: Unit, index: int) -> Held:
        if unit.leaf:
            return Held(Value.of(self._leaves[index].opinion))
        extra = [Value.of(UNKNOWN)] * unit.missing + [self._undeveloped] * unit.node.undeveloped
        legs = self._graph.legs(unit)
        if unit.node.combining == "legs" and len(legs) + len(extra) > 1:
            together = (leg[0] if len(leg) == 1 else None for leg in legs)
            shown = [
                self.values[one] if one is not None else self._whole(self._united(map(self._held.__getitem__, leg)))
                for one, leg in zip(together, legs, strict=True)
            ]
            return Held(fused([*shown, *extra]))
        held = self._united([*(self._held[each] for each in unit.parts), *map(Held, extra)])
        stated = unit.node.stated
        if unit.node.combining != "deduction" or stated is None or stated.given_true is None:
            return held
        assert stated.given_false is not None, "a deduction has both conditionals"
        return Held(deduced(self._whole(held), Components.of(stated.given_true), Components.of(stated.given_false)))

    @staticmethod
    def _united(held: Iterable[Held]) -> Held:
        cores, parts, warrants = [], 0, 0
        for each in held:
            cores += _present(each.core)
            parts |= each.parts
            warrants |= each.warrants
        return Held(conjunction(cores) if cores else None, parts, warrants)

    def _warranted(self, index: int, unit: Unit, below: Held) -> Held:
        """With its warrants: those that nothing else rests on are applied, unless shared parts are still to come."""
        own = [self._held[each] for each in unit.warrants]
        alone = [each.core for each in own if each.core is not None]
        alone += [Value.of(UNKNOWN)] * unit.missing_warrants
        if unit.node.kind in UNDERCUT:
            alone += self._contraries(unit)
        warrants = below.warrants
        for each in own:
            warrants |= each.parts | each.warrants
        closing = below.parts & self._sets.closing[index]
        warrants &= ~below.parts
        core, parts = below.core, below.parts & ~closing
        if closing:
            core = self._conjunction(core, closing)
        if parts or core is None:
            for value in alone:
                warrants |= self._sets.add(value, index)
            return Held(core, parts, warrants)
        now = warrants & self._sets.closed
        if alone or now:
            core = self._discounted(core, conjunction([*alone, *([self._sets.product(now)] if now else ())]))
        return Held(core, parts, warrants & ~now)

    def _contraries(self, unit: Unit) -> list[Value]:
        return [negated(self.values[each]) for each in unit.challengers]

    def _shown(self, unit: Unit, below: Held, held: Held, contraries: Sequence[Value]) -> Value:
        value = self._whole(held)
        if below.warrants and unit.parts and unit.node.combining == "all":
            trusts = [self.values[each] for each in unit.warrants]
            share = conjunction(trusts).probability if trusts else 1.0
            value = raised(value, share, [self.values[each] for each in unit.parts])
        return raised(value, 1.0, contraries) if contraries and held.warrants else value

    def _whole(self, held: Held) -> Value:
        value = self._conjunction(held.core, held.parts) if held.parts else held.core
        assert value is not None, "a unit has a core or shared parts"
        return self._discounted(value, self._sets.product(held.warrants)) if held.warrants else value

    def _offered(self, index: int, held: Held) -> Held:
        """What the units above get: of a shared unit the core is one member of the set of shared parts."""
        if len(self._graph.users[index]) < 2 or held.core is None:
            return held
        return Held(None, held.parts | self._sets.add(held.core, self._places[index]), held.warrants)

    def _conjunction(self, core: Value | None, parts: int) -> Value:
        return conjunction([*_present(core), self._sets.product(parts)])

    def _discounted(self, value: Value, trust: Value) -> Value:
        """As far as the trust goes: its probability (definition 14.6), or its belief, as the policy says."""
        share = trust.belief if self._by_belief else trust.probability
        probability, not_disbelieved, base_rate = value
        return Value(base_rate + share * (probability - base_rate), 1.0 - share + share * not_disbelieved, base_rate)


def _present(core: Value | None) -> list[Value]:
    return [] if core is None else [core]


# Operators on values.


def conjunction(values: Sequence[Value]) -> Value:
    """All of them, which are independent (definition 7.1)."""
    return values[0] if len(values) == 1 else Value(*map(prod, zip(*values, strict=True)))


def negated(value: Value) -> Value:
    """The contrary (definition 6.3)."""
    return Value(1.0 - value.probability, 1.0 - value.belief, 1.0 - value.base_rate)


def fused(values: Sequence[Value]) -> Value:
    """Independent evidence on one statement, added up (cumulative fusion, section 12.3)."""
    doubts = [max(value.uncertainty, LEAST_UNCERTAINTY) for value in values]
    evidence = [(1.0 - doubt) / doubt for doubt in doubts]
    uncertainty = 1.0 / (1.0 + sum(evidence))
    disbelief = uncertainty * sum(value.disbelief / doubt for value, doubt in zip(values, doubts, strict=True))
    weights = [each + LEAST_UNCERTAINTY for each in evidence]
    rates = sum(weight * value.base_rate for weight, value in zip(weights, values, strict=True))
    base_rate = rates / sum(weights)
    belief = max(1.0 - disbelief - uncertainty, 0.0)
    return Value(belief + base_rate * uncertainty, 1.0 - disbelief, base_rate)


def deduced(value: Value, given_true: Components, given_false: Components) -> Value:
    """What follows by the conditionals (definition 9.1; ``surefoot.opinions.deduce`` says how the cases reduce)."""
    a_x, a_y = value.base_rate, min(max(given_true.base_rate, MARGIN), 1.0 - MARGIN)
    gain = given_true.belief - given_false.belief
    loss = given_true.disbelief - given_false.disbelief
    near, far = (a_x, 1.0 - a_x) if gain > 0 else (1.0 - a_x, a_x)
    limit = min(near * abs(gain) / a_y, far * abs(loss) / (1.0 - a_y)) if gain * loss < 0 else 0.0
    lifted = value.uncertainty * limit
    chance = value.probability
    belief, disbelief, uncertainty = (
        chance * true + (1.0 - chance) * false for true, false in zip(given_true[:3], given_false[:3], strict=True)
    )
    belief, disbelief = belief - a_y * lifted, disbelief - (1.0 - a_y) * lifted
    return Value(belief + a_y * (uncertainty + lifted), 1.0 - max(disbelief, 0.0), a_y)


def raised(value: Value, share: float, parts: Sequence[Value]) -> Value:
    """At least as much disbelieved as each needed part is, as far as trust in the argument goes."""
    disbelief = max(value.disbelief, share * max(part.disbelief for part in parts))
    belief = min(value.belief, 1.0 - disbelief)
    uncertainty = 1.0 - belief - disbelief
    return Value(belief + value.base_rate * uncertainty, 1.0 - disbelief, value.base_rate)


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

    def __init__(self, units: int) -> None:
        self._members: list[Value] = []
        self._products: dict[int, Value] = {}
        self._recent: deque[int] = deque(maxlen=MOST_RECENT)
        self._reached = 0
        self.closing = [0] * units
        """For each unit the members whose uses meet there."""
        self.closed = 0
        """The members whose uses have met."""

    def reach(self, unit: int) -> None:
        """The reckoning comes to a unit."""
        self._reached = unit
        self.closed |= self.closing[unit]

    def add(self, value: Value, meeting: int) -> int:
        """The set of one new member: a result whose uses meet at a unit, or nowhere in the case."""
        bit = 1 << len(self._members)
        self._members.append(value)
        self._products[bit] = value
        if meeting < len(self.closing):
            self.closing[meeting] |= bit
            if meeting <= self._reached:
                self.closed |= bit
        return bit

    def product(self, mask: int) -> Value:
        """The conjunction of a set, made from the largest set within it that was just used."""
        if mask not in self._products:
            within = [each for each in self._recent if each & mask == each]
            known = max(within, key=int.bit_count, default=0)
            rest = [self._members[each] for each in bits(mask & ~known)]
            self._products[mask] = conjunction([*([self._products[known]] if known else ()), *rest])
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
