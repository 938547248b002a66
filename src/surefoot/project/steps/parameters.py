"""Words, tables and figures that steps share: what a project file may say, and what people look at."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy import special

from surefoot.adapters import Data, Tested
from surefoot.bounds.statement import bound
from surefoot.core import Answer, Artefact, Check, Estimate, LevelUnavailable, MixedKinds, Side, Table
from surefoot.core.validate import FloatArray
from surefoot.documents import shortened, visible
from surefoot.drawing import (
    BLUE,
    GREY,
    INK,
    RED,
    STATUS_COLOURS,
    Interval,
    Scene,
    band_chart,
    interval_chart,
    open_frame,
    svg,
)
from surefoot.opinions import Opinion
from surefoot.opinions.plots import opinion_triangle
from surefoot.project.definition import AnswerSource, ClassName
from surefoot.project.plan import Later, NameOf
from surefoot.project.registry import AnotherDataSet
from surefoot.project.steps.test_data import Columns
from surefoot.reliability.local_risk import cell_estimator

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def described(*text: str, names: NameOf | None = None) -> object:
    """What a parameter means, as the reference and the schema say it; with a word on names that the text leaves out."""
    return Field(description=names.described(*text) if names else " ".join(text))


COUNT_METHODS = NameOf(bound, step="binomial_bound")
LOSS_METHODS = NameOf(bound, step="loss_bound")
CELL_ESTIMATORS = NameOf(cell_estimator, "auto")

Level = Annotated[float, Field(gt=0, lt=1, description="Level of the bounds to show; others can be asked for too.")]
OfClass = Annotated[
    ClassName | None,
    described(
        "Only rows of this true class; by default all rows.",
        "Where the task is no classification, the kind of failure that counts, such as a label; see tasks.md.",
    ),
]
Undesired = Annotated[
    dict[str, Annotated[list[str], Field(min_length=1)]] | None,
    described(
        "Wrong answers that count as failures, by true class, such as `{child: [deer]}`.",
        "A class that is left out has all its wrong answers count; by default every class has.",
    ),
]
By = Annotated[
    str | None,
    described(
        "Also one estimate for each true class (`class`), for each kind of failure of the task (`failure`), or for",
        "each value of this attribute.",
    ),
]
CountMethod = Annotated[
    str,
    COUNT_METHODS,
    described(
        "`clopper_pearson` is exact: it misses with at most the stated probability.",
        "`jeffreys` brings a posterior and is credible.",
        "`wilson` is approximate: a target must accept heuristic bounds.",
        names=COUNT_METHODS,
    ),
]
Groups = Annotated[
    Literal["check", "use"],
    described(
        "What rows of one group (a patient, a film) mean.",
        "`check` looks at rows, and lets groups of several rows contradict their independence;",
        "`use` bounds the risk of a row though rows of a group resemble each other.",
    ),
]
GroupsOrTrials = Annotated[
    Literal["check", "use", "trial"],
    described(
        "What rows of one group (a patient, a film) mean.",
        "`check` counts rows, and lets groups of several rows contradict their independence;",
        "`use` bounds the risk of a row though rows of a group resemble each other;",
        "`trial` takes a group for one trial, which fails when one of its rows does.",
    ),
]
MaxGroupSize = Annotated[
    Annotated[int, Field(ge=1)] | None,
    described(
        "With `groups: use`, the most rows that a group can have in operation; without it the bound is heuristic."
    ),
]
Overlap = Annotated[
    Literal["AP50", "AP75", "mAP"],
    described("The overlap that a box needs: 0.5, 0.75, or the mean over 0.5, 0.55, ... 0.95."),
]
ObjectSizes = Annotated[
    Literal["all", "small", "medium", "large"],
    described("Objects of which areas count: below 32 x 32 pixels, from there to 96 x 96, or above."),
]
DetectorFunction = Annotated[
    Literal["classification", "localisation", "timing", "delay", "tracking"],
    described(
        "What the detector must do with an object that comes into view; `delay` bounds the time until it is found,",
        "`timing` how often that takes more than `late:` frames.",
    ),
]
Scale = Annotated[
    Literal["log", "plain"] | None,
    described(
        "Margins of the logarithms of the scores, or of the scores themselves. By default `log` for probabilities,",
        "which end at 0 and 1 and so cannot be normal, and `plain` for other scores.",
    ),
]
Loss = Annotated[
    Literal["failure", "brier", "absolute", "task"],
    described(
        "`failure`: 1 for a failure, else 0. `brier`: half the squared distance between forecast and outcome.",
        "`absolute`: one minus the probability given to the true class. These two need probabilities.",
        "`task`: what a task other than classification says a demand loses, such as the share of wrong labels.",
    ),
]
Measure = Annotated[
    Literal["quantile", "mean", "root mean square"],
    described(
        "`quantile`: the error that `share` of all demands stay below. `mean` and `root mean square`: of all errors."
    ),
]
ShareBelow = Annotated[float, Field(gt=0, lt=1, description="With `measure: quantile`, the share of demands below it.")]
LargestError = Annotated[
    Annotated[float, Field(gt=0)] | None,
    described("No error can be larger, such as the range of the truth; by default `largest_error` of the component."),
]
ErrorUnit = Annotated[str, Field(min_length=1, description="What errors are counted in, such as `m` or `EUR`.")]
Agreement = Annotated[
    dict[
        Literal["failures_caught", "failures_checked", "right_passed", "right_checked"],
        Annotated[int, Field(ge=0)],
    ],
    Field(min_length=4),
    described(
        "How the judge did on answers whose truth people found out: of `failures_checked` failures it called",
        "`failures_caught` so, and of `right_checked` right answers it passed `right_passed`.",
    ),
]
LossMethod = Annotated[
    Annotated[str, LOSS_METHODS] | None,
    described(
        "`betting` is the tightest with a guarantee, `empirical_bernstein` and `hoeffding` are closed forms,",
        "`normal_approximation` has no guarantee. By default `betting` up to a million rows and",
        "`empirical_bernstein` beyond, somewhat wider and many times faster.",
        names=LOSS_METHODS,
    ),
]
Metric = Annotated[Literal["recall", "precision", "specificity", "accuracy", "f1"], described("What is measured.")]
Positive = Annotated[ClassName | None, described("The class to be found; needed by all metrics but accuracy.")]
Calibration = Annotated[bool, described("Discount by how good the forecasts are; needs probabilities.")]
CalibratedBy = Annotated[
    Literal["brier", "ece"],
    described(
        "`brier`: squared errors of the forecasts of all rows.",
        "`ece`: expected calibration error in 15 bins, which does not reward sharp forecasts.",
    ),
]
Coverage = Annotated[
    bool | Annotated[dict[Literal["covered", "total"], Annotated[int, Field(ge=0)]], Field(min_length=2)],
    described(
        "Discount by how much of the operating conditions the rows show: measured where the project has a table",
        "of them, or stated as `{covered: 90, total: 100}`.",
    ),
]
Ways = Annotated[
    int, Field(ge=1, le=6, description="Measured coverage counts combinations of values of so many dimensions.")
]
PriorWeight = Annotated[
    float, Field(gt=0, description="Weight of the prior; 2 stands for one success and one failure.")
]
BaseRate = Annotated[float, Field(gt=0, lt=1, description="Share of successes expected without evidence.")]
Discounting = Annotated[
    Literal["uncertainty", "opposite", "base_rate", "probability"],
    described("How distrust weakens an opinion; see opinions.md."),
]
Quantity = Annotated[str, Field(min_length=1, description="Name of the result.")]
Mix = Annotated[
    bool,
    described(
        "Allow bounds of kinds that do not combine, such as confidence and credible; the result is then heuristic."
    ),
]
UnitOfProduct = Annotated[str | None, described("Unit of the product; needed where the factors have several units.")]
Value = Annotated[float, Field(allow_inf_nan=False, description="The value.")]
Source = Annotated[
    str, Field(min_length=1, description="Where the value comes from: a register, a data sheet, a contract.")
]
Unit = Annotated[str, Field(min_length=1, description="What it is counted by, such as `per demand` or `per hour`.")]

AnsweredBy = Annotated[
    AnswerSource | None,
    described(
        "Who answers for what is stated here and not measured: `{name: A. Berg, date: 2026-05-01, reason: ...}`.",
        "Without it no target is met by a result that rests on it.",
    ),
]

LabelledData = Annotated[
    Data,
    described("The data set whose rows label the cells, such as the training data; another one than that of `on`."),
    AnotherDataSet,
]
OperationData = Annotated[
    Data | None,
    described(
        "Inputs from operation, whose labels are not looked at, that make the operational profile;",
        "by default those of `labelled`.",
    ),
]
Above0 = Annotated[float, Field(gt=0)]
CellSide = Annotated[
    Above0 | Annotated[list[Above0], Field(min_length=1)],
    described(
        "Side of a cell, or one for each feature; below the smallest distance between inputs of different classes,",
        "and fixed before results are seen.",
    ),
]
Span = Annotated[list[float], Field(min_length=2, max_length=2)]
CellDomain = Annotated[
    Span | Annotated[list[Span], Field(min_length=1)],
    described(
        "Where inputs can lie in operation: `[low, high]` for each feature, or one for all;",
        "inputs outside are an error.",
    ),
]
InputColumns = Annotated[
    Columns | None,
    described(
        "Which columns of a frame the step computes with, and how they become numbers: a list of columns of numbers or",
        "`{mass: number, sex: one-hot, size: [small, medium, large], tagged: truth, day: date}`, and",
        "`{mass: {as: number, missing: 4200}}` where values are missing; by default all, which must then be numbers.",
        "In cells, categories and truth values are cells of their own, one for each.",
    ),
    Later(),
]
Features = Annotated[
    list[str] | None, described("Names of the features, for tables and maps; by default their numbers.")
]
Bandwidth = Annotated[
    Literal["cross-validation", "scott", "silverman"] | Above0 | Annotated[list[Above0], Field(min_length=1)],
    described("Width of the kernels of the operational profile: a rule, a number, or a number for each feature."),
]
Kernel = Annotated[
    Literal["gaussian", "exponential", "epanechnikov", "tophat"], described("Shape of the kernels of the profile.")
]
Boundary = Annotated[
    Literal["renormalise", "reflect"] | None,
    described(
        "What the profile does with kernels that reach over the edge of the domain.",
        "By default all cells together get the mass 1, whatever lies outside.",
    ),
]
CellEstimator = Annotated[
    str,
    CELL_ESTIMATORS,
    described(
        "How the risk inside cells is found. `exact_trees` computes it from the thresholds of trees and forests,",
        "`interval` proves cells of perceptrons and samples the rest, `monte_carlo` samples any model.",
        "`auto` takes the first of them that can read the model.",
        names=CELL_ESTIMATORS,
    ),
]
Samples = Annotated[int, Field(ge=2, description="Sampling is as precise as with so many points in each cell.")]
AsPublished = Annotated[
    bool,
    described("Give the sum over cells as RAM prints it, without correction; for comparison with published figures."),
]


# Who answers for values that were stated.


def answer_of(said: AnswerSource | Answer | None) -> Answer | None:
    """What ``answered_by`` says, as assumptions carry it."""
    return said.answer if isinstance(said, AnswerSource) else said


def as_stated(estimate: Estimate, ids: Collection[str], said: AnswerSource | Answer | None) -> Estimate:
    """The estimate with assumptions of these ids marked as stated values, and who answers for them."""
    answer = answer_of(said)
    marked = (replace(a, stated=True, answer=answer) if a.id in ids else a for a in estimate.assumptions)
    return replace(estimate, assumptions=tuple(marked))


# Tables of counts, whose size depends on the number of classes and never on the number of rows.

MOST_CLASSES = 12
MOST_LINES = 30
TIE = "tie"


@dataclass(frozen=True)
class Line:
    """Failures in a part of the rows, and their bound."""

    name: str
    failures: int
    rows: int
    estimate: Estimate


def limit(estimate: Estimate, side: Side, level: float) -> float | None:
    """The bound of a side at a level, if it is known."""
    try:
        return estimate.bound(side, level).limit
    except (LevelUnavailable, MixedKinds):
        return None


def one_sided(level: float) -> str:
    """How the bounds of a table or figure are to be read."""
    return f"one-sided, each at {100 * level:.10g}%"


def answers(tested: Tested) -> Table:
    """How often each true class got each answer; for many classes, the most frequent confusions."""
    if not tested.classifies:
        return _outcomes(tested)
    counts, columns = _confusion(tested)
    if len(tested.classes) > MOST_CLASSES:
        return _worst_confusions(tested, counts, columns)
    present = counts.sum(axis=1) > 0
    rows = [(name, *line) for name, line in zip(tested.classes, counts.tolist(), strict=True)]
    return Table(("true class", *columns), tuple(row for row, shown in zip(rows, present, strict=True) if shown))


def _outcomes(tested: Tested) -> Table:
    """What came of the demands of a task that is no classification, the most frequent first."""
    said = np.where(tested.failed, "wrong", "right") if tested.outcomes is None else tested.outcomes
    names, counts = np.unique(said, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:MOST_LINES]
    rows = [(str(names[n]), int(counts[n]), float(counts[n] / said.size)) for n in order]
    return Table((f"answer (a failure: {tested.failure})", demands_of(tested), "share"), tuple(rows))


def demands_of(tested: Tested) -> str:
    """What was counted, with its number where only some of a sort are demands."""
    some = "" if tested.out_of is None else f" ({len(tested):,} of {tested.out_of:,})"
    return f"{tested.counted or 'demands'}{some}"


def failures(lines: Sequence[Line], level: float) -> Table:
    """Failures and bounds of each part."""
    bounds = (f"lower bound ({one_sided(level)})", f"upper bound ({one_sided(level)})")
    columns = ("rows", "failures", "of", "share", *bounds)
    return Table(columns, tuple((line.name, line.failures, line.rows, *_share(line, level)) for line in lines))


def _share(line: Line, level: float) -> tuple[float | None, ...]:
    lower, upper = limit(line.estimate, "lower", level), limit(line.estimate, "upper", level)
    return line.failures / line.rows, lower, upper


def _confusion(tested: Tested) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Counts by true class and answer; a right answer that ties with another one is counted apart."""
    classes = len(tested.classes)
    answer = np.where(tested.failed & (tested.predictions == tested.labels), classes, tested.predictions)
    cells = np.bincount(tested.labels * (classes + 1) + answer, minlength=classes * (classes + 1))
    counts = cells.reshape(classes, classes + 1)
    if counts[:, -1].any():
        return counts, (*tested.classes, TIE)
    return counts[:, :-1], tested.classes


