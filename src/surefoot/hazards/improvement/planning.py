"""From a top event's budget to the number of tests of each component."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from surefoot.core import InvalidInput, Target, validate
from surefoot.faulttree.allocation import Allocation, CostOf, Method
from surefoot.faulttree.allocation.costs import Costs
from surefoot.faulttree.logic.budget import BeyondBudget, Budget
from surefoot.faulttree.model import FaultTree
from surefoot.faulttree.quantities import probabilities
from surefoot.hazards.improvement.plan import TestPlan
from surefoot.hazards.improvement.plan_row import PlannedTests, planned_tests
from surefoot.hazards.improvement.question import Question, component_of, too_large

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

    ``events`` are those to be tested: by default those marked with a component, else all. The others count at their
    upper bounds. The miss probability of the target is shared equally among the tested events and the uncertain inputs
    of the others, so that the requirements, once shown, together show the target at its level (Bonferroni 1936); where
    the target is uncertain itself, one half of it is. The tests are those of Clopper and Pearson (1934), see
    ``trials_needed``. Requirements may be looser than today's values, except with the method ``cost``, where ``costs``
    are those of ``allocate``. What was counted so far is taken from the estimates of the events.
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
