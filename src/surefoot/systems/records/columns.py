"""Values of a port as a column of a Parquet file, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput
from surefoot.systems.records.arrays import array_bytes, array_from
from surefoot.systems.records.plain import from_plain, to_plain

LISTS = ("vector", "audio")
FILES = ("array", "image", "boxes", "tracks")


def column_of(kind: str, values: Sequence[Any], *, where: str) -> Any:
    """A column of values of one kind, None where there is none; what Parquet has no type for, as a file or JSON."""
    import pyarrow as pa

    if kind == "number":
        return pa.array([None if v is None else float(v) for v in values], pa.float64())
    if kind == "text":
        return _texts(values)
    if kind in LISTS:
        return _lists(values)
    if kind in FILES:
        return pa.array([None if v is None else array_bytes(np.asarray(v)) for v in values], pa.large_binary())
    return pa.array([None if v is None else to_plain(v, where=where) for v in values], pa.string())


def values_of(kind: str, column: Any) -> list[Any]:
    """What ``column_of`` wrote."""
    if kind in LISTS:
        return [row.values.to_numpy(zero_copy_only=False) if row.is_valid else None for row in column]
    plain = column.to_pylist()
    if kind == "number":
        return list(plain)
    if kind == "text":
        return [v.decode("utf-8", "surrogatepass") if isinstance(v, bytes) else v for v in plain]
    restored = array_from if kind in FILES else from_plain
    return [None if v is None else restored(v) for v in plain]


def matrix_of(rows: Sequence[Any], width: int, *, where: str) -> Any:
    """Rows of numbers, all of one width, as a column; None where there is none."""
    import pyarrow as pa

    widths = {np.size(row) for row in rows if row is not None}
    if not width or widths - {width}:
        found = f"widths {', '.join(map(str, sorted(widths)))}"
        raise InvalidInput("every item must have as many numbers, and at least one", where=where, found=found)
    missing = np.array([row is None for row in rows])
    filled = np.array([np.zeros(width) if row is None else np.reshape(row, -1) for row in rows], dtype=np.float64)
    return pa.FixedSizeListArray.from_arrays(pa.array(filled.reshape(-1)), width, mask=pa.array(missing))


def rows_of(column: Any) -> NDArray[np.float64]:
    """What ``matrix_of`` wrote, with NaN where there is none."""
    whole = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    width = whole.type.list_size
    values = np.array(whole.values.to_numpy(zero_copy_only=False), dtype=np.float64).reshape(-1, width)
    values = values[whole.offset : whole.offset + len(whole)].copy()
    values[np.asarray(whole.is_null())] = np.nan
    return values


def _texts(values: Sequence[Any]) -> Any:
    """Texts; as bytes where one has half of a surrogate pair, which UTF-8 does not allow."""
    import pyarrow as pa

    plain = [None if v is None else str(v) for v in values]
    try:
        return pa.array(plain, pa.string())
    except UnicodeEncodeError:
        return pa.array([None if v is None else v.encode("utf-8", "surrogatepass") for v in plain], pa.binary())


def _lists(values: Sequence[Any]) -> Any:
    """Rows of numbers of any length, in the narrowest type that Parquet has for all of them."""
    import pyarrow as pa

    arrays = [None if v is None else np.asarray(v).reshape(-1) for v in values]
    dtype = np.result_type(*({a.dtype for a in arrays if a is not None} or {np.dtype(np.float64)}))
    if dtype.kind == "f":
        dtype = np.dtype(np.float32 if dtype.itemsize <= 4 else np.float64)
    native = dtype.newbyteorder("=")
    return pa.array([None if a is None else a.astype(native) for a in arrays], pa.list_(pa.from_numpy_dtype(native)))
