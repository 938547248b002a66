"""Demands of tasks that are no classification: columns that are judged, and what models answer to them.

Truth, predictions, marks and tolerances are columns of the data beside the inputs, read as they are. What a model
answers is kept as it is too: a number or a text for each row, several of them, or boxes, which become one row a box.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.answers import Data
from surefoot.adapters.array_data import Arrays, arrays_digest, from_code, from_object
from surefoot.adapters.column_roles import StatedRoles, check_lengths, check_usable, read_rows
from surefoot.adapters.data_sources import reader_of
from surefoot.adapters.frames import Frame, FrameTable, is_frame
from surefoot.adapters.labels import TextColumn
from surefoot.adapters.model import Growth, LoadedModel, Progress, Scored, answers_of, prepared, running
from surefoot.adapters.project_code import explained, locate_file
from surefoot.adapters.scenes.boxes import as_box_rows
from surefoot.core import Diagnostic, DiagnosticsError, InvalidInput, SurefootError, validate
from surefoot.documents import did_you_mean, printable, quoted

Form = Literal["values", "boxes", "masks"]
Source = Any

# Columns that a task judges.


@validate.arguments
def demand_source(
    *,
    path: str | None = None,
    callable: str | None = None,
    folder: Path,
    arrays: Arrays | FrameTable | None = None,
    given: Any = None,
) -> Source:
    """Named columns, opened: a file, what code returned, or an object in memory.

    Parameters
    ----------
    path, callable, folder, arrays
        As for ``load_data``.
    given
        An object in memory in their place: a frame, a mapping of arrays, or (inputs, labels).

    Returns
    -------
    Source
        With ``names``, ``where`` and ``read``.

    Examples
    --------
    >>> from pathlib import Path
    >>> import surefoot as sf
    >>> sf.adapters.demand_source(given={"failed": [0, 1]}, folder=Path()).names
    ('failed',)

    """
    if given is not None:
        return given if isinstance(given, Arrays | FrameTable) else from_object(_plain(given), where="data")
    if callable is not None:
        return arrays or from_code(callable, Path(folder))
    return reader_of(locate_file(path or "", Path(folder), what="data"), printable(path))


@validate.arguments
def judged_columns(source: Source, names: Mapping[str, Sequence[str]]) -> dict[str, list[NDArray[Any]]]:
    """The columns of each part, such as the truth and the predictions, as numbers or text.

    Parameters
    ----------
    source
        As ``demand_source`` gives it.
    names
        For each part its columns.

    Returns
    -------
    dict
        For each part its columns, all of one length.

    Raises
    ------
    DiagnosticsError
        Where a column is not there, or holds what is neither finite numbers nor text.

    Examples
    --------
    >>> import surefoot as sf
    >>> arrays = sf.adapters.Arrays({"price": [1.5, 2.5]}, "data")
    >>> sf.adapters.judged_columns(arrays, {"labels": ["price"]})["labels"][0].tolist()
    [1.5, 2.5]

    """
    if not all(hasattr(source, name) for name in ("names", "where", "read")) or isinstance(source, type):
        raise InvalidInput(
            "needs a source of columns, such as Arrays", where="judged_columns", found=validate.shown(source)
        )
    every = list(dict.fromkeys(name for part in names.values() for name in part))
    DiagnosticsError.raise_if_any(
        Diagnostic(
            "data-column", f"there is no {quoted(name)}.", "error", source.where, did_you_mean(name, source.names)
        )
        for name in every
        if name not in source.names
    )
    columns = source.read(every)
    for name, column in columns.items():
        check_usable(name, column, where=source.where)
    if columns:
        check_lengths(columns, where=source.where)
    return {part: [_texts_or_numbers(columns[name]) for name in listed] for part, listed in names.items()}


@validate.arguments
def demand_rows(
    given: Any,
    *,
    inputs: str | Sequence[str] | None,
    groups: str | None,
    attributes: Sequence[str],
    judged: Sequence[str],
) -> Data:
    """Rows in memory without what is judged: inputs, groups and attributes.

    Parameters
    ----------
    given
        A frame, a mapping of arrays, or (inputs, labels).
    inputs, groups, attributes
        Names of columns.
    judged
        Names of columns that are judged.

    Returns
    -------
    Data
        Without labels.

    Examples
    --------
    >>> import surefoot as sf
    >>> rows = sf.adapters.demand_rows(([[1.0], [2.0]], [0.5, 0.7]), inputs=None, groups=None, attributes=(),
    ...                                judged=("labels",))
    >>> rows.inputs.tolist(), rows.labels
    ([[1.0], [2.0]], None)

    """
    arrays = given if isinstance(given, Arrays | FrameTable) else from_object(_plain(given), where="data")
    if isinstance(arrays, FrameTable):
        wanted = StatedRoles(inputs, None, None, None, groups, tuple(attributes), tuple(judged))
        return read_rows(arrays, wanted, classes=(), digest=arrays_digest(arrays), with_inputs=True)
    usual = "inputs" if inputs is None and "inputs" in arrays.names else inputs
    wanted = StatedRoles(usual, None, None, None, groups, tuple(attributes), tuple(judged))
    kept = {name: arrays.arrays[name] for name in arrays.names}
    digest = arrays_digest(Arrays(_as_columns(kept), arrays.where))
    return read_rows(arrays, wanted, classes=(), digest=digest, with_inputs=usual is not None)


def _plain(given: Any) -> Any:
    """A mapping without what only classification knows."""
    return {k: v for k, v in given.items() if k not in ("output", "classes")} if isinstance(given, Mapping) else given


def _as_columns(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Truth values of numpy as numbers; everything else as it is."""
    return {name: np.asarray(value) if isinstance(value, list | tuple) else value for name, value in arrays.items()}


