"""Figures of an assessment in balls: how the answer settles, how risks are spread, and which balls make most of it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from surefoot.core import validate
from surefoot.core.validate import FloatArray
from surefoot.documents import percent, significant
from surefoot.drawing import BLUE, COLOURS, GREY, INK
from surefoot.reliability import layout
from surefoot.reliability.balls.evaluated import EvaluatedBalls
from surefoot.reliability.balls.problem import KINDS
from surefoot.reliability.limit_figures import plain_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from surefoot.reliability.balls.result import BallReliability

BINS = 30
HEIGHT = 5.4
HALF = 0.5


def overview(reliability: BallReliability, *, level: float = 0.975) -> Figure:
    """The curve over k, the risks of the balls by how they were found, and the share that the riskiest make."""
    figure = layout.new_figure(HEIGHT)
    grid = figure.add_gridspec(2, 2)
    _curve(figure.add_subplot(grid[0, :]), reliability, validate.level(level, where="plot"))
    _risks(figure.add_subplot(grid[1, 0]), reliability.cells)
    _concentration(figure.add_subplot(grid[1, 1]), reliability)
    return figure


def _curve(axes: Axes, reliability: BallReliability, level: float) -> None:
    layout.titled(axes, "Mean of the balls, from the first k draws")
    for of, name, colour in (("pmi", "weighted, pmi", BLUE), ("acu", "unweighted, ACU", GREY)):
        rows = reliability.by_k(of=of, level=level).rows
        if rows and (of == "pmi" or not reliability.drawn.equal_weights):
            k, mean, upper = (np.array([row[column] for row in rows], float) for column in (0, 1, 3))
            axes.fill_between(k, mean, upper, color=colour, alpha=0.18, lw=0)
            axes.plot(k, upper, color=colour, lw=1, ls="--", label=f"{name}: upper limit, {percent(level)}, normal")
            axes.plot(k, mean, color=colour, lw=1.6, label=f"{name}: mean")
            axes.set_xscale("log")
            plain_numbers(axes, k[-1] / k[0])
    if not axes.lines:
        axes.text(HALF, HALF, "no failure was found", transform=axes.transAxes, ha="center", fontsize=layout.SMALL)
    else:
        axes.legend(frameon=False, fontsize=layout.SMALL)
    axes.set_ylim(0, None)
    layout.labelled(axes, "draws, k", "failure probability")


def _risks(axes: Axes, balls: EvaluatedBalls) -> None:
    from matplotlib.ticker import MaxNLocator

    layout.titled(axes, "Risk inside balls")
    logs = balls.log_risk / math.log(10)
    finite = np.isfinite(logs)
    edges = np.histogram_bin_edges(logs[finite], BINS) if finite.any() else np.linspace(-1, 0, BINS)
    kinds = [how for how in range(len(KINDS)) if (finite & (balls.how == how)).any()]
    if kinds:
        parts = [logs[finite & (balls.how == how)] for how in kinds]
        colours = [COLOURS[how] for how in kinds]
        axes.hist(parts, edges.tolist(), stacked=True, color=colours, label=[KINDS[how] for how in kinds])
        axes.legend(frameon=False, fontsize=layout.SMALL)
        axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    if not finite.all():
        axes.set_title(f"and {int((~finite).sum()):,} where none was found", fontsize=layout.SMALL - 1, loc="right")
    layout.labelled(axes, "log10 of the risk", "balls")


def _concentration(axes: Axes, reliability: BallReliability) -> None:
    """Share of the answer that the riskiest share of the frame makes, as the draws show it."""
    layout.titled(axes, "Which balls make the failure probability")
    share, part = concentration(reliability)
    axes.plot(share, part, color=BLUE, lw=1.6)
    axes.plot([0, 1], [0, 1], color=GREY, lw=0.8, ls=":")
    if part[-1] > 0:
        half = float(np.interp(HALF, part, share))
        axes.plot([half, half], [0, HALF], color=INK, lw=0.8)
        axes.text(half, HALF / 10, f" {significant(100 * half)}% make half", fontsize=layout.SMALL, color=INK)
    axes.set(xlim=(0, 1), ylim=(0, 1))
    layout.labelled(axes, "share of the frame, riskiest first", "share of the failure probability")


def concentration(reliability: BallReliability) -> tuple[FloatArray, FloatArray]:
    """A Lorenz curve: cumulated weight of the balls and of what they add, the riskiest first, both up to 1."""
    drawn = reliability.drawn
    order = np.argsort(-drawn.risk, kind="stable")
    sizes = (drawn.expansion * drawn.own)[order]
    parts = sizes * drawn.risk[order]
    total = float(parts.sum())
    share = np.concatenate([[0.0], np.cumsum(sizes) / sizes.sum()])
    return share, np.concatenate([[0.0], np.cumsum(parts) / total if total else np.zeros(parts.size)])