def _worst_confusions(tested: Tested, counts: NDArray[np.int64], columns: tuple[str, ...]) -> Table:
    wrong = counts.copy()
    np.fill_diagonal(wrong, 0)
    worst = [np.unravel_index(cell, wrong.shape) for cell in np.argsort(-wrong, axis=None, kind="stable")[:MOST_LINES]]
    rows = [(tested.classes[t], columns[a], int(wrong[t, a])) for t, a in worst if wrong[t, a]]
    return Table(("true class", "answer", "rows"), tuple(rows))


# Figures of the steps as SVG, a few kilobytes each however many rows there are.

WIDTH = 6.4
MOST_BARS = 50
MOST_MARGIN_BARS = 24
MOST_POINTS = 80
MOST_QUANTILES = 50
MOST_NAME = 40
FIXED = "Each bound holds for a number of tests fixed beforehand,\nnot for stopping where it looks good"


def intervals(rows: Sequence[Interval], label: str) -> Artefact:
    """Values with their intervals, one below the other."""
    named = [(shortened(visible(name), MOST_NAME), low, at, high) for name, low, at, high in rows]
    return _written(interval_chart(named, label))


def growth(
    sizes: NDArray[np.int64], shares: FloatArray, lower: FloatArray, upper: FloatArray, *, level: float
) -> Artefact:
    """A share and its bounds as rows come in."""
    return _written(
        band_chart(
            sizes.tolist(),
            lower.tolist(),
            shares.tolist(),
            upper.tolist(),
            labels=("rows, in the order in which they came", "failure probability"),
            words=(f"between lower and upper bound ({one_sided(level)})", "share of failures"),
            title=FIXED,
        )
    )


