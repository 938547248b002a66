"""What the case says once an assumption is broken or operation contradicts a claim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from surefoot.bounds.statement import REPRESENTATIVE
from surefoot.case import Feedback
from surefoot.case.change import ClaimChange, Snapshot, compare
from surefoot.core import Assumption, Check, Evidence
from surefoot.project.plan import plan
from surefoot.project.project import Project
from surefoot.project.result import Result
from surefoot.project.watch.event import FELL, Event

LIKE_OPERATION = (REPRESENTATIVE.id, "labelled-data-represent-operation", "frame-represents-operation")
"""Assumptions that operation is as the data that evidence rests on, by the methods that state them."""
Broken = Mapping[str, Check]


class Consequences:
    """Evaluates the case of a result again with checks that operation made."""

    def __init__(self, project: Project, result: Result, component: str) -> None:
        self._result = result
        tasks = plan(project)
        self._own = {task.name for task in tasks if task.component == component}
        self._derived = {task.name for task in tasks if task.component is None}
        self._about = {
            (assumption.id, assumption.scope)
            for name in self._own & result.evidence.keys()
            for assumption in result.evidence[name].assumptions
        }
        self._now: Snapshot | None = None

    @property
    def now(self) -> Snapshot:
        """The case as it stands, with all that was broken until now."""
        if self._now is None:
            self._now = Snapshot(self._result.case, self._result.evaluation, self._result.evidence)
        return self._now

    def rests_on(self, broken: Iterable[str]) -> bool:
        """Whether any result of the component rests on one of these assumptions."""
        return bool({name for name, _ in self._about} & set(broken))

    def after(self, broken: Broken, feedback: Sequence[Feedback]) -> tuple[ClaimChange, ...]:
        """Claims that stand worse than before, now that these assumptions are broken and operation says this."""
        before = self.now
        spoken_of = {entry.claim for entry in feedback}
        others = [entry for entry in self._result.feedback if entry.claim not in spoken_of]
        evidence = {name: self._with(name, item, broken) for name, item in self._result.evidence.items()}
        evaluation = self._result.case.evaluate(evidence, feedback=(*others, *feedback))
        self._now = Snapshot(self._result.case, evaluation, evidence)
        return compare(before, self._now).fell

    def _with(self, name: str, evidence: Evidence, broken: Broken) -> Evidence:
        if name not in self._own | self._derived:
            return evidence
        return replace(
            evidence,
            estimates=tuple(
                replace(estimate, assumptions=self._checked(estimate.assumptions, broken))
                for estimate in evidence.estimates
            ),
            assumptions=self._checked(evidence.assumptions, broken),
        )

    def _checked(self, assumptions: Iterable[Assumption], broken: Broken) -> tuple[Assumption, ...]:
        return tuple(
            replace(each, check=broken[each.id]) if each.id in broken and (each.id, each.scope) in self._about else each
            for each in assumptions
        )


def fall(change: ClaimChange, row: int) -> Event:
    """The event of a claim that fell."""
    figures = {
        "before": change.before,
        "after": change.after,
        "probability before": change.probability_before,
        "probability after": change.probability_after,
        "chain": list(change.chain),
        "why": change.why,
    }
    after = f"{change.after}" if change.after != change.before else f"less surely {change.after}"
    chance = "" if change.probability_after is None else f" to {change.probability_after:.3f}"
    way = f" It holds up {' > '.join(change.chain[1:])}." if len(change.chain) > 1 else " It is the top of the case."
    text = (
        f"The claim {change.id!r} was {change.before} and is {after}; its probability went from "
        f"{change.probability_before:.3f}{chance}.{way}"
    )
    return Event(FELL, row, text, change.id, figures)
