"""``Allocation``: requirements for events, and how the top event does with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from surefoot.core import validate
from surefoot.core.canonical import FrozenMap
from surefoot.core.evidence import Table
from surefoot.core.summary import Summary
from surefoot.core.target import Target
from surefoot.draw import percent, significant

if TYPE_CHECKING:
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

    ``top`` is the exact probability of the top event with the requirements met, the other events at their value, or,
    with a ``level``, each at its upper bound at that level. Where no choice meets the target, ``feasible`` is false,
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
    level: float | None = None
    cost: float | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("requirements", "today", "lowest", "blockers"):
            object.__setattr__(self, name, FrozenMap(getattr(self, name)))

    def apply(self) -> FaultTree:
        """The tree with the requirements as probabilities; common causes are written out as events of their own."""
        return self.tree.with_events(self.requirements)

    def as_targets(self, level: float | None = None) -> dict[str, Target]:
        """The requirements as targets, each to be shown at a level.

        By default they share the miss probability of the top event's target, or the half of it that an uncertain limit
        leaves, so that all of them, once shown, hold together at its level (Bonferroni 1936). The other events count as
        they are held here.
        """
        shared = 1 - self.target.alpha / len(self.requirements)
        shown = shared if level is None else validate.level(level, where="as_targets")
        unmet = "" if self.feasible else ", which they do not meet"
        source = f"allocated from {self.tree.top!r}, {self.target}{unmet}"
        return {
            name: Target(at_most=limit, level=shown, per=self.target.per, source=source)
            for name, limit in self.requirements.items()
        }

    def table(self) -> Table:
        """One row an event: today's value, the requirement, the factor between them, what became of it."""
        rows = (
            (name, self.today[name], limit, self._factor(name), self._change(name))
            for name, limit in self.requirements.items()
        )
        return Table(("event", "today", "at most", "improve by", "change"), tuple(rows))

    def summary(self) -> Summary:
        """What a reader needs to see, for terminal, notebook and report alike."""
        held = "at their value" if self.level is None else f"each at its upper bound at level {percent(self.level)}"
        rows = [
            ("target", str(self.target)),
            ("method", f"{self.method}: {RULES[self.method]}"),
            ("other events", held),
            ("top event today", "unknown" if self.before is None else significant(self.before)),
            ("top event then", f"{significant(self.top)}, {'met' if self.feasible else 'not met: the best reachable'}"),
            *([] if self.cost is None else [("cost", significant(self.cost))]),
            *((name, self._line(name)) for name in list(self.requirements)[:MOST_SHOWN]),
        ]
        more = len(self.requirements) - MOST_SHOWN
        rows += [("", f"and {more:,} more")] if more > 0 else []
        rows += [
            (f"if {name} were perfect", significant(best)) for name, best in list(self.blockers.items())[:MOST_SHOWN]
        ]
        return Summary(f"Allocation of {self.tree.top}", rows, self.notes)

    def _line(self, name: str) -> str:
        today, limit = self.today[name], significant(self.requirements[name], rounding="down")
        if today == self.requirements[name]:
            return f"as today, {significant(today)}"
        return f"at most {limit}" + ("" if today is None else f", today {significant(today)}, {self._change(name)}")

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
