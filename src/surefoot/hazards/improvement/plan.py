"""``TestPlan``: requirements of events and the tests that show them, as one table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from surefoot.core import InvalidInput, Summary, Table, Target
from surefoot.documents import counted, percent, significant
from surefoot.faulttree.allocation import Allocation
from surefoot.faulttree.model import FaultTree
from surefoot.hazards.improvement.plan_row import LIKELY_POWER, PlannedTests

SHOWN = 10
NEW_TESTS = (
    "All numbers are new tests, fixed beforehand. Those seen so far do not count towards them: adding to tests that "
    "were looked at until it works breaks the level, and failures that were repaired belong to another component."
)
LIKELY = (f"new tests for {LIKELY_POWER:.0%} if as seen", f"new tests for {LIKELY_POWER:.0%} if half")


@dataclass(frozen=True, repr=False)
class TestPlan:
    """One row for each event to test; no rows and no allocation where the tree is beyond the budget."""

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
