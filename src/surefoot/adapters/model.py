"""A model behind one interface, whatever it was made with, and run over rows, batch by batch, into checked scores."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.answers import (
    OUTPUT,
    ROWS_AT_ONCE,
    Data,
    Output,
    Returned,
    as_answers,
    is_label,
    normalise,
    one_hot,
    put,
    score_type,
    settle,
)
from surefoot.adapters.frames import Frame, Kind, is_installed, unknown_categories
from surefoot.adapters.labels import Columns, agreed, as_text_column, check_order_known, numbered
from surefoot.adapters.project_code import explained
from surefoot.core import Diagnostic, DiagnosticsError, SurefootError, validate
from surefoot.core.errors import is_memory_error
from surefoot.documents import did_you_mean, listed, quoted

Takes = Literal["array", "pandas", "polars", "pyarrow"]
Form = Takes | Literal["either"]
Progress = Callable[[int, int], None]
Allocate = Callable[[tuple[int, int], Any], NDArray[Any]]
ONLY_NUMBERS = "The model takes numbers only: name columns of numbers under inputs."


@dataclass(frozen=True, eq=False)
class LoadedModel:
    """A function from a batch of inputs to scores or labels, and what is known of it.

    Parameters
    ----------
    function
        From a batch of inputs to what the model answers.
    name
        What messages call it.
    returns
        What the function returns; None where its answers must tell.
    usual
        What answers are that do not look like probabilities, where ``returns`` is None.
    classes
        Names of its columns.
    caveats
        What a reader must know.
    folder
        The project's folder, whose code errors point to.
    source
        The estimator or module behind the function, for methods that look inside.
    features
        Names of the columns of the frame that it was fitted on; empty where it was fitted on arrays.
    takes
        What the function takes: ``array``, or frames of a library; None where inputs are handed on as they are.
    columns
        Names of the columns of arrays that it is called with, so that they can become frames.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> model = sf.adapters.LoadedModel(lambda x: np.hstack([x, 1 - x]), classes=("car", "tree"))
    >>> model(np.array([[0.25]])).tolist()
    [[0.25, 0.75]]

    """

    function: Callable[[Any], Any]
    name: str = "model"
    returns: Returned | None = None
    """What the function returns; None where its answers must tell."""
    usual: Returned = "score"
    """What answers are that do not look like probabilities, where ``returns`` is None."""
    classes: tuple[str, ...] = ()
    caveats: tuple[Diagnostic, ...] = ()
    folder: Path | None = None
    source: Any = None
    """The estimator or module behind the function, for methods that look inside; None where there is none."""
    features: tuple[str, ...] = ()
    """Names of the columns of the frame that it was fitted on; empty where it was fitted on arrays."""
    takes: Takes | None = None
    """What the function takes: ``array``, or frames of a library; None where inputs are handed on as they are."""
    columns: tuple[str, ...] = ()
    """Names of the columns of arrays that it is called with, so that they can become frames."""

    @property
    def form(self) -> Form:
        """The form that inputs of a file are read in: frames for a model that was fitted on one."""
        fitted_on_arrays = hasattr(self.source, "n_features_in_")
        usual: Form = "array" if fitted_on_arrays and not self.features else "either"
        return self.takes or ("pandas" if self.features and is_installed("pandas") else usual)

    @property
    def output(self) -> Output:
        """What calling the model gives, as far as it is known before it was run."""
        return OUTPUT[self.returns or self.usual]

    def __call__(self, inputs: NDArray[Any] | Frame, /) -> NDArray[Any]:
        """A column of scores for each class, or the labels of a model that returns labels."""
        answers = self.answers(inputs)
        if is_label(answers, self.returns):
            return answers
        single = answers.ndim == 1
        scores = np.empty((len(answers), 2 if single else answers.shape[1]), score_type(answers, self.name))
        put(scores, answers)
        returns = settle(scores, single=single, returns=self.returns, usual=self.usual)
        normalise(scores, single=single, returns=returns, where=self.name)
        return scores

    def answers(self, inputs: NDArray[Any] | Frame) -> NDArray[Any]:
        """What the function returns for a copy of the inputs, checked and not changed otherwise."""
        with running(self.name, self.folder, inputs):
            value = self.function(self.own(inputs))
        return as_answers(value, rows=len(inputs), where=self.name)

    def own(self, inputs: NDArray[Any] | Frame) -> Any:
        """A copy of the inputs that the function may write into; arrays of named columns as a frame."""
        if isinstance(inputs, Frame):
            return inputs.copied()
        if not self.columns or inputs.ndim != 2 or inputs.shape[1] != len(self.columns):
            return np.array(inputs)
        kind: Kind = "pandas" if self.takes is None or self.takes == "array" else self.takes
        frame = Frame.of_matrix(inputs, self.columns, kind)
        return frame.select(self.features).native

    def on_columns(self, names: Sequence[str]) -> LoadedModel:
        """The model for callers that hold matrices of these columns, which must stand in the model's order.

        Where no name agrees, they are taken for the model's by their place, as ``prepared`` does, which says so.
        """
        if self.takes == "array" or not set(self.features) & set(names) or not is_installed("pandas"):
            return self
        if tuple(names) != self.features:
            text = f"a step hands the model the columns {listed(names)}, and it was fitted on {listed(self.features)}."
            hint = f"Write inputs: [{', '.join(self.features)}]."
            raise DiagnosticsError.of("data-column", text, where=self.name, hint=hint)
        return replace(self, columns=tuple(names))


def prepared(model: LoadedModel, data: Data) -> tuple[Data, tuple[Diagnostic, ...]]:
    """The rows with inputs in the form that the model takes, and what there is to say of that."""
    inputs = data.inputs
    named = isinstance(inputs, np.ndarray) and inputs.ndim == 2 and len(data.columns) == inputs.shape[1]
    by_name = model.features and model.takes != "array" and set(model.features) <= set(data.columns)
    if named and by_name and is_installed("pandas"):
        assert isinstance(inputs, np.ndarray)
        inputs = Frame.of_matrix(inputs, data.columns, "pandas")
    if not isinstance(inputs, Frame):
        return data, ()
    if model.takes == "array":
        return replace(data, inputs=inputs.matrix(hint=ONLY_NUMBERS)), ()
    said: list[Diagnostic] = []
    if model.features:
        inputs = _features_of(model, inputs, said)
    elif model.takes is None and model.source is not None and set(inputs.numeric) == set(inputs.names):
        # Fitted on arrays: names would be news to it.
        return replace(data, inputs=inputs.matrix()), ()
    if isinstance(inputs, Frame):
        inputs = inputs.as_kind(model.takes or _readable(model, inputs))
        if check := getattr(model.source, "check", None):
            check(inputs)
        said += unknown_categories(model.source, inputs, where=model.name)
    return replace(data, inputs=inputs), tuple(said)


def _readable(model: LoadedModel, frame: Frame) -> Kind:
    """Estimators read no tables of pyarrow, and lightgbm no categories but those of pandas."""
    lightgbm = type(model.source).__module__.partition(".")[0] == "lightgbm"
    foreign = frame.kind == "pyarrow" or (lightgbm and frame.kind == "polars")
    return "pandas" if model.features and foreign and is_installed("pandas") else frame.kind


def _features_of(model: LoadedModel, frame: Frame, said: list[Diagnostic]) -> Frame | NDArray[Any]:
    """The columns that the model was fitted on, in its order; by position only where no name agrees."""
    lacking = [name for name in model.features if name not in frame.names]
    if not lacking:
        aside = [name for name in frame.names if name not in model.features]
        if aside:
            text = f"The model was not fitted on the columns {listed(aside)}, and is not given them."
            said.append(Diagnostic("columns-aside", text, "note", model.name, "Name its columns under inputs."))
        return frame.select(model.features)
    by_place = len(lacking) == len(model.features) == len(frame.names) == len(frame.numeric)
    if by_place and model.takes is None:
        known, there = listed(model.features), listed(frame.names)
        text = f"The model was fitted on {known}; the columns {there} were taken for them by their place."
        said.append(Diagnostic("columns-by-place", text, "warning", model.name, "Give the columns the model's names."))
        return frame.matrix()
    count = f"{len(lacking)} of {len(model.features)} are missing; there are {listed(frame.names)}"
    text = f"the model was fitted on the column {quoted(lacking[0])}, which the inputs lack ({count})."
    hint = did_you_mean(lacking[0], frame.names) or "A column that is the label, a group or a score is no input."
    raise DiagnosticsError.of("data-column", text, where=model.name, hint=hint)


@dataclass(frozen=True)
class Growth:
    """How batches of a frame grow: to sixteen times the size, as long as that takes no longer than some seconds.

    Every batch costs a pipeline as much beside its rows as thousands of rows do.
    """

    largest: int = 1 << 18
    seconds: float = math.inf

    def after(self, size: int, took: float) -> int:
        """The size of the batch after one of a size that took so many seconds."""
        factor = 16
        while factor > 1 and factor * took > self.seconds:
            factor //= 2
        return min(factor * size, max(self.largest, size))


@dataclass(frozen=True, eq=False)
class Scored:
    """What the columns of scores are, and the scores themselves.

    See Also
    --------
    scored

    """

    output: Output
    classes: tuple[str, ...]
    caveats: tuple[Diagnostic, ...]
    scores: NDArray[Any]


@dataclass(frozen=True)
class ModelDescription:
    """What a model says of itself before anything is asked of it.

    See Also
    --------
    describe

    """

    classes: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    """Names of the columns that it was fitted on."""
    shape: tuple[int | None, ...] | None = None
    """Of a row of inputs; None stands for any length."""
    task: str | None = None
    """``classification`` or ``regression``, where it is plainly one of them."""
    outputs: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Of a detector: boxes, scores and labels, each with the name of the output that holds them."""

    @property
    def columns(self) -> int | None:
        """How many columns of a table it takes."""
        return self.shape[0] if self.shape is not None and len(self.shape) == 1 else None


