"""From a target of the top event to requirements for events, and the tests that would show them."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from surefoot.core import validate
from surefoot.core.canonical import FrozenMap
from surefoot.core.errors import InvalidInput, LevelUnavailable, MixedKinds
from surefoot.core.estimate import Estimate, Summary
from surefoot.core.evidence import Table
from surefoot.core.target import Target
from surefoot.core.validate import FloatArray
from surefoot.documents import percent, significant
from surefoot.faulttree.allocation_rules import CostOf, Costs, Problem, by_importance, cheapest, equal, proportional
from surefoot.faulttree.counted import is_certain
from surefoot.faulttree.model import FaultTree
from surefoot.faulttree.quantities import Counts, Fixed, Quantity, inputs
from surefoot.faulttree.uncertainty import (
    bound_of_counts,
    event_matrix,
    event_ranges,
    input_interval,
    relevant_inputs,
    top_event,
)

Method = Literal["equal", "proportional", "importance", "cost"]
RULES: dict[Method, str] = {
    "equal": "the same probability for each event",
    "proportional": "today's values times one factor",
    "importance": "improvement in proportion to criticality importance",
    "cost": "the least total cost",
}
MOST_SHOWN = 10


WHERE = "allocate"


NOTICEABLE = 1e-9
RULE_OF = {"equal": equal, "proportional": proportional, "importance": by_importance}


def allocate(
    tree: FaultTree,
    target: float | Target,
    *,
    events: Sequence[str] | None = None,
    method: Method = "equal",
    costs: Mapping[str, float | CostOf] | None = None,
    fixed: Collection[str] = (),
    lowest: Mapping[str, float] | None = None,
    level: float | None = None,
    relax: bool = False,
) -> Allocation:
    """Requirements for events so that the exact probability of the top event is at its target.

    ``events`` are those that may change; by default all with which the top event rises, without the ``fixed`` ones.
    No requirement is looser than today's value, unless ``relax`` says so, or below what ``lowest`` says can be reached.
    The other events stand at upper bounds. The miss probability of ``level``, by default the target's, is shared among
    them and the chosen events (Bonferroni 1936). ``tests`` of the result says how many tests without a failure show
    the target, found by assessing the tree anew. Methods:

    - ``equal``: the same probability for each event;
    - ``proportional``: today's values times one factor;
    - ``importance``: the factor by which an event must improve is in proportion to its criticality importance, so that
      all add the same to the top event;
    - ``cost``: the least sum of ``costs``. A number is the cost of each factor of ten below today's value, a function
      gives the cost of a probability; without ``costs`` each factor of ten costs 1.

    A target that cannot be met is no error: the result says so, with the best reachable and what stands in the way.
    """
    validate.choice(method, get_args(Method), where=WHERE, name="method")
    aim, compiled = as_target(target, where=WHERE), tree.compiled
    directions = {name: compiled.directions[name] for name in compiled.events}
    choice = choose(directions, tree.expanded.events, events, fixed)
    today = _today(tree, choice, method)
    share = aim.alpha if level is None else 1 - validate.level(level, where=WHERE)
    held = held_inputs(tree, choice.names)
    each = 1 - share / (len(choice.names) + len(held))
    problem = _problem(tree, today, limit_of(aim), lowest or {}, each if held else None, relax)
    priced = _priced(costs, method, choice, problem)
    feasible = bool(problem.top(problem.low) <= problem.target)
    x = _solved(problem, method, priced) if feasible else problem.low
    return Allocation(
        tree,
        aim,
        method,
        requirements=dict(zip(choice.names, x.tolist(), strict=True)),
        today=today,
        lowest=dict(zip(choice.names, problem.low.tolist(), strict=True)),
        before=None if None in today.values() else float(problem.top(problem.today)),
        top=float(problem.top(x)),
        feasible=feasible,
        blockers={} if feasible else _blockers(problem, compiled.events),
        level=1 - share,
        each=each,
        held=held,
        cost=None if priced is None else priced.total(x),
        notes=(*choice.notes, *(f"Left out of the tree: {text}" for text in tree.left_out)),
    )


def _problem(
    tree: FaultTree,
    today: Mapping[str, float | None],
    target: float,
    lowest: Mapping[str, float],
    level: float | None,
    relax: bool,
) -> Problem:
    columns = {name: column for column, name in enumerate(tree.compiled.events)}
    chosen = np.array([columns[name] for name in today])
    base = held_values(tree, today, level)
    base[chosen] = values = np.array([1.0 if value is None else value for value in today.values()])
    high = np.ones_like(values) if relax else values
    low = _lowest(lowest, dict(zip(today, high.tolist(), strict=True)))
    return Problem(tree.compiled, base, chosen, low, high, target)


def _priced(
    costs: Mapping[str, float | CostOf] | None, method: Method, choice: Choice, problem: Problem
) -> Costs | None:
    if method == "cost":
        return Costs.read(costs, choice.names, problem.today)
    if costs is not None:
        raise InvalidInput("costs are for the method 'cost'", where=WHERE, found=f"method={method!r}")
    return None


def _solved(problem: Problem, method: Method, costs: Costs | None) -> FloatArray:
    if problem.top(problem.high) <= problem.target:
        return problem.high
    return RULE_OF[method](problem) if costs is None else cheapest(problem, costs)


def _today(tree: FaultTree, choice: Choice, method: Method) -> dict[str, float | None]:
    known = tree.expanded.events
    unknown = {name for name in choice.names if known[name] is None}
    if unknown and method != "equal":
        raise InvalidInput(
            f"the method {method!r} starts from today's probabilities",
            where=WHERE,
            found=f"none for {', '.join(name for name in choice.names if name in unknown)}",
            remedy="Give them probabilities, or use method='equal'.",
        )
    values = dict(zip(tree.compiled.events, held_values(tree, choice.names, None).tolist(), strict=True))
    return {name: None if name in unknown else values[name] for name in choice.names}


def _lowest(given: Mapping[str, float], high: Mapping[str, float]) -> FloatArray:
    for name in given:
        validate.choice(name, high, where=WHERE, name="chosen event in lowest")
    found = {n: validate.probability(given.get(n, 0.0), where=WHERE, name=f"lowest of {n!r}") for n in high}
    above = [f"{name} {found[name]:g} above {high[name]:g}" for name in found if found[name] > high[name]]
    if above:
        raise InvalidInput(
            "the lowest probability is above the largest allowed",
            where=WHERE,
            found="; ".join(above),
            remedy="Leave these events out, or pass relax=True.",
        )
    return np.array(list(found.values()))


def _blockers(problem: Problem, names: Sequence[str]) -> dict[str, float]:
    """The other events, each with the top event if it were perfect as well; only those that help."""
    others = np.setdiff1d(np.arange(len(names)), problem.chosen)
    best = float(problem.top(problem.low))
    signs = problem.compiled.directions
    at = problem.base.copy()
    at[problem.chosen] = problem.low
    columns = np.repeat(at[:, None], len(others), axis=1)
    columns[others, np.arange(len(others))] = [0.0 if signs[names[i]] >= 0 else 1.0 for i in others]
    tops = np.asarray(problem.compiled.probability(columns))
    ranked = sorted(zip(tops.tolist(), (names[i] for i in others), strict=True))
    return {name: top for top, name in ranked if top < best * (1 - NOTICEABLE)}


@dataclass(frozen=True, repr=False)
class Allocation:
    """The largest probabilities that the chosen events may have for the top event to meet its target.

    ``top`` is the exact probability of the top event with the requirements met and each of the other events at its
    upper bound. Each of those bounds, and each requirement, has the level ``each``, so that all of them hold together
    at ``level``. ``held`` names the uncertain inputs of the other events. Where no choice meets the target,
    ``feasible`` is false, the requirements are the lowest that can be reached, ``top`` is the best reachable, and
    ``blockers`` names the other events, each with the best reachable if it were perfect too, the most helpful first.

    See Also
    --------
    FaultTree.allocate : Makes it, with an example.

    """

    tree: FaultTree
    target: Target
    method: Method
    requirements: Mapping[str, float]
    today: Mapping[str, float | None]
    lowest: Mapping[str, float]
    before: float | None
    top: float
    feasible: bool
    blockers: Mapping[str, float]
    level: float = 0.95
    each: float = 0.95
    held: tuple[str, ...] = ()
    cost: float | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        validate.fields(self)
        for name in ("requirements", "today", "lowest", "blockers"):
            object.__setattr__(self, name, FrozenMap(getattr(self, name)))

    @cached_property
    def tests(self) -> Mapping[str, int] | None:
        """Tests of each chosen event, fixed beforehand, that show the target if none of them fails; None for no number.

        Found by assessing the tree anew with exactly these tests in place of the chosen events: the tests that would
        show each requirement by itself, all made more or fewer by one factor until the target is just shown.
        """
        return None if not self.feasible else closing_tests(self)

    @cached_property
    def assessed(self) -> Estimate | None:
        """The top event after those tests, none of them failed; None where no number of tests is enough."""
        return None if self.tests is None else top_after(self, self.tests)

    def apply(self) -> FaultTree:
        """The tree with the requirements as probabilities; common causes are written out as events of their own."""
        return self.tree.with_events(self.requirements)

    def as_targets(self, level: float | None = None) -> dict[str, Target]:
        """The requirements as targets, each to be shown at a level.

        By default they and the bounds of the other events share the miss probability of the top event's target, or
        the half of it that an uncertain limit leaves, so that all of them, once shown, hold together at its level.
        """
        shown = self.each if level is None else validate.level(level, where="as_targets")
        unmet = "" if self.feasible else ", which they do not meet"
        source = f"allocated from {self.tree.top!r}, {self.target}{unmet}"
        return {
            name: Target(at_most=limit, level=shown, per=self.target.per, source=source)
            for name, limit in self.requirements.items()
        }

    def table(self) -> Table:
        """One row an event: today's value, the requirement with its level and tests, and what became of it."""
        tests = self.tests or {}
        rows = (
            (name, self.today[name], limit, self.each, tests.get(name), self._factor(name), self._change(name))
            for name, limit in self.requirements.items()
        )
        head = ("event", "today", "at most", "level", "tests without a failure", "improve by", "change")
        return Table(head, tuple(rows))

    def summary(self) -> Summary:
        """What a reader needs to see, for terminal, notebook and report alike."""
        held = f"each at its upper bound at level {percent(self.each)}" if self.held else "at their value"
        rows = [
            ("target", str(self.target)),
            ("method", f"{self.method}: {RULES[self.method]}"),
            ("other events", held),
            ("top event today", "unknown" if self.before is None else significant(self.before)),
            ("top event then", f"{significant(self.top)}, {'met' if self.feasible else 'not met: the best reachable'}"),
            *self._closing(),
            *([] if self.cost is None else [("cost", significant(self.cost))]),
            *((name, self._line(name)) for name in list(self.requirements)[:MOST_SHOWN]),
        ]
        more = len(self.requirements) - MOST_SHOWN
        rows += [("", f"and {more:,} more")] if more > 0 else []
        rows += [
            (f"if {name} were perfect", significant(best)) for name, best in list(self.blockers.items())[:MOST_SHOWN]
        ]
        return Summary(f"Allocation of {self.tree.top}", rows, self.notes)

    def _closing(self) -> list[tuple[str, str]]:
        """What the tests would show, as the tree itself would say it."""
        if not self.feasible:
            return []
        if self.assessed is None:
            return [("tests", "no feasible number of tests without a failure shows it")]
        bound = significant(self.assessed.upper(self.level), rounding="up")
        return [
            ("after the tests below", f"upper bound {bound} at level {percent(self.level)}, the tree assessed anew")
        ]

    def _line(self, name: str) -> str:
        today, limit = self.today[name], significant(self.requirements[name], rounding="down")
        tests = f"; {self.tests[name]:,} tests without a failure" if self.tests else ""
        asked = f"as today, {significant(today)}" if today == self.requirements[name] else f"at most {limit}"
        then = (
            ""
            if today is None or today == self.requirements[name]
            else f", today {significant(today)}, {self._change(name)}"
        )
        return f"{asked} at level {percent(self.each)}{then}{tests}"

    def _factor(self, name: str) -> float | None:
        today, limit = self.today[name], self.requirements[name]
        return None if today is None else 1.0 if today == limit else float("inf") if limit == 0 else today / limit

    def _change(self, name: str) -> str:
        today, limit = self.today[name], self.requirements[name]
        if today is None:
            return "new"
        if limit == today:
            return "as today"
        if limit == self.lowest[name]:
            return "as low as it can be"
        return "tighter" if limit < today else "looser"

    def __repr__(self) -> str:
        found = "met" if self.feasible else "infeasible"
        return f"Allocation({self.method}, {len(self.requirements)} events, top {self.top:.6g}, {found})"

    def __str__(self) -> str:
        return str(self.summary())

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()


