"""The words of the step for balls around data points, and what they mean."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from surefoot.adapters import Data
from surefoot.project.names import NameOf
from surefoot.project.step_files import NamesFile
from surefoot.project.steps.parameters import Above0, described
from surefoot.reliability.balls.problem import ball_estimator

BALL_ESTIMATORS = NameOf(ball_estimator, "auto")

FrameOperation = Annotated[
    Data | None,
    described(
        "Inputs from operation, whose labels are not looked at: they make the weights `density` and `ratio`,",
        "and show whether the rows of `on` represent operation.",
    ),
]
FurtherLabels = Annotated[
    Data | None,
    described("Further labelled rows, such as the training data, with which the separation of classes is measured."),
]
Radius = Annotated[
    Literal["auto"] | Above0,
    described(
        "Radius of the balls in the maximum norm; below half the smallest distance between inputs of different",
        "classes, and fixed before results are seen. `auto` takes 0.8 of that half.",
    ),
]
Radii = Annotated[
    Annotated[list[Above0], Field(min_length=1)] | None,
    described("Further radii for which the result is computed too, to show how it depends on the radius."),
]
InputRange = Annotated[tuple[float, float], described("Lowest and highest value that a feature of an input can have.")]
BallWeights = Annotated[
    Literal["equal", "density", "ratio"],
    described(
        "What the ball of a row weighs. `equal`: rows of `on` were drawn from operation.",
        "`density`: the density of operation at the row, as RAM has it.",
        "`ratio`: the density of operation over that of the rows of `on`, for rows that were drawn from elsewhere.",
    ),
]
Encoder = Annotated[
    str | None,
    described(
        "In which space densities are estimated: `pca`, fitted to the inputs, or the path of a saved VAE;",
        "by default in the space of the inputs.",
    ),
    NamesFile((".safetensors",), words=("pca",)),
]
Dimensions = Annotated[int, Field(ge=1, description="Number of dimensions of the space of `encoder: pca`.")]
Centres = Annotated[
    Literal["data", "decoded"],
    described("Centres of the balls: the rows themselves, or what the encoder makes of them and back (Remark 4)."),
]
BallBudget = Annotated[
    Annotated[int, Field(ge=2)] | None,
    described("How many balls are looked into; by default 1,000, or all where there are fewer."),
]
BallDesign = Annotated[
    Literal["auto", "at_random", "adaptive", "by_weight", "by_risk", "stratified", "with_replacement"],
    described(
        "Which balls are looked into. `auto` is `at_random`, all alike and none twice, for equal weights, whose bound",
        "is then mostly tightest, and `adaptive` for others, which spends the budget where earlier draws found risk.",
        "`by_weight` and `by_risk` draw heavy or presumably risky balls more often, `stratified` draws some of each",
        "kind, `with_replacement` draws all alike, some twice, as RAM does.",
    ),
]
BallEstimator = Annotated[
    str,
    BALL_ESTIMATORS,
    described(
        "How the risk inside balls is found. `splitting` reaches the rarest failures, `monte_carlo` counts samples,",
        "`interval` proves balls of networks that it can read and leaves the others to splitting.",
        "`auto` proves what can be proved, and counts failures where enough of them are foreseen for the mean;",
        "else it splits, as far down as adds to the mean.",
        names=BALL_ESTIMATORS,
    ),
]
Particles = Annotated[
    int, Field(ge=10, description="Points that `splitting` and `interval` move through a ball at once.")
]
Moves = Annotated[int, Field(ge=1, description="Moves of each of these points at each level.")]
Rho = Annotated[float, Field(gt=0, lt=1, description="Share of these points that pass from one level to the next.")]
BallSamples = Annotated[int, Field(ge=2, description="Points that `monte_carlo` draws in each ball.")]
Device = Annotated[
    Literal["auto", "cpu", "cuda"],
    described(
        "Where torch models are run: `auto` takes a graphics processor where there is one.",
        "Devices differ in the last digits, so results do too, within their stated errors.",
    ),
]
Picture = Annotated[
    Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=2, max_length=3)] | None,
    described(
        "Shape of the picture that a row of features shows, such as `[28, 28]` or `[3, 32, 32]`;",
        "inputs that have such a shape themselves need not say it.",
    ),
]