@validate.arguments
def describe(model: LoadedModel) -> ModelDescription:
    """What a model says of itself: its classes, its columns, the shape of its inputs, its task.

    Parameters
    ----------
    model
        As ``as_model`` or ``load_model`` gives it.

    Returns
    -------
    ModelDescription
        What it does not say is left out.

    Examples
    --------
    >>> import surefoot as sf
    >>> from sklearn.linear_model import LogisticRegression
    >>> model = sf.adapters.as_model(LogisticRegression().fit([[0.0], [1.0]], ["car", "tree"]))
    >>> sf.adapters.describe(model)
    ModelDescription(classes=('car', 'tree'), features=(), shape=(1,), task='classification')

    """
    source = model.source
    outputs = tuple(getattr(source, "outputs_taken", ()))
    shape = _shape_of(source) or ((len(model.features),) if model.features else None)
    return ModelDescription(model.classes, model.features, shape, _task_of(model), outputs)


def _shape_of(source: Any) -> tuple[int | None, ...] | None:
    """Of an estimator, of a graph, or of a module that begins with a dense layer."""
    columns = getattr(source, "n_features_in_", None)
    if isinstance(columns, int):
        return (columns,)
    taken = getattr(source, "taken", None)
    if taken is not None:
        return tuple(size if isinstance(size, int) else None for size in taken.shape[1:])
    layers = source.modules() if callable(getattr(source, "modules", None)) else ()
    first = next((layer for layer in layers if next(layer.parameters(recurse=False), None) is not None), None)
    width = getattr(first, "in_features", None)
    return None if width is None else (int(width),)


