"""Unavailability of a part that is tested at intervals, by the Markov chain of Open-PSA (Epstein and Rauzy, 2008).

States are a row of probabilities and the time lost so far. A phase is a matrix, one interval the product of its
phases, and many intervals a power of it, so that a long mission costs no more than a short one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.faulttree.quantities.decay import mean_failure, repaired, time_repaired

WORKING, FAILED, REPAIR, TESTED, FAILED_IN_TEST, LOST = range(6)
SAME_MOMENT = 1e-9
ROUNDING = 4 * np.finfo(float).eps


@dataclass(frozen=True)
class TestedPart:
    """A part that fails unnoticed and is tested at intervals; all arguments have one shape.

    A test may itself fail the part (``test_failure``), and the part fails at ``test_rate`` while the test lasts.
    A failure is found at the end of the test with probability ``coverage`` and repaired at ``repair_rate``; the
    repair leaves it failed with probability ``restart_failure``. Whether the part works during a test is told by
    ``available``.
    """

    rate: FloatArray
    test_rate: FloatArray
    repair_rate: FloatArray
    interval: FloatArray
    first_test: FloatArray
    test_failure: FloatArray
    duration: FloatArray
    available: FloatArray
    coverage: FloatArray
    restart_failure: FloatArray
    time: FloatArray

    @classmethod
    def of(cls, *values: Any) -> TestedPart:
        """The part with numbers or arrays as arguments."""
        return cls(*np.broadcast_arrays(*(np.asarray(value, dtype=float) for value in values)))

    def unavailability(self) -> FloatArray:
        """Probability of not working at ``time``; at the moment of a test, just before it."""
        state = self._final_state()
        idle_in_test = np.where(self.available != 0, 0.0, state[..., TESTED])
        return np.asarray(state[..., [FAILED, REPAIR, FAILED_IN_TEST]].sum(axis=-1) + idle_in_test)

    def mean_unavailability(self) -> FloatArray:
        """Share of the time until ``time`` that it is expected not to work."""
        lost = self._final_state()[..., LOST]
        return np.asarray(np.where(self.time > 0, lost / np.where(self.time > 0, self.time, 1.0), 0.0))

    def _final_state(self) -> FloatArray:
        before = np.minimum(self.time, self.first_test)
        new = np.zeros((*self.time.shape, 6))
        new[..., WORKING] = 1.0
        untested = _moved(new, self._phase(before))
        intervals, left = whole_intervals(self.time - before, self.interval)
        end = self._test_end()
        test = self._test_begin() @ self._phase(self.duration) @ end
        state = _moved(untested, _powers(test @ self._phase(self.interval - self.duration), intervals))
        in_test = np.minimum(left, self.duration)
        during = _moved(state, self._test_begin() @ self._phase(in_test))
        after = _moved(during, end @ self._phase(left - in_test))
        later = np.where((left > self.duration)[..., None], after, during)
        return np.where((self.time > self.first_test)[..., None], later, untested)

    def _phase(self, time: FloatArray) -> FloatArray:
        """What happens in ``time`` without a test beginning or ending."""
        works_again = (1 - self.restart_failure) * repaired(self.rate, self.repair_rate, time)
        gained = (1 - self.restart_failure) * time_repaired(self.rate, self.repair_rate, time)
        idle = np.where(self.available != 0, mean_failure(self.test_rate * time), 1.0)
        return self._matrix({
            (WORKING, WORKING): np.exp(-self.rate * time),
            (WORKING, FAILED): -np.expm1(-self.rate * time),
            (WORKING, LOST): time * mean_failure(self.rate * time),
            (FAILED, FAILED): 1.0,
            (FAILED, LOST): time,
            (REPAIR, WORKING): works_again,
            (REPAIR, FAILED): np.maximum(-np.expm1(-self.repair_rate * time) - works_again, 0.0),
            (REPAIR, REPAIR): np.exp(-self.repair_rate * time),
            (REPAIR, LOST): time - gained,
            (TESTED, TESTED): np.exp(-self.test_rate * time),
            (TESTED, FAILED_IN_TEST): -np.expm1(-self.test_rate * time),
            (TESTED, LOST): time * idle,
            (FAILED_IN_TEST, FAILED_IN_TEST): 1.0,
            (FAILED_IN_TEST, LOST): time,
            (LOST, LOST): 1.0,
        })  # fmt: skip

    def _test_begin(self) -> FloatArray:
        return self._matrix({
            (WORKING, TESTED): 1 - self.test_failure,
            (WORKING, FAILED_IN_TEST): self.test_failure,
            (FAILED, FAILED_IN_TEST): 1.0,
            (REPAIR, REPAIR): 1.0,
            (LOST, LOST): 1.0,
        })  # fmt: skip

    def _test_end(self) -> FloatArray:
        return self._matrix({
            (TESTED, WORKING): 1.0,
            (FAILED_IN_TEST, REPAIR): self.coverage,
            (FAILED_IN_TEST, FAILED): 1 - self.coverage,
            (WORKING, WORKING): 1.0,
            (FAILED, FAILED): 1.0,
            (REPAIR, REPAIR): 1.0,
            (LOST, LOST): 1.0,
        })  # fmt: skip

    def _matrix(self, entries: dict[tuple[int, int], Any]) -> FloatArray:
        matrix = np.zeros((*self.time.shape, 6, 6))
        for (start, end), value in entries.items():
            matrix[..., start, end] = value
        return matrix


def whole_intervals(time: FloatArray, interval: FloatArray) -> tuple[NDArray[np.int64], FloatArray]:
    """How many intervals end before ``time``, and the time left after them; an interval ends at its last moment."""
    passed = time / interval
    nearest = np.round(passed)
    # A moment that rounding puts just after a test belongs before it: the safe side.
    passed = np.where(np.abs(passed - nearest) <= SAME_MOMENT + ROUNDING * nearest, nearest, passed)
    intervals = np.maximum(np.ceil(passed) - 1, 0.0)
    return intervals.astype(np.int64), np.clip(time - intervals * interval, 0.0, interval)


def _moved(state: FloatArray, matrix: FloatArray) -> FloatArray:
    return np.asarray((state[..., None, :] @ matrix)[..., 0, :])


def _powers(matrix: FloatArray, exponents: NDArray[np.int64]) -> FloatArray:
    """Each matrix to its own power, by squaring."""
    result = np.broadcast_to(np.eye(6), matrix.shape)
    left = np.asarray(exponents)
    while (left > 0).any():
        result = np.where((left % 2 == 1)[..., None, None], result @ matrix, result)
        left = left // 2
        matrix = matrix @ matrix
    return result
