"""The step that weighs failures by stratum of operation, and rows of tests, operation and labels in strata."""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from surefoot.adapters import Data, Tested
from surefoot.bounds import clopper_pearson
from surefoot.bounds.operational_risk import KNOWN_SHARES, WITHIN_STRATA
from surefoot.core import Artefact, Diagnostic, DiagnosticsError, Estimate, Evidence, InvalidInput, Table
from surefoot.core.validate import FloatArray
from surefoot.drawing import Interval
from surefoot.hazards.labels import (
    FailureCriterion,
    Labelled,
    RiskStrata,
    Tally,
    read_labels,
    stratified_posterior,
    stratified_risk,
)
from surefoot.hazards.labels.strata import BINS, DIGEST_LENGTH
from surefoot.project.inputs import NamesFile
from surefoot.project.registry import WithScores, meaning, step
from surefoot.project.steps import parameters
from surefoot.project.steps.parameters import (
    AnsweredBy,
    Level,
    OfClass,
    Undesired,
    as_stated,
    described,
    limit,
    one_sided,
)
from surefoot.project.steps.test_data import Sets, examined, failures, independence, scope_of, scores_as_tested
from surefoot.project.tasks.judging import refuse_classes

# The words of the step for strata of operation, and what they mean.

RISK, PREDICTION = "risk", "prediction"

ScoredOperation = Annotated[
    Data | None,
    described("Inputs from operation, labelled or not: they give the shares of the strata, and the edges of `risk`."),
    WithScores,
]
Strata = Annotated[
    str,
    described(
        "`risk`: strata by how doubtful the model's own scores make an answer, from the rows of `operation`.",
        "`prediction`: a stratum for each answer. Otherwise the name of an attribute, a stratum for each value.",
    ),
]
Bins = Annotated[int, Field(ge=1, le=10, description=f"Strata of `risk`, {BINS} by default; few are best.")]
Shares = Annotated[
    dict[str, Annotated[float, Field(gt=0, le=1)]] | None,
    described("Shares of the strata in operation, such as `{day: 0.7, night: 0.3}`, where `operation` does not say."),
]
LabelSheet = Annotated[
    str | None,
    described("The sheet of `surefoot improve --csv`, filled in: labels of rows of `operation`, which count too."),
    NamesFile((".csv",)),
]
StrataMethod = Annotated[
    Literal["melded", "jeffreys"],
    described(
        "`melded` is a confidence bound. `jeffreys` brings a posterior and is credible: for fault trees whose other",
        "events are, such as those with counts or error factors.",
    ),
]


WHOLE = "operation"


@step
@meaning(2)
def stratified_bound(
    tested: Tested,
    *,
    operation: ScoredOperation = None,
    strata: Strata = RISK,
    bins: Bins = BINS,
    shares: Shares = None,
    answered_by: AnsweredBy = None,
    labels: LabelSheet = None,
    method: StrataMethod = "melded",
    level: Level = 0.95,
    of: OfClass = None,
    undesired: Undesired = None,
    seed: int = 0,
) -> Evidence:
    """Bound of the failure probability in operation, from rows of which some kinds were labelled more often.

    Rows fall into strata, and each stratum weighs as much as in operation: shares are stated, so that `answered_by`
    names who answers for them, or counted among the rows of `operation`. So doubtful inputs may be labelled more often,
    and the bound stays right: `labels` names the sheet of rows that `surefoot improve --label` chose, filled in. A
    stratum without a label counts as failing. The coverage of the bound is measured, not proved. Gives
    `failure probability`.
    """
    scope = scope_of(tested, of=of, undesired=undesired)
    if not tested.classifies:
        tested, of = tested.of_class(of), None
    rows = StratifiedRows(tested, operation, strata, bins, shares, of, undesired, labels)
    tally = rows.tally
    if method == "jeffreys":
        found = stratified_posterior(tally, level=level, scope=scope, seed=seed)
    else:
        found = stratified_risk(tally, level=level, scope=scope)
    found = as_stated(found, (KNOWN_SHARES.id,) if shares else (), answered_by)
    lines = _lines(tally, found, level)
    checks = {WITHIN_STRATA.id: independence(tested, failures(tested, undesired))}
    return Evidence(
        (examined(found, checks),),
        tables={"strata": _table(lines, level), "answers": parameters.answers(tested)},
        artefacts={"failure probability": _figure(lines, level)},
    )


