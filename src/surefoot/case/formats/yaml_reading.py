"""YAML text to plain data; strict, as for fault trees and worksheets."""

from __future__ import annotations

from surefoot.case.formats.findings import SYNTAX, CaseFindings
from surefoot.case.formats.values import word
from surefoot.faulttree.formats.yaml_text import YamlDocument


def yaml_document(text: str, findings: CaseFindings) -> YamlDocument:
    """What the text says, words without quotes as they are written."""
    return YamlDocument(text, findings, code=SYNTAX, meaning=word)
