"""A case as JSON: the plain data, one node a line."""

from __future__ import annotations

from surefoot.case.case import Case
from surefoot.case.formats.plain import case_to_dict
from surefoot.documents import as_json


def json_text(case: Case) -> str:
    """The case as JSON."""
    return as_json(case_to_dict(case))
