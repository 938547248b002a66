"""Parquet files, each known by the key of what decides its content."""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surefoot.core import InvalidInput
from surefoot.core.extras import require
from surefoot.systems.graph.identity import version_of

KEY = b"surefoot"


@dataclass(frozen=True)
class Part:
    """Some items of a recording: where its file lies, and the key that its file must have."""

    path: Path
    key: str
    start: int
    stop: int

    @property
    def there(self) -> bool:
        """Whether the file is there and was made by what would make it now."""
        return key_in(self.path) == self.key


class Done:
    """A part was made. It lies in its file: this is nothing that an executor could remember in place of making it."""


def require_parquet() -> None:
    """Parquet files can be written."""
    require("pyarrow", extra="parquet", purpose="Recording a system")


def write(part: Part, columns: Mapping[str, Any], about: Mapping[str, Any]) -> None:
    """Write a file, whole or not at all."""
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


def read(part: Part, names: Sequence[str] | None = None) -> Any:
    """Columns of a part as an Arrow table; its file must still be the one that was made."""
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


def names_in(part: Part) -> list[str]:
    """Names of the columns of a part."""
    from pyarrow import parquet

    return list(parquet.read_schema(part.path).names)


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


def _lost(part: Part, found: str) -> InvalidInput:
    remedy = "Delete the file and run the study again; two studies that differ need folders of their own."
    return InvalidInput("a recording is not what the study made", where=str(part.path), found=found, remedy=remedy)


def slug(name: str) -> str:
    """A name as a folder may have it; names that would look alike stay apart."""
    plain = re.sub(r"[^\w.-]+", "_", name).strip("._")[:60]
    # Some file systems do not tell upper from lower case, nor one way to write an accent from another.
    return (
        plain
        if plain and plain == name == name.lower() and name.isascii()
        else f"{plain or 'x'}-{version_of(name)[:6]}"
    )
