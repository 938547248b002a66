"""Targets that labelled rows of a stream can contradict: limits of a component's failure probability.

``FailureTest`` bets against a limit, ``Consequences`` evaluates the case again once one is contradicted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.adapters import Tested
from surefoot.bounds import clopper_pearson
from surefoot.bounds.statement import FAILURE_PROBABILITY, REPRESENTATIVE
from surefoot.case import ClaimChange, Feedback, Snapshot, compare
from surefoot.case.templates.builder import goal_id
from surefoot.core import Assumption, Check, Evidence, InvalidInput, LevelUnavailable, MixedKinds, validate
from surefoot.core.canonical import reading
from surefoot.core.validate import FloatArray
from surefoot.profile.stream import log_share
from surefoot.project.plan import Task, plan, step_of
from surefoot.project.project import Project
from surefoot.project.result import Answer, Result
from surefoot.project.steps.test_data import failures
from surefoot.watch.records import FELL, FIELD, Event, out_of, share_words


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
        tests = self.figures()["tests"]
        had = f"; the tests had {share_words(tests)}" if tests is not None else ""
        rows = f"labelled rows{'' if self.of is None else f' of {self.of}'}"
        allowed = f"the claim {self.name!r} allows {share_words(self.test.limit)}{had}"
        return (
            f"It fails too often: {out_of(self.failures, self.exposure, rows)} failed so far, and {allowed}. {RESTORE}"
        )


RESTORE = (
    "More tests like those do not restore the claim: find what makes these rows fail, then change the component or the "
    "claim."
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
    stated = target.at_most is not None and target.is_share and target.lenient_limit(target.alpha) < 1
    return stated and by_row and answer.estimate.quantity == FAILURE_PROBABILITY


def _upper(answer: Answer) -> float | None:
    try:
        return answer.estimate.upper(answer.target.level)
    except (LevelUnavailable, MixedKinds):
        return None


# Whether failures come more often than a limit allows, judged after every single one.

SMALLEST_LIMIT = 1e-12
FIRST_RATIO, STEP, HIGHEST = 1.5, 2.0, 0.75
AT_ONCE = 4096


class FailureTest:
    """A gambler who bets that a failure probability lies above a limit, from a time that nobody knows.

    As long as every row fails with a probability of at most ``limit``, given all rows before it, the capital cannot
    grow on average, so that the chance that it ever reaches 1/``alpha`` is at most ``alpha`` (Ville 1939; Waudby-Smith
    and Ramdas 2024, JRSS-B 86(1)). Bets are likelihood ratios against the limit, for odds of 1.5, 3, 6 and so on times
    those of the limit. The capital is split over them and over the rows at which failures may have become more
    frequent, with shares that fall as slowly as those of ``ChangeAlarm``: a long calm costs little.

    Parameters
    ----------
    limit
        The failure probability that is claimed at most.
    alpha
        How often a limit that is kept may ever be refuted.

    Examples
    --------
    >>> from surefoot.watch import FailureTest
    >>> test = FailureTest(0.01, alpha=0.05)
    >>> test.update([False] * 200), test.update([False, True] * 20)
    (None, 7)

    """

    def __init__(self, limit: float, *, alpha: float) -> None:
        where = "FailureTest"
        self.limit = validate.probability(limit, where=where, name="limit")
        self.alpha = validate.fraction(alpha, where=where, name="alpha")
        if self.limit >= 1:
            raise InvalidInput("no failures exceed a limit of 1", where=where, found=f"{limit:g}")
        claimed = max(self.limit, SMALLEST_LIMIT)
        chances = _alternatives(claimed)
        self._pays = np.stack([np.log1p(-chances) - math.log1p(-claimed), np.log(chances / claimed)])
        self._log = np.full(chances.size, -np.inf)
        self.rows = 0
        self.value = 1.0
        """Evidence so far: the chance to see this much or more is at most 1/value where the limit is kept."""
        self.row: int | None = None
        """The row, counted from 0, at which the limit was refuted."""

    def update(self, failed: ArrayLike) -> int | None:
        """Take in rows, the oldest first; the number among them of the row that refuted the limit, if one did."""
        outcomes = np.asarray(failed, dtype=bool)
        known, before = self.row, self.rows
        for start in range(0, outcomes.size, AT_ONCE):
            self._step(outcomes[start : start + AT_ONCE].astype(np.intp))
        return None if known is not None or self.row is None else self.row - before

    def snapshot(self) -> dict[str, Any]:
        """What it knows, as plain data."""
        return {"rows": self.rows, "row": self.row, "value": self.value, "log": self._log.tolist()}

    def resume(self, snapshot: Mapping[str, Any]) -> None:
        """Go on from what ``snapshot`` told; limit and alpha must be the same."""
        with reading("failure test"):
            self._log = np.array(snapshot["log"], dtype=float).reshape(self._log.shape)
            self.rows, self.value = int(snapshot["rows"]), float(snapshot["value"])
            self.row = None if snapshot["row"] is None else int(snapshot["row"])

    def _step(self, outcomes: NDArray[np.intp]) -> None:
        sums = np.cumsum(paid := self._pays[outcomes], axis=0)
        rows = self.rows + np.arange(outcomes.size, dtype=float)
        shares = log_share(rows)[:, None] - math.log(self._log.size)
        started = np.logaddexp.accumulate(np.vstack([self._log, shares - (sums - paid)]))
        logs = sums + started[1:]
        waiting = -np.log(np.log(rows + 1 + math.e))
        total = np.logaddexp(np.logaddexp.reduce(logs, axis=1), waiting)
        over = np.flatnonzero(total >= -math.log(self.alpha))
        if self.row is None and over.size:
            self.row = self.rows + int(over[0])
        self._log, self.rows = logs[-1], self.rows + outcomes.size
        self.value = math.exp(min(float(total[-1]), 700.0))


def _alternatives(claimed: float) -> FloatArray:
    """Failure probabilities above the claimed one, further apart the further away."""
    odds = claimed / (1 - claimed)
    steps = max(math.ceil(math.log(HIGHEST / (1 - HIGHEST) / (FIRST_RATIO * odds), STEP)), 0) + 1
    above = FIRST_RATIO * odds * STEP ** np.arange(steps)
    return np.asarray(above / (1 + above))


# What the case says once an assumption is broken or operation contradicts a claim.

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

    def because(self, claim: str, broken: Iterable[str], refuted: Iterable[str]) -> str:
        """What of all that a claim needs operation contradicts, in words."""
        case, wrong, against = self._result.case, set(broken), set(refuted)
        if claim in against:
            return "operation shows the contrary"
        waiting, seen, told = [claim], {claim}, dict[str, None]()
        while waiting:
            node = case[waiting.pop()]
            if node.id in against:
                told[f"it needs {node.id!r}, which operation refutes"] = None
            if node.assumption.partition("[")[0] in wrong:
                told[f"it needs that {node.text.strip().rstrip('.')!r}, which operation contradicts"] = None
            new = [each for each in case.needs(node) if each in case and each not in seen]
            seen.update(new)
            waiting += new
        return "; ".join(list(told)[:MOST_NAMED])

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


def fall(change: ClaimChange, row: int, because: str) -> Event:
    """The event of a claim that fell."""
    figures = {
        "before": change.before,
        "after": change.after,
        "confidence before": change.confidence_before,
        "confidence after": change.confidence_after,
        "chain": list(change.chain),
        "why": change.why,
    }
    top = len(change.chain) == 1
    what = f"{'The top claim' if top else 'The claim'} {change.id!r} ({change.text.strip().rstrip('.')})"
    words = {"not shown": "is not shown any more", "contradicted": "is refuted"}
    now = (
        f"is {change.after} as before, on less" if change.after == change.before else words.get(change.after, "is gone")
    )
    text = f"{what} {now}{f': {because}' if because else ''}.{RELY if top else ''}"
    return Event(FELL, row, text, change.id, figures)


RELY = " Do not rely on it until that is settled and the project is assessed anew."
MOST_NAMED = 3
