"""Columns of tables: csv files, with the line of every problem, and parquet files, read in slices; or as frames."""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.frames import Frame, Kind, Types, from_arrow, typed
from surefoot.adapters.labels import TextColumn
from surefoot.adapters.project_code import explained
from surefoot.core import DiagnosticsError
from surefoot.core.errors import require
from surefoot.documents import json, listed, quoted

NO_NUMBER = re.compile(r"[^\x00-\x7f]|_|(?:^|\0)\s*[+-]?0\d")
"""007 is a code, not the number 7; numbers are written in ASCII without underscores."""
SLICE = 1 << 18
"""So many rows of a parquet file are read at a time, straight into their final arrays."""
MISSING = ("", "#N/A", "#NA", "-NaN", "-nan", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null")
"""Cells of a csv file that stand for no value where it is read as a frame, as pandas has them."""
LONGEST_CELL = 2**31 - 1
"""Python refuses cells of more than 128 KiB by itself; documents and answers of language models are longer."""
SAMPLE = 1000
"""So many rows are looked at before a file is read."""


@dataclass(frozen=True)
class CsvFile:
    """A csv file with a header, in UTF-8."""

    path: Path
    where: str
    names: tuple[str, ...] = field(init=False)
    tabular = True

    def __post_init__(self) -> None:
        header = next(self._records(), (1, []))[1]
        names = tuple(name.strip() for name in header)
        self._check_header(names)
        object.__setattr__(self, "names", names)

    def read(self, names: Collection[str], *, numeric: Collection[str] = ()) -> dict[str, NDArray[Any] | TextColumn]:
        """Columns of these names; those in ``numeric`` must be numbers, others may be text."""
        places = [self.names.index(name) for name in names]
        rows = [[cells[place] for place in places] for _, cells in self._rows()]
        columns = zip(*rows, strict=True) if rows else ((),) * len(places)
        return {n: self._column(n, cells, n in numeric) for n, cells in zip(names, columns, strict=True)}

    def table(
        self, inputs: Sequence[str], beside: Sequence[str], kind: Kind | None, types: Types
    ) -> tuple[Frame, dict[str, NDArray[Any] | TextColumn]]:
        """The inputs as a frame with missing values, and other columns beside them as ``read`` gives them."""
        wide, last = self._frame(inputs, beside, kind or "pandas", types), self.names[-1]
        if wide.missing(last).any():
            # Readers of frames fill lines that are too short.
            for _ in self._rows():
                pass
        wide.check()
        frame = typed(wide.select(inputs), types)
        if wide.kind != "pandas":
            return frame, self.read(beside)
        return frame, {name: self._beside(wide, name) for name in beside}

    def _beside(self, wide: Frame, name: str) -> NDArray[Any] | TextColumn:
        """A column of cells as ``read`` gives it; what is wrong with one of them is told by that."""
        if not isinstance(found := wide.column(name), TextColumn):
            return self.read([name])[name]
        numbers = _numbers_where_possible(found.names)
        if (
            any(not cell or cell.isspace() for cell in found.names)
            or not np.isfinite(0 if numbers is None else numbers).all()
        ):
            return self.read([name])[name]
        return found if numbers is None else numbers[found.codes]

    def sample(self, names: Sequence[str], kind: Kind = "pandas", types: Types | None = None) -> Frame:
        """The first rows as a frame."""
        return typed(self._frame(names, (), kind, types or {}, rows=SAMPLE).select(names), types or {})

    def numbers_only(self, names: Collection[str]) -> bool:
        """Whether the first rows of these columns are numbers throughout."""
        places = [self.names.index(name) for name in names]
        head = islice(self._rows(), SAMPLE)
        return all(_is_number(cells[place]) for _, cells in head for place in places)

    def _frame(
        self, inputs: Sequence[str], beside: Sequence[str], kind: Kind, types: Types, rows: int | None = None
    ) -> Frame:
        """Inputs with missing values and their types found; other columns, and the last one of the file, as text."""
        import narwhals.stable.v2 as nw

        require(kind, extra="frames", purpose="A frame for the model")
        texts = {name for name, what in types.items() if what == "text" or not isinstance(what, str)}
        names = list(dict.fromkeys([*inputs, *beside, self.names[-1]]))
        as_text = [name for name in names if name not in inputs or name in texts]
        options = _CSV_OPTIONS[kind](self.names, names, as_text, inputs, rows)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                found = nw.read_csv(str(self.path), backend=kind, **options)
        except Exception as error:
            if not sum(1 for _ in self._rows()):
                raise DiagnosticsError.of("data-empty", "there are no rows.", where=self.where) from error
            text = f"this csv file cannot be read: {explained(error)}."
            raise DiagnosticsError.of("data-unreadable", text, where=self.where) from error
        if not len(found):
            raise DiagnosticsError.of("data-empty", "there are no rows.", where=self.where)
        return Frame(found.to_native(), self.where)

    def _column(self, name: str, cells: tuple[str, ...], numeric: bool) -> NDArray[Any] | TextColumn:
        for row, cell in enumerate(cells):
            if not cell or cell.isspace():
                raise self._problem("data-missing-values", row, f"column {quoted(name)} is empty")
        column = self._numbers(name, cells) if numeric else _numbers_where_possible(cells)
        if column is None:
            return _coded(cells)
        infinite = np.flatnonzero(~np.isfinite(column))
        if infinite.size:
            found = f"column {quoted(name)} has {quoted(cells[infinite[0]], 60)} ({infinite.size} such rows)"
            raise self._problem("data-missing-values", int(infinite[0]), found)
        return column

    def _numbers(self, name: str, cells: tuple[str, ...]) -> NDArray[np.float64]:
        try:
            return np.fromiter(map(_number, cells), dtype=np.float64, count=len(cells))
        except ValueError:
            row = next(row for row, cell in enumerate(cells) if not _is_number(cell))
            found = f"column {quoted(name)} has {quoted(cells[row], 60)}, which is no number"
            raise self._problem("data-type", row, found) from None

    def _problem(self, code: str, row: int, text: str) -> DiagnosticsError:
        line, _ = next(islice(self._rows(), row, None))
        return DiagnosticsError.of(code, f"{text}.", where=f"{self.where}:{line}")

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        """Records after the header, each with its line."""
        for line, cells in islice(self._records(), 1, None):
            if len(cells) != len(self.names):
                text = f"the header has {len(self.names)} columns, and this line has {len(cells)}."
                raise DiagnosticsError.of("data-unreadable", text, where=f"{self.where}:{line}")
            yield line, cells

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        csv.field_size_limit(LONGEST_CELL)
        with self.path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, strict=True)
            try:
                yield from ((reader.line_num, cells) for cells in reader if cells)
            except csv.Error as error:
                place = f"{self.where}:{reader.line_num}"
                raise DiagnosticsError.of("data-unreadable", f"{explained(error)}.", where=place) from error
            except UnicodeDecodeError as error:
                raise self._not_utf8() from error

    def _not_utf8(self) -> DiagnosticsError:
        with self.path.open("rb") as stream:
            lines = (number for number, line in enumerate(stream, 1) if not _is_utf8(line))
            place = f"{self.where}:{next(lines, 1)}"
        return DiagnosticsError.of("data-unreadable", "this is not UTF-8.", where=place, hint="Save the file as UTF-8.")

    def _check_header(self, names: tuple[str, ...]) -> None:
        if not names:
            raise DiagnosticsError.of("data-empty", "the file has no header.", where=self.where)
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            text = f"columns have the same name: {listed(twice)}."
            raise DiagnosticsError.of("data-column", text, where=f"{self.where}:1")
        if len(names) == 1 and re.search(r"[;\t|]", names[0]):
            text = f"the header {quoted(names[0], 60)} is one column."
            raise DiagnosticsError.of(
                "data-unreadable", text, where=f"{self.where}:1", hint="Separate columns by commas."
            )


