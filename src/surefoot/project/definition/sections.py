"""Steps of the plan, and the sections that stand for steps."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, model_validator

from surefoot.project.definition.limits import LimitSource, TargetSource
from surefoot.project.definition.words import (
    FAULT_TREE,
    HAZOP,
    SCENARIO_TREE,
    SCENARIOS,
    TOP_EVENT,
    TREE,
    Name,
    OpenPart,
    Part,
    Text,
)


class EvidenceSource(OpenPart):
    """One step of the plan. Keys other than these are the step's own parameters: ``surefoot steps NAME``."""

    step: Name
    component: Name | None = None
    """Needed where there are several components."""
    on: Annotated[Name, Field(description="The data set of the component.")] = "test"


class TreeSource(OpenPart):
    """The fault tree. Keys other than ``target`` are the parameters of the step ``fault_tree``."""

    target: LimitSource | None = None
    """What is asked of the top event."""

    @model_validator(mode="after")
    def _no_step(self) -> TreeSource:
        if "step" in self.parameters:
            raise ValueError("has the key step, which only evidence has")
        return self

    @property
    def evidence(self) -> EvidenceSource:
        """The step that the section stands for."""
        return EvidenceSource.model_validate({"step": FAULT_TREE, **self.parameters})

    @property
    def asked(self) -> TargetSource | None:
        """The target of the top event as one of the project's."""
        return None if self.target is None else of_top_event(TREE, self.target)


class HazardsSource(OpenPart):
    """The worksheet of the hazard analysis. Keys are the parameters of the step ``hazop``."""

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        """``hazards: worksheet.xlsx``."""
        return {"file": value} if isinstance(value, str) else value

    @property
    def evidence(self) -> EvidenceSource:
        """The step that the section stands for."""
        return EvidenceSource.model_validate({"step": HAZOP, **self.parameters})

    @property
    def worksheet(self) -> dict[str, Any]:
        """What scenarios need to know of it."""
        file = self.parameters.get("file")
        return {} if file is None else {"worksheet": file}


class TopSource(Part):
    """A top event that chains lead to."""

    event: Text
    """Its name, as the chains have it."""
    target: LimitSource | None = None
    """What is asked of it."""


class ScenariosSource(OpenPart):
    """Chains of events. Other keys are parameters of the step ``scenario_tree``, one for each top event."""

    tops: dict[Name, TopSource] = Field(default={})
    """The top events, by the name of their step and target; left out where the chains lead to one."""
    target: LimitSource | None = None
    """What is asked of the only top event."""

    @model_validator(mode="after")
    def _one_way(self) -> ScenariosSource:
        if self.tops and self.target is not None:
            raise ValueError("has tops, and a target of its own; write the target to its top event")
        for key in ("step", "top", "worksheet"):
            if key in self.parameters:
                raise ValueError(f"has the key {key}, which only evidence has")
        return self

    def steps(self, worksheet: dict[str, Any]) -> dict[str, EvidenceSource]:
        """One step for each top event."""
        shared = {"step": SCENARIO_TREE, **worksheet, **self.parameters}
        named = {name: {**shared, "top": top.event} for name, top in self.tops.items()} or {SCENARIOS: shared}
        return {name: EvidenceSource.model_validate(said) for name, said in named.items()}

    @property
    def asked(self) -> dict[str, TargetSource]:
        """The targets of top events, as those of the project."""
        limits = {name: top.target for name, top in self.tops.items()} or {SCENARIOS: self.target}
        return {name: of_top_event(name, limit) for name, limit in limits.items() if limit is not None}


def of_top_event(step: str, limit: LimitSource) -> TargetSource:
    """A limit of the top event of a step as one of the project's targets."""
    said = {name: getattr(limit, name) for name in limit.model_fields_set}
    return TargetSource(estimate=f"{step}.{TOP_EVENT}", **said)
