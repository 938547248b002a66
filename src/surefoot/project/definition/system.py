"""The system in a project file: the conditions under which numbers hold, learned components, targets."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from surefoot.adapters.python_models import PICKLED
from surefoot.core import Target
from surefoot.core.bound import Kind
from surefoot.core.target import DEFAULT_KINDS

if TYPE_CHECKING:
    from surefoot.hazards.targets import Derivation, Exposure, Reference


# Names and kinds of values that all of the project file shares.

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


CLASSIFICATION = "classification"
Task = Literal["classification", "multilabel", "regression", "text", "detection", "segmentation", "custom"]
KEYS_OF_TASK: dict[str, tuple[str, ...]] = {
    CLASSIFICATION: (),
    "multilabel": (),
    "regression": ("tolerance", "largest_error"),
    "text": ("compare", "tolerance", "repeats"),
    "detection": ("iou", "score", "late", "lost"),
    "segmentation": ("iou", "score", "tolerance", "boundary", "ignore", "late", "lost"),
    "custom": ("failed", "loss"),
}
"""Keys of a component that only some tasks know."""
MEANING_OF_TASK = {"detection": 2, "segmentation": 2}
"""Raised where the same answers are judged otherwise than before."""


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

    assumptions: list[Condition] = Field(default=[])
    odd: dict[Text, Values] = Field(default={})
    """The operational design domain: each dimension with its values."""

    @model_validator(mode="after")
    def _ids_differ(self) -> Conditions:
        all_differ((condition.id for condition in self.assumptions), "two assumptions with the id")
        return self


# Learned components: where their models and data come from.

KEPT = ("owner", "version")
"""What the register of evidence says of models and data; no result depends on it."""


class DetectorSource(Part):
    """What goes into an ONNX detector, and what comes out."""

    boxes: Text | None = None
    """The output with four numbers a box."""
    scores: Text | None = None
    """The output with a score a box, or one for each class."""
    labels: Text | None = None
    """The output with the class of each box; left out where the scores are of classes."""
    decode: str | None = None
    """``module:name`` of a function from the outputs by name to a mapping with boxes, scores and labels."""
    form: Literal["corners", "corner and size", "centre and size"] = "corners"
    """What the four numbers of a box are."""
    unit: Literal["pixels", "share"] = "pixels"
    """Pixels of the picture that the model sees, or shares of its width and height."""
    size: ImageSize | None = None
    """Height and width that pictures are scaled to; by default what the model takes."""
    colours: Literal["RGB", "BGR"] = "RGB"
    divide: float | list[float] = 255.0
    """Colours are (colour - subtract) / divide, for each or all of the three."""
    subtract: float | list[float] = 0.0
    overlap: Annotated[float, Field(gt=0, lt=1)] | None = None
    """Of boxes of one class that overlap by more, only the surest stays; by default all do."""

    @model_validator(mode="after")
    def _outputs(self) -> DetectorSource:
        if (self.decode is None) != (self.boxes is not None and self.scores is not None):
            raise ValueError("needs boxes and scores, the names of its outputs, or decode, a function")
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
    files: list[Text] = Field(default=[])
    """Further files the model reads, so that a change of them is noticed."""
    method: Literal["predict_proba", "decision_function", "predict"] | None = None
    """Which method of a scikit-learn model answers; by default the first it has."""
    output: Literal["probability", "logit", "score", "label"] | None = None
    """What the model returns; by default what its kind usually returns."""
    takes: Literal["array", "pandas", "polars", "pyarrow"] | None = None
    """An array of numbers, or a frame of a library; by default a frame of pandas for a model that was fitted on one."""
    trust: Literal["pickle"] | list[str] | None = None
    """``pickle`` to run a pickled model, or the names of further types a skops file may hold."""
    batch_size: Annotated[int, Field(ge=1, le=10_000_000)] = 1024
    time_limit: Annotated[float, Field(gt=0, le=86_400)] = 60.0
    """Seconds that loading, or one batch, may take."""
    detector: DetectorSource | None = None
    """For ``detection`` by an ONNX file: what goes in and what comes out."""
    owner: str = ""
    """Who is responsible for it; for the evidence register."""
    version: str = ""
    """What it is called there, such as ``2.1``; what it is says its content."""

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


OF_TASKS = ("predictions", "repeats", "images")
"""Keys of a data set that tasks other than classification know."""
OF_IMAGES = ("detection", "segmentation")
"""Tasks whose truth is in files of its own, beside the pictures."""
UNREAD = {
    "detection": ("inputs", "labels", "scores", "output", "image_size", "repeats"),
    "segmentation": ("inputs", "scores", "output", "image_size", "repeats"),
}
"""Keys of a data set in a file that these tasks do not read."""
OF_SEQUENCES = ("sequence", "time", "gap")
"""Keys of a data set whose rows follow each other in time."""
FRAME_RATE = "frame_rate"


class DataSource(Part):
    """Where rows come from: exactly one of ``path`` and ``callable``, and which columns mean what."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": ["path"]}, {"required": ["callable"]}]})

    path: Text | None = None
    """A file (.npz, .csv, .parquet) or a folder with one folder of images a class."""
    callable: str | None = None
    """``module:name`` of a function without arguments that returns arrays by name, or (inputs, labels)."""
    inputs: str | list[str] | None = None
    """Array (npz, callable) or columns (csv, parquet) that go into the model."""
    labels: str | list[str] | None = None
    """Array or column with the true class or other truth; by default ``labels``, ``label`` or ``y``; null for none."""
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
    types: dict[Text, Literal["text", "number", "category", "date"] | Annotated[list[Text], Field(min_length=1)]] = (
        Field(default={})
    )
    """What columns of a frame are: ``text``, ``number``, ``category``, ``date``, or the list of their categories."""
    image_size: ImageSize | None = None
    """Height and width to which images of a folder are scaled."""
    owner: str = ""
    """Who is responsible for it; for the evidence register."""
    version: str = ""
    """What it is called there, such as ``2026-05``; what it is says its content."""
    predictions: str | list[str] | None = None
    """Array or columns with answers made elsewhere, where the task is no classification."""
    repeats: str | None = None
    """Column that names the input of which each row is one run, where a component answers differently each time."""
    images: str | None = None
    """For ``detection`` and ``segmentation`` with a model: the folder of pictures, or the film."""
    sequence: str | None = None
    """Column that names the film, drive or recording that a row is part of; its rows then are no independent ones."""
    time: str | None = None
    """Column with the time of each row, in seconds, rising within a sequence."""
    gap: Annotated[float, Field(gt=0)] | None = None
    """The longest step of time that is no gap; by default ten times the median one."""
    frame_rate: Annotated[float, Field(gt=0)] | None = None
    """For images with objects: how many numbered frames a second has, where no column has their time."""

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return ModelSource._short_form(value)  # type: ignore[operator]

    @model_validator(mode="after")
    def _one_source(self) -> DataSource:
        if (self.path is None) == (self.callable is None):
            raise ValueError("needs exactly one of path and callable")
        if self.gap is not None and self.time is None:
            raise ValueError("has gap, which goes with time")
        if self.frame_rate is not None and (self.time is not None or self.path is None):
            raise ValueError("has frame_rate, which goes with a file whose frames are numbered, and without time")
        return self

    @property
    def reading(self) -> dict[str, Any]:
        """Where rows come from and which columns mean what, as a reader of classes takes it."""
        said = self.model_dump(exclude={"rows", "block", FRAME_RATE, *KEPT, *OF_TASKS, *OF_SEQUENCES})
        return said | {"attributes": self.columns_of_rows} | self._no_labels

    @property
    def columns_of_rows(self) -> list[str]:
        """Attributes, and the columns that say which sequence a row is part of, and when it was."""
        return list(dict.fromkeys([*self.attributes, *(name for name in (self.sequence, self.time) if name)]))

    @property
    def identity(self) -> dict[str, Any]:
        """What tells how rows are read, beside the content of their file; what is not said is left out."""
        unsaid = (name for name in (*OF_TASKS, *OF_SEQUENCES, FRAME_RATE) if getattr(self, name) is None)
        aside = {"path", "rows", "block", *KEPT, *unsaid}
        stated = {} if self.block is None else {"block": self.block}
        rows = stated if self.rows == "independent" else {"rows": self.rows, "block": self.block}
        aside |= set() if self.types else {"types"}
        return self.model_dump(mode="json", exclude=aside) | rows | self._no_labels

    @property
    def reading_stated(self) -> frozenset[str]:
        """Keys that somebody wrote, even as null."""
        return frozenset(self.model_fields_set)

    @property
    def _no_labels(self) -> dict[str, Any]:
        """``labels: null`` says that there are none, whatever columns are called."""
        return {"labels": []} if "labels" in self.model_fields_set and not self.labels else {}


