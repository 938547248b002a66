"""``Improvements``: what each event could do, ranked, as table, sentences and figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from surefoot.bounds.whatif import Aim
from surefoot.core import Estimate, InvalidInput, Summary, Table, Target, Verdict
from surefoot.core.canonical import FrozenMap
from surefoot.documents import Rounding, percent, significant
from surefoot.faulttree.allocation import Allocation, CostOf
from surefoot.faulttree.model import FaultTree
from surefoot.hazards.improvement.improvement import Improvement

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEAD = (
    "event",
    "component",
    "today",
    "its bound today",
    "top event if ten times better",
    "gain",
    "top event if perfect",
    "gain if perfect",
    "top event if known",
    "gain if known",
    "needed alone",
    "times better alone",
)
PRICED = ("cost", "cost per gain", "cost alone")
SHOWN = 5
_SIDES: dict[float, tuple[str, Rounding]] = {0.0: ("at most", "down"), 1.0: ("at least", "up")}


@dataclass(frozen=True, repr=False)
class Improvements:
    """Each event with what it could do for the upper bound of the top event, the most worthwhile first.

    ``top`` and ``bound`` are None, and there are no rows, where the tree is beyond the budget. ``aim`` has the limit
    and the level of the verdict.
    """

    tree: FaultTree
    target: Target
    aim: Aim
    top: Estimate | None
    bound: float | None
    rows: tuple[Improvement, ...] = ()
    notes: tuple[str, ...] = ()
    costs: Mapping[str, float | CostOf] = field(default_factory=FrozenMap)

    @cached_property
    def verdict(self) -> Verdict | None:
        """Whether the target is met as things stand; None where the tree is beyond the budget."""
        return None if self.top is None else self.top.meets(self.target)

    @property
    def missing(self) -> float | None:
        """By how much the bound has to fall; below 0 where it need not."""
        return None if self.bound is None else self.bound - self.aim.limit

    def __getitem__(self, event: str) -> Improvement:
        found = next((row for row in self.rows if event in row.events), None)
        if found is None:
            raise InvalidInput("no such event matters to the top event", where="improvements", found=repr(event))
        return found

    def together(self, **options: Any) -> Allocation:
        """Requirements for all events at once, or for those with costs at the least cost: ``tree.allocate``."""
        if self.costs:
            options = {"method": "cost", "events": list(self.costs), "costs": self.costs} | options
        return self.tree.allocate(self.target, **({"method": "proportional"} | options))

    def table(self) -> Table:
        """One row an event, in the order of the ranking; costs where some are stated."""
        priced = PRICED if self.costs else ()
        return Table((*HEAD, *priced), tuple(_cells(row)[: len(HEAD) + len(priced)] for row in self.rows))

    def sentences(self) -> tuple[str, ...]:
        """What to do, in words."""
        return tuple(_sentences(self))

    def summary(self) -> Summary:
        """What a reader needs to see, for terminal, notebook and report alike."""
        bound = "unknown" if self.bound is None else significant(self.bound, rounding="up")
        rows = [
            ("target", f"{self.target}, limit {significant(self.aim.limit, rounding='down')}"),
            (f"upper bound at {percent(self.aim.level)}", bound),
            *((row.name, _line(row)) for row in self.rows[:SHOWN]),
        ]
        return Summary(f"What to improve for {self.tree.top}", rows, (*self.sentences(), *self.notes))

    def plot(self, axes: Axes | None = None, *, most: int = 12) -> Axes:
        """Bars of what improving and knowing gain, against what is missing."""
        from surefoot.hazards.improvement.figures import gain_bars

        return gain_bars(self, axes, most=most)

    def __repr__(self) -> str:
        return f"Improvements({self.tree.top!r}, {len(self.rows)} rows)"

    def __str__(self) -> str:
        return str(self.summary())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def _cells(row: Improvement) -> tuple[Any, ...]:
    gains = (row.if_better, row.gain_better, row.if_perfect, row.gain_perfect, row.if_known, row.gain_known)
    costs = (row.cost, row.cost_per_gain, row.cost_alone)
    return (row.name, row.component, row.today, row.own_bound, *gains, row.needed, row.factor, *costs)


def _line(row: Improvement) -> str:
    text = f"ten times better brings {significant(row.if_better)}, perfect {significant(row.if_perfect)}"
    return f"{text}, known {significant(row.if_known)}"


def _sentences(found: Improvements) -> Iterator[str]:
    if found.bound is None or found.missing is None or not found.rows:
        return
    if found.verdict:
        yield "The target is met; nothing has to improve."
        return
    if found.missing <= 0:
        yield "The bound by itself would meet the target; see the verdict for what stands against it."
        return
    alone = [row for row in found.rows if row.needed is not None]
    for row in alone[:SHOWN]:
        yield f"{row.name} alone would be enough: {_need(row)}."
    unclear = [row for row in found.rows if row.needed is None and row.if_perfect <= found.aim.limit]
    for row in unclear[:SHOWN]:
        yield f"{row.name} at {row.good:g} alone would be enough; on the way the top event may rise as well as fall."
    if not (alone or unclear):
        yield "No event alone would be enough, even a perfect one; several have to improve together."
    known = [row.name for row in found.rows if row.if_known <= found.aim.limit]
    if known:
        yield (
            "To know exactly how probable it is would be enough, without improving it, if it proves to be what is "
            f"expected today: {', '.join(known[:SHOWN])}."
        )
    learn = [row.name for row in found.rows if row.gain_known > row.gain_better]
    if learn:
        yield f"More is gained by knowing than by improving ten times: {', '.join(learn[:SHOWN])}."


def _need(row: Improvement) -> str:
    """``factor`` is None where the others leave no room for any uncertainty of this one."""
    assert row.needed is not None
    side, rounding = _SIDES[row.good]
    need = f"known to be {side} {significant(row.needed, rounding=rounding)}, today {significant(row.today)}"
    if row.factor is None or row.factor == 1:
        return need
    return f"{need}, or {significant(row.factor, rounding='up')} times better with its uncertainty in proportion"
