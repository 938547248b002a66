"""The top event as one or two numbers move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import validate
from surefoot.core.errors import InvalidInput
from surefoot.core.estimate import Estimate
from surefoot.core.evidence import Table
from surefoot.core.target import Target
from surefoot.core.validate import FloatArray
from surefoot.documents import significant
from surefoot.faulttree.allocation.target import as_target, limit_of
from surefoot.faulttree.changes import changed
from surefoot.faulttree.model import FaultTree
from surefoot.faulttree.quantities import Measured
from surefoot.faulttree.uncertainty import TopEvent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
        from surefoot.faulttree.whatif_figures import sweep_map, sweep_plot

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
        start = {axis.name: _moving(axis) for axis in axes}
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


def _moving(axis: Axis) -> Measured:
    """An input of its own, so that the numbers reach whatever depends on it."""
    return Measured(Estimate.known(axis.name, float(axis.values[0]), source="swept", scope=axis.name))


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
