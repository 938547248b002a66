"""How the top event moves with what it is made of: what-if, sweeps of a number, tornado, break-even."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import validate
from surefoot.core.canonical import FrozenMap
from surefoot.core.errors import InvalidInput, LevelUnavailable
from surefoot.core.estimate import Estimate, Summary
from surefoot.core.evidence import Table
from surefoot.core.propagation import propagate
from surefoot.core.target import Target
from surefoot.core.validate import FloatArray
from surefoot.documents import percent, significant
from surefoot.faulttree.allocation import as_target, limit_of
from surefoot.faulttree.model import Change, FaultTree, changed
from surefoot.faulttree.quantities import Measured
from surefoot.faulttree.uncertainty import (
    QUANTITY,
    Range,
    TopEvent,
    drawn_top_event,
    event_matrix,
    input_interval,
    relevant_inputs,
    top_event,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from surefoot.faulttree.logic.decision_diagram import Compiled


# What if: the top event before and after a change, with what is uncertain drawn once for both.

DIRECTION = {"before": -1, "after": 1}


@dataclass(frozen=True, repr=False)
class Comparison:
    """The top event before and after a change.

    ``point_before`` and ``point_after`` are exact, with every input at its value. The estimates carry the uncertainty:
    difference and ratio (after to before) come from joint draws, so that what both share cancels. ``ratio`` is None
    where the top event may have been impossible before.

    See Also
    --------
    FaultTree.what_if : Makes it, with an example.

    """

    name: str
    changes: Mapping[str, str]
    point_before: float
    point_after: float
    before: Estimate
    after: Estimate
    difference: Estimate
    ratio: Estimate | None
    level: float = 0.95

    def __post_init__(self) -> None:
        validate.fields(self)
        object.__setattr__(self, "changes", FrozenMap(self.changes))

    def summary(self) -> Summary:
        """What a reader needs to see, for terminal, notebook and report alike."""
        rows = [
            *((name, change) for name, change in self.changes.items()),
            ("before", f"{significant(self.point_before)}, {self._interval(self.before)}"),
            ("after", f"{significant(self.point_after)}, {self._interval(self.after)}"),
            ("difference", f"{significant(self.point_after - self.point_before)}, {self._interval(self.difference)}"),
        ]
        if self.ratio is not None:
            rows.append(("after to before", f"{significant(self.ratio.value)}, {self._interval(self.ratio)}"))
        return Summary(self.name, rows)

    def _interval(self, estimate: Estimate) -> str:
        low, high = estimate.interval(self.level)
        if low == high:
            return "certain"
        return f"{percent(self.level)} from {significant(low, rounding='down')} to {significant(high, rounding='up')}"

    def __str__(self) -> str:
        return str(self.summary())

    def __repr__(self) -> str:
        return f"Comparison({self.name!r}, {self.point_before:.6g} before, {self.point_after:.6g} after)"

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()


@dataclass(frozen=True)
class WhatIfs:
    """Several changes of one tree, each compared with the tree as it is.

    See Also
    --------
    FaultTree.scenarios : Makes it, with an example.

    """

    comparisons: tuple[Comparison, ...]

    def __getitem__(self, name: str) -> Comparison:
        found = [comparison for comparison in self.comparisons if comparison.name == name]
        if not found:
            known = ", ".join(comparison.name for comparison in self.comparisons)
            raise InvalidInput(f"no scenario {name!r}", where="WhatIfs", found=known)
        return found[0]

    def table(self) -> Table:
        """One row a scenario; low and high are the ends of the interval of the difference."""
        rows = tuple(
            (c.name, c.point_before, c.point_after, c.point_after - c.point_before, *c.difference.interval(c.level))
            for c in self.comparisons
        )
        return Table(("scenario", "before", "after", "difference", "low", "high"), rows)

    def __str__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def what_if(
    tree: FaultTree,
    changes: Mapping[str, Change],
    *,
    name: str = "what if",
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    mix: bool = False,
) -> Comparison:
    """The top event with events, gates, house events or parameters changed, against the tree as it is.

    Inputs that the two have in common are drawn once, so that the interval of the difference is that of the change
    alone. ``mix`` allows confidence and credible inputs together, as in ``propagate``.
    """
    return scenarios(tree, {name: changes}, level=level, draws=draws, seed=seed, mix=mix).comparisons[0]


def scenarios(
    tree: FaultTree,
    changes: Mapping[str, Mapping[str, Change]],
    *,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    mix: bool = False,
) -> WhatIfs:
    """Several named sets of changes, each compared with the tree as it is."""
    for some in (changes, *(changes.values() if isinstance(changes, Mapping) else ())):
        if not isinstance(some, Mapping) or not some:
            raise InvalidInput("needs at least one change, by name", where="what if", found=repr(some))
    tree.compile()
    trees = {name: changed(tree, some, where=f"scenario {name!r}") for name, some in changes.items()}
    options: dict[str, Any] = {"level": level, "draws": draws, "seed": seed, "mix": mix}
    drawn = all(e.dist is not None for each in (tree, *trees.values()) for e in relevant_inputs(each).values())
    top = drawn_top_event if drawn else top_event
    before, point = top(tree, **options), _point(tree)
    found = []
    for name, other in trees.items():
        after = top(other, quantity=f"{QUANTITY}, {name}", **options)
        pair = {"before": before, "after": after}
        joint: dict[str, Any] = {"direction": DIRECTION, "scope": f"{tree.name}, {name}", **options}
        difference = propagate(_difference, pair, quantity="change of the top event", **joint)
        ratio = (
            propagate(_ratio, pair, quantity="ratio of the top event", unit="", **joint)
            if before.dist is not None and before.dist.ppf(0.0) > 0
            else None
        )
        told = {key: str(change) for key, change in changes[name].items()}
        found.append(Comparison(name, told, point, _point(other), before, after, difference, ratio, level))
    return WhatIfs(tuple(found))


def _point(tree: FaultTree) -> float:
    return float(TopEvent(tree).at({}, 1)[0])


def _difference(before: FloatArray, after: FloatArray) -> FloatArray:
    return after - before


def _ratio(before: FloatArray, after: FloatArray) -> FloatArray:
    return after / before


# The top event as one or two numbers move.

WHERE = "sweep"
STEPS, PASSES = 33, 12


@dataclass(frozen=True, eq=False)
class Axis:
    """An event or a parameter and the values it takes."""

    name: str
    values: FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class Sweep:
    """The top event for every value of an event or parameter, all else at its value.

    ``top`` has one entry a value, or one row a value and one column a value of ``second``. ``crossings`` are the values
    at which the top event passes the ``target``; of an event there is at most one, known exactly because the top event
    is linear in it, and it may lie outside the values swept. They are not sought where two numbers move.

    See Also
    --------
    FaultTree.sweep : Makes it, with an example.

    """

    title: str
    first: Axis
    top: FloatArray
    second: Axis | None = None
    target: float | None = None
    crossings: tuple[float, ...] = ()

    def table(self) -> Table:
        """One row a value; with two numbers, one row a pair."""
        if self.second is None:
            return Table((self.first.name, self.title), tuple(zip(self.first.values, self.top, strict=True)))
        a, b = np.meshgrid(self.first.values, self.second.values, indexing="ij")
        rows = tuple(zip(a.ravel(), b.ravel(), self.top.ravel(), strict=True))
        return Table((self.first.name, self.second.name, self.title), rows)

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """A line, or a map with lines of equal probability where two numbers move."""
        from surefoot.faulttree.charts import sweep_map, sweep_plot

        return sweep_plot(self, ax=ax) if self.second is None else sweep_map(self, ax=ax)

    def __str__(self) -> str:
        moved = self.first.name if self.second is None else f"{self.first.name} and {self.second.name}"
        ends = f"{significant(float(self.top.min()))} to {significant(float(self.top.max()))}"
        crossed = "".join(f"; target {self.target:.6g} at {value:.6g}" for value in self.crossings)
        return f"{self.title} over {self.top.size:,} values of {moved}: {ends}{crossed}"

    def __repr__(self) -> str:
        return f"Sweep({self})"

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def sweep(
    tree: FaultTree,
    name: str,
    values: ArrayLike,
    *,
    second: tuple[str, ArrayLike] | None = None,
    target: float | Target | None = None,
) -> Sweep:
    """The exact top event for each value of an event or parameter, and on the grid with a ``second`` one."""
    axes = [_axis(tree, name, values), *([_axis(tree, *second)] if second is not None else [])]
    if len({axis.name for axis in axes}) < len(axes):
        raise InvalidInput("the two names must differ", where=WHERE, found=repr(name))
    limit = None if target is None else limit_of(as_target(target, where=WHERE))
    curve = Curve(tree, axes)
    top = curve.on_grid()
    crossings = () if limit is None or second is not None else _crossings(curve, top, limit)
    return Sweep(tree.top, axes[0], top, axes[1] if second is not None else None, limit, crossings)


class Curve:
    """The top event as a function of the numbers that move."""

    def __init__(self, tree: FaultTree, axes: list[Axis]) -> None:
        tree.compile()
        # Inputs of their own, so that the numbers reach whatever depends on them.
        start: dict[str, Change] = {
            axis.name: Measured(Estimate.known(axis.name, float(axis.values[0]), source="swept", scope=axis.name))
            for axis in axes
        }
        self.axes = axes
        self.is_event = axes[0].name in tree.expanded.events
        self._function = TopEvent(changed(tree, start, where=WHERE))

    def on_grid(self) -> FloatArray:
        """Every combination of the values."""
        grid = np.meshgrid(*(axis.values for axis in self.axes), indexing="ij")
        return self.at(*(part.ravel() for part in grid)).reshape(grid[0].shape)

    def at(self, *values: FloatArray) -> FloatArray:
        """One top event for each entry."""
        drawn = {axis.name: part for axis, part in zip(self.axes, values, strict=True)}
        return self._function.at(drawn, len(values[0]))


def _axis(tree: FaultTree, name: str, values: ArrayLike) -> Axis:
    events = tree.expanded.events
    validate.choice(name, {**events, **tree.parameters}, where=WHERE, name="event or parameter")
    if name in events:
        return Axis(name, validate.unit_vector(values, where=WHERE, name=f"values of {name!r}"))
    return Axis(name, validate.vector(values, where=WHERE, name=f"values of {name!r}"))


def _crossings(curve: Curve, top: FloatArray, limit: float) -> tuple[float, ...]:
    if curve.is_event:
        never, always = curve.at(np.array([0.0, 1.0])).tolist()
        return line_crossing(never, always, limit)
    order = np.argsort(curve.axes[0].values, kind="stable")
    values, above = curve.axes[0].values[order], top[order] > limit
    changes = np.flatnonzero(above[1:] != above[:-1])
    return tuple(_narrowed(curve, values[i], values[i + 1], limit) for i in changes)


def line_crossing(never: float, always: float, limit: float) -> tuple[float, ...]:
    """Where a line from ``never`` at 0 to ``always`` at 1 passes a limit, if it does."""
    if never == always or not min(never, always) <= limit <= max(never, always):
        return ()
    return ((limit - never) / (always - never),)


def _narrowed(curve: Curve, low: float, high: float, limit: float) -> float:
    """The place between two values where the curve passes the limit, on ever finer grids."""
    for _ in range(PASSES):
        grid = np.linspace(low, high, STEPS)
        above = curve.at(grid) > limit
        place = int(np.flatnonzero(above[1:] != above[:-1])[0])
        low, high = grid[place], grid[place + 1]
        if high - low <= np.spacing(max(abs(low), abs(high))):
            break
    return float(low)


# Which uncertain inputs move the top event most.

AT_ONCE = 200
"""Inputs or events evaluated together."""


@dataclass(frozen=True)
class Bar:
    """One input from its low to its high value, and the top event at both, all other inputs at their value."""

    input: str
    low: float
    high: float
    top_at_low: float
    top_at_high: float

    @property
    def swing(self) -> float:
        """How far the top event moves."""
        return abs(self.top_at_high - self.top_at_low)


@dataclass(frozen=True, repr=False)
class Tornado:
    """The uncertain inputs, the one that moves the top event most first.

    An input is what is uncertain, not an event: a parameter or an estimate that several events share moves all of
    them. ``left_out`` are inputs whose bounds are not known at this level.

    See Also
    --------
    FaultTree.tornado : Makes it, with an example.

    """

    top: str
    level: float
    value: float
    bars: tuple[Bar, ...]
    left_out: tuple[str, ...] = ()

    def table(self) -> Table:
        """One row an input."""
        rows = tuple((b.input, b.low, b.high, b.top_at_low, b.top_at_high, b.swing) for b in self.bars)
        return Table(("input", "low", "high", "top event at low", "top event at high", "swing"), rows)

    def plot(self, *, most: int = 15, ax: Axes | None = None) -> Axes:
        """Bars of the ``most`` inputs that matter most."""
        from surefoot.faulttree.charts import tornado_chart

        return tornado_chart(self, most=most, ax=ax)

    def __str__(self) -> str:
        head = f"{self.top}: {significant(self.value)}, each input over its {percent(self.level)} interval"
        return "\n".join([head, str(self.table()), *(f"{name}: no bounds at this level" for name in self.left_out)])

    def __repr__(self) -> str:
        return f"Tornado({self.top!r}, {self.value:.6g}, {len(self.bars)} inputs, level={self.level:g})"

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def tornado(tree: FaultTree, *, level: float = 0.9) -> Tornado:
    """The top event with each uncertain input at the ends of its interval at ``level``, the others at their value."""
    level = validate.level(level, where="tornado")
    inputs, function = relevant_inputs(tree), TopEvent(tree)
    ranges, left_out = _ranges(inputs, level)
    values = {name: estimate.value for name, estimate in inputs.items()}
    names, bars = list(ranges), list[Bar]()
    for start in range(0, len(names), AT_ONCE):
        bars += _bars(function, {name: ranges[name] for name in names[start : start + AT_ONCE]}, values)
    ordered = sorted(bars, key=lambda bar: (-bar.swing, bar.input))
    return Tornado(tree.top, level, float(function.at({}, 1)[0]), tuple(ordered), left_out)


def _ranges(inputs: Mapping[str, Estimate], level: float) -> tuple[dict[str, Range], tuple[str, ...]]:
    found, left_out = dict[str, Range](), []
    for name, estimate in inputs.items():
        try:
            found[name] = input_interval(estimate, level)
        except LevelUnavailable:
            left_out.append(name)
    return found, tuple(left_out)


def _bars(function: TopEvent, ranges: Mapping[str, Range], values: Mapping[str, float]) -> list[Bar]:
    """Two columns an input: at its low and at its high value."""
    size = 2 * len(ranges)
    drawn: dict[str, FloatArray] = {name: np.full(size, values[name]) for name in ranges}
    for place, (name, ends) in enumerate(ranges.items()):
        drawn[name][2 * place : 2 * place + 2] = ends
    tops = function.at(drawn, size).reshape(-1, 2).tolist()
    return [Bar(name, low, high, *pair) for (name, (low, high)), pair in zip(ranges.items(), tops, strict=True)]


# Which single event could bring the top event to its target.


@dataclass(frozen=True)
class BreakEven:
    """For each event alone: the top event if it were perfect, and the value at which the target is just met.

    Perfect is impossible or, where the top event falls with an event, certain. ``needed`` has the events that suffice;
    all else stays at its value.

    See Also
    --------
    FaultTree.break_even : Makes it, with an example.

    """

    top: str
    target: float
    value: float
    today: Mapping[str, float]
    perfect: Mapping[str, float]
    needed: Mapping[str, float]

    def __post_init__(self) -> None:
        validate.fields(self)
        for name in ("today", "perfect", "needed"):
            object.__setattr__(self, name, FrozenMap(getattr(self, name)))

    @property
    def met(self) -> bool:
        """Whether the target is met as things stand."""
        return self.value <= self.target

    def table(self) -> Table:
        """One row an event, the most helpful first."""
        rows = tuple((name, self.today[name], top, self.needed.get(name)) for name, top in self.perfect.items())
        return Table(("event", "today", "top event if perfect", "target met at"), rows)

    def __str__(self) -> str:
        stands = "met" if self.met else "not met"
        return f"{self.top}: {significant(self.value)}, target {significant(self.target)} {stands}\n{self.table()}"

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def break_even(tree: FaultTree, target: float | Target) -> BreakEven:
    """Which single event, made perfect, would meet the target, and how good it would have to be."""
    limit, compiled = limit_of(as_target(target, where="break_even")), tree.compiled
    p = event_matrix(tree, {}, 1)[:, 0]
    ends = zip(_each_at(compiled, p, 0.0), _each_at(compiled, p, 1.0), strict=True)
    lines = sorted(zip(compiled.events, ends, strict=True), key=lambda line: (min(line[1]), line[0]))
    crossings = {name: line_crossing(never, always, limit) for name, (never, always) in lines}
    return BreakEven(
        tree.top,
        limit,
        float(compiled.probability(p)),
        today=dict(zip(compiled.events, p.tolist(), strict=True)),
        perfect={name: min(pair) for name, pair in lines},
        needed={name: found[0] for name, found in crossings.items() if found},
    )


def _each_at(compiled: Compiled, p: FloatArray, value: float) -> list[float]:
    """The top event with each event in turn at a value, the others at theirs."""
    found: list[float] = []
    for start in range(0, len(p), AT_ONCE):
        rows = np.arange(start, min(start + AT_ONCE, len(p)))
        columns = np.repeat(p[:, None], len(rows), axis=1)
        columns[rows, np.arange(len(rows))] = value
        found += np.asarray(compiled.probability(columns)).tolist()
    return found
