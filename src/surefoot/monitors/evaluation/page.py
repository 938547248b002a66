"""The comparison of monitors as one page that a team can read on a phone, print, and hand on; and its figures."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from surefoot.core import Estimate
from surefoot.documents import counted, listed, percent, shortened, significant, visible
from surefoot.drawing import (
    BLUE,
    COLOURS,
    GREY,
    INK,
    PALE,
    Interval,
    clean_svg,
    draw_intervals,
    figure_svg,
    new_axes,
    open_frame,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from surefoot.monitors.evaluation.comparison import Comparison, Contender
    from surefoot.monitors.evaluation.operating_curve import Curve


MOST_BEATEN = 8
LONGEST_NAME = 28
SMALL = 8.5
ROW = 0.3
"""Inches a monitor takes in a figure of intervals."""


def comparison_page(comparison: Comparison) -> str:
    """A whole HTML page; it holds everything it shows and runs nothing."""
    return "".join(_page(comparison))


def _page(comparison: Comparison) -> Iterator[str]:
    yield '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width,initial-scale=1">'
    yield f"<title>{_text(comparison.title)}</title><style>{STYLE}</style></head><body>"
    yield f'<header><p class="eyebrow">Runtime monitors</p><h1>{_text(comparison.title)}</h1>'
    yield f'<p class="lead">{_lead(comparison)}</p>{_stats(comparison)}</header><main>'
    yield from _ranking(comparison)
    yield from _figures(comparison)
    yield from _table(comparison)
    yield from _notes(comparison)
    yield "</main></body></html>\n"


def _lead(comparison: Comparison) -> str:
    best, ranking = comparison.contenders[0], comparison.ranking
    beaten = len(ranking.beaten_by(best.name))
    others = len(comparison.contenders) - 1
    place = ranking.names.index(best.name)
    told = "all others" if beaten == others else f"{beaten} of {counted(others, 'other')}"
    return (
        f"By {_text(ranking.by)}, <strong>{_text(best.name)}</strong> comes first. It does in "
        f"{percent(float(ranking.first[place]))} of resamples, and is told apart from {told}."
    )


def _stats(comparison: Comparison) -> str:
    stakes = comparison.stakes
    units = "" if stakes.units is None else f"{counted(stakes.unit_count, _text(stakes.unit))}"
    setting = "own thresholds" if comparison.cost is None else significant(float(comparison.cost))
    shown = [
        ("monitors", f"{len(comparison.contenders):,}", ""),
        ("rows", f"{stakes.rows:,}", units),
        ("hazardous rows", f"{int(stakes.hazardous.sum()):,}", _text(stakes.name)),
        ("hazard of the model alone", significant(comparison.hazard_alone.value), ""),
        ("availability budget", setting, ""),
        ("level", percent(comparison.level), ""),
    ]
    cells = (f"<div><dt>{name}</dt><dd>{value} <small>{more}</small></dd></div>" for name, value, more in shown)
    return f'<dl class="stats">{"".join(cells)}</dl>'


def _ranking(comparison: Comparison) -> Iterator[str]:
    ranking = comparison.ranking
    head = ("monitor", "rank", "in resamples", "for sure", "first in", "told apart from, as the better")
    yield f"<section><h2>Ranking by {_text(ranking.by)}</h2>{_table_head(head)}"
    for place in ranking.order.tolist():
        name = ranking.names[place]
        beaten = listed([visible(each) for each in ranking.beaten_by(name)], MOST_BEATEN) or "none"
        low, high = ranking.intervals[place]
        sure = "–".join(map(str, dict.fromkeys(ranking.certain[place].tolist())))
        spread = "–".join(map(str, dict.fromkeys([int(low), int(high)])))
        cells = (str(ranking.ranks[place]), spread, sure, percent(float(ranking.first[place])))
        yield f'<tr><th scope="row">{_text(name)}</th>{_cells(cells)}<td class="words">{_text(beaten)}</td></tr>'
    yield "</tbody></table></div></section>"


def _figures(comparison: Comparison) -> Iterator[str]:
    yield '<section><h2>At all thresholds</h2><figure class="wide">'
    yield _svg(plot_curves(comparison), "curves")
    dots = "within the budget (dotted line)" if comparison.cost is not None else "at its own threshold"
    yield f"<figcaption>A dot is a monitor {dots}.</figcaption></figure></section>"
    yield '<section><h2>Intervals</h2><div class="row">'
    second = "availability cost" if comparison.cost is None else "residual hazard"
    for number, name in enumerate(("safety gain", second, "AUROC")):
        if any(contender.estimates[name] is not None for contender in comparison.contenders):
            yield f"<figure>{_svg(plot_intervals(comparison, name), f'intervals{number}')}</figure>"
    yield "</div></section>"


def _table(comparison: Comparison) -> Iterator[str]:
    figures = tuple(comparison.contenders[0].estimates)
    yield f"<section><h2>Figures</h2>{_table_head(('monitor', 'threshold', *figures))}"
    for contender in comparison.contenders:
        yield _row(contender, comparison.level)
    yield "</tbody></table></div></section>"


def _row(contender: Contender, level: float) -> str:
    shown = "".join(f"<td>{_interval(estimate, level)}</td>" for estimate in contender.estimates.values())
    return f'<tr><th scope="row">{_text(contender.name)}</th><td>{significant(contender.threshold)}</td>{shown}</tr>'


def _interval(estimate: Estimate | None, level: float) -> str:
    if estimate is None:
        return "undefined"
    low, high = estimate.interval(level)
    ends = f"{significant(low, rounding='down')} to {significant(high, rounding='up')}"
    return f"{significant(estimate.value)} <small>{ends}</small>"


def _notes(comparison: Comparison) -> Iterator[str]:
    words = [
        "Rank in resamples: units were drawn with replacement, all monitors on the same ones. Rank for sure: what the "
        "pairs told apart after Holm's correction leave possible, for all monitors together.",
        "FPR95 is the false positive rate at the highest threshold that detects at least 95% of hazardous rows.",
    ]
    if comparison.cost is not None:
        words.append(
            "Thresholds were chosen on these rows. The ranking chooses them anew in each resample; the intervals of "
            "safety gain, residual hazard and availability cost take them as fixed."
        )
    estimates = [e for c in comparison.contenders for e in c.estimates.values() if e is not None]
    assumed = dict.fromkeys(a.text for e in estimates for a in e.assumptions)
    yield "<section><h2>What this rests on</h2><ul>"
    yield from (f"<li>{_text(said)}</li>" for said in (*words, *assumed))
    yield "</ul></section>"


def _svg(axes: Axes, prefix: str) -> str:
    """A character that the font lacks is the reader's font's business."""
    from matplotlib.figure import Figure

    figure = axes.get_figure(root=True)
    assert isinstance(figure, Figure)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        return clean_svg(figure_svg(figure), prefix)


def _table_head(names: Iterable[str]) -> str:
    cells = "".join(f'<th scope="col">{_text(name)}</th>' for name in names)
    return f'<div class="scroll"><table><thead><tr>{cells}</tr></thead><tbody>'


def _cells(values: Iterable[str]) -> str:
    return "".join(f"<td>{value}</td>" for value in values)


def _text(said: str) -> str:
    return escape(visible(said))


# Figures of curves and comparisons; matplotlib is loaded when one is drawn.


def plot_curve(curve: Curve, *, ax: Axes | None = None) -> Axes:
    """Safety gain against availability cost with its band, and the hazard of the model alone as the ceiling."""
    axes = open_frame(new_axes(6.4, 4.2) if ax is None else ax)
    band = curve.bands.safety_gain
    cost = curve.availability_cost[curve.marks]
    label = f"{percent(curve.level)} at each threshold"
    axes.fill_between(cost, band.low, band.high, color=BLUE, alpha=0.18, lw=0, label=label)
    axes.plot(cost, curve.safety_gain[curve.marks], color=BLUE, lw=1.8, label="safety gain")
    _ceiling(axes, curve)
    axes.legend(frameon=False, fontsize=SMALL, loc="lower right")
    return axes


def plot_curves(comparison: Comparison, *, ax: Axes | None = None) -> Axes:
    """Safety gain against availability cost of all monitors: the best in colour, the others grey."""
    axes = open_frame(new_axes(6.4, 4.6) if ax is None else ax)
    shown, others = comparison.contenders[: len(COLOURS)], comparison.contenders[len(COLOURS) :]
    for contender in others:
        _line(axes, contender, GREY, lw=0.7)
    for contender, colour in reversed(list(zip(shown, COLOURS, strict=False))):
        _line(axes, contender, colour, lw=1.6)
    if comparison.cost is not None:
        axes.axvline(comparison.cost, color=INK, lw=0.9, ls=":")
    _ceiling(axes, shown[0].curve)
    _legend(axes, shown[0].curve, [c.name for c in shown], len(others))
    return axes


def plot_intervals(comparison: Comparison, figure: str, *, ax: Axes | None = None) -> Axes:
    """One figure of each monitor with its interval, the best monitor on top."""
    rows = [_figures_interval(c, figure, comparison.level) for c in comparison.contenders]
    axes = open_frame(new_axes(4.6, 0.8 + ROW * len(rows)) if ax is None else ax)
    draw_intervals(axes, rows, fontsize=SMALL)
    axes.set_xlabel(f"{figure}, {percent(comparison.level)} intervals", fontsize=SMALL)
    axes.xaxis.set_major_formatter(lambda value, _: significant(round(float(value), 12)))
    axes.locator_params(axis="x", nbins=5)
    axes.tick_params(axis="x", labelsize=SMALL)
    axes.tick_params(axis="y", length=0)
    return axes


def plot_comparison(comparison: Comparison) -> Figure:
    """Intervals of safety gain beside the curves."""
    from matplotlib import pyplot as plt

    height = max(4.2, 1.0 + ROW * len(comparison.contenders))
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, height), layout="constrained", width_ratios=(1, 1.3))
    plot_intervals(comparison, "safety gain", ax=left)
    plot_curves(comparison, ax=right)
    return figure


def _figures_interval(contender: Contender, figure: str, level: float) -> Interval:
    estimate = contender.estimates[figure]
    if estimate is None:
        return _short(contender.name), math.nan, math.nan, math.nan
    low, high = estimate.interval(level)
    return _short(contender.name), low, estimate.value, high


def _line(axes: Axes, contender: Contender, colour: str, *, lw: float) -> None:
    curve = contender.curve
    axes.plot(curve.availability_cost[curve.marks], curve.safety_gain[curve.marks], color=colour, lw=lw)
    report = contender.report
    axes.plot(report.availability_cost.value, report.safety_gain.value, "o", color=colour, ms=4, zorder=4)


def _ceiling(axes: Axes, curve: Curve) -> None:
    axes.axhline(curve.hazard_alone, color=INK, lw=0.9, ls="--", label=_ceiling_words(curve))
    axes.axhline(0, color=PALE, lw=1, zorder=0)
    axes.set_xlabel("availability cost", fontsize=SMALL + 1)
    axes.set_ylabel("safety gain", fontsize=SMALL + 1)
    axes.tick_params(labelsize=SMALL)
    axes.margins(x=0.01, y=0.08)


def _ceiling_words(curve: Curve) -> str:
    return f"hazard of the model alone: {significant(curve.hazard_alone)}"


def _legend(axes: Axes, curve: Curve, names: Sequence[str], others: int) -> None:
    from matplotlib.lines import Line2D

    keys = [Line2D([], [], color=colour, lw=1.8) for colour, _ in zip(COLOURS, names, strict=False)]
    words = [_short(name) for name in names]
    if others:
        keys.append(Line2D([], [], color=GREY, lw=0.9))
        words.append(counted(others, "other"))
    keys.append(Line2D([], [], color=INK, lw=0.9, ls="--"))
    words.append(_ceiling_words(curve))
    legend = axes.legend(keys, words, frameon=False, fontsize=SMALL, loc="lower right")
    for text in legend.get_texts():
        text.set_parse_math(False)


def _short(name: str) -> str:
    return shortened(visible(name), LONGEST_NAME)


STYLE = """
:root{color-scheme:light;--ink:#17212b;--muted:#55616e;--line:#dbe1e8;--strong:#aab4c0}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1180px;padding:28px 32px 48px;background:#fff;color:var(--ink);
font:15px/1.5 -apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Liberation Sans",sans-serif;
overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
h1,h2{line-height:1.22;font-weight:650;letter-spacing:-.012em;margin:0}
h1{font-size:2rem;margin:.1em 0 .25em}
h2{font-size:1.3rem;margin:0 0 .5em}
.eyebrow{margin:0;color:var(--muted);font-size:.8rem;letter-spacing:.09em;text-transform:uppercase}
.lead{max-width:80ch;margin:.2em 0}
section{margin:32px 0}
.stats{display:flex;flex-wrap:wrap;gap:10px 36px;margin:18px 0 0;padding:12px 0;border-top:1px solid var(--line);
border-bottom:1px solid var(--line)}
.stats dt{color:var(--muted);font-size:.85rem}
.stats dd{margin:0;font-size:1.45rem;font-weight:650;line-height:1.25}
small{font-size:.85em;font-weight:400;color:var(--muted)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;min-width:720px;font-size:.9rem;overflow-wrap:break-word}
th,td{text-align:left;vertical-align:top;padding:4px 12px 4px 0;border-bottom:1px solid var(--line)}
thead th{font-weight:600;color:var(--muted);border-bottom:1.5px solid var(--strong)}
tbody th{font-weight:600;max-width:22ch}
td small{display:block;white-space:nowrap}
td{white-space:nowrap}
.words{white-space:normal;min-width:300px;color:var(--muted)}
figure{margin:0}
figure svg{display:block;width:100%;height:auto}
figcaption{color:var(--muted);font-size:.85rem}
.wide{max-width:820px}
.row{display:flex;flex-wrap:wrap;gap:16px}
.row figure{flex:1 1 330px;max-width:560px}
ul{margin:0;padding-left:1.2em;color:var(--muted);font-size:.9rem;max-width:90ch}
@media (max-width:600px){body{padding:16px 14px 32px}h1{font-size:1.5rem}.stats{gap:8px 22px}
.stats dd{font-size:1.15rem}}
@media print{@page{size:A4;margin:12mm}
body{padding:0;max-width:none;font-size:9.5pt}
h1{font-size:17pt}h2{font-size:12pt;break-after:avoid}
section{margin:5mm 0}.stats dd{font-size:12pt}
.scroll{overflow:visible}table{min-width:0;font-size:8pt}th,td{padding:.8mm 2mm .8mm 0}
thead{display:table-header-group}tr,figure{break-inside:avoid}
.row{gap:3mm}.row figure{flex:1 1 0}.wide{max-width:150mm}}
"""
