"""What the page shows, gathered from a result: every assumption once, every caveat once, steps in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from surefoot.case import Case, draw
from surefoot.case.drawing import WIDE
from surefoot.case.layout import lay_out
from surefoot.core import Assumption, Check, Diagnostic, Estimate
from surefoot.project.definition import HAZOP, TREE_STEPS
from surefoot.project.result import Result
from surefoot.report.words import bound_at, contradicted, level_words

ORDER = ("contradicted", "unchecked", "supported")
SEVERITIES = ("error", "warning", "note")
NARROW = 360.0
PAGE_HEIGHT = 1150.0
"""What fits on a printed page, in the units of the wide drawing."""
SHOWN_LEVEL = 0.95


@dataclass(frozen=True)
class Drawing:
    """One part of the case; ``wide`` is empty where the narrow drawing serves every page."""

    title: str
    narrow: str
    wide: str = ""


@dataclass(frozen=True)
class Looked:
    """What one look at an assumption found, and for which scopes and steps."""

    check: Check | None
    scopes: tuple[str, ...]
    steps: tuple[str, ...]

    @property
    def status(self) -> str:
        """``supported``, ``contradicted`` or ``unchecked``."""
        return self.check.status if self.check else "unchecked"


@dataclass(frozen=True)
class Rested:
    """An assumption with every look at it and everything that rests on it."""

    id: str
    text: str
    looks: tuple[Looked, ...]
    targets: tuple[str, ...]

    @property
    def status(self) -> str:
        """The worst that a look found."""
        return self.looks[0].status


def assumptions(result: Result) -> list[Rested]:
    """All assumptions of all steps, the doubtful ones first."""
    groups: dict[tuple[str, str], list[tuple[Assumption, str]]] = {}
    for step, evidence in result.evidence.items():
        for assumption in evidence.assumptions:
            groups.setdefault((assumption.id, assumption.text), []).append((assumption, step))
    found = [_rested(users, result) for users in groups.values()]
    return sorted(found, key=lambda rested: ORDER.index(rested.status))


def _rested(users: Sequence[tuple[Assumption, str]], result: Result) -> Rested:
    looks: dict[Check | None, list[tuple[Assumption, str]]] = {}
    for assumption, step in users:
        looks.setdefault(assumption.check, []).append((assumption, step))
    ordered = sorted((_looked(check, each) for check, each in looks.items()), key=lambda look: ORDER.index(look.status))
    first = users[0][0]
    targets = [a.name for a in result.answers if any(_same(first, each) for each in a.estimate.assumptions)]
    return Rested(first.id, first.text, tuple(ordered), tuple(targets))


def _looked(check: Check | None, users: Sequence[tuple[Assumption, str]]) -> Looked:
    scopes = dict.fromkeys(assumption.scope for assumption, _ in users if assumption.scope)
    return Looked(check, tuple(scopes), tuple(dict.fromkeys(step for _, step in users)))


def different_assumptions(estimate: Estimate) -> int:
    """How many assumptions an estimate rests on; one that concerns several parts of it is one, as in the register."""
    return len({(assumption.id, assumption.text) for assumption in estimate.assumptions})


def _same(one: Assumption, other: Assumption) -> bool:
    return (one.id, one.text) == (other.id, other.text)


def caveats(result: Result) -> list[tuple[Diagnostic, tuple[str, ...]]]:
    """All caveats, each once, with the steps and targets that carry it; the severe ones first."""
    found: dict[Diagnostic, dict[str, None]] = {caveat: {} for caveat in result.caveats}
    carriers = [(step, estimate) for step, evidence in result.evidence.items() for estimate in evidence.estimates]
    carriers += [(answer.name, answer.estimate) for answer in result.answers]
    for name, estimate in carriers:
        for caveat in estimate.caveats:
            found.setdefault(caveat, {})[name] = None
    return sorted(
        ((c, tuple(names)) for c, names in found.items()), key=lambda item: SEVERITIES.index(item[0].severity)
    )


def conditions(result: Result) -> list[tuple[Mapping[str, Any], tuple[Looked, ...]]]:
    """The operating conditions as stated, each with every look at it, the worst first."""
    looked_at = {(rested.id, rested.text): rested.looks for rested in assumptions(result)}
    stated = result.definition.get("conditions", {}).get("assumptions", ())
    unseen = (Looked(None, (), ()),)
    return [(condition, looked_at.get((condition["id"], condition["text"]), unseen)) for condition in stated]


def trees(result: Result) -> list[str]:
    """Names of the steps that are fault trees, which have a chapter of their own."""
    return [name for step in TREE_STEPS for name in _of_step(result, step)]


def worksheets(result: Result) -> list[str]:
    """Names of the steps that are worksheets of hazard analyses."""
    return _of_step(result, HAZOP)


def _of_step(result: Result, step: str) -> list[str]:
    return [name for name, item in result.evidence.items() if item.provenance.method == f"step.{step}"]


def estimate_bounds(estimate: Estimate) -> list[tuple[str, Any, str]]:
    """Side, limit and words of every bound, at the level the estimate was made for."""
    level = estimate.details.get("level", SHOWN_LEVEL)
    both = len({family.side for family in estimate.bounds}) == 2
    discount = ", does not count: contradicted" if contradicted(estimate) else ""
    found = [(family.side, bound_at(family, level)) for family in estimate.bounds]
    return [(side, bound, f"{level_words(bound, both=both)}{discount}" if bound else "") for side, bound in found]


def drawings(case: Case) -> list[Drawing]:
    """The case, in parts where it is longer than a printed page; parts stand side by side where there is room."""
    if lay_out(case, width=WIDE).height <= PAGE_HEIGHT:
        return [_drawn_twice(case)]
    overview, *claims = _parts(case)
    parts = [
        Drawing(claim.top.id, draw(claim, width=NARROW, prefix=f"case-{place}", styled=False))
        for place, claim in enumerate(claims)
    ]
    return [_drawn_twice(overview), *parts]


def _drawn_twice(case: Case) -> Drawing:
    narrow, wide = (
        draw(case, width=width, prefix=f"case-{name}", styled=False)
        for name, width in (("narrow", NARROW), ("wide", WIDE))
    )
    return Drawing("", narrow, wide)


def _parts(case: Case) -> list[Case]:
    """An overview down to the claims of the targets, and each of these claims by itself."""
    claims = [claim for argument in case.top.children for claim in argument.children]
    arguments = (
        replace(argument, children=tuple(replace(claim, children=()) for claim in argument.children))
        for argument in case.top.children
    )
    overview = Case(replace(case.top, children=tuple(arguments)), case.context)
    return [overview, *(Case(claim) for claim in claims)]
