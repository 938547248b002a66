"""Text of YAML or JSON to plain data with the line of every key."""

from __future__ import annotations

from pathlib import Path

from surefoot.case.formats.draft import Draft, Place
from surefoot.case.formats.reading import DraftReader
from surefoot.documents import Document, Findings, json, read_text, yaml


def parsed(path: Path, findings: Findings) -> Document:
    """What a file says, words without quotes as they are written; JSON by its suffix or first character, else YAML."""
    text, ending = read_text(path, findings), path.suffix.lower()
    if ending == ".json" or (ending not in (".yaml", ".yml") and text.lstrip()[:1] == "{"):
        return json.parse(text, findings)
    return yaml.parse(text, findings, meaning=yaml.as_written)


def draft_of(document: Document, findings: Findings) -> Draft:
    """The document of one file taken over, as far as it can be."""
    return DraftReader(document.data, findings, places_in(document, findings)).draft()


def places_in(document: Document, findings: Findings) -> Place:
    """Where keys stand, as ``file:line``."""
    return lambda path: findings.place(document.line(path))
