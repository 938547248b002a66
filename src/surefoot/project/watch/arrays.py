"""Rows of binary files: npz, which is read whole, and parquet, which is read in slices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from surefoot.adapters.npz_data import NpzFile
from surefoot.adapters.wording import explained
from surefoot.core import DiagnosticsError
from surefoot.core.extras import require
from surefoot.project.watch.chunk import Chunk


@dataclass(frozen=True)
class ArrayRows:
    """Rows of a file of arrays, a few at a time."""

    path: Path
    where: str
    batch: int
    skip: int = 0

    def __iter__(self) -> Iterator[Chunk]:
        """Chunks of at most ``batch`` rows."""
        reading = _parquet if self.path.suffix.lower() == ".parquet" else _npz
        read = 0
        for columns, rows in reading(self.path, self.where, self.batch):
            before, read = read, read + rows
            left_out = min(max(self.skip - before, 0), rows)
            if left_out < rows:
                kept = {name: column[left_out:] for name, column in columns.items()}
                yield Chunk(
                    kept, range(rows - left_out), rows - left_out, {"rows": read}, self.where, before + left_out + 1
                )
        if read < self.skip:
            text = f"the file has {read:,} rows, and {self.skip:,} of it were read before."
            raise DiagnosticsError.of("watch-state", text, where=self.where, hint="Remove the state to start anew.")


Slices = Iterator[tuple[dict[str, NDArray[Any]], int]]


def _npz(path: Path, where: str, batch: int) -> Slices:
    file = NpzFile(path, where)
    arrays = file.read(file.names)
    lengths = [len(array) for array in arrays.values() if array.ndim]
    rows = max(set(lengths), key=lengths.count, default=0)
    columns = {name: array for name, array in arrays.items() if array.ndim and len(array) == rows}
    for start in range(0, rows, batch):
        part = {name: array[start : start + batch] for name, array in columns.items()}
        yield part, min(batch, rows - start)


def _parquet(path: Path, where: str, batch: int) -> Slices:
    require("pyarrow", extra="parquet", purpose="A parquet file")
    from pyarrow import ArrowException, parquet

    try:
        with parquet.ParquetFile(path) as file:
            for slice_ in file.iter_batches(batch_size=batch):
                yield {name: _values(slice_.column(name)) for name in slice_.schema.names}, slice_.num_rows
    except (ArrowException, OSError) as error:
        text = f"this is no parquet file that can be read: {explained(error)}."
        raise DiagnosticsError.of("data-unreadable", text, where=where) from error


def _values(column: Any) -> Any:
    from pyarrow import types

    plain = types.is_floating(column.type) or types.is_integer(column.type) or types.is_boolean(column.type)
    return column.to_numpy(zero_copy_only=False) if plain and not column.null_count else column.to_pylist()
