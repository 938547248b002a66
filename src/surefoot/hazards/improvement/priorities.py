"""Where a requirement is not met: which events to improve or to learn more about, by how much, and at what cost."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from surefoot.bounds.planning import Aim
from surefoot.core import Estimate, InvalidInput, Summary, Table, Target, Verdict, validate
from surefoot.core.canonical import FrozenMap
from surefoot.documents import Rounding, percent, shortened, significant
from surefoot.drawing import BLUE, COLOURS, GREEN, INK, PALE, new_axes, open_frame
from surefoot.faulttree.allocation import Allocation
from surefoot.faulttree.allocation_rules import CostOf
from surefoot.faulttree.logic.engines import BeyondBudget, Budget
from surefoot.faulttree.model import FaultTree
from surefoot.faulttree.uncertainty import event_matrix, top_event
from surefoot.hazards.improvement.evaluator import BoundInputs, Question, component_of, too_large
from surefoot.hazards.improvement.gains import BETTER, Gain, Lever, gains, levers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KNOWN = COLOURS[3]
LONGEST_NAME, LONGEST_TITLE = 40, 60
HEIGHT = 0.34
Costs = Mapping[str, float | CostOf]
WHERE = "improvements"
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


def improvements(
    tree: FaultTree,
    target: float | Target,
    *,
    costs: Costs | None = None,
    level: float | None = None,
    draws: int = 10_000,
    seed: int = 0,
    mix: bool = False,
    budget: Budget | None = None,
) -> Improvements:
    """What each event alone could do for the upper bound that the verdict compares, the most worthwhile first.

    To improve an event lowers its probability (where the top event falls with it, that of its absence). To learn more
    about it keeps its mean and takes its uncertainty away: the gain of that is the share of the bound that is due to
    not knowing, and new tests or labels are the way to it. Events that rest on one estimate or one parameter are one
    thing. All what-ifs are computed on the same joint values of the inputs.

    Parameters
    ----------
    tree
        The fault tree.
    target
        What is asked of its top event; a number is a largest probability.
    costs
        By event the cost of each factor of ten, or a function that gives the cost of a probability.
    level
        It comes before that of the target.
    draws, seed, mix
        As for ``FaultTree.analyse``.
    budget
        Nodes and seconds for the exact probability.

    Returns
    -------
    Improvements
        A row for each event; none where the tree is beyond the budget.

    References
    ----------
    Dong et al. (2023), RAM, Figure 4; Birnbaum (1969) for the derivative that gives all what-ifs of single events.

    Examples
    --------
    >>> from surefoot import FaultTree
    >>> from surefoot.faulttree import Formula
    >>> from surefoot.faulttree.quantities import Fixed
    >>> crash = {"crash": Formula("or", ("blind", "late"))}
    >>> tree = FaultTree("crash", crash, {"blind": Fixed(0.01), "late": Fixed(0.002)})
    >>> found = improvements(tree, 0.005)
    >>> found.rows[0].name, round(found.rows[0].needed, 6)
    ('blind', 0.003006)

    """
    asked = Question.of(target, level, where=WHERE)
    priced = checked_costs(costs, tree, where=WHERE)
    draws = validate.count(draws, where=WHERE, name="draws", at_least=1)
    try:
        tree.compile(budget)
    except BeyondBudget as beyond:
        return Improvements(tree, asked.target, asked.aim, None, None, notes=(too_large(tree, beyond),))
    top = top_event(tree, level=asked.aim.level, draws=draws, seed=seed, unit=asked.unit, mix=mix)
    bound_inputs = BoundInputs(tree, asked.aim.level, draws, seed)
    bound, found = top.upper(asked.aim.level), levers(bound_inputs)
    today = event_matrix(tree, {}, 1)[:, 0]
    rows = [
        improvement(tree, gain, float(today[gain.lever.rows[0]]), bound, priced)
        for gain in gains(bound_inputs, found, asked.aim.limit)
    ]
    return Improvements(
        tree, asked.target, asked.aim, top, bound, ranked(rows), _notes(bound_inputs, found), dict(priced)
    )


@dataclass(frozen=True, repr=False)
class Improvements:
    """Each event with what it could do for the upper bound of the top event, the most worthwhile first.

    Parameters
    ----------
    tree, target, aim
        What was asked; ``aim`` has the limit and the level of the verdict.
    top, bound
        The top event and its bound; None where the tree is beyond the budget.
    rows
        One an event.
    notes
        What else must be said.
    costs
        As stated.

    See Also
    --------
    improvements

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
        return None if self.top is None else self.top.as_if_answered.meets(self.target)

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
        return gain_bars(self, axes, most=most)

    def __repr__(self) -> str:
        return f"Improvements({self.tree.top!r}, {len(self.rows)} rows)"

    def __str__(self) -> str:
        return str(self.summary())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


