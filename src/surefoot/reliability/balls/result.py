"""What an assessment in balls answers: its estimates, the balls that were looked into, and their figures."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.core import Estimate, Summary, Table, validate
from surefoot.core.validate import FloatArray
from surefoot.documents import percent, significant
from surefoot.drawing import BLUE, COLOURS, GREY, INK, RED
from surefoot.reliability import panels
from surefoot.reliability.balls.draws import Census, Drawn, Draws, VarianceParts, mean_and_variance
from surefoot.reliability.balls.limits import limits
from surefoot.reliability.balls.statements import Statements
from surefoot.reliability.cells.result import Reliability, settling
from surefoot.reliability.panels import plain_numbers
from surefoot.reliability.rare_events.problem import KINDS, BallProblem, BallRisks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


MOST_SHOWN = 20
LABEL_WIDTH, LINE = 105, 0.16
"""Characters of a line below a figure, and its height in inches."""
LEVEL = 0.95
COLUMNS = ("number", "label", "answer", "weight", "draws", "risk", "log_risk", "how", "calls", "contribution")
SHOWN = (
    "ball",
    "label",
    "answer at centre",
    "weight",
    "draws",
    "log10 risk",
    "from",
    "to",
    "found",
    "calls",
    "contribution",
)


@dataclass(frozen=True, eq=False, repr=False)
class BallReliability(Reliability):
    """Reliability from balls around data points.

    ``pmi`` is that of operation, of which the rows are a random sample. ``by_balls`` is the weighted mean of the rows'
    own balls, and ``cells`` are those that were looked into.

    See Also
    --------
    assess_balls

    """

    by_balls: Estimate
    cells: EvaluatedBalls
    drawn: Drawn
    """The draws in their order."""
    stated: Statements
    """What the estimates were made from."""
    problem: BallProblem
    seed: int = 0

    @property
    def variance_parts(self) -> VarianceParts:
        """Where the variance comes from."""
        return self.stated.parts

    @property
    def variance_shares(self) -> Table:
        """Shares of the variance by sampling of balls, risk inside, weights and frame (Assumption 7)."""
        return self.variance_parts.table()

    @cached_property
    def limits(self) -> Table:
        """Upper limits by all methods, side by side."""
        return limits(
            self.drawn,
            self.variance_parts,
            self.stated.families("upper"),
            centres=self.stated.centres,
            tests=self.stated.tests,
            chosen=self.stated.method,
            least=self.stated.tested[0],
        )

    def top(self, most: int = MOST_SHOWN) -> Table:
        """The balls that contribute most."""
        return self.cells.top(most)

    def by_k(self, *, of: str = "pmi", level: float = 0.975) -> Table:
        """The value of ``pmi`` or ``acu`` from the first k draws, for growing k (RAM, Figure 7).

        Upper limits are normal approximations. Where every ball was looked into, they come in random order; where
        ``pmi`` is the mean of the different balls drawn, k counts these.

        Parameters
        ----------
        of
            ``"pmi"`` or ``"acu"``.
        level
            Of the upper limits.

        Returns
        -------
        Table
            k, mean, standard deviation and upper limit.

        """
        flat = validate.choice(of, ("pmi", "acu"), where="by_k", name="of") == "acu"
        sizes, values = self.drawn.sequence(flat=flat)
        if self.stated.mean_of_different and not flat:
            sizes, values = sizes[self.drawn.first], values[self.drawn.first]
        if isinstance(self.drawn, Census):
            order = np.random.default_rng(self.seed).permutation(values.size)
            sizes, values = sizes[order], values[order]
        form = self.drawn.form if isinstance(self.drawn, Draws) and not flat else ""
        z = float(special.ndtri(validate.level(level, where="by_k")))
        return settling(sizes, values, upper_z=z, mean=partial(mean_and_variance, form=form or "linearised"))

    def plot(self, **options: Any) -> Figure:
        """How the answer settles, how the risks of the balls are spread, and how few of them make most of it."""
        return overview(self, **options)

    def summary(self, level: float | None = None) -> Summary:
        """What a reader needs to see."""
        shown = self.pmi.summary(level)
        failed, rows = self.stated.centres
        said = "; contradicted by tests" if self.contradicted else ""
        looked = f"{len(self.cells):,} of {rows:,} balls in {self.drawn.risk.size:,} draws"
        more = [
            ("limit by", self.stated.method),
            ("mean of the balls", f"{self.by_balls.value:.6g} ({looked}{said})"),
            ("unweighted", f"{self.acu.value:.6g}"),
            ("centres", f"{failed:,} of {rows:,} fail"),
        ]
        if self.stated.tests:
            more.append(("held-out tests", f"{self.stated.tests[0]:,} of {self.stated.tests[1]:,} fail"))
        kinds = [
            (name, f"{balls:,} balls, {part:.0%} of what they add")
            for name, balls, _, part, _ in self.cells.kinds().rows
        ]
        return Summary(shown.title, [*shown.rows, *more, *kinds])

    @property
    def contradicted(self) -> bool:
        """Whether labelled rows speak against the mean of the balls."""
        return any(caveat.code == "contradicted-by-tests" for caveat in self.by_balls.caveats)

    def __repr__(self) -> str:
        said = ", balls contradicted by tests" if self.contradicted else ""
        return f"BallReliability(pmi={self.pmi.value:.6g}, acu={self.acu.value:.6g}, balls={len(self.cells):,}{said})"


@dataclass(frozen=True, eq=False)
class EvaluatedBalls:
    """One entry a ball in every column, in the order of their numbers."""

    classes: tuple[str, ...]
    number: NDArray[np.int64]
    """The row of the inputs around which it lies."""
    label: NDArray[np.int64]
    answer: NDArray[np.int64]
    """What the model answers at the centre."""
    weight: FloatArray
    """Share of the frame."""
    draws: NDArray[np.int64]
    risks: BallRisks

    def __len__(self) -> int:
        return len(self.number)

    def __getitem__(self, column: str) -> NDArray[Any]:
        """A column by its name."""
        return np.asarray(getattr(self, validate.choice(column, COLUMNS, where="balls", name="column")))

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return COLUMNS

    @property
    def risk(self) -> FloatArray:
        """Probability of a failure inside."""
        return self.risks.risk

    @property
    def log_risk(self) -> FloatArray:
        """Natural logarithm of the risk."""
        return self.risks.log_risk

    @property
    def how(self) -> NDArray[np.uint8]:
        """How the risk was found, as a number into ``KINDS``."""
        return self.risks.how

    @property
    def calls(self) -> NDArray[np.int64]:
        """Forward passes of the model."""
        return self.risks.calls

    @property
    def contribution(self) -> FloatArray:
        """What each ball adds to the failure probability of the frame."""
        return self.weight * self.risk

    def leading(self, most: int = MOST_SHOWN) -> NDArray[np.int64]:
        """Places of the balls that add most, the largest first."""
        order = np.lexsort((self.number, -self.contribution))
        return order[: min(most, int((self.contribution > 0).sum()))]

    def top(self, most: int = MOST_SHOWN) -> Table:
        """The balls that add most to the failure probability."""
        return self.table(self.leading(most))

    def table(self, chosen: NDArray[np.int64] | None = None) -> Table:
        """The chosen places as a table for people, with intervals at level 0.95; all where nothing is said."""
        chosen = np.arange(len(self)) if chosen is None else chosen
        lower, upper = self.risks.take(chosen).interval(LEVEL)
        rows = [
            (
                int(self.number[ball]),
                self.classes[self.label[ball]],
                self.classes[self.answer[ball]],
                float(self.weight[ball]),
                int(self.draws[ball]),
                float(self.log_risk[ball]) / math.log(10),
                float(low),
                float(high),
                KINDS[self.how[ball]],
                int(self.calls[ball]),
                float(self.contribution[ball]),
            )
            for ball, low, high in zip(chosen.tolist(), lower, upper, strict=True)
        ]
        return Table(SHOWN, tuple(rows))

    def kinds(self) -> Table:
        """Balls, share of the frame and failure probability by how the risk was found."""
        total = max(float(self.contribution.sum()), np.finfo(float).tiny)
        rows = []
        for how, name in enumerate(KINDS):
            chosen = self.how == how
            if chosen.any():
                part = float(self.contribution[chosen].sum())
                calls = int(self.calls[chosen].sum())
                rows.append((name, int(chosen.sum()), float(self.weight[chosen].sum()), part / total, calls))
        return Table(("found", "balls", "share of the frame", "share of what they add", "calls"), tuple(rows))


# How the answer settles, how risks are spread, and which balls make most of it.

BINS = 30
HEIGHT = 5.4
HALF = 0.5


def overview(reliability: BallReliability, *, level: float = 0.975) -> Figure:
    """The curve over k, the risks of the balls by how they were found, and the share that the riskiest make."""
    figure = panels.new_figure(HEIGHT)
    grid = figure.add_gridspec(2, 2)
    _curve(figure.add_subplot(grid[0, :]), reliability, validate.level(level, where="plot"))
    _risks(figure.add_subplot(grid[1, 0]), reliability.cells)
    _concentration(figure.add_subplot(grid[1, 1]), reliability)
    return figure


def _curve(axes: Axes, reliability: BallReliability, level: float) -> None:
    panels.add_title(axes, "Mean of the balls, from the first k draws")
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
        axes.text(HALF, HALF, "no failure was found", transform=axes.transAxes, ha="center", fontsize=panels.SMALL)
    else:
        axes.legend(frameon=False, fontsize=panels.SMALL)
    axes.set_ylim(0, None)
    panels.label_axes(axes, "draws, k", "failure probability")


def _risks(axes: Axes, balls: EvaluatedBalls) -> None:
    from matplotlib.ticker import MaxNLocator

    panels.add_title(axes, "Risk inside balls")
    logs = balls.log_risk / math.log(10)
    finite = np.isfinite(logs)
    edges = np.histogram_bin_edges(logs[finite], BINS) if finite.any() else np.linspace(-1, 0, BINS)
    kinds = [how for how in range(len(KINDS)) if (finite & (balls.how == how)).any()]
    if kinds:
        parts = [logs[finite & (balls.how == how)] for how in kinds]
        colours = [COLOURS[how] for how in kinds]
        axes.hist(parts, edges.tolist(), stacked=True, color=colours, label=[KINDS[how] for how in kinds])
        axes.legend(frameon=False, fontsize=panels.SMALL)
        axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    if not finite.all():
        axes.set_title(f"and {int((~finite).sum()):,} where none was found", fontsize=panels.SMALL - 1, loc="right")
    panels.label_axes(axes, "log10 of the risk", "balls")


def _concentration(axes: Axes, reliability: BallReliability) -> None:
    """Share of the answer that the riskiest share of the frame makes, as the draws show it."""
    panels.add_title(axes, "Which balls make the failure probability")
    share, part = concentration(reliability)
    axes.plot(share, part, color=BLUE, lw=1.6)
    axes.plot([0, 1], [0, 1], color=GREY, lw=0.8, ls=":")
    if part[-1] > 0:
        half = float(np.interp(HALF, part, share))
        axes.plot([half, half], [0, HALF], color=INK, lw=0.8)
        axes.text(half, HALF / 10, f" {significant(100 * half)}% make half", fontsize=panels.SMALL, color=INK)
    axes.set(xlim=(0, 1), ylim=(0, 1))
    panels.label_axes(axes, "share of the frame, riskiest first", "share of the failure probability")


def concentration(reliability: BallReliability) -> tuple[FloatArray, FloatArray]:
    """A Lorenz curve: cumulated weight of the balls and of what they add, the riskiest first, both up to 1."""
    drawn = reliability.drawn
    order = np.argsort(-drawn.risk, kind="stable")
    sizes = (drawn.expansion * drawn.own)[order]
    parts = sizes * drawn.risk[order]
    total = float(parts.sum())
    share = np.concatenate([[0.0], np.cumsum(sizes) / sizes.sum()])
    return share, np.concatenate([[0.0], np.cumsum(parts) / total if total else np.zeros(parts.size)])


# How the result follows the radius of the balls, or the strength of a variation.


def by_strength(table: Table) -> Figure:
    """Estimate and upper limit for each strength of a variation, as ``assess_strengths`` gives them."""
    strengths = [float(row[0]) for row in table.rows]
    meant = textwrap.wrap(f"strength {strengths[-1]:g} is {table.rows[-1][1]}", LABEL_WIDTH)
    figure = panels.new_figure(2.7 + LINE * (len(meant) - 1))
    axes = panels.add_title(figure.subplots(), "Failure probability by the strength of the variation")
    _estimate_and_limit(axes, table, "strength")
    axes.set_xlim(0, strengths[-1] * 1.02)
    axes.set_xticks([0.0, *strengths], [f"{each:g}" for each in (0.0, *strengths)])
    axes.set_ylim(0, None)
    panels.label_axes(axes, "\n".join(meant), "failure probability")
    axes.legend(frameon=False, fontsize=panels.SMALL)
    return figure


def _estimate_and_limit(axes: Axes, table: Table, by: str) -> tuple[FloatArray, FloatArray]:
    limit = next(name for name in table.columns if name.startswith("at "))
    reach, value, upper = (
        np.array([row[table.columns.index(name)] for row in table.rows], float) for name in (by, "pmi", limit)
    )
    axes.fill_between(reach, value, upper, color=BLUE, alpha=0.18, lw=0)
    axes.plot(reach, upper, color=BLUE, lw=1.6, label=f"upper limit {limit.replace('at', 'at level')}")
    axes.plot(reach, value, color=INK, lw=1.4, marker="o", ms=4, label="estimate")
    return reach, value


def by_radius(table: Table, used: float) -> Figure:
    """Estimate and upper limit for each radius, as ``assess_radii`` gives them; red where classes meet in a ball."""
    mixed = np.array([row[table.columns.index("holds one label")] == "no" for row in table.rows])
    figure = panels.new_figure(2.7)
    axes = panels.add_title(figure.subplots(), "Failure probability by the radius of the balls")
    radius, value = _estimate_and_limit(axes, table, "radius")
    if mixed.any():
        axes.plot(radius[mixed], value[mixed], "D", color=RED, ms=5, label="balls are too large to hold one class")
    axes.axvline(used, color=GREY, lw=1.1, ls="--", label="radius of the result")
    axes.set_ylim(0, None)
    panels.label_axes(axes, "radius of the balls", "failure probability")
    axes.legend(frameon=False, fontsize=panels.SMALL)
    return figure
