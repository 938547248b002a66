"""Capital of a gambler who bets that numbers stopped being uniform, at a time nobody knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from surefoot.core.validate import FloatArray

LINEAR = (-1.9, -1.0, 1.0, 1.9)
CURVED = (-0.9, 1.8)
POWERS = (0.3, 0.6)
BETS = len(LINEAR) + len(CURVED) + 2 * len(POWERS)
SMALLEST = 1e-12


def log_bets(p: FloatArray) -> FloatArray:
    """Logarithm of what each bet pays at each p, one bet a column; each has mean 1 over uniform p.

    Straight lines pay for values that moved up or down, parabolas for values that spread or crowd, and powers for
    values near one end.
    """
    p = np.clip(p, SMALLEST, 1 - SMALLEST)
    straight = [np.log1p(slope * (p - 0.5)) for slope in LINEAR]
    curved = [np.log1p(bend * (6 * p * p - 6 * p + 1)) for bend in CURVED]
    ends = [np.log(power) + (power - 1) * np.log(side) for power in POWERS for side in (p, 1 - p)]
    return np.stack([*straight, *curved, *ends], axis=1)


class Capital:
    """Log capital that starts at 0 and, while numbers are uniform, cannot grow on average.

    The capital is split over bets and over the rows at which the change may have come: a share of
    1/log(t - 1 + e) - 1/log(t + e) is put on row t, and is bet from then on. Shares fall slowly, so a long calm before
    the change costs little. The chance to reach 1/alpha in an endless calm is at most alpha (Ville, 1939). Mixtures
    over the time of change: Vovk, Petej, Nouretdinov et al. (2021), "Retrain or not retrain".
    """

    def __init__(self) -> None:
        self.rows = 0
        self._log = np.full(BETS, -np.inf)
        self._lowest, self._since = np.zeros(BETS), np.zeros(BETS, dtype=np.int64)
        self._sum = np.zeros(BETS)

    def play(self, p: FloatArray) -> FloatArray:
        """Log capital after each of the next numbers."""
        paid = log_bets(p)
        sums = np.cumsum(paid, axis=0)
        before = sums - paid
        rows = self.rows + np.arange(p.size, dtype=float)
        started = np.logaddexp.accumulate(np.vstack([self._log, _log_share(rows)[:, None] - np.log(BETS) - before]))
        logs = sums + started[1:]
        self._remember(before)
        self._log, self._sum = logs[-1], self._sum + sums[-1]
        self.rows += p.size
        waiting = -np.log(np.log(rows + 1 + np.e))
        return np.asarray(np.logaddexp(np.logaddexp.reduce(logs, axis=1), waiting))

    @property
    def since(self) -> int:
        """The row from which the leading bet gained most."""
        return int(self._since[self._log.argmax()])

    def snapshot(self) -> dict[str, Any]:
        """What it knows, as plain data."""
        kept = {"log": self._log, "lowest": self._lowest, "since": self._since, "sum": self._sum}
        return {"rows": self.rows, **{name: values.tolist() for name, values in kept.items()}}

    def resume(self, snapshot: Mapping[str, Any]) -> None:
        """Go on from what ``snapshot`` told."""
        self.rows = int(snapshot["rows"])
        self._log, self._lowest, self._sum = (_of_bets(snapshot[name]) for name in ("log", "lowest", "sum"))
        self._since = _of_bets(snapshot["since"]).astype(np.int64)

    def _remember(self, before: FloatArray) -> None:
        at = before.argmin(axis=0)
        lowest = self._sum + before[at, np.arange(BETS)]
        lower = lowest < self._lowest
        self._since = np.where(lower, self.rows + at, self._since)
        self._lowest = np.where(lower, lowest, self._lowest)


def _of_bets(values: Any) -> FloatArray:
    return np.array(values, dtype=float).reshape(BETS)


def _log_share(rows: FloatArray) -> FloatArray:
    """Logarithm of the share put on each row, counted from 0."""
    start = rows + np.e
    return np.asarray(np.log(np.log1p(1 / start)) - np.log(np.log(start)) - np.log(np.log(start + 1)))