def _texts_or_numbers(column: NDArray[Any] | TextColumn) -> NDArray[Any]:
    if isinstance(column, TextColumn):
        return column.texts()
    if column.dtype.kind == "S":
        return np.char.decode(column, "utf-8", "backslashreplace")
    return column[:, 0] if column.ndim == 2 and column.shape[1] == 1 else column


# What models answer, and what functions of the project say of it.


@validate.arguments
def predicted(
    model: LoadedModel,
    data: Data,
    *,
    batch_size: int,
    form: Form = "values",
    repeats: int = 1,
    progress: Progress | None = None,
    growth: Growth | None = None,
) -> Scored:
    """What a model answers to all inputs, as it is.

    Parameters
    ----------
    model, data
        What runs, and on which inputs.
    batch_size
        How many rows the model gets at a time.
    form
        ``values``: a number or a text for each row, or as many columns; ``boxes``: for each row boxes with scores and
        labels, as a mapping or an object with these parts, which become one row a box; ``masks``: for each row a class
        number a pixel, or scores of classes x height x width.
    repeats
        How often each input is answered; each time gives a column of its own.
    progress
        Called with the number of rows that are done, and of all.
    growth
        Lets batches of a frame grow; by default they stay as large as the first.

    Returns
    -------
    Scored
        What it answered, in the place of scores.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> model = sf.adapters.as_model(lambda x: x[:, 0] ** 2)
    >>> data = sf.adapters.as_data({"inputs": [[2.0], [3.0]]})
    >>> sf.adapters.predicted(model, data, batch_size=32).scores.tolist()
    [4.0, 9.0]

    """
    data, said = prepared(model, data)
    if form == "boxes":
        answers: NDArray[Any] = _boxes(model, data, batch_size, progress)
    elif form == "masks":
        answers = _masks(model, data, batch_size, progress)
    else:
        batches = (answers_of(model, data, batch_size, progress, growth=growth) for _ in range(repeats))
        runs = [np.concatenate([*answers]) for answers in batches]
        if repeats > 1 and any(run.ndim != 1 for run in runs):
            text = f"the model returned an array of shape {runs[0].shape}, and repeats: takes one answer a row."
            raise DiagnosticsError.of("model-output", text, where=model.name)
        answers = runs[0] if repeats == 1 else np.column_stack(runs)
    known = model.classes if form == "boxes" else ()
    return Scored("label", known, tuple(dict.fromkeys((*model.caveats, *said))), answers)


