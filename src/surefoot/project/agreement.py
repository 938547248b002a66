"""Estimates of one quantity and scope that cannot both be right: no verdict is drawn from either.

Two estimates contradict each other where the upper limit of one lies below the lower limit of the other. Each limit is
taken at half the miss probability of ``LEVEL``, so that the two that are compared hold together at that level (union
bound); at least one of them rests on something that does not hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

from surefoot.core import Assumption, Check, Diagnostic, Estimate, Evidence, LevelUnavailable
from surefoot.core.bound import Side
from surefoot.project.definition import TOP_EVENT
from surefoot.project.result import DISAGREE

AGREE = Assumption("estimates-agree", "Estimates of one quantity and scope do not exclude each other.")
LEVEL = 0.95
_EACH = 1 - (1 - LEVEL) / 2


@dataclass(frozen=True)
class Contradiction:
    """Two estimates, the first of which lies below the second."""

    lower: str
    """``step.quantity[scope]``."""
    at_most: float
    higher: str
    at_least: float

    @property
    def finding(self) -> Diagnostic:
        """What stands on the first screen."""
        text = f"{self.lower} says at most {self.at_most:.4g}, {self.higher} at least {self.at_least:.4g}; "
        text += f"both limits hold together at level {LEVEL:g}. No verdict is drawn from either."
        hint = "Find out which assumption of the two does not hold, or name the quantities apart if they differ."
        return Diagnostic(DISAGREE, text, "error", hint=hint)

    @property
    def check(self) -> Check:
        """What it says against either."""
        words = f"{self.lower} says at most {self.at_most:.4g}, {self.higher} at least {self.at_least:.4g}"
        return Check("contradicted", words, {"at_most": self.at_most, "at_least": self.at_least, "level": LEVEL})


def contradictions(evidence: Mapping[str, Evidence]) -> tuple[Contradiction, ...]:
    """All pairs of different steps that contradict each other.

    Estimates whose own assumptions are contradicted show nothing and are not compared. What is computed from others, or
    is the top event of a tree, is about its own logic; what went into it is compared.
    """
    alike: dict[tuple[str, str, str], list[tuple[str, Estimate]]] = {}
    for step, found in evidence.items():
        for estimate in found.estimates:
            if not (estimate.provenance.inputs or estimate.quantity == TOP_EVENT or _broken(estimate)):
                alike.setdefault((estimate.quantity, estimate.unit, estimate.scope), []).append((step, estimate))
    return tuple(
        found
        for users in alike.values()
        for (step, one), (other_step, other) in combinations(users, 2)
        for found in _between(f"{step}.{one.reference}", one, f"{other_step}.{other.reference}", other)
    )


def _between(name: str, one: Estimate, other_name: str, other: Estimate) -> Iterator[Contradiction]:
    for low, low_name, high, high_name in ((one, name, other, other_name), (other, other_name, one, name)):
        at_most, at_least = _limit(low, "upper"), _limit(high, "lower")
        if at_most is not None and at_least is not None and at_most < at_least:
            yield Contradiction(low_name, at_most, high_name, at_least)


def _limit(estimate: Estimate, side: Side) -> float | None:
    """The tightest limit of a side; None where no bound with a level reaches it."""
    found = []
    for family in estimate.bounds:
        if family.side == side and family.kind != "expectation":
            try:
                found.append(family.at(_EACH).limit)
            except LevelUnavailable:
                continue
    return (min if side == "upper" else max)(found, default=None)


def _broken(estimate: Estimate) -> bool:
    return any(a.status == "contradicted" and a.id != AGREE.id for a in estimate.assumptions)


def marked(evidence: Mapping[str, Evidence], found: tuple[Contradiction, ...]) -> dict[str, Evidence]:
    """The evidence, in which estimates that are contradicted, and all that rest on them, say so and show nothing."""
    if not found:
        return dict(evidence)
    checks: dict[str, Check] = {}
    for each in found:
        checks |= {name: each.check for name in (each.lower, each.higher) if name not in checks}
    named = {f"{step}.{e.reference}": e for step, item in evidence.items() for e in item.estimates}
    by_key = {named[name].key: check for name, check in checks.items()}

    def judged(name: str, estimate: Estimate) -> Estimate:
        inherited = (by_key[key] for key in estimate.provenance.inputs if key in by_key)
        check = checks.get(name) or next(inherited, None)
        if check is None or any(a.id == AGREE.id for a in estimate.assumptions):
            return estimate
        own = replace(AGREE, check=check, scope=estimate.scope)
        return replace(estimate, assumptions=(*estimate.assumptions, own))

    return {
        step: replace(item, estimates=tuple(judged(f"{step}.{e.reference}", e) for e in item.estimates))
        for step, item in evidence.items()
    }
