"""Sections of the project file: steps, tree, hazards, scenarios and case; and the file as a whole."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from surefoot.case.standards import StandardName
from surefoot.case.templates.builder import Function
from surefoot.opinions.metrics import CONFIDENCES, LIKELIHOODS
from surefoot.project.definition.document import DocumentControl
from surefoot.project.definition.system import (
    COMPUTED,
    FAULT_TREE,
    HAZARDS,
    HAZOP,
    SCENARIO_TREE,
    SCENARIOS,
    TOP_EVENT,
    TREE,
    Component,
    Conditions,
    LimitSource,
    Name,
    OpenPart,
    Part,
    System,
    TargetSource,
    Text,
)

# Steps of the plan, and the sections that stand for steps.


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


# The assurance case: words that cannot be made from the rest, and what people and operation add to it.

Likelihood = Annotated[str, Field(json_schema_extra={"enum": list(LIKELIHOODS)})]
Confidence = Annotated[str, Field(json_schema_extra={"enum": list(CONFIDENCES)})]


class AcceptedSource(Part):
    """Somebody answers for an assumption that nothing checks."""

    likelihood: Likelihood = "very likely"
    """How likely it is that it holds, in words: absolutely not, very unlikely, ... very likely, absolutely."""
    confidence: Confidence = "high confidence"
    """How sure they are of that: no, low, some, high or total confidence."""
    by: Text
    """Who answers for it."""
    why: Text
    """The reason."""

    @model_validator(mode="after")
    def _known_words(self) -> AcceptedSource:
        for word, known in ((self.likelihood, LIKELIHOODS), (self.confidence, CONFIDENCES)):
            if word not in known:
                raise ValueError(f"has the word {word!r}; known are {', '.join(known)}")
        return self


class FeedbackSource(Part):
    """What operation brought: so many incidents in so much use."""

    claim: Text
    """The target whose claim it speaks of."""
    exposure: Annotated[float, Field(gt=0)]
    """How much of ``per``: so many demands, hours or missions."""
    per: Text = "demand"
    incidents: Annotated[int, Field(ge=0)]
    since: str = ""
    until: str = ""
    source: str = ""


class CaseSource(Part):
    """The assurance case: its claim, its frame, and what it rests on beside what is measured."""

    claim: str = ""
    """The top claim; by default that the system meets its targets under the operating conditions."""
    context: list[str] = Field(default=[])
    frame: Literal["targets", "component", "system", "own"] = "targets"
    """What stands above the targets: nothing, the component's functions, the whole system with its sub-cases, or what
    the author writes in ``file`` (own)."""
    functions: dict[Name, list[Function]] = Field(default={})
    """For components: which functions of an object detector they have; all four where nothing is said."""
    speaks_of: dict[Name, Function] = Field(default={})
    """For targets: the function that they speak of; classification where nothing is said."""
    standards: list[StandardName] = Field(default=["AMLAS", "UL 4600", "ISO/PAS 8800"])
    """Standards whose clauses nodes are tagged with where a template knows them; ``ISO 26262`` is all its parts."""
    file: Text | None = None
    """Own claims, arguments and evidence, merged into the case by the ids of nodes; with the frame own, the case."""
    accepted: dict[str, AcceptedSource] = Field(default={})
    """Assumptions, by id, that somebody answers for."""
    feedback: list[FeedbackSource] = Field(default=[])
    """Operation since the assessment; it updates the claims, and may contradict them."""


def _as_list(given: Any) -> Any:
    return [given] if isinstance(given, str) else given


Folders = Annotated[list[Text], BeforeValidator(_as_list, json_schema_input_type=Text | list[Text])]


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
    document: DocumentControl | None = None
    """Control of the document that the report is: id, version, author, reviewers, status, history."""
    looks: Literal["fixed", "adaptive"] = "fixed"
    """Whether models and targets were fixed before anybody saw results on the test data, or may depend on earlier
    verdicts; then nothing but verdicts is shown of them."""
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    """Seed of everything random."""
    allow_outside: Folders = Field(default=[])
    """Folders outside the project's own that files and code may lie in; nothing else outside is ever opened."""

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
