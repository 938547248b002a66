"""``Store``: a folder of Parquet files, each known by the key of what decides its content."""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surefoot.core import InvalidInput, digest
from surefoot.core.extras import require

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


def require_parquet() -> None:
    """Parquet files can be written."""
    require("pyarrow", extra="parquet", purpose="Recording a system")


def write(path: Path, key: str, columns: Mapping[str, Any], about: Mapping[str, Any]) -> None:
    """Write a file, whole or not at all."""
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table(dict(columns)).replace_schema_metadata({KEY: json.dumps({"key": key, **about}).encode()})
    unfinished = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(table, unfinished, compression="zstd")
        os.replace(unfinished, path)
    except OSError as error:
        remedy = "Make room there, or name another folder."
        raise InvalidInput(
            "a recording cannot be kept", where=str(path.parent), found=str(error), remedy=remedy
        ) from error
    finally:
        unfinished.unlink(missing_ok=True)


def read(path: Path, names: Sequence[str] | None = None) -> Any:
    """Columns of a file as an Arrow table."""
    from pyarrow import parquet

    return parquet.ParquetFile(path).read(columns=list(names) if names is not None else None)


def names_in(path: Path) -> list[str]:
    """Names of the columns of a file."""
    from pyarrow import parquet

    return list(parquet.read_schema(path).names)


def key_in(path: Path) -> str | None:
    """The key of a file; None where it is missing, damaged or not ours."""
    from pyarrow import lib, parquet

    try:
        about = (parquet.read_metadata(path).metadata or {}).get(KEY)
        return None if about is None else json.loads(about)["key"]
    except (OSError, lib.ArrowException, ValueError, KeyError, TypeError):
        return None


def slug(name: str) -> str:
    """A name as a folder may have it; names that would look alike stay apart."""
    plain = re.sub(r"[^\w.-]+", "_", name).strip("._")[:60]
    return plain if plain == name else f"{plain or 'x'}-{digest(name)[:6]}"
