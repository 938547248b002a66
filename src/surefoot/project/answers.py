"""An answer for each target: verdict, margin, and what would be needed where it is not met."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace

from surefoot.bounds import fresh_tests, needed
from surefoot.core import Diagnostic, DiagnosticsError, Estimate, Evidence, InvalidInput, Target, Verdict
from surefoot.core.bound import WITHOUT_LEVEL
from surefoot.project.answer import Answer
from surefoot.project.definition import TargetSource
from surefoot.project.looks import content, corrected_level, with_caveat
from surefoot.project.plan import quantity_of, step_of
from surefoot.project.project import Project

Earlier = Mapping[str, list[Target]]


def answers(
    project: Project, evidence: Mapping[str, Evidence], looks: Mapping[str, int], earlier: Earlier
) -> tuple[Answer, ...]:
    """Answers in the order of the file.

    ``looks`` counts the looks at the data behind each step; ``earlier`` holds what earlier looks asked of each number.
    """
    check_references(project, evidence)
    asked = project.definition.all_targets
    now = {(content(_named(source, evidence)), str(source.target)) for source in asked.values()}
    return tuple(
        _answer(name, source, _named(source, evidence), looks[step_of(source.estimate)], _before(earlier, now))
        for name, source in asked.items()
    )


def _before(earlier: Earlier, now: Collection[tuple[str, str]]) -> Earlier:
    """What was asked earlier and is asked no longer."""
    return {of: [each for each in asked if (of, str(each)) not in now] for of, asked in earlier.items()}


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


def _answer(name: str, source: TargetSource, measured: Estimate, looks: int, earlier: Earlier) -> Answer:
    target, derivation = source.target, source.derivation
    bound = measured.meets(target).bound
    kind = bound.kind if bound else None
    estimate = with_caveat(measured, looks, target.level, kind)
    verdict = estimate.meets(target)
    level = corrected_level(target.level, looks) if looks > 1 and kind not in WITHOUT_LEVEL else None
    return Answer(
        name=name,
        claim=source.claim or _claim(estimate, target),
        reference=source.estimate,
        target=target,
        estimate=estimate,
        verdict=verdict,
        margin=_margin(verdict),
        needed=() if verdict else needed(estimate, target),
        new_tests=None if verdict else fresh_tests(estimate, target),
        looks=looks,
        corrected_level=level,
        corrected=estimate.meets(replace(target, level=level)) if level else None,
        derivation=None if derivation is None else derivation.table(),
        previous=_previous(earlier.get(content(measured), [])),
    )


def _previous(earlier: list[Target]) -> str:
    """What was asked before of the same number."""
    others = sorted({str(asked) for asked in earlier})
    return f"Earlier assessments asked for {' and for '.join(others)}." if others else ""


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
