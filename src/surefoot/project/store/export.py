"""Evidence as a zip file that people can read without Surefoot.

The same evidence gives the same bytes: no times, no compression that depends on a library's version.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from zipfile import ZipFile, ZipInfo

from surefoot.core import Artefact, Evidence
from surefoot.documents.whole_file import Writable, fill_atomically
from surefoot.project.store.layout import encoded
from surefoot.project.store.record import Record

VERSION = 1
MANIFEST = "manifest.json"
SUFFIXES = {
    "application/json": ".json",
    "application/pdf": ".pdf",
    "application/xml": ".xml",
    "image/jpeg": ".jpg",
    "image/png": ".png",
    "image/svg+xml": ".svg",
    "text/csv": ".csv",
    "text/html": ".html",
    "text/markdown": ".md",
    "text/plain": ".txt",
}
READABLE_BY_ALL = 0o644 << 16


def export(
    target: Path, evidence: Sequence[tuple[Record, Evidence]], iterations: Mapping[str, Mapping[str, Any]]
) -> Path:
    """Write a zip file with a folder for each evidence, the iterations by their names, and a manifest of all hashes."""
    members = dict(member for record, item in evidence for member in _members(record, item))
    members |= {f"{name}.json": encoded(iteration, indent=2) for name, iteration in iterations.items()}
    manifest = {
        "format": "surefoot evidence export",
        "version": VERSION,
        "evidence": [{"key": r.key, "step": r.step, "digest": r.digest, "folder": _folder(r)} for r, _ in evidence],
        "sha256": {name: hashlib.sha256(content).hexdigest() for name, content in members.items()},
    }
    fill_atomically(target, lambda stream: _zip(stream, {MANIFEST: encoded(manifest, indent=2)} | members))
    return target


def _members(record: Record, evidence: Evidence) -> Iterator[tuple[str, bytes]]:
    folder = _folder(record)
    files = {name: _file_name(n, name, item) for n, (name, item) in enumerate(evidence.artefacts.items(), start=1)}
    named = {n: {"media_type": item.media_type, "file": files[n]} for n, item in evidence.artefacts.items()}
    yield f"{folder}/evidence.json", encoded(evidence.to_dict() | {"artefacts": named}, indent=2)
    for name, item in evidence.artefacts.items():
        yield f"{folder}/{files[name]}", item.content


def _folder(record: Record) -> str:
    return f"{_safe(record.step)}-{record.key}"


def _file_name(number: int, name: str, artefact: Artefact) -> str:
    kind = artefact.media_type.partition(";")[0].strip().lower()
    return f"{number:02d}-{_safe(name)}{SUFFIXES.get(kind, '.bin')}"


def _safe(name: str) -> str:
    """A name that leads nowhere but into its own folder, on any system."""
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")[:60] or "unnamed"


def _zip(stream: Writable, members: dict[str, bytes]) -> None:
    with ZipFile(stream, "w") as archive:  # type: ignore[call-overload]
        for name, content in members.items():
            info = ZipInfo(name)
            info.create_system, info.external_attr = 3, READABLE_BY_ALL
            archive.writestr(info, content)
