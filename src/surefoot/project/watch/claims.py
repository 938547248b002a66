"""Targets that labelled rows of a stream can contradict: limits of a component's failure probability."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import Tested
from surefoot.bounds import clopper_pearson
from surefoot.bounds.statement import FAILURE_PROBABILITY
from surefoot.case import Feedback
from surefoot.case.templates.names import goal_id
from surefoot.core import LevelUnavailable, MixedKinds
from surefoot.core.canonical import reading
from surefoot.project.answer import Answer
from surefoot.project.plan import Task, plan, step_of
from surefoot.project.project import Project
from surefoot.project.result import Result
from surefoot.project.steps.rows import failures
from surefoot.project.watch.event import FIELD, Event
from surefoot.project.watch.sequential import FailureTest


@dataclass
class ClaimWatch:
    """One target, and how often the component failed it in operation."""

    answer: Answer
    of: str | None
    """Only rows of this class count; all where it is None."""
    undesired: Mapping[str, list[str]] | None
    test: FailureTest
    exposure: int = 0
    failures: int = 0
    row: int | None = None
    """The row, counted from 1, at which operation refuted the limit."""
    _at: tuple[int, int] | None = None

    @property
    def name(self) -> str:
        """The name of the target."""
        return self.answer.name

    def update(self, tested: Tested, numbers: NDArray[np.int64]) -> Iterator[Event]:
        """Count failures of labelled rows; an event when they refute the limit."""
        chosen = np.ones(len(tested), bool) if self.of is None else tested.labels == tested.class_number(self.of)
        failed = failures(tested, self.undesired)[chosen]
        self.exposure += failed.size
        self.failures += int(failed.sum())
        refuted = self.test.update(failed)
        if refuted is not None:
            self.row = int(numbers[chosen][refuted])
            self._at = self.exposure, self.failures
            yield Event(FIELD, self.row, self._text(), self.name, self.figures())

    def refuted(self) -> Feedback | None:
        """What operation had brought when it refuted the limit."""
        if self._at is None:
            return None
        exposure, incidents = self._at
        return Feedback(goal_id(self.name), exposure, "demand", incidents)

    def feedback(self, *, since: str = "", until: str = "", source: str = "") -> dict[str, Any] | None:
        """All that operation brought, as the project file takes it; None before any row counted."""
        if not self.exposure:
            return None
        told = {"since": since, "until": until, "source": source}
        counted = {"claim": self.name, "exposure": self.exposure, "per": "demand", "incidents": self.failures}
        return counted | {name: text for name, text in told.items() if text}

    def figures(self) -> dict[str, Any]:
        """Operation beside the tests; the limits of operation hold at one look."""
        level = self.answer.target.level
        found = clopper_pearson(self.failures, self.exposure, level=level) if self.exposure else None
        return {
            "limit": self.test.limit,
            "exposure": self.exposure,
            "failures": self.failures,
            "share": None if found is None else found.value,
            "at least": None if found is None else found.lower(level),
            "at most": None if found is None else found.upper(level),
            "tests": self.answer.estimate.value,
            "tests at most": _upper(self.answer),
            "evidence": self.test.value,
            "row": self.row,
        }

    def snapshot(self) -> dict[str, Any]:
        """What it counted, as plain data."""
        counted = {
            "exposure": self.exposure,
            "failures": self.failures,
            "row": self.row,
            "at": self._at and list(self._at),
        }
        return {"test": self.test.snapshot(), **counted}

    def resume(self, snapshot: Mapping[str, Any]) -> None:
        """Go on from what ``snapshot`` told."""
        with reading("count of failures"):
            self.test.resume(snapshot["test"])
            self.exposure, self.failures = int(snapshot["exposure"]), int(snapshot["failures"])
            self.row, at = snapshot["row"], snapshot["at"]
            self._at = None if at is None else (int(at[0]), int(at[1]))

    def _text(self) -> str:
        figures = self.figures()
        tests = f"; the tests had {figures['tests']:.3g}" if figures["tests"] is not None else ""
        rows = f"{self.exposure:,} labelled rows{'' if self.of is None else f' of {self.of}'}"
        return (
            f"{self.failures:,} failures in {rows}"
            f" ({figures['share']:.3g}) contradict the claim {self.name!r}, at most {self.test.limit:g}{tests}."
        )


def claims_of(project: Project, result: Result, component: str) -> list[tuple[Answer, Task]]:
    """Targets on the failure probability of a component that labelled rows can speak of, one row a demand."""
    tasks = {task.name: task for task in plan(project) if task.component == component}
    asked = [(answer, tasks.get(step_of(answer.reference))) for answer in result.answers]
    return [(answer, task) for answer, task in asked if task is not None and _countable(answer, task)]


def watched(answer: Answer, task: Task, *, alpha: float) -> ClaimWatch:
    """A target with its test."""
    limit, said = answer.target.lenient_limit(answer.target.alpha), task.parameters
    return ClaimWatch(answer, said.get("of"), said.get("undesired"), FailureTest(limit, alpha=alpha))


def _countable(answer: Answer, task: Task) -> bool:
    target, said = answer.target, task.parameters
    by_row = said.get("groups", "check") in (None, "check") and said.get("by") is None
    stated = target.at_most is not None and target.per == "demand" and target.lenient_limit(target.alpha) < 1
    return stated and by_row and answer.estimate.quantity == FAILURE_PROBABILITY


def _upper(answer: Answer) -> float | None:
    try:
        return answer.estimate.upper(answer.target.level)
    except (LevelUnavailable, MixedKinds):
        return None
