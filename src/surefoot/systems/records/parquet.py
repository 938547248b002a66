"""Values as columns of Parquet files and back, and files known by the key of what decides their content."""

from __future__ import annotations

import base64
import io
import json
import os
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput
from surefoot.core.errors import require
from surefoot.systems.graph.module import version_of

LISTS = ("vector", "audio")
FILES = ("array", "image", "boxes", "tracks")
TAG = "$"
"""The one key of a mapping that stands for something JSON has no form for: its kind, and its content."""
KEY = b"surefoot"


def write(part: Part, columns: Mapping[str, Any], about: Mapping[str, Any]) -> None:
    """Write a file of a recording, whole or not at all.

    Parameters
    ----------
    part
        Where it lies, and its key.
    columns
        By name, as ``column_of`` and ``matrix_of`` make them.
    about
        What else the file says of itself.

    Returns
    -------
    None

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     part = Part(Path(folder) / "some.parquet", "key", 0, 2)
    ...     write(part, {"item": column_of("text", ["a", "b"], where="names")}, {})
    ...     part.there, values_of("text", read(part)["item"])
    (True, ['a', 'b'])

    """
    import pyarrow as pa
    from pyarrow import parquet

    path = part.path
    table = pa.table(dict(columns)).replace_schema_metadata({KEY: json.dumps({"key": part.key, **about}).encode()})
    unfinished = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            parquet.write_table(table, unfinished, compression="zstd", write_page_checksum=True)
            os.replace(unfinished, path)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise InvalidInput(
            "a recording cannot be kept",
            where=str(path.parent),
            found=str(error),
            remedy="Make room there, or name another folder.",
        ) from error


@dataclass(frozen=True)
class Part:
    """Some items of a recording: where its file lies, and the key that its file must have.

    Parameters
    ----------
    path, key
        The file, and the digest of what decides its content.
    start, stop
        The items.

    See Also
    --------
    write, read

    """

    path: Path
    key: str
    start: int
    stop: int

    @property
    def there(self) -> bool:
        """Whether the file is there and was made by what would make it now."""
        return key_in(self.path) == self.key


def key_in(path: Path) -> str | None:
    """The key of a file; None where it is missing, damaged or not ours."""
    from pyarrow import lib, parquet

    try:
        return _key(parquet.read_metadata(path).metadata)
    except (OSError, lib.ArrowException):
        return None


def _key(metadata: Mapping[bytes, bytes] | None) -> str | None:
    try:
        about = json.loads((metadata or {})[KEY])
        return str(about["key"])
    except (ValueError, KeyError, TypeError):
        return None


def read(part: Part, names: Sequence[str] | None = None) -> Any:
    """Columns of a part as an Arrow table; its file must still be the one that was made.

    Parameters
    ----------
    part
        Where it lies, and its key.
    names
        Of columns; without them all.

    Returns
    -------
    pyarrow.Table
        The columns.

    Raises
    ------
    InvalidInput
        Where the file is missing, damaged or another's.

    See Also
    --------
    write

    """
    from pyarrow import lib, parquet

    try:
        with parquet.ParquetFile(part.path, page_checksum_verification=True) as file:
            key = _key(file.metadata.metadata)
            table = file.read(columns=None if names is None else list(names))
    except (OSError, lib.ArrowException) as error:
        raise _lost(part, str(error)) from error
    if key != part.key:
        raise _lost(part, "the recording of another study")
    return table


def _lost(part: Part, found: str) -> InvalidInput:
    remedy = "Delete the file and run the study again; two studies that differ need folders of their own."
    return InvalidInput("a recording is not what the study made", where=str(part.path), found=found, remedy=remedy)


def names_in(part: Part) -> list[str]:
    """Names of the columns of a part.

    Parameters
    ----------
    part
        Where it lies.

    Returns
    -------
    list of str
        As they were written.

    See Also
    --------
    write

    """
    from pyarrow import parquet

    return list(parquet.read_schema(part.path).names)


class Done:
    """A part was made. It lies in its file: this is nothing that an executor could remember in place of making it."""


def require_parquet() -> None:
    """Parquet files can be written."""
    require("pyarrow", extra="parquet", purpose="Recording a system")


def slug(name: str) -> str:
    """A name as a folder may have it; names that would look alike stay apart.

    Parameters
    ----------
    name
        Any text.

    Returns
    -------
    str
        Letters, digits, dots and dashes.

    Examples
    --------
    >>> slug("fog-3")
    'fog-3'

    """
    plain = re.sub(r"[^\w.-]+", "_", name).strip("._")[:60]
    # Some file systems do not tell upper from lower case, nor one way to write an accent from another.
    return (
        plain
        if plain and plain == name == name.lower() and name.isascii()
        else f"{plain or 'x'}-{version_of(name)[:6]}"
    )


# Values of a port as a column, and back.


