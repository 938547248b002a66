"""Steps that judge a runtime monitor beside a component: what it gains, what it leaves, what it costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from surefoot.adapters import Data, Tested, as_model
from surefoot.bounds.assumption_tests import IDENTICAL
from surefoot.bounds.operational_risk import WITHIN_STRATA
from surefoot.bounds.statement import INDEPENDENT
from surefoot.core import Artefact, Check, Estimate, Evidence, InvalidInput, Model, Table, Undefined
from surefoot.core.validate import FloatArray
from surefoot.documents import percent
from surefoot.monitors.detectors.base import DETECTORS
from surefoot.monitors.evaluation import compare, curve, detection, evaluate
from surefoot.monitors.evaluation.bootstrap import draws_for
from surefoot.monitors.evaluation.report import FIXED_MONITOR
from surefoot.monitors.features import layer_features
from surefoot.monitors.returns.stakes import Stakes, as_alarms, return_function
from surefoot.monitors.tree import SPURIOUS_ALARM, Kind, Outcomes, cause_of, factor_of
from surefoot.project.plan import NameOf
from surefoot.project.registry import AnotherDataSet, WithScores, meaning, step
from surefoot.project.steps import parameters
from surefoot.project.steps.monitor_scores import AtStake, Budget, DetectorScores, Judged, column
from surefoot.project.steps.parameters import Groups, InputColumns, Level, Undesired, described
from surefoot.project.steps.test_data import (
    drift,
    drift_of_groups,
    examined,
    independence,
    read_in_blocks,
    with_guess,
)

# The words of the steps for runtime monitors, and what they mean.

Made = Annotated[str, NameOf(DETECTORS, beside=None)]
"""Detectors that need nothing but numbers and words to be made."""

USUAL = "Usual inputs, such as those of the training: the detector learns from them."
FitRows = Annotated[
    Data | None, described(USUAL, "Another data set than `on`; detectors that look at scores need none."), WithScores
]
LayerFitRows = Annotated[Data, described(USUAL, "Another data set than `on`."), WithScores, AnotherDataSet]
DetectorName = Annotated[
    Made,
    described(
        "Which detector watches. `max_softmax`, `max_logit`, `energy` and `doctor` look at scores, `brightness` and",
        "`contrast` at pictures, the others at features: inputs, or what a layer makes of them. A layer that is named",
        "takes the place of scores too.",
    ),
]
DetectorOptions = Annotated[
    dict[str, Any] | None, described("What the detector is made with, such as `{k: 5}`; by default its usual values.")
]
ScoreColumn = Annotated[
    str | None, described("An attribute that holds the scores of a monitor that ran elsewhere; higher is stranger.")
]
AlarmColumn = Annotated[
    str | None, described("An attribute that holds the alarms of a monitor that ran elsewhere: 1 for an alarm, else 0.")
]
Layer = Annotated[str, described("The layer of a torch module, or the node of an ONNX graph, whose output is watched.")]
Pool = Annotated[
    Literal["flatten", "mean"],
    described("`flatten` takes all numbers of the layer, `mean` the mean of each channel of a picture."),
]
RETURNS = NameOf(return_function, of=...)
Detects = Annotated[
    str,
    RETURNS,
    described(
        "What an alarm should say: `errors`, a failure of the model, or `threats`, inputs that must not be trusted,",
        "which the attribute of `threat` marks. A monitor that is good at one can be poor at the other.",
        names=RETURNS,
    ),
]
ThreatColumn = Annotated[str | None, described("The attribute that marks threats: 1 for a threat, else 0.")]
StrataColumn = Annotated[
    str | None,
    described(
        "The attribute by which rows were drawn, so many of each value, such as that of `threat` where so many threats",
        "were taken: shares of strata are then no chance, and intervals of the figures are narrower.",
    ),
]
Severity = Annotated[
    dict[str, dict[str, Annotated[float, Field(ge=0)]]] | None,
    described(
        "How bad each wrong answer is, by true class and answer, such as `{stop: {limit: 5}}`; others count 0.",
        "Hazards are then in units of the worst one.",
    ),
]
Threshold = Annotated[float | None, described("Raise an alarm above this score; fixed before these rows were seen.")]
Availability = Annotated[
    Annotated[float, Field(gt=0, lt=1)] | None,
    described("Choose the threshold with the most alarms whose availability cost is at most this."),
]
Hazard = Annotated[
    Annotated[float, Field(gt=0, lt=1)] | None,
    described("Choose the threshold with the fewest alarms whose residual hazard is at most this."),
]
Mode = Annotated[
    Literal["expectation", "probability"] | None,
    described(
        "How a budget is kept: on average over calibration sets (`expectation`, the default: conformal risk control),",
        "or with probability 1 - `delta` (`probability`: learn then test).",
    ),
]
Delta = Annotated[
    Annotated[float, Field(gt=0, lt=1)] | None,
    described("How often the budget may be missed with `mode: probability`; 0.1 by default."),
]
Calibrate = Annotated[
    Annotated[float, Field(gt=0, lt=1)] | None,
    described("Share of the rows of `on`, drawn at random, that choose the threshold; others judge. 0.5 by default."),
]
Against = Annotated[
    list[Made] | None, described("Further detectors, which are compared with this one at the same availability cost.")
]
Events = Annotated[
    Literal["confidence", "credible"],
    described(
        "What is known of `undetected failure` and `spurious alarm`: exact `confidence` bounds, or posteriors",
        "(`credible`) for fault trees whose other events have them. With `groups: use` they are resampled.",
    ),
]


@step
@meaning(2, when=read_in_blocks)
def monitor(
    tested: Tested,
    *,
    detector: DetectorName = "max_softmax",
    options: DetectorOptions = None,
    fit: FitRows = None,
    score: ScoreColumn = None,
    alarm: AlarmColumn = None,
    detects: Detects = "errors",
    threat: ThreatColumn = None,
    severity: Severity = None,
    strata: StrataColumn = None,
    threshold: Threshold = None,
    availability: Availability = None,
    hazard: Hazard = None,
    mode: Mode = None,
    delta: Delta = None,
    calibrate: Calibrate = None,
    against: Against = None,
    events: Events = "confidence",
    undesired: Undesired = None,
    groups: Groups = "check",
    columns: InputColumns = None,
    level: Level = 0.95,
    seed: int = 0,
) -> Evidence:
    """What a monitor beside a component is worth (MON).

    The detector looks at the component's scores or inputs, or brings its own score or alarm as an attribute of the
    rows. Gives `safety gain`, `residual hazard`, `availability cost` and `hazard without the monitor`, and for fault
    trees `undetected failure` and `spurious alarm`. Gain and residual hazard sum to the hazard without the monitor.
    """
    at_stake = AtStake(tested, detects, threat, severity, undesired, groups, strata)
    if alarm is not None:
        chosen = (threshold, availability, hazard, mode, delta, calibrate)
        if score or fit or options or against or any(word is not None for word in chosen):
            remedy = "Leave score:, fit:, options:, against: and all words of the threshold out."
            raise InvalidInput("alarm: stands alone", where=tested.component, remedy=remedy)
        said = column(tested, alarm, "alarm")
        return MonitorEvidence(tested, at_stake, level, seed, alarm, events).of_alarms(said)
    if score is not None and (fit or options):
        raise InvalidInput("score: needs no detector", where=tested.component, remedy="Leave fit: and options: out.")
    budget = Budget(tested.component, threshold, availability, hazard, mode, delta, calibrate, seed)
    found = DetectorScores(tested, fit, columns=columns)
    scores = column(tested, score, "score") if score else found.of(detector, options)
    others = found.of_all(against or ())
    return MonitorEvidence(tested, at_stake, level, seed, score or detector, events).of_scores(scores, budget, others)


@step
@meaning(2, when=read_in_blocks)
def monitor_layer(
    tested: Tested,
    model: Model,
    *,
    layer: Layer,
    fit: LayerFitRows,
    pool: Pool = "flatten",
    detector: DetectorName = "mahalanobis",
    options: DetectorOptions = None,
    detects: Detects = "errors",
    threat: ThreatColumn = None,
    severity: Severity = None,
    strata: StrataColumn = None,
    threshold: Threshold = None,
    availability: Availability = None,
    hazard: Hazard = None,
    mode: Mode = None,
    delta: Delta = None,
    calibrate: Calibrate = None,
    against: Against = None,
    events: Events = "confidence",
    undesired: Undesired = None,
    groups: Groups = "check",
    level: Level = 0.95,
    seed: int = 0,
) -> Evidence:
    """What a monitor is worth that looks inside a component, at a layer of its torch or ONNX model (MON).

    The detector learns what the layer usually gives from the rows of `fit`. Gives what `monitor` gives.
    """
    at_stake = AtStake(tested, detects, threat, severity, undesired, groups, strata)
    budget = Budget(tested.component, threshold, availability, hazard, mode, delta, calibrate, seed)
    found = DetectorScores(tested, fit, layer_features(as_model(model), layer, pool=pool))
    others = found.of_all(against or ())
    evidence = MonitorEvidence(tested, at_stake, level, seed, f"{detector} at {layer}", events)
    return evidence.of_scores(found.of(detector, options), budget, others)


# Evidence of a monitor: its worth, its detection, its threshold, and how it stands beside others.

OTHER_ROWS = Check("supported", "the threshold was chosen on other rows of the data set, drawn at random")
EARLIER_ROWS = Check("supported", "the threshold was chosen on earlier rows of the sequence, at least a block apart")


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
        shown = {"gain against cost": parameters.drawn(found.plot().figure)}  # type: ignore[arg-type]
        tables = {"threshold": _threshold(judged)}
        if others:
            cost = evaluate(seen.under(judged.alarms), level=self.level, draws=200).availability_cost.value
            rivals = {self.name: left} | {name: values[judged.rows] for name, values in others.items()}
            draws = draws_for(self.level, 1000)
            compared = compare(rivals, seen, cost=cost, level=self.level, draws=draws, seed=self.seed)
            tables["monitors compared"] = compared.table()
            shown["monitors compared"] = parameters.drawn(compared.plot())
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
        told = tuple(examined(estimate, checks, also=[IDENTICAL]) for estimate in found)
        return Evidence(
            tuple(with_guess(estimate, self.tested) for estimate in told) if seen.touching else told,
            tables={
                "worth": report.table(),
                "outcomes": _outcomes(seen, judged),
                "detection": detected.table(),
                "model and monitor": self._dependence(seen, judged),
                **tables,
            },
            artefacts={
                "worth": parameters.intervals(
                    report.intervals, f"{report.safety_gain.unit}, intervals at {percent(report.level)}"
                ),
                **shown,
            },
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
        other = EARLIER_ROWS if seen.touching else OTHER_ROWS
        fixed = {FIXED_MONITOR.id: other} if judged.choice is not None else {}
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
    if estimate.quantity == SPURIOUS_ALARM:
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
            ("rows that chose it", judged.chosen_on),
            ("asked", ", ".join(f"{name} {value}" for name, value in choice.asked.items())),
            ("guarantee", f"{choice.guarantee} ({choice.kind})"),
        ]
    return Table(("what", "figure"), tuple(rows))
