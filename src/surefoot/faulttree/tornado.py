"""Which uncertain inputs move the top event most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from surefoot.core import validate
from surefoot.core.errors import LevelUnavailable
from surefoot.core.estimate import Estimate
from surefoot.core.evidence import Table
from surefoot.core.validate import FloatArray
from surefoot.documents import percent, significant
from surefoot.faulttree.model import FaultTree
from surefoot.faulttree.ranges import Range, input_interval
from surefoot.faulttree.uncertainty import TopEvent, relevant_inputs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

AT_ONCE = 200
"""Inputs evaluated together: two columns each."""


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
        from surefoot.faulttree.whatif_figures import tornado_chart

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