def table_cells(path: Path, where: str) -> tuple[dict[str, list[str]], NDArray[np.int64]]:
    """The cells of a csv file by column, as text that may be empty, and the line of each row."""
    file = CsvFile(path, where)
    rows = [*file._rows()]
    if not rows:
        raise DiagnosticsError.of("data-empty", "the file has no rows.", where=where)
    cells = zip(*([cell.strip() for cell in row] for _, row in rows), strict=True)
    return {name: [*column] for name, column in zip(file.names, cells, strict=True)}, np.array([n for n, _ in rows])


@dataclass(frozen=True)
class ParquetFile:
    """A parquet file; only the columns asked for are read."""

    path: Path
    where: str
    names: tuple[str, ...] = field(init=False)
    tabular = True

    def __post_init__(self) -> None:
        require("pyarrow", extra="parquet", purpose="A parquet file")
        names = tuple(self._schema.names)
        object.__setattr__(self, "names", names)
        if len(set(names)) < len(names):
            raise DiagnosticsError.of("data-column", "two columns have the same name.", where=self.where)

    def read(self, names: Collection[str], *, numeric: Collection[str] = ()) -> dict[str, NDArray[Any] | TextColumn]:
        """Columns of these names; those in ``numeric`` must be numbers, others may be text."""
        return {name: self._column(name, name in numeric) for name in names}

    def table(
        self, inputs: Sequence[str], beside: Sequence[str], kind: Kind | None, types: Types
    ) -> tuple[Frame, dict[str, NDArray[Any] | TextColumn]]:
        """The inputs as a frame with missing values, and other columns beside them as ``read`` gives them."""
        with self._open() as file:
            wide = file.read(columns=list(inputs), use_threads=True)
        frame = typed(from_arrow(wide, kind or "pandas", where=self.where).select(inputs), types)
        frame.check()
        return frame, self.read(beside)

    def sample(self, names: Sequence[str], kind: Kind = "pandas", types: Types | None = None) -> Frame:
        """The first rows as a frame."""
        import pyarrow

        with self._open() as file:
            batch = next(file.iter_batches(batch_size=SAMPLE, columns=list(names)), None)
            schema = pyarrow.schema([file.schema_arrow.field(name) for name in names])
        rows = schema.empty_table() if batch is None else pyarrow.Table.from_batches([batch])
        return typed(from_arrow(rows, kind, where=self.where).select(names), types or {})

    def numbers_only(self, names: Collection[str]) -> bool:
        """Whether these columns hold numbers, and a value in each of the first rows."""
        from pyarrow import types

        kinds = [self._schema.field(name).type for name in names]
        lists = [types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind) for kind in kinds]
        numbers = [types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind) for kind in kinds]
        if not all(a or b for a, b in zip(lists, numbers, strict=True)):
            return False
        with self._open() as file:
            batch = next(file.iter_batches(batch_size=SAMPLE, columns=list(names)), None)
        return batch is None or not any(column.null_count for column in batch.columns)

    def _column(self, name: str, numeric: bool) -> NDArray[Any] | TextColumn:
        from pyarrow import types

        kind = self._schema.field(name).type
        if types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind):
            return self._numbers(name, np.dtype(kind.to_pandas_dtype()))
        if types.is_fixed_size_list(kind) or types.is_list(kind) or types.is_large_list(kind):
            return self._lists(name)
        text = kind.value_type if types.is_dictionary(kind) else kind
        if not numeric and (types.is_string(text) or types.is_large_string(text)):
            return self._text(name)
        expected = "numbers" if numeric else "numbers or text"
        found = f"column {quoted(name)} must hold {expected}; found {kind}."
        raise DiagnosticsError.of("data-type", found, where=self.where)

    def _numbers(self, name: str, dtype: np.dtype[Any]) -> NDArray[Any]:
        column = np.empty(self._rows, dtype)
        start = 0
        for values in self._slices(name):
            column[start : start + len(values)] = values.to_numpy(zero_copy_only=False)
            start += len(values)
        return column

    def _lists(self, name: str) -> NDArray[Any]:
        """A column of lists of one length as a matrix."""
        parts = []
        for values in self._slices(name):
            flat = values.flatten()
            width = len(flat) // max(len(values), 1)
            if flat.null_count or set(values.value_lengths().unique().to_pylist()) - {width}:
                text = f"the lists of column {quoted(name)} have missing entries or different lengths."
                raise DiagnosticsError.of("data-type", text, where=self.where)
            parts.append(flat.to_numpy(zero_copy_only=False).reshape(len(values), width))
        return self._joined(parts, name)

    def _joined(self, parts: list[NDArray[Any]], name: str) -> NDArray[Any]:
        if len({part.shape[1] for part in parts}) > 1:
            text = f"the lists of column {quoted(name)} have different lengths."
            raise DiagnosticsError.of("data-type", text, where=self.where)
        return np.concatenate(parts) if parts else np.empty((0, 1))

    def _text(self, name: str) -> TextColumn:
        known: dict[str, int] = {}
        codes = np.empty(self._rows, np.int32)
        start = 0
        for values in self._slices(name, dictionary=True):
            table = [known.setdefault(text, len(known)) for text in values.dictionary.to_pylist()]
            codes[start : start + len(values)] = np.asarray(table, np.int32)[values.indices.to_numpy()]
            start += len(values)
        return TextColumn(codes, tuple(known))

    def _slices(self, name: str, *, dictionary: bool = False) -> Iterator[Any]:
        start = 0
        with self._open(dictionary=[name] if dictionary else []) as file:
            for batch in file.iter_batches(batch_size=SLICE, columns=[name], use_threads=True):
                values = batch.column(0)
                if values.null_count:
                    self._refuse_nulls(name, values, start)
                if hasattr(values, "indices"):
                    values.validate(full=True)
                if start + len(values) > self._rows:
                    raise OSError("it has more rows than it says")
                yield values.dictionary_encode() if dictionary and not hasattr(values, "indices") else values
                start += len(values)
            if start < self._rows:
                raise OSError(f"it has {start} rows and says {self._rows}")

    def _refuse_nulls(self, name: str, values: Any, start: int) -> None:
        row = start + int(np.flatnonzero(values.is_null().to_numpy(zero_copy_only=False))[0])
        text = f"column {quoted(name)} has no value in row {row}."
        raise DiagnosticsError.of("data-missing-values", text, where=self.where)

    @cached_property
    def _schema(self) -> Any:
        with self._open() as file:
            return file.schema_arrow

    @cached_property
    def _rows(self) -> int:
        with self._open() as file:
            return max(int(file.metadata.num_rows), 0)

    @contextmanager
    def _open(self, dictionary: Collection[str] = ()) -> Iterator[Any]:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile as Reader

        try:
            with self.path.open("rb") as stream, Reader(stream, read_dictionary=list(dictionary)) as file:
                yield file
        except (ArrowException, OSError, UnicodeDecodeError) as error:
            text = f"this parquet file cannot be read: {explained(error)}."
            raise DiagnosticsError.of("data-unreadable", text, where=self.where) from error


