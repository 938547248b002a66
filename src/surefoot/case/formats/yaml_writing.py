"""A case as YAML whose differences stand in single lines."""

from __future__ import annotations

from surefoot.case.case import Case
from surefoot.case.formats.plain import case_to_dict
from surefoot.documents import as_yaml


def yaml_text(case: Case) -> str:
    """The case as YAML: one field of a node a line, texts that are long in folded blocks."""
    return as_yaml(case_to_dict(case), blocks=3)
