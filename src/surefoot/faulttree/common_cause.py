"""Events that fail together more often than independence says, by the classic common-cause models.

``expanded`` puts gates over independent basic events in place of the groups of a tree.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate, combinations
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar

from surefoot.core.assumption import Assumption
from surefoot.core.canonical import Tagged
from surefoot.core.diagnostics import Diagnostic
from surefoot.core.errors import InvalidInput
from surefoot.faulttree import quantities
from surefoot.faulttree.formula import Formula
from surefoot.faulttree.quantities import Fixed, Operation, Parameter, Quantity, as_quantity

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree


FEWEST_MEMBERS = 2
MOST_EVENTS = 2**12 - 1


@dataclass(frozen=True)
class Expansion:
    """What stands in the tree in place of a group: a gate for each member, over new independent basic events."""

    gates: Mapping[str, Formula]
    events: Mapping[str, Quantity]
    parameters: Mapping[str, Quantity] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class CommonCause(Tagged, ABC):
    """Basic events, defined by the group, that can fail together.

    The members are named here and nowhere else: a member has no quantity of its own in the tree's events.

    Parameters
    ----------
    name
        Of the group.
    members
        Names of the events that it defines.

    See Also
    --------
    BetaFactor, MultipleGreekLetter, AlphaFactor, PhiFactor : The classic models.
    SharedTraining : Redundant learned channels, from counts of joint failures.

    """

    name: str
    members: tuple[str, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.members, Iterable) or isinstance(self.members, str | bytes):
            raise InvalidInput("members must be names of events", where=repr(self.name), found=repr(self.members))
        object.__setattr__(self, "members", tuple(self.members))
        if other := [member for member in self.members if not isinstance(member, str)]:
            raise InvalidInput("a member is the name of an event", where=repr(self.name), found=repr(other[0]))

    @property
    @abstractmethod
    def event_count(self) -> int:
        """How many basic events the expansion has."""

    @property
    @abstractmethod
    def quantities(self) -> dict[str, Quantity]:
        """The quantities that the group is given, by name."""

    @abstractmethod
    def expansion(self) -> Expansion:
        """Gates and independent basic events in place of the members; only for a group without problems."""

    @abstractmethod
    def assumptions(self) -> tuple[Assumption, ...]:
        """What the group takes for granted."""

    def problems(self, values: Mapping[str, float]) -> Iterator[Diagnostic]:
        """What is wrong with the group itself; ``values`` are the means of its quantities, by name."""
        yield from self._member_problems()

    def _member_problems(self) -> Iterator[Diagnostic]:
        if len(self.members) < FEWEST_MEMBERS:
            yield self.error("tree-gate", f"has {len(self.members)} members, a common cause needs at least two.")
        twice = [member for member in dict.fromkeys(self.members) if self.members.count(member) > 1]
        if twice:
            yield self.error("tree-duplicate", f"names {', '.join(map(repr, twice))} more than once.")
        if self.event_count > MOST_EVENTS:
            text = (
                f"of {len(self.members)} members stands for {self.event_count:,} events; the most are {MOST_EVENTS:,}."
            )
            yield self.error("tree-beyond-budget", text, "Split the group, or give factors for fewer levels.")

    def error(self, code: str, text: str, hint: str = "") -> Diagnostic:
        """A problem of this group."""
        return Diagnostic(code, f"the common-cause group {self.name!r} {text}", "error", hint=hint)

    @classmethod
    def _read(cls, value: Any) -> Any:
        if isinstance(value, Mapping):
            return Quantity.from_dict(value)
        return super()._read(value)


# What the classic common-cause models share: a basic event of its own for each subset of the members.

INDEPENDENT_SUBSETS = Assumption(
    "independent-subsets",
    "The common causes of different subsets of a group happen independently, and a member fails where one of its "
    "subsets does. In the data that factors come from a failure has one cause, so joint probabilities are right to "
    "the first order in the members' probability.",
)
ALIKE = Assumption("alike-members", "All subsets of one size are equally likely to fail together.")


@dataclass(frozen=True)
class FactorModel(CommonCause):
    """Members with one total failure probability, ``distribution``, that factors share out over common causes."""

    distribution: Quantity

    given_as: ClassVar[str]
    meaning: ClassVar[str]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "distribution", as_quantity(self.distribution))
        given = getattr(self, self.given_as)
        several = isinstance(given, Iterable)
        object.__setattr__(self, self.given_as, tuple(map(as_quantity, given)) if several else as_quantity(given))

    @property
    def given(self) -> tuple[Quantity, ...]:
        """The factors, one for each of ``factor_levels``."""
        given = getattr(self, self.given_as)
        return given if isinstance(given, tuple) else (given,)

    @property
    @abstractmethod
    def factor_levels(self) -> range:
        """The sizes of subsets that factors are given for."""

    @abstractmethod
    def shares(self, factors: tuple[Quantity, ...]) -> dict[int, Quantity]:
        """For each size of subset, the probability of one such subset over the total probability of a member."""

    @property
    def levels(self) -> tuple[int, ...]:
        """The sizes of subsets that can fail."""
        return tuple(sorted({1, *self.factor_levels}))

    @property
    def quantities(self) -> dict[str, Quantity]:
        factors = zip(
            self.factor_levels, self.given, strict=False
        )  # A wrong number of factors is a problem of its own.
        return {"distribution": self.distribution} | {f"factor {level}": factor for level, factor in factors}

    @property
    def event_count(self) -> int:
        return sum(comb(len(self.members), level) for level in self.levels)

    def expansion(self) -> Expansion:
        """A basic event for each subset, named ``[A B]``; what it is computed from is a parameter, so drawn once."""
        parameters = {f"[{self.name} {name}]": quantity for name, quantity in self.quantities.items()}
        total, *factors = map(Parameter, parameters)
        for level, share in self.shares(tuple(factors)).items():
            parameters[self._level_name(level)] = Operation("mul", (share, total))
        events = {subset_name(s): Parameter(self._level_name(len(s))) for s in self._subsets()}
        labels = {subset_name(s): f"common cause in {self.name}: {', '.join(s)}" for s in self._subsets() if len(s) > 1}
        return Expansion(self._gates(), events, parameters, labels)

    def _gates(self) -> dict[str, Formula]:
        held: dict[str, list[str]] = {member: [] for member in self.members}
        for subset in self._subsets():
            for member in subset:
                held[member].append(subset_name(subset))
        return {member: Formula("or", tuple(names)) for member, names in held.items()}

    def _subsets(self) -> Iterator[tuple[str, ...]]:
        for level in self.levels:
            yield from combinations(self.members, level)

    def _level_name(self, level: int) -> str:
        return f"[{self.name} level {level}]"

    def assumptions(self) -> tuple[Assumption, ...]:
        """Independent subsets, members alike, and what the factors mean."""
        return INDEPENDENT_SUBSETS, ALIKE, Assumption(self.tag, self.meaning)

    def problems(self, values: Mapping[str, float]) -> Iterator[Diagnostic]:
        """What is wrong with the members and the number of factors."""
        yield from super().problems(values)
        size = len(self.members)
        if not self.given or max(self.factor_levels) > size:
            text = f"of {size} members has {len(self.given)} factors, for levels from {self.factor_levels.start} on."
            yield self.error("tree-gate", text, "Give at least one, and none for more members than there are.")


def subset_name(members: tuple[str, ...]) -> str:
    """The name of the event by which these members fail together."""
    return f"[{' '.join(members)}]"


# The classic common-cause models: beta factor, multiple Greek letter, alpha factor, phi factor.
#
# ``Q`` is the total failure probability of a member, ``n`` the number of members and ``Q_k`` the probability of the
# event of one subset of ``k`` members. Definitions as in the Open-PSA Model Exchange Format (Epstein and Rauzy 2008)
# and NUREG/CR-5485 (Mosleh, Rasmuson and Marshall 1998).

SUM_TOLERANCE = 1e-4


@dataclass(frozen=True)
class BetaFactor(FactorModel, tag="beta-factor"):
    """Either one member fails alone or all fail: ``Q_1 = (1 - beta) Q`` and ``Q_n = beta Q``.

    Parameters
    ----------
    name
        Of the group.
    members
        Names of the events that it defines.
    distribution
        Total failure probability of a member.
    beta
        Share of a member's failures that a common cause has.

    References
    ----------
    Fleming (1975).

    Examples
    --------
    >>> import surefoot as sf
    >>> from surefoot.faulttree import BetaFactor, Formula
    >>> pumps = BetaFactor("pumps", ("a", "b"), 0.01, 0.1)
    >>> tree = sf.FaultTree("both", {"both": Formula("and", ("a", "b"))}, {}, groups=(pumps,))
    >>> round(tree.probability(), 9)
    0.00108...

    """

    beta: Quantity

    given_as = "beta"
    meaning = "A common cause fails all members; beta is its share of a member's failures."

    @property
    def factor_levels(self) -> range:
        return range(len(self.members), len(self.members) + 1)

    def shares(self, factors: tuple[Quantity, ...]) -> dict[int, Quantity]:
        return {1: _rest(factors[0]), len(self.members): factors[0]}


@dataclass(frozen=True)
class MultipleGreekLetter(FactorModel, tag="multiple-greek-letter"):
    """Chances that a cause is shared by one member more: beta, gamma, delta, ...

    ``Q_k = rho_2 ... rho_k (1 - rho_{k+1}) Q / C(n-1, k-1)``, with the factors ``rho`` given from level 2 on and 0
    after the last.

    Parameters
    ----------
    name
        Of the group.
    members
        Names of the events that it defines.
    distribution
        Total failure probability of a member.
    factors
        One for each level from 2 on.

    References
    ----------
    Fleming and Kalinowski (1983).

    Examples
    --------
    >>> import surefoot as sf
    >>> from surefoot.faulttree import MultipleGreekLetter, Formula
    >>> pumps = MultipleGreekLetter("pumps", ("a", "b"), 0.01, (0.1,))
    >>> tree = sf.FaultTree("both", {"both": Formula("and", ("a", "b"))}, {}, groups=(pumps,))
    >>> round(tree.probability(), 9)
    0.00108...

    """

    factors: tuple[Quantity, ...]

    given_as = "factors"
    meaning = "Factor k is the chance that a cause that fails k - 1 members fails at least one more."

    @property
    def factor_levels(self) -> range:
        return range(2, 2 + len(self.factors))

    def shares(self, factors: tuple[Quantity, ...]) -> dict[int, Quantity]:
        one: Quantity = Fixed(1.0)
        shared = accumulate(factors, _product, initial=one)
        ended = (*map(_rest, factors), one)
        both = map(_product, shared, ended)
        others = len(self.members) - 1
        return {k: _product(Fixed(1 / comb(others, k - 1)), share) for k, share in enumerate(both, start=1)}


@dataclass(frozen=True)
class AlphaFactor(FactorModel, tag="alpha-factor"):
    """Shares of failure events that involve k members: ``Q_k = k / C(n-1, k-1) alpha_k / alpha_t Q``.

    ``alpha_t`` is the sum of ``k alpha_k``, so the scale of the factors cancels. For testing that is not staggered.

    Parameters
    ----------
    name
        Of the group.
    members
        Names of the events that it defines.
    distribution
        Total failure probability of a member.
    alphas
        One for each level from 1 on.

    References
    ----------
    Mosleh and Siu (1987).

    Examples
    --------
    >>> import surefoot as sf
    >>> from surefoot.faulttree import AlphaFactor, Formula
    >>> pumps = AlphaFactor("pumps", ("a", "b"), 0.01, (0.95, 0.05))
    >>> tree = sf.FaultTree("both", {"both": Formula("and", ("a", "b"))}, {}, groups=(pumps,))
    >>> round(tree.probability(), 9)
    0.00103...

    """

    alphas: tuple[Quantity, ...]

    given_as = "alphas"
    meaning = "Alpha k is the share of the group's failure events that involve k members; tests are not staggered."

    @property
    def factor_levels(self) -> range:
        return range(1, 1 + len(self.alphas))

    def shares(self, factors: tuple[Quantity, ...]) -> dict[int, Quantity]:
        involved = [_product(Fixed(k), alpha) for k, alpha in enumerate(factors, start=1)]
        total = Operation("add", tuple(involved))
        among = len(self.members) - 1
        return {
            k: Operation("div", (part, _product(Fixed(comb(among, k - 1)), total)))
            for k, part in enumerate(involved, start=1)
        }

    def problems(self, values: Mapping[str, float]) -> Iterator[Diagnostic]:
        """Besides the usual: all alphas 0 (an error), or a sum other than 1 (a warning)."""
        yield from super().problems(values)
        total = _sum(values, len(self.alphas))
        if total == 0:
            yield self.error("tree-probability", "has no alpha factor above 0.")
        elif abs(total - 1) > SUM_TOLERANCE:
            text = f"the alpha factors of the common-cause group {self.name!r} sum to {total:g}, not to 1."
            yield Diagnostic("tree-probability", text, "warning", hint="They are used in proportion.")


@dataclass(frozen=True)
class PhiFactor(FactorModel, tag="phi-factor"):
    """Subsets weighed directly: ``Q_k = phi_k Q``, where the factors sum to 1.

    Parameters
    ----------
    name
        Of the group.
    members
        Names of the events that it defines.
    distribution
        Total failure probability of a member.
    factors
        One for each level from 1 on.

    References
    ----------
    Epstein and Rauzy (2008), Open-PSA Model Exchange Format 2.0d.

    Examples
    --------
    >>> import surefoot as sf
    >>> from surefoot.faulttree import PhiFactor, Formula
    >>> pumps = PhiFactor("pumps", ("a", "b"), 0.01, (0.9, 0.1))
    >>> tree = sf.FaultTree("both", {"both": Formula("and", ("a", "b"))}, {}, groups=(pumps,))
    >>> round(tree.probability(), 9)
    0.00108...

    """

    factors: tuple[Quantity, ...]

    given_as = "factors"
    meaning = (
        "Factor k times the distribution is the probability of each subset of k members. A member is in several "
        "subsets of one size, so in a group of more than two its total probability exceeds the distribution."
    )

    @property
    def factor_levels(self) -> range:
        return range(1, 1 + len(self.factors))

    def shares(self, factors: tuple[Quantity, ...]) -> dict[int, Quantity]:
        return dict(enumerate(factors, start=1))

    def problems(self, values: Mapping[str, float]) -> Iterator[Diagnostic]:
        """Besides the usual: a sum other than 1."""
        yield from super().problems(values)
        total = _sum(values, len(self.factors))
        if abs(total - 1) > SUM_TOLERANCE:
            yield self.error("tree-probability", f"has phi factors that sum to {total:g}; they must sum to 1.")


def _rest(share: Quantity) -> Quantity:
    return Operation("sub", (Fixed(1.0), share))


def _product(first: Quantity, second: Quantity) -> Quantity:
    """Their product, without factors of 1."""
    if first == Fixed(1.0):
        return second
    return first if second == Fixed(1.0) else Operation("mul", (first, second))


def _sum(values: Mapping[str, float], factors: int) -> float:
    """The sum of the factors; 1, which is no problem, where one of them has no value."""
    known = [value for name, value in values.items() if name.startswith("factor ")]
    return sum(known) if len(known) == factors else 1.0


# A tree without groups: members become gates over independent basic events.


def expanded(tree: FaultTree) -> FaultTree:
    """The tree with a gate in place of each member of its groups; the same object where there is nothing to do.

    Labels and attributes of the members stay with the gates. The order that a priority gate asks for becomes an event.
    """
    if not tree.groups:
        return with_orders(tree)
    parts = [group.expansion() for group in tree.groups]
    members = {member for group in tree.groups for member in group.members}
    gates, parameters, labels = dict(tree.gates), dict(tree.parameters), dict(tree.labels)
    events = {name: quantity for name, quantity in tree.events.items() if name not in members}
    for part in parts:
        gates.update(part.gates)
        events.update(part.events)
        parameters.update(part.parameters)
        labels.update(part.labels)
    return with_orders(replace(tree, gates=gates, events=events, parameters=parameters, labels=labels, groups=()))


# Priority gates with a stated probability of their order: a conjunction with one more event.


def with_orders(tree: FaultTree) -> FaultTree:
    """The tree with an event ``[gate order]`` under each priority gate that states an order.

    The event is independent of the inputs, as the stated probability is one given that all of them happen.
    """
    events: dict[str, Quantity | None] = {}
    gates = {name: _ordered(formula, name, events) for name, formula in tree.gates.items()}
    return replace(tree, gates=gates, events={**tree.events, **events}) if events else tree


def _ordered(formula: Formula, name: str, events: dict[str, Quantity | None]) -> Formula:
    if all(inner.order is None for inner in formula.formulas()):
        return formula
    places = _places(formula)
    inputs = [list(inner.inputs) for inner, _, _ in places]
    made = formula
    for index in reversed(range(len(places))):
        inner, outer, place = places[index]
        made = replace(inner, inputs=tuple(inputs[index]))
        if inner.order is not None:
            event = f"[{_path(name, index, places)} order]"
            events[event] = Fixed(inner.order)
            made = Formula("and", (*made.inputs, event))
        if index:
            inputs[outer][place] = made
    return made


def _places(formula: Formula) -> list[tuple[Formula, int, int]]:
    """A formula and those inside it, each after the one it stands in, with that one's index and the place there."""
    found = [(formula, 0, 0)]
    for index, (outer, _, _) in enumerate(found):
        found.extend((item, index, place) for place, item in enumerate(outer.inputs) if isinstance(item, Formula))
    return found


