"""An answer for each target: verdict, margin, and what would be needed where it is not met."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from surefoot.bounds import fresh_tests, needed
from surefoot.core import Diagnostic, DiagnosticsError, Estimate, Evidence, InvalidInput, Table, Target, Verdict
from surefoot.core.bound import WITHOUT_LEVEL
from surefoot.project.answer import Answer
from surefoot.project.definition import TargetSource
from surefoot.project.looks import Place, with_caveat
from surefoot.project.plan import quantity_of, step_of
from surefoot.project.project import Project
from surefoot.project.withholding import WITHHELD


def answers(
    project: Project, evidence: Mapping[str, Evidence], places: Mapping[str, Place], earlier: Mapping[str, str]
) -> tuple[Answer, ...]:
    """Answers in the order of the file.

    ``places`` holds the place of each target among the looks at the test data it rests on; ``earlier`` what earlier
    looks asked of the same number.
    """
    check_references(project, evidence)
    return tuple(
        _answer(name, source, _named(source, evidence), places.get(name), earlier.get(name, ""))
        for name, source in project.definition.all_targets.items()
    )


def check_references(project: Project, evidence: Mapping[str, Evidence]) -> None:
    """Every target names one estimate that is there."""
    problems = []
    for name, source in project.definition.all_targets.items():
        try:
            _named(source, evidence)
        except InvalidInput as error:
            where = project.where(*project.definition.place_of_target(name), "estimate")
            problems.append(Diagnostic("unknown-reference", f"{source.estimate!r}: {error}", "error", where))
    DiagnosticsError.raise_if_any(problems)


def _named(source: TargetSource, evidence: Mapping[str, Evidence]) -> Estimate:
    return evidence[step_of(source.estimate)][quantity_of(source.estimate)]


def _answer(name: str, source: TargetSource, measured: Estimate, place: Place | None, previous: str) -> Answer:
    target, derivation = source.target, source.derivation
    judged = _Judged.of(measured, target, place)
    return Answer(
        name=name,
        claim=source.claim or _claim(measured, target),
        reference=source.estimate,
        target=target,
        estimate=judged.estimate,
        verdict=judged.verdict,
        margin=_margin(judged.verdict),
        needed=judged.needed,
        new_tests=judged.new_tests,
        looks=place.number if place else 1,
        corrected_level=judged.level,
        corrected=judged.corrected,
        derivation=None if derivation is None else derivation.table(),
        previous=previous,
    )


@dataclass(frozen=True)
class _Judged:
    """A target judged at its own level, and at that of its look."""

    estimate: Estimate
    verdict: Verdict
    level: float | None = None
    corrected: Verdict | None = None

    @classmethod
    def of(cls, measured: Estimate, target: Target, place: Place | None) -> Self:
        verdict = measured.meets(target)
        if place is None:
            return cls(measured, verdict)
        if place.met is not None:
            return cls(measured, verdict, place.level(target))
        kind = verdict.bound.kind if verdict.bound else None
        estimate = with_caveat(measured, place, target, kind)
        if kind in WITHOUT_LEVEL:
            return cls(estimate, estimate.meets(target))
        level = place.level(target)
        return cls(estimate, estimate.meets(target), level, estimate.meets(replace(target, level=level)))

    @property
    def needed(self) -> tuple[str, ...]:
        """What would be needed for the target to count as met; nothing that numbers would tell where none are shown."""
        deciding = self.verdict if self.corrected is None else self.corrected
        if deciding or WITHHELD in self.estimate.details:
            return ()
        if "requirements" in self.estimate.details and not self.verdict and self.level is not None:
            more = f"This is what level {self.verdict.target.level:g} needs; the look is judged at {self.level:g}."
            return (*needed(self.estimate, self.verdict.target), more)
        return needed(self.estimate, deciding.target)

    @property
    def new_tests(self) -> Table | None:
        """The same as a table of new tests, where tests of its own show it."""
        deciding = self.verdict if self.corrected is None else self.corrected
        return None if deciding or WITHHELD in self.estimate.details else fresh_tests(self.estimate, deciding.target)


def _claim(estimate: Estimate, target: Target) -> str:
    scope = f" of {estimate.scope}" if estimate.scope else ""
    name = f"{estimate.quantity}{scope}"
    limit = f"{target.limit:g}" if target.uncertainty is None else f"{target.limit:.4g}"
    return f"{name[:1].upper()}{name[1:]} is {target.relation} {limit} per {target.per}."


def _margin(verdict: Verdict) -> float | None:
    """How many times better the bound is than what it was compared with; None where there is no such number."""
    if verdict.bound is None:
        return None
    limit, bound = verdict.limit, verdict.bound.limit
    good, bad = (limit, bound) if verdict.target.relation == "at most" else (bound, limit)
    return good / bad if bad > 0 and math.isfinite(good) and math.isfinite(bad) else None
