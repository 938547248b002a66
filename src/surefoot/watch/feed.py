"""A stream through a watch, batch by batch; what was learnt from it can be kept in a file.

Rows that cannot be used are counted, named and left out: ``Cleaner`` knows what rows of the component look like.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import Frame
from surefoot.adapters.frames import like as frame_like
from surefoot.adapters.labels import numbered
from surefoot.core import DiagnosticsError, validate
from surefoot.core.canonical import reading, thaw
from surefoot.documents import json, quoted
from surefoot.project.components import as_text
from surefoot.project.store import write_atomically
from surefoot.watch.drift import Layout, Reference
from surefoot.watch.records import ROW, Chunk, Column, Event, Place, Problem
from surefoot.watch.streams import CLASS, IMAGE
from surefoot.watch.watch import Watch

MOST_BAD = 0.05
"""A stream with a larger share of rows that cannot be used is not understood."""
FEWEST_ROWS = 200
"""Before so many rows, a share says little."""
MOST_NAMED = 10


@dataclass
class Feed:
    """Hands a stream to a watch, and knows how far it was read.

    Parameters
    ----------
    watch
        What is handed rows.
    rows
        Rows read, those that cannot be used as well.
    bad, named
        Rows that cannot be used, and how many of them were told.
    place
        How far the stream was read.

    Examples
    --------
    >>> from surefoot.watch import Feed, open_stream
    >>> feed = Feed(watch)  # doctest: +SKIP
    >>> with open_stream("rows.csv", watch.layout, batch=1000) as chunks:  # doctest: +SKIP
    ...     events = [event for events in feed.run(chunks) for event in events]

    """

    watch: Watch
    rows: int = 0
    bad: int = 0
    named: int = 0
    place: Place = field(default_factory=dict)

    def run(self, chunks: Iterable[Chunk]) -> Iterator[list[Event]]:
        """What happened in each chunk; an error where too many rows cannot be used."""
        clean = Cleaner(self.watch.layout, self.watch.reference)
        first = not self.rows
        for chunk in chunks:
            batch = clean(chunk)
            bad = chunk.rows - len(batch.offsets)
            told = self._told(batch.problems)
            numbers = self.rows + 1 + batch.offsets
            found = self.watch.update(batch.rows, self._labels(batch), batch.attributes, numbers=numbers)
            self.rows, self.bad, self.place = self.rows + chunk.rows, self.bad + bad, chunk.place
            yield told + found
            if first and bad == chunk.rows:
                raise self._unusable(chunk.where, batch.problems, "none of its first rows can be used")
            first = False
            if self.rows >= FEWEST_ROWS:
                self._check(chunk.where, batch.problems)
        if not self.rows:
            raise DiagnosticsError.of("watch-stream", "the stream has no rows.", where="stream")
        self._check("stream", ())

    def state(self) -> dict[str, Any]:
        """How far the stream was read, and all that was learnt from it."""
        counted = {"rows": self.rows, "bad": self.bad, "named": self.named, "place": dict(self.place)}
        return {"surefoot-watch": 1, **counted, "watch": self.watch.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on where ``state`` was taken."""
        with reading("state of a watch"):
            self.watch.restore(state["watch"])
            self.rows, self.bad, self.named = (
                validate.count(state[name], where="state", name=name) for name in ("rows", "bad", "named")
            )
            self.place = dict(state["place"])

    def _labels(self, batch: Batch) -> list[str | None] | None:
        if batch.labels is None:
            return None
        names = (*self.watch.reference.classes, None)
        return [names[number] for number in batch.labels.tolist()]

    def _told(self, problems: Iterable[Problem]) -> list[Event]:
        """Events of the first rows that cannot be used; more are only counted."""
        told = []
        for problem in problems:
            if self.named < MOST_NAMED:
                self.named += 1
                text = f"{problem.where}: {problem.text}; left out."
                told.append(Event(ROW, self.rows + problem.offset + 1, text, problem.where))
        return told

    def _check(self, where: str, problems: Iterable[Problem]) -> None:
        if self.bad > MOST_BAD * self.rows:
            raise self._unusable(where, problems, f"{self.bad:,} of {self.rows:,} rows cannot be used")

    def _unusable(self, where: str, problems: Iterable[Problem], text: str) -> DiagnosticsError:
        last = next(iter(problems), None)
        why = "" if last is None else f"; for example {last.where}: {last.text}"
        hint = "Give rows as the component's test data have them."
        return DiagnosticsError.of("watch-stream", f"{text}{why}.", where=where, hint=hint)