def _names_of_classes(given: Any) -> Any:
    """Whole numbers are names of classes too."""
    if not isinstance(given, list):
        return given
    return [str(name) if isinstance(name, int) and not isinstance(name, bool) else name for name in given]


class Tolerance(Part):
    """How large an error may be: relative to the truth, or a column with a limit for each row."""

    relative: Annotated[float, Field(gt=0)] | None = None
    column: Text | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Tolerance:
        if (self.relative is None) == (self.column is None):
            raise ValueError("needs exactly one of relative and column")
        return self


class Component(Part):
    """A learned component: its model, its data, its classes."""

    description: str = ""
    model: ModelSource | None = None
    """Left out where the data bring scores."""
    data: dict[Name, DataSource] = Field(min_length=1)
    """Data sets by name; ``test`` is the one evidence is computed on unless it says otherwise."""
    classes: Annotated[list[Text], BeforeValidator(_names_of_classes, json_schema_input_type=list[Text | int])] = Field(
        default=[]
    )
    """Names of the classes in the order of the scores; by default as the model or the labels have them."""
    task: Task = "classification"
    """What the component is to do: it says what a failure on demand is; with ``failed`` by default ``custom``."""
    tolerance: Annotated[float, Field(ge=0)] | Tolerance | None = None
    """Errors above this fail: in the unit of the truth, or ``{relative: 0.05}``, or ``{column: name}``."""
    largest_error: Positive | None = None
    """For ``regression``: no error can be larger; it makes losses of errors, which are at most 1."""
    compare: Text | None = None
    """For ``text``: ``exact``, ``numeric``, ``edit distance``, or ``module:name`` of a function that judges answers."""
    repeats: Annotated[int, Field(ge=1, le=1000)] = 1
    """For ``text``: how often the model answers each input."""
    iou: Annotated[float, Field(gt=0, le=1)] | None = None
    """For ``detection`` and ``segmentation``: the least overlap with the truth that is no failure; 0.5 by default."""
    score: Annotated[float, Field(ge=0)] | None = None
    """For ``detection`` and masks of objects: answers with a lower score do not count; 0.5 by default."""
    late: Annotated[int, Field(ge=0)] | None = None
    """For ``detection`` and masks of objects: one must be found within so many frames after it comes into view."""
    lost: Annotated[int, Field(ge=0)] | None = None
    """For ``detection`` and masks of objects: once found, one may be missing for so many frames in a row."""
    boundary: Annotated[int, Field(ge=1)] | None = None
    """For ``segmentation``: how many pixels an edge may be off; 2 by default."""
    ignore: Annotated[int, Field(ge=0)] | None = None
    """For ``segmentation``: the number in masks of pixels that do not count; 255 by default."""
    failed: Text | None = None
    """For ``custom``: the column that marks failures, or ``module:name`` of a function that does."""
    loss: Text | None = None
    """For ``custom``: a column of losses in [0, 1], or ``module:name`` of a function that gives them."""

    @model_validator(mode="before")
    @classmethod
    def _custom_by_marks(cls, value: Any) -> Any:
        """``failed`` alone says that failures are marked."""
        return {"task": "custom", **value} if isinstance(value, dict) and "failed" in value else value

    @property
    def classifies(self) -> bool:
        """Whether rows have one true class each."""
        return self.task == CLASSIFICATION

    @property
    def functions(self) -> dict[str, str]:
        """Functions of the project that judge answers, by key."""
        said = {key: getattr(self, key) for key in ("failed", "loss", "compare")}
        return {key: name for key, name in said.items() if name is not None and ":" in name}

    @property
    def code(self) -> tuple[str, ...]:
        """What of it runs code: functions of the project, and files that hold code, such as pickles."""
        model = self.model
        named = () if model is None else (model.callable, model.factory, model.detector and model.detector.decode)
        # A skops file may hold types of the project, where the project trusts them.
        holds_code = model and model.path and (model.trust or Path(model.path).suffix.lower() in PICKLED)
        file = (model.path,) if model and holds_code else ()
        return tuple(each for each in (*self.functions.values(), *named, *file) if each)

    @property
    def judging(self) -> dict[str, Any]:
        """The task and what it was told, as far as something was said."""
        version = {"meaning": MEANING_OF_TASK[self.task]} if self.task in MEANING_OF_TASK else {}
        return {"task": self.task} | version | self.model_dump(include=set(KEYS_OF_TASK[self.task]))

    @model_validator(mode="after")
    def _blocks_of_sequences(self) -> Component:
        for name, source in self.data.items():
            in_time = source.rows == "sequence" or source.sequence or source.time or self.task in OF_IMAGES
            if source.block is not None and not in_time:
                raise ValueError(f"has block in its data set {name}, which goes with rows: sequence")
        return self

    @model_validator(mode="after")
    def _keys_of_task(self) -> Component:
        every = {key: task for task, keys in KEYS_OF_TASK.items() for key in keys}
        for key in every:
            if key in self.model_fields_set and key not in KEYS_OF_TASK[self.task]:
                fitting = [task for task, keys in KEYS_OF_TASK.items() if key in keys]
                raise ValueError(f"has {key}, which goes with task: {' or '.join(fitting)}")
        for name, source in self.data.items():
            said = [key for key in OF_TASKS if getattr(source, key) is not None]
            if source.frame_rate is not None and self.task not in OF_IMAGES:
                raise ValueError(f"has frame_rate in its data set {name}, which goes with task: detection")
            if self.classifies and said:
                raise ValueError(
                    f"has {said[0]} in its data set {name}, which goes with a task other than classification: write "
                    "task: regression, multilabel, text, detection (boxes) or segmentation (masks); answers that are "
                    "classes or their scores go under scores"
                )
            if self.classifies and isinstance(source.labels, list):
                raise ValueError(f"has several labels in its data set {name}, which go with task: multilabel")
        return self

    @model_validator(mode="after")
    def _nothing_unread(self) -> Component:
        for name, source in self.data.items():
            unread = UNREAD.get(self.task, ("images",)) if source.path is not None or self.task not in UNREAD else ()
            said = next((key for key in unread if getattr(source, key) is not None), None)
            if said is not None:
                raise ValueError(f"has {said} in its data set {name}, which task: {self.task} does not read")
        if self.model is not None and self.model.detector is not None and self.task != "detection":
            raise ValueError("has a model with detector, which goes with task: detection")
        return self

    @model_validator(mode="after")
    def _names_differ(self) -> Component:
        all_differ(self.classes, "two classes called")
        if len(self.classes) == 1 and self.classifies:
            raise ValueError("has a single class; name all of them")
        if MODEL in self.data:
            raise ValueError(f"has a data set called {MODEL!r}, which is what results call the model")
        return self


