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
    "few-effective-rows": "a few rows carry most of the weight, so the others say little",
    "value-at-floor": "much of the value was only found to be below a floor, so the value is itself an upper limit",
    "mixed-kinds": "confidence and credible statements were combined; the result is heuristic",
    "same-input": "two names stand for one and the same input, which was drawn once",
    "shared-data": "inputs measured on the same data were drawn as if independent",
    "few-groups": "the number of independent groups is small",
    "uncorrected": "the number rests on labels by vote, and no held-out labels have put it right",
    "contradicted-by-tests": "the errors of labelled tests speak against the number",
    "checks-off": "assumptions were not checked, because the caller asked for that",
    "repeated-looks": "the test set was looked at before, so the stated level does not cover all looks together",
    "pickle-trusted": "a model was read by pickle, which runs whatever code the file holds",
    "partial-identity": "a result depends on code or files that its digest does not cover",
    "yaml-syntax": "the file is not valid YAML",
    "yaml-forbidden": "the file uses anchors, aliases, tags or several documents, which a project file does not need",
    "duplicate-key": "a key appears twice",
    "unknown-key": "a key that the project file does not know",
    "missing-key": "a key that is needed is not there",
    "wrong-value": "a value has the wrong type or lies outside what is allowed",
    "unsupported-version": "the file was written for another version of Surefoot",
    "unknown-step": "no step of that name is registered",
    "unknown-reference": "a name refers to nothing in this project",
    "cyclic-steps": "steps wait for each other in a circle",
    "file-missing": "a file or folder is not there",
    "file-unreadable": "a file is there and cannot be read",
    "missing-extra": "an optional package is needed and not installed",
    "model-unreadable": "a model could not be loaded",
    "model-untrusted": "a model is stored as pickle or holds types that were not trusted",
    "model-raised": "a model raised an error while it was run",
    "model-timeout": "a model took longer than its time limit",
    "model-crashed": "the process that ran a model died",
    "model-output": "a model returned the wrong shape or values that are not finite",
    "input-layout": "the model seems to expect another shape, order of channels or scale of its inputs",
    "model-training-mode": "a model was handed over in training mode; it was run in evaluation mode",
    "model-random": "a model gives different answers when it is asked the same twice",
    "model-batch-dependent": "a model's answer to an input depends on the other inputs of its batch",
    "scores-saturate": "scores tie or are at their limit for many inputs, which hides how close these are to failing",
    "scores-needed": "a method needs scores, and the model returns labels only",
    "data-unreadable": "data could not be read",
    "data-column": "a column or array that is needed is not in the data",
    "data-type": "data have the wrong type or shape",
    "data-missing-values": "data contain NaN, infinities or missing entries",
    "data-empty": "data have no rows",
    "data-classes": "labels and classes do not fit together",
    "contradictory-labels": "equal inputs have different labels, so no model answers all of them right",
    "step-failed": "a step could not compute its evidence",
    "tree-syntax": "a fault tree file cannot be parsed, or tries what a safe reader refuses",
    "tree-undefined": "a gate names an input that is defined nowhere",
    "tree-duplicate": "a name of a fault tree is defined twice",
    "tree-cycle": "gates of a fault tree contain each other",
    "tree-gate": "a gate has the wrong number of inputs, or counts to more than it has",
    "tree-probability": "a probability, rate or parameter of a basic event is outside what is allowed",
    "tree-unreachable": "a gate or event of a fault tree does not influence the top event",
    "tree-unsupported": "a construct that a static fault tree cannot express",
    "tree-beyond-budget": "a fault tree is too large for an exact answer within the node budget or time limit",
    "hazop-syntax": "a worksheet or a file of scenarios cannot be parsed, or tries what a safe reader refuses",
    "hazop-cell": "a cell holds something that its column does not take",
    "hazop-duplicate": "an item, row or property is defined twice",
    "hazop-unknown": "a row names an item, parameter, guide word, property or level that is defined nowhere",
    "hazop-unconsidered": "a deviation that nobody considered",
    "hazop-incomplete": "a row that somebody worked on lacks a cause, a consequence, a level or a reason",
    "hazop-property": "a mitigation may create a safety property that nobody examined, or a property is not verified",
    "hazop-review": "rows wait for their review",
    "scenario-conflict": "chains of events contradict each other, or the gates and probabilities that are stated",
    "scenario-loop": "chains of events lead back to where they come from",
    "scenario-trace": "a chain of events names no row of the worksheet, or a row leads to no chain",
    "monitor-constant": "the monitor raises an alarm at every row or at none",
    "chosen-in-sample": "a threshold was chosen on the rows it is judged by, so its figures flatter",
    "store-newer": "the evidence store was written by a newer version of Surefoot",
    "store-damaged": "a file of the evidence store does not have the content it was written with",
    "store-unwritable": "the evidence store, or a report, could not be written",
    "not-assessed": "the store has no evidence yet for the project as it stands",
    "moved": "a result, its inputs or a library differ from what the lock file or the report recorded",
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
    """One or several problems of a user's files, each with its code."""

    def __init__(self, problem: str, *, diagnostics: Iterable[Diagnostic] = (), **context: Any) -> None:
        super().__init__(problem, **context)
        self.diagnostics = tuple(diagnostics)

    @classmethod
    def of(cls, code: str, text: str, *, where: str = "", hint: str = "") -> Self:
        """The error of a single problem."""
        diagnostic = Diagnostic(code, text, "error", where, hint)
        return cls(str(diagnostic), diagnostics=[diagnostic])

    @classmethod
    def raise_if_any(cls, diagnostics: Iterable[Diagnostic]) -> None:
        """Raise one error that shows all diagnostics of severity ``error``."""
        errors = [d for d in diagnostics if d.severity == "error"]
        if errors:
            lines = "\n".join(f"  {d}" for d in errors)
            raise cls(f"{len(errors)} problem{'s' if len(errors) > 1 else ''}:\n{lines}", diagnostics=errors)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.problem, self.diagnostics)


def _rebuild(kind: type[DiagnosticsError], problem: str, diagnostics: tuple[Diagnostic, ...]) -> DiagnosticsError:
    return kind(problem, diagnostics=diagnostics)