@dataclass(frozen=True)
class _Line:
    """A stratum, or operation as a whole: rows and failures, and limits of the failure probability."""

    name: str
    share: float
    labelled: int
    counted: int
    failures: int
    value: float | None = None
    lower: float | None = None
    upper: float | None = None

    @property
    def interval(self) -> Interval:
        """As it is drawn: a stratum without rows that count may be anything."""
        value = float("nan") if self.value is None else self.value
        return self.name, self.lower or 0.0, value, 1.0 if self.upper is None else self.upper


def _lines(tally: Tally, whole: Estimate, level: float) -> list[_Line]:
    """Operation as a whole, then its strata."""
    counts = [column.astype(int) for column in (tally.trials, tally.counted, tally.failures)]
    labelled, counted, failed = (int(column.sum()) for column in counts)
    limits = (limit(whole, "lower", level), limit(whole, "upper", level))
    strata = zip(tally.names, tally.shares.tolist(), *(column.tolist() for column in counts), strict=True)
    first = _Line(WHOLE, 1.0, labelled, counted, failed, whole.value, *limits)
    return [first, *(_stratum(*each, level=level) for each in strata)]


def _stratum(name: str, share: float, labelled: int, counted: int, failed: int, *, level: float) -> _Line:
    if not counted:
        return _Line(name, share, labelled, counted, failed)
    found = clopper_pearson(failed, counted, level=level)
    return _Line(name, share, labelled, counted, failed, found.value, found.lower(level), found.upper(level))


def _table(lines: list[_Line], level: float) -> Table:
    bounds = (f"lower bound ({one_sided(level)})", f"upper bound ({one_sided(level)})")
    head = ("stratum", "share of operation", "labelled", "of them counted", "failures", "share", *bounds)
    return Table(head, tuple(astuple(line) for line in lines))


def _figure(lines: list[_Line], level: float) -> Artefact:
    label = f"failure probability with lower and upper bound ({one_sided(level)})"
    return parameters.intervals([line.interval for line in lines], label)


# Rows in strata: those of the test set, those of operation, and those of a filled sheet of labels.

MOST_STRATA = 30
MOST_NAMED = 10


