"""The project file as a whole."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, model_validator

from surefoot.project.definition.case import CaseSource
from surefoot.project.definition.components import Component
from surefoot.project.definition.limits import TargetSource
from surefoot.project.definition.sections import EvidenceSource, HazardsSource, ScenariosSource, TreeSource
from surefoot.project.definition.system import Conditions, System
from surefoot.project.definition.words import COMPUTED, HAZARDS, SCENARIOS, TREE, Name, Part


class Definition(Part):
    """A whole project file."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": [key]} for key in COMPUTED]})

    version: Literal[1]
    system: System
    conditions: Conditions = Conditions()
    components: dict[Name, Component] = Field(default={}, min_length=1)
    """Left out where no step works on one."""
    evidence: dict[Name, EvidenceSource] = Field(default={}, min_length=1)
    """Left out where sections say what to compute."""
    targets: dict[Name, TargetSource] = Field(default={})
    tree: TreeSource | None = None
    """A fault tree whose basic events are fed by evidence; its step and its target are called ``tree``."""
    hazards: HazardsSource | None = None
    """The worksheet of the hazard analysis; its step is called ``hazards``."""
    scenarios: ScenariosSource | None = None
    """Chains of events that merge into a fault tree for each top event."""
    case: CaseSource = CaseSource()
    looks: Literal["fixed", "adaptive"] = "fixed"
    """Whether models and targets were fixed before anybody saw results on the test data, or may depend on earlier
    verdicts; then nothing but verdicts is shown of them."""
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    """Seed of everything random."""

    @model_validator(mode="after")
    def _names_of_sections(self) -> Definition:
        for name, section in self._section_steps.items():
            if name in self.evidence or name in self.targets:
                raise ValueError(f"has the section {section}, and evidence or a target called {name} as well")
        return self

    @property
    def _section_steps(self) -> dict[str, str]:
        """The steps that sections stand for, each with its section."""
        found = {TREE: TREE} if self.tree is not None else {}
        found |= {HAZARDS: HAZARDS} if self.hazards is not None else {}
        return found | dict.fromkeys(self.scenarios.steps({}) if self.scenarios else {}, SCENARIOS)

    @property
    def steps(self) -> dict[str, EvidenceSource]:
        """All steps of the plan: the evidence, and those that sections stand for."""
        found = dict(self.evidence)
        if self.tree is not None:
            found[TREE] = self.tree.evidence
        if self.hazards is not None:
            found[HAZARDS] = self.hazards.evidence
        if self.scenarios is not None:
            found |= self.scenarios.steps(self.hazards.worksheet if self.hazards else {})
        return found

    @property
    def all_targets(self) -> dict[str, TargetSource]:
        """The targets, and those of top events."""
        asked = self.tree.asked if self.tree else None
        tree = {} if asked is None else {TREE: asked}
        return {**self.targets, **tree, **(self.scenarios.asked if self.scenarios else {})}

    def place_of_step(self, name: str) -> tuple[str, ...]:
        """The keys under which a step is written."""
        return ("evidence", name) if name in self.evidence else (self._section_steps.get(name, TREE),)

    def place_of_target(self, name: str) -> tuple[str, ...]:
        """The keys under which a target is written."""
        if name in self.targets:
            return "targets", name
        tops = self.scenarios.tops if self.scenarios else {}
        return (SCENARIOS, "tops", name, "target") if name in tops else (*self.place_of_step(name), "target")
