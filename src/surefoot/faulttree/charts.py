"""Charts of a fault tree: the top event against its target, importance, the tornado, and sweeps.

Each function draws on ``ax``, or on a new figure, and returns the axes. matplotlib is loaded when one is called.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.core import validate
from surefoot.core.bound import Bound
from surefoot.core.distributions import Empirical
from surefoot.core.errors import InvalidInput, LevelUnavailable
from surefoot.core.estimate import Estimate
from surefoot.core.evidence import Artefact
from surefoot.core.target import Target
from surefoot.core.validate import FloatArray
from surefoot.documents import percent, shortened, significant, visible
from surefoot.drawing import BLUE, GREEN, GREY, INK, PALE, RED, figure_svg, new_axes, open_frame
from surefoot.faulttree.importance import MEANINGS, Importance, Measure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize

    from surefoot.faulttree.sensitivity import Sweep, Tornado


LONGEST_NAME = 32
BARS = 60
SHOWN_SHARE = (0.001, 0.999)
MOST_TICKS = 9
DECADES = 20.0
"""A range that spans more than this factor is drawn on a logarithmic scale."""
FEW = 300.0
"""A range that spans more than this factor has ticks at powers of ten only."""


def top_event_figure(
    top: Estimate, *, target: Target | None = None, level: float = 0.95, ax: Axes | None = None
) -> Axes:
    """What is believed about the top event, its value and interval, and the target it is held against."""
    axes = ax or new_axes(7.2, 3.4)
    if isinstance(top.dist, Empirical):
        _histogram(axes, np.asarray(top.dist.draws), target)
    _interval(axes, top, level)
    axes.axvline(top.value, color=INK, lw=1.4, label=f"value {significant(top.value)}")
    if target is not None:
        _mark_target(axes, target)
    axes.set_xlabel(visible(f"{top.quantity}, {top.unit}"), parse_math=False)
    axes.set(ylabel="draws" if isinstance(top.dist, Empirical) else "", ylim=(0, None))
    if not isinstance(top.dist, Empirical):
        axes.set(yticks=[], ylim=(0, 1))
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.01), ncols=2, frameon=False, fontsize=9)
    return open_frame(axes)


def importance_chart(
    importance: Importance, *, by: Measure = "criticality", most: int = 15, ax: Axes | None = None
) -> Axes:
    """The rows that matter most by one measure, with their intervals."""
    rows = [n for n in importance.sorted(by).names if importance.of(n, by) is not None][:most]
    if not rows:
        raise InvalidInput(f"no row has a {by}", where="importance_chart", remedy="Choose another measure.")
    axes = ax or new_axes(7.6, 1.2 + 0.34 * len(rows))
    values = np.array([importance.of(name, by) for name in rows], dtype=float)
    places = np.arange(len(rows))
    _spans(axes, importance, rows, by)
    finite = np.isfinite(values)
    axes.plot(values[finite], places[finite], "o", color=INK, ms=5, zorder=3)
    axes.set_yticks(places, [shortened(visible(name), LONGEST_NAME) for name in rows], parse_math=False)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    if _wide(values[finite]):
        _log_scale(axes, values[finite])
    axes.set_xlabel(MEANINGS[by].partition(" (")[0].replace(": ", ":\n", 1), fontsize=9, parse_math=False)
    axes.set_title(_title(importance, by), fontsize=9, loc="left")
    axes.grid(True, axis="x", color=PALE, lw=0.8)
    axes.set_axisbelow(True)
    return open_frame(axes)


def as_artefact(axes: Axes) -> Artefact:
    """The figure as SVG; a character that the font lacks is the reader's font's business."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        return Artefact("image/svg+xml", figure_svg(figure))


def _mark_target(axes: Axes, target: Target) -> None:
    """The limit, and where it lies itself if it is uncertain."""
    text = f"target: {target.relation} {significant(target.limit)}"
    axes.axvline(target.limit, color=GREEN, lw=1.6, ls="--", label=text)
    if target.uncertainty is not None:
        low, high = target.interval
        ends = f"{significant(low, rounding='down')} to {significant(high, rounding='up')}"
        axes.axvspan(low, high, color=GREEN, alpha=0.16, lw=0, label=f"the target itself: {ends}")


def _decisive(target: Target) -> float:
    """The limit below or above which a draw meets the target surely: the cautious end of one that is uncertain."""
    return target.cautious_limit(target.alpha)


