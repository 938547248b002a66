"""The words of the steps for runtime monitors, and what they mean."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from surefoot.adapters import Data
from surefoot.monitors.detectors.base import DETECTORS
from surefoot.monitors.returns.stakes import return_function
from surefoot.project.data_sets import AnotherDataSet, WithScores
from surefoot.project.names import NameOf
from surefoot.project.steps.parameters import described

Made = Annotated[str, NameOf(DETECTORS, beside=None)]
"""Detectors that need nothing but numbers and words to be made."""

USUAL = "Usual inputs, such as those of the training: the detector learns from them."
FitRows = Annotated[
    Data | None, described(USUAL, "Another data set than `on`; detectors that look at scores need none."), WithScores
]
LayerFitRows = Annotated[Data, described(USUAL, "Another data set than `on`."), WithScores, AnotherDataSet]
DetectorName = Annotated[
    Made,
    described(
        "Which detector watches. `max_softmax`, `max_logit`, `energy` and `doctor` look at scores, `brightness` and",
        "`contrast` at pictures, the others at features: inputs, or what a layer makes of them. A layer that is named",
        "takes the place of scores too.",
    ),
]
DetectorOptions = Annotated[
    dict[str, Any] | None, described("What the detector is made with, such as `{k: 5}`; by default its usual values.")
]
ScoreColumn = Annotated[
    str | None, described("An attribute that holds the scores of a monitor that ran elsewhere; higher is stranger.")
]
AlarmColumn = Annotated[
    str | None, described("An attribute that holds the alarms of a monitor that ran elsewhere: 1 for an alarm, else 0.")
]
Layer = Annotated[str, described("The layer of a torch module, or the node of an ONNX graph, whose output is watched.")]
Pool = Annotated[
    Literal["flatten", "mean"],
    described("`flatten` takes all numbers of the layer, `mean` the mean of each channel of a picture."),
]
RETURNS = NameOf(return_function, of=...)
Detects = Annotated[
    str,
    RETURNS,
    described(
        "What an alarm should say: `errors`, a failure of the model, or `threats`, inputs that must not be trusted,",
        "which the attribute of `threat` marks. A monitor that is good at one can be poor at the other.",
        names=RETURNS,
    ),
]
ThreatColumn = Annotated[str | None, described("The attribute that marks threats: 1 for a threat, else 0.")]
StrataColumn = Annotated[
    str | None,
    described(
        "The attribute by which rows were drawn, so many of each value, such as that of `threat` where so many threats",
        "were taken: shares of strata are then no chance, and intervals of the figures are narrower.",
    ),
]
Severity = Annotated[
    dict[str, dict[str, Annotated[float, Field(ge=0)]]] | None,
    described(
        "How bad each wrong answer is, by true class and answer, such as `{stop: {limit: 5}}`; others count 0.",
        "Hazards are then in units of the worst one.",
    ),
]
Threshold = Annotated[float | None, described("Raise an alarm above this score; fixed before these rows were seen.")]
Availability = Annotated[
    Annotated[float, Field(gt=0, lt=1)] | None,
    described("Choose the threshold with the most alarms whose availability cost is at most this."),
]
Hazard = Annotated[
    Annotated[float, Field(gt=0, lt=1)] | None,
    described("Choose the threshold with the fewest alarms whose residual hazard is at most this."),
]
Mode = Annotated[
    Literal["expectation", "probability"] | None,
    described(
        "How a budget is kept: on average over calibration sets (`expectation`, the default: conformal risk control),",
        "or with probability 1 - `delta` (`probability`: learn then test).",
    ),
]
Delta = Annotated[
    Annotated[float, Field(gt=0, lt=1)] | None,
    described("How often the budget may be missed with `mode: probability`; 0.1 by default."),
]
Calibrate = Annotated[
    Annotated[float, Field(gt=0, lt=1)] | None,
    described("Share of the rows of `on`, drawn at random, that choose the threshold; others judge. 0.5 by default."),
]
Against = Annotated[
    list[Made] | None, described("Further detectors, which are compared with this one at the same availability cost.")
]
Events = Annotated[
    Literal["confidence", "credible"],
    described(
        "What is known of `undetected failure` and `spurious alarm`: exact `confidence` bounds, or posteriors",
        "(`credible`) for fault trees whose other events have them. With `groups: use` they are resampled.",
    ),
]
