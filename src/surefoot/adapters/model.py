"""A model behind one interface, whatever it was made with, and run over rows, batch by batch, into checked scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

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
from surefoot.adapters.labels import Columns, agreed, as_text_column, check_order_known, numbered
from surefoot.adapters.project_code import explained
from surefoot.core import Diagnostic, DiagnosticsError, SurefootError, validate

Progress = Callable[[int, int], None]
Allocate = Callable[[tuple[int, int], Any], NDArray[Any]]


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

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> model = sf.adapters.LoadedModel(lambda x: np.hstack([x, 1 - x]), classes=("car", "tree"))
    >>> model(np.array([[0.25]])).tolist()
    [[0.25, 0.75]]

    """

    function: Callable[[NDArray[Any]], Any]
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

    @property
    def output(self) -> Output:
        """What calling the model gives, as far as it is known before it was run."""
        return OUTPUT[self.returns or self.usual]

    def __call__(self, inputs: NDArray[Any], /) -> NDArray[Any]:
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

    def answers(self, inputs: NDArray[Any]) -> NDArray[Any]:
        """What the function returns for a copy of the inputs, checked and not changed otherwise."""
        with running(self.name, self.folder):
            value = self.function(np.array(inputs))
        return as_answers(value, rows=len(inputs), where=self.name)


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

    @property
    def columns(self) -> int | None:
        """How many columns of a table it takes."""
        return self.shape[0] if self.shape is not None and len(self.shape) == 1 else None


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
    features = tuple(map(str, getattr(source, "feature_names_in_", ())))
    return ModelDescription(model.classes, features, _shape_of(source), _task_of(model))


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


def scored(
    model: LoadedModel,
    data: Data,
    *,
    batch_size: int,
    progress: Progress | None = None,
    allocate: Allocate = np.empty,
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
    batches = answers_of(model, data, batch_size, progress)
    first = next(batches)
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
    ask: Callable[[NDArray[Any]], Any] | None = None,
) -> Iterator[Any]:
    """What the model answers, batch by batch; ``ask`` checks answers of another form than an array of numbers."""
    size = validate.count(batch_size, where="score", name="batch_size", at_least=1)
    if data.inputs is None or not len(data.inputs):
        text = "the data have no inputs for the model."
        raise DiagnosticsError.of("data-column", text, where=model.name, hint="Name the columns under inputs.")
    total = len(data.inputs)
    for start in range(0, total, size):
        yield (ask or model.answers)(data.inputs[start : start + size])
        if progress:
            progress(min(start + size, total), total)


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
def running(name: str, folder: Path | None) -> Iterator[None]:
    """Say which model raised what, and where in the user's code."""
    try:
        yield
    except SurefootError:
        raise
    except (Exception, SystemExit) as error:
        text = f"the model raised {explained(error, folder)}."
        raise DiagnosticsError.of("model-raised", text, where=name) from error


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
