"""Values of a port as a column of a Parquet file, and back."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput

LISTS = ("vector", "audio")
FILES = ("array", "image", "boxes", "tracks")


def column_of(kind: str, values: Sequence[Any], *, where: str) -> Any:
    """A column of values of one kind, None where there is none; what Parquet has no type for, as a file or JSON."""
    import pyarrow as pa

    if kind == "number":
        return pa.array([None if v is None else float(v) for v in values], pa.float64())
    if kind == "text":
        return pa.array(list(values), pa.string())
    if kind in LISTS:
        return _lists(values)
    if kind in FILES:
        return pa.array([None if v is None else _file(np.asarray(v)) for v in values], pa.large_binary())
    return pa.array([None if v is None else _json(v, where) for v in values], pa.string())


def values_of(kind: str, column: Any) -> list[Any]:
    """What ``column_of`` wrote."""
    plain = column.to_pylist() if kind not in LISTS else _from_lists(column)
    if kind in FILES:
        return [None if v is None else _array(v) for v in plain]
    if kind in ("number", "text", *LISTS):
        return plain
    return [None if v is None else _from_json(v) for v in plain]


def matrix_of(rows: Sequence[Any], width: int) -> Any:
    """Rows of numbers, all of one width, as a column; None where there is none."""
    import pyarrow as pa

    missing = np.array([row is None for row in rows])
    filled = np.array([np.zeros(width) if row is None else np.asarray(row) for row in rows], dtype=np.float64)
    flat = pa.array(filled.reshape(-1))
    return pa.FixedSizeListArray.from_arrays(flat, width, mask=pa.array(missing))


def rows_of(column: Any) -> NDArray[np.float64]:
    """What ``matrix_of`` wrote, with NaN where there is none."""
    whole = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    width = whole.type.list_size
    values = np.array(whole.values.to_numpy(zero_copy_only=False), dtype=np.float64).reshape(-1, width)
    values = values[whole.offset : whole.offset + len(whole)].copy()
    values[np.asarray(whole.is_null())] = np.nan
    return values


def _lists(values: Sequence[Any]) -> Any:
    import pyarrow as pa

    arrays = [None if v is None else np.asarray(v).reshape(-1) for v in values]
    kinds = {a.dtype for a in arrays if a is not None} or {np.dtype(np.float64)}
    dtype = np.result_type(*kinds)
    wide = np.dtype(np.float32) if dtype == np.float16 else dtype
    return pa.array([None if a is None else a.astype(wide) for a in arrays], pa.list_(pa.from_numpy_dtype(wide)))


def _from_lists(column: Any) -> list[Any]:
    whole = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    return [row.values.to_numpy(zero_copy_only=False) if row.is_valid else None for row in whole]


def _file(array: NDArray[Any]) -> bytes:
    content = io.BytesIO()
    np.save(content, array, allow_pickle=False)
    return content.getvalue()


def _array(content: bytes) -> NDArray[Any]:
    return np.asarray(np.load(io.BytesIO(content), allow_pickle=False))


def _json(value: Any, where: str) -> str:
    try:
        return json.dumps(value, default=_plain)
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            "the output cannot be recorded",
            where=where,
            found=str(error),
            remedy="Say what the port gives (number, vector, text, ...), or give plain values.",
        ) from error


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return {"array": value.tolist(), "dtype": str(value.dtype)}
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a {type(value).__name__} is no plain value")


def _from_json(text: str) -> Any:
    return json.loads(text, object_hook=_restored)


def _restored(value: dict[str, Any]) -> Any:
    return np.array(value["array"], dtype=value["dtype"]) if set(value) == {"array", "dtype"} else value
