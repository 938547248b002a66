"""The lock file: keys, digests, values and library versions of the last assessment, so that CI can say what moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from surefoot.core import Diagnostic, DiagnosticsError, InvalidInput
from surefoot.core.target import present
from surefoot.documents import json, write_atomically
from surefoot.project.project import Project
from surefoot.project.result import Result

SUFFIX = ".lock"
LOCK_VERSION = 2
FORMER_VERSION = 1
"""The same with other words for the states of verdicts."""
SECTIONS = ("verdicts", "targets", "values", "digests", "versions", "keys")


def lock_path(project: Project) -> Path:
    """The lock file of a project file: ``surefoot.lock`` beside ``surefoot.yaml``."""
    if project.path is None:
        raise InvalidInput("a project without a file has no lock file", where="lock_path")
    return project.folder / Path(project.path.name).with_suffix(SUFFIX)


def write_lock(result: Result, path: Path) -> Path:
    """Write the lock file of a result; the same result gives the same bytes."""
    text = json.dumps(_content(result), indent=2, sort_keys=True) + "\n"
    write_atomically(path, text.encode())
    return path


def read_lock(path: Path) -> Mapping[str, Any] | None:
    """The content of a lock file; None where there is none."""
    if not path.exists():
        return None
    try:
        content = json.loads(path.read_bytes())
        known = content["lock"] in (LOCK_VERSION, FORMER_VERSION)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DiagnosticsError.of(
            "file-unreadable", f"this is no lock file ({error}).", where=str(path), hint="Delete it and assess again."
        ) from error
    if not known:
        raise DiagnosticsError.of(
            "unsupported-version", f"lock file of version {content['lock']}", where=str(path), hint="Upgrade Surefoot."
        )
    verdicts = {name: present(status) for name, status in content.get("verdicts", {}).items()}
    return {**content, "verdicts": verdicts}


def moved(locked: Mapping[str, Any], result: Result) -> list[Diagnostic]:
    """What differs from the lock file, most telling first."""
    now = _content(result)
    return [
        Diagnostic("moved", f"{name} was {_shown(old)} and is {_shown(new)}.", "warning", section)
        for section in SECTIONS
        for name, old, new in _differences(locked.get(section, {}), now[section])
    ]


def _differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    for name in sorted({*old, *new}):
        if old.get(name) != new.get(name):
            yield name, old.get(name), new.get(name)


def _shown(value: Any) -> str:
    if value is None:
        return "absent"
    return f"{value[:12]}..." if isinstance(value, str) and len(value) == 64 else str(value)


def _content(result: Result) -> dict[str, Any]:
    values = {
        f"{step}.{estimate.reference}": float(f"{estimate.value:.12g}")
        for step, evidence in result.evidence.items()
        for estimate in evidence.estimates
    }
    return {
        "lock": LOCK_VERSION,
        "verdicts": {answer.name: answer.verdict.status for answer in result.answers},
        "targets": {answer.name: str(answer.target) for answer in result.answers},
        "values": values,
        "digests": dict(result.digests),
        "versions": dict(result.versions),
        "keys": dict(result.keys),
    }