def _written(chart: Scene) -> Artefact:
    return Artefact("image/svg+xml", svg(chart, theme="light").encode())


def margins(values: FloatArray, normality: Check | None) -> Artefact:
    """Histogram of margins under the fitted normal density, and their normal probability plot."""
    figure, left = _new(3.1, panels=2)
    right = figure.axes[1]
    mean, sd = float(values.mean()), float(values.std(ddof=1))
    _histogram(left, values, mean, sd)
    left.set_title(f"{values.size:,} margins and the fitted normal density", fontsize=9, loc="left")
    _probability_plot(right, values, mean, sd)
    if normality:
        colour = STATUS_COLOURS[normality.status]
        right.set_title(f"normality: {normality.status}", fontsize=9, loc="left", color=colour)
    return drawn(figure)


def losses(values: FloatArray, mean: float, upper: float | None, *, level: float) -> Artefact:
    """Histogram of losses with their mean and its bound."""
    figure, axes = _new(2.6)
    counts, edges = np.histogram(values, bins=MOST_BARS, range=(0, 1))
    axes.stairs(counts, edges, fill=True, color=BLUE, alpha=0.4)
    axes.axvline(mean, color=INK, lw=1.4, label="mean")
    if upper is not None:
        axes.axvline(upper, color=RED, lw=1.4, ls="--", label=f"upper bound of the mean ({one_sided(level)})")
    axes.set(xlabel="loss of a row", ylabel="number of rows", yscale="log", xlim=(0, 1), ylim=(0.5, None))
    axes.legend(frameon=False, fontsize=8)
    return drawn(figure)


