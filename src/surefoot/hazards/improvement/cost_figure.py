"""Combinations of measures as cost against the bound they reach; matplotlib is loaded when it is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from surefoot.core import InvalidInput
from surefoot.documents import percent, shortened, significant
from surefoot.drawing import BLUE, GREEN, GREY, INK, PALE, new_axes, open_frame
from surefoot.hazards.improvement.option import Option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from surefoot.hazards.improvement.candidates_result import Candidates

LONGEST_NAME, LONGEST_TITLE = 40, 60


def cost_against_bound(found: Candidates, axes: Axes | None = None) -> Axes:
    """A point a combination, green where it meets the target; a line joins those that no other beats."""
    shown = [option for option in found.options if option.cost is not None or not found.priced]
    if not shown:
        raise InvalidInput("there is nothing to draw", where="plot", found="; ".join(found.notes) or "no costs")
    axes = axes or new_axes(7.6, 4.6)
    _points(axes, [option for option in shown if not option.met], found.priced, GREY, "not shown to meet the target")
    _points(axes, [option for option in shown if option.met], found.priced, GREEN, "meets the target")
    _front(axes, found)
    _target(axes, found)
    _scales(axes, shown, found.priced)
    top = shortened(found.tree.top, LONGEST_TITLE)
    axes.set(xlabel="cost" if found.priced else "number of measures")
    axes.set_ylabel(f"{percent(found.aim.level)} upper bound of\n{top}")
    axes.grid(True, color=PALE, lw=0.8)
    axes.set_axisbelow(True)
    axes.legend(loc="lower left", bbox_to_anchor=(-0.01, 1.0), frameon=False, fontsize=9, ncols=2)
    return open_frame(axes)


def _points(axes: Axes, options: Sequence[Option], priced: bool, colour: str, label: str) -> None:
    if options:
        places = [_place(option, priced) for option in options]
        axes.scatter(places, [option.bound for option in options], s=34, color=colour, label=label, zorder=3)


def _front(axes: Axes, found: Candidates) -> None:
    """A staircase, because a combination between two does not exist."""
    front = found.front
    places = [_place(option, found.priced) for option in front]
    bounds = [option.bound for option in front]
    axes.step(places, bounds, where="post", color=BLUE, lw=1.6, label="best for their cost", zorder=2)
    if found.cheapest is not None:
        best = found.cheapest
        place = _place(best, found.priced)
        name = f"cheapest that meets it: {shortened(str(best), LONGEST_NAME)}"
        axes.scatter([place], [best.bound], s=130, facecolors="none", edgecolors=INK, lw=1.6, label=name, zorder=4)


def _scales(axes: Axes, shown: Sequence[Option], priced: bool) -> None:
    """Ticks at 1, 2 and 5 of every decade, with numbers as elsewhere in the text."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.margins(y=0.12)
    if min(option.bound for option in shown) > 0:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=12))
        axes.yaxis.set_minor_formatter(NullFormatter())
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: significant(float(value))))
    most = max(_place(option, priced) for option in shown) or 1.0
    axes.set_xlim(-0.03 * most, 1.05 * most)


def _target(axes: Axes, found: Candidates) -> None:
    """The limit that counts, and the stated one where the target itself is uncertain."""
    limit = found.aim.limit
    uncertain = found.target.uncertainty is not None
    said = f"cautious limit {significant(limit)}" if uncertain else f"target {significant(limit)}"
    axes.axhline(limit, color=GREEN, lw=1.4, ls="--", label=said)
    if uncertain:
        stated = found.target.limit
        axes.axhline(stated, color=GREEN, lw=1, ls=":", label=f"stated limit {significant(stated)}")


def _place(option: Option, priced: bool) -> float:
    return option.effort if priced else len(option.names)