@dataclass(frozen=True)
class Improvement:
    """Bounds of the top event if one event alone changed, and how far the bound would fall (its gain).

    Parameters
    ----------
    events
        Several where they rest on one estimate or parameter.
    component
        The component they are marked with.
    good
        Their best probability: 0, or 1 where the top event falls with them.
    today, own_bound
        The probability of the first as it is, and the bound of it that enters the top event's.
    bound
        The upper bound of the top event today.
    if_perfect, if_better, if_known
        That bound with the event perfect, ten times better, or at its mean without uncertainty.
    needed
        The known probability that alone would be enough; None where none is, or nobody knows which way is better.
    factor
        How many times better it would have to be, its uncertainty in proportion; None where only certainty is enough.
    cost, cost_alone
        Of ten times better, and of ``factor``.

    See Also
    --------
    improvements

    """

    events: tuple[str, ...]
    component: str
    good: float
    today: float
    own_bound: float
    bound: float
    if_perfect: float
    if_better: float
    if_known: float
    needed: float | None
    factor: float | None
    cost: float | None = None
    cost_alone: float | None = None

    @property
    def name(self) -> str:
        """Its events in one line."""
        return ", ".join(self.events)

    @property
    def gain_perfect(self) -> float:
        """How far the bound falls if it is perfect."""
        return self.bound - self.if_perfect

    @property
    def gain_better(self) -> float:
        """How far the bound falls if it is ten times better."""
        return self.bound - self.if_better

    @property
    def gain_known(self) -> float:
        """How much of the bound is due to not knowing it; below 0 where its mean lies beyond its usual values."""
        return self.bound - self.if_known

    @property
    def cost_per_gain(self) -> float | None:
        """The cost of ten times better for each unit of its gain."""
        if self.cost is None:
            return None
        return self.cost / self.gain_better if self.gain_better > 0 else math.inf


def _cells(row: Improvement) -> tuple[Any, ...]:
    gains = (row.if_better, row.gain_better, row.if_perfect, row.gain_perfect, row.if_known, row.gain_known)
    costs = (row.cost, row.cost_per_gain, row.cost_alone)
    return (row.name, row.component, row.today, row.own_bound, *gains, row.needed, row.factor, *costs)


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


def _line(row: Improvement) -> str:
    text = f"ten times better brings {significant(row.if_better)}, perfect {significant(row.if_perfect)}"
    return f"{text}, known {significant(row.if_known)}"


