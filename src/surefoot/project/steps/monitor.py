"""Steps that judge a runtime monitor beside a component: what it gains, what it leaves, what it costs."""

from __future__ import annotations

from surefoot.adapters import Tested, as_model
from surefoot.core import Evidence, InvalidInput, Model
from surefoot.monitors.features import layer_features
from surefoot.project.step import step
from surefoot.project.steps.monitor_evidence import MonitorEvidence
from surefoot.project.steps.monitor_parameters import (
    Against,
    AlarmColumn,
    Availability,
    Calibrate,
    Delta,
    DetectorName,
    DetectorOptions,
    Detects,
    Events,
    FitRows,
    Hazard,
    Layer,
    LayerFitRows,
    Mode,
    Pool,
    ScoreColumn,
    Severity,
    StrataColumn,
    ThreatColumn,
    Threshold,
)
from surefoot.project.steps.monitor_scores import DetectorScores, column
from surefoot.project.steps.monitor_stakes import AtStake
from surefoot.project.steps.monitor_threshold import Budget
from surefoot.project.steps.parameters import Groups, Level, Undesired


@step
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
    found = DetectorScores(tested, fit)
    scores = column(tested, score, "score") if score else found.of(detector, options)
    others = found.of_all(against or ())
    return MonitorEvidence(tested, at_stake, level, seed, score or detector, events).of_scores(scores, budget, others)


@step
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
