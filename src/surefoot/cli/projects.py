"""Projects that ship with Surefoot and are copied into a user's folder."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

TEMPLATES = "templates"
HIDDEN = "dot-"


def project_files(name: str) -> dict[str, Traversable]:
    """The files of a shipped project by the names they get; hidden ones ship under a name that is not hidden."""
    found = files("surefoot.cli").joinpath(TEMPLATES, name).iterdir()
    named = {f".{each.name.removeprefix(HIDDEN)}" if _is_hidden(each) else each.name: each for each in found}
    return {title: named[title] for title in sorted(named) if named[title].is_file()}


def copy_missing(name: str, folder: Path) -> list[Path]:
    """Copy a shipped project into a folder, leave files that are there, and say which were written."""
    from surefoot.project.store import write_atomically

    missing = {folder / title: source for title, source in project_files(name).items()}
    missing = {target: source for target, source in missing.items() if not target.exists()}
    for target, source in missing.items():
        write_atomically(target, source.read_bytes())
    return list(missing)


def _is_hidden(file: Traversable) -> bool:
    return file.name.startswith(HIDDEN)
