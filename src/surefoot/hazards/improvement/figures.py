"""Figures of what to improve; matplotlib is loaded when one is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surefoot.core import InvalidInput, validate
from surefoot.documents import percent, shortened, significant
from surefoot.drawing import BLUE, COLOURS, GREEN, INK, PALE, new_axes, open_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from surefoot.hazards.improvement.improvements_result import Improvements

KNOWN = COLOURS[3]
LONGEST_NAME, LONGEST_TITLE = 40, 60
HEIGHT = 0.34


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