# From columns of a stream to rows that can be used; what cannot is named and left out.

UNKNOWN, WRONG = -1, -2
MOST_LABELS = 100_000


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows that can be used, and those that cannot."""

    rows: NDArray[Any] | Frame
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

    def _rows(self, chunk: Chunk, wrong: Wrong) -> NDArray[Any] | Frame:
        """Inputs, or scores where the component has no model."""
        names = list(chunk.columns)
        if self.reference.model is None:
            return self._scores(chunk, names, wrong)
        assert self.reference.inputs is not None, "a model has inputs"
        columns = (IMAGE,) if IMAGE in names else self.layout.input_columns(names, where=chunk.where)
        like = self.reference.inputs
        if isinstance(like, Frame):
            return self._frame(like, chunk, wrong)
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

    def _frame(self, like: Frame, chunk: Chunk, wrong: Wrong) -> Frame:
        """Rows as a frame like that of the reference; values may be missing, because they may be missing there."""
        lacking = [name for name in like.names if name not in chunk.columns]
        if lacking:
            text = (
                f"the stream has no column {lacking[0]!r} ({len(lacking)} missing); it has {', '.join(chunk.columns)}."
            )
            raise DiagnosticsError.of("watch-stream", text, where=chunk.where, hint="Name columns as the test data do.")
        return frame_like(like, {name: self._values(like, name, chunk.columns[name], wrong) for name in like.names})

    def _values(self, like: Frame, name: str, column: Column, wrong: Wrong) -> list[Any]:
        values = column.tolist() if isinstance(column, np.ndarray) else list(column)
        empty = [value is None or value == "" or value != value for value in values]
        if name in like.numeric:
            found: list[Any] = numbers(
                name, [0 if gone else v for v, gone in zip(values, empty, strict=True)], wrong
            ).tolist()
        else:
            found = list(map(str, values))
            levels = like.categories(name)
            for row, value in enumerate(found):
                if levels is not None and not empty[row] and value not in levels:
                    wrong.setdefault(
                        row, f"column {quoted(name)} has {_shown(value)}, which is no category of the test data"
                    )
                    empty[row] = True
        return [None if gone else value for value, gone in zip(found, empty, strict=True)]

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


# Values of columns, row by row: numbers, texts and arrays; what cannot be used is named by its row.

LARGEST = 1e100
CODE = re.compile(r"\s*[+-]?0\d")
Wrong = dict[int, str]
"""What is wrong with rows, by their number; the first reason counts."""


def numbers(name: str, column: Column, wrong: Wrong) -> NDArray[np.float64]:
    """One finite number a row; others are 0, and wrong."""
    quick = _quickly(column)
    if quick is not None and quick.ndim == 1:
        bad = ~(np.abs(quick) <= LARGEST)
        if not bad.any():
            return quick
        for row in np.flatnonzero(bad).tolist():
            wrong.setdefault(row, f"column {quoted(name)} has {quick[row]}")
        return np.where(bad, 0.0, quick)
    found = np.zeros(len(column))
    for row, value in enumerate(column):
        number = _number_of(value)
        if number is None:
            wrong.setdefault(row, f"column {quoted(name)} has {_shown(value)}, which is no number")
        else:
            found[row] = number
    return found


def _quickly(column: Column) -> NDArray[np.float64] | None:
    """All values at once, where they are all numbers."""
    if isinstance(column, np.ndarray):
        return column.astype(float) if column.dtype.kind in "biuf" else None
    if any(isinstance(value, bool) for value in column) or not _plainly_written(column):
        return None
    try:
        return np.array(column, dtype=float)
    except (ValueError, TypeError, OverflowError):
        return None


def _plainly_written(column: Column) -> bool:
    """Whether text has only what numbers are written with."""
    text = "".join(value for value in column if isinstance(value, str))
    return text.isascii() and "_" not in text


def _number_of(value: Any) -> float | None:
    if (
        value is None
        or isinstance(value, bool | list | dict)
        or (isinstance(value, str) and not _plainly_written([value]))
    ):
        return None
    try:
        number = float(value)
    except (ValueError, TypeError, OverflowError):
        return None
    return number if abs(number) <= LARGEST else None


def _shown(value: Any) -> str:
    return "nothing" if value is None or value == "" else quoted(value, 60)


def texts(name: str, column: Column, wrong: Wrong, *, plain: bool = False) -> NDArray[Any]:
    """One text a row; ``plain`` writes numbers as the operating conditions do."""
    found = []
    for row, value in enumerate(column.tolist() if isinstance(column, np.ndarray) else column):
        if value is None or value == "" or value != value or isinstance(value, list | dict):
            wrong.setdefault(row, f"column {quoted(name)} has {_shown(value)}")
            found.append("")
            continue
        found.append(as_text(_number_or_text(value)) if plain else str(value))
    return np.array(found, dtype=str if plain else object)


def _number_or_text(value: Any) -> Any:
    """A number where text is one and is written as one; 007 is a code."""
    if not isinstance(value, str) or CODE.match(value):
        return value
    number = _number_of(value)
    return value if number is None else number


def shaped(name: str, column: Column, shape: tuple[int, ...], dtype: np.dtype[Any], wrong: Wrong) -> NDArray[Any]:
    """An array a row, all of one shape; axes of length 1 do not matter."""
    found = np.zeros((len(column), *shape), dtype=dtype if isinstance(column, np.ndarray) else float)
    if isinstance(column, np.ndarray) and column.dtype.kind in "biuf" and column.shape[1:] == shape:
        flat = column.reshape(len(column), -1)
        bad = np.zeros(len(column), bool) if column.dtype.kind != "f" else ~(np.abs(flat) <= LARGEST).all(axis=1)
        for row in np.flatnonzero(bad).tolist():
            wrong.setdefault(row, f"{quoted(name)} has NaN, infinity or a number beyond {LARGEST:g}")
        return np.where(bad.reshape(-1, *([1] * len(shape))), 0, column).astype(column.dtype)
    for row, value in enumerate(column):
        array = _array_of(value)
        if array is None or array.size != math.prod(shape) or not (np.abs(array) <= LARGEST).all():
            what = "is no array of numbers" if array is None else f"has the shape {array.shape}, or no finite numbers"
            wrong.setdefault(row, f"{quoted(name)} {what}; {shape} is needed")
        else:
            found[row] = array.reshape(shape)
    return as_type(found, dtype)


def _array_of(value: Any) -> NDArray[np.float64] | None:
    try:
        return np.asarray(value, dtype=float)
    except (ValueError, TypeError, OverflowError, RecursionError):
        return None


def as_type(values: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Values in the type of the reference, where nothing is lost."""
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            return values.astype(dtype)
    changed = values.astype(dtype) if dtype.kind in "iu" and (np.abs(values) < 2**31).all() else values
    return changed if np.array_equal(changed, values) else values


