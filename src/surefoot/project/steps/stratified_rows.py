"""Rows in strata: those of the test set, those of operation, and those of a filled sheet of labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import Data, Tested
from surefoot.core import Diagnostic, DiagnosticsError, InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.hazards.labels import Failing, Labelled, RiskStrata, Tally, read_labels
from surefoot.hazards.labels.sheet import DIGEST_LENGTH
from surefoot.hazards.labels.strata import BINS
from surefoot.project.steps.rows import Sets, failures
from surefoot.project.steps.stratified_parameters import PREDICTION, RISK

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
        if self.operation is None and self.strata == RISK:
            raise self._wrong("strata: risk needs operation, whose rows set the edges of the strata")
        if self.operation is None and self.labels is not None:
            raise self._wrong("labels: needs operation, whose rows they label")

    @cached_property
    def failing(self) -> Failing:
        """What counts as a failure."""
        return Failing(self.tested.classes, self.of, self.undesired)

    @cached_property
    def suspicion(self) -> FloatArray:
        """How doubtful the answers to operational rows are."""
        return self.failing.suspicion(self.operational_scores, self.tested.output)

    @cached_property
    def operational_scores(self) -> NDArray[Any]:
        """Scores of the operational rows, in the order of the test set's classes."""
        assert self.operation is not None
        assert self.operation.scores is not None
        if self.operation.classes == self.tested.classes:
            return self.operation.scores
        if set(self.operation.classes) != set(self.tested.classes):
            raise InvalidInput(
                "the operational rows have other classes than the test set",
                where=self.tested.component,
                found=f"{', '.join(self.operation.classes)} and {', '.join(self.tested.classes)}",
                remedy="List the classes of the component under classes.",
            )
        return self.operation.scores[:, [self.operation.classes.index(name) for name in self.tested.classes]]

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
