"""What model and monitor have in common: how often one cause makes the model fail and keeps the monitor quiet.

The model fails (A) by a common cause or on its own, and the monitor is quiet (B) by the common cause or on its own:
A = C or A', B = C or B', with C, A' and B' independent. Then P(C) = 1 - F Q / N, with F the probability that the model
is right, Q that the monitor raises an alarm, and N that both happen.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import Assumption, Diagnostic, Estimate, InvalidInput, Undefined, propagate
from surefoot.core.validate import FloatArray
from surefoot.monitors.outcomes import Outcomes
from surefoot.monitors.returns.stakes import Stakes

WHERE = "common_cause"
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


def common_cause(failed: Stakes | ArrayLike, alarms: ArrayLike, **options: Any) -> Estimate:
    """The probability of a common cause of a failure of the model and a quiet monitor.

    Where alarms go along with failures it is 0, which a caveat says. ``options`` are those of ``Outcomes``.
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


def dependence_factor(failed: Stakes | ArrayLike, alarms: ArrayLike, **options: Any) -> Estimate:
    """How many times as probable an undetected failure is as it would be if model and monitor were independent."""
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
            where=WHERE,
            found=repr(outcomes),
            remedy="Use form='conditional'.",
        )
