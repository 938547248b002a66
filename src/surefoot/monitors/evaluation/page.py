"""The comparison of monitors as one page that a team can read on a phone, print, and hand on."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from html import escape
from typing import TYPE_CHECKING

from surefoot.core import Estimate
from surefoot.documents import counted, listed, percent, significant, visible
from surefoot.drawing import clean_svg, figure_svg
from surefoot.monitors.evaluation.figures import plot_curves, plot_intervals
from surefoot.monitors.evaluation.page_style import STYLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from surefoot.monitors.evaluation.comparison import Comparison
    from surefoot.monitors.evaluation.contenders import Contender

MOST_BEATEN = 8


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