def _task_of(model: LoadedModel) -> str | None:
    source = model.source
    if model.classes:
        return "classification"
    kind = getattr(source, "_estimator_type", None)
    tags = getattr(source, "__sklearn_tags__", None)
    if kind is None and callable(tags):
        kind = getattr(tags(), "estimator_type", None)
    return {"regressor": "regression", "classifier": "classification"}.get(str(kind))


@validate.arguments
def score(model: LoadedModel, data: Data, *, batch_size: int, progress: Progress | None = None) -> NDArray[Any]:
    """Scores of all rows, one column a class; ``scored`` also says what they are.

    Parameters
    ----------
    model, data
        What runs, and on which inputs.
    batch_size
        How many rows the model gets at a time.
    progress
        Called with the number of rows that are done, and of all.

    Returns
    -------
    ndarray
        One row a row of the data.

    Examples
    --------
    >>> import surefoot as sf
    >>> model = sf.adapters.as_model(lambda x: (x[:, 0] > 0.5).astype(int))
    >>> data = sf.adapters.as_data(([[0.1], [0.9]], [0, 1]))
    >>> sf.adapters.score(model, data, batch_size=32).tolist()
    [[1.0, 0.0], [0.0, 1.0]]

    """
    return scored(model, data, batch_size=batch_size, progress=progress).scores


