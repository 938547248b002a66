"""Evidence of a system of many modules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Artefact, Estimate, Evidence, InvalidInput, Table, Undefined
from surefoot.monitors.evaluation.levels import draws_for
from surefoot.project.steps import figures
from surefoot.project.steps.system_shown import heading, intervals, stated, together
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
MOST_FAULTS = 5
Happened = dict[str, dict[Condition, NDArray[np.bool_]]]


@dataclass(frozen=True, eq=False)
class SystemEvidence:
    """A study ready to run, and what counts as a failure."""

    study: Study
    limit: float
    level: float
    seed: int
    max_group_size: int | None = None

    def of(
        self,
        mix: Mapping[str, float] | None,
        seen: Mapping[str, int] | None,
        events: str,
        accept: float | None,
        rates: Sequence[float],
    ) -> Evidence:
        """Run the study, and everything that the report shows of it."""
        given = Mix(mix) if mix is not None else None if seen is None else Mix.of_counts(seen)
        if given is not None:
            given.weights(self.study.conditions)
        self._require_events(events, given)
        self._require_answers()
        by_condition = self._by_condition()
        accepted, not_shown = self._accepted(accept)
        whole = () if given is None else (self._whole(given),)
        return Evidence(
            (*whole, *by_condition, *self._events(events, given), *(stated(accepted) if accepted else ())),
            tables={
                **self._tables(rates),
                **({"thresholds tried": accepted.tests} if accepted else {}),
                **({"no answers accepted": Table(("why",), ((not_shown,),))} if not_shown else {}),
                **self._redundancy(given),
                **self._faults(),
            },
            artefacts={"failures": intervals((*whole, *by_condition), self.level), **self._pictures()},
        )

    @cached_property
    def findings(self) -> Findings:
        """What the study found."""
        return replace(self.study.run(), level=self.level, seed=self.seed)

    @property
    def _how(self) -> dict[str, Any]:
        return {"limit": self.limit, "level": self.level, "max_group_size": self.max_group_size}

    def _by_condition(self) -> tuple[Estimate, ...]:
        found = failures(self.findings.whole, **self._how)
        return tuple(
            replace(estimate, quantity=f"failure under {condition.label}", scope=self.study.system.name)
            for condition, estimate in found.items()
        )

    def _whole(self, mix: Mix) -> Estimate:
        scope = self.study.system.name
        return system_failure(self.findings.whole, mix, **self._how, scope=scope)

    def _require_events(self, events: str, mix: Mix | None) -> None:
        """What events need is there, told before the study runs."""
        if events == "none":
            return
        if mix is None or mix.counted:
            remedy = "Say how often operation meets each condition; counts of it (seen:) have no place in events yet."
            raise InvalidInput("events need mix:", where=self.study.system.name, remedy=remedy)
        if events == "modules" and len(self.study.outputs) < 2:
            remedy = "Give Study(outputs={...}) two or more places that answer what the system answers."
            raise InvalidInput("events: modules needs modules in parallel", where=self.study.system.name, remedy=remedy)

    def _require_answers(self) -> None:
        """A system that never answers is not set up; how often it fails is not what was found out."""
        measured = self.findings.whole
        if all(measured.faulty(condition).all() for condition in measured.conditions):
            said = self.findings.faults().rows[0][-1]
            remedy = "Run the modules on one item by hand: System.run(inputs).faults says what each raised."
            raise InvalidInput("no item has an answer", where=measured.system, found=said, remedy=remedy)

    def _events(self, events: str, mix: Mix | None) -> tuple[Estimate, ...]:
        if events == "none" or mix is None:
            return ()
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

    def _accepted(self, target: float | None) -> tuple[Acceptance | None, str]:
        """Rejection with a guarantee on what is accepted, or why none is shown."""
        if target is None:
            return None, ""
        measured = self.findings.whole
        if not measured.scores:
            remedy = "Give the study training=, own_scores=, or modules with noisy= and distance=."
            raise InvalidInput("accept: needs scores of a module", where=measured.system, found="none", remedy=remedy)
        try:
            _, found = guarded(
                measured,
                limit=self.limit,
                target=target,
                delta=1 - self.level,
                max_group_size=self.max_group_size,
                seed=self.seed,
            )
        except Undefined as error:
            return None, str(error)
        return found, ""

    def _causes(self, weights: Mapping[Condition, float]) -> Happened:
        """All causes, also those never seen: a tree refers to them by name, and what was not seen may still occur."""
        study = self.study
        return blame(study.system, study.items, list(weights), study.metric, limit=self.limit, seed=self.seed)

    def _modules(self, weights: Mapping[Condition, float]) -> Happened:
        places = list(self.findings.measured.items())[1:]
        return {
            f"{name} fails": {condition: failed(measured, condition, limit=self.limit) for condition in weights}
            for name, measured in places
        }

    def _tables(self, rates: Sequence[float]) -> dict[str, Table]:
        found = self.findings
        ours = found.performance()
        counted = all(not drop.left_out for each in ours.values() for drop in each.drops)
        title = "performance" if counted else "performance, of items with an answer"
        tables = {title: as_in_paper(ours, intervals=True)}
        tables |= {heading(name, tested): as_in_paper(tested, intervals=False) for name, tested in found.tested()}
        if found.rejects:
            table = found.rejections(rates, pooled=True)
            tables["rejection, all conditions together"] = together(table)
        if found.switches:
            table = found.switching(pooled=True)
            tables["switching, all conditions together"] = together(table)
        return tables

    def _redundancy(self, mix: Mix | None) -> dict[str, Table]:
        places = dict(list(self.findings.measured.items())[1:])
        if len(places) < 2:
            return {}
        weights = None if mix is None else mix.weights(self.study.conditions)
        return {"redundancy": advise(places, limit=self.limit, weights=weights, level=self.level, seed=self.seed).table}

    def _faults(self) -> dict[str, Table]:
        """What modules raised and on how many items, where there are any; the most frequent of each condition."""
        found = self.findings.faults()
        by_condition = groupby(found.rows, key=itemgetter(0, 1))
        rows = tuple(row for _, some in by_condition for row in islice(some, MOST_FAULTS))
        return {"faults": Table(found.columns, rows)} if rows else {}

    def _pictures(self) -> dict[str, Artefact]:
        return {name: figures.drawn(figure) for name, figure in self.findings.figures().items()}
