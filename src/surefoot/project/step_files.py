"""Parameters of steps that name a file of the project, whose content is part of what the result rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import Any

from pydantic.fields import FieldInfo

from surefoot.adapters.files import file_digest, locate_file
from surefoot.core import digest


@dataclass(frozen=True)
class NamesFile:
    """Marks a parameter that names a file: ``Annotated[str, NamesFile((".safetensors",))]``.

    The step is handed the path from where it runs, or one of ``words`` as it was written.
    """

    suffixes: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


def files_named(fields: Mapping[str, FieldInfo], values: Mapping[str, Any]) -> dict[str, tuple[str, NamesFile]]:
    """For each parameter that names a file: the file as it was written, and which files will do."""
    marked = {name: mark for name, field in fields.items() for mark in field.metadata if isinstance(mark, NamesFile)}
    return {
        name: (values[name], mark)
        for name, mark in marked.items()
        if isinstance(values.get(name), str) and values[name] not in mark.words
    }


def file_digests(files: Mapping[str, str], folder: Path) -> dict[str, str]:
    """SHA-256 of the file that each parameter names, together with the tables beside it that belong to it."""
    return {name: _digest(locate_file(text, folder, what=name)) for name, text in files.items()}


def _digest(path: Path) -> str:
    """``sheet.items.csv`` and its like belong to ``sheet.csv``."""
    beside = sorted(path.parent.glob(f"{escape(path.stem)}.*.csv")) if path.suffix == ".csv" else []
    parts = [file_digest(file) for file in (path, *beside)]
    return digest(parts) if beside else parts[0]
