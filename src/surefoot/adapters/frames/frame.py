"""Frames: rows of named columns of any type, kept as a model takes them; pandas, polars and pyarrow through narwhals.

A frame keeps text, categories, dates, truth values and missing values. Its names in their order, its types and its
categories belong to its digest. Steps that need numbers ask for a matrix, and are told which column is none.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.labels import TextColumn
from surefoot.core import Diagnostic, DiagnosticsError, InvalidInput, validate
from surefoot.core.canonical import array_digest, digest
from surefoot.core.errors import require
from surefoot.documents import listed, printable, quoted

Kind = Literal["pandas", "polars", "pyarrow"]
KINDS: tuple[Kind, ...] = get_args(Kind)
FRAMES = ("DataFrame", "LazyFrame", "Table", "RecordBatch")
ColumnType = Literal["text", "number", "category", "date"]
Types = Mapping[str, ColumnType | Sequence[str]]
"""What columns of a file are: a word, or the categories that a column may have."""
NO_TYPES: Types = {}
MIXED_SHARE = 0.5
"""Text of which at least this share of the rows are numbers was probably meant to be numbers."""
MICROSECONDS_A_DAY = 86_400_000_000
AT_ONCE, ROWS_IN_CACHE = 8, 1 << 12
"""Columns that are held at a time beside those that are finished, and rows of them that a processor's cache holds."""
VALUES_SHOWN, MOST_SHOWN = 5, 24
"""Values of a column that a summary shows, the most frequent ones, and characters of each."""
PLAIN_VALUES = "Hold numbers, text, dates or truth values:"
AS_FLOAT = "in memory astype(float) or astype(str), of a file types: number or text."
ENCODE = "Name columns of numbers with columns:, or say how to turn others into numbers, such as {sex: one-hot}."


