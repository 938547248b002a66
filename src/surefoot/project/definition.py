"""The project file as data: what may stand in ``surefoot.yaml``, and nothing about how it is read or run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from surefoot.core import Target
from surefoot.core.bound import Kind
from surefoot.core.target import DEFAULT_KINDS

VERSION = 1
TREE = "tree"
"""The section of the project file, and the names that its step and its target go by."""
FAULT_TREE = "fault_tree"
"""The step that the section stands for."""
TOP_EVENT = "top event probability"

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
Values = Annotated[list[str | float | bool], Field(min_length=1)]


class Part(BaseModel):
    """A mapping of the project file; unknown keys are errors, and no value is turned into another type."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, allow_inf_nan=False, use_attribute_docstrings=True
    )


def _all_differ(names: Iterable[str], what: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"has {what} {name!r}")
        seen.add(name)


class System(Part):
    """What the component is part of, and what may go wrong."""

    name: Text
    description: str = ""
    hazard: str = ""
    """The event that must stay rare."""


class Condition(Part):
    """One assumption on the inputs under which guarantees are claimed.

    With ``column`` (an attribute of the data) and one of the limits, the test data are checked against it.
    """

    id: Name
    text: Text
    column: Text | None = None
    at_least: float | None = None
    at_most: float | None = None
    one_of: Values | None = None

    @model_validator(mode="after")
    def _column_with_limits(self) -> Condition:
        limited = any(limit is not None for limit in (self.at_least, self.at_most, self.one_of))
        if limited != (self.column is not None):
            raise ValueError("needs a column together with at_least, at_most or one_of, or none of them")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError("has at_least above at_most, so that nothing fulfils it")
        return self


class Conditions(Part):
    """The operating conditions: the contract under which the numbers hold."""

    assumptions: list[Condition] = []
    odd: dict[Text, Values] = {}
    """The operational design domain: each dimension with its values."""

    @model_validator(mode="after")
    def _ids_differ(self) -> Conditions:
        _all_differ((condition.id for condition in self.assumptions), "two assumptions with the id")
        return self


class ModelSource(Part):
    """Where a model comes from: exactly one of ``path``, ``callable`` and ``factory``."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [{"required": ["path"]}, {"required": ["callable"]}, {"required": ["factory", "weights"]}]
        }
    )

    path: Text | None = None
    """A file: .skops, .onnx, .tflite; .pkl, .pickle or .joblib with ``trust: pickle``."""
    callable: str | None = None
    """``module:name`` of a function from a batch of inputs to scores, or of an object with ``predict_proba``."""
    factory: str | None = None
    """``module:name`` of a function that builds a torch module, whose ``weights`` are then loaded."""
    weights: Text | None = None
    """A .safetensors file for ``factory``."""
    files: list[Text] = []
    """Further files the model reads, so that a change of them is noticed."""
    method: Literal["predict_proba", "decision_function", "predict"] | None = None
    """Which method of a scikit-learn model answers; by default the first it has."""
    output: Literal["probability", "logit", "score", "label"] | None = None
    """What the model returns; by default what its kind usually returns."""
    trust: Literal["pickle"] | list[str] | None = None
    """``pickle`` to run a pickled model, or the names of further types a skops file may hold."""
    batch_size: Annotated[int, Field(ge=1, le=10_000_000)] = 1024
    time_limit: Annotated[float, Field(gt=0, le=86_400)] = 60.0
    """Seconds that loading, or one batch, may take."""

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        """``model: file.onnx`` and ``model: module:name``."""
        if isinstance(value, str):
            is_callable = ":" in value and "/" not in value and "\\" not in value
            return {"callable": value} if is_callable else {"path": value}
        return value

    @model_validator(mode="after")
    def _one_source(self) -> ModelSource:
        if sum(source is not None for source in (self.path, self.callable, self.factory)) != 1:
            raise ValueError("needs exactly one of path, callable and factory")
        if (self.factory is None) != (self.weights is None):
            raise ValueError("needs factory and weights together")
        return self


class DataSource(Part):
    """Where rows come from: exactly one of ``path`` and ``callable``, and which columns mean what."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": ["path"]}, {"required": ["callable"]}]})

    path: Text | None = None
    """A file (.npz, .csv, .parquet) or a folder with one folder of images a class."""
    callable: str | None = None
    """``module:name`` of a function without arguments that returns arrays by name, or (inputs, labels)."""
    inputs: str | list[str] | None = None
    """Array (npz, callable) or columns (csv, parquet) that go into the model."""
    labels: str | None = None
    """Array or column with the true class; by default ``labels``, ``label`` or ``y``."""
    scores: str | list[str] | None = None
    """Array or columns with scores made elsewhere; then no model is needed."""
    output: Literal["probability", "logit", "score", "label"] | None = None
    """What ``scores`` are; by default ``probability`` where they look like it."""
    groups: str | None = None
    """Column that names what rows share, such as a patient or a film."""
    attributes: list[str] = []
    """Further columns: dimensions of the operating conditions."""
    image_size: ImageSize | None = None
    """Height and width to which images of a folder are scaled."""

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return ModelSource._short_form(value)  # type: ignore[operator]

    @model_validator(mode="after")
    def _one_source(self) -> DataSource:
        if (self.path is None) == (self.callable is None):
            raise ValueError("needs exactly one of path and callable")
        return self


