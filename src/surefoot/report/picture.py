"""A small picture for a target: its value, its bound, and the limit, on one axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from surefoot.case.words import asked
from surefoot.core import Bound, Target
from surefoot.documents import hyphenated, significant
from surefoot.project.answer import Answer
from surefoot.report.words import counting_bound, rounded

WIDTH, LEFT, RIGHT = 360.0, 86.0, 298.0
TOP, ROW, FOOT = 24.0, 25.0, 22.0
LOG_RATIO = 20.0
PAD = 0.12
MOST_TICKS = 4
NOTHING = 1e-290
"""Smaller numbers are drawn as zero: dividing by them is no longer exact."""


@dataclass(frozen=True)
class Axis:
    """From numbers to places; ``log`` where the numbers are of different magnitude."""

    low: float
    high: float
    log: bool

    @classmethod
    def over(cls, numbers: Sequence[float], target: Target) -> Axis:
        """An axis on which all finite numbers can be told apart."""
        finite = [number for number in numbers if math.isfinite(number)]
        above = [number for number in finite if number > NOTHING]
        if above and min(finite) >= 0 and max(above) / min(above) > LOG_RATIO:
            return cls(10 ** (math.log10(min(above)) - PAD), 10 ** (math.log10(max(above)) + PAD), True)
        low, high = min(finite), max(finite)
        if target.relation == "at most" and low >= 0:
            low = 0.0
        room = next(size for size in (high - low, abs(high), 1.0) if size > NOTHING) * PAD
        share = target.per == "demand"
        return cls(
            max(low - room, 0.0) if low >= 0 else low - room, min(high + room, 1.0) if share else high + room, False
        )

    def place(self, number: float) -> float:
        """Where a number stands; what lies outside stands at the edge."""
        if self.log:
            share = 0.0 if number <= self.low else math.log(number / self.low) / math.log(self.high / self.low)
        else:
            share = (number - self.low) / (self.high - self.low) if math.isfinite(number) else math.copysign(9, number)
        return LEFT + min(max(share, 0.0), 1.0) * (RIGHT - LEFT)

    def ticks(self) -> list[float]:
        """A few round numbers."""
        return self._decades() if self.log else self._steps()

    def _decades(self) -> list[float]:
        first, last = math.ceil(math.log10(self.low)), math.floor(math.log10(self.high))
        step = max(1, math.ceil((last - first + 1) / MOST_TICKS))
        return [10.0**power for power in range(first, last + 1, step)]

    def _steps(self) -> list[float]:
        rough = (self.high - self.low) / MOST_TICKS
        unit = 10.0 ** math.floor(math.log10(rough))
        step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [number * step for number in range(first, last + 1)]


def bound_picture(answer: Answer, identity: str) -> str:
    """The picture as one ``<svg>`` element; its colours come from the page."""
    target, bounds = answer.target, _bounds(answer)
    numbers = [answer.estimate.value, target.limit, *target.interval, *(bound.limit for _, bound in bounds)]
    axis = Axis.over(numbers, target)
    bottom = TOP + ROW * (1 + len(bounds))
    rows = [_value(axis, answer.estimate.value)]
    rows += [_bound(axis, answer, label, bound, place + 1) for place, (label, bound) in enumerate(bounds)]
    return (
        f'<svg class="sf-bound {hyphenated(answer.status)}" viewBox="0 0 {WIDTH:g} {bottom + FOOT:g}" role="img" '
        f'aria-labelledby="{identity}"><title id="{identity}">{escape(_title(answer, bounds))}</title>'
        f"{_ground(axis, target, bottom)}{''.join(rows)}</svg>"
    )


def _bounds(answer: Answer) -> list[tuple[str, Bound]]:
    if counting_bound(answer) is None:
        return []
    found = [(answer.verdict.bound, "")]
    if answer.corrected is not None:
        found.append((answer.corrected.bound, f"At look {answer.looks}"))
    return [(label or f"{bound.side.capitalize()} bound", bound) for bound, label in found if bound is not None]


def _title(answer: Answer, bounds: Sequence[tuple[str, Bound]]) -> str:
    shown = "".join(f", {label.lower()} {rounded(bound)}" for label, bound in bounds)
    return f"Value {significant(answer.estimate.value)}{shown}; target {asked(answer.verdict)}"


def _ground(axis: Axis, target: Target, bottom: float) -> str:
    limit, low, high = (axis.place(number) for number in (target.limit, *target.interval))
    allowed = (LEFT, low) if target.relation == "at most" else (high, RIGHT)
    unsure = "" if target.uncertainty is None else _area("unsure", low, high, bottom)
    anchor = "start" if limit < LEFT + 60 else "end" if limit > RIGHT - 60 else "middle"
    ticks = "".join(_tick(axis.place(number), bottom, number) for number in axis.ticks())
    return (
        f"{_area('allowed', *allowed, bottom)}{unsure}"
        f'<path class="axis" d="M{LEFT:g} {bottom:g}H{RIGHT:g}"/>{ticks}'
        f'<path class="limit" d="M{limit:.1f} {TOP - 3:g}V{bottom:g}"/>'
        f'<text class="limit-word" x="{limit:.1f}" y="{TOP - 9:g}" text-anchor="{anchor}">'
        f"{target.relation} {significant(target.limit)}</text>"
    )


def _area(name: str, start: float, stop: float, bottom: float) -> str:
    size = f'width="{stop - start:.1f}" height="{bottom - TOP:g}"'
    return f'<rect class="{name}" x="{start:.1f}" y="{TOP:g}" {size}/>'


def _tick(x: float, y: float, number: float) -> str:
    text = f'<text class="tick" x="{x:.1f}" y="{y + 16:g}" text-anchor="middle">{significant(float(number))}</text>'
    return f'<path class="axis" d="M{x:.1f} {y:g}v4"/>{text}'


def _value(axis: Axis, value: float) -> str:
    middle, x = TOP + ROW / 2, axis.place(value)
    off = " off" if axis.log and value <= 0 else ""
    dot = f'<circle class="dot{off}" cx="{x:.1f}" cy="{middle:g}" r="5"/>'
    return f"{_row_words('Value', significant(value), middle)}{dot}"


def _bound(axis: Axis, answer: Answer, label: str, bound: Bound, row: int) -> str:
    middle, x = TOP + ROW * (row + 0.5), axis.place(bound.limit)
    start = axis.place(answer.estimate.value)
    bar = f'<path class="bar" d="M{start:.1f} {middle:g}H{x:.1f}M{x:.1f} {middle - 7:g}v14"/>'
    return f"{_row_words(label, rounded(bound), middle)}{bar}"


def _row_words(label: str, number: str, middle: float) -> str:
    return (
        f'<text class="row" x="0" y="{middle + 4.5:g}">{escape(label)}</text>'
        f'<text class="number" x="{WIDTH:g}" y="{middle + 4.5:g}" text-anchor="end">{number}</text>'
    )
