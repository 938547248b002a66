"""Run a model over rows, batch by batch, into one checked array of scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.classes import as_coded, numbered
from surefoot.adapters.columns import Columns, agreed, check_order_known
from surefoot.adapters.model import LoadedModel
from surefoot.adapters.outputs import OUTPUT, is_label, normalise, one_hot, put, score_type, settle
from surefoot.adapters.tested import Data, Output
from surefoot.core import Diagnostic, DiagnosticsError, validate

Progress = Callable[[int, int], None]
Allocate = Callable[[tuple[int, int], Any], NDArray[Any]]
CHUNK = 1 << 16


@dataclass(frozen=True, eq=False)
class Scored:
    """What the columns of scores are, and the scores themselves."""

    output: Output
    classes: tuple[str, ...]
    caveats: tuple[Diagnostic, ...]
    scores: NDArray[Any]


def score(model: LoadedModel, data: Data, *, batch_size: int, progress: Progress | None = None) -> NDArray[Any]:
    """Scores of all rows, one column a class; ``scored`` also says what they are."""
    return scored(model, data, batch_size=batch_size, progress=progress).scores


def scored(
    model: LoadedModel,
    data: Data,
    *,
    batch_size: int,
    progress: Progress | None = None,
    allocate: Allocate = np.empty,
) -> Scored:
    """Run the model over all inputs.

    Labels become ones among zeros, logits become probabilities; columns come in the order of the data's
    classes, or of the model's where it knows more. ``allocate`` makes the array that is filled.
    """
    batches = _answers(model, data, batch_size, progress)
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


def _answers(model: LoadedModel, data: Data, batch_size: int, progress: Progress | None) -> Iterator[NDArray[Any]]:
    size = validate.count(batch_size, where="score", name="batch_size", at_least=1)
    if data.inputs is None or not len(data.inputs):
        text = "the data have no inputs for the model."
        raise DiagnosticsError.of("data-column", text, where=model.name, hint="Name the columns under inputs.")
    total = len(data.inputs)
    for start in range(0, total, size):
        yield model.answers(data.inputs[start : start + size])
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
    answers = as_coded(labels, where=model.name)
    names = model.classes or answers.names
    check_order_known(data.classes, names, listed_before=data.classes_listed, where=model.name)
    found = numbered(answers, model.classes or data.classes, where=model.name, code="model-output")
    scores = one_hot(found.numbers, allocate((len(labels), len(found.classes)), np.dtype(np.float32)))
    columns = agreed(data.classes, found.classes, scores.shape[1], where=model.name)
    _reorder(scores, columns)
    return Scored("label", columns.classes, model.caveats, scores)


def _reorder(scores: NDArray[Any], columns: Columns) -> None:
    if columns.moved:
        for start in range(0, len(scores), CHUNK):
            scores[start : start + CHUNK] = scores[start : start + CHUNK, list(columns.order)]
