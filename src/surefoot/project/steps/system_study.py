"""The step that studies a system of many modules on clean and corrupted inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from inspect import signature
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from surefoot.core import Artefact, Estimate, Evidence, Executor, InvalidInput, Table, Undefined
from surefoot.drawing import Interval
from surefoot.executors import Serial
from surefoot.monitors.evaluation.bootstrap import draws_for
from surefoot.project.inputs import NamesCode, NamesFile, found_code, obstacle
from surefoot.project.registry import meaning, step
from surefoot.project.steps import parameters
from surefoot.project.steps.parameters import AnsweredBy, Level, as_stated, described, one_sided
from surefoot.systems import (
    Acceptance,
    Condition,
    Findings,
    Mix,
    Study,
    accept_below_predicted,
    advise,
    blame,
    conditional_probabilities,
    failed,
    failures,
    system_failure,
)
from surefoot.systems.rejection.comparison import RATES
from surefoot.systems.rejection.strategies import ALL_CONDITIONS
from surefoot.systems.risk import COUNTED_MIX, STATED_MIX
from surefoot.systems.tables import Tested, as_in_paper
from surefoot.systems.tables.presentation import MEANING

# The words of the step for systems of many modules, and what they mean.

StudyCode = Annotated[
    str,
    described("`module:name` of a function without arguments that gives a `surefoot.systems.Study`."),
    NamesCode(),
]
StudyFiles = Annotated[
    list[str] | None,
    described("Files that the study reads, such as weights and data, so that a change of them is noticed."),
    NamesFile(),
]
Limit = Annotated[
    float,
    Field(
        ge=0, description="An item fails whose error is above this, or on which a module raised. In units of metric."
    ),
]
Shares = Annotated[
    dict[str, Annotated[float, Field(ge=0, le=1)]] | None,
    described(
        "How often operation meets each condition, such as `{clean: 0.9, fog 3: 0.1}`; shares sum to 1.",
        "Without it, or `seen`, there is no `system failure`, only one figure a condition.",
    ),
]
Seen = Annotated[
    dict[str, Annotated[int, Field(ge=0)]] | None,
    described("How often each condition was counted in operation, in place of `mix`; the count's uncertainty enters."),
]
EventsOf = Annotated[
    Literal["none", "causes", "modules"],
    described(
        "Events for fault trees. `causes`: failures blamed on clean inputs, or on corruption through a module, each",
        "given that none before it happened, for an `or` gate. `modules`: each of the study's outputs fails given that",
        "all before it failed, for an `and` gate.",
    ),
]
Accept = Annotated[
    Annotated[float, Field(gt=0, lt=1)] | None,
    described(
        "The share of accepted answers that may fail. The loosest threshold of predicted error for which this is shown",
        "at `level` becomes `failure among accepted answers` and `share of answers accepted`; half of the items teach",
        "the prediction, the others place the threshold. All conditions count the same, whatever `mix` says.",
    ),
]
MaxGroupSize = Annotated[
    Annotated[int, Field(ge=1)] | None,
    described(
        "The most items that a group of the study can have in operation; without it bounds over groups are heuristic."
    ),
]
Rates = Annotated[
    list[Annotated[float, Field(gt=0, lt=1)]],
    described("Shares of the answers that the strategies of rejection are compared at."),
]


RECORDINGS = Path(".surefoot") / "recordings"


@step
@meaning(2)
def system_study(
    executor: Executor,
    *,
    study: StudyCode,
    files: StudyFiles = None,
    limit: Limit = 0.0,
    mix: Shares = None,
    seen: Seen = None,
    answered_by: AnsweredBy = None,
    events: EventsOf = "none",
    accept: Accept = None,
    max_group_size: MaxGroupSize = None,
    reject: Rates = list(RATES),  # noqa: B006, a step's default is read from its signature and never changed
    level: Level = 0.95,
    seed: int = 0,
) -> Evidence:
    """A system of many modules on clean and corrupted inputs: what fails, what foretells it, what to reject (SYS).

    The study is made by a function of the project. What it records lies in `.surefoot/recordings` unless the study
    names a folder; an interrupted assessment goes on there. The seed of the project, and where it runs, replace those
    of the study. Gives `failure under CONDITION` for every condition,
    `system failure` for the mix of conditions where one is stated, for which `answered_by` names who answers, and what
    `events` and `accept` ask for; and the tables of research questions 0 to 4 of paper SYS.
    """
    if mix is not None and seen is not None:
        raise InvalidInput("mix: and seen: say the same thing", where="system_study", remedy="Leave one of them out.")
    with found_code(study) as make:
        made = _made(make, Path(study))
        there = executor if isinstance(executor, Serial) or not obstacle(made.system, executor) else Serial()
        ready = replace(made, executor=there, seed=seed, folder=made.folder or Path(study).parent / RECORDINGS)
        found = SystemEvidence(ready, limit, level, seed, max_group_size).of(mix, seen, events, accept, reject)
    estimates = (as_stated(each, (STATED_MIX.id, COUNTED_MIX.id), answered_by) for each in found.estimates)
    return replace(found, estimates=tuple(estimates))


def _made(make: Any, path: Path) -> Any:
    from surefoot.systems import Study

    remedy = "Name a function without arguments that returns surefoot.systems.Study(system, items, ...)."
    try:
        signature(make).bind()
    except (TypeError, ValueError) as error:
        raise InvalidInput("cannot be called without arguments", where=path.name, found=error, remedy=remedy) from error
    made = make()
    if not isinstance(made, Study):
        found = type(made).__name__
        raise InvalidInput("the function must give a Study", where=path.name, found=found, remedy=remedy)
    return made


# Evidence of a system of many modules.

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
        found = conditional_probabilities(
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
            _, found = accept_below_predicted(
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
        return {name: parameters.drawn(figure) for name, figure in self.findings.figures().items()}


# How the step for systems of many modules names, cuts and draws what was found.


def heading(name: str, tested: Tested) -> str:
    """The name of a table, what its numbers are and what its mark means."""
    return f"{name}: {MEANING[tested.statistic].partition(': ')[2]}; * not significant at {tested.significance:g}"


def together(table: Table) -> Table:
    """The rows of all conditions, without the columns that say so."""
    return Table(table.columns[2:], tuple(row[2:] for row in table.rows if row[0] == ALL_CONDITIONS))


def stated(accepted: Acceptance) -> tuple[Estimate, Estimate]:
    """What is said about accepted answers."""
    return (
        replace(accepted.error, quantity="failure among accepted answers"),
        replace(accepted.coverage, quantity="share of answers accepted"),
    )


def intervals(estimates: Sequence[Estimate], level: float) -> Artefact:
    """Failure probabilities with their bounds, one below the other."""
    rows: list[Interval] = [
        (each.quantity.removeprefix("failure under "), each.lower(level), each.value, each.upper(level))
        for each in estimates
    ]
    return parameters.intervals(rows, f"probability of failure ({one_sided(level)})")
