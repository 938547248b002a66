"""The words of the step for fault trees, and what they mean."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from surefoot.project.step_files import NamesFile
from surefoot.project.steps.parameters import described
from surefoot.project.trees import FORMATS

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