@dataclass(frozen=True)
class JsonLinesFile:
    """A file with one JSON object a line, such as an evaluation harness writes; every line has the same keys."""

    path: Path
    where: str
    names: tuple[str, ...] = field(init=False)
    tabular = True

    def __post_init__(self) -> None:
        first = next(self._objects(), None)
        if first is None:
            raise DiagnosticsError.of("data-empty", "the file has no line.", where=self.where)
        object.__setattr__(self, "names", tuple(first[1]))

    def read(self, names: Collection[str], *, numeric: Collection[str] = ()) -> dict[str, NDArray[Any] | TextColumn]:
        """Columns of these names; those in ``numeric`` must be numbers, others may be text."""
        cells: dict[str, list[Any]] = {name: [] for name in names}
        for line, found in self._objects():
            for name in names:
                cells[name].append(self._cell(found, name, line))
        return {name: self._column(name, values, name in numeric) for name, values in cells.items()}

    def table(
        self, inputs: Sequence[str], beside: Sequence[str], kind: Kind | None, types: Types
    ) -> tuple[Frame, dict[str, NDArray[Any] | TextColumn]]:
        """The inputs as a frame with missing values, and other columns beside them as ``read`` gives them."""
        frame = self._frame(inputs, kind or "pandas", None)
        frame.check()
        return typed(frame, types), self.read(beside)

    def sample(self, names: Sequence[str], kind: Kind = "pandas", types: Types | None = None) -> Frame:
        """The first rows as a frame."""
        return typed(self._frame(names, kind, SAMPLE), types or {})

    def numbers_only(self, names: Collection[str]) -> bool:
        """Whether the first rows of these columns are numbers throughout."""
        head = islice(self._objects(), SAMPLE)
        return all(isinstance(found.get(name), bool | int | float) for _, found in head for name in names)

    def _frame(self, names: Sequence[str], kind: Kind, rows: int | None) -> Frame:
        import narwhals.stable.v2 as nw

        require(kind, extra="frames", purpose="A frame for the model")
        cells: dict[str, list[Any]] = {name: [] for name in names}
        for line, found in islice(self._objects(), rows):
            for name in names:
                cells[name].append(self._cell(found, name, line, missing=True))
        return Frame(nw.from_dict(cells, backend=kind).to_native(), self.where)

    def _cell(self, found: dict[str, Any], name: str, line: int, *, missing: bool = False) -> Any:
        value = found.get(name)
        if value is None and missing:
            return None
        if value is None:
            text = f"key {quoted(name)} has no value."
            raise DiagnosticsError.of("data-missing-values", text, where=f"{self.where}:{line}")
        if not isinstance(value, str | bool | int | float):
            text = f"key {quoted(name)} must be a number, text, true or false; found a {type(value).__name__}."
            raise DiagnosticsError.of("data-type", text, where=f"{self.where}:{line}")
        return value

    def _column(self, name: str, values: list[Any], numeric: bool) -> NDArray[Any] | TextColumn:
        texts = [isinstance(value, str) for value in values]
        if not any(texts):
            return np.asarray(values)
        if numeric or not all(texts):
            row = texts.index(numeric)
            found = f"key {quoted(name)} has {quoted(str(values[row]), 60)} in row {row}, which is no "
            text = f"{found}{'number' if numeric else 'text, as others are'}."
            raise DiagnosticsError.of("data-type", text, where=self.where)
        return _coded(tuple(values))

    def _objects(self) -> Iterator[tuple[int, dict[str, Any]]]:
        with self.path.open(encoding="utf-8-sig") as stream:
            try:
                for line, text in enumerate(stream, 1):
                    if text.strip():
                        yield line, self._object(text, line)
            except UnicodeDecodeError as error:
                text = "this is not UTF-8."
                raise DiagnosticsError.of("data-unreadable", text, where=self.where) from error

    def _object(self, text: str, line: int) -> dict[str, Any]:
        try:
            found = json.loads(text)
        except ValueError as error:
            place = f"{self.where}:{line}"
            raise DiagnosticsError.of("data-unreadable", f"{explained(error)}.", where=place) from error
        if not isinstance(found, dict):
            text = f"a line must be an object with names and values; found a {type(found).__name__}."
            raise DiagnosticsError.of("data-unreadable", text, where=f"{self.where}:{line}")
        return found