# Targets of a top event.


def as_target(target: float | Target, *, where: str) -> Target:
    """A largest probability, given as a number or as a target."""
    aim = target if isinstance(target, Target) else Target(validate.probability(target, where=where, name="target"))
    if aim.at_most is None or not 0 <= aim.at_most <= 1:
        raise InvalidInput(
            "the target of a top event is a largest probability", where=where, found=str(aim), remedy="Use at_most."
        )
    return aim


def limit_of(aim: Target) -> float:
    """The number to stay below: on the strict side where the target itself is uncertain.

    Half of the miss probability is the limit's then, as when an estimate is held against the target.
    """
    return aim.cautious_limit(aim.alpha)


# How many tests close an allocation: the tree is assessed anew with exactly the evidence that it asks for.

MOST_TESTS = 10**12
CLOSE, DOUBLINGS = 1.005, 24
Tests = Mapping[str, int]


def closing_tests(allocation: Allocation) -> dict[str, int] | None:
    """The fewest tests in the proportions of the requirements after which, none failed, the target is shown."""
    alone = _alone(allocation)
    if alone is None:
        return None

    def tests(factor: float) -> dict[str, int]:
        return {name: math.ceil(factor * count) for name, count in alone.items()}

    def shown(factor: float) -> bool:
        return _bound(allocation, tests(factor)) <= limit_of(allocation.target)

    enough = _enough(shown)
    if enough is None:
        return None
    low, high = enough
    while high / low > CLOSE:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if shown(middle) else (middle, high)
    return tests(high)


