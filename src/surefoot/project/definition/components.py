"""Learned components: where their models and data come from."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, model_validator

from surefoot.project.definition.words import MODEL, ImageSize, Name, Part, Text, all_differ


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
    files: list[Text] = Field(default=[])
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
    rows: Literal["independent", "sequence"] = "independent"
    """``sequence`` where rows resemble their neighbours, such as frames of a film or samples of a drive."""
    block: Annotated[int, Field(ge=1)] | None = None
    """How many rows of a sequence can fail together; rows so far apart are independent."""
    attributes: list[str] = Field(default=[])
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
        if self.block is not None and self.rows != "sequence":
            raise ValueError("has block, which goes with rows: sequence")
        return self

    @property
    def reading(self) -> dict[str, Any]:
        """Where rows come from and which columns mean what, as a reader takes it."""
        return self.model_dump(exclude={"rows", "block"})


class Component(Part):
    """A learned component: its model, its data, its classes."""

    description: str = ""
    model: ModelSource | None = None
    """Left out where the data bring scores."""
    data: dict[Name, DataSource] = Field(min_length=1)
    """Data sets by name; ``test`` is the one evidence is computed on unless it says otherwise."""
    classes: list[Text] = Field(default=[])
    """Names of the classes in the order of the scores; by default as the model or the labels have them."""

    @model_validator(mode="after")
    def _names_differ(self) -> Component:
        all_differ(self.classes, "two classes called")
        if len(self.classes) == 1:
            raise ValueError("has a single class; name all of them")
        if MODEL in self.data:
            raise ValueError(f"has a data set called {MODEL!r}, which is what results call the model")
        return self
