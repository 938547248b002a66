"""What the page shows, gathered from a result: every assumption once, every caveat once, steps in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from surefoot.core import Assumption, Check, Diagnostic, Estimate
from surefoot.project.definition import HAZOP, TREE_STEPS
from surefoot.project.result import Result
from surefoot.report.words import bound_at, contradicted, level_words

ORDER = ("contradicted", "unchecked", "supported")
SEVERITIES = ("error", "warning", "note")
SHOWN_LEVEL = 0.95


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


def anchors(result: Result) -> dict[str, str]:
    """Where the page shows steps, their results and assumptions: ids of elements."""
    found = {step: f"step-{place}" for place, step in enumerate(result.evidence, start=1)}
    for step, evidence in result.evidence.items():
        found |= {f"{step}.{estimate.reference}": found[step] for estimate in evidence.estimates}
    for place, rested in enumerate(assumptions(result), start=1):
        scopes = [scope for look in rested.looks for scope in look.scopes]
        names = [rested.id, *(f"{rested.id}[{scope}]" for scope in scopes)]
        found |= {name: f"assumption-{place}" for name in names if name not in found}
    return found
