"""A small picture of a target over the iterations: a row for each, with value, bound, and the limit of that time."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from surefoot.documents import hyphenated, significant, visible
from surefoot.project.iterations import Iteration, Judged
from surefoot.project.iterations.iteration import rounded_bound
from surefoot.report.picture import LEFT, RIGHT, WIDTH, Axis

TOP, ROW, FOOT = 8.0, 19.0, 22.0


def trend_picture(iterations: Sequence[Iteration], target: str, identity: str) -> str:
    """The picture as one ``<svg>`` element; its colours come from the page."""
    rows = [(each, found) for each in reversed(iterations) if (found := _found(each, target))]
    axis = Axis.over([number for _, judged in rows for number in _numbers(judged)], rows[0][1].target)
    bottom = TOP + ROW * len(rows)
    drawn = "".join(_row(axis, each, judged, place) for place, (each, judged) in enumerate(rows))
    return (
        f'<svg class="sf-bound" viewBox="0 0 {WIDTH:g} {bottom + FOOT:g}" role="img" aria-labelledby="{identity}">'
        f'<title id="{identity}">{escape(visible(_title(target, rows)))}</title>'
        f"{drawn}{_ticks(axis, bottom)}</svg>"
    )


def _found(iteration: Iteration, name: str) -> Judged | None:
    return next((target for target in iteration.targets if target.name == name), None)


def _numbers(judged: Judged) -> list[float]:
    return [judged.value, judged.cautious, *([] if judged.bound is None else [judged.bound])]


def _title(target: str, rows: Sequence[tuple[Iteration, Judged]]) -> str:
    bounds = ", ".join(rounded_bound(judged) for _, judged in rows)
    last = rows[0][1]
    told = f"Bounds of {target} over the iterations, the last one first: {bounds}"
    return f"{told}; target {last.relation} {significant(last.cautious)}"


def _row(axis: Axis, iteration: Iteration, judged: Judged, place: int) -> str:
    """The allowed side of the limit, the value as a dot, and a bar from it to the bound."""
    top = TOP + ROW * place
    middle, limit, value = top + ROW / 2, axis.place(judged.cautious), axis.place(judged.value)
    start, stop = (LEFT, limit) if judged.relation == "at most" else (limit, RIGHT)
    off = " off" if axis.log and judged.value <= 0 else ""
    bound = axis.place(judged.bound) if judged.bound is not None else None
    bar = (
        ""
        if bound is None
        else f'<path class="bar" d="M{value:.1f} {middle:g}H{bound:.1f}M{bound:.1f} {top + 4:g}v11"/>'
    )
    label = f"Iteration {iteration.number}" if not iteration.this else f"This: {iteration.number}"
    return (
        f'<g class="{escape(hyphenated(judged.status))}"><rect class="allowed" x="{start:.1f}" y="{top:g}" '
        f'width="{stop - start:.1f}" height="{ROW:g}"/><path class="limit" d="M{limit:.1f} {top:g}v{ROW:g}"/>'
        f'<text class="row" x="0" y="{middle + 4:g}">{label}</text>{bar}'
        f'<circle class="dot{off}" cx="{value:.1f}" cy="{middle:g}" r="4"/>'
        f'<text class="number" x="{WIDTH:g}" y="{middle + 4:g}" text-anchor="end">{rounded_bound(judged)}</text></g>'
    )


def _ticks(axis: Axis, bottom: float) -> str:
    places = [(axis.place(number), number) for number in axis.ticks()]
    marks = "".join(
        f'<path class="axis" d="M{x:.1f} {bottom:g}v4"/>'
        f'<text class="tick" x="{x:.1f}" y="{bottom + 16:g}" text-anchor="middle">{significant(float(number))}</text>'
        for x, number in places
    )
    return f'<path class="axis" d="M{LEFT:g} {bottom:g}H{RIGHT:g}"/>{marks}'
