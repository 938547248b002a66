"""Every file of a project's folder that Python could import, found without running anything.

Imports by a computed name leave no trace in a source, so that all of this code belongs to a model made of code.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.machinery import all_suffixes
from pathlib import Path

IMPORTABLE = tuple(all_suffixes())
MOST_FILES = 10_000
MOST_BYTES = 2**30
NOT_THE_PROJECT = {"__pycache__", "node_modules", "site-packages", "dist-packages"}
ENVIRONMENT = ("pyvenv.cfg", "conda-meta")


def project_code(folder: Path) -> dict[str, Path] | None:
    """Importable files by name, without hidden folders and virtual environments; None where they are too many."""
    found: dict[str, Path] = {}
    size = 0
    for path in _importable(folder):
        size += path.stat().st_size
        if len(found) == MOST_FILES or size > MOST_BYTES:
            return None
        found[path.relative_to(folder).as_posix()] = path
    return found


def _importable(folder: Path) -> Iterator[Path]:
    seen = {os.path.realpath(folder)}
    for place, folders, names in os.walk(folder, followlinks=True):
        folders[:] = [name for name in sorted(folders) if _belongs(Path(place, name), seen)]
        paths = (Path(place, name) for name in sorted(names) if name.endswith(IMPORTABLE))
        yield from (path for path in paths if path.is_file())


def _belongs(folder: Path, seen: set[str]) -> bool:
    """Whether a folder is part of the project, and was not met before under another name."""
    real = os.path.realpath(folder)
    if folder.name.startswith(".") or folder.name in NOT_THE_PROJECT or real in seen:
        return False
    seen.add(real)
    return not any((folder / mark).exists() for mark in ENVIRONMENT)