@dataclass(frozen=True, eq=False)
class Frame:
    """Rows of named columns, as a pandas, polars or pyarrow frame.

    Parameters
    ----------
    native
        The frame itself.
    where
        What messages call it.

    Examples
    --------
    >>> import pandas as pd
    >>> import surefoot as sf
    >>> frame = sf.adapters.Frame(pd.DataFrame({"sex": ["f", None], "mass": [3.5, 4.0]}))
    >>> len(frame), frame.names, frame.kind, frame[:1].matrix(["mass"]).tolist()
    (2, ('sex', 'mass'), 'pandas', [[3.5]])

    """

    native: Any
    where: str = "data"

    def __post_init__(self) -> None:
        validate.fields(self)
        native = self.native
        if type(native).__name__ == "LazyFrame":
            native = native.collect()
        elif type(native).__name__ == "RecordBatch":
            native = require("pyarrow", extra="frames", purpose="A frame").Table.from_batches([native])
        object.__setattr__(self, "native", native)
        names = [str(name) for name in _labels(native)]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            first = [place for place, name in enumerate(names) if name == twice[0]]
            text = f"columns {first[0] + 1} and {first[1] + 1} have the same name: {listed(twice)}."
            raise DiagnosticsError.of("data-column", text, where=self.where, hint="Rename or drop one of them.")
        if not names:
            raise DiagnosticsError.of("data-empty", "the frame has no columns.", where=self.where)

    @classmethod
    def of_matrix(cls, matrix: NDArray[Any], names: Sequence[str], kind: Kind, where: str = "data") -> Frame:
        """Columns of numbers with names."""
        require(kind, extra="frames", purpose="A frame for the model")
        return cls(narwhals().from_numpy(np.array(matrix), list(names), backend=kind).to_native(), where)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the columns in their order."""
        return tuple(str(name) for name in _labels(self.native))

    @property
    def kind(self) -> Kind:
        """The library of the frame."""
        return next(kind for kind in KINDS if kind in _roots(self.native))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self), len(self.names)

    def __len__(self) -> int:
        return len(self.native)

    def __getitem__(self, rows: slice | NDArray[Any]) -> Frame:
        """Some rows, by a slice, by their numbers or by truth values."""
        if not isinstance(rows, slice):
            rows = np.asarray(rows)
            rows = np.flatnonzero(rows) if rows.dtype == bool else rows
        return replace(self, native=self.wide[rows].to_native())

    def select(self, names: Sequence[str]) -> Frame:
        """The columns of these names, in this order."""
        if tuple(names) == self.names:
            return self
        return replace(self, native=self.wide[:, [self.names.index(name) for name in names]].to_native())

    def as_kind(self, kind: Kind) -> Frame:
        """The same rows as a frame of another library."""
        if kind == self.kind:
            return self
        require(kind, extra="frames", purpose=f"A frame of {kind}")
        wide = self.wide
        made = {"pandas": wide.to_pandas, "polars": wide.to_polars, "pyarrow": wide.to_arrow}[kind]()
        return replace(self, native=made)

    def copied(self) -> Any:
        """The frame for somebody who may write into it."""
        return self.native.copy() if self.kind == "pandas" else self.native

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        raise TypeError("a frame is no array; frame.matrix() gives its columns of numbers")

    @property
    def numeric(self) -> tuple[str, ...]:
        """Names of the columns of numbers and truth values."""
        return tuple(name for name in self.names if is_numeric(self.series(name)))

    def is_numeric(self, name: str) -> bool:
        """Whether a column holds numbers or truth values."""
        return is_numeric(self.series(name)) or self._is_truth(name)

    def is_text(self, name: str) -> bool:
        """Whether a column holds text or categories."""
        nw, series = narwhals(), self.series(name)
        if series.dtype == nw.Object:
            values = self.coded(name)[1]
            return bool(values) and all(isinstance(value, str) for value in values)
        return isinstance(series.dtype, nw.String | nw.Categorical | nw.Enum)

    def _is_truth(self, name: str) -> bool:
        """Whether a column of objects holds nothing but truth values, as those with gaps do."""
        if self.series(name).dtype != narwhals().Object:
            return False
        values = self.coded(name)[1]
        return bool(values) and all(isinstance(value, bool | np.bool_) for value in values)

    def missing(self, name: str) -> NDArray[np.bool_]:
        """Which rows have no value in a column."""
        series = self.series(name)
        found = np.asarray(series.is_null().to_numpy(), dtype=bool)
        if series.dtype.is_float():
            found = found | np.isnan(np.asarray(series.to_numpy(), dtype=float))
        return found

    def check(self) -> None:
        """Refuse a frame without rows, and columns that mix types or hold what is no value."""
        if not len(self):
            raise DiagnosticsError.of("data-empty", "the frame has no rows.", where=self.where)
        DiagnosticsError.raise_if_any(problem for name in self.names for problem in self._problems(name))

    def column(self, name: str) -> NDArray[Any] | TextColumn:
        """A column with a value in each row: numbers, truth values, or text."""
        lacking = np.flatnonzero(self.missing(name))
        if lacking.size:
            text = f"column {quoted(name)} has no value in row {lacking[0]} ({lacking.size} such rows)."
            raise DiagnosticsError.of("data-missing-values", text, where=self.where)
        series = self.series(name)
        if is_numeric(series):
            return np.asarray(series.to_numpy())
        codes, values = self.coded(name)
        if values and all(isinstance(value, bool | np.bool_) for value in values):
            return np.asarray(values, dtype=bool)[codes]
        return TextColumn(codes, tuple(as_text(value) for value in values))

    def numbers(self, name: str, hint: str = ENCODE) -> NDArray[Any]:
        """A column as numbers, NaN where there is no value."""
        series = self.series(name)
        if not is_numeric(series):
            codes, values = self.coded(name)
            truth = values and all(isinstance(value, bool | np.bool_) for value in values)
            if not truth:
                held = f"such as {quoted(as_text(values[0]), 60)}" if values else "and no value at all"
                text = f"column {quoted(name)} holds {_words(series.dtype)}, {held}, and numbers are needed."
                raise DiagnosticsError.of("data-type", text, where=self.where, hint=hint)
            return np.where(codes < 0, np.nan, np.asarray([*values, 0], dtype=float)[codes])
        if series.null_count():
            found = np.array(series.cast(narwhals().Float64()).to_numpy(), dtype=float)
            found[self.missing(name)] = np.nan
            return found
        return np.asarray(series.to_numpy())

    def days(self, name: str) -> NDArray[np.float64]:
        """A column of dates as days since 1970, NaN where there is no value."""
        series = self.series(name)
        nw = narwhals()
        if series.dtype != nw.Date and series.dtype != nw.Datetime:
            text = f"column {quoted(name)} holds {_words(series.dtype)}, and dates are needed."
            hint = f"Of a file write types: {{{printable(name)}: date}}."
            raise DiagnosticsError.of("data-type", text, where=self.where, hint=hint)
        since = series.cast(nw.Datetime("us")) if series.dtype == nw.Date else series
        found = np.array(since.dt.timestamp("us").cast(nw.Float64()).to_numpy(), dtype=float)
        found[self.missing(name)] = np.nan
        return found / MICROSECONDS_A_DAY

    def matrix(self, names: Sequence[str] | None = None, hint: str = ENCODE) -> NDArray[np.floating]:
        """Columns as numbers side by side; the first that holds no numbers is an error."""
        parts = [self.numbers(name, hint) for name in (self.names if names is None else names)]
        kind = np.result_type(*(part.dtype for part in parts))
        matrix = np.empty((len(self), len(parts)), kind if kind in (np.float32, np.float64) else np.float64)
        _put(parts, matrix)
        return matrix

    def values(self) -> NDArray[np.float64]:
        """Numbers that are equal within a column exactly where its values are, with one number for no value."""
        found, gaps, lowest = np.empty(self.shape), {}, np.inf
        for place in range(0, len(self.names), AT_ONCE):
            parts = [self._comparable(name) for name in self.names[place : place + AT_ONCE]]
            _put(parts, found[:, place : place + AT_ONCE])
            for number, part in enumerate(parts, place):
                missing = np.isnan(part)
                if missing.any():
                    gaps[number] = missing
                lowest = min(lowest, part.min(where=~missing, initial=np.inf))
        for number, missing in gaps.items():
            found[missing, number] = lowest - 1 if np.isfinite(lowest) else 0
        return found

    def _comparable(self, name: str) -> NDArray[np.float64]:
        numeric = is_numeric(self.series(name))
        return np.asarray(self.numbers(name) if numeric else self.coded(name)[0], dtype=np.float64)

    @cached_property
    def summary(self) -> tuple[tuple[str, str, str, int], ...]:
        """Of each column its name, what it holds, which values these are, and how many are missing."""
        return tuple((name, *self._held(name), int(self.missing(name).sum())) for name in self.names)

    def _held(self, name: str) -> tuple[str, str]:
        series = self.series(name)
        if is_numeric(series) and series.dtype != narwhals().Boolean:
            values = self.numbers(name)
            known = values[~np.isnan(values)] if values.dtype.kind == "f" else values
            return "numbers", f"{known.min():.6g} to {known.max():.6g}" if known.size else "none"
        if is_numeric(series) or self._is_truth(name):
            return "truth values", f"true in {np.nansum(self.numbers(name).astype(float)):,.0f} rows"
        codes, found = self.coded(name)
        texts = [as_text(value) for value in found]
        if series.dtype.is_temporal():
            return "dates or times", f"{min(texts)} to {max(texts)}" if texts else "none"
        often = np.argsort(-np.bincount(codes[codes >= 0], minlength=len(texts)), kind="stable")
        shown = [printable(texts[place], MOST_SHOWN) for place in often[:VALUES_SHOWN]]
        more = f" and {len(texts) - len(shown):,} more" if len(texts) > len(shown) else ""
        return _words(series.dtype), f"{', '.join(shown)}{more}" if texts else "none"

    def marks(self) -> NDArray[np.int64]:
        """A whole number for each value, the same for the same value of a column: rows compare by them."""
        found = np.empty(self.shape, dtype=np.int64)
        for place, name in enumerate(self.names):
            if is_numeric(self.series(name)):
                values = self.numbers(name).astype(np.float64) + 0.0
                found[:, place] = np.where(np.isnan(values), np.nan, values).view(np.int64)
            else:
                codes, values_ = self.coded(name)
                table = [_number_of(as_text(value)) for value in values_]
                found[:, place] = np.asarray([*table, -1], dtype=np.int64)[codes]
        return found

    def digest(self) -> str:
        """SHA-256 of names in their order, types, categories and values."""
        self.check()
        return digest([self._digest_of(name) for name in self.names])

    def categories(self, name: str) -> tuple[str, ...] | None:
        """What a column of categories may hold, in its order; None for other columns."""
        nw, series = narwhals(), self.series(name)
        if not isinstance(series.dtype, nw.Categorical | nw.Enum):
            return None
        native = series.to_native()
        if self.kind == "pandas":
            return tuple(map(str, native.cat.categories))
        if self.kind == "polars":
            listed_ = getattr(series.dtype, "categories", None)
            return tuple(sorted(native.drop_nulls().unique().to_list()) if listed_ is None else listed_)
        chunk = native.combine_chunks()
        return tuple(map(str, (chunk if hasattr(chunk, "dictionary") else chunk.chunk(0)).dictionary.to_pylist()))

    def oddities(self) -> Iterator[Diagnostic]:
        """Columns of text that are numbers in most rows: a mark such as ? has made them text."""
        nw = narwhals()
        for name in self.names:
            if self.series(name).dtype != nw.String:
                continue
            codes, values = self.coded(name)
            numbers = np.asarray([*(is_number(str(value)) for value in values), False], dtype=bool)[codes]
            share = numbers.sum() / max((codes >= 0).sum(), 1)
            if MIXED_SHARE <= share < 1:
                row = int(np.flatnonzero(~numbers & (codes >= 0))[0])
                others = int((~numbers & (codes >= 0)).sum())
                text = (
                    f"column {quoted(name)} is text, because row {row} has {quoted(str(values[codes[row]]), 60)} "
                    f"({others} such rows); {int(numbers.sum()):,} rows are numbers."
                )
                hint = f"Repair these rows, or write types: {{{printable(name)}: text}} where it is text."
                yield Diagnostic("data-mixed", text, "warning", self.where, hint)

    @cached_property
    def wide(self) -> Any:
        """The frame as narwhals has it."""
        return narwhals().from_native(self.native, eager_only=True)

    def __getstate__(self) -> dict[str, Any]:
        return {"native": self.native, "where": self.where}

    def series(self, name: str) -> Any:
        """A column as narwhals has it."""
        return self.wide[:, self.names.index(name)]

    def coded(self, name: str) -> tuple[NDArray[np.int64], list[Any]]:
        """The number of each row's value among the distinct ones, -1 where there is none."""
        if name not in self._coded:
            codes, values = self._counted(name)
            codes.flags.writeable = False
            self._coded[name] = codes, values
        return self._coded[name]

    @cached_property
    def _coded(self) -> dict[str, tuple[NDArray[np.int64], list[Any]]]:
        """What is found once is asked for by digests, comparisons and summaries."""
        return {}

    def _counted(self, name: str) -> tuple[NDArray[np.int64], list[Any]]:
        series = self.series(name)
        if self.kind == "pandas":
            import pandas as pd

            codes, values = pd.factorize(series.to_native(), use_na_sentinel=True)
            return np.array(codes, dtype=np.int64), list(values)
        known: dict[Any, int] = {}
        found = [-1 if value is None else known.setdefault(value, len(known)) for value in series.to_list()]
        return np.asarray(found, dtype=np.int64), list(known)

    def _problems(self, name: str) -> Iterator[Diagnostic]:
        nw, series = narwhals(), self.series(name)
        found = str(getattr(series.to_native(), "dtype", getattr(series.to_native(), "type", "")))
        text = f"column {quoted(name)} holds {_words(series.dtype)}, and one value a row is needed."
        if isinstance(series.dtype, nw.List | nw.Array | nw.Struct) or found.startswith("map"):
            yield Diagnostic("data-type", text, "error", self.where, "Spread it over several columns.")
        elif series.dtype == nw.Decimal or series.dtype == nw.Binary or found.startswith("complex"):
            held = "complex numbers" if found.startswith("complex") else _words(series.dtype)
            text = f"column {quoted(name)} holds {held}, which no model takes."
            yield Diagnostic("data-type", text, "error", self.where, f"{PLAIN_VALUES} {AS_FLOAT}")
        elif series.dtype.is_float() and (infinite := np.flatnonzero(np.isinf(self.numbers(name)))).size:
            text = f"column {quoted(name)} has infinity in row {infinite[0]} ({infinite.size} such rows)."
            hint = "Remove or repair such rows, and say so in the report."
            yield Diagnostic("data-missing-values", text, "error", self.where, hint)
        elif series.dtype == nw.Object:
            yield from self._mixtures(name, series)

    def _mixtures(self, name: str, series: Any) -> Iterator[Diagnostic]:
        first: dict[str, tuple[int, Any]] = {}
        for row, value in enumerate(series.to_list()):
            if value is not None and value == value:
                first.setdefault(_sort_of(value), (row, value))
        if len(first) > 1:
            shown = [f"{sort} ({quoted(str(value), 40)}) in row {row}" for sort, (row, value) in first.items()]
            text = f"column {quoted(name)} mixes types: {', '.join(shown)}."
            hint = "Give the column one type: numbers, or text with astype(str)."
            yield Diagnostic("data-type", text, "error", self.where, hint)
        elif set(first) - {"text", "a truth value", "a number", "a date"}:
            (sort, (row, value)), *_ = first.items()
            text = f"column {quoted(name)} holds Python objects: {sort} ({quoted(str(value), 40)}) in row {row}."
            yield Diagnostic("data-type", text, "error", self.where, f"{PLAIN_VALUES} {AS_FLOAT}")

    def _digest_of(self, name: str) -> list[Any]:
        series = self.series(name)
        about = [name, str(series.dtype), self.categories(name)]
        if is_numeric(series):
            missing = self.missing(name)
            values = np.where(missing, 0, self.numbers(name)) if missing.any() else np.asarray(series.to_numpy())
            return [*about, array_digest(values), array_digest(missing) if missing.any() else None]
        codes, values_ = self.coded(name)
        return [*about, array_digest(codes), [as_text(value) for value in values_]]