def top_after(allocation: Allocation, tests: Tests) -> Estimate:
    """The top event after these tests, none of them failed."""
    return top_event(_tested(allocation, tests), level=allocation.level)


def _alone(allocation: Allocation) -> dict[str, int] | None:
    """Tests that show each requirement by itself; none for one that everything meets."""
    miss, found = 1 - allocation.each, {}
    for name, limit in allocation.requirements.items():
        if limit <= 0:
            return None
        found[name] = 0 if limit >= 1 else math.ceil(math.log(miss) / math.log1p(-limit))
    return found if max(found.values()) <= MOST_TESTS else None


def _enough(shown: Callable[[float], bool]) -> tuple[float, float] | None:
    """A factor that is too small and one that is enough, within twice of each other."""
    factor = 1.0
    if shown(factor):
        for _ in range(DOUBLINGS):
            if not shown(factor / 2):
                return factor / 2, factor
            factor /= 2
        return factor / 2, factor
    for _ in range(DOUBLINGS):
        factor *= 2
        if shown(factor):
            return factor / 2, factor
    return None


def _bound(allocation: Allocation, tests: Tests) -> float:
    try:
        return bound_of_counts(_tested(allocation, tests), 1 - allocation.level)
    except (LevelUnavailable, MixedKinds, InvalidInput):
        return math.inf


