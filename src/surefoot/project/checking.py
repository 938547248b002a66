"""Load a project and find everything that is wrong with it, all at once, before anything is run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Any

from surefoot.core import Diagnostic, DiagnosticsError
from surefoot.documents import Document, Findings, Keys, Kind, Place, Problem, printable, read_text, yaml
from surefoot.documents.document import START
from surefoot.project import draft as drafts
from surefoot.project.checks.case import case_problems
from surefoot.project.checks.sources import source_problems
from surefoot.project.checks.steps import step_problems
from surefoot.project.checks.targets import condition_problems, target_problems
from surefoot.project.draft import Draft
from surefoot.project.memory import DEEPEST, plain
from surefoot.project.project import Project

FILE = "surefoot.yaml"
PROJECT = Kind(
    "yaml-syntax",
    forbidden="yaml-forbidden",
    empty="missing-key",
    beginning="surefoot init writes a project to start from.",
    columns=True,
    largest=1_000_000,
    deepest=DEEPEST,
    most_values=50_000,
)
MOST_PROBLEMS = 200
"""More are not shown: whoever has so many mends the first ones first."""


def load(path: str | Path) -> Project:
    """Read a project file, or the ``surefoot.yaml`` of a folder; all problems are raised together."""
    file = _file(Path(path))
    document = _read(file)
    return checked(document.data, folder=file.absolute().parent, path=file, places=document.places)


def from_data(data: Mapping[str, Any], *, folder: Path) -> Project:
    """A project from what its file says, without the file."""
    if not isinstance(data, Mapping):
        raise DiagnosticsError.of("wrong-value", "a project must be a mapping of keys and values.", where="the project")
    return checked(plain(data), folder=folder)


def checked(
    data: Mapping[str, Any],
    *,
    folder: Path,
    path: Path | None = None,
    places: Mapping[Keys, Place] | None = None,
    objects: Mapping[str, Any] | None = None,
) -> Project:
    """A project from plain data, or one error that shows everything that is wrong with it."""
    draft, problems = drafts.read(data, folder, objects or {})
    project = Project(draft.definition, folder, path, places or {}, objects or {})
    DiagnosticsError.raise_if_any(_located(chain(problems, _problems(draft)), project))
    return project


def check(project: Project) -> list[Diagnostic]:
    """Everything that is wrong with a project as things stand now; warnings too."""
    draft = Draft.of(project.definition, project.folder, project.objects)
    return _located(_problems(draft), project)


def _problems(draft: Draft) -> Iterator[Problem]:
    yield from source_problems(draft)
    yield from step_problems(draft)
    yield from condition_problems(draft)
    yield from target_problems(draft)
    yield from case_problems(draft)


def _located(problems: Iterable[Problem], project: Project) -> list[Diagnostic]:
    """In the order of the file, and no more than a reader can mend at once."""
    some = list(islice(problems, MOST_PROBLEMS + 1))
    shown = sorted(some[:MOST_PROBLEMS], key=lambda p: project.line(*p.path))
    found = [problem.located(project.path, Document(None, project.places)) for problem in shown]
    if len(some) > MOST_PROBLEMS:
        text = f"There are more than {MOST_PROBLEMS} problems; the others are shown once these are mended."
        found.append(Diagnostic("wrong-value", text, "error", project.where()))
    return list(dict.fromkeys(found))


def _read(file: Path) -> Document:
    """What a project file says; all that is no YAML, or more of it than a project needs, is told with its place."""
    findings = Findings(printable(file.name), PROJECT)
    document = yaml.parse(read_text(file, findings), findings)
    if not isinstance(document.data, dict):
        text = "the file must be a mapping of keys and values."
        findings.stop("wrong-value", text, line=START, hint="Begin: version: 1")
    findings.raise_if_any()
    return document


def _file(path: Path) -> Path:
    try:
        is_folder, is_there = path.is_dir(), path.exists()
    except (OSError, ValueError) as error:
        raise DiagnosticsError.of("file-unreadable", f"the path cannot be used: {error}.") from error
    if is_folder and not (path / FILE).exists():
        text = f"the folder has no {FILE}."
        hint = "Run surefoot init there, or name the file."
        raise DiagnosticsError.of("file-missing", text, where=printable(path), hint=hint)
    if not is_there:
        text = "there is no such file."
        hint = "surefoot init writes a project to start from."
        raise DiagnosticsError.of("file-missing", text, where=printable(path), hint=hint)
    return path / FILE if is_folder else path