# Targets: a limit that is stated, or that a principle of risk acceptance gives.


class ReferenceSource(Part):
    """What a principle compares with: events that were counted in so much exposure."""

    events: Annotated[int, Field(ge=0)]
    exposure: Annotated[float, Field(gt=0)]
    """In how much of ``per`` they were counted: so many hours, missions or demands."""
    per: Text = "hour"
    name: str = ""
    """Who or what it is, for example divers."""
    source: str = ""
    """Where the figures come from."""


class ExposureSource(Part):
    """How often the system is used, to convert a limit from one exposure to another."""

    demands_per_hour: Positive | None = None
    hours_per_mission: Positive | None = None
    demands_per_mission: Positive | None = None
    hours_per_year: Positive | None = None
    missions_per_year: Positive | None = None


class LimitSource(Part):
    """A limit, stated or given by a principle, and how surely it must be kept."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": [key]} for key in ("at_most", "at_least", "principle")]}
    )

    claim: str = ""
    """The claim in words; by default made from the numbers."""
    at_most: float | None = None
    at_least: float | None = None
    principle: Literal["alarp", "gale", "mem", "safer", "se"] | None = None
    """In place of a limit: the principle of risk acceptance that gives it."""
    reference: ReferenceSource | None = None
    """What the principle compares with."""
    factor: Positive | None = None
    """For ``safer``: so many times safer than the reference."""
    margin: Positive | None = None
    """For ``se``: so many times the reference still counts as equivalent."""
    harm: Literal["fatality", "severe injury", "light injury"] | None = None
    """For ``mem``: what the event does to a person; ``fatality`` by default."""
    share: Positive | None = None
    """For ``mem``: the share of natural mortality that one system may add."""
    mortality: Positive | None = None
    """For ``mem``: natural deaths a person and year."""
    group: Literal["public", "worker"] | None = None
    """For ``alarp``: who is exposed; ``public`` by default."""
    harm_probability: Annotated[float, Field(gt=0, le=1)] | None = None
    """For ``mem`` and ``alarp``: the probability that the event does the harm."""
    exposure: ExposureSource | None = None
    """Converts what the principle gives to ``per``."""
    level: Annotated[float, Field(gt=0, lt=1)] = 0.95
    per: Text = "demand"
    unit: str = ""
    """In place of ``per``: the unit of a quantity that is per nothing, such as ``m`` of an error."""
    source: str = ""
    """Where the target comes from: a standard, a hazard analysis, a contract."""
    kinds: list[Kind] = Field(default=list(DEFAULT_KINDS))
    """Kinds of bounds that count."""

    @model_validator(mode="after")
    def _one_limit(self) -> LimitSource:
        if sum(stated is not None for stated in (self.at_most, self.at_least, self.principle)) != 1:
            raise ValueError("needs exactly one of at_most, at_least and principle")
        if self.unit and (self.principle or "per" in self.model_fields_set):
            raise ValueError("unit is for limits without principle and per")
        return self

    @property
    def derivation(self) -> Derivation | None:
        """How the limit follows from its principle; None where it is stated."""
        return None if self.principle is None else derivation(self)

    @property
    def target(self) -> Target:
        """The target an estimate is compared with."""
        derivation = self.derivation
        if derivation is not None:
            return derivation.target
        return Target(
            self.at_most, self.at_least, self.level, self.per, self.source, kinds=tuple(self.kinds), unit=self.unit
        )


class TargetSource(LimitSource):
    """What is asked of a result."""

    estimate: Text
    """``step.quantity``, for example ``counted.failure probability``."""


# From what a project file says of a principle to the target that it gives.

CONVERSION = "exposure"
"""The key that every principle takes, beside its own."""


def derivation(source: LimitSource) -> Derivation:
    """The target of a principle with the steps that led to it; the source in the file is added to its own."""
    from surefoot.hazards.targets import derive

    found = derive(
        source.principle or "",
        **_said(source),
        exposure=exposure_of(source.exposure),
        per=source.per,
        level=source.level,
        kinds=tuple(source.kinds),
    )
    cited = "; ".join(filter(None, (found.target.source, source.source)))
    return replace(found, target=replace(found.target, source=cited))


def reference_of(source: ReferenceSource | None) -> Reference | None:
    """The reference, as far as it is one."""
    from surefoot.hazards.targets import Reference

    return None if source is None else Reference(**source.model_dump())


def exposure_of(source: ExposureSource | None) -> Exposure | None:
    """How often the system is used, as far as that can be."""
    from surefoot.hazards.targets import Exposure

    return None if source is None else Exposure(**source.model_dump())


def keys_of(principle: str) -> dict[str, bool]:
    """The keys that a principle takes, each with whether it needs it."""
    from surefoot.hazards.targets import PRINCIPLES

    options = inspect.signature(PRINCIPLES[principle]).parameters.values()
    return {each.name: each.default is each.empty for each in options if each.name != "terms"} | {CONVERSION: False}


def all_keys() -> dict[str, Mapping[str, bool]]:
    """The keys of every principle."""
    from surefoot.hazards.targets import PRINCIPLES

    return {principle: keys_of(principle) for principle in PRINCIPLES}


def _said(source: LimitSource) -> dict[str, Any]:
    own = {key: getattr(source, key) for key in keys_of(source.principle or "") if key != CONVERSION}
    return own if "reference" not in own else {**own, "reference": reference_of(source.reference)}