# What was learnt from a stream, in a file: plain JSON that is written at once or not at all.

LARGEST_FILE = 1 << 28
SPECIAL = "$float"


@validate.arguments
def write_state(state: Mapping[str, Any], path: Path) -> None:
    """Keep what was learnt from a stream, at once or not at all.

    Parameters
    ----------
    state
        What ``Feed.state`` gave.
    path
        A file, which is replaced.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from surefoot.watch import read_state, write_state
    >>> with TemporaryDirectory() as folder:
    ...     write_state({"surefoot-watch": 1, "rows": 2}, Path(folder, "watch.json"))
    ...     read_state(Path(folder, "watch.json"))["rows"]
    2

    """
    write_atomically(path, json.dumps(thaw(state), separators=(",", ":"), ensure_ascii=True).encode())


@validate.arguments
def read_state(path: Path) -> dict[str, Any]:
    """A state that was kept; nothing in it is run.

    Parameters
    ----------
    path
        What ``write_state`` wrote.

    Returns
    -------
    dict
        For ``Feed.restore``.

    Raises
    ------
    DiagnosticsError
        Where the file cannot be read, or holds no state.

    See Also
    --------
    write_state : Keeps one.

    """
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise ValueError("it is too large")
        found = json.loads(path.read_bytes(), _special)
    except OSError as error:
        raise DiagnosticsError.of("file-unreadable", f"{error.strerror}.", where=str(path)) from error
    except ValueError as error:
        raise damaged(path, str(error)) from error
    if not isinstance(found, dict) or found.get("surefoot-watch") != 1:
        raise damaged(path, "it was not written by surefoot watch")
    return found


@validate.arguments
def damaged(path: Path, why: str) -> DiagnosticsError:
    """The error of a file that holds no state.

    Parameters
    ----------
    path
        The file.
    why
        What is wrong with it.

    Returns
    -------
    DiagnosticsError
        To be raised.

    See Also
    --------
    read_state : Raises it.

    """
    text, hint = f"this is no state that can be read: {why[:200]}.", "Remove the file to start anew."
    return DiagnosticsError.of("watch-state", text, where=str(path), hint=hint)


def _special(found: dict[str, Any]) -> Any:
    return float(found[SPECIAL]) if set(found) == {SPECIAL} else found
