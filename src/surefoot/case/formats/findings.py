"""Problems of a file of a case, with the codes of cases."""

from __future__ import annotations

from dataclasses import dataclass

from surefoot.faulttree.formats.findings import Findings

SYNTAX, VALUE = "case-syntax", "case-value"
_CODES = {"tree-syntax": SYNTAX, "tree-duplicate": "duplicate-key"}
_HINTS = {"Give inner formulas names.": "Write inner nodes by themselves and name their ids."}


@dataclass
class CaseFindings(Findings):
    """As of a fault tree, whose strict readers of YAML and JSON are used here too, in the words of a case."""

    def add(self, code: str, text: str, *, line: int | None = None, where: str = "", hint: str = "") -> None:
        """One more problem, in a line or at a place that is said in words."""
        super().add(_CODES.get(code, code), text, line=line, where=where, hint=_HINTS.get(hint, hint))