def _number(cell: str) -> float:
    if "_" in cell or not cell.isascii():
        raise ValueError(cell)
    return float(cell)


def _is_number(cell: str) -> bool:
    try:
        _number(cell)
    except ValueError:
        return False
    return True


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _numbers_where_possible(cells: tuple[str, ...]) -> NDArray[Any] | None:
    if NO_NUMBER.search("\0".join(cells)):
        return None
    for kind, dtype in ((int, np.int64), (float, np.float64)):
        try:
            return np.fromiter(map(kind, cells), dtype=dtype, count=len(cells))
        except (ValueError, OverflowError):
            continue
    return None


def _coded(cells: tuple[str, ...]) -> TextColumn:
    codes: dict[str, int] = {}
    numbers = [codes.setdefault(cell, len(codes)) for cell in cells]
    return TextColumn(np.asarray(numbers, dtype=np.int64), tuple(codes))


def _pandas_options(
    header: Sequence[str], names: Sequence[str], as_text: Sequence[str], inputs: Sequence[str], rows: int | None
) -> dict[str, Any]:
    return {
        "header": 0,
        "names": list(header),
        "index_col": False,
        "dtype": dict.fromkeys([*as_text, *(name for name in header if name not in names)], str),
        "na_values": {name: list(MISSING) for name in names if name in inputs},
        "keep_default_na": False,
        "low_memory": False,
        "encoding": "utf-8-sig",
        "nrows": rows,
    }