def _path(name: str, index: int, places: list[tuple[Formula, int, int]]) -> str:
    """The name of the gate and the places on the way in, from 1."""
    steps = []
    while index:
        _, index, place = places[index]
        steps.append(f".{place + 1}")
    return name + "".join(reversed(steps))


# What is wrong with the common-cause groups of a tree.


@dataclass(frozen=True)
class Numbers:
    """The quantities of all groups, as if they were events: each has to be a probability or a share."""

    events: Mapping[str, Quantity]
    parameters: Mapping[str, Quantity]


def problems_of(tree: FaultTree) -> Iterator[Diagnostic]:
    """All problems of all groups: members defined elsewhere or twice, factors, parameters, names that are taken."""
    yield from _named_twice(tree)
    yield from _defined_otherwise(tree)
    wrong = list(_wrong_numbers(tree))
    yield from wrong
    values = {} if _any_error(wrong) else _means(tree)
    found = [p for group in tree.groups for p in group.problems(values.get(group.name, {}))]
    yield from found
    if not _any_error(found):
        yield from _taken_names(tree)


def _any_error(diagnostics: Iterable[Diagnostic]) -> bool:
    return any(diagnostic.severity == "error" for diagnostic in diagnostics)


def _wrong_numbers(tree: FaultTree) -> Iterator[Diagnostic]:
    """Problems of the groups' own quantities; those of the parameters are the tree's."""
    numbers = _numbers(tree)
    places = {f"event {name!r}": f"common-cause group {name}" for name in numbers.events}
    for problem in quantities.problems_of(numbers):
        if problem.where in places:
            yield replace(problem, where=places[problem.where])


