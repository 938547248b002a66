"""Problems of a file of a case, with the codes of cases."""

from __future__ import annotations

from dataclasses import dataclass

from surefoot.faulttree.formats.findings import Findings

SYNTAX, VALUE = "case-syntax", "case-value"
_CODES = {"tree-syntax": SYNTAX, "tree-duplicate": "duplicate-key"}
_HINTS = {"Give inner formulas names.": "Write inner nodes by themselves and name their ids."}
_REMEDIES = (
    ("finite number", "Write for example 0.001."),
    ("too many digits", "Write for example 0.001."),
    ("comments only", "The first line of a case is 'surefoot-case: 1'."),
    ("control character", "Write it as an escape in double quotes, such as \\u0007, or remove it."),
    ("not valid JSON", "Correct the line, or write the case as YAML."),
    ("", "Correct the file there."),
)
"""What to do about problems that the readers of fault trees say no more of, by words in them."""


@dataclass
class CaseFindings(Findings):
    """As of a fault tree, whose strict readers of YAML and JSON are used here too, in the words of a case."""

    def add(self, code: str, text: str, *, line: int | None = None, where: str = "", hint: str = "") -> None:
        """One more problem, in a line or at a place that is said in words."""
        code = _CODES.get(code, code)
        if not hint and code == SYNTAX:
            hint = next(remedy for words, remedy in _REMEDIES if words in text)
        super().add(code, text, line=line, where=where, hint=_HINTS.get(hint, hint))
