"""The words of the steps in a project file, and what they mean."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from surefoot.adapters import Data
from surefoot.bounds.statement import bound
from surefoot.project.data_sets import AnotherDataSet
from surefoot.project.definition import ClassName
from surefoot.project.names import NameOf
from surefoot.reliability.local import cell_estimator


def described(*text: str, names: NameOf | None = None) -> object:
    """What a parameter means, as the reference and the schema say it; with a word on names that the text leaves out."""
    return Field(description=names.described(*text) if names else " ".join(text))


COUNT_METHODS = NameOf(bound, step="binomial_bound")
LOSS_METHODS = NameOf(bound, step="loss_bound")
CELL_ESTIMATORS = NameOf(cell_estimator, "auto")

Level = Annotated[float, Field(gt=0, lt=1, description="Level of the bounds to show; others can be asked for too.")]
OfClass = Annotated[ClassName | None, described("Only rows of this true class; by default all rows.")]
Undesired = Annotated[
    dict[str, Annotated[list[str], Field(min_length=1)]] | None,
    described(
        "Wrong answers that count as failures, by true class, such as `{child: [deer]}`.",
        "A class that is left out has all its wrong answers count; by default every class has.",
    ),
]
By = Annotated[
    str | None, described("Also one estimate for each true class (`class`), or for each value of this attribute.")
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
Scale = Annotated[
    Literal["log", "plain"] | None,
    described(
        "Margins of the logarithms of the scores, or of the scores themselves. By default `log` for probabilities,",
        "which end at 0 and 1 and so cannot be normal, and `plain` for other scores.",
    ),
]
Loss = Annotated[
    Literal["failure", "brier", "absolute"],
    described(
        "`failure`: 1 for a failure, else 0. `brier`: half the squared distance between forecast and outcome.",
        "`absolute`: one minus the probability given to the true class. The last two need probabilities.",
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
