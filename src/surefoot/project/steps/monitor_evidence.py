"""Evidence of a monitor: its worth, its detection, its threshold, and how it stands beside others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from surefoot.adapters import Tested
from surefoot.bounds.checks import IDENTICAL
from surefoot.bounds.statement import INDEPENDENT
from surefoot.bounds.stratified import WITHIN_STRATA
from surefoot.core import Artefact, Check, Estimate, Evidence, InvalidInput, Table, Undefined
from surefoot.core.validate import FloatArray
from surefoot.documents import percent
from surefoot.monitors.dependence import cause_of, factor_of
from surefoot.monitors.evaluation import MonitorReport, compare, curve, detection, evaluate
from surefoot.monitors.evaluation.evaluate import FIXED_MONITOR
from surefoot.monitors.evaluation.levels import draws_for
from surefoot.monitors.outcomes import Kind, Outcomes
from surefoot.monitors.returns.stakes import Stakes, as_alarms
from surefoot.monitors.tree import SPURIOUS
from surefoot.project.steps import figures
from surefoot.project.steps.checks import drift, drift_of_groups, examined, independence
from surefoot.project.steps.monitor_stakes import AtStake
from surefoot.project.steps.monitor_threshold import Budget, Judged

OTHER_ROWS = Check("supported", "the threshold was chosen on other rows of the data set, drawn at random")


@dataclass(frozen=True, eq=False)
class MonitorEvidence:
    """The tested rows, what is at stake at each, and the monitor's name."""

    tested: Tested
    at_stake: AtStake
    level: float
    seed: int
    name: str
    events: Kind = "confidence"
    """What the probabilities of events for fault trees are."""

    @property
    def scope(self) -> str:
        """What the figures are about."""
        return f"{self.tested.component} with {self.name}"

    def of_alarms(self, alarms: FloatArray) -> Evidence:
        """Of a monitor whose alarms are known."""
        stakes = self.at_stake.stakes()
        judged = Judged(np.ones(stakes.rows, dtype=bool), as_alarms(alarms, stakes.rows))
        return self._evidence(stakes, judged, {}, {})

    def of_scores(self, scores: FloatArray, budget: Budget, others: Mapping[str, FloatArray]) -> Evidence:
        """Of a monitor with a threshold, and of others beside it."""
        if self.name in others:
            remedy = "Leave it out: it is compared with the others anyway."
            raise InvalidInput(f"against: names {self.name}", where=self.tested.component, remedy=remedy)
        stakes = self.at_stake.stakes()
        judged = budget.judged(stakes, scores)
        seen, left = stakes.chosen(judged.rows), scores[judged.rows]
        draws = draws_for(self.level, 500)
        found = curve(seen, left, level=self.level, points=200, draws=draws, seed=self.seed, scope=self.scope)
        shown = {"gain against cost": figures.drawn(found.plot().figure)}  # type: ignore[arg-type]
        tables = {"threshold": _threshold(judged)}
        if others:
            cost = evaluate(seen.under(judged.alarms), level=self.level, draws=200).availability_cost.value
            rivals = {self.name: left} | {name: values[judged.rows] for name, values in others.items()}
            draws = draws_for(self.level, 1000)
            compared = compare(rivals, seen, cost=cost, level=self.level, draws=draws, seed=self.seed)
            tables["monitors compared"] = compared.table()
            shown["monitors compared"] = figures.drawn(compared.plot())
        return self._evidence(stakes, judged, tables, shown, left)

    def _evidence(
        self,
        stakes: Stakes,
        judged: Judged,
        tables: Mapping[str, Table],
        shown: Mapping[str, Artefact],
        scores: FloatArray | None = None,
    ) -> Evidence:
        seen = stakes.chosen(judged.rows)
        options: dict[str, Any] = {"level": self.level, "scope": self.scope, "seed": self.seed}
        by = self.at_stake.drawn_by
        strata = None if by is None else by[judged.rows]
        report = evaluate(seen.under(judged.alarms), strata=strata, draws=draws_for(self.level, 4000), **options)
        options |= {"draws": draws_for(self.level, 1000), "threshold": judged.threshold}
        detected = detection(seen, scores, alarms=None if scores is not None else judged.alarms, **options)
        checks = self._checks(seen, judged)
        found = (*report.estimates, *self._events(seen, judged))
        return Evidence(
            tuple(examined(estimate, checks, also=[IDENTICAL]) for estimate in found),
            tables={
                "worth": report.table(),
                "outcomes": _outcomes(seen, judged),
                "detection": detected.table(),
                "model and monitor": self._dependence(seen, judged),
                **tables,
            },
            artefacts={"worth": _intervals(report), **shown},
        )

    def _events(self, seen: Stakes, judged: Judged) -> tuple[Estimate, ...]:
        """Events for fault trees: the monitored component fails and nobody is told, or an alarm has no cause."""
        kind: Kind = self.events if seen.units is None else "credible"
        outcomes = self._counted(seen, judged, kind)
        return tuple(_with_fixed(e) for e in (outcomes.undetected_failure, outcomes.spurious_alarm))

    def _dependence(self, seen: Stakes, judged: Judged) -> Table:
        """What a tree would get wrong that multiplies the failures of model and monitor."""
        outcomes = self._counted(seen, judged, "credible")
        rows = [
            _described("probability of a common cause", cause_of, outcomes),
            _described("times as probable as if independent", factor_of, outcomes),
        ]
        return Table(("what they have in common", "value", f"from ({percent(self.level)})", "to"), tuple(rows))

    def _counted(self, seen: Stakes, judged: Judged, kind: Kind) -> Outcomes:
        options: dict[str, Any] = {"scope": self.scope, "level": self.level, "kind": kind, "seed": self.seed}
        return Outcomes.of(seen, judged.alarms, draws=draws_for(self.level, 10_000), **options)

    def _checks(self, seen: Stakes, judged: Judged) -> dict[str, Check | None]:
        rows = self.tested if judged.rows.all() else self.tested.where(judged.rows, "that judge")
        undetected = seen.hazardous & ~judged.alarms
        fixed = {FIXED_MONITOR.id: OTHER_ROWS} if judged.choice is not None else {}
        within = self.at_stake.within[judged.rows]
        if seen.units is not None:
            return {IDENTICAL.id: drift_of_groups(undetected, rows, within), **fixed}
        alone = independence(rows, undetected, within)
        return {IDENTICAL.id: drift(undetected, within), INDEPENDENT.id: alone, WITHIN_STRATA.id: alone, **fixed}