def _tested(allocation: Allocation, tests: Tests) -> FaultTree:
    """Events that anything meets are certain to happen, and need no test."""
    known: dict[str, Quantity] = {name: Counts(0, count) if count else Fixed(1.0) for name, count in tests.items()}
    return allocation.tree.with_events(known)


# Which events an allocation may change, and why not the others.


@dataclass(frozen=True)
class Choice:
    """Names of chosen events in the order of the diagram, and what to tell of those left out."""

    names: tuple[str, ...]
    notes: tuple[str, ...]


def choose(
    directions: Mapping[str, int], known: Collection[str], events: Sequence[str] | None, fixed: Collection[str]
) -> Choice:
    """The named events, or all with which the top event rises, without the fixed ones.

    ``directions`` are those of the events that the top event depends on, ``known`` the names of all events.
    """
    _check_names(known, events, fixed)
    if events is None:
        names = tuple(name for name, sign in directions.items() if sign > 0 and name not in fixed)
        left = [name for name, sign in directions.items() if sign <= 0 and name not in fixed]
        return _some(names, _note(left, "left as they are, because the top event does not rise with them"))
    signs = {name: directions[name] for name in events if directions.get(name, 1) <= 0}
    wrong = [f"{name!r} {'lowers it' if sign < 0 else 'can raise it and lower it'}" for name, sign in signs.items()]
    if wrong:
        raise InvalidInput(
            "the top event does not rise with every chosen event",
            where=WHERE,
            found="; ".join(wrong),
            remedy="Leave these events out; a largest probability for them would not keep the top event down.",
        )
    names = tuple(name for name in directions if name in set(events))
    return _some(names, _note([n for n in events if n not in directions], "without influence on the top event"))