def _histogram(axes: Axes, draws: FloatArray, target: Target | None) -> None:
    low, high = np.quantile(draws, SHOWN_SHARE)
    shown = np.array([low, high, *([target.limit, *target.interval] if target is not None else [])])
    log = _wide(shown)
    if log:
        _log_scale(axes, shown)
    else:
        axes.xaxis.set_major_formatter(lambda value, _: significant(float(value)))
    if not low < high:
        return
    edges = _edges(low, high, target, log=log)
    missed = _missed(draws, target)
    meeting, beyond = (np.histogram(draws[chosen], bins=edges)[0] for chosen in (~missed, missed))
    axes.stairs(meeting, edges, fill=True, color=BLUE, alpha=0.4)
    if target is not None:
        what = "the target" if target.uncertainty is None else "its cautious end"
        text = f"{significant(100 * float(missed.mean()))}% of the draws miss {what}"
        axes.stairs(meeting + beyond, edges, baseline=meeting, fill=True, color=RED, alpha=0.6, label=text)


def _edges(low: float, high: float, target: Target | None, *, log: bool) -> FloatArray:
    """Bars of one width, moved so that one of them ends at a target among them."""
    ends = np.array([low, high, _decisive(target) if target is not None else low])
    start, end, limit = np.log(ends) if log else ends
    width = (end - start) / BARS
    moved = (limit - start) % width - width if start < limit < end else 0.0
    edges = np.asarray(start + moved + width * np.arange(BARS + (2 if moved else 1)))
    return np.exp(edges) if log else edges


def _missed(draws: FloatArray, target: Target | None) -> NDArray[np.bool_]:
    if target is None:
        return np.zeros(draws.shape, dtype=bool)
    limit = _decisive(target)
    return draws > limit if target.relation == "at most" else draws < limit