def triangle(named: Mapping[str, Opinion]) -> Artefact:
    """Opinions in their triangle."""
    figure, axes = _new(4.6)
    opinion_triangle(named, ax=axes)
    axes.set_title("Opinions along the chain of doubts", fontsize=9, loc="left")
    return drawn(figure)


def drawn(figure: Figure) -> Artefact:
    """The figure as SVG; a character that the font lacks is the reader's font's business."""
    from surefoot.drawing import figure_svg

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        return Artefact("image/svg+xml", figure_svg(figure))


def _new(height: float, *, panels: int = 1) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    for axes in np.atleast_1d(figure.subplots(1, panels)):
        open_frame(axes).tick_params(labelsize=8)
    return figure, figure.axes[0]


def _histogram(axes: Axes, values: FloatArray, mean: float, sd: float) -> None:
    bars = int(np.clip(2.4 * np.cbrt(values.size), 8, MOST_MARGIN_BARS))
    density, edges = np.histogram(values, bins=bars, density=True)
    axes.stairs(density, edges, fill=True, color=BLUE, alpha=0.35)
    grid = np.linspace(min(edges[0], mean - 3.5 * sd), max(edges[-1], mean + 3.5 * sd), MOST_POINTS)
    axes.plot(grid, np.exp(-(((grid - mean) / sd) ** 2) / 2) / (sd * np.sqrt(2 * np.pi)), color=INK, lw=1.2)
    axes.axvline(0, color=RED, lw=1.2)
    axes.set(xlabel="margin (failures are left of the red line)", ylabel="density")


def _probability_plot(axes: Axes, values: FloatArray, mean: float, sd: float) -> None:
    n = values.size
    wanted = special.ndtr(np.linspace(special.ndtri(0.625 / (n + 0.25)), 0, MOST_QUANTILES // 2))
    low = np.unique(np.clip(np.rint(wanted * (n + 0.25) + 0.375), 1, n).astype(int)) - 1
    ranks = np.union1d(low, n - 1 - low)
    expected = special.ndtri((ranks + 0.625) / (n + 0.25))
    found = (np.sort(values)[ranks] - mean) / sd
    axes.plot(expected[[0, -1]], expected[[0, -1]], color=GREY, lw=1.1, ls="--")
    axes.plot(expected, found, "o", color=BLUE, ms=3, mec="none")
    axes.set(xlabel="normal quantile", ylabel="standardised margin")