def applied(function: Callable[..., Any], columns: Mapping[str, NDArray[Any]], *, where: str) -> NDArray[Any]:
    """What a function of the project says of each row.

    Parameters
    ----------
    function
        Takes some of the columns by name, as whole arrays, or all of them with ``**columns``.
    columns
        By name.
    where
        What messages call the function.

    Returns
    -------
    ndarray
        One value for each row.

    Raises
    ------
    DiagnosticsError
        Where it raises, takes what is not there, or does not return one value a row.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> columns = {"labels": np.array([1.0, 2.0]), "predictions": np.array([1.0, 3.0])}
    >>> sf.adapters.applied(lambda labels, predictions: labels != predictions, columns, where="judge").tolist()
    [False, True]

    """
    if not callable(function):
        raise DiagnosticsError.of("judge-function", f"{printable(where)} is no function.", where=printable(where))
    taken = _taken(function, columns, where)
    try:
        value = np.asarray(function(**taken))
    except SurefootError:
        raise
    except (Exception, SystemExit) as error:
        text = f"the function raised {explained(error)}."
        raise DiagnosticsError.of("judge-function", text, where=printable(where)) from error
    rows = len(next(iter(columns.values())))
    if value.shape != (rows,) or value.dtype.kind not in "biuf" or not np.isfinite(value.astype(float)).all():
        text = f"the function returned an array of shape {value.shape} of {value.dtype} for {rows} rows."
        hint = "It must return one truth value or one finite number for each row."
        raise DiagnosticsError.of("judge-function", text, where=printable(where), hint=hint)
    return value


def _taken(function: Callable[..., Any], columns: Mapping[str, NDArray[Any]], where: str) -> dict[str, NDArray[Any]]:
    """The columns that a function asks for by the names of its parameters."""
    parameters = inspect.signature(function).parameters.values()
    if any(each.kind is each.VAR_KEYWORD for each in parameters):
        return {name: _own(column) for name, column in columns.items()}
    wanted = [each for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    lacking = [each.name for each in wanted if each.name not in columns and each.default is each.empty]
    if lacking:
        text = f"the function takes {quoted(lacking[0])}, and there are the columns {', '.join(columns)}."
        hint = did_you_mean(lacking[0], columns) or "Add the column to attributes of the data set."
        raise DiagnosticsError.of("judge-function", text, where=printable(where), hint=hint)
    return {each.name: _own(columns[each.name]) for each in wanted if each.name in columns}


def _own(column: Any) -> Any:
    """A copy that a function may write into; frames stay frames."""
    return Frame(column).copied() if is_frame(column) else np.array(column)


# Boxes that detectors answer.

IMAGES_AT_ONCE = 16
"""A detector gets no more pictures at a time, because they are large."""


def _boxes(model: LoadedModel, data: Data, batch_size: int, progress: Progress | None) -> NDArray[np.float64]:
    def ask(inputs: NDArray[Any] | Frame) -> list[Any]:
        with running(model.name, model.folder, inputs):
            found = list(model.function(model.own(inputs)))
        if len(found) != len(inputs):
            text = f"the model returned boxes of {len(found)} images for {len(inputs)} images."
            raise DiagnosticsError.of("model-output", text, where=model.name)
        return found

    batches: Iterable[list[Any]] = answers_of(model, data, min(batch_size, IMAGES_AT_ONCE), progress, ask)
    return as_box_rows((each for batch in batches for each in batch), where=model.name)


def _masks(model: LoadedModel, data: Data, batch_size: int, progress: Progress | None) -> NDArray[Any]:
    """A class number for each pixel: as answered, or that of the largest score."""

    def ask(inputs: NDArray[Any]) -> NDArray[Any]:
        with running(model.name, model.folder):
            found = model.function(np.array(inputs))
        try:
            masks = np.asarray(found.detach().cpu().numpy() if hasattr(found, "detach") else found)
        except ValueError as error:
            raise _no_masks(f"what is no array: {explained(error)}", model.name) from error
        if masks.ndim == 4 and len(masks) == len(inputs):
            masks = masks.argmax(axis=1)
        if masks.ndim != 3 or len(masks) != len(inputs) or masks.dtype.kind not in "biuf":
            raise _no_masks(f"an array of shape {masks.shape} for {len(inputs)} images", model.name)
        return masks

    batches: Iterable[NDArray[Any]] = answers_of(model, data, min(batch_size, IMAGES_AT_ONCE), progress, ask)
    parts = [*batches]
    shapes = sorted({part.shape[1:] for part in parts})
    if len(shapes) > 1:
        raise _no_masks(f"masks of several shapes, such as {shapes[0]} and {shapes[1]}", model.name)
    return np.concatenate(parts)


def _no_masks(found: str, where: str) -> DiagnosticsError:
    hint = "It must return a class number a pixel (rows x height x width), or scores (rows x classes x height x width)."
    return DiagnosticsError.of("model-output", f"the model returned {found}.", where=where, hint=hint)
