"""Monitor and model in a fault tree, and what they have in common, as it was measured.

The model fails (A) by a common cause or on its own, and the monitor is quiet (B) by the common cause or on its own:
A = C or A', B = C or B', with C, A' and B' independent. Then P(C) = 1 - F Q / N, with F the probability that the model
is right, Q that the monitor raises an alarm, and N that both happen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot import bounds
from surefoot.bounds.statement import FIXED_SIZE, REPRESENTATIVE, approximate
from surefoot.core import (
    Assumption,
    Diagnostic,
    Empirical,
    Estimate,
    InvalidInput,
    Provenance,
    QuantileBound,
    Undefined,
    digest,
    propagate,
    validate,
)
from surefoot.core.canonical import array_digest
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.exact_inversion import SHARED_ROWS
from surefoot.core.validate import FloatArray
from surefoot.documents import significant
from surefoot.faulttree import FaultTree, Formula
from surefoot.faulttree.quantities import Fixed, Measured, Operation, Parameter, Quantity
from surefoot.monitors.evaluation.bootstrap import Resampled
from surefoot.monitors.returns.stakes import Sampled, Stakes, as_alarms

Form = Literal["joint", "conditional", "common cause", "independent"]
Top = Literal["undetected failure", "spurious alarm"]
FORMS: tuple[Form, ...] = ("joint", "conditional", "common cause", "independent")
UNDETECTED_FAILURE: Top = "undetected failure"
SPURIOUS_ALARM: Top = "spurious alarm"
FAILS, QUIET, ALARM = "model fails", "monitor quiet at a failure", "alarm though the model is right"
CAUSE, FAILS_ALONE, QUIET_ALONE = "common cause", "model fails on its own", "monitor is quiet on its own"
WHERE = "outcomes"
Kind = Literal["credible", "confidence"]
KINDS: tuple[Kind, ...] = ("credible", "confidence")
MISSED, CAUGHT, SPURIOUS, CALM = range(4)
"""The model fails, without an alarm and with one; it is right, with an alarm and without."""
ALL = (MISSED, CAUGHT, SPURIOUS, CALM)
PRIOR = 1
"""Tells random numbers of the prior from those of the units drawn."""
Cells = tuple[int, ...]
QUANTITY, FACTOR = "common cause", "dependence factor"
SHOCK = Assumption(
    "common-cause-model",
    "One cause makes the model fail and keeps the monitor quiet at once; apart from it both are independent.",
)
NEGATIVE = Diagnostic(
    "value-at-floor",
    "Alarms go along with failures, as they should, so no common cause shows and its probability is 0.",
    "note",
    hint="Use the conditional form: the model fails, and the monitor misses that failure.",
)


@validate.arguments
def monitored_tree(
    failed: Stakes | ArrayLike,
    alarms: ArrayLike,
    *,
    form: Form = "conditional",
    top: Top = UNDETECTED_FAILURE,
    name: str = "model and monitor",
    **options: Any,
) -> FaultTree:
    """A fault tree of a model and its monitor, from rows at which both were seen.

    The first three forms give the share that was measured. Where alarms go along with failures there is no common
    cause, and the conditional form takes its place; the label of the top event says so.

    Parameters
    ----------
    failed
        What is at stake, of which the model fails where it falls short of the ideal, or the failures themselves.
    alarms
        Whether the monitor raised an alarm, one a row.
    form
        ``"joint"`` has one event, measured as a whole; ``"conditional"`` the failure and the alarm that is missing at
        it; ``"common cause"`` a cause that both share, and what each does on its own; ``"independent"`` multiplies the
        two as if they had nothing to do with each other, for comparison only.
    top
        The undetected failure, a matter of safety, or the spurious alarm, a matter of availability.
    name
        Of the tree.
    **options
        Those of ``Outcomes``.

    Returns
    -------
    FaultTree
        With what was measured as its quantities.

    Examples
    --------
    >>> import surefoot as sf
    >>> failed = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0]
    >>> alarms = [1, 1, 0, 0, 1, 0, 0, 0, 0, 0]
    >>> tree = sf.monitors.monitored_tree(failed, alarms)
    >>> print(sorted(tree.events))
    ['model fails', 'monitor quiet at a failure']

    """
    validate.choice(form, FORMS, where="monitored_tree", name="form")
    validate.choice(top, (UNDETECTED_FAILURE, SPURIOUS_ALARM), where="monitored_tree", name="top")
    outcomes = Outcomes.of(failed, alarms, **options)
    if form == "common cause":
        return _common_cause(outcomes, top, name)
    gate, events = _gate(outcomes, top, form)
    return FaultTree(top, {top: gate}, _measured(events), name=name, labels={top: _label(outcomes, top, form)})


def _gate(outcomes: Outcomes, top: Top, form: Form) -> tuple[Formula, dict[str, Estimate]]:
    """The gate of the top event, and its inputs as they were measured."""
    undetected, apart = top == UNDETECTED_FAILURE, form == "independent"
    if form == "joint":
        event = "model fails and monitor is quiet" if undetected else "model is right and monitor raises an alarm"
        found = outcomes.undetected_failure if undetected else outcomes.spurious_alarm
        return Formula("pass", (event,)), {event: found}
    if undetected:
        parts = outcomes.model_fails, outcomes.monitor_quiet if apart else outcomes.quiet_at_failure
    else:
        parts = outcomes.model_right, outcomes.monitor_alarms if apart else outcomes.alarm_when_right
    events = {part.quantity: part for part in parts}
    return Formula("and", tuple(events)), events


def _common_cause(outcomes: Outcomes, top: Top, name: str) -> FaultTree:
    """C or (A' and B'); a spurious alarm is that none of the three happens."""
    if outcomes.kind != "credible":
        raise InvalidInput("a common cause needs distributions", where="monitored_tree", remedy="Use kind='credible'.")
    cause = cause_of(outcomes)
    if raw_cause(outcomes) <= 0:
        gate, events = _gate(outcomes, top, "conditional")
        label = f"{top}: no common cause, alarms go along with failures"
        return FaultTree(top, {top: gate}, _measured(events), name=name, labels={top: label})
    both = "both on their own"
    gates = {top: Formula("or", (CAUSE, both)), both: Formula("and", (FAILS_ALONE, QUIET_ALONE))}
    if top == SPURIOUS_ALARM:
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
    failed_and_right = sum(outcomes.counts[:2]) and sum(outcomes.counts[2:])
    if top == SPURIOUS_ALARM or outcomes.kind != "credible" or not failed_and_right:
        return top
    if outcomes.monitor_quiet.value == 0:
        return top
    factor = significant(factor_of(outcomes).value)
    if form == "independent":
        return f"{top} as if independent; as measured it is {factor} times as probable"
    return f"{top}, {factor} times as probable as if independent"


@validate.arguments
def common_cause(failed: Stakes | ArrayLike, alarms: ArrayLike, **options: Any) -> Estimate:
    """The probability of a common cause of a failure of the model and a quiet monitor.

    Where alarms go along with failures it is 0, which a caveat says.

    Parameters
    ----------
    failed
        What is at stake, of which the model fails where it falls short of the ideal, or the failures themselves.
    alarms
        Whether the monitor raised an alarm, one a row.
    **options
        Those of ``Outcomes``.

    Returns
    -------
    Estimate
        Of the common cause, a probability a demand.

    Examples
    --------
    >>> import surefoot as sf
    >>> failed = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0]
    >>> alarms = [1, 1, 0, 0, 1, 0, 0, 0, 0, 0]
    >>> sf.monitors.common_cause(failed, alarms).value
    0.0

    """
    return cause_of(Outcomes.of(failed, alarms, **options))


def cause_of(outcomes: Outcomes) -> Estimate:
    """The common cause, from counted outcomes."""
    _require_alarms(outcomes)
    found = _carried(outcomes, _cause, QUANTITY, assumptions=(SHOCK,))
    details = {**found.details, "unclipped": raw_cause(outcomes)}
    caveats = (NEGATIVE, *found.caveats) if raw_cause(outcomes) < 0 else found.caveats
    return replace(found, details=details, caveats=caveats)


def raw_cause(outcomes: Outcomes) -> float:
    """The same figure from the shares seen, below 0 where alarms go along with failures."""
    fails, quiet, alarm = (e.value for e in _inputs(outcomes).values())
    return float(fails * (1 - (1 - quiet) / alarm)) if alarm > 0 else -np.inf


@validate.arguments
def dependence_factor(failed: Stakes | ArrayLike, alarms: ArrayLike, **options: Any) -> Estimate:
    """How many times as probable an undetected failure is as it would be if model and monitor were independent.

    It says how wrong a tree would be that multiplies the two.

    Parameters
    ----------
    failed
        What is at stake, of which the model fails where it falls short of the ideal, or the failures themselves.
    alarms
        Whether the monitor raised an alarm, one a row.
    **options
        Those of ``Outcomes``.

    Returns
    -------
    Estimate
        Above 1 where the monitor is quieter at failures than elsewhere.

    Examples
    --------
    >>> import surefoot as sf
    >>> failed = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0]
    >>> alarms = [1, 1, 0, 0, 1, 0, 0, 0, 0, 0]
    >>> round(sf.monitors.dependence_factor(failed, alarms).value, 3)
    0.714

    """
    return factor_of(Outcomes.of(failed, alarms, **options))


def factor_of(outcomes: Outcomes) -> Estimate:
    """The factor, from counted outcomes; it says how wrong a tree would be that multiplies the two."""
    if outcomes.monitor_quiet.value == 0:
        raise Undefined("the monitor was never quiet, so there is no undetected failure", where=FACTOR)
    return _carried(outcomes, _factor, FACTOR, unit="times")


def _carried(outcomes: Outcomes, function: Any, quantity: str, **options: Any) -> Estimate:
    """A function of the three shares that determine all outcomes, whose beliefs are independent or drawn together."""
    if outcomes.kind != "credible":
        raise InvalidInput("needs distributions", where=quantity, found=outcomes.kind, remedy="Use kind='credible'.")
    inputs = _inputs(outcomes)
    found = propagate(
        function,
        inputs,
        quantity=quantity,
        level=outcomes.level,
        draws=outcomes.draws,
        seed=outcomes.seed,
        scope=outcomes.scope,
        **options,
    )
    exact = function(**{name: np.array([e.value]) for name, e in inputs.items()})
    return replace(found, value=float(exact[0]))


def _inputs(outcomes: Outcomes) -> dict[str, Estimate]:
    return {
        "fails": outcomes.model_fails,
        "quiet": outcomes.quiet_at_failure,
        "alarm": outcomes.alarm_when_right,
    }


def _cause(fails: FloatArray, quiet: FloatArray, alarm: FloatArray) -> FloatArray:
    """1 - F Q / N, in which the probability that the model is right cancels."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = fails * (1 - (1 - quiet) / alarm)
    return np.where(alarm > 0, np.maximum(found, 0.0), 0.0)


