"""What is at stake at each tested row: errors, threats or errors of different severity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import Tested
from surefoot.core import InvalidInput, validate
from surefoot.monitors.returns.severity import severity as severity_returns
from surefoot.monitors.returns.stakes import Stakes, return_function
from surefoot.monitors.returns.threats import threats as threat_returns
from surefoot.project.steps.monitor_scores import column
from surefoot.project.steps.rows import Sets, failures, known_groups

Severities = Mapping[str, Mapping[str, float]] | None


@dataclass(frozen=True, eq=False)
class AtStake:
    """What an alarm should detect, and which rows belong together."""

    tested: Tested
    detects: str
    threat: str | None
    severity: Severities
    undesired: Sets
    groups: str
    strata: str | None = None
    """The attribute by which rows were drawn."""

    @property
    def drawn_by(self) -> NDArray[Any] | None:
        """The stratum of each row; None where rows were drawn together."""
        if self.strata is None:
            return None
        known = validate.choice(self.strata, self.tested.attributes, where=self.tested.component, name="attribute")
        return np.asarray(self.tested.attributes[known])

    @property
    def within(self) -> NDArray[np.int64]:
        """Rows that may be expected to be alike: of one class, all threats or none, of one stratum."""
        parts = [self.tested.labels]
        if self.threat is not None:
            parts.append(_numbers(column(self.tested, self.threat, "threat")))
        if self.drawn_by is not None:
            parts.append(_numbers(self.drawn_by))
        return np.unique(np.stack(parts), axis=1, return_inverse=True)[1].ravel().astype(np.int64)

    def stakes(self) -> Stakes:
        """The returns of each tested row, with an alarm and without."""
        self._check()
        if self.severity is not None:
            return self._by_severity(self.severity)
        if self.detects == "errors":
            return threat_returns(failures(self.tested, self.undesired), **self._rows, name="errors")
        if self._of_marks:
            marks = column(self.tested, self.threat or "", "threat")
            return return_function.get(self.detects)(marks, **self._rows, name=self.detects)
        names = np.asarray(self.tested.classes)
        answers, truths = names[self.tested.predictions], names[self.tested.labels]
        return return_function.get(self.detects)(answers, truths, **self._rows)

    @property
    def _of_marks(self) -> bool:
        return return_function.facts_of(return_function.find(self.detects)).get("of") == "marks"

    @property
    def _rows(self) -> dict[str, Any]:
        if self.groups == "check" and self.tested.places is None:
            return {}
        unit = "group" if self.groups == "use" and self.tested.groups is not None else "block"
        return {"units": _numbers(known_groups(self.tested)), "unit": unit}

    def _by_severity(self, severity: Mapping[str, Mapping[str, float]]) -> Stakes:
        names = np.asarray(self.tested.classes)
        stated: dict[str, Mapping[str, float]] = {name: {} for name in self.tested.classes} | dict(severity)
        for name in (*severity, *(answer for row in severity.values() for answer in row)):
            self.tested.class_number(name)
        matrix = {true: {answer: row.get(answer, 0.0) for answer in names.tolist()} for true, row in stated.items()}
        return severity_returns(names[self.tested.predictions], names[self.tested.labels], matrix, **self._rows)

    def _check(self) -> None:
        if self._of_marks != (self.threat is not None):
            raise self._wrong("threat: names the attribute that marks threats, and goes with detects: threats")
        if self.severity is not None and (self.detects != "errors" or self.undesired is not None):
            raise self._wrong("severity: goes with detects: errors, and without undesired:")
        if self.undesired is not None and self.detects != "errors":
            raise self._wrong("undesired: goes with detects: errors")

    def _wrong(self, problem: str) -> InvalidInput:
        return InvalidInput(problem, where=self.tested.component)


def _numbers(groups: NDArray[Any]) -> NDArray[np.int64]:
    return np.unique(groups, return_inverse=True)[1].astype(np.int64)


def calibration_rows(stakes: Stakes, share: float, seed: int) -> NDArray[np.bool_]:
    """Rows that choose the threshold: whole units, drawn at random."""
    units = stakes.unit_count
    count = min(max(round(share * units), 1), units - 1)
    chosen = np.random.default_rng(seed).permutation(units)[:count]
    return np.isin(stakes.unit_numbers, chosen)