def gain_bars(found: Improvements, axes: Axes | None = None, *, most: int = 12) -> Axes:
    """Two bars an event: what improving gains, perfect in pale, and what knowing gains; a line at what is missing."""
    rows = found.rows[: validate.count(most, where="plot", name="most", at_least=1)]
    if not rows:
        raise InvalidInput("there is nothing to draw", where="plot", found="; ".join(found.notes) or "no event matters")
    axes = axes or new_axes(7.6, 2.0 + 0.5 * len(rows))
    places = range(len(rows))
    upper, lower = [place - HEIGHT / 2 for place in places], [place + HEIGHT / 2 for place in places]
    axes.barh(upper, [row.gain_perfect for row in rows], HEIGHT, color=PALE, edgecolor=BLUE, lw=0.8, label="perfect")
    axes.barh(upper, [row.gain_better for row in rows], HEIGHT, color=BLUE, lw=0, label="ten times better")
    axes.barh(lower, [row.gain_known for row in rows], HEIGHT, color=KNOWN, lw=0, label="known, no better")
    if found.missing is not None and found.missing > 0:
        axes.axvline(found.missing, color=GREEN, lw=1.4, ls="--", label=f"missing {significant(found.missing)}")
    axes.axvline(0, color=INK, lw=1)
    axes.set_yticks(places, [shortened(row.name, LONGEST_NAME) for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    _finish(axes, found)
    return open_frame(axes)


def _finish(axes: Axes, found: Improvements) -> None:
    more = len(found.rows) - len(axes.get_yticks())
    rest = f"; {more:,} more events" if more > 0 else ""
    title = shortened(found.tree.top, LONGEST_TITLE)
    axes.set_xlabel(f"how far the {percent(found.aim.level)} upper bound of\n{title} falls{rest}")
    axes.xaxis.set_major_formatter(lambda value, _: significant(float(value)))
    axes.locator_params(axis="x", nbins=5)
    axes.tick_params(axis="y", length=0)
    axes.grid(True, axis="x", color=PALE, lw=0.8)
    axes.set_axisbelow(True)
    axes.legend(loc="lower left", bbox_to_anchor=(-0.01, 0.99), frameon=False, fontsize=9.5, ncols=2)


def checked_costs(costs: Costs | None, tree: FaultTree, *, where: str) -> Costs:
    """Costs of events that exist, each at least 0 or a function."""
    for name, cost in (costs or {}).items():
        validate.choice(name, tree.expanded.events, where=where, name="event in costs")
        if not callable(cost) and validate.number(cost, where=where, name=f"cost of {name!r}") < 0:
            raise InvalidInput(f"the cost of {name!r} must be at least 0", where=where, found=f"{cost:g}")
    return costs or {}


def improvement(tree: FaultTree, gain: Gain, today: float, bound: float, costs: Costs) -> Improvement:
    """The gain in words that a table can show, with its costs."""
    events = gain.lever.events
    share = gain.share
    factor = None if share is None else math.inf if share == 0 else max(1.0, 1 / share)
    priced = [costs[event] for event in events if event in costs]
    return Improvement(
        events,
        next(filter(None, (component_of(tree, event) for event in events)), ""),
        gain.good,
        today,
        gain.own_bound,
        bound,
        gain.perfect,
        gain.better,
        gain.known,
        gain.needed,
        factor,
        cost=_total(priced, gain.good, today, 1 / BETTER),
        cost_alone=None if factor is None else _total(priced, gain.good, today, factor),
    )


def _total(priced: list[float | CostOf], good: float, today: float, factor: float) -> float | None:
    then = good + (today - good) / factor
    return sum(_cost(each, today, then, factor) for each in priced) if priced else None


def _cost(each: float | CostOf, today: float, then: float, factor: float) -> float:
    """A number is the cost of each factor of ten; a function gives the cost of a probability."""
    return float(each(then)) - float(each(today)) if callable(each) else each * math.log10(factor)


def ranked(found: list[Improvement]) -> tuple[Improvement, ...]:
    """Where costs are stated the least cost for its gain first; the others by what ten times better gains."""

    def place(each: Improvement) -> tuple[bool, float, float, str]:
        per_gain = each.cost_per_gain
        first = -each.gain_better if per_gain is None else per_gain
        return per_gain is None, first, -each.gain_perfect, each.name

    return tuple(sorted(found, key=place))


def _notes(bound_inputs: BoundInputs, found: list[Lever]) -> tuple[str, ...]:
    one = [f"{', '.join(lever.events)} rest on one input and change together." for lever in found if lever.rows[1:]]
    unclear = [", ".join(lever.events) for lever in found if not lever.direction]
    if unclear:
        one.append(f"{'; '.join(unclear)}: the top event neither only rises nor only falls with it; no need is stated.")
    if not bound_inputs.sampled and bound_inputs.uncertain:
        one.append("Every uncertain input stands at its own bound, and all of them share the miss probability.")
    return tuple(one)
