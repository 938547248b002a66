"""Columns of parquet files, read in slices straight into their final arrays."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.classes import Coded
from surefoot.adapters.wording import explained
from surefoot.core import DiagnosticsError
from surefoot.core.extras import require
from surefoot.documents import quoted

SLICE = 1 << 18


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

    def read(self, names: Collection[str], *, numeric: Collection[str] = ()) -> dict[str, NDArray[Any] | Coded]:
        """Columns of these names; those in ``numeric`` must be numbers, others may be text."""
        return {name: self._column(name, name in numeric) for name in names}

    def _column(self, name: str, numeric: bool) -> NDArray[Any] | Coded:
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

    def _text(self, name: str) -> Coded:
        known: dict[str, int] = {}
        codes = np.empty(self._rows, np.int32)
        start = 0
        for values in self._slices(name, dictionary=True):
            table = [known.setdefault(text, len(known)) for text in values.dictionary.to_pylist()]
            codes[start : start + len(values)] = np.asarray(table, np.int32)[values.indices.to_numpy()]
            start += len(values)
        return Coded(codes, tuple(known))

    def _slices(self, name: str, *, dictionary: bool = False) -> Iterator[Any]:
        start = 0
        with self._open(dictionary=[name] if dictionary else []) as file:
            for batch in file.iter_batches(batch_size=SLICE, columns=[name], use_threads=True):
                values = batch.column(0)
                if values.null_count:
                    self._refuse_nulls(name, values, start)
                yield values.dictionary_encode() if dictionary and not hasattr(values, "indices") else values
                start += len(values)

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
            return int(file.metadata.num_rows)

    @contextmanager
    def _open(self, dictionary: Collection[str] = ()) -> Iterator[Any]:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile as Reader

        try:
            with self.path.open("rb") as stream, Reader(stream, read_dictionary=list(dictionary)) as file:
                yield file
        except (ArrowException, OSError) as error:
            text = f"this parquet file cannot be read: {explained(error)}."
            raise DiagnosticsError.of("data-unreadable", text, where=self.where) from error
