"""Parameters of steps that name files or code of the project, whose content is part of what the result rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import Any

from pydantic.fields import FieldInfo

from surefoot.adapters.files import file_digest, locate_file
from surefoot.adapters.modules import REFERENCE, ProjectModules
from surefoot.adapters.sources import module_sources
from surefoot.core import digest


@dataclass(frozen=True)
class NamesFile:
    """Marks a parameter that names a file: ``Annotated[str, NamesFile((".safetensors",))]``.

    The step is handed the path from where it runs, or one of ``words`` as it was written.
    """

    suffixes: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


class NamesCode(NamesFile):
    """Marks a parameter that names a function of the project as ``module:name``; ``found_code`` imports it.

    All code of the project's folder is part of what the result rests on.
    """


Place = tuple[str | int, ...]
"""A parameter; one that names several files is followed by the number of the file."""


def files_named(fields: Mapping[str, FieldInfo], values: Mapping[str, Any]) -> dict[Place, tuple[str, NamesFile]]:
    """For each parameter that names a file or files: the file as it was written, and which files will do."""
    marked = {name: mark for name, field in fields.items() for mark in field.metadata if isinstance(mark, NamesFile)}
    return {
        place: (text, mark)
        for name, mark in marked.items()
        for place, text in _written(name, values.get(name))
        if isinstance(text, str) and text not in mark.words
    }


def _written(name: str, value: Any) -> list[tuple[Place, Any]]:
    if isinstance(value, list | tuple):
        return [((name, number), text) for number, text in enumerate(value)]
    return [((name,), value)]


def files_at(files: Mapping[Place, str], folder: Path) -> dict[str, str | list[str]]:
    """What the step is handed: paths from where it runs, for code the folder followed by ``module:name``."""
    several: dict[str, str | list[str]] = {}
    for (name, *number), text in files.items():
        path = str(folder / text)
        several[str(name)] = [*several.get(str(name), []), path] if number else path
    return several


def file_digests(files: Mapping[Place, str], folder: Path) -> dict[str, str]:
    """SHA-256 of each file that is named, with the tables beside it that belong to it; of code, of all there is."""
    return {
        " ".join(map(str, place)): _code_digest(text, folder)
        if is_code(text)
        else _digest(locate_file(text, folder, what=str(place[0])))
        for place, text in files.items()
    }


def is_code(text: str) -> bool:
    """Whether a text has the form ``module:name``."""
    return REFERENCE.fullmatch(text) is not None


def _code_digest(reference: str, folder: Path) -> str:
    found = module_sources(reference, folder, code="file-unreadable")
    return digest({"code": reference, "sources": found.digests, "versions": found.versions})


@contextmanager
def found_code(path: str) -> Iterator[Any]:
    """The function that a step was handed; while it is used, the project's folder can be imported from."""
    folder, reference = Path(path).parent, Path(path).name
    modules = ProjectModules(folder)
    with modules.active():
        yield modules.find(reference, code="file-unreadable")


def _digest(path: Path) -> str:
    """``sheet.items.csv`` and its like belong to ``sheet.csv``."""
    beside = sorted(path.parent.glob(f"{escape(path.stem)}.*.csv")) if path.suffix == ".csv" else []
    parts = [file_digest(file) for file in (path, *beside)]
    return digest(parts) if beside else parts[0]
