"""From columns of a stream to rows that can be used; what cannot is named and left out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.classes import numbered
from surefoot.core import DiagnosticsError
from surefoot.documents import quoted
from surefoot.project.conditions import as_text
from surefoot.project.watch.answering import Reference
from surefoot.project.watch.chunk import Chunk, Column, Problem
from surefoot.project.watch.folder import CLASS, IMAGE
from surefoot.project.watch.layout import Layout
from surefoot.project.watch.values import Wrong, as_type, numbers, shaped, texts

UNKNOWN, WRONG = -1, -2
MOST_LABELS = 100_000


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows that can be used, and those that cannot."""

    rows: NDArray[Any]
    labels: NDArray[np.int64] | None
    """Numbers of classes, -1 where a label is not known; None where the stream has no labels."""
    attributes: Mapping[str, NDArray[Any]]
    offsets: NDArray[np.int64]
    problems: tuple[Problem, ...]


@dataclass
class Cleaner:
    """Knows what rows of a stream must look like: as the reference of the component."""

    layout: Layout
    reference: Reference
    _known: dict[str, int] = field(default_factory=dict)

    def __call__(self, chunk: Chunk) -> Batch:
        """The rows of a chunk that can be used."""
        if not chunk.columns:
            return Batch(np.empty(0), None, {}, np.empty(0, np.int64), chunk.problems)
        names = list(chunk.columns)
        size = len(chunk.offsets)
        wrong: Wrong = {}
        rows = self._rows(chunk, wrong)
        label = CLASS if IMAGE in names else self.layout.label_column(names)
        labels = None if label is None or label not in names else self._labels(chunk.columns[label], wrong)
        attributes = {
            name: self._attribute(name, chunk.columns[name], wrong) for name in self.layout.attributes if name in names
        }
        kept = np.array([row for row in range(size) if row not in wrong], dtype=np.intp)
        problems = [Problem(chunk.offsets[row], chunk.place_of(row), text) for row, text in sorted(wrong.items())]
        return Batch(
            rows[kept],
            None if labels is None else labels[kept],
            {name: column[kept] for name, column in attributes.items()},
            np.asarray(chunk.offsets, dtype=np.int64)[kept],
            tuple(sorted((*chunk.problems, *problems), key=lambda problem: problem.offset)),
        )

    def _rows(self, chunk: Chunk, wrong: Wrong) -> NDArray[Any]:
        """Inputs, or scores where the component has no model."""
        names = list(chunk.columns)
        if self.reference.model is None:
            return self._scores(chunk, names, wrong)
        assert self.reference.inputs is not None, "a model has inputs"
        columns = (IMAGE,) if IMAGE in names else self.layout.input_columns(names, where=chunk.where)
        like = self.reference.inputs
        if like.dtype.kind not in "biuf":
            return texts(columns[0], chunk.columns[columns[0]], wrong)
        shape, wide = like.shape[1:], math.prod(like.shape[1:])
        if len(columns) == 1 and (wide > 1 or len(shape) != 1):
            return shaped(columns[0], chunk.columns[columns[0]], shape, like.dtype, wrong)
        if len(columns) != wide:
            text = f"the stream has {len(columns)} columns that could be inputs, and the model takes {wide}."
            hint = "Name the columns under inputs, and others under groups or attributes."
            raise DiagnosticsError.of("watch-stream", text, where=chunk.where, hint=hint)
        stacked = np.column_stack([numbers(name, chunk.columns[name], wrong) for name in columns])
        return as_type(stacked, like.dtype).reshape(len(stacked), *shape)

    def _scores(self, chunk: Chunk, names: list[str], wrong: Wrong) -> NDArray[Any]:
        missing = [name for name in self.layout.scores if name not in names]
        if missing or not self.layout.scores:
            text = f"the component has no model, and the stream no column {', '.join(missing) or 'of scores'}."
            raise DiagnosticsError.of("watch-stream", text, where=chunk.where)
        if self.reference.output == "label":
            return texts(self.layout.scores[0], chunk.columns[self.layout.scores[0]], wrong)
        if len(self.layout.scores) == 1:
            column = chunk.columns[self.layout.scores[0]]
            first = np.asarray(column[0], dtype=object) if len(column) else np.empty(0)
            if np.ndim(first) or isinstance(column[0], list | tuple):
                shape = (len(self.reference.classes),)
                return shaped(self.layout.scores[0], column, shape, np.dtype(float), wrong)
            return numbers(self.layout.scores[0], column, wrong)
        return np.column_stack([numbers(name, chunk.columns[name], wrong) for name in self.layout.scores])

    def _labels(self, column: Column, wrong: Wrong) -> NDArray[np.int64]:
        found = np.full(len(column), UNKNOWN, dtype=np.int64)
        for row, value in enumerate(column.tolist() if isinstance(column, np.ndarray) else column):
            if value is None or value == "" or value != value:
                continue
            found[row] = self._number(value)
            if found[row] == WRONG:
                classes = ", ".join(self.reference.classes[:8])
                wrong.setdefault(row, f"label {quoted(value, 60)} is not among the classes {classes}")
        return found

    def _number(self, value: Any) -> int:
        text = as_text(value) if isinstance(value, str | int | float) else ""
        if text not in self._known:
            if len(self._known) > MOST_LABELS:
                self._known.clear()
            try:
                found = numbered(np.array([text]), self.reference.classes, where="label").numbers
                self._known[text] = int(found[0])
            except DiagnosticsError:
                self._known[text] = WRONG
        return self._known[text]

    def _attribute(self, name: str, column: Column, wrong: Wrong) -> NDArray[Any]:
        if name in self.layout.numeric:
            return numbers(name, column, wrong)
        return texts(name, column, wrong, plain=True)
