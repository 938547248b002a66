"""Projects that ship with Surefoot and are copied into a user's folder."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

TEMPLATES = "templates"


def project_files(name: str) -> Iterator[Traversable]:
    """The files of a shipped project, in the order of their names."""
    found = files("surefoot.cli").joinpath(TEMPLATES, name).iterdir()
    return iter(sorted((each for each in found if each.is_file()), key=lambda each: each.name))


def copy_missing(name: str, folder: Path) -> list[Path]:
    """Copy a shipped project into a folder, leave files that are there, and say which were written."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for source in project_files(name):
        target = folder / source.name
        if not target.exists():
            target.write_bytes(source.read_bytes())
            written.append(target)
    return written