def is_frame(obj: Any) -> bool:
    """Whether an object is a frame of pandas, polars or pyarrow; none of them is imported for it.

    Parameters
    ----------
    obj
        Anything.

    Returns
    -------
    bool
        True for data frames, lazy ones too, and for tables of pyarrow.

    Examples
    --------
    >>> import pandas as pd
    >>> import surefoot as sf
    >>> sf.adapters.is_frame(pd.DataFrame({"x": [1]})), sf.adapters.is_frame([[1]])
    (True, False)

    """
    return any(type_.__name__ in FRAMES for type_ in type(obj).__mro__ if _root(type_) in KINDS)


def is_installed(library: str) -> bool:
    """Whether a library of frames could be imported."""
    return find_spec(library) is not None


def _put(parts: Sequence[NDArray[Any]], into: NDArray[Any]) -> None:
    """Columns side by side, some rows at a time, so that what is written stays in the cache."""
    for start in range(0, len(into), ROWS_IN_CACHE):
        for place, part in enumerate(parts):
            into[start : start + ROWS_IN_CACHE, place] = part[start : start + ROWS_IN_CACHE]


def without_gaps(matrix: NDArray[Any]) -> NDArray[Any]:
    """Rows of numbers in which NaN is a number of its own, so that rows can be compared."""
    gaps = np.isnan(matrix) if matrix.dtype.kind == "f" else np.zeros(0, dtype=bool)
    if not gaps.any():
        return matrix
    return np.where(gaps, np.nanmin(matrix) - 1 if not gaps.all() else 0, matrix)