@validate.arguments
def scored(
    model: LoadedModel,
    data: Data,
    *,
    batch_size: int,
    progress: Progress | None = None,
    allocate: Allocate = np.empty,
    growth: Growth | None = None,
) -> Scored:
    """Run a model over all inputs.

    Labels become ones among zeros, logits become probabilities; columns come in the order of the data's
    classes, or of the model's where it knows more.

    Parameters
    ----------
    model, data
        What runs, and on which inputs.
    batch_size
        How many rows the model gets at a time.
    progress
        Called with the number of rows that are done, and of all.
    allocate
        Makes the array that is filled.
    growth
        Lets batches of a frame grow; by default they stay as large as the first.

    Returns
    -------
    Scored
        Scores, what they are, and the names of their columns.

    Examples
    --------
    >>> import surefoot as sf
    >>> model = sf.adapters.as_model(lambda x: (x[:, 0] > 0.5).astype(int))
    >>> found = sf.adapters.scored(model, sf.adapters.as_data(([[0.1], [0.9]], [0, 1])), batch_size=32)
    >>> found.output, found.classes
    ('label', ('0', '1'))

    """
    data, said = prepared(model, data)
    batches = answers_of(model, data, batch_size, progress, growth=growth)
    first = next(batches)
    model = replace(model, caveats=tuple(dict.fromkeys((*model.caveats, *said))))
    if is_label(first, model.returns):
        return _labelled(np.concatenate([first, *batches]), model, data, allocate)
    single = first.ndim == 1
    scores = allocate((len(data), 2 if single else first.shape[1]), score_type(first, model.name))
    _fill(scores, chain([first], batches), first, model.name)
    returns = settle(scores, single=single, returns=model.returns, usual=model.usual)
    normalise(scores, single=single, returns=returns, where=model.name)
    columns = agreed(data.classes, model.classes, scores.shape[1], where=model.name)
    check_order_known(data.classes, model.classes, listed_before=data.classes_listed, where=model.name)
    _reorder(scores, columns)
    return Scored(OUTPUT[returns], columns.classes, model.caveats, scores)


def answers_of(
    model: LoadedModel,
    data: Data,
    batch_size: int,
    progress: Progress | None,
    ask: Callable[[Any], Any] | None = None,
    growth: Growth | None = None,
) -> Iterator[Any]:
    """What the model answers, batch by batch; ``ask`` checks answers of another form than an array of numbers."""
    size = validate.count(batch_size, where="score", name="batch_size", at_least=1)
    if data.inputs is None or not len(data.inputs):
        text = "the data have no inputs for the model."
        raise DiagnosticsError.of("data-column", text, where=model.name, hint="Name the columns under inputs.")
    total, done = len(data.inputs), 0
    grows = isinstance(data.inputs, Frame)
    while done < total:
        begun = time.monotonic()
        with _telling_oddities(data.inputs):
            answers = (ask or model.answers)(data.inputs[done : done + size])
        took, done = time.monotonic() - begun, min(done + size, total)
        if growth is not None and grows:
            size = growth.after(size, took)
        yield answers
        if progress:
            progress(done, total)


def _fill(scores: NDArray[Any], batches: Iterable[NDArray[Any]], first: NDArray[Any], where: str) -> None:
    done = 0
    for answers in batches:
        if answers.shape[1:] != first.shape[1:] or answers.dtype.kind == "U":
            text = f"the model returned {first.shape[1:]} values a row at first, and {answers.shape[1:]} later."
            raise DiagnosticsError.of("model-output", text, where=where)
        put(scores[done : done + len(answers)], answers)
        done += len(answers)


def _labelled(labels: NDArray[Any], model: LoadedModel, data: Data, allocate: Allocate) -> Scored:
    answers = as_text_column(labels, where=model.name)
    names = model.classes or answers.names
    check_order_known(data.classes, names, listed_before=data.classes_listed, where=model.name)
    found = numbered(answers, model.classes or data.classes, where=model.name, code="model-output")
    scores = one_hot(found.numbers, allocate((len(labels), len(found.classes)), np.dtype(np.float32)))
    columns = agreed(data.classes, found.classes, scores.shape[1], where=model.name)
    _reorder(scores, columns)
    return Scored("label", columns.classes, model.caveats, scores)


def _reorder(scores: NDArray[Any], columns: Columns) -> None:
    if columns.moved:
        for start in range(0, len(scores), ROWS_AT_ONCE):
            part = scores[start : start + ROWS_AT_ONCE]
            part[:] = part[:, list(columns.order)]


