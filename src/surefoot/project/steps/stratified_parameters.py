"""The words of the step for strata of operation, and what they mean."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from surefoot.adapters import Data
from surefoot.hazards.labels.strata import BINS
from surefoot.project.data_sets import WithScores
from surefoot.project.step_files import NamesFile
from surefoot.project.steps.parameters import described

RISK, PREDICTION = "risk", "prediction"

ScoredOperation = Annotated[
    Data | None,
    described("Inputs from operation, labelled or not: they give the shares of the strata, and the edges of `risk`."),
    WithScores,
]
Strata = Annotated[
    str,
    described(
        "`risk`: strata by how doubtful the model's own scores make an answer, from the rows of `operation`.",
        "`prediction`: a stratum for each answer. Otherwise the name of an attribute, a stratum for each value.",
    ),
]
Bins = Annotated[int, Field(ge=1, le=10, description=f"Strata of `risk`, {BINS} by default; few are best.")]
Shares = Annotated[
    dict[str, Annotated[float, Field(gt=0, le=1)]] | None,
    described("Shares of the strata in operation, such as `{day: 0.7, night: 0.3}`, where `operation` does not say."),
]
LabelSheet = Annotated[
    str | None,
    described("The sheet of `surefoot improve --csv`, filled in: labels of rows of `operation`, which count too."),
    NamesFile((".csv",)),
]
StrataMethod = Annotated[
    Literal["melded", "jeffreys"],
    described(
        "`melded` is a confidence bound. `jeffreys` brings a posterior and is credible: for fault trees whose other",
        "events are, such as those with counts or error factors.",
    ),
]