def is_series(obj: Any) -> bool:
    """Whether an object is one column of pandas, polars or pyarrow."""
    names = ("Series", "ChunkedArray", "Array", "Index")
    return any(type_.__name__ in names for type_ in type(obj).__mro__ if _root(type_) in KINDS)


def column_of(obj: Any, *, where: str, name: str) -> NDArray[Any] | TextColumn:
    """A column of a library of frames as numbers or text; missing values are told with their row."""
    native = obj.to_series() if _is_index(obj) else obj
    if type(native).__module__.partition(".")[0] == "pyarrow" and not hasattr(native, "chunks"):
        native = require("pyarrow", extra="frames", purpose="A column").chunked_array([native])
    wide = narwhals().from_native(native, series_only=True).alias(name).to_frame()
    frame = Frame(wide.to_native(), where)
    DiagnosticsError.raise_if_any(frame._problems(name))
    return frame.column(name)


@dataclass(frozen=True, eq=False)
class FrameTable:
    """A frame in memory as a source of named columns; which of them is the label is said, never guessed.

    Parameters
    ----------
    frame
        The rows.
    where
        What messages call it.

    Examples
    --------
    >>> import pandas as pd
    >>> import surefoot as sf
    >>> table = sf.adapters.FrameTable(sf.adapters.Frame(pd.DataFrame({"x": [1, 2], "kind": ["a", "b"]})))
    >>> table.read(["kind"])["kind"].texts().tolist()
    ['a', 'b']

    """

    frame: Frame
    where: str = "data"
    tabular = True

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self.frame.names

    def read(self, names: Collection[str], *, numeric: Collection[str] = ()) -> dict[str, Any]:
        """Columns of these names; those in ``numeric`` must be numbers, others may be text."""
        checked = self.frame.select(list(names)) if names else None
        if checked is not None:
            checked.check()
        return {name: self._numbers(name) if name in numeric else self.frame.column(name) for name in names}

    def table(
        self, inputs: Sequence[str], beside: Sequence[str], kind: Kind | None, types: Types
    ) -> tuple[Frame, dict[str, Any]]:
        """The inputs as a frame, and other columns beside them."""
        frame = self.frame.select(inputs)
        frame.check()
        return frame if kind is None else frame.as_kind(kind), self.read(beside)

    def _numbers(self, name: str) -> NDArray[Any]:
        self.frame.column(name)
        return self.frame.numbers(name, hint="")


