"""Cases wherever they are: in a file of their own, in a project's stored result, in a report."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from surefoot.cli.failures import show_diagnostics
from surefoot.cli.options import PROJECT_FILE

if TYPE_CHECKING:
    from surefoot.case.change import Snapshot
    from surefoot.core import Diagnostic, Target
    from surefoot.project import Project, Result

Kind = Literal["project", "report", "case"]
PAGES, YAML = (".html", ".htm"), (".yaml", ".yml")
OURS = re.compile(r"^\ufeff?(surefoot-case)\s*:", re.MULTILINE)
PROJECT = (re.compile(r"^version\s*:", re.MULTILINE), re.compile(r"^system\s*:", re.MULTILINE))
LOOKED_AT = 1_000_000
ANYWHERE = "A case (.yaml, .json, .gsn.yaml, .xmi), a project (its file or folder), or a report (.html, .json)."

Source = Annotated[Path, typer.Argument(metavar="SOURCE", help=ANYWHERE, show_default=PROJECT_FILE)]
OtherSource = Annotated[Path, typer.Argument(metavar="SOURCE", help=ANYWHERE, show_default=False)]


def kind_of(path: Path) -> Kind:
    """What a place holds, by its ending and its first lines."""
    if path.is_dir():
        several = not (path / PROJECT_FILE).exists() and any(path.glob("*.gsn.y*ml"))
        return "case" if several else "project"
    if path.suffix.lower() in PAGES:
        return "report"
    text = _beginning(path)
    if path.suffix.lower() == ".json":
        return _kind_of_json(text)
    is_project = path.suffix.lower() in YAML and not OURS.search(text) and all(each.search(text) for each in PROJECT)
    return "project" if is_project else "case"


def snapshot_at(path: Path, *, store: str | None = None) -> Snapshot:
    """The case at a place, with all that is known of its assessment; of a case file nothing is."""
    from surefoot.case.change import Snapshot
    from surefoot.case.formats import read_noted

    kind = kind_of(path)
    if kind == "project":
        return snapshot_of(stored(path, store)[1])
    if kind == "report":
        return snapshot_of(reported(path))
    with places_from_here(path):
        read = read_noted(path)
    show_diagnostics(_from_here(path, read.notes))
    return Snapshot(read.case)


@contextmanager
def places_from_here(path: Path) -> Iterator[None]:
    """Name files in messages as somebody here would open them, not as the case names them."""
    from surefoot.core import DiagnosticsError

    try:
        yield
    except DiagnosticsError as error:
        DiagnosticsError.raise_if_any(_from_here(path, error.diagnostics))
        raise


def _from_here(path: Path, found: Iterable[Diagnostic]) -> list[Diagnostic]:
    from dataclasses import replace

    folder = path if path.is_dir() else path.parent
    known: dict[str, bool] = {}

    def inside(name: str) -> bool:
        if name not in known:
            known[name] = bool(name) and not Path(name).is_absolute() and (folder / name).is_file()
        return known[name]

    return [
        replace(each, where=str(folder / each.where)) if inside(re.sub(r":\d+$", "", each.where)) else each
        for each in found
    ]


def evaluated(snapshot: Snapshot, evidence: Path | None = None) -> Snapshot:
    """A snapshot that says how nodes stand: by its assessment, or by what a report measured."""
    from dataclasses import replace

    if evidence is not None:
        given = snapshot_at(evidence)
        if not given.evidence:
            from surefoot.core import DiagnosticsError

            text, hint = "there is no evidence in it.", "Give a project that was assessed, or a report of it."
            raise DiagnosticsError.of("wrong-value", text, where=str(evidence), hint=hint)
        feedback = tuple(each for each in given.feedback if each.claim in snapshot.case)
        known = replace(snapshot, evidence=given.evidence, targets=given.targets, feedback=feedback)
        snapshot = replace(known, evaluation=None)
    if snapshot.evaluation is not None:
        return snapshot
    evaluation = snapshot.case.evaluate(snapshot.evidence or None, feedback=snapshot.feedback)
    return replace(snapshot, evaluation=evaluation)


def asked_of(snapshot: Snapshot) -> dict[str, Target]:
    """What a project asks for, by the names of its targets."""
    if not snapshot.targets:
        return {}
    from surefoot.project.definition.limits import TargetSource

    return {name: TargetSource.model_validate(dict(said)).target for name, said in snapshot.targets.items()}


def stored(path: Path, store: str | None) -> tuple[Project, Result]:
    """A project, and what its store has of it; nothing is computed."""
    from surefoot.project import load, run

    project = load(path)
    return project, run(project, store=store, only_stored=True)


def reported(path: Path) -> Result:
    """The result in a report."""
    from surefoot.core import DiagnosticsError, InvalidInput
    from surefoot.project import Result
    from surefoot.report import read

    data = read(path)
    try:
        return Result.from_dict(data)
    except InvalidInput as error:
        text, hint = f"the result in it is damaged: {error}", "Use the file as it was written."
        raise DiagnosticsError.of("file-unreadable", text, where=str(path), hint=hint) from error


def snapshot_of(result: Result) -> Snapshot:
    """A result as it can be compared and sealed."""
    from surefoot.case.change import Snapshot

    definition: Any = result.definition
    return Snapshot(
        case=result.case,
        evaluation=result.evaluation,
        evidence=result.evidence,
        digests=result.digests,
        versions=result.versions,
        targets=definition.get("targets", {}),
        feedback=result.feedback,
        system=str(definition["system"]["name"]),
    )


def _kind_of_json(text: str) -> Kind:
    """A case says what it is in one of its keys; of what is no JSON the reader of cases says why."""
    from surefoot.documents import json

    if '"surefoot-case"' in text[:1000]:
        return "case"
    if len(text) >= LOOKED_AT:
        return "report"
    try:
        data = json.loads(text)
    except ValueError:
        return "case"
    return "case" if isinstance(data, dict) and "surefoot-case" in data else "report"


def _beginning(path: Path) -> str:
    from surefoot.core import DiagnosticsError

    hint = "Name a case, a project or a report."
    try:
        with path.open("rb") as stream:
            return stream.read(LOOKED_AT).decode("utf-8", "replace")
    except FileNotFoundError as error:
        raise DiagnosticsError.of("file-missing", "there is no file", where=str(path), hint=hint) from error
    except OSError as error:
        text = f"it cannot be read: {error.strerror or error}."
        raise DiagnosticsError.of("file-unreadable", text, where=str(path), hint=hint) from error
