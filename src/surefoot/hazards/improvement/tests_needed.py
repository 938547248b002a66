"""From a top event's budget to the tests of each component: requirements, and how many tests show them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from surefoot.bounds import demonstration, trials_needed
from surefoot.bounds.planning import observed_rate
from surefoot.core import Estimate, InvalidInput, Summary, Table, Target, Undefined, validate
from surefoot.core.canonical import FrozenMap
from surefoot.documents import counted, percent, significant
from surefoot.faulttree.allocation import Allocation, Method
from surefoot.faulttree.allocation_rules import CostOf, Costs
from surefoot.faulttree.logic.engines import BeyondBudget, Budget
from surefoot.faulttree.model import FaultTree
from surefoot.faulttree.quantities import probabilities
from surefoot.hazards.improvement.evaluator import Question, component_of, counts_of, too_large, upper_limit

LIKELY_POWER = 0.8
SHOWN = 10
NEW_TESTS = (
    "All numbers are new tests, fixed beforehand. Those seen so far do not count towards them: adding to tests that "
    "were looked at until it works breaks the level, and failures that were repaired belong to another component."
)
LIKELY = (f"new tests for {LIKELY_POWER:.0%} if as seen", f"new tests for {LIKELY_POWER:.0%} if half")
WHERE = "test_plan"


def plan_tests(
    tree: FaultTree,
    target: float | Target,
    *,
    events: Sequence[str] | None = None,
    method: Method = "equal",
    costs: Mapping[str, float | CostOf] | None = None,
    level: float | None = None,
    failures: Sequence[int] = (0, 1, 2),
    lowest: Mapping[str, float] | None = None,
    budget: Budget | None = None,
) -> TestPlan:
    """The budget of the top event as requirements for events, and the tests that show each with few failures.

    The miss probability of the target is shared equally among the tested events and the uncertain inputs of the others,
    which count at their upper bounds, so that the requirements, once shown, together show the target at its level;
    where the target is uncertain itself, one half of it is. Requirements may be looser than today's values, except with
    the method ``cost``. What was counted so far is taken from the estimates of the events.

    Parameters
    ----------
    tree
        The fault tree.
    target
        What is asked of its top event; a number is a largest probability.
    events
        Those to be tested: by default those marked with a component, else all.
    method, costs
        How the budget is shared, see ``FaultTree.allocate``.
    level
        It comes before that of the target.
    failures
        Numbers of failures to plan for.
    lowest
        The least that an event can reach.
    budget
        Nodes and seconds for the exact probability.

    Returns
    -------
    TestPlan
        One row for each event to test; none where the tree is beyond the budget.

    References
    ----------
    Dong et al. (2023), RAM, section 3.2; Bonferroni (1936); Clopper and Pearson (1934), Biometrika 26(4).

    Examples
    --------
    >>> from surefoot import FaultTree
    >>> from surefoot.faulttree import Formula
    >>> from surefoot.faulttree.quantities import Fixed
    >>> crash = {"crash": Formula("or", ("blind", "late"))}
    >>> tree = FaultTree("crash", crash, {"blind": Fixed(0.01), "late": Fixed(0.002)})
    >>> plan = plan_tests(tree, 0.005)
    >>> round(plan["blind"].requirement, 6), plan["blind"].tests["0"]
    (0.002503, 1472)

    """
    asked = Question.of(target, level, where=WHERE)
    allowed = _checked(failures)
    try:
        tree.compile(budget)
    except BeyondBudget as beyond:
        return TestPlan(tree, asked.target, None, failures=allowed, notes=(too_large(tree, beyond),))
    chosen, notes = _chosen(tree, events)
    found = _at_their_values(tree, chosen).allocate(
        asked.target,
        events=chosen,
        method=method,
        costs=costs,
        lowest=lowest,
        level=asked.aim.level,
        relax=method != "cost",
    )
    rows = _rows(tree, found, found.each, allowed, costs)
    return TestPlan(tree, asked.target, found, rows, allowed, notes)


@dataclass(frozen=True, repr=False)
class TestPlan:
    """Requirements of events and the tests that show them; no rows where the tree is beyond the budget.

    Parameters
    ----------
    tree, target
        What was asked.
    allocation
        The requirements; None where the tree is beyond the budget.
    rows
        One for each event to test.
    failures
        Numbers of failures that were planned for.
    notes
        What else must be said.

    See Also
    --------
    test_plan

    """

    __test__: ClassVar[bool] = False

    tree: FaultTree
    target: Target
    allocation: Allocation | None
    rows: tuple[PlannedTests, ...] = ()
    failures: tuple[int, ...] = (0, 1, 2)
    notes: tuple[str, ...] = ()

    @property
    def feasible(self) -> bool:
        """Whether requirements exist that meet the target."""
        return self.allocation is not None and self.allocation.feasible

    def __getitem__(self, event: str) -> PlannedTests:
        found = next((row for row in self.rows if row.event == event), None)
        if found is None:
            raise InvalidInput("the plan does not test this event", where="test_plan", found=repr(event))
        return found

    def table(self) -> Table:
        """One row an event, from what is known today to the tests to plan."""
        priced = any(row.cost is not None for row in self.rows)
        tests = tuple(f"tests with {counted(allowed, 'failure')}" for allowed in self.failures)
        head = ("event", "component", "today", "bound today", "at most", "level", *tests, "seen so far", *LIKELY)
        rows = tuple((*self._cells(row), *((row.cost,) if priced else ()), row.reason) for row in self.rows)
        return Table((*head, *(("cost",) if priced else ()), "remark"), rows)

    def _cells(self, row: PlannedTests) -> tuple[Any, ...]:
        seen = None if row.seen is None else f"{row.seen[0]:,} of {row.seen[1]:,}"
        tests = (row.tests[str(allowed)] for allowed in self.failures)
        need = row.requirement if self.feasible else None
        return (
            row.event,
            row.component,
            row.today,
            row.bound,
            need,
            row.level,
            *tests,
            seen,
            row.likely,
            row.likely_if_half,
        )

    def sentences(self) -> tuple[str, ...]:
        """What the plan says, and what it rests on."""
        return tuple(_sentences(self))

    def summary(self) -> Summary:
        """What a reader needs to see, for terminal, notebook and report alike."""
        rows = [("target", str(self.target)), *((row.event, _line(row)) for row in self.rows[:SHOWN])]
        rows += [("", f"and {len(self.rows) - SHOWN:,} more")] if len(self.rows) > SHOWN else []
        return Summary(f"Tests for {self.tree.top}", rows, (*self.sentences(), *self.notes))

    def __repr__(self) -> str:
        return f"TestPlan({self.tree.top!r}, {len(self.rows)} events, {'feasible' if self.feasible else 'infeasible'})"

    def __str__(self) -> str:
        return str(self.summary())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


@dataclass(frozen=True)
class PlannedTests:
    """What is known of an event, what it must be, and how many tests show it.

    Parameters
    ----------
    event, component
        What is tested.
    today, bound
        Its probability, and its upper bound at the level of the requirement.
    target
        The requirement.
    seen
        Failures and trials so far.
    tests
        By the failures allowed (in words, ``"0"``), the tests to run from nothing.
    likely, likely_if_half
        New tests that show it with a probability of 80% if the rate is that of what was seen, or half of it.
    shown
        Whether what was seen shows it.
    cost
        Of reaching the requirement.
    reason
        Why there are no numbers.

    See Also
    --------
    test_plan

    """

    event: str
    component: str
    today: float | None
    bound: float | None
    target: Target
    seen: tuple[int, int] | None
    tests: Mapping[str, int | None] = field(default_factory=FrozenMap)
    likely: int | None = None
    likely_if_half: int | None = None
    shown: bool = False
    cost: float | None = None
    reason: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "tests", FrozenMap(self.tests))

    @property
    def requirement(self) -> float:
        """The largest probability that the event may have."""
        return self.target.limit

    @property
    def level(self) -> float:
        """At which it is to be shown."""
        return self.target.level


def _sentences(plan: TestPlan) -> Iterator[str]:
    found = plan.allocation
    if found is None:
        return
    if not found.feasible:
        best = f"The target cannot be met by these events: the best reachable is {significant(found.top)}."
        perfect = [f"{name} ({significant(top)})" for name, top in list(found.blockers.items())[:SHOWN]]
        yield (
            f"{best} What stands in the way, with the top event if it were perfect too: {', '.join(perfect)}."
            if (perfect)
            else best
        )
        return
    if len(plan.rows) < len(plan.tree.compiled.events):
        held = f"at their upper bounds at {percent(found.each)}" if found.held else "at their values"
        yield f"Events that are not tested count {held}."
    if any(row.seen for row in plan.rows):
        yield NEW_TESTS


def _line(row: PlannedTests) -> str:
    if row.reason:
        return row.reason
    need = f"at most {significant(row.requirement, rounding='down')} at {percent(row.level)}"
    tests = ", ".join(
        f"{count:,} tests with {counted(int(n), 'failure')}" for n, count in row.tests.items() if count is not None
    )
    if row.shown:
        return f"{need}: shown by what was seen"
    likely = "" if row.likely is None else f"; {row.likely:,} for {percent(LIKELY_POWER)} at the rate seen so far"
    return f"{need}: {tests}{likely}"


def _checked(failures: Sequence[int]) -> tuple[int, ...]:
    allowed = tuple(dict.fromkeys(validate.count(each, where=WHERE, name="failures") for each in failures))
    if not allowed:
        raise InvalidInput("say how many failures a test may have", where=WHERE, remedy="Use failures=(0, 1, 2).")
    return allowed


def _chosen(tree: FaultTree, events: Sequence[str] | None) -> tuple[list[str], tuple[str, ...]]:
    """The events to test; ``allocate`` refuses those with which the top event does not rise."""
    compiled = tree.compiled
    if events is not None:
        for name in events:
            validate.choice(name, tree.expanded.events, where=WHERE, name="event")
        left = [name for name in events if name not in compiled.directions]
        chosen = [name for name in dict.fromkeys(events) if name in compiled.directions]
        return _some(chosen), _left_out(left)
    marked = [name for name in tree.attributes if component_of(tree, name)]
    rising = [name for name in compiled.events if compiled.directions[name] > 0]
    chosen = [name for name in rising if name in set(marked)]
    return _some(chosen or rising), _left_out([name for name in marked if name not in set(chosen)])


def _some(chosen: list[str]) -> list[str]:
    if not chosen:
        raise InvalidInput("there is no event to test on which the top event depends", where=WHERE)
    return chosen


def _left_out(names: Sequence[str]) -> tuple[str, ...]:
    return (f"{', '.join(names)}: left out, because the top event does not rise with it alone.",) if names else ()


def _at_their_values(tree: FaultTree, chosen: Collection[str]) -> FaultTree:
    """The tree without the uncertainty of the events to be tested, whose bounds nobody asks for."""
    known = [name for name in chosen if tree.expanded.events[name] is not None]
    values = probabilities(tree.expanded, events=known)
    return tree.with_events({name: float(value) for name, value in values.items()}) if known else tree


def _rows(
    tree: FaultTree,
    found: Allocation,
    level: float,
    failures: tuple[int, ...],
    costs: Mapping[str, float | CostOf] | None,
) -> tuple[PlannedTests, ...]:
    prices = _prices(found, costs)
    return tuple(
        planned_tests(
            tree,
            event,
            target,
            today=found.today[event],
            failures=failures,
            feasible=found.feasible,
            cost=prices.get(event),
        )
        for event, target in found.as_targets(level).items()
    )


def _prices(found: Allocation, costs: Mapping[str, float | CostOf] | None) -> dict[str, float]:
    if costs is None or None in found.today.values():
        return {}
    today, wanted = (np.array(list(part.values()), dtype=float) for part in (found.today, found.requirements))
    names = list(found.requirements)
    return dict(zip(names, Costs.read(costs, names, today).each(wanted).tolist(), strict=True))


def planned_tests(
    tree: FaultTree,
    event: str,
    target: Target,
    *,
    today: float | None,
    failures: Sequence[int],
    feasible: bool,
    cost: float | None,
) -> PlannedTests:
    """The row of one event; a plan that cannot reach its target has no tests."""
    known = _estimate(tree, event)
    seen = None if known is None else counts_of(known)
    reason = "no number of tests shows a probability of 0" if target.limit <= 0 else ""
    if not feasible:
        reason = "not with every other event at its bound"
    tests = {str(allowed): None if reason else _trials(target, allowed) for allowed in failures}
    needed = None if reason or seen is None else _trials(target, seen[0])
    shown = needed is not None and seen is not None and needed <= seen[1]
    asked = None if reason or shown else seen
    if not reason and None in tests.values():
        reason = "no feasible number of tests"
    return PlannedTests(
        event,
        component_of(tree, event),
        today,
        upper_limit(known, target.level),
        target,
        seen,
        tests,
        likely=None if asked is None else _likely(target, asked, 1.0),
        likely_if_half=None if asked is None else _likely(target, asked, 0.5),
        shown=shown,
        cost=cost,
        reason=reason,
    )


def _estimate(tree: FaultTree, event: str) -> Estimate | None:
    """The belief about an event that is one uncertain input."""
    quantity = tree.expanded.events[event]
    return quantity.belief(event) if quantity is not None and quantity.uncertain else None


def _trials(target: Target, allowed: int) -> int | None:
    """A requirement of 1 needs no test."""
    if target.limit >= 1:
        return 0
    try:
        return trials_needed(target, failures=allowed)
    except Undefined:
        return None


def _likely(target: Target, seen: tuple[int, int], share: float) -> int | None:
    """New tests that probably show the target at a share of the rate that was seen; None where no number does."""
    try:
        return demonstration(target, rate=share * observed_rate(*seen), power=LIKELY_POWER).trials
    except Undefined:
        return None
