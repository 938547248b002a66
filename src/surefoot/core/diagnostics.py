"""Findings with stable codes: caveats of an estimate, problems of a user's files.

Problems are collected and shown together; codes never change their meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

from surefoot.core import validate
from surefoot.core.canonical import reading
from surefoot.core.errors import SurefootError, memory_words
from surefoot.core.validate import counted

Severity = Literal["note", "warning", "error"]
WORST_FIRST: tuple[Severity, ...] = get_args(Severity)[::-1]

CODES: dict[str, str] = {
    "approximate-coverage": "the bound's stated level is approximate; the true coverage can be lower",
    "expectation-only": "the bound holds on average over data sets and carries no confidence",
    "plug-in-value": "the value takes an estimate for the truth; only the bound allows for its error",
    "no-finite-minimum": "the bound function has no minimum below 0.5, so the answer is 1",
    "assumption-contradicted": "an assumption was checked and the data speak against it",
    "weights-estimated": "the weights, or their largest value, come from the data",
    "few-effective-rows": "a few rows carry most of the weight, so the others say little",
    "value-at-floor": "much of the value was only found to be below a floor, so the value is itself an upper limit",
    "mixed-kinds": "confidence and credible statements were combined; the result is heuristic",
    "same-input": "two names stand for one and the same input, which was drawn once",
    "shared-data": "inputs measured on the same data were drawn as if independent",
    "taken-together": "probabilities that rest on the same data were taken for one event, with the sum of their limits",
    "few-groups": "the number of independent groups is small",
    "uncorrected": "the number rests on labels by vote, and no held-out labels have put it right",
    "contradicted-by-tests": "the errors of labelled tests speak against the number",
    "estimates-contradict": "estimates of one quantity and scope exclude each other, so neither gives a verdict",
    "checks-off": "assumptions were not checked, because the caller asked for that",
    "repeated-looks": "the test set was looked at before, so the stated level does not cover all looks together",
    "older-looks": "the ledger of a test set has looks of an older format, which counted fewer than there were",
    "looks-open": "test data whose numbers were seen cannot be used adaptively",
    "verdicts-only": "test data are used adaptively, so that nothing but the verdict is shown",
    "code-refused": "a part of the project would have to be run, and the caller wants no code to run",
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
    "document-control": "what a document says of its state, its reviewers or its history does not agree",
    "unknown-reference": "a name refers to nothing in this project",
    "cannot-combine": "results whose bounds are of kinds that do not combine are to be combined",
    "cyclic-steps": "steps wait for each other in a circle",
    "not-guessed": "what a project needs is not plain in its files, and is not guessed",
    "file-missing": "a file or folder is not there",
    "path-outside": "a project names a file outside its folder, and does not allow that",
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
    "data-boxes": "boxes, images and classes do not fit together",
    "data-masks": "masks, images and classes do not fit together",
    "data-time": "rows of a sequence are not in the order of time, or there are gaps between them",
    "data-categories": "data have categories that are not among those stated, or that a model was not fitted with",
    "data-mixed": "a column is text because of a few of its rows; the others are numbers",
    "data-order": "inputs and labels of pandas have the same index in another order",
    "labels-taken": "a column was taken for the labels because of its name",
    "columns-aside": "a frame has columns that the model was not fitted on; it is not given them",
    "columns-by-place": "columns were taken for those of a model by their place, because no name agrees",
    "judge-function": "a function that judges answers raised, or did not judge every row",
    "variation-function": "a function that varies inputs takes other parameters, raised, or gives other than inputs",
    "step-of-task": "a step is about another task than that of the component, or lacks what it needs of it",
    "step-of-classes": "a step or key is about classes, and the component has another task",
    "contradictory-labels": "equal inputs have different labels, so no model answers all of them right",
    "document-changed": "the file of a document has another content than the document that was counted in",
    "document-unchecked": "counts come from an address without a hash, so that nobody can tell whether it changed",
    "out-of-memory": "memory ran out, of the machine or of a device",
    "step-failed": "a step could not compute its evidence",
    "tree-syntax": "a fault tree file cannot be parsed, or tries what a safe reader refuses",
    "tree-undefined": "a gate names an input that is defined nowhere",
    "tree-duplicate": "a name of a fault tree is defined twice",
    "tree-cycle": "gates of a fault tree contain each other",
    "tree-gate": "a gate has the wrong number of inputs, or counts to more than it has",
    "tree-probability": "a probability, rate or parameter of a basic event is outside what is allowed",
    "tree-unreachable": "a gate or event of a fault tree does not influence the top event",
    "tree-unsupported": "a construct that a static fault tree cannot express",
    "tree-left-out": "a part of a file is left out of its fault tree, so that the number is not what the file means",
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
    "case-syntax": "a file of an assurance case cannot be parsed, or tries what a safe reader refuses",
    "case-value": "a field of a case, or of its file, holds something that it does not take",
    "case-too-large": "a case has more nodes than one picture or page can show",
    "case-lost": "what one format says and another has no word for was left out or kept in another form",
    "store-newer": "the evidence store was written by a newer version of Surefoot",
    "store-damaged": "a file of the evidence store does not have the content it was written with",
    "store-unwritable": "the evidence store, or a report, could not be written",
    "not-assessed": "the store has no evidence yet for the project as it stands",
    "moved": "a result, its inputs or a library differ from what the lock file or the report recorded",
    "case-operation-contradicts": "operation violates the number that a claim states",
    "case-operation-worse": "there are more incidents in operation than what the tests showed makes likely",
    "case-feedback": "feedback from operation cannot be counted for the claim it names",
    "case-fragment-unknown": "a case names a fragment, such as @target misses, that there is not",
    "case-fragment-unattached": "a fragment is offered, such as the argument of a target, and the case does not use it",
    "case-unknown-node": "a node refers to an id that the case does not have",
    "case-self-reference": "a node rests on itself or is its own context",
    "case-self-challenge": "a node challenges itself",
    "case-repeated-reference": "a node names another one more than once",
    "case-circle": "nodes rest on each other in a circle",
    "case-no-top": "no claim is at the top of the case",
    "case-several-tops": "several claims of one module are at the top of the case",
    "case-unreachable": "no top claim leads to a node",
    "case-relation": "nodes are related in a way that their kinds cannot be",
    "case-claim-on-claim": "in CAE, a claim rests on claims without an argument between them",
    "case-argument-nested": "an argument rests on an argument, and the claim between them is not said",
    "case-field-misplaced": "a node has a property that means nothing for its kind",
    "case-undeveloped-developed": "a node is marked undeveloped, and something holds it up or somebody answers for it",
    "case-undeveloped-unmarked": "nothing holds a claim up, and it is not marked undeveloped",
    "case-argument-empty": "an argument rests on nothing, and it is not marked undeveloped",
    "case-text-empty": "a node says nothing",
    "case-text-placeholder": "a text has places still to be filled in",
    "case-text-duplicate": "several nodes of one kind say the same",
    "case-id-similar": "two ids differ in case or punctuation only",
    "case-id-kind": "in GSN, an id looks like that of another kind of node",
    "case-tag-unknown": "a tag names a clause that its standard does not have, or a standard that is misspelt",
    "case-url-dubious": "the url of a node is no address to open",
    "case-defeater-idle": "a defeater challenges nothing",
    "case-defeated-unchallenged": "a node is marked defeated, and nothing says by what",
    "case-module-unknown": "a node is written in a module that the case does not list",
    "case-no-relation": "a relation that is challenged, defeated or has a claim point is not in the case",
    "case-develops": "a module develops a node of another one that is not there, or that is developed already",
    "case-module-extends": "a module extends one that is not there, or in the end itself",
    "case-module-unused": "nothing refers to a module",
    "case-subcase-unresolved": "the module or claim that a sub-case stands for is not there",
    "case-subcase-kind": "a sub-case stands for something that claims nothing",
    "case-subcase-text": "a sub-case says something else than the claim it stands for",
    "case-not-public": "a node refers to one of another module that is not public there",
    "case-contract-unfulfilled": "nothing fulfils a contract between modules",
    "case-pattern-left": "part of a pattern is left in a case that is to be complete",
    "case-pattern-part": "a multiplicity or choice names a node that is not below",
    "case-multiplicity": "a multiplicity is neither a number, a letter nor a range of them",
    "case-block-missing": "in CAE, an argument does not say which block it is",
    "case-block-mismatch": "an argument does not have the shape of its block",
    "case-deduction-unstated": "the conditionals of a deduction are not stated",
    "case-conditionals-unused": "conditionals are stated for what is no deduction",
    "case-legs-alone": "independent legs are fewer than two",
    "case-legs-shared": "independent legs share evidence, side-warrants, results or data",
    "case-number-text": "the text of a claim says another number than the claim states",
    "case-number-unmeasured": "a claim states a number, and nothing below it measures or states one",
    "case-exposure": "a claim counts by another exposure than the one above, and nothing between them converts it",
    "case-level-weaker": "a claim is to be shown less surely than the claim above it",
    "case-limit-weaker": "a claim states a weaker limit than the claim above it, of the same quantity",
    "case-target-unclaimed": "no claim states a target of the system",
    "case-target-weaker": "a claim states less than the target of its name asks for",
    "case-evidence-unreferenced": "evidence names no result, no document and nobody who answers for it",
    "case-evidence-missing": "a node rests on a result that was not measured",
    "case-evidence-stale": "a result differs from the one that the case was written for",
    "case-document-draft": "a node rests on a document that is not accepted yet",
    "case-document-anonymous": "a node rests on a document that is accepted, and nobody is named who accepted it",
    "case-document-unpinned": "a document is accepted, and nobody wrote down its hash, so that no change is noticed",
    "case-document-stale": "a document is no longer the one that was accepted, or that the case was written for",
    "case-quantity-differs": "evidence is about another quantity than the claim it speaks for",
    "case-unit-differs": "the unit of a result is not the exposure of the claim it speaks for",
    "case-confidence-unstated": "a result has no bound, so that its confidence is not stated",
    "case-bound-kind": "a result has bounds only of kinds that the claim does not accept",
    "case-claim-contradicted": "what was measured shows that a claim is false",
    "case-claim-unshown": "what was measured does not show a claim",
    "case-bound-heuristic": "a claim rests on a bound that is heuristic or holds on average only",
    "case-claim-weaker": "a claim states less than half of what was measured",
    "case-assumption-contradicted": "a side-warrant is contradicted by the check of its assumption",
    "case-assumption-unknown": "a side-warrant is about an assumption that the result does not have",
    "case-assumption-unchecked": "nobody checked a side-warrant, and nobody answers for it",
    "case-assumption-unstated": "a result has an assumption that no side-warrant states",
    "case-opinion-anonymous": "an opinion is stated, and nobody answers for it",
    "seal-broken": "the content of a seal was altered after it was sealed",
    "seal-signature": "the signature of a seal is wrong, missing where one is asked for, or by another key",
    "seal-unsigned": "a seal is not signed, so nothing says who made it",
    "seal-claim-fell": "a sealed claim no longer holds",
    "seal-page": "a page is not the one that was sealed",
    "seal-history": "the store does not have the history that was sealed",
    "report-edited": "a report shows something else than its own data say",
    "seal-moved": "something that a sealed claim rests on changed, and the claim still holds or is reported on its own",
    "watch-condition": "rows of operation lie outside the operating conditions",
    "watch-profile": "operation is no longer as the data that the evidence rests on",
    "watch-field": "failures in operation refute the limit that a claim states",
    "watch-claim-fell": "a claim of the case stands worse, because operation broke something that it rests on",
    "watch-row": "a row of a stream cannot be used and is left out",
    "watch-stream": "a stream cannot be read, or too many of its rows cannot be used",
    "watch-state": "the state of a stream is damaged, or was kept for another project",
}


@dataclass(frozen=True)
class Diagnostic:
    """One finding: a stable code, what it means here, how severe it is, where, and what to do.

    Parameters
    ----------
    code
        One of ``CODES``.
    text
        What was found, as a sentence.
    severity
        ``note``, ``warning`` or ``error``.
    where
        Such as ``surefoot.yaml:12``.
    hint
        What to do, as a sentence.

    Examples
    --------
    >>> import surefoot as sf
    >>> print(sf.core.Diagnostic("few-groups", "There are 4 groups.", where="camera", hint="Collect more."))
    camera: warning [few-groups] There are 4 groups. Collect more.

    """

    code: str
    text: str
    severity: Severity = "warning"
    where: str = ""
    hint: str = ""

    def __post_init__(self) -> None:
        validate.choice(self.code, CODES, where="Diagnostic", name="code")
        validate.choice(self.severity, get_args(Severity), where="Diagnostic", name="severity")
        validate.fields(self)

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


MEMORY = (
    "Take fewer or smaller rows, a smaller batch_size or fewer workers, or a machine with more memory. "
    "What other steps found is kept."
)


class DiagnosticsError(SurefootError):
    """One or several problems of a user's files, each with its code.

    Parameters
    ----------
    problem
        What is shown.
    diagnostics
        The problems.
    **context
        As for ``SurefootError``.

    Examples
    --------
    >>> import surefoot as sf
    >>> error = sf.core.DiagnosticsError.of("file-missing", "there is no file 'a.csv'.", where="a.csv")
    >>> [problem.code for problem in error.diagnostics]
    ['file-missing']

    """

    def __init__(self, problem: str, *, diagnostics: Iterable[Diagnostic] = (), **context: Any) -> None:
        super().__init__(problem, **context)
        self.diagnostics = tuple(diagnostics)

    @classmethod
    def of(cls, code: str, text: str, *, where: str = "", hint: str = "") -> Self:
        """The error of a single problem."""
        diagnostic = Diagnostic(code, text, "error", where, hint)
        return cls(str(diagnostic), diagnostics=[diagnostic])

    @classmethod
    def out_of_memory(cls, error: BaseException, doing: str, *, where: str = "") -> Self:
        """Memory ran out: while doing what, how much was asked for, and what to do."""
        return cls.of("out-of-memory", f"memory ran out {doing}: {memory_words(error)}.", where=where, hint=MEMORY)

    @classmethod
    def raise_if_any(cls, diagnostics: Iterable[Diagnostic]) -> None:
        """Raise one error that shows all diagnostics of severity ``error``."""
        errors = [d for d in diagnostics if d.severity == "error"]
        if errors:
            lines = "\n".join(f"  {d}" for d in errors)
            raise cls(f"{counted(len(errors), 'problem')}:\n{lines}", diagnostics=errors)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.problem, self.diagnostics)


def _rebuild(kind: type[DiagnosticsError], problem: str, diagnostics: tuple[Diagnostic, ...]) -> DiagnosticsError:
    return kind(problem, diagnostics=diagnostics)