@contextmanager
def running(name: str, folder: Path | None, inputs: Any = None) -> Iterator[None]:
    """Say which model raised what, and where in the user's code; of a frame what about it may be the cause."""
    try:
        yield
    except SurefootError:
        raise
    except (Exception, SystemExit) as error:
        if is_memory_error(error):
            raise DiagnosticsError.out_of_memory(error, "while the model ran", where=name) from error
        text = f"the model raised {explained(error, folder)}."
        raise DiagnosticsError.of("model-raised", text, where=name, hint=_about(inputs)) from error


@contextmanager
def _telling_oddities(inputs: Any) -> Iterator[None]:
    """Where a model raises on a frame: which cells of it look as if they were the cause."""
    try:
        yield
    except DiagnosticsError as error:
        if not isinstance(inputs, Frame) or error.diagnostics[0].code != "model-raised":
            raise
        DiagnosticsError.raise_if_any([*error.diagnostics, *(replace(o, severity="error") for o in inputs.oddities())])


def _about(inputs: Any) -> str:
    """What a model was given, where that is a frame."""
    if not isinstance(inputs, Frame):
        return ""
    odd = [name for name in inputs.names if name not in inputs.numeric]
    empty = [name for name in inputs.names if inputs.missing(name).any()]
    parts = [
        f"no numbers in {listed(odd)}" if odd else "",
        f"no value in some rows of {listed(empty)}" if empty else "",
    ]
    about = " and ".join(part for part in parts if part)
    given = f"It was given a frame of {inputs.kind}{' with ' + about if about else ''}."
    return f"{given} takes: says what the model takes: array, pandas, polars or pyarrow."


@contextmanager
def loading(name: str, folder: Path | None) -> Iterator[None]:
    """Say which model could not be loaded, and why."""
    try:
        yield
    except SurefootError:
        raise
    except (Exception, SystemExit) as error:
        text = f"the model could not be loaded: {explained(error, folder)}."
        raise DiagnosticsError.of("model-unreadable", text, where=name) from error


def fitted(inputs: NDArray[Any], shape: Sequence[int | None], *, where: str) -> NDArray[Any]:
    """Inputs with rows of ``shape``; axes of length 1 are added or removed, nothing else."""
    found = inputs.shape[1:]
    fits = len(found) == len(shape) and all(want in (None, have) for want, have in zip(shape, found, strict=True))
    if fits or not shape:
        return inputs
    if None not in shape and [n for n in shape if n != 1] == [n for n in found if n != 1]:
        return inputs.reshape(len(inputs), *(n for n in shape if n is not None))
    wanted = ", ".join("any" if n is None else str(n) for n in shape)
    text = f"the model takes rows of shape ({wanted}), and the data have rows of shape {found}."
    raise DiagnosticsError.of("data-type", text, where=where)


def cast(inputs: NDArray[Any], dtype: Any, *, where: str) -> NDArray[Any]:
    """Inputs in the model's type; numbers that do not fit are refused."""
    if inputs.dtype.kind not in "biuf":
        raise DiagnosticsError.of("data-type", f"the model takes numbers; found {inputs.dtype}.", where=where)
    with np.errstate(over="ignore", invalid="ignore"):
        changed = inputs.astype(dtype, copy=False)
    if _lost(inputs, changed):
        text = f"the model takes {np.dtype(dtype)}, and some inputs ({inputs.dtype}) do not fit into it."
        raise DiagnosticsError.of("data-type", text, where=where)
    return changed


def _lost(before: NDArray[Any], after: NDArray[Any]) -> bool:
    if after.dtype.kind == "f":
        return bool(before.dtype.kind == "f" and np.isinf(after).any())
    return bool(after.dtype != before.dtype and (after != before).any())


def in_batches_of(
    size: int | None, function: Callable[[NDArray[Any]], NDArray[Any]]
) -> Callable[[NDArray[Any]], NDArray[Any]]:
    """Run a function that takes ``size`` rows at a time; the last rows are filled up by repetition."""

    def run(inputs: NDArray[Any]) -> NDArray[Any]:
        if size is None:
            return function(inputs)
        count = math.ceil(len(inputs) / size)
        padding = np.repeat(inputs[-1:], count * size - len(inputs), axis=0)
        parts = np.split(np.concatenate([inputs, padding]), count)
        return np.concatenate([function(part) for part in parts])[: len(inputs)]

    return run
