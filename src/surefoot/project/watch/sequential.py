"""Whether failures come more often than a limit allows, judged after every single one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.canonical import reading
from surefoot.core.validate import FloatArray

SMALLEST_LIMIT = 1e-12
FIRST_RATIO, STEP, HIGHEST = 1.5, 2.0, 0.75
AT_ONCE = 4096


class FailureTest:
    """A gambler who bets that a failure probability lies above a limit, from a time that nobody knows.

    As long as every row fails with a probability of at most ``limit``, given all rows before it, the capital cannot
    grow on average, so that the chance that it ever reaches 1/``alpha`` is at most ``alpha`` (Ville 1939; Waudby-Smith
    and Ramdas 2024, JRSS-B 86(1)). Bets are likelihood ratios against the limit, for odds of 1.5, 3, 6 and so on times
    those of the limit. The capital is split over them and over the rows at which failures may have become more
    frequent, with shares that fall as slowly as those of ``ChangeAlarm``: a long calm costs little.
    """

    def __init__(self, limit: float, *, alpha: float) -> None:
        where = "FailureTest"
        self.limit = validate.probability(limit, where=where, name="limit")
        self.alpha = validate.fraction(alpha, where=where, name="alpha")
        if self.limit >= 1:
            raise InvalidInput("no failures exceed a limit of 1", where=where, found=f"{limit:g}")
        claimed = max(self.limit, SMALLEST_LIMIT)
        chances = _alternatives(claimed)
        self._pays = np.stack([np.log1p(-chances) - math.log1p(-claimed), np.log(chances / claimed)])
        self._log = np.full(chances.size, -np.inf)
        self.rows = 0
        self.value = 1.0
        """Evidence so far: the chance to see this much or more is at most 1/value where the limit is kept."""
        self.row: int | None = None
        """The row, counted from 0, at which the limit was refuted."""

    def update(self, failed: ArrayLike) -> int | None:
        """Take in rows, the oldest first; the number among them of the row that refuted the limit, if one did."""
        outcomes = np.asarray(failed, dtype=bool)
        known, before = self.row, self.rows
        for start in range(0, outcomes.size, AT_ONCE):
            self._step(outcomes[start : start + AT_ONCE].astype(np.intp))
        return None if known is not None or self.row is None else self.row - before

    def snapshot(self) -> dict[str, Any]:
        """What it knows, as plain data."""
        return {"rows": self.rows, "row": self.row, "value": self.value, "log": self._log.tolist()}

    def resume(self, snapshot: Mapping[str, Any]) -> None:
        """Go on from what ``snapshot`` told; limit and alpha must be the same."""
        with reading("failure test"):
            self._log = np.array(snapshot["log"], dtype=float).reshape(self._log.shape)
            self.rows, self.value = int(snapshot["rows"]), float(snapshot["value"])
            self.row = None if snapshot["row"] is None else int(snapshot["row"])

    def _step(self, outcomes: NDArray[np.intp]) -> None:
        sums = np.cumsum(paid := self._pays[outcomes], axis=0)
        rows = self.rows + np.arange(outcomes.size, dtype=float)
        shares = _log_share(rows)[:, None] - math.log(self._log.size)
        started = np.logaddexp.accumulate(np.vstack([self._log, shares - (sums - paid)]))
        logs = sums + started[1:]
        waiting = -np.log(np.log(rows + 1 + math.e))
        total = np.logaddexp(np.logaddexp.reduce(logs, axis=1), waiting)
        over = np.flatnonzero(total >= -math.log(self.alpha))
        if self.row is None and over.size:
            self.row = self.rows + int(over[0])
        self._log, self.rows = logs[-1], self.rows + outcomes.size
        self.value = math.exp(min(float(total[-1]), 700.0))


def _alternatives(claimed: float) -> FloatArray:
    """Failure probabilities above the claimed one, further apart the further away."""
    odds = claimed / (1 - claimed)
    steps = max(math.ceil(math.log(HIGHEST / (1 - HIGHEST) / (FIRST_RATIO * odds), STEP)), 0) + 1
    above = FIRST_RATIO * odds * STEP ** np.arange(steps)
    return np.asarray(above / (1 + above))


def _log_share(rows: FloatArray) -> FloatArray:
    """Logarithm of 1/log(t - 1 + e) - 1/log(t + e), the share put on each row; all shares sum to 1."""
    start = rows + math.e
    return np.asarray(np.log(np.log1p(1 / start)) - np.log(np.log(start)) - np.log(np.log(start + 1)))
