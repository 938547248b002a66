"""Evidence of a system of many modules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Artefact, Estimate, Evidence, InvalidInput, Table
from surefoot.draw import Interval
from surefoot.monitors.evaluation.levels import draws_for
from surefoot.project.steps import figures
from surefoot.project.steps.tables import one_sided
from surefoot.systems import (
    Acceptance,
    Condition,
    Findings,
    Mix,
    Study,
    advise,
    blame,
    chained,
    failed,
    failures,
    guarded,
    system_failure,
)
from surefoot.systems.tables import as_in_paper

DRAWS = 10_000
"""As many as the step of fault trees draws by default, so that events are drawn together."""
Happened = dict[str, dict[Condition, NDArray[np.bool_]]]


@dataclass(frozen=True, eq=False)
class SystemEvidence:
    """A study ready to run, and what counts as a failure."""

    study: Study
    limit: float
    level: float
    seed: int

    def of(
        self,
        mix: Mapping[str, float] | None,
        seen: Mapping[str, int] | None,
        events: str,
        accept: float | None,
        rates: Sequence[float],
    ) -> Evidence:
        """Run the study, and everything that the report shows of it."""
        stated = Mix(mix) if mix is not None else None if seen is None else Mix.of_counts(seen)
        if stated is not None:
            stated.weights(self.study.conditions)
        by_condition = self._by_condition()
        accepted = None if accept is None else self._accepted(accept)
        whole = () if stated is None else (self._whole(stated),)
        return Evidence(
            (*whole, *by_condition, *self._events(events, stated), *(_stated(accepted) if accepted else ())),
            tables={
                **self._tables(rates),
                **({"thresholds tried": accepted.tests} if accepted else {}),
                **self._redundancy(stated),
                **self._faults(),
            },
            artefacts={"failures": _intervals((*whole, *by_condition), self.level), **self._pictures()},
        )

    @cached_property
    def findings(self) -> Findings:
        """What the study found."""
        return replace(self.study.run(), level=self.level, seed=self.seed)

    def _by_condition(self) -> tuple[Estimate, ...]:
        found = failures(self.findings.whole, limit=self.limit, level=self.level)
        return tuple(
            replace(estimate, quantity=f"failure under {condition.label}", scope=self.study.system.name)
            for condition, estimate in found.items()
        )

    def _whole(self, mix: Mix) -> Estimate:
        scope = self.study.system.name
        return system_failure(self.findings.whole, mix, limit=self.limit, level=self.level, scope=scope)

    def _events(self, events: str, mix: Mix | None) -> tuple[Estimate, ...]:
        if events == "none":
            return ()
        if mix is None:
            raise InvalidInput("events need mix: or seen:", where=self.study.system.name)
        weights = mix.weights(self.study.conditions)
        happened = self._causes(weights) if events == "causes" else self._modules(weights)
        found = chained(
            happened,
            weights,
            gate="or" if events == "causes" else "and",
            units=self.findings.whole.units,
            level=self.level,
            draws=draws_for(self.level, DRAWS),
            seed=self.seed,
        )
        return tuple(replace(estimate, scope=self.study.system.name) for estimate in found.values())

    def _accepted(self, target: float) -> Acceptance:
        """Rejection with a guarantee on what is accepted."""
        delta = 1 - self.level
        _, found = guarded(self.findings.whole, failed_above=self.limit, target=target, delta=delta, seed=self.seed)
        return found

    def _causes(self, weights: Mapping[Condition, float]) -> Happened:
        """Causes that were seen at least once; what never happened is no event."""
        study = self.study
        causes = blame(study.system, study.items, list(weights), study.metric, limit=self.limit, seed=self.seed)
        return {cause: masks for cause, masks in causes.items() if any(mask.any() for mask in masks.values())} or causes

    def _modules(self, weights: Mapping[Condition, float]) -> Happened:
        places = list(self.findings.measured.items())[1:]
        if len(places) < 2:
            remedy = "Give Study(outputs={...}) two or more places that answer what the system answers."
            raise InvalidInput("events: modules needs modules in parallel", where=self.study.system.name, remedy=remedy)
        return {
            f"{name} fails": {condition: failed(measured, condition, limit=self.limit) for condition in weights}
            for name, measured in places
        }

    def _tables(self, rates: Sequence[float]) -> dict[str, Table]:
        found = self.findings
        tables = {"performance": as_in_paper(found.performance(), intervals=True)}
        tables |= {name: as_in_paper(tested, intervals=False) for name, tested in found.tested()}
        if found.rejects:
            table = found.rejections(rates, pooled=True)
            tables["rejection"] = Table(table.columns, tuple(row for row in table.rows if row[0] == "all conditions"))
        if found.switches:
            table = found.switching()
            tables["switching"] = Table(table.columns, tuple(row for row in table.rows if row[0] == "all conditions"))
        return tables

    def _redundancy(self, mix: Mix | None) -> dict[str, Table]:
        places = dict(list(self.findings.measured.items())[1:])
        if len(places) < 2:
            return {}
        weights = None if mix is None else mix.weights(self.study.conditions)
        return {"redundancy": advise(places, limit=self.limit, weights=weights, level=self.level, seed=self.seed).table}

    def _faults(self) -> dict[str, Table]:
        """Items on which a module raised, where there are any."""
        measured = self.findings.whole
        counts = {condition.label: int(measured.faulty(condition).sum()) for condition in measured.conditions}
        rows = tuple((label, count) for label, count in counts.items() if count)
        return {"faults": Table(("condition", "items without an answer"), rows)} if rows else {}

    def _pictures(self) -> dict[str, Artefact]:
        return {name: figures.drawn(figure) for name, figure in self.findings.figures().items()}


def _stated(accepted: Acceptance) -> tuple[Estimate, Estimate]:
    return (
        replace(accepted.error, quantity="failure among accepted answers"),
        replace(accepted.coverage, quantity="share of answers accepted"),
    )


def _intervals(estimates: Sequence[Estimate], level: float) -> Artefact:
    rows: list[Interval] = [
        (each.quantity.removeprefix("failure under "), each.lower(level), each.value, each.upper(level))
        for each in estimates
    ]
    return figures.intervals(rows, f"probability of failure ({one_sided(level)})")
