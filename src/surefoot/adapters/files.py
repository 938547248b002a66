"""Files and folders that a project names: found, readable, and told apart by their content."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from surefoot.adapters.wording import explained
from surefoot.core import DiagnosticsError
from surefoot.documents import did_you_mean, printable, quoted


def locate(path: str | Path, folder: Path, *, what: str) -> Path:
    """The file or folder of that name, seen from the project's folder."""
    place = Path(folder) / path
    try:
        if place.exists():
            return place
    except (OSError, ValueError) as error:
        raise _unreadable(path, what, explained(error)) from error
    raise DiagnosticsError.of(
        "file-missing",
        f"{what} {quoted(path)} is not in {printable(place.parent)}.",
        where=printable(path),
        hint=did_you_mean(place.name, _names(place.parent)),
    )


def locate_file(path: str | Path, folder: Path, *, what: str) -> Path:
    """A regular file that can be opened."""
    place = locate(path, folder, what=what)
    if not place.is_file():
        raise _unreadable(path, what, "it is a folder" if place.is_dir() else "it is no regular file")
    try:
        place.open("rb").close()
    except OSError as error:
        raise _unreadable(path, what, explained(error)) from error
    return place


def file_digest(path: Path) -> str:
    """SHA-256 of a file's content."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def visible(folder: Path) -> list[Path]:
    """What a folder holds, by name, without hidden entries."""
    try:
        return sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
    except OSError as error:
        raise _unreadable(folder, "folder", explained(error)) from error


def visible_files(folder: Path) -> Iterator[Path]:
    """All files below a folder in a fixed order, without hidden ones."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(place) / name for name in sorted(names) if not name.startswith("."))


def _names(folder: Path) -> list[str]:
    with suppress(OSError):
        return sorted(os.listdir(folder))
    return []


def _unreadable(path: str | Path, what: str, why: str) -> DiagnosticsError:
    return DiagnosticsError.of(
        "file-unreadable", f"{what} {quoted(path)} cannot be read: {why}.", where=printable(path)
    )
