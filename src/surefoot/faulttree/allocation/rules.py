"""Rules that need one number: what all chosen events have in common, found so that the target is just met."""

from __future__ import annotations

import numpy as np

from surefoot.core.validate import FloatArray
from surefoot.faulttree.allocation.problem import Problem


def equal(problem: Problem) -> FloatArray:
    """The same probability for every event, except where a limit of its own is stricter."""
    return problem.loosest(np.zeros(len(problem.chosen)))


def proportional(problem: Problem) -> FloatArray:
    """Today's values times one factor.

    For rare events in series this is the apportionment of ARINC (MIL-HDBK-338B, section 6.3.3).
    """
    return problem.loosest(_log(problem.today))


def by_importance(problem: Problem) -> FloatArray:
    """The factor by which an event must improve is in proportion to its criticality importance.

    With the Birnbaum importance ``B`` of today the requirement is ``k / B``, so that ``B`` times the requirement,
    what an event adds to the top event, is the same for all: the apportionment of AGREE (1957; MIL-HDBK-338B,
    section 6.3.4), with ``B`` for the probability that the system fails if the unit does. Events of no importance
    today are asked only where the others do not suffice, by their importance once the others are at their lowest.
    """
    shape = np.full(len(problem.chosen), np.inf)
    at = problem.today
    while True:
        asked = np.isinf(shape) & (shape > 0)
        slope = problem.slope(at)
        if not (slope[asked] > 0).any():
            slope = np.ones_like(slope)
        shape = np.where(asked, -_log(slope), shape)
        done = np.isfinite(shape)
        at = np.where(done | (shape < 0), problem.low, problem.high)
        if done.all() or problem.top(at) <= problem.target:
            return problem.loosest(shape)
        shape = np.where(done, -np.inf, shape)
        if not (shape > 0).any():
            return problem.low


def _log(values: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.log(values)
