"""Names and kinds of values that all of the project file shares."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

VERSION = 1
TREE = "tree"
"""The section of the project file, and the names that its step and its target go by."""
FAULT_TREE = "fault_tree"
"""The step that the section stands for."""
TOP_EVENT = "top event probability"
HAZARDS, HAZOP = "hazards", "hazop"
"""The section with the worksheet, and the step that it stands for."""
SCENARIOS, SCENARIO_TREE = "scenarios", "scenario_tree"
"""The section with chains of events, and the step that each of its top events stands for."""
COMPUTED = ("evidence", TREE, HAZARDS, SCENARIOS)
"""Keys that say what to compute; a project has one of them at least."""
TREE_STEPS = (FAULT_TREE, SCENARIO_TREE)

NAME = "[A-Za-z][A-Za-z0-9_-]*"
MODEL = "model"
"""What results call the model of a component; its data sets have other names."""
IN_MEMORY = "<memory>"
"""In place of a module: the object was handed over in Python."""


class NamesClass:
    """Marks a text of a step as the name of a class of the step's component, so that it is checked beforehand."""


Name = Annotated[
    str, Field(pattern=f"^{NAME}$", max_length=100, description="A letter, then letters, digits, - and _.")
]
ClassName = Annotated[str, Field(description="The name of a class."), NamesClass]
Text = Annotated[str, Field(min_length=1, max_length=10_000)]
Side = Annotated[int, Field(ge=1, le=100_000)]
ImageSize = Annotated[tuple[Side, Side], Field(strict=False)]
Positive = Annotated[float, Field(gt=0)]
Values = Annotated[list[str | float | bool], Field(min_length=1)]


class Part(BaseModel):
    """A mapping of the project file; unknown keys are errors, and no value is turned into another type."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, allow_inf_nan=False, use_attribute_docstrings=True
    )


class OpenPart(BaseModel):
    """A mapping of the project file that stands for steps: keys that it does not know are their parameters."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True, use_attribute_docstrings=True)

    @property
    def parameters(self) -> dict[str, Any]:
        """What the step's function is given beside data."""
        return dict(self.__pydantic_extra__ or {})


def all_differ(names: Iterable[str], what: str) -> None:
    """Refuse names that appear twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"has {what} {name!r}")
        seen.add(name)