def _described(name: str, function: Callable[[Outcomes], Estimate], outcomes: Outcomes) -> tuple[Any, ...]:
    try:
        found = function(outcomes)
    except Undefined as error:
        return name, str(error.problem), None, None
    return name, found.value, *found.interval(outcomes.level)


def _with_fixed(estimate: Estimate) -> Estimate:
    """The monitor must have been fixed; an alarm without a cause is counted, and is no failure of the component."""
    fixed = replace(FIXED_MONITOR, scope=estimate.scope)
    counted = dict(estimate.details)
    if estimate.quantity == SPURIOUS:
        counted["n"] = counted.pop("trials", counted.get("n"))
        counted["alarms"] = counted.pop("failures", None)
    return replace(estimate, assumptions=(*estimate.assumptions, fixed), details=counted)


def _outcomes(stakes: Stakes, judged: Judged) -> Table:
    bad, said = stakes.hazardous, judged.alarms
    counts = [(int((rows & said).sum()), int((rows & ~said).sum())) for rows in (bad, ~bad)]
    what = stakes.name or "hazards"
    names = (what, f"no {what}")
    return Table(
        ("rows", "alarm", "quiet", "all"), tuple((n, a, q, a + q) for n, (a, q) in zip(names, counts, strict=True))
    )


def _threshold(judged: Judged) -> Table:
    choice = judged.choice
    rows: list[tuple[str, Any]] = [("threshold", judged.threshold), ("rows that judge", int(judged.rows.sum()))]
    if choice is not None:
        rows += [
            ("rows that chose it", int((~judged.rows).sum())),
            ("asked", ", ".join(f"{name} {value}" for name, value in choice.asked.items())),
            ("guarantee", f"{choice.guarantee} ({choice.kind})"),
        ]
    return Table(("what", "figure"), tuple(rows))


def _intervals(report: MonitorReport) -> Artefact:
    return figures.intervals(report.intervals, f"{report.safety_gain.unit}, intervals at {percent(report.level)}")
