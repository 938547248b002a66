"""``PlannedTests``: the requirement of one event, and the tests that would show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from surefoot.bounds import trials_needed
from surefoot.core import Estimate, LevelUnavailable, Target, Undefined
from surefoot.core.canonical import FrozenMap
from surefoot.faulttree.model import FaultTree
from surefoot.hazards.improvement.ground import counts_of
from surefoot.hazards.improvement.question import component_of


@dataclass(frozen=True)
class PlannedTests:
    """What is known of an event, what it must be, and how many tests show it.

    ``tests`` has, by the failures allowed (in words, ``"0"``), the tests to run from nothing; ``more`` those still
    to run after what was ``seen`` (failures and trials), by the further failures allowed. Numbers are None where there
    are none, and ``reason`` says why.
    """

    event: str
    component: str
    today: float | None
    bound: float | None
    target: Target
    seen: tuple[int, int] | None
    tests: Mapping[str, int | None] = field(default_factory=FrozenMap)
    more: Mapping[str, int | None] = field(default_factory=FrozenMap)
    cost: float | None = None
    reason: str = ""

    def __post_init__(self) -> None:
        for name in ("tests", "more"):
            object.__setattr__(self, name, FrozenMap(getattr(self, name)))

    @property
    def requirement(self) -> float:
        """The largest probability that the event may have."""
        return self.target.limit

    @property
    def level(self) -> float:
        """At which it is to be shown."""
        return self.target.level

    @property
    def shown(self) -> bool:
        """Whether what was seen so far shows it already."""
        return self.more.get("0") == 0


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
    more = {} if seen is None else {str(n): None if reason else _further(target, seen, n) for n in failures}
    if not reason and None in tests.values():
        reason = "no feasible number of tests"
    return PlannedTests(
        event, component_of(tree, event), today, _upper(known, target.level), target, seen, tests, more, cost, reason
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


def _further(target: Target, seen: tuple[int, int], allowed: int) -> int | None:
    """What is missing of the tests that show the target with all failures, those seen and those allowed."""
    needed = _trials(target, seen[0] + allowed)
    return None if needed is None else max(0, needed - seen[1])


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
