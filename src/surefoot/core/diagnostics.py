"""Findings with stable codes: caveats of an estimate, problems of a user's files.

Problems are collected and shown together; codes never change their meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

from surefoot.core import validate
from surefoot.core.canonical import reading
from surefoot.core.errors import SurefootError

Severity = Literal["note", "warning", "error"]

CODES: dict[str, str] = {
    "approximate-coverage": "the bound's stated level is approximate; the true coverage can be lower",
    "expectation-only": "the bound holds on average over data sets and carries no confidence",
    "no-finite-minimum": "the bound function has no minimum below 0.5, so the answer is 1",
    "assumption-contradicted": "an assumption was checked and the data speak against it",
    "weights-estimated": "the weights, or their largest value, come from the data",
    "mixed-kinds": "confidence and credible statements were combined; the result is heuristic",
    "same-input": "two names stand for one and the same input, which was drawn once",
    "shared-data": "inputs measured on the same data were drawn as if independent",
    "few-groups": "the number of independent groups is small",
}


@dataclass(frozen=True)
class Diagnostic:
    """One finding: a stable code, what it means here, how severe it is, where, and what to do."""

    code: str
    text: str
    severity: Severity = "warning"
    where: str = ""
    hint: str = ""

    def __post_init__(self) -> None:
        validate.choice(self.code, CODES, where="Diagnostic", name="code")
        validate.choice(self.severity, get_args(Severity), where="Diagnostic", name="severity")

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        return f"{place}{self.severity} [{self.code}] {self.text}{f' {self.hint}' if self.hint else ''}"

    def to_dict(self) -> dict[str, str]:
        """Plain data for JSON."""
        return {
            "code": self.code,
            "text": self.text,
            "severity": self.severity,
            "where": self.where,
            "hint": self.hint,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        with reading("diagnostic"):
            return cls(**data)


class DiagnosticsError(SurefootError):
    """Several problems at once."""

    def __init__(self, problem: str, **context: Any) -> None:
        super().__init__(problem, **context)

    @classmethod
    def raise_if_any(cls, diagnostics: Iterable[Diagnostic]) -> None:
        """Raise one error that shows all diagnostics of severity ``error``."""
        errors = [d for d in diagnostics if d.severity == "error"]
        if errors:
            lines = "\n".join(f"  {d}" for d in errors)
            raise cls(f"{len(errors)} problem{'s' if len(errors) > 1 else ''}:\n{lines}")
