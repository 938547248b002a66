"""The words of the step for fault trees, and what they mean."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from surefoot.project.step_files import NamesFile
from surefoot.project.steps.parameters import described
from surefoot.project.trees import CHAINS, FORMATS, WORKSHEETS

TreeFile = Annotated[
    str | None,
    described("The tree: YAML, JSON, Open-PSA XML, Aralia text or static Galileo, by the ending of the file."),
    NamesFile(FORMATS),
]
InlineTree = Annotated[
    dict[str, Any] | None,
    described("The tree itself in place of a file: `top`, `gates`, `events` and so on, as its YAML file would say."),
]
TopEvent = Annotated[str | None, described("The gate that is the top event, where the file does not say, or another.")]
Draws = Annotated[int, Field(ge=100, le=1_000_000, description="Joint draws of the uncertain inputs.")]
Nodes = Annotated[int, Field(ge=1, description="Most nodes of a decision diagram.")]
TimeLimit = Annotated[
    float,
    Field(gt=0, le=86_400, description="Seconds after which a certain interval is given in place of the exact value."),
]
WorksheetFile = Annotated[
    str, described("The worksheet: YAML, CSV or XLSX, by the ending of the file."), NamesFile(WORKSHEETS)
]
WorksheetBehind = Annotated[
    str | None,
    described("The worksheet whose rows the chains name; the section `hazards` hands over its own."),
    NamesFile(WORKSHEETS),
]
ChainsFile = Annotated[str | None, described("The chains of events: YAML."), NamesFile(CHAINS)]
InlineChains = Annotated[
    dict[str, Any] | None,
    described("The chains in place of a file: `scenarios`, `events`, `gates` and so on, as their file would say."),
]
Candidates = Annotated[
    dict[str, dict[str, Any]] | None,
    described(
        "Improvements to compare, by name: `events` with what each would become (a probability, or a factor such as",
        "`x0.1`), `cost`, `note`.",
    ),
]
Costs = Annotated[
    dict[str, Annotated[float, Field(gt=0)]] | None,
    described("What it costs to make an event ten times rarer, by event."),
]