def _polars_options(
    header: Sequence[str], names: Sequence[str], as_text: Sequence[str], inputs: Sequence[str], rows: int | None
) -> dict[str, Any]:
    import polars as pl

    return {
        "has_header": False,
        "skip_rows": 1,
        "new_columns": list(header),
        "schema_overrides": dict.fromkeys(as_text, pl.String),
        "null_values": list(MISSING),
        "infer_schema_length": None,
        "n_rows": rows,
    }


def _pyarrow_options(
    header: Sequence[str], names: Sequence[str], as_text: Sequence[str], inputs: Sequence[str], rows: int | None
) -> dict[str, Any]:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    convert = arrow_csv.ConvertOptions(
        include_columns=list(names),
        null_values=list(MISSING),
        strings_can_be_null=True,
        column_types=dict.fromkeys(as_text, pa.string()),
    )
    read = arrow_csv.ReadOptions(column_names=list(header), skip_rows=1, block_size=LARGEST_BLOCK)
    parse = arrow_csv.ParseOptions(newlines_in_values=True)
    return {"convert_options": convert, "read_options": read, "parse_options": parse}


LARGEST_BLOCK = 2**30
"""So many bytes of a csv file decide what the types of its columns are."""
_CSV_OPTIONS = {"pandas": _pandas_options, "polars": _polars_options, "pyarrow": _pyarrow_options}