def column_of(kind: str, values: Sequence[Any], *, where: str) -> Any:
    """A column of values of one kind, None where there is none; what Parquet has no type for, as a file or JSON.

    Parameters
    ----------
    kind
        As of ports.
    values
        One an item.
    where
        What errors are about.

    Returns
    -------
    pyarrow.Array
        The column.

    Examples
    --------
    >>> values_of("vector", column_of("vector", [[1.0, 2.0], None], where="net"))
    [array([1., 2.]), None]

    """
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


def array_bytes(array: NDArray[Any]) -> bytes:
    """An array as the bytes of a file."""
    content = io.BytesIO()
    np.save(content, array, allow_pickle=False)
    return content.getvalue()


def to_plain(value: Any, *, where: str) -> str:
    """A value as JSON."""
    try:
        return json.dumps(_plain(value))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(
            "the output cannot be recorded",
            where=where,
            found=str(error),
            remedy="Say what the port gives (number, vector, text, ...), or give plain values.",
        ) from error


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, np.generic):
        simple = {"b": bool, "i": int, "u": int, "f": float}.get(value.dtype.kind)
        return _tagged("scalar", _packed(np.asarray(value))) if simple is None else simple(value)
    if isinstance(value, np.ndarray):
        return _tagged("array", _packed(value))
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, tuple):
        return _tagged("tuple", [_plain(item) for item in value])
    if isinstance(value, bytes):
        return _tagged("bytes", base64.b64encode(value).decode())
    if isinstance(value, Mapping):
        if all(isinstance(key, str) and key != TAG for key in value):
            return {key: _plain(item) for key, item in value.items()}
        return _tagged("mapping", [[_plain(key), _plain(item)] for key, item in value.items()])
    raise TypeError(f"a {type(value).__name__} is no plain value")


def _tagged(kind: str, content: Any) -> dict[str, Any]:
    return {TAG: [kind, content]}


def _packed(array: Any) -> str:
    return base64.b64encode(array_bytes(array)).decode()


def values_of(kind: str, column: Any) -> list[Any]:
    """What ``column_of`` wrote.

    Parameters
    ----------
    kind, column
        Of the values, and where they are.

    Returns
    -------
    list
        One an item.

    See Also
    --------
    column_of

    """
    if kind in LISTS:
        return [row.values.to_numpy(zero_copy_only=False) if row.is_valid else None for row in column]
    plain = column.to_pylist()
    if kind == "number":
        return list(plain)
    if kind == "text":
        return [v.decode("utf-8", "surrogatepass") if isinstance(v, bytes) else v for v in plain]
    restored = array_from if kind in FILES else from_plain
    return [None if v is None else restored(v) for v in plain]


def array_from(content: bytes) -> NDArray[Any]:
    """What ``array_bytes`` wrote."""
    return np.asarray(np.load(io.BytesIO(content), allow_pickle=False))


def from_plain(text: str) -> Any:
    """What ``to_plain`` wrote."""
    return json.loads(text, object_hook=_restored)


def _restored(value: dict[str, Any]) -> Any:
    if set(value) != {TAG}:
        return value
    kind, content = value[TAG]
    return KINDS[kind](content)


def matrix_of(rows: Sequence[Any], width: int, *, where: str) -> Any:
    """Rows of numbers, all of one width, as a column; None where there is none.

    Parameters
    ----------
    rows, width
        One an item, and how many numbers each has.
    where
        What errors are about.

    Returns
    -------
    pyarrow.Array
        The column.

    Examples
    --------
    >>> rows_of(matrix_of([[1.0, 2.0], None], 2, where="features"))
    array([[ 1.,  2.],
           [nan, nan]])

    """
    import pyarrow as pa

    widths = {np.size(row) for row in rows if row is not None}
    if not width or widths - {width}:
        found = f"widths {', '.join(map(str, sorted(widths)))}"
        raise InvalidInput("every item must have as many numbers, and at least one", where=where, found=found)
    missing = np.array([row is None for row in rows])
    filled = np.array([np.zeros(width) if row is None else np.reshape(row, -1) for row in rows], dtype=np.float64)
    return pa.FixedSizeListArray.from_arrays(pa.array(filled.reshape(-1)), width, mask=pa.array(missing))


def rows_of(column: Any) -> NDArray[np.float64]:
    """What ``matrix_of`` wrote, with NaN where there is none.

    Parameters
    ----------
    column
        Of rows of numbers.

    Returns
    -------
    ndarray
        Items x numbers.

    See Also
    --------
    matrix_of

    """
    whole = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    width = whole.type.list_size
    values = np.array(whole.values.to_numpy(zero_copy_only=False), dtype=np.float64).reshape(-1, width)
    values = values[whole.offset : whole.offset + len(whole)].copy()
    values[np.asarray(whole.is_null())] = np.nan
    return values


def _unpacked(text: str) -> Any:
    return array_from(base64.b64decode(text))


KINDS: dict[str, Callable[[Any], Any]] = {
    "array": _unpacked,
    "scalar": lambda text: _unpacked(text)[()],
    "tuple": tuple,
    "bytes": base64.b64decode,
    "mapping": dict,
}
