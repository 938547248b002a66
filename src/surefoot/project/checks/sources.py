"""Whether the files and modules that a project names are there. No code of the project is run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from surefoot.adapters.data import READERS
from surefoot.adapters.identity import LIBRARIES
from surefoot.adapters.loading import HINTS
from surefoot.adapters.trust import PICKLED
from surefoot.documents import Keys, Problem, closest, printable
from surefoot.project.checks.columns import column_problems
from surefoot.project.checks.components import has_scores
from surefoot.project.checks.modules import module_problems
from surefoot.project.definition import MODEL, DataSource, ModelSource
from surefoot.project.draft import Draft

WEIGHTS = (".safetensors",)
MODELS = tuple(suffix for suffix in LIBRARIES if suffix not in WEIGHTS)
DATA = tuple(READERS)


def source_problems(draft: Draft) -> Iterator[Problem]:
    """Problems of every model and data set that does not come from memory, and components that have no scores."""
    for name, component in draft.definition.components.items():
        if component.model is None and not has_scores(component):
            hint = "Add model:, or name the scores of a data set with scores:."
            at = ("components", name, MODEL)
            yield Problem("missing-key", at, "is missing, and no data set has scores.", hint)
    for path, source in draft.sources.items():
        if f"{path[1]}.{path[-1]}" in draft.objects:
            continue
        if isinstance(source, ModelSource):
            yield from _model_problems(source, draft.folder, path)
        else:
            yield from _data_problems(source, draft.folder, path)


def _model_problems(source: ModelSource, folder: Path, at: Keys) -> Iterator[Problem]:
    if source.path is not None:
        yield from file_problems(source.path, folder, (*at, "path"), MODELS)
        if _suffix(source.path) in PICKLED and source.trust != "pickle":
            text = "is a pickled model, and reading it runs whatever code it holds."
            yield Problem("model-untrusted", (*at, "path"), text, "Save it with skops, or add trust: pickle.")
    if source.weights is not None:
        yield from file_problems(source.weights, folder, (*at, "weights"), WEIGHTS)
    for number, file in enumerate(source.files):
        yield from file_problems(file, folder, (*at, "files", number))
    for key in ("callable", "factory"):
        if getattr(source, key) is not None:
            yield from module_problems(getattr(source, key), folder, (*at, key))


def _data_problems(source: DataSource, folder: Path, at: Keys) -> Iterator[Problem]:
    if source.callable is not None:
        yield from module_problems(source.callable, folder, (*at, "callable"))
    elif source.path is not None and not os.path.isdir(folder / source.path):
        problems = list(file_problems(source.path, folder, (*at, "path"), DATA))
        yield from problems or column_problems(source, folder / source.path, at)


def file_problems(text: str, folder: Path, at: Keys, suffixes: tuple[str, ...] = ()) -> Iterator[Problem]:
    """A file that is not there, may not be read, or has another ending than those that will do."""
    path = folder / text
    if os.path.isdir(path):
        yield Problem("wrong-value", at, f"must be a file; found the folder {printable(text, 80)}.")
    elif not os.path.exists(path):
        yield Problem("file-missing", at, f"names a file that is not there: {printable(text, 80)}.", _near(path))
    elif not os.access(path, os.R_OK):
        yield Problem("file-unreadable", at, f"names a file that may not be read: {printable(text, 80)}.")
    elif suffixes and _suffix(text) not in suffixes:
        problem = f"must end in {_listed(suffixes)}; found {printable(text, 80)}."
        yield Problem("wrong-value", at, problem, HINTS.get(_suffix(text), "") if suffixes == MODELS else "")


def _suffix(text: str) -> str:
    return Path(text).suffix.lower()


def _listed(words: tuple[str, ...]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _near(path: Path) -> str:
    """A file of nearly that name in the same folder."""
    try:
        there = [printable(name) for name in os.listdir(path.parent)]
    except (OSError, ValueError):
        return "Paths are relative to the folder of the project file."
    close = closest(path.name, there)
    return f"Did you mean {close!r}?" if close else "Paths are relative to the folder of the project file."
