"""Whether a data file has the columns that a project names, read from its head alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from surefoot.adapters.data import READERS
from surefoot.core import SurefootError
from surefoot.documents import Keys, Problem, did_you_mean, printable, shown
from surefoot.project.definition import DataSource

ROLES = ("inputs", "labels", "scores", "groups", "attributes")


def column_problems(source: DataSource, path: Path, at: Keys) -> Iterator[Problem]:
    """Names that are no column of the file; a file whose head cannot be read is told about when it is run."""
    there = _names_in(path)
    for keys, name in _named(source):
        if there and name not in there:
            text = f"names {shown(name)}, which is not in {printable(source.path, 80)}."
            yield Problem("data-column", (*at, *keys), text, did_you_mean(name, there))


def _names_in(path: Path) -> tuple[str, ...]:
    try:
        return READERS[path.suffix.lower()](path, printable(path.name)).names
    except (SurefootError, OSError):
        return ()


def _named(source: DataSource) -> Iterator[tuple[Keys, str]]:
    for role in ROLES:
        value = getattr(source, role)
        if isinstance(value, str):
            yield (role,), value
        else:
            yield from (((role, number), name) for number, name in enumerate(value or ()))