class Component(Part):
    """A learned component: its model, its data, its classes."""

    description: str = ""
    model: ModelSource | None = None
    """Left out where the data bring scores."""
    data: dict[Name, DataSource] = Field(min_length=1)
    """Data sets by name; ``test`` is the one evidence is computed on unless it says otherwise."""
    classes: list[Text] = []
    """Names of the classes in the order of the scores; by default as the model or the labels have them."""

    @model_validator(mode="after")
    def _names_differ(self) -> Component:
        _all_differ(self.classes, "two classes called")
        if len(self.classes) == 1:
            raise ValueError("has a single class; name all of them")
        if MODEL in self.data:
            raise ValueError(f"has a data set called {MODEL!r}, which is what results call the model")
        return self


class EvidenceSource(BaseModel):
    """One step of the plan. Keys other than these are the step's own parameters: ``surefoot steps NAME``."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True, use_attribute_docstrings=True)

    step: Name
    component: Name | None = None
    """Needed where there are several components."""
    on: Annotated[Name, Field(description="The data set of the component.")] = "test"

    @property
    def parameters(self) -> dict[str, Any]:
        """What the step's function is given beside data."""
        return dict(self.__pydantic_extra__ or {})


class LimitSource(Part):
    """A limit, and how surely it must be kept."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": ["at_most"]}, {"required": ["at_least"]}]})

    claim: str = ""
    """The claim in words; by default made from the numbers."""
    at_most: float | None = None
    at_least: float | None = None
    level: Annotated[float, Field(gt=0, lt=1)] = 0.95
    per: Text = "demand"
    source: str = ""
    """Where the target comes from: a standard, a hazard analysis, a contract."""
    kinds: list[Kind] = list(DEFAULT_KINDS)
    """Kinds of bounds that count."""

    @model_validator(mode="after")
    def _one_limit(self) -> LimitSource:
        if (self.at_most is None) == (self.at_least is None):
            raise ValueError("needs exactly one of at_most and at_least")
        return self

    @property
    def target(self) -> Target:
        """The target an estimate is compared with."""
        return Target(self.at_most, self.at_least, self.level, self.per, self.source, kinds=tuple(self.kinds))


class TargetSource(LimitSource):
    """What is asked of a result."""

    estimate: Text
    """``step.quantity``, for example ``counted.failure probability``."""


class TreeSource(BaseModel):
    """The fault tree. Keys other than ``target`` are the parameters of the step ``fault_tree``."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True, use_attribute_docstrings=True)

    target: LimitSource | None = None
    """What is asked of the top event."""

    @model_validator(mode="after")
    def _no_step(self) -> TreeSource:
        if "step" in (self.__pydantic_extra__ or {}):
            raise ValueError("has the key step, which only evidence has")
        return self

    @property
    def evidence(self) -> EvidenceSource:
        """The step that the section stands for."""
        return EvidenceSource.model_validate({"step": FAULT_TREE, **(self.__pydantic_extra__ or {})})

    @property
    def asked(self) -> TargetSource | None:
        """The target of the top event as one of the project's."""
        if self.target is None:
            return None
        said = {name: getattr(self.target, name) for name in self.target.model_fields_set}
        return TargetSource(estimate=f"{TREE}.{TOP_EVENT}", **said)


class CaseSource(Part):
    """Words of the assurance case that cannot be made from the rest."""

    claim: str = ""
    """The top claim; by default that the system meets its targets under the operating conditions."""
    context: list[str] = []


class Definition(Part):
    """A whole project file."""

    version: Literal[1]
    system: System
    conditions: Conditions = Conditions()
    components: dict[Name, Component] = Field(min_length=1)
    evidence: dict[Name, EvidenceSource] = Field(min_length=1)
    targets: dict[Name, TargetSource] = {}
    tree: TreeSource | None = None
    """A fault tree whose basic events are fed by evidence; its step and its target are called ``tree``."""
    case: CaseSource = CaseSource()
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    """Seed of everything random."""

    @model_validator(mode="after")
    def _one_tree(self) -> Definition:
        if self.tree is not None and (TREE in self.evidence or TREE in self.targets):
            raise ValueError("has the section tree, and evidence or a target with the same name")
        return self

    @property
    def steps(self) -> dict[str, EvidenceSource]:
        """All steps of the plan: the evidence, and the one that the tree stands for."""
        return self.evidence if self.tree is None else {**self.evidence, TREE: self.tree.evidence}

    @property
    def all_targets(self) -> dict[str, TargetSource]:
        """The targets, and that of the tree."""
        asked = self.tree.asked if self.tree else None
        return self.targets if asked is None else {**self.targets, TREE: asked}

    def place_of_step(self, name: str) -> tuple[str, ...]:
        """The keys under which a step is written."""
        return ("evidence", name) if name in self.evidence else (TREE,)

    def place_of_target(self, name: str) -> tuple[str, ...]:
        """The keys under which a target is written."""
        return ("targets", name) if name in self.targets else (TREE, "target")