@dataclass(frozen=True, eq=False)
class StratifiedRows:
    """Labelled rows and operational rows of a component, and the rule that puts both into strata."""

    tested: Tested
    operation: Data | None = None
    strata: str = RISK
    bins: int = BINS
    shares: dict[str, float] | None = None
    of: str | None = None
    undesired: Sets = None
    labels: str | None = None

    def __post_init__(self) -> None:
        if (self.operation is None) == (self.shares is None):
            raise self._wrong("give exactly one of operation and shares, which say how often strata occur")
        if not self.tested.classifies and self.strata in (RISK, PREDICTION):
            refuse_classes(self.tested, f"strata: {self.strata}")
        if not self.tested.classifies and self.labels is not None:
            refuse_classes(self.tested, "labels:")
        if self.operation is None and self.strata == RISK:
            raise self._wrong("strata: risk needs operation, whose rows set the edges of the strata")
        if self.operation is None and self.labels is not None:
            raise self._wrong("labels: needs operation, whose rows they label")

    @cached_property
    def failing(self) -> FailureCriterion:
        """What counts as a failure."""
        return FailureCriterion(self.tested.classes, self.of, self.undesired)

    @cached_property
    def suspicion(self) -> FloatArray:
        """How doubtful the answers to operational rows are."""
        return self.failing.suspicion(self.operational_scores, self.tested.output)

    @cached_property
    def operational_scores(self) -> NDArray[Any]:
        """Scores of the operational rows, in the order of the test set's classes."""
        assert self.operation is not None
        return scores_as_tested(self.operation, self.tested, name="operation")

    @cached_property
    def rule(self) -> RiskStrata:
        """The edges of strata by risk."""
        return RiskStrata.of(self.suspicion, self.bins)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The strata that occur in operation."""
        if self.strata == RISK:
            return self.rule.names
        found = tuple(self.shares) if self.shares else tuple(np.unique(self._values_in_operation).tolist())
        if len(found) > MOST_STRATA:
            raise self._wrong(f"{self.strata!r} makes {len(found)} strata, and at most {MOST_STRATA} are of use")
        return found

    @cached_property
    def operational(self) -> NDArray[np.intp]:
        """The stratum of each operational row."""
        if self.strata == RISK:
            return self.rule.assign(self.suspicion)
        return self._numbers(self._values_in_operation)

    @cached_property
    def weights(self) -> FloatArray:
        """Share of operation in each stratum."""
        if self.shares:
            return np.array(list(self.shares.values()))
        return np.bincount(self.operational, minlength=len(self.names)) / self.operational.size

    @cached_property
    def labelled(self) -> list[Labelled]:
        """Rows of operation that a filled sheet labels."""
        if self.labels is None or self.operation is None:
            return []
        rows = [row for row in read_labels(self.labels) if row.component == self.tested.component]
        DiagnosticsError.raise_if_any(self._sheet_problems(rows))
        return rows

    @cached_property
    def tally(self) -> Tally:
        """All labels by stratum."""
        parts = [self._counted(self.tested, np.zeros(len(self.tested), bool)), *self._from_sheet()]
        counted, failed = (np.concatenate(each) for each in zip(*parts, strict=True))
        seen = None if self.operation is None else self.operational.size
        stratum = np.concatenate([self._of_tests, *([self.operational[self._sheet_rows]] if self.labelled else [])])
        unknown = np.concatenate([np.zeros(len(self.tested), bool), self._unlabelled])
        return Tally.of(self.names, self.weights, stratum, failed, counted=counted, seen=seen, unknown=unknown)

    @property
    def _sheet_rows(self) -> NDArray[np.intp]:
        return np.array([row.row for row in self.labelled], dtype=np.intp)

    @property
    def _unlabelled(self) -> NDArray[np.bool_]:
        """Which rows of the sheet nobody could label."""
        return np.array([row.label is None for row in self.labelled], dtype=bool)

    @property
    def _of_tests(self) -> NDArray[np.intp]:
        if self.strata == RISK:
            return self.rule.assign(self.failing.suspicion(self.tested.scores, self.tested.output))
        return self._numbers(self._values(self.tested, self.tested.predictions))

    def _counted(self, tested: Tested, unknown: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Whether rows count and whether they fail; where nobody can tell, both."""
        counts = self.failing.counted[tested.labels] | unknown
        return counts, failures(tested, self.undesired) | unknown

    def _from_sheet(self) -> list[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
        if not self.labelled:
            return []
        scores = self.operational_scores[self._sheet_rows]
        named = [row.label if row.label is not None else self.tested.classes[0] for row in self.labelled]
        numbers = np.array([self.tested.classes.index(name) for name in named], dtype=np.int64)
        rows = replace(self.tested, labels=numbers, scores=scores, inputs=None, groups=None, attributes={})
        return [self._counted(rows, self._unlabelled)]

    @cached_property
    def _values_in_operation(self) -> NDArray[Any]:
        assert self.operation is not None
        return self._values(self.operation, self.operational_scores.argmax(axis=1))

    def _values(self, rows: Tested | Data, predictions: NDArray[np.intp]) -> NDArray[Any]:
        if self.strata == PREDICTION:
            return np.asarray(self.tested.classes)[predictions]
        if self.strata not in rows.attributes:
            known = ", ".join((RISK, PREDICTION, *rows.attributes))
            raise self._wrong(f"{self.strata!r} is no attribute of the data set", f"Known: {known}.")
        return rows.attributes[self.strata].astype(str)

    def _numbers(self, values: NDArray[Any]) -> NDArray[np.intp]:
        known = {name: number for number, name in enumerate(self.names)}
        found, which = np.unique(values, return_inverse=True)
        strange = [name for name in found.tolist() if name not in known]
        if strange:
            text = f"tests lie in strata that operation does not have: {', '.join(strange[:5])}"
            raise self._wrong(text, "Add their shares, or remove these rows.")
        return np.array([known[name] for name in found.tolist()], dtype=np.intp)[which]

    def _sheet_problems(self, rows: list[Labelled]) -> list[Diagnostic]:
        assert self.operation is not None
        if not rows:
            text = f"the sheet has no rows of the component {self.tested.component!r}."
            return [Diagnostic("data-empty", text, "error", str(self.labels))]
        pairs = ((row, self._problem(row)) for row in rows)
        wrong = [(row, problem) for row, problem in pairs if problem][:MOST_NAMED]
        return [
            Diagnostic("data-classes", f"row {row.row} {problem}", "error", f"{self.labels}:{row.line}")
            for row, problem in wrong
        ]

    def _problem(self, row: Labelled) -> str:
        assert self.operation is not None
        if row.digest != self.operation.digest[:DIGEST_LENGTH] or row.row >= self.operational.size:
            return "was drawn from other operational data; use those it was made from."
        if row.label is not None and row.label not in self.tested.classes:
            return f"has the label {row.label!r}, which is none of the classes {', '.join(self.tested.classes)}."
        stratum = int(self.operational[row.row])
        if not row.drawn_from(self.names[stratum], float(self.weights[stratum])):
            return "was drawn from other strata; strata, bins, of and undesired must be those of the plan."
        return ""

    def _wrong(self, problem: str, remedy: str = "") -> InvalidInput:
        return InvalidInput(
            problem, where=self.tested.component, remedy=remedy or "See surefoot steps stratified_bound."
        )
