"""``Monitor``: a detector with a threshold beside a model, one input at a time or many."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import Estimate, InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.documents import significant
from surefoot.faulttree import FaultTree, Formula
from surefoot.faulttree.quantities import Fixed, Measured, Operation, Parameter, Quantity
from surefoot.monitors.dependence import Outcomes, cause_of, factor_of, raw_cause
from surefoot.monitors.detectors.base import Detector
from surefoot.monitors.returns.stakes import Stakes

Watched = tuple[NDArray[Any], NDArray[Any] | None]


class Observation(NamedTuple):
    """What a monitor says of one input."""

    score: float
    alarm: bool
    prediction: Any = None


@dataclass(frozen=True, eq=False)
class Monitor:
    """Raises an alarm where the score of its detector exceeds the threshold.

    ``watch`` turns a batch of raw inputs into what the detector takes and what the model answers, such as
    ``monitors.TorchFeatures``; without it inputs are what the detector takes, and predictions are handed over.
    """

    detector: Detector
    threshold: float
    watch: Callable[[Any], Watched] | None = None
    name: str = "monitor"

    def __post_init__(self) -> None:
        validate.kind(self.detector, Detector, where=self.name, name="detector", example="Mahalanobis()")
        limit = validate.number(self.threshold, where=self.name, name="threshold", finite=False)
        object.__setattr__(self, "threshold", limit)
        if self.watch is not None and not callable(self.watch):
            raise self._wrong("watch must be a function of a batch of inputs", repr(self.watch))

    def step(self, x: Any, prediction: Any = None) -> Observation:
        """Look at one input as it comes."""
        if self.watch is not None:
            features, answers = self._watched(np.asarray(x)[None])
            x, prediction = features[0], None if answers is None else answers[0]
        score = self.detector.score_one(x, prediction)
        return Observation(score, score > self.threshold, prediction)

    def scores(self, inputs: Any, predictions: ArrayLike | None = None) -> FloatArray:
        """The detector's scores of many inputs."""
        if self.watch is not None:
            inputs, predictions = self._watched(inputs)
        return self.detector.decision_function(inputs, predictions)

    def alarms(self, inputs: Any, predictions: ArrayLike | None = None) -> NDArray[np.bool_]:
        """Which of many inputs raise an alarm."""
        return self.scores(inputs, predictions) > self.threshold

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write detector and threshold to a file (.npz) that holds no code; ``watch`` is not in it."""
        from surefoot.monitors.detectors.base import save_detector

        save_detector(self.detector, path, monitor={"threshold": repr(self.threshold), "name": self.name})

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, watch: Callable[[Any], Watched] | None = None, **objects: Any
    ) -> Monitor:
        """Read what ``save`` wrote; ``watch`` and ``objects`` such as a ``model`` are handed over anew."""
        from surefoot.monitors.detectors.base import load_described

        detector, described = load_described(path, **objects)
        try:
            said = described["monitor"]
            threshold, name = float(said["threshold"]), str(said["name"])
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidInput(
                "the file holds a detector without a threshold", where=str(path), remedy="Use Detector.load."
            ) from error
        return cls(detector, threshold, watch, name)

    def _watched(self, batch: Any) -> Watched:
        """What ``watch`` gives, if it is a row and a prediction an input."""
        assert self.watch is not None
        found = self.watch(batch)
        if not isinstance(found, tuple) or len(found) != 2:
            raise self._wrong("watch must give features and predictions", type(found).__name__)
        for what, given in zip(("features", "predictions"), found, strict=True):
            if given is not None and len(given) != len(batch):
                raise self._wrong(f"watch must give one row of {what} an input", f"{len(given)} for {len(batch)}")
        return found

    def _wrong(self, problem: str, found: str) -> InvalidInput:
        remedy = "Return (features, predictions), or (features, None)."
        return InvalidInput(problem, where=self.name, found=found, remedy=remedy)


# ``monitored_tree``: monitor and model in a fault tree, their dependence as it was measured.

WHERE = "monitored_tree"
Form = Literal["joint", "conditional", "common cause", "independent"]
Top = Literal["undetected failure", "spurious alarm"]
FORMS: tuple[Form, ...] = ("joint", "conditional", "common cause", "independent")
UNDETECTED: Top = "undetected failure"
SPURIOUS: Top = "spurious alarm"
FAILS, QUIET, ALARM = "model fails", "monitor quiet at a failure", "alarm though the model is right"
CAUSE, FAILS_ALONE, QUIET_ALONE = "common cause", "model fails on its own", "monitor is quiet on its own"


def monitored_tree(
    failed: Stakes | ArrayLike,
    alarms: ArrayLike,
    *,
    form: Form = "conditional",
    top: Top = UNDETECTED,
    name: str = "model and monitor",
    **options: Any,
) -> FaultTree:
    """A fault tree of a model and its monitor, from rows at which both were seen.

    ``top`` is the undetected failure, a matter of safety, or the spurious alarm, a matter of availability. ``form``:
    ``"joint"`` has one event, measured as a whole; ``"conditional"`` the failure and the alarm that is missing at it;
    ``"common cause"`` a cause that both share, and what each does on its own. All three give the share that was
    measured. Where alarms go along with failures there is no common cause, and the conditional form takes its place;
    the label of the top event says so. ``"independent"`` multiplies the two as if they had nothing to do with each
    other, for comparison only. ``options`` are those of ``Outcomes``.
    """
    validate.choice(form, FORMS, where=WHERE, name="form")
    validate.choice(top, (UNDETECTED, SPURIOUS), where=WHERE, name="top")
    outcomes = Outcomes.of(failed, alarms, **options)
    if form == "common cause":
        return _common_cause(outcomes, top, name)
    gate, events = _PARTS[form](outcomes, top)
    return FaultTree(top, {top: gate}, _measured(events), name=name, labels={top: _label(outcomes, top, form)})


def _joint(outcomes: Outcomes, top: Top) -> tuple[Formula, dict[str, Estimate]]:
    if top == UNDETECTED:
        event, found = "model fails and monitor is quiet", outcomes.undetected_failure
    else:
        event, found = "model is right and monitor raises an alarm", outcomes.spurious_alarm
    return Formula("pass", (event,)), {event: found}


def _conditional(outcomes: Outcomes, top: Top) -> tuple[Formula, dict[str, Estimate]]:
    if top == UNDETECTED:
        events = {FAILS: outcomes.model_fails, QUIET: outcomes.quiet_at_failure}
    else:
        events = {"model is right": outcomes.model_right, ALARM: outcomes.alarm_when_right}
    return Formula("and", tuple(events)), events


def _independent(outcomes: Outcomes, top: Top) -> tuple[Formula, dict[str, Estimate]]:
    if top == UNDETECTED:
        events = {FAILS: outcomes.model_fails, "monitor is quiet": outcomes.monitor_quiet}
    else:
        events = {"model is right": outcomes.model_right, "monitor raises an alarm": outcomes.monitor_alarms}
    return Formula("and", tuple(events)), events


_PARTS: Mapping[str, Callable[[Outcomes, Top], tuple[Formula, dict[str, Estimate]]]] = {
    "joint": _joint,
    "conditional": _conditional,
    "independent": _independent,
}


def _common_cause(outcomes: Outcomes, top: Top, name: str) -> FaultTree:
    """C or (A' and B'); a spurious alarm is that none of the three happens."""
    if outcomes.kind != "credible":
        raise InvalidInput("a common cause needs distributions", where=WHERE, remedy="Use kind='credible'.")
    cause = cause_of(outcomes)
    if raw_cause(outcomes) <= 0:
        gate, events = _conditional(outcomes, top)
        label = f"{top}: no common cause, alarms go along with failures"
        return FaultTree(top, {top: gate}, _measured(events), name=name, labels={top: label})
    both = "both on their own"
    gates = {top: Formula("or", (CAUSE, both)), both: Formula("and", (FAILS_ALONE, QUIET_ALONE))}
    if top == SPURIOUS:
        gates = {top: Formula("nor", (CAUSE, FAILS_ALONE, QUIET_ALONE))}
    shares = {FAILS: outcomes.model_fails, QUIET: outcomes.quiet_at_failure, ALARM: outcomes.alarm_when_right}
    label = f"{_label(outcomes, top, 'common cause')}; common cause {significant(cause.value)}"
    return FaultTree(top, gates, _causes(), parameters=_measured(shares), name=name, labels={top: label})


def _causes() -> dict[str, Quantity]:
    """The three events as functions of three shares, which are drawn once for all of them.

    In a draw in which alarms go along with failures the cause is 0, and the other two are those of the conditional
    form, so that the top event is the undetected failure in every draw.
    """
    fails, quiet, alarm, one = Parameter(FAILS), Parameter(QUIET), Parameter(ALARM), Fixed(1.0)
    caught = Operation("sub", (one, quiet))
    together = Operation("gt", (alarm, caught))
    right = Operation("sub", (one, fails))
    alarms = Operation("add", (Operation("mul", (fails, caught)), Operation("mul", (right, alarm))))
    shared = Operation("sub", (one, Operation("div", (caught, alarm))))
    alone = Operation("div", (Operation("mul", (fails, caught)), alarms))
    return {
        CAUSE: Operation("ite", (together, Operation("mul", (fails, shared)), Fixed(0.0))),
        FAILS_ALONE: Operation("ite", (together, alone, fails)),
        QUIET_ALONE: Operation("ite", (together, Operation("sub", (one, alarm)), quiet)),
    }


def _measured(estimates: Mapping[str, Estimate]) -> dict[str, Quantity]:
    return {name: Measured(estimate) for name, estimate in estimates.items()}


def _label(outcomes: Outcomes, top: Top, form: Form) -> str:
    """The top event, and how far it is from what independence would say."""
    if top == SPURIOUS or outcomes.kind != "credible" or 0 in (sum(outcomes.counts[:2]), sum(outcomes.counts[2:])):
        return top
    if outcomes.monitor_quiet.value == 0:
        return top
    factor = significant(factor_of(outcomes).value)
    if form == "independent":
        return f"{top} as if independent; as measured it is {factor} times as probable"
    return f"{top}, {factor} times as probable as if independent"