# Frames in files between processes of ours: types and categories stay.


def write_frame(frame: Frame, path: Path) -> None:
    """Leave a frame in a file for another process."""
    pa = require("pyarrow", extra="frames", purpose="A frame made by code of the project")
    if frame.kind == "pandas":
        table = pa.Table.from_pandas(frame.native, preserve_index=False)
    else:
        table = frame.native.to_arrow() if frame.kind == "polars" else frame.native
    with pa.OSFile(str(path), "wb") as stream, pa.ipc.new_file(stream, table.schema) as writer:
        writer.write_table(table)


def read_frame(path: Path, kind: Kind, *, where: str) -> Frame:
    """What ``write_frame`` left, as a frame of the library that it was of."""
    pa = require("pyarrow", extra="frames", purpose="A frame made by code of the project")
    with pa.OSFile(str(path), "rb") as stream, pa.ipc.open_file(stream) as reader:
        return from_arrow(reader.read_all(), kind, where=where)


def from_arrow(table: Any, kind: Kind, *, where: str) -> Frame:
    """A table of pyarrow as a frame of a library."""
    if kind == "pandas":
        require("pandas", extra="frames", purpose="A frame for the model")
        return Frame(table.to_pandas(), where)
    if kind == "polars":
        return Frame(require("polars", extra="frames", purpose="A frame of polars").from_arrow(table), where)
    return Frame(table, where)