def _log_scale(axes: Axes, shown: FloatArray) -> None:
    """Ticks at 1, 2 and 5 where a few decades are shown, else at decades, with numbers as elsewhere in the text."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_xscale("log")
    few = shown.max() < FEW * shown.min()
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if few else (1.0,), numticks=MOST_TICKS))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: significant(float(value))))
    axes.xaxis.set_minor_formatter(NullFormatter())


def _interval(axes: Axes, top: Estimate, level: float) -> None:
    for bound in top.bounds:
        if isinstance(bound, Bound) and bound.kind == "expectation":
            label = f"{bound.side} bound on average {significant(bound.limit)}"
            axes.axvline(bound.limit, color=BLUE, lw=1.4, ls="--", label=label)
    try:
        low, high = top.interval(level)
    except LevelUnavailable:
        return
    if low < high:
        kind = next(family.kind for family in top.bounds)
        label = f"{kind} interval" + ("" if kind == "certain" else f" at {percent(level)}")
        axes.axvspan(low, high, ymax=0.035, color=BLUE, lw=0, label=label)


def _spans(axes: Axes, importance: Importance, rows: list[str], by: Measure) -> None:
    for place, name in enumerate(rows):
        low, high = importance.interval(name, by)
        if low is not None and high is not None and np.isfinite([low, high]).all():
            axes.hlines(place, low, high, color=BLUE, lw=2.4)


def _title(importance: Importance, by: Measure) -> str:
    name = by.replace("_", " ")
    return f"{name}, {importance.spread}" if importance.spread else name


def _wide(values: FloatArray) -> bool:
    return bool(values.size and values.min() > 0 and values.max() > DECADES * values.min())


# What if: the tornado, and the top event as one or two numbers move.

LONGEST_INPUT, LONGEST_TITLE = 40, 70
SHORT = 10
"""Lines of so few points have no room for a number."""


def tornado_chart(tornado: Tornado, *, most: int = 15, ax: Axes | None = None) -> Axes:
    """One bar an input, from the top event at its low value to that at its high one, the widest on top."""
    bars = tornado.bars[: validate.count(most, where="tornado_chart", name="most", at_least=1)]
    if not bars:
        raise InvalidInput(
            "no input is uncertain", where="tornado_chart", remedy="Give events distributions or counts."
        )
    axes = ax or new_axes(7.6, 1.3 + 0.36 * len(bars))
    for row, bar in enumerate(bars):
        for end, colour in ((bar.top_at_low, BLUE), (bar.top_at_high, RED)):
            axes.barh(row, end - tornado.value, left=tornado.value, height=0.62, color=colour, lw=0)
    axes.axvline(tornado.value, color=INK, lw=1.2)
    axes.set_yticks(range(len(bars)), [shortened(bar.input, LONGEST_INPUT) for bar in bars])
    axes.set_ylim(len(bars) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    _scale(axes, "x", np.array([[bar.top_at_low, bar.top_at_high] for bar in bars]))
    _legend_of_ends(axes, tornado.level)
    more = len(tornado.bars) - len(bars)
    rest = f"; {more:,} more inputs" if more else ""
    axes.set_xlabel(f"{shortened(tornado.top, LONGEST_TITLE)}, {significant(tornado.value)} as it stands{rest}")
    axes.grid(True, axis="x", color=PALE, lw=0.8)
    axes.set_axisbelow(True)
    return open_frame(axes)


def sweep_plot(sweep: Sweep, *, ax: Axes | None = None) -> Axes:
    """The top event against the number that moves, with the target and where it is crossed."""
    axes = ax or new_axes(7.2, 4.2)
    order = np.argsort(sweep.first.values)
    axes.plot(sweep.first.values[order], sweep.top[order], color=BLUE, lw=2)
    shown = sweep.top if sweep.target is None else np.append(sweep.top, sweep.target)
    _scale(axes, "x", sweep.first.values)
    _scale(axes, "y", shown)
    if sweep.target is not None:
        _mark_crossings(axes, sweep, sweep.target)
    axes.set(xlabel=sweep.first.name, ylabel=shortened(sweep.title, LONGEST_TITLE))
    axes.grid(True, color=PALE, lw=0.8)
    return open_frame(axes)


def _mark_crossings(axes: Axes, sweep: Sweep, target: float) -> None:
    axes.axhline(target, color=GREEN, lw=1.4, ls="--", label=f"target {significant(target)}")
    for value in sweep.crossings:
        if sweep.first.values.min() <= value <= sweep.first.values.max():
            axes.plot(value, target, "o", color=INK, ms=7, label=f"crossed at {significant(value)}", zorder=4)
    axes.legend(loc="best", frameon=False, fontsize=9.5)


def sweep_map(sweep: Sweep, *, ax: Axes | None = None) -> Axes:
    """Lines of equal probability of the top event over two numbers; the target's is the thick one."""
    if sweep.second is None or min(sweep.top.shape) < 2 or np.ptp(sweep.top) == 0:
        raise InvalidInput("a map needs two values each way and a top event that moves", where="sweep_map")
    axes = ax or new_axes(7.2, 5.2)
    x, y = np.sort(sweep.first.values), np.sort(sweep.second.values)
    top = sweep.top[np.argsort(sweep.first.values)][:, np.argsort(sweep.second.values)].T
    _scale(axes, "x", x)
    _scale(axes, "y", y)
    levels = _levels(top)
    axes.contourf(
        x, y, top, levels=[float(top.min()), *levels, float(top.max())], cmap="Blues", norm=_norm(top), alpha=0.8
    )
    lines = axes.contour(x, y, top, levels=levels, colors=[GREY], linewidths=0.8)
    if sweep.target is not None and top.min() < sweep.target < top.max():
        axes.contour(x, y, top, levels=[sweep.target], colors=[GREEN], linewidths=2.4)
        axes.plot([], [], color=GREEN, lw=2.4, label=f"target {significant(sweep.target)}")
        _legend_above(axes)
    longest = [max(pieces, key=len) for pieces in lines.allsegs if pieces]
    middles = [line[len(line) // 2] for line in longest if len(line) > SHORT]
    axes.clabel(lines, fmt=significant, fontsize=8, colors=[INK], manual=middles)
    axes.set(xlabel=sweep.first.name, ylabel=sweep.second.name)
    axes.set_title(shortened(sweep.title, LONGEST_TITLE), loc="left", fontsize=11, pad=24)
    return axes


def _legend_of_ends(axes: Axes, level: float) -> None:
    from matplotlib.patches import Patch

    share = (1 - level) / 2
    ends = ((BLUE, share), (RED, 1 - share))
    handles = [Patch(color=colour, label=f"input at its {percent(quantile)} point") for colour, quantile in ends]
    _legend_above(axes, handles=handles, ncols=2)


def _legend_above(axes: Axes, **options: object) -> None:
    axes.legend(loc="lower left", bbox_to_anchor=(-0.01, 0.99), frameon=False, fontsize=9.5, **options)


def _scale(axes: Axes, which: Literal["x", "y"], values: FloatArray) -> None:
    """Logarithmic for a wide range; otherwise numbers written as everywhere else."""
    if _wide(values):
        axes.set(**{f"{which}scale": "log"})
        return
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_major_formatter(lambda value, _: significant(float(value)))
    axes.locator_params(axis=which, nbins=6)


def _levels(top: FloatArray) -> list[float]:
    """Round numbers between the extremes."""
    from matplotlib.ticker import Locator, LogLocator, MaxNLocator

    low, high = float(top.min()), float(top.max())
    locator: Locator = LogLocator(subs=(1.0, 3.0), numticks=20) if _wide(top) else MaxNLocator(8)
    return [float(value) for value in locator.tick_values(low, high) if low < value < high]


def _norm(top: FloatArray) -> Normalize:
    from matplotlib.colors import LogNorm, Normalize

    return (LogNorm if _wide(top) else Normalize)(float(top.min()), float(top.max()))