def _means(tree: FaultTree) -> dict[str, dict[str, float]]:
    """The value of each quantity of each group where every uncertain input has its mean."""
    if _any_error(quantities.problems_of(Numbers({}, tree.parameters))):
        return {}
    found = quantities.probabilities(_numbers(tree))
    return {g.name: {name: float(found[_key(g, name)]) for name in g.quantities} for g in tree.groups}


def _numbers(tree: FaultTree) -> Numbers:
    events = {_key(group, name): q for group in tree.groups for name, q in group.quantities.items()}
    return Numbers(events, tree.parameters)


def _key(group: CommonCause, name: str) -> str:
    return f"{group.name}, {name}"


def _named_twice(tree: FaultTree) -> Iterator[Diagnostic]:
    for name, times in Counter(group.name for group in tree.groups).items():
        if times > 1:
            yield Diagnostic("tree-duplicate", f"{times} common-cause groups have the name {name!r}.", "error")
    seen: dict[str, str] = {}
    for group in tree.groups:
        for member in dict.fromkeys(group.members):
            other = seen.setdefault(member, group.name)
            if other != group.name:
                yield group.error("tree-duplicate", f"shares its member {member!r} with {other!r}.")


def _defined_otherwise(tree: FaultTree) -> Iterator[Diagnostic]:
    for group in tree.groups:
        for member in dict.fromkeys(group.members):
            if member in tree.gates or member in tree.houses:
                kind = "gate" if member in tree.gates else "house event"
                yield group.error("tree-duplicate", f"has the member {member!r}, which is a {kind}.")
            elif tree.events.get(member) is not None:
                text = f"says how its member {member!r} fails, and so does the event itself."
                yield group.error("tree-duplicate", text, "Leave out the event's own probability.")


def _taken_names(tree: FaultTree) -> Iterator[Diagnostic]:
    """Names that an expansion needs and that stand for something else; members are no such thing."""
    taken = {*tree.gates, *tree.events, *tree.houses}
    for group in tree.groups:
        part = group.expansion()
        new = {*part.gates, *part.events} - set(group.members)
        for name in sorted((new & taken) | (part.parameters.keys() & tree.parameters.keys())):
            yield group.error("tree-duplicate", f"needs the name {name!r}, which is taken.", "Use another name.")
        taken |= new
