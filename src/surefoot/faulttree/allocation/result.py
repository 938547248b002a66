"""``Allocation``: requirements for events, and how the top event does with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from surefoot.core import validate
from surefoot.core.canonical import FrozenMap
from surefoot.core.evidence import Table
from surefoot.core.summary import Summary
from surefoot.core.target import Target
from surefoot.documents import percent, significant

if TYPE_CHECKING:
    from surefoot.core.estimate import Estimate
    from surefoot.faulttree.model import FaultTree

Method = Literal["equal", "proportional", "importance", "cost"]
RULES: dict[Method, str] = {
    "equal": "the same probability for each event",
    "proportional": "today's values times one factor",
    "importance": "improvement in proportion to criticality importance",
    "cost": "the least total cost",
}
MOST_SHOWN = 10


@dataclass(frozen=True, repr=False)
class Allocation:
    """The largest probabilities that the chosen events may have for the top event to meet its target.

    ``top`` is the exact probability of the top event with the requirements met and each of the other events at its
    upper bound. Each of those bounds, and each requirement, has the level ``each``, so that all of them hold together
    at ``level``. ``held`` names the uncertain inputs of the other events. Where no choice meets the target,
    ``feasible`` is false,
    the requirements are the lowest that can be reached, ``top`` is the best reachable, and ``blockers`` names the other
    events, each with the best reachable if it were perfect too, the most helpful first.
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
        for name in ("requirements", "today", "lowest", "blockers"):
            object.__setattr__(self, name, FrozenMap(getattr(self, name)))

    @cached_property
    def tests(self) -> Mapping[str, int] | None:
        """Tests of each chosen event, fixed beforehand, that show the target if none of them fails; None for no number.

        Found by assessing the tree anew with exactly these tests in place of the chosen events: the tests that would
        show each requirement by itself, all made more or fewer by one factor until the target is just shown.
        """
        from surefoot.faulttree.allocation.testing import closing_tests

        return None if not self.feasible else closing_tests(self)

    @cached_property
    def assessed(self) -> Estimate | None:
        """The top event after those tests, none of them failed; None where no number of tests is enough."""
        from surefoot.faulttree.allocation.testing import top_after

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
