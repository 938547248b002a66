"""Text of YAML or JSON to plain data with the line of every key."""

from __future__ import annotations

from pathlib import Path

from surefoot.case.formats.draft import Draft, Place
from surefoot.case.formats.findings import CaseFindings
from surefoot.case.formats.json_text import json_document
from surefoot.case.formats.reading import DraftReader
from surefoot.case.formats.yaml_reading import yaml_document
from surefoot.faulttree.formats.document import Document, line_of
from surefoot.faulttree.formats.findings import Findings
from surefoot.faulttree.formats.source import decoded, read_bytes


def parsed(path: Path, findings: CaseFindings) -> Document:
    """What a file says; JSON by its suffix or its first character, otherwise YAML."""
    text = decoded(read_bytes(path), path)
    if path.suffix.lower() == ".json" or (path.suffix.lower() not in (".yaml", ".yml") and text.lstrip()[:1] == "{"):
        return json_document(text, findings)
    return yaml_document(text, findings)


def draft_of(document: Document, findings: Findings) -> Draft:
    """The document of one file taken over, as far as it can be."""
    return DraftReader(document.data, findings, places_in(document, findings)).draft()


def places_in(document: Document, findings: Findings) -> Place:
    """Where keys stand, as ``file:line``."""
    return lambda path: findings.place(line_of(document, path))
