"""What the page shows, gathered from a result: every assumption once, every caveat once, steps in their order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from surefoot.case import Case, draw
from surefoot.case.drawing import WIDE
from surefoot.case.layout import lay_out
from surefoot.core import Assumption, Check, Diagnostic, Estimate
from surefoot.project.result import Result
from surefoot.report.words import bound_at

ORDER = ("contradicted", "unchecked", "supported")
SEVERITIES = ("error", "warning", "note")
NARROW = 360.0
PAGE_HEIGHT = 1150.0
"""What fits on a printed page, in the units of the wide drawing."""
SHOWN_LEVEL = 0.95


@dataclass(frozen=True)
class Drawing:
    """One part of the case, drawn for a wide and for a narrow page."""

    title: str
    wide: str
    narrow: str

    @classmethod
    def of(cls, part: Case, prefix: str, *, title: str = "") -> Drawing:
        """Both drawings, with ids of their own."""
        return cls(
            title,
            draw(part, width=WIDE, prefix=f"{prefix}-wide", styled=False),
            draw(part, width=NARROW, prefix=f"{prefix}-narrow", styled=False),
        )


@dataclass(frozen=True)
class Rested:
    """An assumption with everything that rests on it."""

    id: str
    text: str
    check: Check | None
    scopes: tuple[str, ...]
    steps: tuple[str, ...]
    targets: tuple[str, ...]

    @property
    def status(self) -> str:
        """``supported``, ``contradicted`` or ``unchecked``."""
        return self.check.status if self.check else "unchecked"


def assumptions(result: Result) -> list[Rested]:
    """All assumptions of all steps, the doubtful ones first."""
    groups: dict[tuple[str, str, Check | None], list[tuple[Assumption, str]]] = {}
    for step, evidence in result.evidence.items():
        for assumption in evidence.assumptions:
            groups.setdefault(_same(assumption), []).append((assumption, step))
    found = [_rested(key, users, result) for key, users in groups.items()]
    return sorted(found, key=lambda rested: ORDER.index(rested.status))


def _same(assumption: Assumption) -> tuple[str, str, Check | None]:
    return assumption.id, assumption.text, assumption.check


def _rested(key: tuple[str, str, Check | None], users: Iterable[tuple[Assumption, str]], result: Result) -> Rested:
    users = list(users)
    scopes = dict.fromkeys(assumption.scope for assumption, _ in users if assumption.scope)
    targets = [a.name for a in result.answers if any(_same(each) == key for each in a.estimate.assumptions)]
    return Rested(*key, tuple(scopes), tuple(dict.fromkeys(step for _, step in users)), tuple(targets))


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


def conditions(result: Result) -> list[tuple[Mapping[str, Any], Rested | None]]:
    """The operating conditions as stated, each with what a check of it found."""
    checked = {rested.id: rested for rested in assumptions(result)}
    stated = result.definition.get("conditions", {}).get("assumptions", ())
    return [(condition, checked.get(condition["id"])) for condition in stated]


def estimate_bounds(estimate: Estimate) -> list[tuple[str, Any]]:
    """Side and limit of every bound, at the level the estimate was made for."""
    level = estimate.details.get("level", SHOWN_LEVEL)
    return [(family.side, bound_at(family, level)) for family in estimate.bounds]


def drawings(case: Case) -> list[Drawing]:
    """The case, in parts where it is longer than a printed page."""
    if lay_out(case, width=WIDE).height <= PAGE_HEIGHT:
        return [Drawing.of(case, "case")]
    overview, *claims = _parts(case)
    parts = [Drawing.of(claim, f"case-{place}", title=claim.top.id) for place, claim in enumerate(claims)]
    return [Drawing.of(overview, "case"), *parts]


def _parts(case: Case) -> list[Case]:
    """An overview down to the claims of the targets, and each of these claims by itself."""
    claims = [claim for argument in case.top.children for claim in argument.children]
    arguments = (
        replace(argument, children=tuple(replace(claim, children=()) for claim in argument.children))
        for argument in case.top.children
    )
    overview = Case(replace(case.top, children=tuple(arguments)), case.context)
    return [overview, *(Case(claim) for claim in claims)]
