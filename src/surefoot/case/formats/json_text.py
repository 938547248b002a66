"""A case as JSON: the plain data, one node a line; read by the strict reader of fault trees."""

from __future__ import annotations

from surefoot.case.case import Case
from surefoot.case.formats.findings import CaseFindings
from surefoot.case.formats.plain import case_to_dict
from surefoot.faulttree.formats.json_text import JsonDocument
from surefoot.faulttree.formats.layout import as_json


def json_document(text: str, findings: CaseFindings) -> JsonDocument:
    """What the text says: no NaN, no infinities, no key twice."""
    return JsonDocument(text, findings)


def json_text(case: Case) -> str:
    """The case as JSON."""
    return as_json(case_to_dict(case))