def _factor(fails: FloatArray, quiet: FloatArray, alarm: FloatArray) -> FloatArray:
    marginal = fails * quiet + (1 - fails) * (1 - alarm)
    return np.divide(quiet, marginal, out=np.ones_like(marginal), where=marginal > 0)


def _require_alarms(outcomes: Outcomes) -> None:
    if not outcomes.alarms.any():
        raise Undefined(
            "the monitor never raised an alarm, so a common cause cannot be told from a monitor that does nothing",
            where="common_cause",
            found=repr(outcomes),
            remedy="Use form='conditional'.",
        )


@dataclass(frozen=True, eq=False, repr=False)
class Outcomes(Sampled):
    """Rows by what model and monitor did, and what that says about operation, each figure an Estimate.

    Shares of independent rows have Jeffreys' posterior, or exact bounds of confidence. Where rows have units or
    weights, units are resampled together with half a unit of each outcome.

    Parameters
    ----------
    failed, alarms
        Whether the model failed and whether the monitor raised an alarm, one a row.
    units, weights
        Which rows were drawn together, and how much of operation each stands for.
    scope
        What the figures are about.
    level
        Confidence of the bounds.
    kind
        ``"credible"``, or ``"confidence"`` for bounds without a distribution.
    draws, seed
        Of resampling; they must be those of later propagations.

    Examples
    --------
    >>> import surefoot as sf
    >>> failed = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0]
    >>> alarms = [1, 1, 0, 0, 1, 0, 0, 0, 0, 0]
    >>> outcomes = sf.monitors.Outcomes.of(failed, alarms)
    >>> outcomes
    Outcomes(2 missed, 2 caught, 1 spurious alarms, 5 calm)
    >>> outcomes.undetected_failure.value
    0.2

    """

    failed: NDArray[np.bool_]
    alarms: NDArray[np.bool_]
    scope: str = ""
    level: float = 0.95
    kind: Kind = "credible"
    draws: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        validate.fields(self)
        failed = validate.array(self.failed, where=WHERE, name="failed")
        if failed.ndim != 1 or not failed.size:
            raise InvalidInput("needs at least one row", where=WHERE, found=f"shape {failed.shape}")
        object.__setattr__(self, "failed", as_alarms(failed, failed.size))
        object.__setattr__(self, "alarms", as_alarms(self.alarms, failed.size))
        validate.level(self.level, where=WHERE)
        validate.choice(self.kind, KINDS, where=WHERE, name="kind")
        self.check_sample(WHERE)
        if self.kind == "confidence" and not self.independent:
            raise InvalidInput("bounds of confidence need independent rows without weights", where=WHERE)

    @classmethod
    def of(cls, failed: Stakes | ArrayLike, alarms: ArrayLike, **options: Any) -> Outcomes:
        """From what is at stake (the model fails where it falls short of the ideal), or from failures themselves."""
        if isinstance(failed, Stakes):
            given = {"units": failed.units, "weights": failed.weights, "touching": failed.touching, **options}
            return cls(failed.hazardous, validate.array(alarms, where=WHERE, name="alarms"), **given)
        rows, seen = (
            validate.array(each, where=WHERE, name=name) for name, each in (("failed", failed), ("alarms", alarms))
        )
        return cls(rows, seen, **options)

    @cached_property
    def counts(self) -> tuple[int, int, int, int]:
        """Rows missed, caught, with a spurious alarm, and calm."""
        found = np.bincount(self._cell, minlength=4).tolist()
        return found[0], found[1], found[2], found[3]

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self.failed.size

    @cached_property
    def undetected_failure(self) -> Estimate:
        """The model fails and the monitor is quiet."""
        return self.share("undetected failure", (MISSED,))

    @cached_property
    def spurious_alarm(self) -> Estimate:
        """The model is right and the monitor raises an alarm."""
        return self.share("spurious alarm", (SPURIOUS,))

    @cached_property
    def model_fails(self) -> Estimate:
        """The model fails, whatever the monitor does."""
        return self.share("model fails", (MISSED, CAUGHT))

    @cached_property
    def model_right(self) -> Estimate:
        """The model is right, whatever the monitor does."""
        return self.share("model is right", (SPURIOUS, CALM))

    @cached_property
    def monitor_quiet(self) -> Estimate:
        """The monitor is quiet, whatever the model does."""
        return self.share("monitor is quiet", (MISSED, CALM))

    @cached_property
    def monitor_alarms(self) -> Estimate:
        """The monitor raises an alarm, whatever the model does."""
        return self.share("monitor raises an alarm", (CAUGHT, SPURIOUS))

    @cached_property
    def quiet_at_failure(self) -> Estimate:
        """The monitor is quiet, given that the model fails."""
        return self.share("monitor quiet at a failure", (MISSED,), (MISSED, CAUGHT), "the model never failed")

    @cached_property
    def alarm_when_right(self) -> Estimate:
        """The monitor raises an alarm, given that the model is right."""
        return self.share("alarm though the model is right", (SPURIOUS,), (SPURIOUS, CALM), "the model always failed")

    def share(self, quantity: str, cells: Cells, among: Cells = ALL, empty: str = "no rows") -> Estimate:
        """How often some outcomes occur among others."""
        part, whole = (float(self._weighed[list(chosen)].sum()) for chosen in (cells, among))
        if whole == 0:
            raise Undefined(f"{quantity} has no probability here: {empty}", where=WHERE, remedy="Use form='joint'.")
        if not self.independent:
            return self._resampled(quantity, part / whole, cells, among)
        bound = bounds.jeffreys if self.kind == "credible" else bounds.clopper_pearson
        found = bound(int(part), int(whole), level=self.level, quantity=quantity, scope=self.scope)
        return replace(found, details={**found.details, SHARED_ROWS: True})

    def _resampled(self, quantity: str, value: float, cells: Cells, among: Cells) -> Estimate:
        parts, wholes = (self._drawn[:, list(chosen)].sum(axis=1) for chosen in (cells, among))
        dist = Empirical(tuple(np.clip(parts / wholes, 0.0, 1.0).tolist()), f"{self.seed}/{self.draws}")
        return Estimate(
            quantity,
            value,
            PER_DEMAND,
            self.scope,
            (QuantileBound(dist, "upper", "heuristic"), QuantileBound(dist, "lower", "heuristic")),
            dist,
            assumptions=(self.assumed, FIXED_SIZE, REPRESENTATIVE),
            caveats=(approximate("Resampling", "Collect more independent units."),),
            details={"level": self.level, "n": self.rows, "groups": self.unit_count},
            provenance=Provenance("monitors.outcomes", {"draws": self.draws}, (self._key,), self._data, self.seed),
        )

    @cached_property
    def _cell(self) -> NDArray[np.int64]:
        with_failure = np.where(self.alarms, CAUGHT, MISSED)
        return np.where(self.failed, with_failure, np.where(self.alarms, SPURIOUS, CALM)).astype(np.int64)

    @cached_property
    def _weighed(self) -> FloatArray:
        return np.bincount(self._cell, self.weights, minlength=4).astype(np.float64)

    @cached_property
    def _drawn(self) -> FloatArray:
        """Draws x outcomes, all of the same resampled units, with half a unit of each outcome added.

        An outcome that was not seen can still occur, so no share is surely 0: for units of one outcome each this is
        close to Jeffreys' posterior, whose prior counts half a trial of each outcome.
        """
        sums = np.column_stack([self.unit_sums((self._cell == cell).astype(np.float64)) for cell in ALL])
        means = Resampled(sums, np.ones(len(sums)), self.draws, self.seed, self.overlap).means
        prior = np.random.default_rng([self.seed, PRIOR]).gamma(0.5, size=means.shape)
        return means + prior * sums.sum() / len(sums) ** 2 * self.overlap

    @cached_property
    def _data(self) -> dict[str, str]:
        arrays = {"failed": self.failed, "alarms": self.alarms, "units": self.units, "weights": self.weights}
        return {name: array_digest(array) for name, array in arrays.items() if array is not None}

    @cached_property
    def _key(self) -> str:
        """What all shares of these rows have in common, so that none is drawn apart from the others."""
        return digest({"outcomes": self._data, "draws": self.draws, "seed": self.seed})

    def __repr__(self) -> str:
        missed, caught, spurious, calm = self.counts
        return f"Outcomes({missed:,} missed, {caught:,} caught, {spurious:,} spurious alarms, {calm:,} calm)"