# Small questions about columns and values.


def narwhals() -> Any:
    """The library that speaks of all frames alike, in its stable form."""
    import narwhals.stable.v2 as nw

    return nw


def _labels(native: Any) -> list[Any]:
    if not hasattr(native, "columns") and not hasattr(native, "column_names"):
        remedy = "Give one of pandas, polars or pyarrow."
        raise InvalidInput("this is no frame", where="Frame", found=validate.shown(native), remedy=remedy)
    return list(native.column_names if hasattr(native, "column_names") else native.columns)


def _roots(obj: Any) -> set[str]:
    return {_root(type_) for type_ in type(obj).__mro__}


def _root(type_: type) -> str:
    return type_.__module__.partition(".")[0]


def _is_index(obj: Any) -> bool:
    return any(type_.__name__ == "Index" for type_ in type(obj).__mro__ if _root(type_) == "pandas")


def is_numeric(series: Any) -> bool:
    """Whether a column holds numbers or truth values."""
    return bool(series.dtype.is_numeric() or (series.dtype == narwhals().Boolean))


def _words(dtype: Any) -> str:
    nw = narwhals()
    if isinstance(dtype, nw.Categorical | nw.Enum):
        return "categories"
    if dtype == nw.String:
        return "text"
    if dtype.is_temporal():
        return "dates or times"
    if dtype == nw.Decimal or dtype == nw.Binary:
        return "decimals" if dtype == nw.Decimal else "bytes"
    return "lists" if isinstance(dtype, nw.List | nw.Array) else f"values of type {dtype}"


def _sort_of(value: Any) -> str:
    import datetime

    if isinstance(value, bool | np.bool_):
        return "a truth value"
    if isinstance(value, int | float | np.number):
        return "a number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta | np.datetime64):
        return "a date"
    return f"a {type(value).__name__}"


def as_text(value: Any) -> str:
    """A value as text; a day without hours is written as a day."""
    if isinstance(value, str):
        return value
    return str(value.isoformat()).removesuffix("T00:00:00") if hasattr(value, "isoformat") else str(value)


def _number_of(text: str) -> int:
    """Sixty-three bits of a text's hash."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()[:8]) >> 1


def is_number(text: str) -> bool:
    """Whether a text is a number, written in ASCII without underscores."""
    with suppress(ValueError):
        return text.isascii() and "_" not in text and float(text) == float(text)
    return False
