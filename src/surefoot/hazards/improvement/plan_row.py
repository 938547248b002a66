"""``PlannedTests``: the requirement of one event, and the tests that would show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from surefoot.bounds import demonstration, trials_needed
from surefoot.bounds.planning import observed_rate
from surefoot.core import Estimate, LevelUnavailable, Target, Undefined
from surefoot.core.canonical import FrozenMap
from surefoot.faulttree.model import FaultTree
from surefoot.hazards.improvement.ground import counts_of
from surefoot.hazards.improvement.question import component_of

LIKELY_POWER = 0.8


@dataclass(frozen=True)
class PlannedTests:
    """What is known of an event, what it must be, and how many tests show it.

    ``tests`` has, by the failures allowed (in words, ``"0"``), the tests to run from nothing. ``likely`` are the new
    tests that show it with a probability of 80% if the rate is that of what was ``seen`` (failures and trials), and
    ``likely_if_half`` if it is half of that. ``shown`` says whether what was seen shows it. Numbers are None where
    there are none, and ``reason`` says why.
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
    reason = "not with every other event at its bound" if not feasible else _hopeless(target.limit)
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
        _upper(known, target.level),
        target,
        seen,
        tests,
        likely=None if asked is None else _likely(target, asked, 1.0),
        likely_if_half=None if asked is None else _likely(target, asked, 0.5),
        shown=shown,
        cost=cost,
        reason=reason,
    )


def _hopeless(limit: float) -> str:
    return "no number of tests shows a probability of 0" if limit <= 0 else ""


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


def _estimate(tree: FaultTree, event: str) -> Estimate | None:
    """The belief about an event that is one uncertain input."""
    quantity = tree.expanded.events[event]
    return quantity.belief(event) if quantity is not None and quantity.uncertain else None


def _upper(estimate: Estimate | None, level: float) -> float | None:
    if estimate is None:
        return None
    try:
        return estimate.upper(level)
    except LevelUnavailable:
        return None
