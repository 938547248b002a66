"""The words of the step for systems of many modules, and what they mean."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from surefoot.project.step_files import NamesCode, NamesFile
from surefoot.project.steps.parameters import described

StudyCode = Annotated[
    str,
    described("`module:name` of a function without arguments that gives a `surefoot.systems.Study`."),
    NamesCode(),
]
StudyFiles = Annotated[
    list[str] | None,
    described("Files that the study reads, such as weights and data, so that a change of them is noticed."),
    NamesFile(),
]
Limit = Annotated[
    float,
    Field(
        ge=0, description="An item fails whose error is above this, or on which a module raised. In units of metric."
    ),
]
Shares = Annotated[
    dict[str, Annotated[float, Field(ge=0, le=1)]] | None,
    described(
        "How often operation meets each condition, such as `{clean: 0.9, fog 3: 0.1}`; shares sum to 1.",
        "Without it, or `seen`, there is no `system failure`, only one figure a condition.",
    ),
]
Seen = Annotated[
    dict[str, Annotated[int, Field(ge=0)]] | None,
    described("How often each condition was counted in operation, in place of `mix`; the count's uncertainty enters."),
]
EventsOf = Annotated[
    Literal["none", "causes", "modules"],
    described(
        "Events for fault trees. `causes`: failures blamed on clean inputs, or on corruption through a module, each",
        "given that none before it happened, for an `or` gate. `modules`: each of the study's outputs fails given that",
        "all before it failed, for an `and` gate.",
    ),
]
Accept = Annotated[
    Annotated[float, Field(gt=0, lt=1)] | None,
    described(
        "The share of accepted answers that may fail. The loosest threshold of predicted error for which this is shown",
        "at `level` becomes `failure among accepted answers` and `share of answers accepted`; half of the items teach",
        "the prediction, the others place the threshold. All conditions count the same, whatever `mix` says.",
    ),
]
MaxGroupSize = Annotated[
    Annotated[int, Field(ge=1)] | None,
    described(
        "The most items that a group of the study can have in operation; without it bounds over groups are heuristic."
    ),
]
Rates = Annotated[
    list[Annotated[float, Field(gt=0, lt=1)]],
    described("Shares of the answers that the strategies of rejection are compared at."),
]