def _some(names: tuple[str, ...], notes: tuple[str, ...]) -> Choice:
    if not names:
        raise InvalidInput("there is no event left to choose", where=WHERE, found="; ".join(notes) or "all are fixed")
    return Choice(names, notes)


def _note(names: Sequence[str], why: str) -> tuple[str, ...]:
    return (f"{', '.join(names)}: {why}.",) if names else ()


def _check_names(known: Collection[str], events: Sequence[str] | None, fixed: Collection[str]) -> None:
    for names, what in ((events or (), "events"), (fixed, "fixed")):
        if isinstance(names, str):
            raise InvalidInput(f"{what} must be a collection of names", where=WHERE, found=repr(names))
        for name in names:
            validate.choice(name, known, where=WHERE, name="event")
    both = [name for name in events or () if name in set(fixed)]
    if both:
        raise InvalidInput("an event is chosen and fixed at once", where=WHERE, found=", ".join(both))


# The events that an allocation does not change: at their value, or on the safe side of what is known.


def held_inputs(tree: FaultTree, chosen: Collection[str]) -> tuple[str, ...]:
    """The uncertain inputs of the events that are not chosen."""
    held = [name for name in tree.compiled.events if name not in set(chosen)]
    known = [name for name in held if tree.expanded.events[name] is not None]
    found = inputs(tree.expanded, events=known)
    return tuple(name for name, estimate in found.items() if not is_certain(estimate))


def held_values(tree: FaultTree, chosen: Collection[str], level: float | None) -> FloatArray:
    """Probabilities of all events of the compiled tree; those of chosen events that nobody knows are 1."""
    known = _with_known(tree, chosen)
    return event_matrix(known, {}, 1)[:, 0] if level is None else _safe_side(known, chosen, level)


def _with_known(tree: FaultTree, chosen: Collection[str]) -> FaultTree:
    quantities = tree.expanded.events
    unknown = [name for name in tree.compiled.events if quantities[name] is None]
    held = [name for name in unknown if name not in chosen]
    if held:
        raise InvalidInput(
            "an event that is not chosen needs a probability",
            where=WHERE,
            found=", ".join(held),
            remedy="Give it one, or choose it.",
        )
    return tree.with_events(dict.fromkeys(unknown, 1.0)) if unknown else tree


def _safe_side(tree: FaultTree, chosen: Collection[str], level: float) -> FloatArray:
    """Each event at the end of its range that is worse for the top event."""
    if validate.level(level, where=WHERE) <= 0.5:
        raise InvalidInput("the level of an upper bound must exceed 0.5", where=WHERE, found=f"{level:g}")
    both_sides, held = 2 * level - 1, set(held_inputs(tree, chosen))
    box = {
        name: input_interval(estimate, both_sides) if name in held else (estimate.value, estimate.value)
        for name, estimate in relevant_inputs(tree).items()
    }
    ranges, signs = event_ranges(tree, box), tree.compiled.directions
    unclear = [n for n in tree.compiled.events if not signs[n] and n not in chosen and ranges[n][0] < ranges[n][1]]
    if unclear:
        raise InvalidInput(
            "neither end of the range of an uncertain event is the worse one",
            where=WHERE,
            found=", ".join(unclear),
            remedy="Give these events fixed values.",
        )
    return np.array([ranges[name][0 if signs[name] < 0 else 1] for name in tree.compiled.events])
